//! The tree of one game of a batched search.
//!
//! A node is a state in which a player or chance has a choice, or a match is over. If both have one at the same time, a
//! node of chance follows each action of the player, with the same state. Values are scaled to -1 to 1.

use rand::{Rng, RngExt};

use crate::game::vocabulary::state::ones;
use crate::support::rng::GameRng;

/// A tree that grows from its first node.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// What is not needed to descend, for each node.
    pub(super) details: Vec<Details>,
    edges: Vec<Edge>,
    /// The action of each edge; after chance, its move.
    actions: Vec<u32>,
    /// The moves of chance where a player has a choice at the same time.
    outcomes: Vec<u32>,
    /// The states of nodes, packed.
    states: Vec<u64>,
    /// The sums of the values of all visits of nodes, for each player.
    totals: Vec<f32>,
    words: usize,
    players: usize,
}

/// A node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) turn: Turn,
    /// The number of visits, that of its evaluation among them.
    pub(super) visits: u32,
    /// The mean value of its visits, for the player with a choice.
    pub(super) mean: f32,
    first: u32,
    edges: u32,
}

/// More about a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Details {
    /// The number of joint moves before it.
    pub(super) depth: u32,
    /// The evaluation, for the player with a choice.
    pub(super) value: f32,
    /// For a node of chance, the player who has already chosen in the same state, and its action.
    pub(super) pending: Option<(u32, u32)>,
    first_outcome: u32,
    outcomes: u32,
}

/// An action in a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// The prior probability.
    pub(super) prior: f32,
    /// The mean value of its visits, for the player with the choice.
    pub(super) mean: f32,
    pub(super) visits: u32,
    /// The node that it leads to, or [`NONE`].
    child: u32,
}

/// The role that decides in a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Turn {
    /// The player with this number.
    Player(u32),
    /// Moves are drawn, all with the same probability.
    Chance,
    /// None: the match has ended.
    Over,
}

/// An edge of a node on the way from the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    node: u32,
    edge: u32,
}

/// The end of a descent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reached {
    /// An edge to a node that there is not yet, the last one of the path.
    New,
    /// A node in which the match is over.
    Over(u32),
}

/// The properties of a node to be added.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewNode<'a> {
    pub(super) turn: Turn,
    pub(super) depth: u32,
    pub(super) state: &'a [u64],
    /// The legal actions, packed; of chance, its moves.
    pub(super) legal: &'a [u64],
    /// The moves of chance, packed, if a player has a choice at the same time.
    pub(super) outcomes: &'a [u64],
}

const NONE: u32 = u32::MAX;

/// The number of the root.
pub(super) const ROOT: u32 = 0;

impl Tree {
    /// Creates a tree without nodes, for a game with states of this many words.
    pub(super) fn new(words: usize, players: usize) -> Tree {
        Tree {
            nodes: Vec::new(),
            details: Vec::new(),
            edges: Vec::new(),
            actions: Vec::new(),
            outcomes: Vec::new(),
            states: Vec::new(),
            totals: Vec::new(),
            words,
            players,
        }
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.details.clear();
        self.edges.clear();
        self.actions.clear();
        self.outcomes.clear();
        self.states.clear();
        self.totals.clear();
    }

    pub(super) fn root(&self) -> &Node {
        &self.nodes[ROOT as usize]
    }

    pub(super) fn state(&self, node: u32) -> &[u64] {
        &self.states[node as usize * self.words..][..self.words]
    }

    /// The sums of the values of all visits of a node.
    pub(super) fn totals(&self, node: u32) -> &[f32] {
        &self.totals[node as usize * self.players..][..self.players]
    }

    pub(super) fn edges(&self, node: u32) -> &[Edge] {
        let Node { first, edges, .. } = self.nodes[node as usize];
        &self.edges[first as usize..][..edges as usize]
    }

    pub(super) fn edges_mut(&mut self, node: u32) -> &mut [Edge] {
        let Node { first, edges, .. } = self.nodes[node as usize];
        &mut self.edges[first as usize..][..edges as usize]
    }

