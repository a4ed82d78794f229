//! Nodes of the tree, and what is known of them.

use rustc_hash::FxHashMap;

use crate::machine::{Move, RoleId, State};
use crate::search::successor::{Arrival, Successor, Successors, Turn, unpack};

/// The number of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    pub fn new(index: usize) -> NodeId {
        NodeId(u32::try_from(index).expect("memory is bounded well below so many nodes"))
    }

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a role can still get: the least and the most of it, if everybody plays as well as
/// can be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounds {
    pub low: f64,
    pub high: f64,
}

impl Bounds {
    /// A value that is known.
    pub fn exact(value: f64) -> Bounds {
        Bounds {
            low: value,
            high: value,
        }
    }

    /// Whether the value is known. Means of goals are compared, hence the tolerance.
    pub fn are_exact(self) -> bool {
        self.high - self.low < 1e-9
    }
}

/// The results of evaluations, for one role.
#[derive(Clone, Copy, Default, Debug)]
pub struct Sum {
    pub values: f64,
    pub squares: f64,
}

impl Sum {
    pub fn add(&mut self, value: f64) {
        self.values += value;
        self.squares += value * value;
    }

    /// The mean of so many values.
    pub fn mean(self, count: u32) -> Option<f64> {
        (count > 0).then(|| self.values / f64::from(count))
    }

    /// The standard error of the mean of so many values.
    pub fn standard_error(self, count: u32) -> Option<f64> {
        let n = f64::from(count);
        let mean = self.mean(count)?;
        let variance = (self.squares - n * mean * mean).max(0.0) / (n - 1.0);
        (count > 1).then(|| (variance / n).sqrt())
    }
}

/// A state in which somebody decides, or a match is over.
#[derive(Debug)]
pub struct Node {
    pub state: State,
    /// How many joint moves were made before.
    pub depth: u32,
    pub turn: Turn,
    /// How many evaluations were made in this node and below.
    pub visits: u32,
    /// How many are under way.
    pub pending: u32,
    /// For each role.
    pub sums: Box<[Sum]>,
    /// For each role.
    pub bounds: Box<[Bounds]>,
    pub inside: Inside,
}

/// What may be played in a node.
#[derive(Debug)]
pub enum Inside {
    /// Not yet known.
    Unexpanded,
    /// Somebody is about to find out.
    Expanding,
    /// One role decides.
    Decision(Decision),
    /// Several roles decide.
    Joint(Box<Joint>),
}

/// A choice of one role.
#[derive(Debug)]
pub struct Decision {
    /// The role's moves.
    pub moves: Box<[Move]>,
    /// What each of them leads to.
    pub edges: Box<[Edge]>,
    /// The states that they lead to, packed, one after the other.
    pub states: Box<[u64]>,
}

/// What a decision leads to.
#[derive(Debug)]
pub struct Edge {
    pub visits: u32,
    pub pending: u32,
    pub to: To,
    pub value: Value,
}

/// What the role that decides expects of an edge, as of the last visit: kept here so that a
/// choice need not look at all the nodes that the edges lead to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Value {
    /// The mean of evaluations, if there are any.
    pub mean: f32,
    /// The least and the most that the role can still get.
    pub low: f32,
    pub high: f32,
    /// Whether it is known what each role gets.
    pub is_solved: bool,
}

/// Where an edge leads to.
#[derive(Debug)]
pub enum To {
    /// A node.
    Node(NodeId),
    /// A state that has not been visited, or in which the match is over.
    State(Arrival),
}

/// A choice that several roles make at once, each at random with a strategy of its own that
/// does not depend on what the others choose now, but on what would have been better against
/// what they chose before: regret matching (Hart and Mas-Colell, 2000; for tree search Tak,
/// Lanctot and Winands, "Monte Carlo Tree Search Variants for Simultaneous Move Games", 2014).
#[derive(Debug)]
pub struct Joint {
    /// For each role, its moves.
    pub arms: Box<[Box<[Arm]>]>,
    /// Where joint moves lead to, as far as they were chosen; nowhere while somebody finds
    /// out.
    pub edges: FxHashMap<JointId, Option<NodeId>>,
}

/// A joint move, as a number of digits that are the places of the roles' moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct JointId(pub u64);

/// A move of a role that decides together with others.
#[derive(Clone, Debug)]
pub struct Arm {
    pub played: Move,
    pub visits: u32,
    pub pending: u32,
    pub sum: Sum,
    /// By how much it would have been better to play this every time: at least 0, as the
    /// past is forgotten in which it would have been worse ("regret matching plus": Tammelin,
    /// 2014).
    pub regret: f64,
}

