//! Many states in one call: all positions of connect four after some moves, counted level by level
//! (breadth-first, without those that were met before).
//!
//! `cargo run --release --example batch`

use std::collections::HashSet;
use std::error::Error;

use propjit::game::machine::batch::Batch;
use propjit::{Game, RoleId, Setup, State, gdl};

/// How many moves deep to look.
const DEPTH: usize = 6;

fn main() -> Result<(), Box<dyn Error>> {
    let rules = gdl::games::text("connectFour").ok_or("there is no such game")?;
    let game = Game::from_text("connectFour.kif", rules, &Setup::default())?;
    let engines = game.engines().ok_or("the game could not be grounded")?;
    // An interpreter at first; a subscription would report when there is machine code.
    let mut batch = Batch::new(engines.game().clone(), engines.best());
    let roles = engines.game().roles().len();
    let mut level: HashSet<State> = [engines.game().initial().clone()].into();
    for depth in 1..=DEPTH {
        let states: Vec<State> = level.drain().collect();
        for states in states.chunks(batch.lanes()) {
            expand(&mut batch, states, roles, &mut level);
        }
        println!("{:>8} positions after {depth} moves", level.len());
    }
    Ok(())
}

/// Adds what follows from the states, one per lane, to the next level.
fn expand(batch: &mut Batch, states: &[State], roles: usize, level: &mut HashSet<State>) {
    batch.enter(states);
    let terminal = batch.terminal();
    // For each state, the legal moves of each role.
    let mut legal = vec![vec![Vec::new(); roles]; states.len()];
    for role in RoleId::first(roles) {
        batch.for_each_legal(role, |lane, played| legal[lane][role.index()].push(played));
    }
    // One role has a choice, the other one move.
    let mut parents = Vec::new();
    let mut joints = Vec::new();
    for (lane, moves) in legal.iter().enumerate() {
        if terminal.contains(lane) {
            continue;
        }
        for &first in &moves[0] {
            for &second in &moves[1] {
                parents.push(&states[lane]);
                joints.extend([first, second]);
            }
        }
    }
    let lanes = batch.lanes();
    for (parents, joints) in parents.chunks(lanes).zip(joints.chunks(lanes * roles)) {
        batch.enter(parents.iter().copied());
        batch.play(joints);
        batch.advance(batch.filled());
        let words = batch.state_words();
        for packed in batch.states().chunks(words).take(parents.len()) {
            let mut state = State::new();
            state.assign(packed);
            level.insert(state);
        }
    }
}

#[test]
fn runs() {
    main().unwrap();
}
