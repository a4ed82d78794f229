//! Loom models: all orders in which two threads may access the words of a node (Norris and Demsky,
//! "CDSChecker: Checking Concurrent Data Structures Written with C/C++ Atomics", 2013).
//!
//! They also cover CPUs with weaker ordering than x86-64: what one thread has written may reach another one
//! in another order, unless the words say otherwise. Each model is a few accesses, as there is no end of
//! orders otherwise; [`stress`](crate::search::mcts::stress) does all at once.
//!
//! Run by `tools/soundness.sh loom`, since everything is rebuilt for it.

use loom::sync::Arc;
use loom::thread;

use super::arena::Block;
use super::decision::{self, Decision};
use super::node::{Bounds, Meta, Node, Stage};
use super::slots::SlotPlan;
use super::words::AtomicU64;
use crate::game::machine::expansion::successor::{NodeInfo, Successor, Successors, Turn};
use crate::game::machine::{Move, RoleId, State};
use crate::search::mcts::tree::EdgeKnowledge;

const RANGES: [Bounds; 1] = [Bounds {
    low: 0.0,
    high: 100.0,
}];

const STATE: [u64; 2] = [3, 4];

/// The place of a decision, after a node.
const INSIDE: Block = Block(1);

/// How many words there are for each block: a node needs six and the state, a decision of one
/// move four, and three for what the move leads to.
const WORDS: usize = 8;

/// Two blocks of words.
struct Memory(Vec<AtomicU64>);

impl Memory {
    fn new() -> Memory {
        Memory((0..2 * WORDS).map(|_| AtomicU64::new(0)).collect())
    }

    fn node(&self) -> Node<'_> {
        Node::new(&self.0[..WORDS], &RANGES)
    }

    fn inside(&self) -> &[AtomicU64] {
        &self.0[WORDS..]
    }

    fn init_node(&self) {
        self.node().init(meta(), &STATE, |_| RANGES[0]);
    }

    fn init_decision(&self) {
        let state = State::from_words(&STATE);
        let successors: Successors = [Successor {
            state,
            info: info(),
        }]
        .into_iter()
        .collect();
        let slots = SlotPlan::new(successors.all(), 1);
        assert!(decision::words(1, &slots) <= WORDS);
        Decision::init(
            self.inside(),
            &[Move(7)],
            successors.all(),
            &slots,
            |_| 1.0,
            EdgeKnowledge::AllAsFirst,
        );
    }
}

fn info() -> NodeInfo {
    NodeInfo {
        depth: 5,
        turn: Turn::One(RoleId(0)),
    }
}

fn meta() -> Meta {
    Meta::new(&info())
}

/// Runs the threads in all orders, then checks the result.
fn model(
    start: impl Fn(&Memory) + Send + Sync + 'static,
    threads: [fn(&Memory); 2],
    end: impl Fn(&Memory) + Send + Sync + 'static,
) {
    loom::model(move || {
        let memory = Arc::new(Memory::new());
        start(&memory);
        let threads = threads.map(|work| {
            let memory = memory.clone();
            thread::spawn(move || work(&memory))
        });
        threads.map(|thread| thread.join().unwrap());
        end(&memory);
    });
}

/// One thread claims a node; a thread that sees that it is expanded sees all of the decision.
#[test]
fn a_decision_is_there_before_it_is_seen() {
    fn work(memory: &Memory) {
        let node = memory.node();
        if node.claim() {
            memory.init_decision();
            node.set_inside(Stage::Expanded, INSIDE);
        }
        let (stage, inside) = node.inside();
        if stage == Stage::Expanded {
            assert_eq!(inside, INSIDE);
            let decision = Decision::new(memory.inside());
            assert_eq!(decision.len(), 1);
            assert_eq!(decision.edge(0).played(), Move(7));
            let mut state = State::new();
            assert_eq!(decision.state(0, &mut state), meta());
            assert_eq!(state.words()[..2], STATE);
        }
    }
    let end = |memory: &Memory| assert_eq!(memory.node().inside().0, Stage::Expanded);
    model(Memory::init_node, [work, work], end);
}

