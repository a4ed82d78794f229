//! Paths: the decisions from the root to a leaf.

use crate::game::machine::Move;
use crate::search::mcts::tree::Tree;
use crate::search::mcts::tree::arena::Block;
use crate::search::mcts::tree::joint::JointId;
use crate::search::mcts::tree::node::NodeId;

/// The decisions from the root on.
#[derive(Default, Debug)]
pub(in crate::search::mcts) struct Path {
    pub steps: Vec<Step>,
}

/// A decision.
#[derive(Debug)]
pub(in crate::search::mcts) struct Step {
    pub node: NodeId,
    pub choice: Choice,
}

/// A choice in a node.
#[derive(Debug)]
pub(in crate::search::mcts) enum Choice {
    /// The place of an edge in a block.
    Edge(Block, u32),
    /// The places of the moves of each role, and their number.
    Joint(Box<[usize]>, JointId),
}

impl Path {
    /// Makes it a path that ends at the root.
    pub(in crate::search::mcts) fn clear(&mut self) {
        self.steps.clear();
    }

    /// The edge that was chosen first, if the root has edges.
    pub(in crate::search::mcts) fn first_edge(&self) -> Option<usize> {
        match self.steps.first()?.choice {
            Choice::Edge(_, place) => Some(place as usize),
            Choice::Joint(..) => None,
        }
    }

    /// The choices among edges, the last one first: the node, the block that the edge is in, and its
    /// place.
    pub(in crate::search::mcts) fn edges(&self) -> impl Iterator<Item = (NodeId, Block, usize)> {
        self.steps
            .iter()
            .rev()
            .filter_map(|step| match step.choice {
                Choice::Edge(inside, place) => Some((step.node, inside, place as usize)),
                Choice::Joint(..) => None,
            })
    }

    /// The joint move by which the path ends, if several roles decided there: the node, and the number.
    pub(in crate::search::mcts) fn last_joint(&self) -> Option<(NodeId, JointId)> {
        match self.steps.last()? {
            Step {
                node,
                choice: Choice::Joint(_, number),
            } => Some((*node, *number)),
            _ => None,
        }
    }
}

impl Tree {
    /// The decisions on the path: after how many joint moves, and what was played.
    pub(in crate::search::mcts) fn decisions(
        &self,
        path: &Path,
    ) -> impl Iterator<Item = (u32, Move)> {
        path.steps.iter().filter_map(|step| match step.choice {
            Choice::Edge(inside, place) => {
                let depth = self.node(step.node).meta().depth();
                let edge = self.decision(inside).edge(place as usize);
                Some((depth, edge.played()))
            }
            Choice::Joint(..) => None,
        })
    }
}
