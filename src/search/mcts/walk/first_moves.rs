//! RAVE (rapid action value estimation): all-moves-as-first (AMAF) statistics of the moves that playouts
//! make at any time, combined with the values of these moves.
//!
//! A playout below a node says something of each move that the role which decides in the node makes in it,
//! as if it had been made first; so a few playouts give information about many moves (Gelly and Silver,
//! "Monte-Carlo tree search and rapid action value estimation in computer Go", 2011). That is right where
//! it matters little when a move is made, as for stones that stay where they are put. In hex a playout
//! gives information about 35 moves, in amazons about 5, at the cost of the time to read them; and in dots
//! and boxes about 30, but that information is wrong, as a line that is good at the end is bad before. So
//! the first search of a match begins with RAVE, and after some playouts it is decided for the whole match
//! whether that pays off. It is not decided again: the more visits the moves of the root have, the less
//! differ the means of those that are compared, until chance decides.

use super::path::Path;
use crate::game::machine::{Move, RoleId};
use crate::game::playout::MoveNumbers;
use crate::search::mcts::tree::Tree;
use crate::search::mcts::tree::decision::Edge;
use crate::search::mcts::tree::node::Decider;

/// The number of moves in the root that a playout has to give information about.
const MIN_MOVES: f64 = 25.0;

/// The numbers of playouts of a thread after which this number is checked, and after which RAVE values are
/// compared with the values of the moves.
const TRIAL: u64 = 1000;
const COMPARISON: u64 = 10_000;

/// The least correlation of the two.
const MIN_CORRELATION: f64 = 0.0;

/// How many moves are compared at least, how many visits these and the nodes have in which they may be
/// made, and how many decisions below the root these are.
const MIN_COMPARED: u64 = 50;
const MIN_VISITS: u64 = 20;
const MIN_NODE_VISITS: u64 = 100;
const DEEPEST: u32 = 3;

/// RAVE statistics of a search thread.
#[derive(Debug)]
pub(in crate::search::mcts) struct FirstMoves {
    /// How many visits of an edge count as much as any number of playouts with its move.
    pub visits: f32,
    made: MadeMoves,
    /// The places of those of them in a decision.
    places: Vec<u32>,
    /// Whether it is still to be decided if RAVE pays off.
    is_on_trial: bool,
    /// The number of playouts, and of the moves in the root that they gave information about.
    playouts: u64,
    told: u64,
}

impl FirstMoves {
    /// Uses RAVE for the moves with these numbers, always or until it is decided whether that pays off.
    pub(in crate::search::mcts) fn new(
        visits: f32,
        numbers: MoveNumbers,
        is_on_trial: bool,
    ) -> FirstMoves {
        FirstMoves {
            visits,
            made: MadeMoves::new(numbers),
            places: Vec::new(),
            is_on_trial,
            playouts: 0,
            told: 0,
        }
    }

    /// Returns whether RAVE pays off, once enough is known to decide it.
    pub(in crate::search::mcts) fn verdict(&mut self, tree: &Tree) -> Option<bool> {
        let is_decided = tree.rave_enabled().is_some();
        if !self.is_on_trial || is_decided || self.playouts < TRIAL {
            return None;
        }
        let moves = self.told as f64 / self.playouts as f64;
        if moves < MIN_MOVES {
            tracing::debug!(moves, "playouts give information about few moves");
            return Some(false);
        }
        if self.playouts < COMPARISON {
            return None;
        }
        (self.playouts, self.told) = (0, 0);
        let correlation = tree.compare_first_moves()?;
        tracing::debug!(moves, correlation, "playouts give information about moves");
        Some(correlation >= MIN_CORRELATION)
    }
}

/// A set of moves of all roles.
#[derive(Debug)]
struct MadeMoves {
    numbers: MoveNumbers,
    /// Which are in the set, by number.
    bits: Vec<u64>,
    /// The words that may be other than 0.
    touched: Vec<usize>,
}

impl MadeMoves {
    fn new(numbers: MoveNumbers) -> MadeMoves {
        MadeMoves {
            bits: vec![0; numbers.count().div_ceil(64)],
            touched: Vec::new(),
            numbers,
        }
    }

