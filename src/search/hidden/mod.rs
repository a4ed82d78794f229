//! Search in games that hide information, by the method that suits the game.
//!
//! - A game that is small enough is solved by [regret minimisation](crate::proof::regret), and played by that.
//! - Where other roles play and all know nearly the whole state, [determinised search](crate::search::determinised) sees
//!   further. `uncertainty` is how much of a game is hidden.
//! - Elsewhere, [information-set tree search](crate::search::ismcts) takes into account what roles know and will know.

mod uncertainty;

use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit_stop::Stop;

use crate::game::load::Game;
use crate::game::machine::{MachineError, Move, RoleId};
use crate::proof::regret::{Equilibrium, RegretConfig, RegretProgress, minimise};
use crate::search::SearchBudget;
use crate::search::beliefs::Belief;
use crate::search::chooser::SearchConfig;
use crate::search::determinised::DeterminisedSearch;
use crate::search::ismcts::{
    HiddenMethod, InformationSetMove, InformationSetReport, InformationSetSearch,
};
use crate::support::rng::{GameRng, streams};
use uncertainty::typical_uncertainty;

/// The memory for solving a game before a match, in bytes.
const SOLVING_MEMORY: usize = 256 << 20;

/// The exploitability with which a game is solved well enough for play, as a part of the range of goals; and one that is as good
/// as none.
const GOOD_ENOUGH: f64 = 0.01;
const AS_GOOD_AS_NONE: f64 = 0.0002;

/// The part of the time before a match in which it is found out how much of a game is hidden.
const UNCERTAINTY_PART: u32 = 8;

/// The typical number of states that are possible for a role up to which a game hides little.
const LITTLE: f64 = 64.0;

/// A search for the moves of a role in a match.
#[derive(Debug)]
pub struct HiddenSearch {
    game: Arc<Game>,
    role: RoleId,
    config: SearchConfig,
    /// None before solving was tried, or if the game is too large for that.
    equilibrium: Option<Equilibrium>,
    information_sets: InformationSetSearch,
    /// Only in games that hide little, once that is known.
    determinised: Option<DeterminisedSearch>,
    /// Draws moves by mixed strategies.
    rng: GameRng,
}

impl HiddenSearch {
    /// A search for a role.
    ///
    /// # Errors
    /// [`MachineError::NotGround`].
    pub fn new(
        game: &Arc<Game>,
        role: RoleId,
        config: SearchConfig,
    ) -> Result<HiddenSearch, MachineError> {
        let backend = game.bulk_backend();
        let engines = game.engines().ok_or(MachineError::NotGround { backend })?;
        // Playouts use decisive moves as soon as there is code for them.
        game.decisive();
        let seed = config.mcts.seed;
        Ok(HiddenSearch {
            role,
            equilibrium: None,
            information_sets: InformationSetSearch::new(engines, role, seed),
            determinised: None,
            config,
            rng: streams(!seed).next().expect("streams do not end"),
            game: game.clone(),
        })
    }

    /// Waits for machine code until a stop comes.
    pub fn wait_for_code(&self, stop: &Stop) {
        if let Some(engines) = self.game.engines() {
            engines.wait_or_stop(stop);
        }
    }

    /// Gets ready for a match until a stop comes: waits for machine code, and solves the game if it is small. If it is not, but
    /// hides little, an evaluation is learned.
    ///
    /// # Errors
    /// When a machine cannot go on.
    pub fn prepare(&mut self, stop: &Stop) -> Result<(), MachineError> {
        self.wait_for_code(stop);
        let half = stop.remaining().map(|left| stop.within(left / 2));
        self.solve(half.as_ref().unwrap_or(stop));
        if self.equilibrium.is_none() && self.may_be_determinised(stop)? {
            let search = DeterminisedSearch::new(&self.game, self.role, self.config.clone())?;
            self.determinised.insert(search).prepare(stop)?;
        }
        Ok(())
    }

    /// Returns whether the game hides little, and the search is not to be plain. A role that plays alone against chance has to find
    /// out what it does not know: nothing else matters then.
    fn may_be_determinised(&self, stop: &Stop) -> Result<bool, MachineError> {
        let (role, random) = (self.role, self.game.random_role());
        let mut others = RoleId::first(self.game.rules().roles.len());
        let has_others = others.any(|other| other != role && random != Some(other));
        if !has_others || self.config.mcts.learning.evaluation.is_none() {
            return Ok(false);
        }
        let part = stop
            .remaining()
            .map(|left| stop.within(left / UNCERTAINTY_PART));
        let seed = self.config.mcts.seed;
        let typical = typical_uncertainty(&self.game, seed, part.as_ref().unwrap_or(stop))?;
        tracing::debug!(typical, "states that are possible for a role");
        Ok(typical <= LITTLE)
    }

