//! Proofs about states of a game: the search with ever more joint moves.

use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit_stop::Stop;

use super::announcer::Announcer;
use super::cube::Cube;
use super::exchange::Exchange;
use super::order::{first_order, influence};
use super::pace::Pace;
use super::search::{ProofCounts, Search, Stopped};
use super::steps::{Steps, flag};
use crate::engine::Engines;
use crate::ground::GroundGame;
use crate::influence::Influence;
use crate::machine::State;
use crate::moves::Move;
use crate::reasons::Target;
use crate::rng::GameRng;
use crate::setters::setters;

/// The greatest number of joint moves that are searched. The search is recursive.
pub const MOST_DEPTH: u32 = 500;

/// How proofs are searched for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProofConfig {
    /// Whether states are recognised that are in a cube. Only for measurements is it not so.
    pub cubes: bool,
}

impl Default for ProofConfig {
    /// With cubes.
    fn default() -> ProofConfig {
        ProofConfig { cubes: true }
    }
}

impl ProofConfig {
    setters! {
        with_cubes(cubes: bool);
    }
}

/// Why a game or a state has no proofs.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProofError {
    /// There are too many joint moves.
    #[error("there are more than {most} joint moves in one state", most = super::steps::MOST_JOINTS)]
    JointMoves,
    /// No match comes to the state.
    #[error("no match comes to this state: it is in none of the game's phases")]
    Unreachable,
}

/// Whether the role of a target can force it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It can, within this number of joint moves: the smallest, if smaller ones were tried before.
    Won(u32),
    /// It cannot, in any number of joint moves, if the others know its moves beforehand.
    Lost,
    /// It cannot in this number of joint moves. With 0, nothing was found out.
    NotWithin(u32),
}

/// What a proof search has found out about a state.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Proof {
    /// Whether the role can force the target.
    pub verdict: Verdict,
    /// The states of which the verdict holds as well, unless it is that the state is terminal, or
    /// nothing was found out.
    pub cube: Option<Arc<Cube>>,
    /// If the target can be forced, joint moves by which it is: the role's winning moves, with
    /// replies that make it long.
    pub line: Vec<Vec<Move>>,
    /// How long it took until each number of joint moves was searched completely, from 1 on.
    pub times: Vec<Duration>,
}

impl Proof {
    /// Nothing was found out.
    pub(super) fn nothing() -> Proof {
        Proof {
            verdict: Verdict::NotWithin(0),
            cube: None,
            line: Vec::new(),
            times: Vec::new(),
        }
    }
}

/// Looks for a proof with ever more joint moves, up to `most`: `next` is given a number of joint
/// moves that was searched, and searches a greater one, unless it is stopped.
pub(super) fn deepen(
    most: u32,
    searched: &mut dyn FnMut(u32),
    mut next: impl FnMut(u32) -> Result<Option<(u32, Proof)>, ProofError>,
) -> Result<Proof, ProofError> {
    let start = Instant::now();
    let mut times = Vec::new();
    let mut last = Proof::nothing();
    while times.len() < most.min(MOST_DEPTH) as usize {
        let Some((depth, proof)) = next(times.len() as u32)? else {
            break;
        };
        times.resize(depth as usize, start.elapsed());
        last = proof;
        match last.verdict {
            Verdict::NotWithin(_) => searched(depth),
            Verdict::Won(_) | Verdict::Lost => break,
        }
    }
    Ok(Proof { times, ..last })
}

/// Searches for proofs about one target in states of a game, and keeps the cubes that it proves.
#[derive(Debug)]
pub struct Prover {
    game: Arc<GroundGame>,
    search: Search,
}

impl Prover {
    /// A prover for a target. Code is compiled or loaded for it, which may take a while.
    ///
    /// # Errors
    /// When there are more joint moves than can be tried.
    pub fn new(
        engines: &Engines,
        target: Target,
        config: &ProofConfig,
    ) -> Result<Prover, ProofError> {
        let influence = influence(engines.game(), &Stop::new());
        Prover::with_influence(engines, target, config, influence.as_ref())
    }

