//! Proofs about states of a game: the search with ever more joint moves.

use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit_stop::Stop;

use super::cube::Cube;
use super::search::{ProofCounts, Search};
use super::steps::{Steps, flag};
use crate::engine::Engines;
use crate::ground::{GroundGame, Literal};
use crate::machine::State;
use crate::moves::Move;
use crate::reasons::Target;
use crate::setters::setters;

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
    /// It can, in this number of joint moves and in no smaller one.
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

/// Searches for proofs about one target in states of a game, and keeps the cubes that it proves.
#[derive(Debug)]
pub struct Prover {
    game: Arc<GroundGame>,
    search: Search,
    stop: Stop,
}

impl Prover {
    /// A prover for a target, which stops for good when `stop` is set. Code is compiled or
    /// loaded for it.
    ///
    /// # Errors
    /// When there are more joint moves than can be tried.
    pub fn new(
        engines: &Engines,
        target: Target,
        config: &ProofConfig,
        stop: &Stop,
    ) -> Result<Prover, ProofError> {
        let steps = Steps::new(engines.programs(), target).ok_or(ProofError::JointMoves)?;
        Ok(Prover {
            game: engines.game().clone(),
            search: Search::new(steps, stop, config.cubes),
            stop: stop.clone(),
        })
    }

    /// Looks for a proof about a state, up to `depth` joint moves. `searched` is told of each
    /// number of joint moves that was searched in vain.
    ///
    /// # Errors
    /// When the state is in no phase of the game.
    pub fn prove(
        &mut self,
        state: &State,
        depth: u32,
        mut searched: impl FnMut(u32),
    ) -> Result<Proof, ProofError> {
        let phase = self.game.phases().of(state).ok_or(ProofError::Unreachable)?;
        let mut words = state.words().to_vec();
        words.resize(self.search.steps.words(), 0);
        let mut proof = Proof {
            verdict: Verdict::NotWithin(0),
            cube: None,
            line: Vec::new(),
            times: Vec::new(),
        };
        let flags = self.search.steps.look(phase, &words);
        if flags & flag::ACHIEVED != 0 {
            proof.verdict = Verdict::Won(0);
            return Ok(proof);
        }
        if flags & flag::TERMINAL != 0 || flags & flag::ABLE == 0 {
            proof.verdict = Verdict::Lost;
            return Ok(proof);
        }
        let start = Instant::now();
        for depth in 1..=depth {
            let Ok(cube) = self.search.solve(phase, &words, depth) else {
                break;
            };
            proof.times.push(start.elapsed());
            proof.verdict = match cube.won() {
                true => Verdict::Won(depth),
                false if cube.depth() == Cube::ANY => Verdict::Lost,
                false => Verdict::NotWithin(depth),
            };
            proof.cube = Some(cube);
            match proof.verdict {
                Verdict::Won(_) => proof.line = self.search.line(phase, &words, depth),
                Verdict::NotWithin(_) => {
                    searched(depth);
                    continue;
                }
                Verdict::Lost => {}
            }
            break;
        }
        Ok(proof)
    }

    /// Whether the search was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }

    /// What was counted in all searches so far.
    pub fn counts(&self) -> ProofCounts {
        self.search.counts
    }

    /// The base propositions that a cube gives values to, with these.
    pub fn literals(&self, cube: &Cube) -> Vec<Literal> {
        let mut literals = Vec::new();
        for proposition in 0..self.game.layout().bases.len() {
            let bit = |words: &[u64]| words[proposition / 64] >> (proposition % 64) & 1 == 1;
            if bit(cube.mask()) {
                literals.push(Literal::new(proposition, bit(cube.values())));
            }
        }
        literals
    }
}
