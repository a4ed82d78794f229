//! Stress test: threads that build one tree at the same time, of a game in which each state determines its
//! own contents.
//!
//! A state has a number and words that follow from it, so a thread that sees a node before all of it is
//! there finds words that do not belong together. The game is small, so that threads meet in the same nodes
//! all the time, and the value of each state is known, so that whatever the tree proves can be checked.
//! Tree, arena and descent are real; only playouts are not.
//!
//! [`model`](super::model) tries all orders of a few accesses instead, those that this CPU never
//! shows among them.

use std::sync::Arc;

use propjit_stop::Stop;
use rand::RngExt;

use super::config::EvaluationUse;
use super::tree::Tree;
use super::tree::dominance::Dominance;
use super::tree::node::{Bounds, Decider, Node, NodeId, Stage};
use super::tree::valuation::Valuation;
use super::walk::descent::{Descent, DescentContext, Leaf};
use super::walk::path::Path;
use super::walk::selection::Selection;
use crate::game::machine::expansion::legal::LegalMoves;
use crate::game::machine::expansion::successor::{
    Expansions, NodeInfo, Successor, Successors, Turn,
};
use crate::game::machine::{Move, RoleId, State};
use crate::proof::forced::Target;
use crate::search::learned::{Evaluation, Inputs, Roles, Scorer, Trust, Weights};
use crate::support::rng::streams;

const THREADS: u64 = if cfg!(miri) { 2 } else { 4 };

/// After how many joint moves the match is over at the latest.
const LENGTH: u32 = if cfg!(miri) { 3 } else { 7 };

/// How many states there are at each depth.
const STATES: u64 = 40;

/// The moves of a role that has a choice.
const MOVES: [Move; 3] = [Move(0), Move(1), Move(2)];

/// How many evaluations a thread makes, unless the game is solved before.
const EVALUATIONS: u64 = if cfg!(miri) { 30 } else { 3000 };

/// A game of two roles with complementary results.
#[derive(Clone, Copy, Debug)]
struct Toy {
    seed: u64,
    /// Whether both roles have a choice in some states.
    simultaneous: bool,
}

/// All kinds of games.
fn toys() -> impl Iterator<Item = Toy> {
    let seeds = 0..if cfg!(miri) { 2 } else { 20 };
    seeds.flat_map(|seed| [false, true].map(|simultaneous| Toy { seed, simultaneous }))
}

/// A state: after how many joint moves, and its number among the states then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place(u32, u64);