    /// As [`new`](Prover::new), with the distances of the game, by which moves are ordered.
    pub(super) fn with_influence(
        engines: &Engines,
        target: Target,
        config: &ProofConfig,
        influence: Option<&Influence>,
    ) -> Result<Prover, ProofError> {
        let steps = Steps::new(engines.programs(), target).ok_or(ProofError::JointMoves)?;
        let order = first_order(influence, &steps);
        Ok(Prover {
            game: engines.game().clone(),
            search: Search::new(steps, order, config.cubes),
        })
    }

    /// Looks for a proof about a state, with [ever more](Prover::deeper) joint moves up to `depth`,
    /// or [`MOST_DEPTH`] if that is less, until a stop comes. `searched` is told of each number of
    /// joint moves that was searched in vain.
    ///
    /// # Errors
    /// When the state is in no phase of the game.
    pub fn prove(
        &mut self,
        state: &State,
        depth: u32,
        pace: &mut Pace,
        mut searched: impl FnMut(u32),
    ) -> Result<Proof, ProofError> {
        deepen(depth, &mut searched, |last| {
            let depth = self.deeper(state, last)?.min(depth.min(MOST_DEPTH));
            let proof = self.prove_within(state, depth, pace)?;
            Ok(proof.map(|proof| (depth, proof)))
        })
    }

    /// The next number of joint moves to search after this one. In the last of them the role
    /// should have a choice: what the others let it achieve later is found with one more.
    ///
    /// # Errors
    /// When the state is in no phase of the game.
    pub fn deeper(&self, state: &State, depth: u32) -> Result<u32, ProofError> {
        let phases = self.search.steps.phases();
        let phase = self.phase(state)?;
        let mut deeper = (1..=phases).filter(|more| {
            let last = (phase + depth as usize + more - 1) % phases;
            self.search.steps.joints(last).moves() > 1
        });
        Ok(depth + deeper.next().unwrap_or(1) as u32)
    }

    fn phase(&self, state: &State) -> Result<usize, ProofError> {
        let phase = self.game.phases().of(state);
        phase.ok_or(ProofError::Unreachable)
    }

    /// Looks for a proof about a state with exactly this number of joint moves, which is at least
    /// 1 and at most [`MOST_DEPTH`]. `None` if a stop came before.
    ///
    /// # Errors
    /// When the state is in no phase of the game.
    pub fn prove_within(
        &mut self,
        state: &State,
        depth: u32,
        pace: &mut Pace,
    ) -> Result<Option<Proof>, ProofError> {
        let phase = self.phase(state)?;
        let mut words = state.words().to_vec();
        words.resize(self.search.steps.words(), 0);
        let mut proof = Proof::nothing();
        let flags = self.search.steps.look(phase, &words);
        if flags & flag::ACHIEVED != 0 {
            proof.verdict = Verdict::Won(0);
            return Ok(Some(proof));
        }
        if flags & flag::TERMINAL != 0 || flags & flag::ABLE == 0 {
            proof.verdict = Verdict::Lost;
            return Ok(Some(proof));
        }
        let cube = match self.search.known(phase, &words, depth) {
            Some(cube) => cube,
            None => {
                let solved = self.search.solve(phase, &words, depth, pace);
                if let Some(announcer) = &mut self.search.announcer {
                    announcer.flush();
                }
                match solved {
                    Ok(cube) => cube,
                    Err(Stopped) => return Ok(None),
                }
            }
        };
        proof.verdict = match cube.won() {
            true => Verdict::Won(depth),
            false if cube.depth() == Cube::ANY => Verdict::Lost,
            false => Verdict::NotWithin(depth),
        };
        if cube.won() {
            proof.line = self.search.line(phase, &words, depth);
        }
        proof.cube = Some(cube);
        Ok(Some(proof))
    }

    /// Exchanges cubes with others from now on, and tries moves in another order than they do.
    pub(super) fn join(&mut self, exchange: Exchange, rng: Option<GameRng>) {
        self.search.join(exchange, rng);
    }

    /// Tells of wins by this function from now on.
    pub(super) fn announce(&mut self, announcer: Announcer) {
        self.search.announcer = Some(announcer);
    }

    /// What was counted in all searches so far.
    pub fn counts(&self) -> ProofCounts {
        self.search.counts
    }
}