    /// Makes it the set of the moves with these numbers.
    fn assign(&mut self, numbers: &[u32]) {
        for word in self.touched.drain(..) {
            self.bits[word] = 0;
        }
        for &number in numbers {
            self.set(number as usize);
        }
    }

    fn insert(&mut self, role: RoleId, played: Move) {
        self.set(self.number(role, played));
    }

    /// Finds the places at which a role's moves are in the set.
    fn find(
        &self,
        role: RoleId,
        moves: impl ExactSizeIterator<Item = Move>,
        places: &mut Vec<u32>,
    ) {
        let first = self.numbers.of(role).start;
        places.resize(moves.len(), 0);
        let mut count = 0;
        // As good as any may be there: branches would often be mispredicted.
        for (place, played) in (0..).zip(moves) {
            let number = first + played.0 as usize;
            places[count] = place;
            count += (self.bits[number / 64] >> (number % 64) & 1) as usize;
        }
        places.truncate(count);
    }

    fn number(&self, role: RoleId, played: Move) -> usize {
        self.numbers.of(role).start + played.0 as usize
    }

    fn set(&mut self, number: usize) {
        self.bits[number / 64] |= 1 << (number % 64);
        self.touched.push(number / 64);
    }
}

impl Tree {
    /// Adds a playout from the end of a path: the goals, and the numbers of the moves made in it. Those
    /// on the path count as well.
    pub(in crate::search::mcts) fn back_up_moves(
        &self,
        path: &Path,
        goals: &[i32],
        moves: &[u32],
        first_moves: &mut FirstMoves,
    ) {
        let FirstMoves { made, places, .. } = &mut *first_moves;
        made.assign(moves);
        let mut told = 0;
        for (id, inside, place) in path.edges() {
            let decision = self.decision(inside);
            let Decider::One(role) = self.node(id).meta().decider() else {
                continue;
            };
            made.insert(role, decision.edge(place).played());
            let value = self.ranges()[role.index()].to_unit(goals[role.index()] as f32);
            made.find(role, decision.each().map(Edge::played), places);
            for &place in &*places {
                decision.edge(place as usize).add_as_first(value);
            }
            told = places.len() as u64;
        }
        first_moves.playouts += 1;
        first_moves.told += told;
    }

