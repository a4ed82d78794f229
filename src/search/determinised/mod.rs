//! Determinised search: for games that hide information, by searches of states that are possible, each taken for known.
//!
//! Some states are drawn from a belief, and each is searched as in a game that hides nothing, by tree search with a learned
//! evaluation. What is played is what is best in most of them (Ginsberg, "GIB: Imperfect Information in a Computationally
//! Challenging Game", 2001). Such a search is deep, but takes for granted that all roles will know the state: it
//! never gathers or hides information for its own sake, and mixes up what it can only do if it knows more. Where the
//! state is almost known, that matters little.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use propjit_stop::Stop;

use crate::game::load::Game;
use crate::game::machine::{MachineError, Move, RoleId, State};
use crate::game::position::Position;
use crate::search::SearchBudget;
use crate::search::beliefs::Population;
use crate::search::chooser::{Search, SearchConfig, SearchKind};
use crate::support::rng::{GameRng, streams};

/// The number of states that are searched for a move at most.
const STATES: usize = 8;

/// How long a state is searched where nothing else limits the search.
const UNLIMITED: Duration = Duration::from_secs(1);

/// A search for the moves of a role, by what it believes.
#[derive(Debug)]
pub struct DeterminisedSearch {
    role: RoleId,
    search: Search,
    start: Position,
    rng: GameRng,
}

impl DeterminisedSearch {
    /// A search for a role: tree search, unless minimax is asked for. Helpers that prove are not used: a state that is lost if all
    /// know it need not be lost, and by a proof all its moves would be the same.
    ///
    /// # Errors
    /// As for [`Search::new`].
    pub fn new(game: &Game, role: RoleId, mut config: SearchConfig) -> Result<Self, MachineError> {
        let helpers = &mut config.mcts.helpers;
        (helpers.local, helpers.plan, helpers.solve) = (false, false, false);
        if config.kind == SearchKind::Auto {
            config.kind = SearchKind::Mcts;
        }
        let open = Arc::new(game.in_the_open());
        let backend = open.bulk_backend();
        Ok(DeterminisedSearch {
            role,
            rng: streams(config.mcts.seed)
                .next()
                .expect("streams do not end"),
            start: open.start()?,
            search: Search::new(&open, backend, config)?,
        })
    }

    /// Gets ready for a match, as [`Search::prepare`] does.
    ///
    /// # Errors
    /// When a machine cannot go on.
    pub fn prepare(&mut self, stop: &Stop) -> Result<(), MachineError> {
        self.search.prepare(stop)
    }

    /// Learns on until a stop comes, if there is more to be learned between searches.
    pub fn learn_until(&self, stop: &Stop) {
        self.search.learn_until(stop);
    }

    /// Searches states that are possible after `depth` joint moves until the budget is spent, which they share. Returns how much
    /// speaks for each move, most first: the sum of the probabilities of the states in which it is best; tree search shares these
    /// out by visits.
    ///
    /// # Errors
    /// When a machine cannot go on.
    pub fn run(
        &mut self,
        belief: &Population,
        depth: u32,
        budget: &SearchBudget,
    ) -> Result<Vec<(Move, f64)>, MachineError> {
        let states = self.draw(belief);
        let mut sums: BTreeMap<Move, f64> = BTreeMap::new();
        let mut left = states.len() as u32;
        for (state, probability) in states {
            let position = self.start.with_state(State::from_words(&state));
            self.search.set_position(&position, depth)?;
            self.search.run(&part(budget, left))?;
            left -= 1;
            let report = self.search.report(self.role);
            let all: u64 = report.moves.iter().map(|of| of.visits).sum();
            let is_lost = report.value.is_none_or(|value| value <= report.range.0);
            let is_shared_out = report.minimax.is_none() && (is_lost || !report.solved) && all > 0;
            for of in &report.moves {
                let share = match is_shared_out {
                    true => of.visits as f64 / all as f64,
                    false => f64::from(u8::from(report.best == Some(of.played))),
                };
                *sums.entry(of.played).or_default() += probability * share;
            }
            if budget.stop.is_set() {
                break;
            }
        }
        let mut moves: Vec<(Move, f64)> = sums.into_iter().collect();
        moves.sort_by(|a, b| b.1.total_cmp(&a.1));
        Ok(moves)
    }

    /// Draws states, each with its probability: all, if there are few.
    fn draw(&mut self, belief: &Population) -> Vec<(Vec<u64>, f64)> {
        let mut probabilities: BTreeMap<&[u64], f64> = BTreeMap::new();
        let drawn;
        let few = match belief.len() <= STATES {
            true => belief,
            false => {
                drawn = belief.resampled(STATES, &mut self.rng);
                &drawn
            }
        };
        for number in 0..few.len() {
            *probabilities.entry(few.state(number)).or_default() += few.probability(number);
        }
        let states = probabilities.into_iter();
        let mut states: Vec<_> = states.map(|(state, p)| (state.to_vec(), p)).collect();
        // The most probable ones first: a stop may come.
        states.sort_by(|a, b| b.1.total_cmp(&a.1));
        states
    }
}

/// A budget for one state, where this number of states are left.
fn part(budget: &SearchBudget, left: u32) -> SearchBudget {
    let share = |all: u64| (all / u64::from(left)).max(1);
    let stop = match (budget.stop.remaining(), budget.playouts.or(budget.nodes)) {
        (Some(time), _) => budget.stop.within(time / left),
        (None, Some(_)) => budget.stop.clone(),
        (None, None) => budget.stop.within(UNLIMITED),
    };
    SearchBudget::default()
        .with_playouts(budget.playouts.map(share))
        .with_nodes(budget.nodes.map(share))
        .with_stop(stop)
}
