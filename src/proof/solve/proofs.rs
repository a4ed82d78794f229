//! Proof search, for games with too many states: role by role and goal by goal, in turns.

use std::time::Duration;

use propjit_stop::Stop;
use rustc_hash::FxHashMap;

use crate::game::circuits::reasons::PhaseCircuit;
use crate::game::engine::Engines;
use crate::game::ground::GroundGame;
use crate::game::machine::{Move, RoleId};
use crate::proof::forced::{
    MAX_DEPTH, ParallelProver, ProofConfig, ProofError, ProofMode, Target, Verdict,
};

use super::bounds::{AllBounds, SolveMethod, goals, players};
use super::extraction::Proved;
use super::undefined_goal;
use crate::proof::unproved::Unproved;

/// The time of the first searches, and how it grows from round to round.
const FIRST_SLICE: Duration = Duration::from_millis(250);
const GROWTH: u32 = 2;

/// About how many bytes a cube takes beside its propositions.
const CUBE_BYTES: usize = 150;

/// The findings beside bounds.
#[derive(Default, Debug)]
pub(super) struct Findings {
    /// Joint moves by which a role forces what it can, if such were found.
    pub(super) line: Vec<Vec<Move>>,
    /// The provers of the newest bound of each role, on each side.
    pub(super) proved: Vec<Proved>,
    /// The reasons met that keep bounds from being proved.
    pub(super) unproved: Vec<Unproved>,
}

/// Searches for proofs until all values are known or a stop comes.
pub(super) fn search(
    engines: &Engines,
    bounds: &AllBounds<'_>,
    (memory, threads): (usize, usize),
    stop: &Stop,
) -> Findings {
    let mut findings = Findings::default();
    // A game or a state that has no proofs is left to others.
    let _ = findings.search(engines, bounds, (memory, threads), stop);
    findings
}

impl Findings {
    fn search(
        &mut self,
        engines: &Engines,
        bounds: &AllBounds<'_>,
        (memory, threads): (usize, usize),
        stop: &Stop,
    ) -> Result<(), ProofError> {
        let game = engines.game();
        let in_turns = in_turns(game);
        let config = ProofConfig::default().with_mode(ProofMode::All);
        let mut provers: FxHashMap<(RoleId, i32), ParallelProver> = FxHashMap::default();
        let mut slice = FIRST_SLICE;
        let mut is_high = true;
        while !bounds.is_solved() && !stop.is_set() {
            for role in players(game) {
                let Some(value) = wanted(game, bounds, role, is_high) else {
                    continue;
                };
                let target = Target { role, value };
                let mut prover = match provers.remove(&(role, value)) {
                    Some(prover) => prover,
                    None => ParallelProver::new(engines, target, &config, threads, stop)?,
                };
                let part = stop.within(slice);
                let proof = prover.prove(game.initial(), MAX_DEPTH, &part, |_| ())?;
                self.note_undefined(game, role, &prover);
                match proof.verdict {
                    Verdict::Won(_) => {
                        bounds.raise(role, value, SolveMethod::Proof);
                        self.line = proof.line;
                        self.keep(target, true, prover);
                    }
                    Verdict::Lost if in_turns[role.index()] => {
                        let goals = goals(game, role);
                        let less = goals.into_iter().rev().find(|&goal| goal < value);
                        bounds.lower(role, less.unwrap_or(value), SolveMethod::Proof);
                        self.keep(target, false, prover);
                    }
                    _ => drop(provers.insert((role, value), prover)),
                }
                provers.retain(|&(role, value), _| {
                    let bounds = bounds.of(role);
                    bounds.low.0 < value && value <= bounds.high.0
                });
                if bytes(&provers, game) > memory {
                    // The findings of other targets are not worth keeping.
                    provers.retain(|&other, _| other == (role, value));
                }
                if stop.is_set() || bytes(&provers, game) > memory {
                    return Ok(());
                }
            }
            is_high = !is_high;
            slice = slice.saturating_mul(GROWTH);
        }
        Ok(())
    }

    /// Takes note of ends that prove nothing.
    fn note_undefined(&mut self, game: &GroundGame, role: RoleId, prover: &ParallelProver) {
        let counts = prover.counts();
        let met = |kind: usize| counts.iter().any(|counts| counts.undefined[kind] > 0);
        if met(0) {
            self.unproved.push(undefined_goal(game, role));
        }
        if met(1) {
            self.unproved.push(Unproved::Stuck);
        }
    }

    /// Keeps the provers that have proved something, instead of those that had proved less.
    fn keep(&mut self, Target { role, value }: Target, is_won: bool, prover: ParallelProver) {
        self.proved
            .retain(|proved| (proved.role, proved.is_won) != (role, is_won));
        self.proved.push(Proved {
            role,
            value,
            is_won,
            prover,
        });
    }
}

/// Returns the goal to search next: the greatest that is possible, or the least that is not known to be
/// forced.
fn wanted(game: &GroundGame, bounds: &AllBounds<'_>, role: RoleId, is_high: bool) -> Option<i32> {
    let known = bounds.of(role);
    let goals = goals(game, role);
    let open = goals
        .into_iter()
        .filter(|&goal| goal > known.low.0 && goal <= known.high.0);
    match is_high {
        true => open.max(),
        false => open.min(),
    }
}

/// Returns, for each role, whether no other role has a choice whenever it has one, so that the order of
/// choice does not matter. Never if there is chance, which does not help the others.
fn in_turns(game: &GroundGame) -> Vec<bool> {
    let mut in_turns = vec![game.random_role().is_none(); game.roles().len()];
    for phase in 0..game.phases().period() {
        let circuit = PhaseCircuit::new(game, phase);
        let mut choosing = circuit.moves().iter().map(|moves| moves.len() > 1);
        let deciders = choosing.clone().filter(|&chooses| chooses).count();
        if deciders > 1 {
            for in_turns in &mut in_turns {
                *in_turns &= choosing.next() == Some(false);
            }
        }
    }
    in_turns
}

/// About how much memory provers take.
fn bytes(provers: &FxHashMap<(RoleId, i32), ParallelProver>, game: &GroundGame) -> usize {
    let cubes = provers.values().flat_map(ParallelProver::counts);
    let cubes: u64 = cubes.map(|counts| counts.cubes[0] + counts.cubes[1]).sum();
    // A cube has two sets of propositions, and is in tables that have two more.
    cubes as usize * (game.layout().bases.len() / 2 + CUBE_BYTES)
}
