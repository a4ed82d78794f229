//! Proof search for games whose states are too many: role by role and goal by goal, in turns.

use std::time::Duration;

use propjit_stop::Stop;
use rustc_hash::FxHashMap;

use crate::engine::Engines;
use crate::ground::GroundGame;
use crate::machine::{Move, RoleId};
use crate::proof::{MOST_DEPTH, ProofConfig, ProofError, ProofMode, ProverTeam, Target, Verdict};
use crate::reasons::PhaseCircuit;

use super::bounds::{AllBounds, SolveMethod, goals, players};

/// The time of the first searches, and how it grows from round to round.
const FIRST_SLICE: Duration = Duration::from_millis(250);
const GROWTH: u32 = 2;

/// About how many bytes a cube takes beside its propositions.
const CUBE_BYTES: usize = 150;

/// Searches for proofs until all values are known or a stop comes. Gives joint moves by which a
/// role forces what it can, if such were found.
pub(super) fn search(
    engines: &Engines,
    bounds: &AllBounds<'_>,
    (memory, threads): (usize, usize),
    stop: &Stop,
) -> Vec<Vec<Move>> {
    let game = engines.game();
    let mut line = Vec::new();
    let mut teams: FxHashMap<(RoleId, i32), ProverTeam> = FxHashMap::default();
    let in_turns: Vec<bool> = RoleId::first(game.roles().len())
        .map(|role| decides_alone(game, role))
        .collect();
    let mut slice = FIRST_SLICE;
    let mut is_high = true;
    while !bounds.is_solved() && !stop.is_set() {
        for role in players(game) {
            let Some(value) = wanted(game, bounds, role, is_high) else {
                continue;
            };
            if bytes(&teams, game) > memory {
                // What other targets have found out is not worth keeping.
                teams.retain(|&target, _| target == (role, value));
                if bytes(&teams, game) > memory {
                    return line;
                }
            }
            let config = ProofConfig::default().with_mode(ProofMode::All);
            let target = Target { role, value };
            let team = match teams.entry((role, value)) {
                std::collections::hash_map::Entry::Occupied(team) => team.into_mut(),
                std::collections::hash_map::Entry::Vacant(free) => {
                    match ProverTeam::new(engines, target, &config, threads) {
                        Ok(team) => free.insert(team),
                        Err(ProofError::JointMoves | ProofError::Unreachable) => return line,
                    }
                }
            };
            let part = stop.within(slice);
            let Ok(proof) = team.prove(game.initial(), MOST_DEPTH, &part, |_| ()) else {
                return line;
            };
            match proof.verdict {
                Verdict::Won(_) => {
                    bounds.raise(role, value, SolveMethod::Proof);
                    line = proof.line;
                }
                Verdict::Lost if in_turns[role.index()] => {
                    let goals = goals(game, role);
                    let less = goals.into_iter().rev().find(|&goal| goal < value);
                    bounds.lower(role, less.unwrap_or(value), SolveMethod::Proof);
                }
                _ => {}
            }
            teams.retain(|&(role, value), _| {
                let bounds = bounds.of(role);
                bounds.low.0 < value && value <= bounds.high.0
            });
            if stop.is_set() {
                return line;
            }
        }
        is_high = !is_high;
        slice = slice.saturating_mul(GROWTH);
    }
    line
}

/// The goal about which to ask next: the greatest that is possible, or the least that is not known
/// to be forced.
fn wanted(game: &GroundGame, bounds: &AllBounds<'_>, role: RoleId, is_high: bool) -> Option<i32> {
    let known = bounds.of(role);
    let goals = goals(game, role);
    // An end without a goal counts as 0, and proof search does not count it.
    let open = goals
        .into_iter()
        .filter(|&goal| goal > known.low.0.max(0) && goal <= known.high.0);
    match is_high {
        true => open.max(),
        false => open.min(),
    }
}

/// Whether nobody else has a choice whenever the role has one, so that it does not matter who
/// chooses first.
fn decides_alone(game: &GroundGame, role: RoleId) -> bool {
    let phases = 0..game.phases().each().len();
    let mut circuits = phases.map(|phase| PhaseCircuit::new(game, phase));
    circuits.all(|circuit| {
        let moves = circuit.moves();
        let mut others = moves
            .iter()
            .enumerate()
            .filter(|&(other, _)| other != role.index());
        moves[role.index()].len() <= 1 || others.all(|(_, moves)| moves.len() <= 1)
    })
}

/// About how much memory provers take.
fn bytes(teams: &FxHashMap<(RoleId, i32), ProverTeam>, game: &GroundGame) -> usize {
    let cubes = teams.values().flat_map(ProverTeam::counts);
    let cubes: u64 = cubes.map(|counts| counts.cubes[0] + counts.cubes[1]).sum();
    // A cube has two sets of propositions, and is in tables that have two more.
    cubes as usize * (game.layout().bases.len() / 2 + CUBE_BYTES)
}
