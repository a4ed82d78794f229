//! What was made for the rest of a match is right for the rest of the match.

mod common;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use propjit::analysis::ternary::{Bounds, Fixpoint};
use propjit::darkening::{Darkened, Prospect};
use propjit::game::{Game, Setup};
use propjit::machine::batch::Batch;
use propjit::machine::{GroundGame, Move, RoleId, State};
use propjit::rng::{GameRng, streams};
use propjit_jit::lanes::Width;
use rand::RngExt;

/// The states of a random match, the last one being where it ended or was given up.
fn random_match(game: &Arc<GroundGame>, most: usize, rng: &mut GameRng) -> Vec<State> {
    let mut batch = Batch::new(game.clone(), game.tiers().engine().clone());
    let mut states = vec![game.initial().clone()];
    while states.len() < most {
        let state = states.last().unwrap();
        let legal = batch.legal_moves(state);
        if !batch.terminal().is_empty() || legal.iter().any(Vec::is_empty) {
            break;
        }
        let joint: Vec<Move> = legal
            .iter()
            .map(|moves| moves[rng.random_range(0..moves.len())])
            .collect();
        states.push(batch.children(state, &joint).remove(0).state);
    }
    states
}

/// All that there is to see in the states of a batch.
fn look(batch: &mut Batch, roles: usize) -> Vec<(Vec<Vec<Move>>, bool, Vec<Option<i32>>)> {
    let terminal = batch.terminal();
    let mut legal = vec![vec![Vec::new(); roles]; batch.lanes()];
    for role in RoleId::first(roles) {
        batch.for_each_legal(role, |lane, found| legal[lane][role.index()].push(found));
    }
    let lanes: Vec<usize> = batch.filled().lanes().collect();
    let goals = |lane: usize, batch: &mut Batch| {
        let roles = RoleId::first(roles);
        roles.map(|role| batch.goal(role, lane)).collect()
    };
    lanes
        .into_iter()
        .map(|lane| {
            let goals = goals(lane, batch);
            let legal = std::mem::take(&mut legal[lane]);
            (legal, terminal.contains(lane), goals)
        })
        .collect()
}

/// Plays random continuations from the root in all lanes on the whole circuit, and compares
/// everything on the way.
fn compare(
    name: &str,
    game: &Arc<GroundGame>,
    darkened: &Darkened,
    steps: usize,
    rng: &mut GameRng,
) {
    let roles = game.roles().len();
    let mut whole = Batch::new(game.clone(), game.tiers().engine().clone());
    let mut dark = Batch::new(game.clone(), darkened.engine.clone());
    let lanes = whole.lanes().min(dark.lanes());
    let mut states = vec![darkened.root.clone(); lanes];
    for _ in 0..steps {
        whole.enter(&states);
        dark.enter(&states);
        let seen = look(&mut whole, roles);
        assert_eq!(look(&mut dark, roles), seen, "{name}");
        let mut over = vec![false; lanes];
        let mut joints = Vec::new();
        for (lane, (legal, terminal, _)) in seen.iter().enumerate() {
            over[lane] = *terminal || legal.iter().any(Vec::is_empty);
            joints.extend(legal.iter().map(|moves| match over[lane] {
                true => Move(0),
                false => moves[rng.random_range(0..moves.len())],
            }));
        }
        for batch in [&mut whole, &mut dark] {
            batch.play(&joints);
            batch.advance(batch.filled());
        }
        let words = whole.state_words();
        let next = whole
            .states()
            .chunks(words)
            .zip(dark.states().chunks(words));
        for (lane, (expected, got)) in next.enumerate() {
            if over[lane] {
                states[lane].assign(darkened.root.words());
                continue;
            }
            assert_eq!(got, expected, "{name}");
            states[lane].assign(expected);
            assert!(darkened.engine.scope().contains(&states[lane]), "{name}");
        }
    }
}

/// Compares at several places of several random matches, on the interpreter and on machine
/// code, with passes and without.
fn check(path: &Path, matches: usize, steps: usize) {
    let name = path.file_stem().unwrap().to_string_lossy();
    let Ok(game) = Game::load(path, &Setup::default()) else {
        return;
    };
    let Some(game) = game.ground_game() else {
        return;
    };
    let mut rng = streams(11).next().unwrap();
    let bounds = Bounds::new(game, &game.smallest().circuit);
    let mut fixpoint = Fixpoint::new(game.clone(), &bounds, Width::X64);
    for _ in 0..matches {
        let states = random_match(game, 200, &mut rng);
        for part in 0..5 {
            let root = &states[(states.len() - 1) * part / 4];
            let none = Duration::ZERO;
            let some = Duration::from_millis(200);
            let mut prospect = || Prospect::new(game, &mut fixpoint, root);
            let darkened = [
                prospect().compile(game, some).unwrap(),
                match part {
                    0 | 2 => prospect().interpret(game, none),
                    _ => prospect().compile(game, none).unwrap(),
                },
            ];
            for darkened in darkened {
                assert!(darkened.gates <= game.smallest().circuit.gates(), "{name}");
                compare(&name, game, &darkened, steps, &mut rng);
            }
        }
    }
}

#[test]
fn own_games_go_on_alike() {
    for (_, path) in common::own_games() {
        check(&path, 2, 30);
    }
}
