//! All nodes of a search: found by their state, bounded in memory, used again.
//!
//! States that are reached in several ways share a node if they have the same depth too. So
//! there are no cycles.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::node::{Bounds, Decision, Edge, Inside, Joint, Node, NodeId, To, Value};
use crate::machine::{RoleId, State};
use crate::search::successor::{Successor, Turn};

/// The nodes of a search.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    /// Numbers of nodes that are not in use.
    free: Vec<NodeId>,
    table: HashTable<NodeId>,
    /// The goals that each role can have.
    ranges: Box<[Bounds]>,
    /// The role that decides by chance.
    random: Option<RoleId>,
    /// How much memory is used, about.
    bytes: usize,
    /// How much may be.
    limit: usize,
    root: NodeId,
}

impl Tree {
    /// A tree of one node, of at most so many bytes or a little more.
    pub fn new(
        root: Successor,
        ranges: Box<[Bounds]>,
        random: Option<RoleId>,
        limit: usize,
    ) -> Tree {
        let mut tree = Tree {
            nodes: Vec::new(),
            free: Vec::new(),
            table: HashTable::new(),
            ranges,
            random,
            bytes: 0,
            limit,
            root: NodeId::new(0),
        };
        tree.root = tree.add(root);
        tree
    }

    /// The node in which the search starts.
    pub fn root(&self) -> NodeId {
        self.root
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// Whether there is no memory for more nodes.
    pub fn is_full(&self) -> bool {
        self.bytes >= self.limit
    }

    /// The role that decides by chance.
    pub fn random(&self) -> Option<RoleId> {
        self.random
    }

    /// The goals that each role can have.
    pub fn ranges(&self) -> &[Bounds] {
        &self.ranges
    }

    /// The node of a state, which is made if there is none.
    pub fn intern(&mut self, successor: Successor) -> NodeId {
        match self.find(&successor.state, successor.arrival.depth) {
            Some(id) => id,
            None => self.add(successor),
        }
    }

    fn find(&self, state: &State, depth: u32) -> Option<NodeId> {
        let is_it = |id: &NodeId| {
            let node = self.node(*id);
            node.depth == depth && node.state == *state
        };
        self.table.find(hash(state, depth), is_it).copied()
    }

    fn add(&mut self, successor: Successor) -> NodeId {
        let hash_of = |id: &NodeId| {
            let node = &self.nodes[id.index()];
            hash(&node.state, node.depth)
        };
        let id = match self.free.pop() {
            Some(id) => id,
            None => NodeId::new(self.nodes.len()),
        };
        let hash = hash(&successor.state, successor.arrival.depth);
        self.table.insert_unique(hash, id, hash_of);
        let node = Node::new(successor, &self.ranges);
        self.bytes += node.bytes();
        match self.nodes.get_mut(id.index()) {
            Some(place) => *place = node,
            None => self.nodes.push(node),
        }
        id
    }

    /// Sets what may be played in a node.
    pub fn open(&mut self, id: NodeId, inside: Inside) {
        let node = &mut self.nodes[id.index()];
        self.bytes -= node.bytes();
        node.inside = inside;
        self.bytes += node.bytes();
    }

    /// The node that a move of a decision leads to; it is made if there is none.
    pub fn follow(&mut self, from: NodeId, place: usize) -> NodeId {
        let decision = self.decision_mut(from);
        let arrival = match &decision.edges[place].to {
            To::Node(id) => return *id,
            To::State(arrival) => arrival.clone(),
        };
        let state = decision.state(place);
        let id = self.intern(Successor { state, arrival });
        self.decision_mut(from).edges[place].to = To::Node(id);
        id
    }

    /// The inside of a node in which one role decides.
    pub fn decision_mut(&mut self, id: NodeId) -> &mut Decision {
        match &mut self.node_mut(id).inside {
            Inside::Decision(decision) => decision,
            _ => unreachable!("one role decides here"),
        }
    }

    /// The inside of a node in which several roles decide.
    pub fn joint_mut(&mut self, id: NodeId) -> &mut Joint {
        match &mut self.node_mut(id).inside {
            Inside::Joint(joint) => joint,
            _ => unreachable!("several roles decide here"),
        }
    }

    /// Notes in a node what is known of the node that one of its moves leads to. Returns
    /// whether more is proved there than was noted.
    pub fn note(&mut self, id: NodeId, place: usize) -> bool {
        let Turn::One(role) = self.node(id).turn else {
            return false;
        };
        let Some(child) = self.decision_mut(id).edges[place].node() else {
            return false;
        };
        let child = self.node(child);
        let Bounds { low, high } = child.bounds[role.index()];
        let value = Value {
            mean: child.mean(role).unwrap_or(0.0) as f32,
            low: low as f32,
            high: high as f32,
            is_solved: child.is_solved(),
        };
        let noted = &mut self.decision_mut(id).edges[place].value;
        let before = std::mem::replace(noted, value);
        let proved = |value: &Value| (value.low, value.high, value.is_solved);
        proved(&before) != proved(&value)
    }

    /// What a role can still get behind an edge.
    pub fn bounds(&self, edge: &Edge, role: RoleId) -> Bounds {
        match &edge.to {
            To::Node(id) => self.node(*id).bounds[role.index()],
            To::State(arrival) => match &arrival.turn {
                Turn::Over(goals) => Bounds::exact(goals[role.index()]),
                _ => self.ranges[role.index()],
            },
        }
    }

    /// Makes the state the root, and forgets nodes that cannot be reached from it.
    pub fn set_root(&mut self, root: Successor) {
        self.root = self.intern(root);
        let mut is_reached = vec![false; self.nodes.len()];
        let mut left = vec![self.root];
        while let Some(id) = left.pop() {
            if std::mem::replace(&mut is_reached[id.index()], true) {
                continue;
            }
            match &self.node(id).inside {
                Inside::Unexpanded | Inside::Expanding => {}
                Inside::Decision(decision) => {
                    left.extend(decision.edges.iter().filter_map(Edge::node));
                }
                Inside::Joint(joint) => left.extend(joint.edges.values().flatten()),
            }
        }
        self.table.retain(|id| is_reached[id.index()]);
        self.free.clear();
        self.bytes = 0;
        for (index, node) in self.nodes.iter_mut().enumerate() {
            if is_reached[index] {
                self.bytes += node.bytes();
            } else {
                // Its memory goes, its place stays.
                *node = Node::vacant();
                self.free.push(NodeId::new(index));
            }
        }
    }
}

fn hash(state: &State, depth: u32) -> u64 {
    FxBuildHasher.hash_one((state, depth))
}