    /// Learns on until a stop comes, if what is learned is of use and there is more to be learned.
    pub fn learn_until(&self, stop: &Stop) {
        if let Some(determinised) = &self.determinised {
            determinised.learn_until(stop);
        }
    }

    /// Solves the game, if that is possible before the stop.
    fn solve(&mut self, stop: &Stop) {
        let ranges = self.game.ground_game().map(|ground| ground.goal_ranges());
        let (low, high) = ranges.map_or((0, 100), |ranges| ranges[self.role.index()]);
        let range = f64::from(high - low);
        let config = RegretConfig::default()
            .with_memory(SOLVING_MEMORY)
            .with_iterations(u64::MAX)
            .with_exploitability(AS_GOOD_AS_NONE * range);
        let progress = RegretProgress::default();
        match minimise(&self.game, &config, stop, &progress) {
            Ok(found) if found.exploitability <= GOOD_ENOUGH * range => {
                self.equilibrium = Some(found);
            }
            Ok(found) => tracing::debug!(found.exploitability, "not solved well enough for play"),
            Err(error) => tracing::debug!(%error, "not solved"),
        }
    }

    /// A strategy, if it is not for information-set search to find.
    fn strategy(
        &mut self,
        belief: &Belief,
        budget: &SearchBudget,
    ) -> Result<Option<Strategy>, MachineError> {
        let known = belief.observations().map(|of| (of.own, &of.percepts[..]));
        let equilibrium = self.equilibrium.as_ref();
        if let Some(mut moves) = equilibrium.and_then(|of| of.moves_after(self.role, known)) {
            moves.sort_by(|a, b| b.1.total_cmp(&a.1));
            let method = HiddenMethod::Equilibrium;
            return Ok(Some(Strategy { method, moves }));
        }
        let (population, depth) = (belief.population(), belief.observed() as u32);
        let Some(determinised) = &mut self.determinised else {
            return Ok(None);
        };
        let mut moves = determinised.run(population, depth, budget)?;
        // It has no reason to mix its moves.
        for (number, (_, probability)) in moves.iter_mut().enumerate() {
            *probability = if number == 0 { 1.0 } else { 0.0 };
        }
        let method = HiddenMethod::Determinised;
        Ok(Some(Strategy { method, moves }))
    }

    /// Finds a strategy by what the role believes.
    ///
    /// # Errors
    /// When a machine cannot go on.
    pub fn run(
        &mut self,
        belief: &Belief,
        budget: &SearchBudget,
    ) -> Result<InformationSetReport, MachineError> {
        let start = Instant::now();
        if let Some(strategy) = self.strategy(belief, budget)? {
            return Ok(strategy.report(start.elapsed()));
        }
        self.information_sets.run(belief.population(), budget)?;
        Ok(self.information_sets.report())
    }

    /// Finds a strategy as [`run`](HiddenSearch::run) does, and values of all moves, which are those of information-set search:
    /// half of the time is for these.
    ///
    /// # Errors
    /// When a machine cannot go on.
    pub fn analyse(
        &mut self,
        belief: &Belief,
        budget: &SearchBudget,
    ) -> Result<InformationSetReport, MachineError> {
        let half = budget
            .stop
            .remaining()
            .map(|left| budget.stop.within(left / 2));
        let first = budget
            .clone()
            .with_stop(half.unwrap_or(budget.stop.clone()));
        let strategy = self.strategy(belief, &first)?;
        self.information_sets.run(belief.population(), budget)?;
        let mut report = self.information_sets.report();
        if let Some(Strategy { method, moves }) = strategy {
            report.method = method;
            for of in &mut report.moves {
                let found = moves.iter().find(|(other, _)| *other == of.played);
                of.probability = found.map_or(0.0, |(_, probability)| *probability);
            }
            report
                .moves
                .sort_by(|a, b| b.probability.total_cmp(&a.probability));
        }
        Ok(report)
    }

    /// Draws a move by the mixed strategy of a report; none without any.
    pub fn draw(&mut self, report: &InformationSetReport) -> Option<Move> {
        report.draw(&mut self.rng)
    }
}

/// A strategy without values.
struct Strategy {
    method: HiddenMethod,
    /// The moves with their probabilities, the most probable one first.
    moves: Vec<(Move, f64)>,
}

impl Strategy {
    fn report(&self, time: Duration) -> InformationSetReport {
        let moves = self.moves.iter();
        let moves = moves.map(|&(played, probability)| InformationSetMove {
            played,
            visits: 0,
            value: None,
            probability,
        });
        InformationSetReport {
            method: self.method,
            moves: moves.collect(),
            value: None,
            iterations: 0,
            time,
        }
    }
}