/// A thread that sees that an edge leads to a node sees all of the node.
#[test]
fn a_node_is_there_before_an_edge_leads_to_it() {
    let make = |memory: &Memory| {
        memory.init_node();
        Decision::new(memory.inside()).edge(0).lead_to(Block(9));
    };
    let look = |memory: &Memory| {
        let edge = Decision::new(memory.inside()).edge(0);
        assert_eq!(edge.played(), Move(7));
        if let Some(id) = edge.node() {
            assert_eq!(id, Block(9));
            assert_eq!(memory.node().meta(), meta());
            assert!(memory.node().is_state(&STATE));
            assert_eq!(memory.node().bounds(RoleId(0)), RANGES[0]);
        }
    };
    model(Memory::init_decision, [make, look], |_| {});
}

/// A thread that learns of news of a node sees it, so that it need not be notified again.
#[test]
fn news_is_seen_by_who_is_told() {
    let start = |memory: &Memory| {
        memory.init_node();
        memory.init_decision();
    };
    let prove = |memory: &Memory| {
        let bounds = Bounds {
            low: 50.0,
            high: 100.0,
        };
        assert!(memory.node().narrow(RoleId(0), bounds));
    };
    let look = |memory: &Memory| {
        let (node, edge) = (memory.node(), Decision::new(memory.inside()).edge(0));
        if edge.note_changes(node.changes()) {
            assert_eq!(node.bounds(RoleId(0)).low, 50.0);
        }
    };
    let end = |memory: &Memory| {
        let (node, edge) = (memory.node(), Decision::new(memory.inside()).edge(0));
        edge.note_changes(node.changes());
        assert!(!edge.note_changes(node.changes()), "it is noted now");
    };
    model(start, [prove, look], end);
}

/// What two threads prove is proved, whichever is first.
#[test]
fn bounds_meet() {
    let end = |memory: &Memory| {
        let both = Bounds {
            low: 25.0,
            high: 75.0,
        };
        assert_eq!(memory.node().bounds(RoleId(0)), both);
        assert_eq!(memory.node().changes(), 2);
    };
    let raise = |memory: &Memory| {
        memory.node().narrow(
            RoleId(0),
            Bounds {
                low: 25.0,
                high: 100.0,
            },
        );
    };
    let lower = |memory: &Memory| {
        memory.node().narrow(
            RoleId(0),
            Bounds {
                low: 0.0,
                high: 75.0,
            },
        );
    };
    model(Memory::init_node, [raise, lower], end);
}

/// Evaluations that begin and end, are given up, or end while an edge is closed, leave nothing
/// under way and no visit uncounted.
#[test]
fn evaluations_are_counted() {
    let start = |memory: &Memory| {
        memory.init_node();
        memory.init_decision();
    };
    let evaluate = |memory: &Memory| {
        let (node, edge) = (memory.node(), Decision::new(memory.inside()).edge(0));
        node.begin();
        edge.begin(1);
        node.end();
        node.add([&[100.0][..]].into_iter());
        edge.end(1, 1.0);
    };
    let give_up = |memory: &Memory| {
        let (node, edge) = (memory.node(), Decision::new(memory.inside()).edge(0));
        node.begin();
        edge.begin(1);
        edge.close();
        node.end();
        edge.cancel();
    };
    let end = |memory: &Memory| {
        let (node, edge) = (memory.node(), Decision::new(memory.inside()).edge(0));
        assert_eq!((node.visits(), edge.visits(), edge.tried()), (1, 1, 1));
        assert_eq!(node.mean(RoleId(0)), Some(100.0));
        assert!(edge.is_closed());
        assert!(!edge.is_over());
    };
    model(start, [evaluate, give_up], end);
}
