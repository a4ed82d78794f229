//! Down the tree to where something is to be found out, and up again with it.

use super::node::{Bounds, Decision, Edge, Inside, JointId, Node, NodeId, Sum, To};
use super::tree::Tree;
use crate::machine::{Move, RoleId};
use crate::rng::GameRng;
use crate::search::successor::{Successor, Turn};

/// The decisions from the root on.
#[derive(Clone, Default, Debug)]
pub struct Path(Vec<Step>);

/// A decision.
#[derive(Clone, Debug)]
struct Step {
    node: NodeId,
    choice: Choice,
}

/// What was chosen.
#[derive(Clone, Debug)]
enum Choice {
    /// The place of an edge.
    Edge(usize),
    /// The places of the moves of each role, and their number.
    Joint(Box<[usize]>, JointId),
}

/// What is to be done at the end of a path.
#[derive(Debug)]
pub enum Leaf {
    /// Playouts are to start in this node.
    Play(NodeId),
    /// It is known what each role gets.
    Known(Box<[f64]>),
    /// What may be played in this node is to be found out.
    Expand(NodeId),
    /// Where this joint move leads to from the node is to be found out.
    Follow(NodeId, Vec<Move>),
    /// Somebody else is about to find out what is needed to go on.
    Busy,
}

impl Tree {
    /// Goes on from where the path ends, which is at `node`, by upper confidence bounds
    /// (Kocsis and Szepesvári, "Bandit based Monte-Carlo Planning", 2006). Evaluations that
    /// are under way count as visits, but have no value (Liu et al., "Watch the Unobserved",
    /// 2020).
    pub fn descend(
        &mut self,
        mut id: NodeId,
        path: &mut Path,
        exploration: f32,
        rng: &mut GameRng,
    ) -> Leaf {
        let play = |tree: &mut Tree, id: NodeId| {
            tree.node_mut(id).pending += 1;
            Leaf::Play(id)
        };
        loop {
            let node = self.node(id);
            if node.is_solved() {
                return Leaf::Known(node.bounds.iter().map(|bounds| bounds.low).collect());
            }
            match &node.inside {
                Inside::Expanding => return Leaf::Busy,
                Inside::Unexpanded if node.visits + node.pending == 0 => return play(self, id),
                Inside::Unexpanded => {
                    if self.is_full() {
                        return play(self, id);
                    }
                    self.node_mut(id).inside = Inside::Expanding;
                    return Leaf::Expand(id);
                }
                Inside::Decision(Decision { edges, .. }) => {
                    let chosen = match node.turn {
                        Turn::One(role) if self.random() == Some(role) => least_visited(edges),
                        Turn::One(role) => match self.best_edge(node, edges, role, exploration) {
                            Some(edge) => edge,
                            // All that can still be chosen is known.
                            None => {
                                self.refresh(id);
                                return Leaf::Known(self.known_values(id, role));
                            }
                        },
                        _ => unreachable!("such a node is one role's"),
                    };
                    let to = &edges[chosen].to;
                    if matches!(to, To::State(_)) && self.is_full() {
                        return play(self, id);
                    }
                    path.push(self, id, Choice::Edge(chosen));
                    id = self.follow(id, chosen);
                }
                Inside::Joint(joint) => {
                    let places = self.sample(joint, rng);
                    let number = joint.id(&places);
                    let next = match joint.edges.get(&number) {
                        Some(Some(next)) => Ok(*next),
                        Some(None) => return Leaf::Busy,
                        None if self.is_full() => return play(self, id),
                        None => Err(joint.moves(&places)),
                    };
                    path.push(self, id, Choice::Joint(places.into(), number));
                    match next {
                        Ok(next) => id = next,
                        Err(joint) => {
                            self.joint_mut(id).edges.insert(number, None);
                            return Leaf::Follow(id, joint);
                        }
                    }
                }
            }
        }
    }

    /// The edge with the greatest upper bound for the role, of those that it may still be
    /// of use to look at.
    fn best_edge(
        &self,
        node: &Node,
        edges: &[Edge],
        role: RoleId,
        exploration: f32,
    ) -> Option<usize> {
        let low = node.bounds[role.index()].low as f32;
        let scale = self.scale(role);
        let log = ((node.visits + node.pending) as f32 + 1.0).ln();
        // What has not been tried is thought to be as good as the rest.
        let untried = node.mean(role).unwrap_or(0.0) as f32;
        let mut best = None;
        for (place, edge) in edges.iter().enumerate() {
            let value = &edge.value;
            if value.is_solved || value.high < low {
                continue;
            }
            let mean = match edge.visits {
                0 => untried,
                _ => value.mean,
            };
            let tried = (edge.visits + edge.pending) as f32 + 1.0;
            let score = mean * scale + exploration * (log / tried).sqrt();
            if best.is_none_or(|(_, greatest)| score > greatest) {
                best = Some((place, score));
            }
        }
        best.map(|(place, _)| place)
    }

    /// By what goals are multiplied so that their range is one.
    fn scale(&self, role: RoleId) -> f32 {
        let Bounds { low, high } = self.ranges()[role.index()];
        if high > low {
            1.0 / (high - low) as f32
        } else {
            1.0
        }
    }