    /// The actions of the edges.
    pub(super) fn actions(&self, node: u32) -> &[u32] {
        let Node { first, edges, .. } = self.nodes[node as usize];
        &self.actions[first as usize..][..edges as usize]
    }

    /// The node and the place of the last edge of a path.
    pub(super) fn last(&self, path: &[Step]) -> Option<(u32, usize)> {
        let Step { node, edge } = *path.last()?;
        let first = self.nodes[node as usize].first;
        Some((node, (edge - first) as usize))
    }

    /// Adds a node, at the end of a path if there is one. The order of its edges is rotated at random, so that seeds decide
    /// between equals.
    pub(super) fn add(&mut self, path: &[Step], new: NewNode<'_>, rng: &mut GameRng) -> u32 {
        let first = self.actions.len();
        self.actions
            .extend(ones(new.legal.iter().copied()).map(|action| action as u32));
        let edges = self.actions.len() - first;
        if edges > 1 {
            let places = edges as u64;
            let start = (u64::from(rng.next_u32()) * places) >> 32;
            self.actions[first..].rotate_left(start as usize);
        }
        let first_outcome = self.outcomes.len();
        self.outcomes
            .extend(ones(new.outcomes.iter().copied()).map(|outcome| outcome as u32));
        let node = Node {
            turn: new.turn,
            visits: 0,
            mean: 0.0,
            first: first as u32,
            edges: edges as u32,
        };
        let details = Details {
            depth: new.depth,
            value: 0.0,
            pending: None,
            first_outcome: first_outcome as u32,
            outcomes: (self.outcomes.len() - first_outcome) as u32,
        };
        self.states.extend_from_slice(new.state);
        let number = self.push(node, details);
        if let Some(Step { edge, .. }) = path.last() {
            self.edges[*edge as usize].child = number;
        }
        number
    }

    /// Adds a node whose actions and state have been added, with its edges.
    fn push(&mut self, node: Node, details: Details) -> u32 {
        let edge = Edge {
            prior: 1.0 / node.edges as f32,
            mean: 0.0,
            visits: 0,
            child: NONE,
        };
        self.edges.resize(self.actions.len(), edge);
        self.totals.resize(self.totals.len() + self.players, 0.0);
        self.nodes.push(node);
        self.details.push(details);
        self.nodes.len() as u32 - 1
    }

    /// The node that an edge leads to, by its place among those of a node, if it is there. If it is only chance that comes
    /// next, in the same state, it is added.
    pub(super) fn next(&mut self, node: u32, place: usize) -> Option<u32> {
        let parent = self.nodes[node as usize];
        let edge = parent.first as usize + place;
        if self.edges[edge].child == NONE {
            self.add_chance(node, edge);
        }
        let child = self.edges[edge].child;
        (child != NONE).then_some(child)
    }

    /// Adds the node of chance after an edge, if chance has a choice in the same state.
    fn add_chance(&mut self, node: u32, edge: usize) {
        let (turn, parent) = (self.nodes[node as usize].turn, self.details[node as usize]);
        if let (Turn::Player(player), 1..) = (turn, parent.outcomes) {
            let chance = Node {
                turn: Turn::Chance,
                visits: 0,
                mean: 0.0,
                first: self.actions.len() as u32,
                edges: parent.outcomes,
            };
            let outcomes = &self.outcomes[parent.first_outcome as usize..];
            self.actions
                .extend_from_slice(&outcomes[..parent.outcomes as usize]);
            let state = node as usize * self.words;
            self.states.extend_from_within(state..state + self.words);
            let details = Details {
                pending: Some((player, self.actions[edge])),
                outcomes: 0,
                ..parent
            };
            self.edges[edge].child = self.push(chance, details);
        }
    }

