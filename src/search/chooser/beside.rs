//! Minimax beside a tree search, which learns the evaluation, and the choice between both.

use std::sync::Arc;
use std::time::Duration;

use propjit_stop::Stop;

use super::config::SearchKind;
use super::score::TrialScore;
use super::store;
use super::trial::Trial;
use crate::game::engine::MatchEngines;
use crate::game::load::Game;
use crate::game::machine::{MachineError, RoleId, State};
use crate::search::SearchBudget;
use crate::search::learned::Evaluation;
use crate::search::mcts::{Mcts, MctsConfig, SearchReport};
use crate::search::minimax::{Minimax, MinimaxConfig, MinimaxError, OutOfScope};
use crate::support::fnv::Fnv64;

/// The time for each move of a trial match.
const TRIAL_TIME: Duration = Duration::from_millis(15);

/// The number of trial matches in a row: each role of an opening.
const PAIR: u64 = 2;

/// The part of the time before a match in which a choice that was made before is tried again.
const RETRIAL_PART: u32 = 8;

/// The share of the time of a thread in which forced wins are looked for beside minimax.
const PROOF_SHARE: f64 = 0.1;

/// The memory of minimax as a part of that of a search: most tables stay small.
const MEMORY_PART: usize = 4;

/// Minimax beside a tree search.
#[derive(Debug)]
pub(super) struct MinimaxBeside {
    game: Arc<Game>,
    config: MinimaxConfig,
    /// Whether it searches in any case.
    is_wanted: bool,
    /// Whether the scores of trial matches are read and kept.
    keeps: bool,
    seed: u64,
    /// The number of trial matches so far.
    matches: u64,
    /// The evaluation, if there is one.
    known: Option<KnownEvaluation>,
    /// The search with it, once it is needed.
    search: Option<Minimax>,
    /// The search to the ends of matches where tree search plays, once it is needed, and whether the last result is its.
    ends: Option<Minimax>,
    is_by_ends: bool,
    /// Whether the game is not for it.
    is_out: bool,
}

/// An evaluation, and how minimax does with it against tree search.
#[derive(Clone, Debug)]
pub(super) struct KnownEvaluation {
    evaluation: Arc<Evaluation>,
    /// Whether it helps tree search. What does not is no ground for minimax either: short matches are misleading then.
    is_trusted: bool,
    pub(super) hash: Fnv64,
    pub(super) score: TrialScore,
}

impl MinimaxBeside {
    /// Beside a tree search with this configuration, if it may be of use in the game.
    pub(super) fn new(
        game: &Arc<Game>,
        kind: SearchKind,
        mcts: &MctsConfig,
    ) -> Option<MinimaxBeside> {
        let may_learn = mcts.learning.evaluation.is_some() && mcts.leaves.is_none();
        if kind == SearchKind::Mcts || !may_learn || OutOfScope::check(game).is_err() {
            return None;
        }
        let helpers = &mcts.helpers;
        let share = helpers.local_share.unwrap_or(PROOF_SHARE);
        let config = MinimaxConfig::default();
        let memory = config.memory.min(mcts.memory / MEMORY_PART);
        Some(MinimaxBeside {
            game: game.clone(),
            config: config
                .with_memory(memory)
                .with_threads(mcts.threads)
                .with_provers(helpers.provers.clone())
                .with_proof_share(helpers.local.then_some(share)),
            is_wanted: kind == SearchKind::Minimax,
            keeps: mcts.learning.keep,
            seed: mcts.seed,
            matches: 0,
            known: None,
            search: None,
            ends: None,
            is_by_ends: false,
            is_out: false,
        })
    }

    /// What is known of the game, if it is for minimax and anything is known.
    pub(super) fn known(&self) -> Option<&KnownEvaluation> {
        self.known.as_ref().filter(|_| !self.is_out)
    }

    /// Whether it is to search in any case.
    pub(super) fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// Takes up the evaluation of the tree search.
    pub(super) fn adopt(&mut self, tree: &Mcts) {
        let Some(evaluation) = tree.evaluation() else {
            return;
        };
        let before = self.known.as_ref();
        if before.is_some_and(|known| Arc::ptr_eq(&known.evaluation, &evaluation)) {
            return;
        }
        let hash = evaluation.fingerprint();
        let score = match (self.game.ground_game(), before) {
            (Some(game), _) if self.keeps => store::load(game, hash),
            (_, Some(before)) => before.score.faded(),
            _ => TrialScore::default(),
        };
        let trusted = tree.trusted_evaluation();
        self.search = None;
        self.known = Some(KnownEvaluation {
            is_trusted: trusted.is_some_and(|of| Arc::ptr_eq(&of.evaluation, &evaluation)),
            evaluation,
            hash,
            score,
        });
    }

    /// Returns whether it is to search as soon as there is an evaluation.
    pub(super) fn is_awaited(&self) -> bool {
        self.is_wanted && self.known.is_none() && !self.is_out
    }

    /// Returns whether it is to search.
    pub(super) fn is_chosen(&self) -> bool {
        let is_better = |known: &KnownEvaluation| known.is_trusted && known.score.favours_minimax();
        self.known()
            .is_some_and(|known| self.is_wanted || is_better(known))
    }