    /// What each role gets in a node of which all edges that the role may choose are known.
    fn known_values(&self, id: NodeId, role: RoleId) -> Box<[f64]> {
        let node = self.node(id);
        let Inside::Decision(Decision { edges, .. }) = &node.inside else {
            unreachable!("the node has edges");
        };
        let value = |edge: &&Edge| self.bounds(edge, role).high;
        let best = edges.iter().max_by(|a, b| value(a).total_cmp(&value(b)));
        let roles = RoleId::first(self.ranges().len());
        roles
            .map(|role| best.map_or(0.0, |edge| self.bounds(edge, role).low))
            .collect()
    }

    /// Adds the values that the evaluation at the end of the path had, for each role, there
    /// being a node if playouts started in it.
    pub fn back_up(&mut self, path: &Path, leaf: Option<NodeId>, values: &[f64]) {
        if let Some(leaf) = leaf {
            let leaf = self.node_mut(leaf);
            leaf.pending -= 1;
            leaf.add(values);
        }
        for step in path.0.iter().rev() {
            let node = self.node_mut(step.node);
            node.pending -= 1;
            node.add(values);
            step.for_each_count(node, |visits, pending, arm| {
                *visits += 1;
                *pending -= 1;
                if let Some((role, sum)) = arm {
                    sum.add(values[role]);
                }
            });
            match &step.choice {
                Choice::Edge(place) => {
                    // Each node on the way takes over what is proved below.
                    if self.note(step.node, *place) {
                        self.refresh(step.node);
                    }
                }
                Choice::Joint(places, _) => self.regret(step.node, places, values),
            }
        }
    }

    /// Computes anew what is known of the nodes of the path, as far as there is news.
    pub fn refresh_path(&mut self, path: &Path) {
        for step in path.0.iter().rev() {
            let Choice::Edge(place) = step.choice else {
                break;
            };
            if !(self.note(step.node, place) && self.refresh(step.node)) {
                break;
            }
        }
    }

    /// Gives up the evaluation at the end of the path.
    pub fn cancel(&mut self, path: &Path, leaf: Option<NodeId>) {
        if let Some(leaf) = leaf {
            self.node_mut(leaf).pending -= 1;
        }
        for step in &path.0 {
            let node = self.node_mut(step.node);
            node.pending -= 1;
            step.for_each_count(node, |_, pending, _| *pending -= 1);
        }
    }

    /// Says where the joint move leads to by which the path ends; returns the node.
    pub fn complete(&mut self, path: &Path, successor: Successor) -> NodeId {
        let (node, number) = path.last_joint();
        let id = self.intern(successor);
        self.joint_mut(node).edges.insert(number, Some(id));
        id
    }

    /// Takes back the joint move by which the path ends, which nobody has looked at.
    pub fn forget(&mut self, path: &Path) {
        let (node, number) = path.last_joint();
        self.joint_mut(node).edges.remove(&number);
    }
}

impl Node {
    fn add(&mut self, values: &[f64]) {
        self.visits += 1;
        for (sum, value) in self.sums.iter_mut().zip(values) {
            sum.add(*value);
        }
    }
}

impl Path {
    /// Adds a decision, which counts as under way from now on.
    fn push(&mut self, tree: &mut Tree, node: NodeId, choice: Choice) {
        let step = Step { node, choice };
        let node = tree.node_mut(node);
        node.pending += 1;
        step.for_each_count(node, |_, pending, _| *pending += 1);
        self.0.push(step);
    }

    /// The joint move by which the path ends.
    fn last_joint(&self) -> (NodeId, JointId) {
        match self.0.last() {
            Some(Step {
                node,
                choice: Choice::Joint(_, number),
            }) => (*node, *number),
            _ => unreachable!("the path ends by a joint move"),
        }
    }
}

impl Step {
    /// Calls `f` with the visits and the pending evaluations of what was chosen: of the edge,
    /// or of each role's move with the role and its results.
    fn for_each_count(
        &self,
        node: &mut Node,
        mut f: impl FnMut(&mut u32, &mut u32, Option<(usize, &mut Sum)>),
    ) {
        match (&self.choice, &mut node.inside) {
            (Choice::Edge(place), Inside::Decision(decision)) => {
                let edge = &mut decision.edges[*place];
                f(&mut edge.visits, &mut edge.pending, None);
            }
            (Choice::Joint(places, _), Inside::Joint(joint)) => {
                let arms = joint.arms.iter_mut().zip(places).enumerate();
                for (role, (arms, &place)) in arms {
                    let arm = &mut arms[place];
                    let results = Some((role, &mut arm.sum));
                    f(&mut arm.visits, &mut arm.pending, results);
                }
            }
            _ => unreachable!("what was chosen is there"),
        }
    }
}

/// The edge to take by chance: all are equally likely, and taken equally often.
fn least_visited(edges: &[Edge]) -> usize {
    let tried = |edge: &Edge| edge.visits + edge.pending;
    let edges = edges.iter().enumerate();
    let least = edges.min_by_key(|(_, edge)| tried(edge));
    least.map_or(0, |(place, _)| place)
}
