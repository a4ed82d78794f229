//! Proofs about states of a game, by iterative deepening.

use std::sync::Arc;

use propjit_stop::Stop;

use super::announcer::Announcer;
use super::config::{ProofConfig, ProofError, ProofMode, ProofPart, ProofWay};
use super::courses::{Aim, Attempt, Choices, Courses, deepen};
use super::cube::Cube;
use super::exchange::Exchange;
use super::order::{first_order, influence};
use super::pace::Pace;
use super::search::{ProofCounts, Search, Stopped};
use super::steps::{Steps, flag};
use super::threats::{Bounds, Forced, InVain};
use super::verdict::{Proof, Verdict};
use crate::game::circuits::reasons::Target;
use crate::game::engine::Engines;
use crate::game::ground::GroundGame;
use crate::game::machine::State;
use crate::proof::influence::Influence;
use crate::support::rng::GameRng;

/// Searches for proofs about one target in states of a game, and keeps the cubes that it proves.
#[derive(Debug)]
pub struct Prover {
    game: Arc<GroundGame>,
    search: Search,
    mode: ProofMode,
}

impl Prover {
    /// A prover for a target. Code is compiled or loaded for it, which may take a while.
    ///
    /// # Errors
    /// When there are more joint moves than can be tried, or the engines' code is stopped.
    pub fn new(
        engines: &Engines,
        target: Target,
        config: &ProofConfig,
    ) -> Result<Prover, ProofError> {
        let stop = &engines.programs().options().config.stop;
        let influence = influence(engines.game(), stop);
        Prover::with_influence(engines, target, config, influence.as_ref(), stop)
    }

    /// As [`new`](Prover::new), with the distances of the game, by which moves are ordered. Fails when
    /// the stop comes, too.
    pub(super) fn with_influence(
        engines: &Engines,
        target: Target,
        config: &ProofConfig,
        influence: Option<&Influence>,
        stop: &Stop,
    ) -> Result<Prover, ProofError> {
        let steps = Steps::new(engines.programs(), target, stop)?;
        let influence = influence.filter(|_| config.has(ProofPart::Order));
        let order = first_order(influence, &steps);
        Ok(Prover {
            game: engines.game().clone(),
            search: Search::new(steps, order, config),
            mode: config.mode,
        })
    }

    /// Looks for a proof about a state, by iterative deepening up to `depth`, or
    /// [`MAX_DEPTH`](super::MAX_DEPTH) if that is less, until the pace ends. `searched` is called with
    /// each number of joint moves with which all moves were searched in vain.
    ///
    /// # Errors
    /// When the state is in no phase of the game.
    pub fn prove(
        &mut self,
        state: &State,
        depth: u32,
        pace: &mut Pace,
        searched: impl FnMut(u32),
    ) -> Result<Proof, ProofError> {
        let courses = self.courses(state, self.mode, depth)?;
        deepen(courses, searched, |aim, slice| {
            pace.allow(slice);
            let before = self.nodes();
            let attempt = self.attempt(state, aim, pace)?;
            let nodes = self.nodes() - before;
            Ok((attempt.is_some() || !pace.has_ended()).then_some((nodes, attempt)))
        })
    }

    /// The courses of a search about a state.
    ///
    /// # Errors
    /// When the state is in no phase of the game.
    pub(super) fn courses(
        &self,
        state: &State,
        mode: ProofMode,
        most: u32,
    ) -> Result<Courses, ProofError> {
        let steps = &self.search.steps;
        let phases = (0..steps.phases()).cycle().skip(self.phase(state)?);
        let each = phases.take(steps.phases());
        let each = each.map(|phase| steps.joints(phase).moves() > 1).collect();
        Ok(Courses::new(mode, Choices { each }, most))
    }

    fn phase(&self, state: &State) -> Result<usize, ProofError> {
        let phase = self.game.phases().of(state);
        phase.ok_or(ProofError::Unreachable)
    }