    /// Plays matches against tree search, until they show which is better or a stop comes. If that is known from before,
    /// a few more are played, as machines and evaluations change.
    ///
    /// # Errors
    /// When a machine cannot go on.
    pub(super) fn try_out(&mut self, tree: &Mcts, stop: &Stop) -> Result<(), MachineError> {
        let Some(known) = &mut self.known else {
            return Ok(());
        };
        if self.is_wanted || self.is_out || !known.is_trusted {
            return Ok(());
        }
        let trial = Trial {
            game: &self.game,
            evaluation: &known.evaluation,
            trusted: tree.trusted_evaluation(),
            time: TRIAL_TIME,
            seed: self.seed,
        };
        let stop = match known.score.is_open() {
            true => stop.clone(),
            false => {
                let left = stop.remaining().unwrap_or_default();
                stop.within(left / RETRIAL_PART)
            }
        };
        let (before, mut played) = (known.score, TrialScore::default());
        while known.score.is_open() || played.matches() < PAIR as f64 {
            let points = match trial.play(self.matches, &stop) {
                Ok(Some(points)) => points,
                Ok(None) => break,
                Err(error) => return self.give_up(error),
            };
            self.matches += 1;
            played.add(points);
            known.score = before;
            known.score.merge(played);
        }
        if let (true, Some(game)) = (self.keeps, self.game.ground_game())
            && played.matches() > 0.0
            && let Err(error) = store::add(game, known.hash, played)
        {
            tracing::warn!(%error, "the score of trial matches is not stored");
        }
        let chosen = if known.score.favours_minimax() {
            "minimax"
        } else {
            "tree search"
        };
        tracing::info!(
            score = %known.score,
            evaluation = %known.hash,
            "trial matches of minimax against tree search: {chosen} plays"
        );
        Ok(())
    }

    /// Searches from a state, if it is to and some role decides there. Returns whether it did.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub(super) fn run(
        &mut self,
        state: &State,
        budget: &SearchBudget,
    ) -> Result<bool, MachineError> {
        let (true, Some(known), Some(engines)) =
            (self.is_chosen(), &self.known, self.game.engines())
        else {
            return Ok(false);
        };
        self.is_by_ends = false;
        let search = &mut self.search;
        let mut run = || {
            let search = match search {
                Some(search) => search,
                None => search.insert(Minimax::new(
                    &self.game,
                    &MatchEngines::new(engines.clone()),
                    &known.evaluation,
                    &self.config,
                )?),
            };
            search.set_root(state)?;
            search.run(budget)?;
            Ok(search.is_decision())
        };
        match run() {
            Ok(has_searched) => Ok(has_searched),
            Err(error) => self.give_up(error).map(|()| false),
        }
    }

    /// Searches from a state to the ends of matches, if these are so near that a part of the budget is enough, in games
    /// without chance. Returns whether the value is proved. Estimates hardly matter there.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub(super) fn run_to_ends(
        &mut self,
        state: &State,
        budget: &SearchBudget,
    ) -> Result<bool, MachineError> {
        let is_out = self.is_out || self.game.random_role().is_some();
        let (false, Some(engines)) = (is_out, self.game.engines()) else {
            return Ok(false);
        };
        let (ends, known) = (&mut self.ends, self.known.as_ref());
        let bases = engines.game().layout().bases.len();
        let mut run = || {
            let search = match ends {
                Some(search) => search,
                None => {
                    let evaluation = known.map(|known| known.evaluation.clone());
                    let evaluation =
                        evaluation.unwrap_or_else(|| Arc::new(Evaluation::zero(bases)));
                    let config = self.config.clone().with_threads(1);
                    let config = config.with_proof_share(None).with_provers(Vec::new());
                    let engines = MatchEngines::new(engines.clone());
                    ends.insert(Minimax::new(&self.game, &engines, &evaluation, &config)?)
                }
            };
            search.set_root(state)?;
            Ok(search.run_to_ends(budget)?)
        };
        self.is_by_ends = match run() {
            Ok(is_proved) => is_proved,
            Err(error) => self.give_up(error).map(|()| false)?,
        };
        Ok(self.is_by_ends)
    }

    /// If the game turned out not to be for it, it does not search any more.
    ///
    /// # Errors
    /// When a machine could not go on.
    fn give_up(&mut self, error: MinimaxError) -> Result<(), MachineError> {
        match error {
            MinimaxError::Machine(error) => Err(error),
            MinimaxError::OutOfScope(reason) => {
                tracing::info!(%reason, "tree search plays");
                (self.is_out, self.search, self.ends) = (true, None, None);
                Ok(())
            }
        }
    }

    /// Puts its result in the place of that of the tree search.
    pub(super) fn explain(&self, role: RoleId, report: &mut SearchReport) {
        let search = if self.is_by_ends {
            &self.ends
        } else {
            &self.search
        };
        if let Some(search) = search {
            report.replace(&search.report(role));
        }
    }
}