impl Toy {
    fn random(self, Place(depth, number): Place, salt: u64) -> u64 {
        let mut word = self.seed << 56 ^ u64::from(depth) << 48 ^ number << 16 ^ salt << 1 | 1;
        for _ in 0..3 {
            word = (word ^ word >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        }
        word ^ word >> 32
    }

    fn words(self, place: Place) -> [u64; 5] {
        [0, 1, 2, 3, 4].map(|salt| match salt {
            0 => u64::from(place.0) << 32 | place.1,
            _ => self.random(place, salt),
        })
    }

    /// Returns the state of a node, asserting that all of its words are there.
    fn place(self, node: Node<'_>) -> Place {
        let words: Vec<u64> = node.state().collect();
        let place = Place((words[0] >> 32) as u32, u64::from(words[0] as u32));
        assert_eq!(
            words,
            self.words(place),
            "the state is not as it was written"
        );
        assert_eq!(node.meta().depth(), place.0);
        place
    }

    fn turn(self, place: Place) -> Turn {
        let chance = self.random(place, 10);
        match place.0 {
            LENGTH.. => Turn::Over(self.ends(place)),
            2.. if chance.is_multiple_of(11) => Turn::Over(self.ends(place)),
            1.. if self.simultaneous && chance.is_multiple_of(5) => Turn::Several,
            depth => Turn::One(RoleId(depth % 2)),
        }
    }

    fn ends(self, place: Place) -> Box<[Option<i32>]> {
        self.goals(place).map(|goal| Some(goal as i32)).into()
    }

    fn goals(self, place: Place) -> [f32; 2] {
        let goal = (self.random(place, 11) % 5 * 25) as f32;
        [goal, 100.0 - goal]
    }

    fn successor(self, place: Place) -> Successor {
        let state = State::from_words(&self.words(place));
        let (depth, turn) = (place.0, self.turn(place));
        let info = NodeInfo { depth, turn };
        Successor { state, info }
    }

    fn after(self, place: Place, joint: &[Move]) -> Place {
        let played = joint
            .iter()
            .fold(20, |salt, played| 4 * salt + u64::from(played.0));
        Place(place.0 + 1, self.random(place, played) % STATES)
    }

    /// The joint move in which the role that decides plays this.
    fn joint(role: RoleId, played: Move) -> [Move; 2] {
        let mut joint = [Move(0); 2];
        joint[role.index()] = played;
        joint
    }

    fn expand(self, place: Place) -> Expansions {
        let mut legal = LegalMoves::new(2);
        let mut successors = Successors::default();
        for role in RoleId::first(2) {
            match self.turn(place) {
                Turn::One(decider) if decider != role => legal.push(&MOVES[..1]),
                _ => legal.push(&MOVES),
            }
        }
        if let Turn::One(role) = self.turn(place) {
            let found = MOVES.map(|played| self.after(place, &Toy::joint(role, played)));
            successors = found
                .into_iter()
                .map(|place| self.successor(place))
                .collect();
        }
        let end = successors.all().infos.len();
        Expansions::new(legal, successors, vec![end])
    }

    /// Returns the least and the most that the first role gets. If both decide at once, that is what
    /// remains after removing moves that others are better than whatever the other role does.
    fn worth(self, place: Place, known: &mut Vec<Option<Bounds>>) -> Bounds {
        let at = (u64::from(place.0) * STATES + place.1) as usize;
        known.resize(known.len().max(at + 1), None);
        if let Some(known) = known[at] {
            return known;
        }
        let mut behind = |joint: &[Move]| self.worth(self.after(place, joint), known);
        let bounds = match self.turn(place) {
            Turn::Over(_) => Bounds::exact(self.goals(place)[0]),
            Turn::Stuck | Turn::Cut => unreachable!("all matches end"),
            Turn::Several => {
                let count = MOVES.len();
                let joint = |at: usize| [MOVES[at / count], MOVES[at % count]];
                let all = (0..count * count).map(|at| behind(&joint(at)));
                let all: Vec<Bounds> = all.collect();
                let found = Dominance::new(&[count; 2], None, |at, role| match role.index() {
                    0 => all[at],
                    _ => Bounds {
                        low: 100.0 - all[at].high,
                        high: 100.0 - all[at].low,
                    },
                });
                let [first, second] = [found.roles[0], found.roles[1]];
                Bounds {
                    low: first.low.max(100.0 - second.high),
                    high: first.high.min(100.0 - second.low),
                }
            }
            Turn::One(role) => {
                let all = MOVES.map(|played| behind(&Toy::joint(role, played)));
                let (better, worst): (fn(f32, f32) -> f32, f32) = match role {
                    RoleId(0) => (f32::max, 0.0),
                    _ => (f32::min, 100.0),
                };
                Bounds {
                    low: all.iter().map(|bounds| bounds.low).fold(worst, better),
                    high: all.iter().map(|bounds| bounds.high).fold(worst, better),
                }
            }
        };
        known[at] = Some(bounds);
        bounds
    }
}

/// Searches as a thread of a search does. Returns how many evaluations went through an edge of
/// the root or started in it.
fn work(toy: Toy, tree: &Tree, seed: u64, evaluations: u64) -> u64 {
    let mut context = DescentContext {
        exploration: 0.7,
        first_moves: None,
        rng: streams(seed).next().unwrap(),
        buffer: Default::default(),
        state: State::new(),
        selection: Selection::default(),
    };
    let valuation = tree.valuation();
    let mut scorer = valuation.map(|valuation| Scorer::new(valuation.evaluation.clone()));
    let mut counted = 0;
    // Evaluations that the tree has not received yet, as a search passes many at a time.
    let (mut evaluated, mut values) = (Vec::new(), Vec::new());
    let mut left = evaluations;
    while left > 0 && !tree.node(tree.root()).is_solved() {
        // Many paths set out at once, or one.
        let paths = context.rng.random_range(1..=4).min(left);
        left -= paths;
        let descent = || Descent::new(Path::default(), tree.root());
        let mut descents: Vec<Descent> = std::iter::repeat_with(descent)
            .take(paths as usize)
            .collect();
        while !descents.is_empty() {
            for (path, leaf) in tree.step(&mut descents, &mut context) {
                match leaf {
                    Leaf::Play(leaf) => {
                        toy.place(tree.node(leaf));
                        if context.rng.random_bool(0.1) {
                            tree.cancel(&path, Some(leaf));
                            continue;
                        }
                        let goal = context.rng.random_range(0..=100) as f32;
                        values.extend([goal, 100.0 - goal]);
                        evaluated.push((path, Some(leaf)));
                        counted += 1;
                    }
                    Leaf::Known(known) => {
                        let known: Vec<f32> = tree.values(known).collect();
                        assert_eq!(known.len(), 2);
                        values.extend(known);
                        counted += u64::from(path.first_edge().is_some());
                        evaluated.push((path, None));
                    }
                    Leaf::Expand(leaf) => {
                        let found = toy.expand(toy.place(tree.node(leaf)));
                        if tree.expand(leaf, found.get(0), &mut context.buffer) {
                            tree.refresh_path(&path);
                        }
                        if let Some(scorer) = &mut scorer {
                            tree.value_edges(leaf, found.get(0), scorer);
                        }
                        descents.push(Descent::new(path, leaf));
                    }
                    Leaf::Follow(leaf, joint) => {
                        let place = toy.after(toy.place(tree.node(leaf)), &joint);
                        let next = tree.complete(&path, &toy.successor(place), &mut context.buffer);
                        match next {
                            Some(next) => descents.push(Descent::new(path, next)),
                            None => tree.cancel(&path, None),
                        }
                    }
                    Leaf::Busy => {
                        tree.cancel(&path, None);
                        std::thread::yield_now();
                    }
                }
            }
        }
        if context.rng.random_bool(0.4) {
            tree.back_up(&evaluated, &values);
            evaluated.clear();
            values.clear();
        }
    }
    tree.back_up(&evaluated, &values);
    tree.give_back(context.buffer);
    counted
}

/// Checks all nodes that can be reached, when no thread is at work.
fn check(toy: Toy, tree: &Tree) {
    let mut known = Vec::new();
    let mut seen: Vec<NodeId> = Vec::new();
    let mut left = vec![tree.root()];
    while let Some(id) = left.pop() {
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        let node = tree.node(id);
        let place = toy.place(node);
        assert!(
            node.visits() > 0 || !node.is_touched(),
            "nothing is under way"
        );
        let worth = toy.worth(place, &mut known);
        let (first, second) = (node.bounds(RoleId(0)), node.bounds(RoleId(1)));
        for (low, high) in [
            (first.low, first.high),
            (100.0 - second.high, 100.0 - second.low),
        ] {
            let true_of_some = low <= worth.high && worth.low <= high;
            assert!(
                true_of_some,
                "{low} to {high} is proved, but it is {worth:?}"
            );
            if worth.are_exact() {
                assert!(
                    low <= worth.low && worth.high <= high,
                    "{low} to {high}: {worth:?}"
                );
            }
        }
        let Decider::One(role) = node.meta().decider() else {
            continue;
        };
        let (stage, inside) = node.inside();
        assert_ne!(stage, Stage::Expanding, "nobody is about to expand it");
        if stage != Stage::Expanded {
            continue;
        }
        let decision = tree.decision(inside);
        assert_eq!(decision.len(), MOVES.len());
        let mut visits = 0;
        for (edge, played) in decision.each().zip(MOVES) {
            assert_eq!(edge.played(), played);
            assert_eq!(edge.tried(), edge.visits(), "nothing is under way");
            visits += edge.visits();
            let next = toy.after(place, &Toy::joint(role, played));
            assert_eq!(edge.is_over(), matches!(toy.turn(next), Turn::Over(_)));
            if let Some(child) = edge.node() {
                assert_eq!(toy.place(tree.node(child)), next);
                left.push(child);
            }
        }
        assert!(
            visits <= node.visits(),
            "every evaluation behind it is counted"
        );
    }
}

/// Searches with all threads, then from a state that comes later, as in a match. Returns how often the tree made
/// room.
fn search(toy: Toy, memory: usize) -> usize {
    let ranges = Bounds {
        low: 0.0,
        high: 100.0,
    };
    let (mut place, mut recycled) = (Place(0, 0), 0);
    let mut tree = Tree::new(&toy.successor(place), Box::new([ranges; 2]), None, memory);
    for _ in 0..3 {
        let before = tree.node(tree.root()).visits();
        let counted: u64 = std::thread::scope(|scope| {
            let work = |thread| {
                let tree = &tree;
                scope.spawn(move || work(toy, tree, toy.seed + thread, EVALUATIONS))
            };
            let threads: Vec<_> = (0..THREADS).map(work).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .sum()
        });
        check(toy, &tree);
        assert_eq!(tree.node(tree.root()).visits(), before + counted);
        if tree.is_full() && tree.recycle(&Stop::new()) {
            recycled += 1;
            assert!(!tree.is_full());
            check(toy, &tree);
            assert_eq!(tree.node(tree.root()).visits(), before + counted);
        } else if !tree.is_full() && !toy.simultaneous && !cfg!(miri) {
            assert!(tree.node(tree.root()).is_solved(), "there are few states");
        }
        let Turn::One(role) = toy.turn(place) else {
            break;
        };
        let next = toy.after(place, &Toy::joint(role, MOVES[1]));
        if let Turn::Over(_) | Turn::Several = toy.turn(next) {
            break;
        }
        place = next;
        tree.set_root(&toy.successor(place));
    }
    recycled
}

#[test]
fn threads_build_one_tree() {
    assert_eq!(toys().map(|toy| search(toy, 1 << 20)).sum::<usize>(), 0);
}

#[test]
fn threads_share_memory_that_is_too_small() {
    for simultaneous in [false, true] {
        let toys = toys().filter(|toy| toy.simultaneous == simultaneous);
        let recycled: usize = toys.map(|toy| search(toy, 1 << 13)).sum();
        assert!(recycled > 0 || cfg!(miri), "some trees made room");
    }
}

/// A tree with an evaluation of all words, which is as good as random.
fn valued_tree(toy: Toy, used: EvaluationUse) -> Tree {
    let ranges = Bounds {
        low: 0.0,
        high: 100.0,
    };
    let start = toy.successor(Place(0, 0));
    let mut tree = Tree::new(&start, Box::new([ranges; 2]), None, 1 << 20);
    let inputs = Arc::new(Inputs::plain(320));
    let mut weights = Weights::zero(&inputs);
    for (bit, input) in weights.inputs.iter_mut().enumerate() {
        input.direct = [0.3, -0.3, 0.2, -0.2].map(|weight| weight * ((bit % 5) as f32 - 2.0));
    }
    let evaluation = Evaluation::new(Roles::new(2, None).unwrap(), inputs, &weights);
    let valuation = Valuation {
        evaluation: Arc::new(evaluation),
        trust: Trust::Full,
        weights: used.weights(Trust::Full),
    };
    tree.set_valuation(valuation, &start);
    tree
}

/// The smaller the spread, the less value do the visited moves lose against the best one.
#[test]
fn what_is_worth_less_is_explored_less() {
    let seeds = if cfg!(miri) { 2 } else { 40 };
    let less = [f32::INFINITY, 0.1, 0.01].map(|spread| {
        let less = (0..seeds).map(|seed| {
            let toy = Toy {
                seed,
                simultaneous: false,
            };
            let spread = Some(spread);
            let tree = valued_tree(
                toy,
                EvaluationUse {
                    spread,
                    ..EvaluationUse::default()
                },
            );
            work(toy, &tree, seed, 60);
            let (role, decision) = tree.decision_of_one(tree.root()).unwrap();
            let best = tree.node(tree.root()).expected().of(role);
            let tried = decision.each().filter(|edge| edge.visits() > 0);
            let less = tried.map(|edge| edge.visits() as f32 * (best - edge.expected().of(role)));
            less.sum::<f32>()
        });
        less.sum::<f32>()
    });
    assert!(less.is_sorted_by(|more, less| more > less), "{less:?}");
}

/// As a search with an evaluation and a prover: whatever is proved, and by whichever of them, the
/// expectation of a node is the expectation behind its best edge, and what is proved if all is.
#[test]
fn values_follow_what_is_proved() {
    let mut taken_over = 0;
    for seed in 0..if cfg!(miri) { 2 } else { 40 } {
        let toy = Toy {
            seed,
            simultaneous: false,
        };
        let tree = valued_tree(toy, EvaluationUse::default());
        let mut known = Vec::new();
        let mut rng = streams(seed).next().unwrap();
        for round in 0..30 {
            work(toy, &tree, seed * 100 + round, EVALUATIONS / 100);
            // Something is found out about one of the nodes.
            let (mut id, mut parent) = (tree.root(), None);
            for _ in 0..rng.random_range(1..LENGTH) {
                let Some((_, decision)) = tree.decision_of_one(id) else {
                    break;
                };
                let edge = decision.edge(rng.random_range(0..MOVES.len()));
                let Some(child) = edge.node() else {
                    break;
                };
                (id, parent) = (child, Some(id));
            }
            let worth = toy.worth(toy.place(tree.node(id)), &mut known).low;
            let (value, rest) = (worth as i32, 100 - worth as i32);
            let role = RoleId(0);
            let other = Target {
                role: RoleId(1),
                value: rest,
            };
            tree.take_over(id, Target { role, value }, &[(RoleId(1), rest)]);
            tree.take_over(id, other, &[(RoleId(0), value)]);
            if let Some(parent) = parent {
                tree.refresh(parent);
            }
            taken_over += 1;
            check_values(&tree);
        }
    }
    assert!(taken_over > 50);
}

/// Checks what is expected of all nodes that can be reached.
fn check_values(tree: &Tree) {
    let mut seen: Vec<NodeId> = Vec::new();
    let mut left = vec![tree.root()];
    while let Some(id) = left.pop() {
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        let Some((role, decision)) = tree.decision_of_one(id) else {
            continue;
        };
        left.extend(decision.each().filter_map(|edge| edge.node()));
        let expected = tree.node(id).expected();
        let known = decision.each().map(|edge| edge.expected());
        let known = known.filter(|expected| expected.is_known());
        let best = known.map(|expected| expected.of(role)).reduce(f32::max);
        assert_eq!(Some(expected.of(role)), best);
        if decision.each().all(|edge| edge.is_closed()) && tree.node(id).is_solved() {
            let value = tree.node(id).bounds(role).low / 100.0;
            assert!(
                (expected.of(role) - value).abs() < 1e-3,
                "{expected:?} {value}"
            );
        }
    }
}