    /// Returns the correlation between the values of moves and their RAVE values, in the root and in nodes
    /// near to it; nothing if that is known of few.
    fn compare_first_moves(&self) -> Option<f64> {
        let (mut compared, mut product, mut squares) = (0, 0.0, [0.0; 2]);
        let mut left = vec![(self.root(), 0)];
        while let Some((id, depth)) = left.pop() {
            let Some((role, decision)) = self.decision_of_one(id) else {
                continue;
            };
            let known = decision.each().filter_map(|edge| {
                let (playouts, told) = edge.all_as_first();
                let is_known = edge.visits().min(u64::from(playouts)) >= MIN_VISITS;
                let mean = self.node(edge.node().filter(|_| is_known)?).mean(role)?;
                let mean = self.ranges()[role.index()].to_unit(mean);
                Some([f64::from(told), f64::from(mean)])
            });
            let known: Vec<[f64; 2]> = known.collect();
            let sums = known.iter().fold([0.0; 2], |sums, pair| {
                [sums[0] + pair[0], sums[1] + pair[1]]
            });
            for pair in &known {
                let [told, mean] = [0, 1].map(|at| pair[at] - sums[at] / known.len() as f64);
                product += told * mean;
                squares = [squares[0] + told * told, squares[1] + mean * mean];
            }
            compared += known.len() as u64;
            if depth < DEEPEST {
                let visited = decision
                    .each()
                    .filter(|edge| edge.visits() >= MIN_NODE_VISITS);
                left.extend(visited.filter_map(|edge| Some((edge.node()?, depth + 1))));
            }
        }
        let scale = (squares[0] * squares[1]).sqrt();
        (compared >= MIN_COMPARED && scale > 0.0).then(|| product / scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::load::{Game, Setup};
    use crate::game::machine::Backend;
    use crate::search::expansion::{Evaluator, evaluator};
    use crate::search::mcts::config::MctsConfig;
    use crate::search::mcts::shared::{Shared, Wanted};
    use crate::search::mcts::tree::node::Bounds;
    use crate::search::mcts::worker::Worker;
    use crate::support::rng;
    use propjit_stop::Stop;
    use std::time::Duration;

    /// Cells are taken in turns, until none is left; a role that has two of the first three of them wins.
    fn rules(cells: usize) -> String {
        let facts: String = (1..=cells)
            .map(|cell| format!("(cell {cell}) (succ {} {cell}) ", cell - 1))
            .collect();
        format!(
            "(role x) (role o) (init (control x)) (init (step 0)) (key 1) (key 2) (key 3) {facts}
             (<= (legal ?p (take ?c)) (true (control ?p)) (cell ?c) (not (true (taken ?c))))
             (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
             (<= (next (control o)) (true (control x)))
             (<= (next (control x)) (true (control o)))
             (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
             (<= (next (taken ?c)) (does ?p (take ?c)))
             (<= (next (taken ?c)) (true (taken ?c)))
             (<= (next (has ?p ?c)) (does ?p (take ?c)) (key ?c))
             (<= (next (has ?p ?c)) (true (has ?p ?c)))
             (<= terminal (true (step {cells})))
             (<= (wins ?p) (true (has ?p ?a)) (true (has ?p ?b)) (distinct ?a ?b))
             (<= (goal ?p 100) (role ?p) (wins ?p))
             (<= (goal ?p 0) (role ?p) (not (wins ?p)))"
        )
    }

    /// Returns an evaluator of the game of `cells` cells, and a tree.
    fn begin(cells: usize) -> (Box<dyn Evaluator>, Tree) {
        let game = Game::from_text("taking.kif", &rules(cells), &Setup::default()).unwrap();
        let rng = rng::streams(1).next().unwrap();
        let mut evaluator = evaluator(&game, Backend::Lanes, None, 100, rng).unwrap();
        let initial = evaluator.initial_state().unwrap();
        let root = evaluator.skip_forced_moves(&initial, 0).unwrap();
        let ranges = Bounds::of_goals(evaluator.goal_ranges());
        (evaluator, Tree::new(&root, ranges, None, 1 << 28))
    }

    /// Returns what is decided after `playouts` playouts.
    fn verdict(cells: usize, playouts: u64) -> Option<bool> {
        let (mut evaluator, tree) = begin(cells);
        let (shared, config) = (Shared::default(), MctsConfig::default());
        let rng = rng::streams(2).next().unwrap();
        let worker = Worker::new(&shared, &tree, &config, &mut *evaluator, rng, true);
        let wanted = Wanted {
            playouts: Some(playouts),
            nodes: None,
        };
        let stop = &Stop::new();
        worker.run(stop, stop, wanted).unwrap();
        tree.rave_enabled()
    }

    /// A slice of the time that is shorter than a batch of playouts is no reason to give them up.
    #[test]
    fn playouts_under_way_come_to_their_end() {
        let (mut evaluator, tree) = begin(20);
        let (shared, config) = (Shared::default(), MctsConfig::default());
        let rng = rng::streams(2).next().unwrap();
        let worker = Worker::new(&shared, &tree, &config, &mut *evaluator, rng, true);
        let wanted = Wanted {
            playouts: None,
            nodes: None,
        };
        let (stop, slice) = (Stop::new(), Stop::new().within(Duration::ZERO));
        worker.run(&stop, &slice, wanted).unwrap();
        assert!(shared.playouts.rollouts() > 0);
    }

    /// If only the set of moves matters, RAVE is used; not if playouts give information about few.
    #[test]
    fn use_is_decided_once_enough_is_known() {
        assert_eq!(verdict(60, TRIAL), None);
        assert_eq!(verdict(60, 8 * COMPARISON), Some(true));
        assert_eq!(verdict(20, 2 * TRIAL), Some(false));
    }

    /// The first decision stays.
    #[test]
    fn use_is_decided_once() {
        let (_, tree) = begin(4);
        tree.decide_on_first_moves(true);
        tree.decide_on_first_moves(false);
        assert_eq!(tree.rave_enabled(), Some(true));
    }
}
