//! The experiment of table 2 in other games, with traps that proof search finds.
//!
//! A trap is a position of a random match in which one role has several moves, at most half of which
//! lose by force within three joint moves. One of these is its bait; as in the source, a position
//! two plies later has the trap if the same move can be made, and loses as soon.

use std::error::Error;
use std::path::Path;

use propjit::game::machine::batch::Batch;
use propjit::lab::similarity::{Comparison, Measure, SimilarityConfig, SimilarityError};
use propjit::proof::forced::{Pace, ProofConfig, ProofMode, Prover, Target, Verdict};
use propjit::support::rng::{GameRng, streams};
use propjit::{Game, Move, RoleId, Setup, State, Stop};
use rand::seq::{IndexedRandom, SliceRandom};

use super::SCALE;
use super::errors::{errors, mean};

/// The joint moves within which the opponent wins.
const WITHIN: u32 = 3;

/// The positions after a trap that are compared by measures that take long.
const SAMPLE: usize = 40;

/// The least number of positions after a trap with it, and without it.
const LEAST: usize = 5;

/// The most random matches in which traps are looked for.
const MATCHES: usize = 2000;

/// A measure, and whether it takes long.
type Column = (&'static str, Option<(Measure, usize)>, bool, bool);

/// The measures: what is compared and at which depth, if that are moves; whether structurally; and
/// whether that takes long.
const COLUMNS: [Column; 6] = [
    (
        "continuations",
        Some((Measure::Continuations, 1)),
        false,
        false,
    ),
    ("sequences", Some((Measure::Sequences, 2)), false, false),
    ("tree-edit", Some((Measure::TreeEdit, 2)), false, true),
    ("structural", Some((Measure::Continuations, 1)), true, true),
    (
        "structural 2",
        Some((Measure::Continuations, 2)),
        true,
        true,
    ),
    ("fluents", None, false, false),
];

/// A position with a trap.
struct Trap {
    state: State,
    /// The role that is to move.
    mover: RoleId,
    bait: Move,
    /// The joint moves within which the other role wins after the bait.
    within: u32,
}

/// A move, and what follows unless the match is over then.
type Next = (Move, Option<State>);

/// A game that is played, and queried for forced wins.
struct Play {
    batch: Batch,
    /// For each role.
    provers: Vec<Prover>,
}

impl Play {
    fn new(game: &Game) -> Result<Play, Box<dyn Error>> {
        let engines = game.engines().ok_or("the game could not be grounded")?;
        engines.start();
        engines.wait();
        let ground = engines.game();
        let config = ProofConfig::default().with_mode(ProofMode::Full);
        let prover = |role: RoleId| {
            let goals = ground.propnet().roles[role.index()].goals.iter();
            let value = goals.map(|goal| goal.value).max().unwrap_or(100);
            Prover::new(engines, Target { role, value }, &config)
        };
        let provers = RoleId::first(ground.roles().len()).map(prover);
        Ok(Play {
            batch: Batch::new(ground.clone(), engines.best()),
            provers: provers.collect::<Result<_, _>>()?,
        })
    }

    /// Returns the role to move, if that is one role, and its moves with what follows from each.
    fn moves(&mut self, state: &State) -> Option<(RoleId, Vec<Next>)> {
        let legal = self.batch.legal_moves(state);
        let mut movers = RoleId::first(2).filter(|role| legal[role.index()].len() > 1);
        let (mover, None) = (movers.next()?, movers.next()) else {
            return None;
        };
        Some((mover, self.follow(state, mover, &legal)))
    }

    /// What follows from each move of a role, unless the match is over then.
    fn follow(&mut self, state: &State, mover: RoleId, legal: &[Vec<Move>]) -> Vec<Next> {
        if legal.iter().any(Vec::is_empty) {
            return Vec::new();
        }
        let moves = &legal[mover.index()];
        let joint = |&played: &Move| match mover.index() {
            0 => [played, legal[1][0]],
            _ => [legal[0][0], played],
        };
        let joints: Vec<Move> = moves.iter().flat_map(joint).collect();
        let children = self.batch.children(state, &joints).into_iter();
        let going_on = children.map(|child| child.goals.is_none().then_some(child.state));
        moves.iter().copied().zip(going_on).collect()
    }

    /// Within how many joint moves a role can force a win, if that is not more than `most`.
    fn wins(&mut self, role: RoleId, state: &State, most: u32) -> Option<u32> {
        let prover = &mut self.provers[role.index()];
        let proof = prover
            .prove(state, most, &mut Pace::new(&Stop::new()), |_| ())
            .ok()?;
        match proof.verdict {
            Verdict::Won(within) if within <= most => Some(within),
            _ => None,
        }
    }

    /// The trap in a position, if there is one.
    fn trap(&mut self, state: &State, rng: &mut GameRng) -> Option<Trap> {
        let (mover, moves) = self.moves(state)?;
        let opponent = RoleId(1 - mover.0);
        let mut losing = Vec::new();
        for (played, next) in &moves {
            let within = next
                .as_ref()
                .and_then(|next| self.wins(opponent, next, WITHIN));
            losing.extend(within.map(|within| (*played, within)));
            if 2 * losing.len() > moves.len() {
                return None;
            }
        }
        let &(bait, within) = losing.choose(rng)?;
        Some(Trap {
            state: state.clone(),
            mover,
            bait,
            within,
        })
    }

    /// A trap in a random match.
    fn find(&mut self, start: &State, rng: &mut GameRng) -> Option<Trap> {
        let mut states = vec![start.clone()];
        while let Some(next) = self.random(&states[states.len() - 1], rng) {
            states.push(next);
        }
        let later = &states[states.len() / 2..];
        self.trap(later.choose(rng)?, rng)
    }

    /// What follows from random moves, unless the match is over then.
    fn random(&mut self, state: &State, rng: &mut GameRng) -> Option<State> {
        let legal = self.batch.legal_moves(state);
        let joint: Option<Vec<Move>> = legal
            .iter()
            .map(|legal| legal.choose(rng).copied())
            .collect();
        let child = self.batch.children(state, &joint?).pop()?;
        child.goals.is_none().then_some(child.state)
    }

    /// Returns at most `most` positions two plies after a trap in which the same role can move.
    fn after(&mut self, trap: &Trap, most: usize, rng: &mut GameRng) -> Vec<State> {
        let Some((_, moves)) = self.moves(&trap.state) else {
            return Vec::new();
        };
        let opponent = RoleId(1 - trap.mover.0);
        let mut found = Vec::new();
        for next in moves.into_iter().filter_map(|(_, next)| next) {
            let legal = self.batch.legal_moves(&next);
            if legal[trap.mover.index()].len() == 1 {
                let replies = self.follow(&next, opponent, &legal);
                found.extend(replies.into_iter().filter_map(|(_, next)| next));
            }
        }
        found.shuffle(rng);
        found.truncate(most);
        found
    }

    /// Whether a position has the trap.
    fn is_kept(&mut self, trap: &Trap, state: &State) -> bool {
        let legal = self.batch.legal_moves(state);
        let replies = self.follow(state, trap.mover, &legal);
        let after = replies.into_iter().find(|(played, _)| *played == trap.bait);
        let after = after.and_then(|(_, next)| next);
        let opponent = RoleId(1 - trap.mover.0);
        after.is_some_and(|next| self.wins(opponent, &next, trap.within).is_some())
    }
}

/// Prints what the columns are.
pub(crate) fn print_head() {
    println!("false negatives and false positives, means over the traps; with:");
    println!("the part of positions two plies after a trap that have it");
    print!("{:25} traps  with", "");
    for (name, ..) in COLUMNS {
        print!("  {name:>13}");
    }
    println!();
}

/// Prints what is found in a game.
pub(crate) fn print(file: &Path) -> Result<(), Box<dyn Error>> {
    let game = Game::load(file, &Setup::default())?;
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    if game
        .ground_game()
        .is_none_or(|ground| ground.roles().len() != 2)
    {
        return Err(format!("{name}: not a game of two roles that can be grounded").into());
    }
    let mut play = Play::new(&game)?;
    let mut comparisons = Vec::new();
    for (_, measure, ..) in COLUMNS {
        let comparison = measure.map(|(measure, depth)| {
            let config = SimilarityConfig::default()
                .with_measure(measure)
                .with_depth(depth)
                .with_nodes(10_000_000);
            Comparison::new(&game, config, &Stop::new())
        });
        comparisons.push(comparison.transpose()?);
    }
    let mut rng = streams(1).next().expect("streams do not end");
    let start = game.ground_game().ok_or("not ground")?.initial().clone();
    let mut found: Vec<Vec<[f64; 2]>> = vec![Vec::new(); COLUMNS.len()];
    let (mut traps, mut parts) = (0, 0.0);
    for _ in 0..MATCHES {
        if traps == SCALE.traps {
            break;
        }
        let Some(trap) = play.find(&start, &mut rng) else {
            continue;
        };
        let states = play.after(&trap, SCALE.after, &mut rng);
        let kept: Vec<bool> = states
            .iter()
            .map(|state| play.is_kept(&trap, state))
            .collect();
        // Those first that are compared by all measures.
        let with = |kept: &[bool]| kept.iter().filter(|kept| **kept).count();
        let few = SAMPLE.min(states.len());
        let counts = [with(&kept[..few]), few - with(&kept[..few])];
        if counts.iter().any(|&count| count < LEAST) {
            continue;
        }
        traps += 1;
        parts += with(&kept) as f64 / kept.len() as f64;
        for ((column, comparison), found) in COLUMNS.iter().zip(&mut comparisons).zip(&mut found) {
            let &(.., is_structural, takes_long) = column;
            let size = if takes_long { few } else { states.len() };
            let states = &states[..size];
            let similarities = match comparison {
                Some(comparison) => similarities(comparison, is_structural, &trap.state, states),
                None => Ok(states
                    .iter()
                    .map(|state| shared(&trap.state, state))
                    .collect()),
            };
            // Game trees may be too large.
            found.extend(similarities.ok().map(|all| errors(&all, &kept[..size])));
        }
    }
    print!("{name:25} {traps:5}");
    match traps > 0 {
        true => print!("  {:.2}", parts / f64::from(traps as u32)),
        false => print!("     -"),
    }
    for of in &found {
        let [negatives, positives] = mean(of);
        match of.is_empty() {
            true => print!("  {:>13}", "-"),
            false => print!("    {negatives:.2}   {positives:.2}"),
        }
    }
    println!();
    Ok(())
}

/// The similarities of positions to one.
fn similarities(
    comparison: &mut Comparison,
    is_structural: bool,
    start: &State,
    states: &[State],
) -> Result<Vec<f64>, SimilarityError> {
    if is_structural {
        let all = states.iter();
        return all
            .map(|state| comparison.structural(start, state))
            .collect();
    }
    let mut found = Vec::with_capacity(states.len());
    for states in states.chunks(SAMPLE) {
        found.extend(comparison.similarities(start, states)?);
    }
    Ok(found)
}

/// The part of fluents that hold in both of two states, of those that hold in either: the measure
/// that knows nothing of moves.
fn shared(a: &State, b: &State) -> f64 {
    let both = a.iter().filter(|&base| b.contains(base)).count();
    both as f64 / (a.len() + b.len() - both).max(1) as f64
}