    /// Sets the prior probabilities of a node's edges: the softmax of the logits of all actions.
    pub(super) fn set_priors(&mut self, node: u32, logits: &[f32]) {
        let Node { first, edges, .. } = self.nodes[node as usize];
        let places = first as usize..(first + edges) as usize;
        let actions = &self.actions[places.clone()];
        let edges = &mut self.edges[places];
        let logit = |action: &u32| logits[*action as usize];
        let mut all = actions.iter().map(logit);
        let first = all.next().unwrap_or(0.0);
        if all.all(|other| other == first) {
            // They are equal from the start.
            return;
        }
        let greatest = actions.iter().map(logit).fold(first, f32::max);
        let mut total = 0.0;
        for (edge, action) in edges.iter_mut().zip(actions) {
            edge.prior = (logit(action) - greatest).exp();
            total += edge.prior;
        }
        edges.iter_mut().for_each(|edge| edge.prior /= total);
    }

    /// Goes on from a node to an edge that leads nowhere yet, or to an end, by the edges that `choose` returns for
    /// players.
    pub(super) fn descend(
        &mut self,
        from: u32,
        path: &mut Vec<Step>,
        rng: &mut GameRng,
        mut choose: impl FnMut(&Tree, u32) -> usize,
    ) -> Reached {
        let mut node = from;
        loop {
            let Node {
                turn, first, edges, ..
            } = self.nodes[node as usize];
            let place = match turn {
                Turn::Over => return Reached::Over(node),
                Turn::Chance => rng.random_range(0..edges) as usize,
                Turn::Player(_) => choose(self, node),
            };
            let edge = first + place as u32;
            path.push(Step { node, edge });
            match self.next(node, place) {
                Some(next) => node = next,
                None => return Reached::New,
            }
        }
    }

    /// Counts a visit of a node at the end of a path, with a value for each player.
    pub(super) fn visit(&mut self, path: &[Step], node: u32, values: &[f32]) {
        self.count(node, values);
        for &Step { node, edge } in path {
            self.count(node, values);
            let edge = &mut self.edges[edge as usize];
            edge.visits += 1;
            if let Turn::Player(player) = self.nodes[node as usize].turn {
                edge.mean += (values[player as usize] - edge.mean) / edge.visits as f32;
            }
        }
    }

    fn count(&mut self, number: u32, values: &[f32]) {
        let node = &mut self.nodes[number as usize];
        node.visits += 1;
        if let Turn::Player(player) = node.turn {
            node.mean += (values[player as usize] - node.mean) / node.visits as f32;
        }
        let totals = &mut self.totals[number as usize * self.players..][..self.players];
        for (total, value) in totals.iter_mut().zip(values) {
            *total += value;
        }
    }

    /// Removes the node at the end of a path, as if it had not been added.
    pub(super) fn unlink(&mut self, path: &[Step]) {
        if let Some(Step { edge, .. }) = path.last() {
            self.edges[*edge as usize].child = NONE;
        }
    }

    /// Keeps only what follows from a node, which becomes the root.
    pub(super) fn keep(&mut self, root: u32) {
        let mut kept = Tree::new(self.words, self.players);
        let mut order = vec![root];
        let mut at = 0;
        while let Some(&old) = order.get(at) {
            let node = self.nodes[old as usize];
            kept.nodes.push(Node {
                first: kept.edges.len() as u32,
                ..node
            });
            let details = self.details[old as usize];
            kept.details.push(Details {
                first_outcome: kept.outcomes.len() as u32,
                ..details
            });
            let outcomes = &self.outcomes[details.first_outcome as usize..];
            kept.outcomes
                .extend_from_slice(&outcomes[..details.outcomes as usize]);
            kept.states.extend_from_slice(self.state(old));
            kept.totals.extend_from_slice(self.totals(old));
            kept.actions.extend_from_slice(self.actions(old));
            for edge in self.edges(old) {
                let mut edge = *edge;
                if edge.child != NONE {
                    order.push(edge.child);
                    edge.child = order.len() as u32 - 1;
                }
                kept.edges.push(edge);
            }
            at += 1;
        }
        *self = kept;
    }
}
