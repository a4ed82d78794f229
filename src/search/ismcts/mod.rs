//! Information-set tree search: for games in which roles do not see the whole state, or move at the same time.
//!
//! Each role has a tree of its own, in which a node is what it knows: its moves and percepts (multiple-observer information
//! set Monte Carlo tree search: Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", 2012). Each
//! iteration draws a hypothesis from a [belief](crate::search::beliefs) and plays it to the end: roles choose by the
//! statistics of their nodes, which know nothing of the hypothesis, so that no plan depends on what cannot be known. Many
//! iterations go on at a time, one per lane; where all roles have left their trees, a random playout has the
//! rest, with decisive moves if there is code for them.
//!
//! - `tree`: the nodes of a role.
//! - `walk`: iterations in lanes.
//! - `report`: what was found.

mod report;
mod tree;
mod walk;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::game::engine::{Engines, MatchEngines, PlayoutPolicy};
use crate::game::machine::expansion::Expander;
use crate::game::machine::{MachineError, RoleId};
use crate::game::playout::Playouts;
use crate::search::SearchBudget;
use crate::search::beliefs::Population;
use crate::support::rng::{GameRng, streams};
pub use report::{InformationSetMove, InformationSetReport};
use tree::RoleTree;

/// How many joint moves a match may take from here on.
const MAX_STEPS: u32 = 10_000;

/// A search for a number of nodes ends after this many iterations for each of them: there may be no more nodes.
const ITERATIONS_A_NODE: u64 = 64;

/// A search for the moves of a role, by what it believes.
pub struct InformationSetSearch {
    role: RoleId,
    expander: Expander,
    playouts: Playouts,
    /// The lowest and the highest goal of each role.
    ranges: Vec<(i32, i32)>,
    /// The role that plays at random, if there is one.
    random: Option<RoleId>,
    trees: Vec<RoleTree>,
    rng: GameRng,
    iterations: u64,
    time: Duration,
}

impl InformationSetSearch {
    /// A search for a role, with this [seed](crate::support::rng) of its random numbers.
    pub fn new(engines: &Arc<Engines>, role: RoleId, seed: u64) -> InformationSetSearch {
        let game = engines.game();
        let mut streams = streams(seed);
        let mut rng = streams.next().expect("streams do not end");
        let subscription = MatchEngines::new(engines.clone()).subscribe(PlayoutPolicy::Decisive);
        InformationSetSearch {
            role,
            expander: Expander::new(engines),
            playouts: Playouts::subscribed(subscription, MAX_STEPS, rand::Rng::next_u64(&mut rng)),
            ranges: game.goal_ranges(),
            random: game.random_role(),
            trees: game.roles().iter().map(|_| RoleTree::default()).collect(),
            rng,
            iterations: 0,
            time: Duration::ZERO,
        }
    }

    /// Searches from what the role believes until the budget is spent. `nodes` of a budget are those of all trees, `playouts`
    /// are iterations. What is known of earlier searches is forgotten.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub fn run(&mut self, belief: &Population, budget: &SearchBudget) -> Result<(), MachineError> {
        let start = Instant::now();
        self.trees
            .iter_mut()
            .for_each(|tree| *tree = RoleTree::default());
        self.iterations = 0;
        let Some(probabilities) = belief.distribution() else {
            return Ok(());
        };
        while !self.is_spent(budget) {
            let left = budget
                .playouts
                .map_or(u64::MAX, |all| all - self.iterations);
            if !self.iterate(belief, &probabilities, left, &budget.stop)? {
                break;
            }
        }
        self.time = start.elapsed();
        Ok(())
    }

    fn is_spent(&self, budget: &SearchBudget) -> bool {
        let nodes: usize = self.trees.iter().map(RoleTree::len).sum();
        let is_full = |most: u64| {
            nodes as u64 >= most || self.iterations >= most.saturating_mul(ITERATIONS_A_NODE)
        };
        budget.stop.is_set()
            || budget.nodes.is_some_and(is_full)
            || budget.playouts.is_some_and(|most| self.iterations >= most)
    }

    /// What was found for the role.
    pub fn report(&self) -> InformationSetReport {
        let range = self.ranges[self.role.index()];
        let own = &self.trees[self.role.index()];
        InformationSetReport::new(own, range, self.iterations, self.time)
    }
}

impl std::fmt::Debug for InformationSetSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InformationSetSearch")
            .field("role", &self.role)
            .field("iterations", &self.iterations)
            .finish_non_exhaustive()
    }
}