impl Joint {
    pub fn new(legal: &[Vec<Move>]) -> Joint {
        let arm = |&played: &Move| Arm {
            played,
            visits: 0,
            pending: 0,
            sum: Sum::default(),
            regret: 0.0,
        };
        let arms = legal.iter().map(|moves| moves.iter().map(arm).collect());
        Joint {
            arms: arms.collect(),
            edges: FxHashMap::default(),
        }
    }

    /// The number of a joint move, given by the places of the moves.
    ///
    /// Numbers of more than 64 bits wrap around; joint moves that then have the same
    /// number, among more than 2<sup>64</sup>, are taken for each other.
    pub fn id(&self, places: &[usize]) -> JointId {
        let digits = self.arms.iter().zip(places);
        JointId(digits.fold(0u64, |id, (arms, &place)| {
            id.wrapping_mul(arms.len() as u64)
                .wrapping_add(place as u64)
        }))
    }

    /// The joint move at these places.
    pub fn moves(&self, places: &[usize]) -> Vec<Move> {
        let arms = self.arms.iter().zip(places);
        arms.map(|(arms, &place)| arms[place].played).collect()
    }
}

impl Node {
    /// A node without visits; `ranges` are the goals that each role can have in the game.
    pub fn new(successor: Successor, ranges: &[Bounds]) -> Node {
        let Successor { state, arrival } = successor;
        let bounds = match &arrival.turn {
            Turn::Over(goals) => goals.iter().copied().map(Bounds::exact).collect(),
            _ => ranges.into(),
        };
        Node {
            state,
            depth: arrival.depth,
            turn: arrival.turn,
            visits: 0,
            pending: 0,
            sums: vec![Sum::default(); ranges.len()].into(),
            bounds,
            inside: Inside::Unexpanded,
        }
    }

    /// What takes the place of a node that is gone.
    pub fn vacant() -> Node {
        let nobody = Successor {
            state: State::new(),
            arrival: Arrival {
                depth: 0,
                turn: Turn::Over(Box::default()),
            },
        };
        Node::new(nobody, &[])
    }

    /// The mean of a role's evaluations within what it can still get; none without visits,
    /// unless the value is known.
    pub fn mean(&self, role: RoleId) -> Option<f64> {
        let Bounds { low, high } = self.bounds[role.index()];
        match self.sums[role.index()].mean(self.visits) {
            Some(mean) => Some(mean.clamp(low, high)),
            None => self.bounds[role.index()].are_exact().then_some(low),
        }
    }

    /// Whether it is known what each role gets.
    pub fn is_solved(&self) -> bool {
        self.bounds.iter().all(|bounds| bounds.are_exact())
    }

    /// Bytes of memory, about.
    pub fn bytes(&self) -> usize {
        let roles = self.sums.len() * (size_of::<Sum>() + size_of::<Bounds>());
        let inside = match &self.inside {
            Inside::Unexpanded | Inside::Expanding => 0,
            Inside::Decision(decision) => {
                let Decision {
                    moves,
                    edges,
                    states,
                } = decision;
                size_of_val(&**moves) + size_of_val(&**edges) + size_of_val(&**states)
            }
            Inside::Joint(joint) => {
                let arms = joint.arms.iter().map(|arms| arms.len() * size_of::<Arm>());
                arms.sum::<usize>() + joint.edges.len() * size_of::<(JointId, Option<NodeId>)>()
            }
        };
        size_of::<Node>() + 8 * self.state.words().len() + roles + inside
    }
}

impl Decision {
    /// The moves and what they lead to, for a role of which the goals are in this range.
    pub fn new(moves: &[Move], successors: Successors, role: RoleId, range: Bounds) -> Decision {
        let edge = |arrival: Arrival| match &arrival.turn {
            Turn::Over(goals) => {
                let bounds = Bounds::exact(goals[role.index()]);
                Edge::new(To::State(arrival), bounds, true)
            }
            _ => Edge::new(To::State(arrival), range, false),
        };
        Decision {
            moves: moves.into(),
            edges: successors.arrivals.into_iter().map(edge).collect(),
            states: successors.states.into(),
        }
    }

    /// The state that a move leads to.
    pub fn state(&self, place: usize) -> State {
        unpack(&self.states, self.edges.len(), place)
    }
}

impl Edge {
    /// The node that it leads to, if there is one.
    pub fn node(&self) -> Option<NodeId> {
        match self.to {
            To::Node(id) => Some(id),
            To::State(_) => None,
        }
    }

    pub fn new(to: To, Bounds { low, high }: Bounds, is_solved: bool) -> Edge {
        Edge {
            visits: 0,
            pending: 0,
            to,
            value: Value {
                mean: 0.0,
                low: low as f32,
                high: high as f32,
                is_solved,
            },
        }
    }
}
