//! Choices that are settled: no other move can overtake the best one in the time that is left.

use std::time::Instant;

use crate::game::machine::RoleId;
use crate::search::mcts::tree::Tree;
use crate::search::mcts::tree::decision::Edge;

/// The part of the time after which it is known how fast a search is: one over this.
const FIRST_LOOK: u32 = 16;

/// The choice of a role in the root of a search that has a deadline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settlement {
    role: RoleId,
    begun: Instant,
    deadline: Instant,
    /// The visits that the root had at the beginning.
    visits: u64,
}

impl Settlement {
    /// A choice for which the time begins now.
    pub(super) fn begin(tree: &Tree, role: RoleId, deadline: Instant) -> Settlement {
        Settlement {
            role,
            begun: Instant::now(),
            deadline,
            visits: tree.node(tree.root()).visits(),
        }
    }

    /// Whether the open move with the most visits will be the choice at the deadline, if the search goes on as
    /// fast as it did: no other open move would have more visits even if all that are to come were its own, and
    /// what is closed is proved to be no better.
    pub(super) fn is_settled(&self, tree: &Tree) -> bool {
        let Some((role, decision)) = tree.decision_of_one(tree.root()) else {
            return false;
        };
        let edges = || decision.each().enumerate();
        let open = || edges().filter(|(_, edge)| !edge.is_closed());
        let Some((best, edge)) = open().max_by_key(|(_, edge)| edge.visits()) else {
            return false;
        };
        if role != self.role || edge.visits() == 0 {
            return false;
        }
        // What is proved is chosen by its value instead.
        let bounds = |place| tree.bounds(decision, place, role);
        let mut closed = edges().filter(|(_, edge)| edge.is_closed());
        if closed.any(|(place, _)| bounds(place).high > bounds(best).low) {
            return false;
        }
        let others = open().filter(|&(place, _)| place != best);
        let Some(second) = others.map(|(_, edge)| Edge::tried(edge)).max() else {
            return true;
        };
        let left = self.visits_left(tree);
        left.is_some_and(|left| second + left < edge.visits())
    }

    /// How many more visits the root will have at the deadline; none as long as that is not known.
    fn visits_left(&self, tree: &Tree) -> Option<u64> {
        let (now, end) = (Instant::now(), self.deadline);
        let (past, left) = (now - self.begun, end.saturating_duration_since(now));
        // The root is a new one if it has less.
        let visits = tree.node(tree.root()).visits().checked_sub(self.visits)?;
        let is_known = past >= (past + left) / FIRST_LOOK;
        let rate = visits as f64 / past.as_secs_f64();
        is_known.then_some((rate * left.as_secs_f64()) as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::game::machine::{Move, State};
    use crate::search::expansion::legal::LegalMoves;
    use crate::search::expansion::successor::{Expansions, NodeInfo, Successor, Successors, Turn};
    use crate::search::mcts::tree::arena::AllocationBuffer;
    use crate::search::mcts::tree::node::Bounds;

    const ROLE: RoleId = RoleId(0);

    /// A tree in which the role has moves that were looked at so often.
    fn tree(visits: &[u64]) -> Tree {
        let state_with = |number: u64, turn: Turn| {
            let mut state = State::new();
            state.assign(&[number]);
            let depth = u32::from(number > 0);
            let info = NodeInfo { depth, turn };
            Successor { state, info }
        };
        let moves: Vec<Move> = (0..visits.len() as u32).map(Move).collect();
        let mut legal = LegalMoves::new(2);
        legal.push(&moves);
        legal.push(&moves[..1]);
        let after: Successors = (1..=visits.len() as u64)
            .map(|number| state_with(number, Turn::One(RoleId(1))))
            .collect();
        let found = Expansions::new(legal, after, vec![visits.len()]);
        let range = Bounds {
            low: 0.0,
            high: 100.0,
        };
        let root = state_with(0, Turn::One(ROLE));
        let tree = Tree::new(&root, Box::new([range; 2]), None, 1 << 20);
        tree.node(tree.root()).claim();
        let mut buffer = AllocationBuffer::default();
        tree.expand(tree.root(), found.get(0), &mut buffer);
        let (_, decision) = tree.decision_of_one(tree.root()).unwrap();
        for (place, &visits) in visits.iter().enumerate() {
            let mut state = State::new();
            tree.follow(decision, place, &mut state, &mut buffer);
            visit(&tree, place, visits);
        }
        tree
    }

    fn visit(tree: &Tree, place: usize, visits: u64) {
        let (_, decision) = tree.decision_of_one(tree.root()).unwrap();
        for _ in 0..visits {
            decision.edge(place).begin(1);
            decision.edge(place).end(1, 0.5);
            tree.node(tree.root()).add([&[50.0, 50.0][..]].into_iter());
        }
    }

    fn begun(tree: &Tree, left: Duration) -> Settlement {
        Settlement::begin(tree, ROLE, Instant::now() + left)
    }

    /// Closes a move after which the role gets this.
    fn close(tree: &Tree, place: usize, low: f32, high: f32) {
        let (_, decision) = tree.decision_of_one(tree.root()).unwrap();
        let edge = decision.edge(place);
        let child = tree.node(edge.node().unwrap());
        child.narrow(ROLE, Bounds { low, high });
        edge.close();
    }

    #[test]
    fn moves_that_cannot_be_overtaken_are_settled() {
        let tree = tree(&[100, 60, 10]);
        let hour = begun(&tree, Duration::from_secs(3600));
        assert!(!hour.is_settled(&tree), "nothing is known of the time");
        let end = begun(&tree, Duration::ZERO);
        assert!(end.is_settled(&tree), "nothing more is to come");
        visit(&tree, 1, 40);
        assert!(!end.is_settled(&tree), "two are as good");
        let other = Settlement::begin(&tree, RoleId(1), Instant::now());
        visit(&tree, 0, 1);
        assert!(end.is_settled(&tree));
        assert!(!other.is_settled(&tree), "another role decides");
    }

    #[test]
    fn visits_to_come_count_for_the_others() {
        let tree = tree(&[100, 60]);
        let mut choice = begun(&tree, Duration::from_secs(1000));
        // A second has passed, in which there were 20 visits; there are 10 seconds left, and more.
        choice.begun = Instant::now().checked_sub(Duration::from_secs(1)).unwrap();
        visit(&tree, 0, 20);
        choice.deadline = Instant::now() + Duration::from_secs(10);
        assert!(!choice.is_settled(&tree), "the other may get 200");
        visit(&tree, 0, 2000);
        // 2,020 visits a second.
        assert!(!choice.is_settled(&tree), "the other may get 20,200");
        choice.deadline = Instant::now() + Duration::from_millis(500);
        assert!(choice.is_settled(&tree), "the other may get 1,010");
    }

    #[test]
    fn moves_that_are_closed_count_by_what_is_proved() {
        let tree = tree(&[5, 3]);
        let hour = begun(&tree, Duration::from_secs(3600));
        close(&tree, 1, 50.0, 50.0);
        assert!(
            !hour.is_settled(&tree),
            "a draw may be better than the rest"
        );
    }

    #[test]
    fn the_only_move_that_is_not_lost_is_settled() {
        let tree = tree(&[5, 3]);
        let hour = begun(&tree, Duration::from_secs(3600));
        assert!(!hour.is_settled(&tree));
        close(&tree, 1, 0.0, 0.0);
        assert!(hour.is_settled(&tree));
    }
}
