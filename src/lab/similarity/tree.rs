//! Local game trees: the moves from a position on, up to some number of plies.

use std::collections::VecDeque;
use std::ops::Range;

/// A game tree up to some depth. Its edges are labelled; equal labels are equal moves.
#[derive(Clone, Debug)]
pub struct GameTree {
    /// Level by level; the root is the first one.
    nodes: Vec<Node>,
    moves: Vec<u32>,
}

/// A node.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The label of the edge to this node: see [`Branch::label`]. Meaningless in the root.
    pub(super) label: u32,
    /// The child nodes.
    pub(super) children: Range<usize>,
}

/// A branch of a tree that is given explicitly: a move, and its continuations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    /// The label of the move.
    pub label: u32,
    /// The moves that can be played after it: none at the depth to which the tree goes, and after
    /// moves that end the match.
    pub branches: Vec<Branch>,
}

impl GameTree {
    /// Makes a tree from its branches.
    pub fn new(branches: &[Branch]) -> GameTree {
        let mut tree = GameTree::root();
        let mut open = VecDeque::from([(0, branches)]);
        while let Some((parent, branches)) = open.pop_front() {
            for branch in branches {
                let node = tree.add(parent, branch.label, &[branch.label]);
                open.push_back((node, &branch.branches[..]));
            }
        }
        tree.finish();
        tree
    }

    /// Makes a tree of the root alone.
    pub(super) fn root() -> GameTree {
        let root = Node {
            label: 0,
            children: 0..0,
        };
        GameTree {
            nodes: vec![root],
            moves: Vec::new(),
        }
    }

    /// Adds a child. All children of a node are added one after the other. `moves` are the atomic
    /// moves that the label stands for.
    pub(super) fn add(&mut self, parent: usize, label: u32, moves: &[u32]) -> usize {
        let node = self.nodes.len();
        self.nodes.push(Node {
            label,
            children: 0..0,
        });
        let children = &mut self.nodes[parent].children;
        *children = match children.end == 0 {
            true => node..node + 1,
            false => children.start..node + 1,
        };
        self.moves.extend_from_slice(moves);
        node
    }

    /// Gives the nodes other labels.
    pub(super) fn relabel(&mut self, label: impl Fn(u32) -> u32) {
        for node in &mut self.nodes[1..] {
            node.label = label(node.label);
        }
    }

    /// Makes a set of the moves, when all are there.
    pub(super) fn finish(&mut self) {
        self.moves.sort_unstable();
        self.moves.dedup();
    }

    /// All moves in the tree, ascending: the `M` of section 2.
    pub fn moves(&self) -> &[u32] {
        &self.moves
    }

    /// The number of nodes other than the root, which is that of moves in all lines.
    pub fn size(&self) -> usize {
        self.nodes.len() - 1
    }

    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}