    /// Looks for what is aimed at. `None` if the pace ends before.
    ///
    /// # Errors
    /// When the state is in no phase of the game.
    pub(super) fn attempt(
        &mut self,
        state: &State,
        aim: Aim,
        pace: &mut Pace,
    ) -> Result<Option<Attempt>, ProofError> {
        let phase = self.phase(state)?;
        let words = state.packed(self.search.steps.words());
        let over = |verdict| Attempt {
            proof: Proof {
                verdict,
                ..Proof::nothing()
            },
            is_cut: false,
        };
        let flags = self.search.steps.properties(phase, &words);
        if flags & flag::ACHIEVED != 0 {
            return Ok(Some(over(Verdict::Won(0))));
        }
        if flags & flag::MISSED != 0 {
            return Ok(Some(over(Verdict::Lost)));
        }
        if flags & flag::TERMINAL != 0 || flags & flag::ABLE == 0 {
            let kind = usize::from(flags & flag::TERMINAL == 0);
            self.search.counts.undefined[kind] += 1;
            return Ok(Some(over(Verdict::NotWithin(0))));
        }
        let found = match self.search.known(phase, &words, aim.depth) {
            Some(cube) => Ok(Ok(cube)),
            None => self.find(phase, &words, aim, pace),
        };
        if let Some(announcer) = &mut self.search.announcer {
            announcer.flush();
        }
        let cube = match found {
            Ok(Ok(cube)) => cube,
            Ok(Err(InVain { is_cut })) => {
                let proof = Proof::nothing();
                return Ok(Some(Attempt { proof, is_cut }));
            }
            Err(Stopped) => return Ok(None),
        };
        let verdict = match (cube.won(), aim.way) {
            (true, ProofWay::Full) => Verdict::Won(aim.depth),
            (true, _) => Verdict::Won(cube.depth()),
            (false, _) if cube.depth() == Cube::ANY => Verdict::Lost,
            (false, _) => Verdict::NotWithin(aim.depth),
        };
        let line = match verdict {
            Verdict::Won(depth) => self.search.line(phase, &words, depth),
            _ => Vec::new(),
        };
        let proof = Proof {
            verdict,
            cube: Some(cube),
            line,
            way: aim.way,
            times: Vec::new(),
        };
        Ok(Some(Attempt {
            is_cut: matches!(verdict, Verdict::NotWithin(_)),
            proof,
        }))
    }

    /// Searches by an aim, in a state that is not terminal and in which every role has a legal move.
    fn find(
        &mut self,
        phase: usize,
        state: &[u64],
        Aim { way, depth }: Aim,
        pace: &mut Pace,
    ) -> Result<Forced<Arc<Cube>>, Stopped> {
        match way {
            ProofWay::Full => self.search.solve(phase, state, depth, pace).map(Ok),
            ProofWay::Threats(order) => {
                self.search
                    .force(phase, state, Bounds { order, depth }, pace)
            }
            ProofWay::Numbers => self.search.decide(phase, state, pace),
        }
    }

    /// Exchanges cubes with others from now on, and tries moves in another order than they do.
    pub(super) fn join(&mut self, exchange: Exchange, rng: Option<GameRng>) {
        self.search.join(exchange, rng);
    }

    /// Reports wins by this announcer from now on.
    pub(super) fn announce(&mut self, announcer: Announcer) {
        self.search.announcer = Some(announcer);
    }

    /// Stops reporting wins.
    pub(super) fn be_silent(&mut self) {
        self.search.announcer = None;
    }

    /// Returns the known cubes, with the numbers of the [phases](crate::game::ground::Phases) that their
    /// states are in.
    pub fn cubes(&self) -> impl Iterator<Item = (usize, &Arc<Cube>)> {
        self.search.cubes()
    }

    /// Returns the counts of all searches so far: of all moves by iterative deepening, of threats, and by
    /// proof numbers.
    pub fn counts(&self) -> [ProofCounts; 3] {
        let Search {
            counts,
            threats,
            numbered,
            ..
        } = &self.search;
        [*counts, threats.counts, numbered.counts]
    }

    /// The number of nodes in all searches so far.
    pub(super) fn nodes(&self) -> u64 {
        self.counts().iter().map(|counts| counts.nodes).sum()
    }
}
