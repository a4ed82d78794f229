//! Search in games that hide information, by the method that suits the game.
//!
//! - A game that is small enough is solved by [regret minimisation](crate::proof::regret), and played by that.
//! - Where other roles play and all know nearly the whole state, [determinised search](crate::search::determinised) sees
//!   further. `uncertainty` is how much of a game is hidden.
//! - Elsewhere, [information-set tree search](crate::search::ismcts) takes into account what roles know and will know.

//!
//! - `game`: what is found out once about a game.
//! - `uncertainty`: how much a game hides.
//! - `report`: what was found.

mod game;
mod report;
mod uncertainty;

use std::sync::Arc;
use std::time::Instant;

use propjit_stop::Stop;

use crate::game::machine::{MachineError, Move, RoleId};
use crate::proof::regret::Equilibrium;
use crate::search::SearchBudget;
use crate::search::beliefs::Belief;
use crate::search::chooser::SearchConfig;
use crate::search::determinised::DeterminisedSearch;
use crate::search::ismcts::InformationSetSearch;
use crate::support::rng::{GameRng, streams};
pub use game::HiddenGame;
pub use report::{HiddenMethod, HiddenReport};

/// The part of the time before a match in which it is found out how much of a game is hidden.
const UNCERTAINTY_PART: f64 = 0.125;

/// The typical number of states that are possible for a role up to which a game hides little.
const LITTLE: f64 = 64.0;

/// A search for the moves of a role in a match.
#[derive(Debug)]
pub struct HiddenSearch {
    hidden: Arc<HiddenGame>,
    role: RoleId,
    config: SearchConfig,
    /// None before solving was tried, or if the game is too large for that.
    equilibrium: Option<Arc<Equilibrium>>,
    information_sets: InformationSetSearch,
    /// Only in games that hide little, once that is known.
    determinised: Option<DeterminisedSearch>,
    /// Draws moves by mixed strategies.
    rng: GameRng,
}

/// Moves with their probabilities, the most probable one first, and how they were found.
type Strategy = (HiddenMethod, Vec<(Move, f64)>);

impl HiddenSearch {
    /// A search for a role.
    ///
    /// # Errors
    /// [`MachineError::NotGround`].
    pub fn new(
        hidden: &Arc<HiddenGame>,
        role: RoleId,
        config: SearchConfig,
    ) -> Result<HiddenSearch, MachineError> {
        let game = hidden.game();
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
            hidden: hidden.clone(),
        })
    }

    /// Waits for machine code until a stop comes.
    pub fn wait_for_code(&self, stop: &Stop) {
        if let Some(engines) = self.hidden.game().engines() {
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
        self.equilibrium = self.hidden.equilibrium(&stop.for_part(0.5));
        if self.equilibrium.is_none() && self.may_be_determinised(stop)? {
            let game = self.hidden.game();
            let search = DeterminisedSearch::new(game, self.role, self.config.clone())?;
            self.determinised.insert(search).prepare(stop)?;
        }
        Ok(())
    }

    /// Returns whether the game hides little, and the search is not to be plain. A role that plays alone against chance has to find
    /// out what it does not know: nothing else matters then.
    fn may_be_determinised(&self, stop: &Stop) -> Result<bool, MachineError> {
        let mut players = self.hidden.game().players();
        let has_others = players.any(|player| player != self.role);
        if !has_others || self.config.mcts.learning.evaluation.is_none() {
            return Ok(false);
        }
        let part = stop.for_part(UNCERTAINTY_PART);
        let typical = self.hidden.uncertainty(self.config.mcts.seed, &part)?;
        Ok(typical.is_some_and(|typical| typical <= LITTLE))
    }

    /// Learns on until a stop comes, if what is learned is of use and there is more to be learned.
    pub fn learn_until(&self, stop: &Stop) {
        if let Some(determinised) = &self.determinised {
            determinised.learn_until(stop);
        }
    }

    /// Returns a strategy, if that is not for information-set search to find.
    fn strategy(
        &mut self,
        belief: &Belief,
        budget: &SearchBudget,
    ) -> Result<Option<Strategy>, MachineError> {
        let known = belief.observations().map(|of| (of.own, &of.percepts[..]));
        let equilibrium = self.equilibrium.as_ref();
        if let Some(mut moves) = equilibrium.and_then(|of| of.moves_after(self.role, known)) {
            moves.sort_by(|a, b| b.1.total_cmp(&a.1));
            return Ok(Some((HiddenMethod::Equilibrium, moves)));
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
        Ok(Some((HiddenMethod::Determinised, moves)))
    }

    /// Finds a strategy by what the role believes.
    ///
    /// # Errors
    /// When a machine cannot go on.
    pub fn run(
        &mut self,
        belief: &Belief,
        budget: &SearchBudget,
    ) -> Result<HiddenReport, MachineError> {
        let start = Instant::now();
        if let Some((method, moves)) = self.strategy(belief, budget)? {
            let time = start.elapsed();
            return Ok(HiddenReport::without_values(method, &moves, time));
        }
        self.search_information_sets(belief, budget)
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
    ) -> Result<HiddenReport, MachineError> {
        let first = budget.clone().with_stop(budget.stop.for_part(0.5));
        let strategy = self.strategy(belief, &first)?;
        let mut report = self.search_information_sets(belief, budget)?;
        if let Some((method, moves)) = strategy {
            report.method = method;
            let known = &mut report.strategy.moves;
            for of in known.iter_mut() {
                let found = moves.iter().find(|(other, _)| *other == of.played);
                of.probability = found.map_or(0.0, |(_, probability)| *probability);
            }
            known.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        }
        Ok(report)
    }

    fn search_information_sets(
        &mut self,
        belief: &Belief,
        budget: &SearchBudget,
    ) -> Result<HiddenReport, MachineError> {
        self.information_sets.run(belief.population(), budget)?;
        Ok(HiddenReport {
            method: HiddenMethod::InformationSets,
            strategy: self.information_sets.report(),
        })
    }

    /// Draws a move by the mixed strategy of a report; none without any.
    pub fn draw(&mut self, report: &HiddenReport) -> Option<Move> {
        report.strategy.draw(&mut self.rng)
    }
}
