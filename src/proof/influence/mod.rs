//! Static influence analysis: distances between moves, distances to goals, and how many moves a goal
//! couples. All of it is read off the circuit, once per game.
//!
//! A move *touches* the base propositions to which it gives another next value than most moves of its role
//! do. It *depends* on propositions if they have an influence on whether it is legal, or on what it does to
//! those that it touches; and so do next values, as the circuit is built. The states considered are not
//! terminal, and each is in one of the game's [phases](crate::game::ground::Phases): the role to move has
//! no influence, nor has a step counter that no move touches.
//!
//! # What a distance promises
//!
//! Take two matches that part in a state, where a role plays `a` in the one and `b` in the other. After `n`
//! joint moves, that one included, each role plays the same in both matches, or in both of them moves with
//! a [distance](Influence::distance) from `a` or from `b` of `n` or less. As long as neither is over,
//!
//! - a move is legal in both matches or in neither, and does the same to what it touches, if its
//!   distance from `a` and from `b` is more than `n`, or it has none;
//! - both are in a terminal state or neither is, if the distances of `a` and of `b` to the
//!   [end](Influence::to_end) are more than `n`.
//!
//! Nothing is promised about how good moves are: a role may well prefer another move, far away,
//! because of what it sees here. So distances may order and restrict what is tried; they prove nothing.
//!
//! # Coupling
//!
//! A goal consists of [terms](GoalCoupling): sets of propositions that must have certain values together.
//! If one move can achieve all of a term, as with a pawn that reaches the last row, wins are local. Four in
//! a row couple four moves; a count of pieces couples the whole board.
//!
//! ```
//! use propjit::proof::influence::Influence;
//! use propjit::{Game, Move, RoleId, Setup, Stop};
//! let rules = propjit::gdl::games::text("breakthrough").unwrap();
//! let game = Game::from_text("breakthrough.kif", rules, &Setup::default())?;
//! let ground = game.ground_game().unwrap();
//! let influence = Influence::new(ground, &Stop::new())?;
//! let white = |text| (RoleId(0), ground.parse_move(RoleId(0), text).unwrap());
//! let [near, far] = ["(move 1 2 1 3)", "(move 8 2 8 3)"].map(white);
//! // Black moves between.
//! assert_eq!(influence.distance(near, white("(move 1 3 1 4)")), Some(2));
//! assert!(influence.distance(near, far).is_none_or(|distance| distance > 2));
//! // A row with each joint move, for Black's moves depend on White's.
//! assert_eq!(influence.to_goal(RoleId(0), near), Some(7));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Sources: "Local search", Sancho's blog (<http://sanchoggp.blogspot.com>, 2014); D. Michulke and
//! S. Schiffel, "Distance features for general game playing agents" (ICAART 2012).

mod bit_matrix;
mod coupling;
mod distances;
mod effects;
mod nonterminal;
mod phase;
mod support;
mod terms;

use propjit_stop::Stop;

pub use coupling::GoalCoupling;
pub use distances::{Distances, Distribution};
pub(crate) use terms::conjunctions;

use crate::game::circuits::reasons::PhaseCircuit;
use crate::game::ground::GroundGame;
use crate::game::vocabulary::moves::{Move, RoleId};
use distances::{FAR, Steps, ToWires};
use phase::PhaseStep;

/// The number of moves from which all distances are counted.
const MAX_SOURCES: usize = 1024;

/// A move of a role.
pub type RoleMove = (RoleId, Move);

/// Why it is not known what moves have an influence on.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InfluenceError {
    /// It would take too much memory.
    #[error(
        "the dependencies need more than {} MiB: the game has too many propositions and moves",
        most >> 23
    )]
    Memory {
        /// The number of bits that would be allowed.
        most: usize,
    },
    /// It would take too long.
    #[error("the effects of moves need more than {most} gates")]
    Effects {
        /// The number of gates that would be allowed.
        most: usize,
    },
    /// The stop came before it was found out.
    #[error("time ran out before the influence of moves was known")]
    Stopped,
}

/// The influences of the moves of a game, and how soon they arrive.
#[derive(Debug)]
pub struct Influence {
    steps: Steps,
    /// The number of the first move of each role, and that of all moves.
    starts: Vec<usize>,
    goals: Vec<GoalCoupling>,
    /// By role, the distances to its goal.
    to_goal: Vec<ToWires>,
    to_end: ToWires,
}

impl Influence {
    /// Computes the influences of the moves of a game.
    ///
    /// # Errors
    /// When it would take too much time or memory to find out, or the stop comes.
    pub fn new(game: &GroundGame, stop: &Stop) -> Result<Influence, InfluenceError> {
        let layout = game.layout();
        let phases = 0..game.phases().period();
        let phases = phases.map(|phase| {
            let circuit = PhaseCircuit::new(game, phase);
            match stop.is_set() {
                true => Err(InfluenceError::Stopped),
                false => Ok(circuit),
            }
        });
        let phases = phases.collect::<Result<Vec<_>, _>>()?;
        let steps = phases.iter().map(|phase| PhaseStep::new(game, phase, stop));
        let steps = steps.collect::<Result<Vec<_>, _>>()?;
        let steps = Steps::new(steps, layout.bases.len());
        let goals = layout.roles();
        let goals = goals.map(|role| GoalCoupling::new(&steps, &phases, game, role, stop));
        let goals: Vec<GoalCoupling> = goals.collect();
        let to_goal = goals.iter().map(|goal| steps.to_wires(&goal.least));
        let starts = layout.does.iter().map(|does| does.start);
        let starts = starts.chain([layout.inputs()]);
        let influence = Influence {
            to_goal: to_goal.collect(),
            to_end: steps.to_wires(&coupling::depends_on_end(&phases, layout, stop)),
            starts: starts.map(|start| start - layout.bases.len()).collect(),
            goals,
            steps,
        };
        match stop.is_set() {
            true => Err(InfluenceError::Stopped),
            false => Ok(influence),
        }
    }

    /// The distances from a move to all moves.
    pub fn distances(&self, from: RoleMove) -> Distances {
        Distances {
            each: self.steps.distances(self.number(from)),
            starts: self.starts.clone(),
        }
    }

    /// Returns the number of joint moves after which a move, which is the first of them, may have an
    /// influence on another one: on whether it is legal, or on what it does. `None` if it never has. A move
    /// may have an influence on itself. For many distances from one move, get [all of
    /// them](Influence::distances) at once.
    pub fn distance(&self, from: RoleMove, to: RoleMove) -> Option<u32> {
        self.distances(from).to(to)
    }

    /// The number of joint moves after which a move, which is the first of them, may have an
    /// influence on whether this role has its greatest goal, by one of those of its
    /// [terms](GoalCoupling) with the fewest propositions. `None` if it never has.
    pub fn to_goal(&self, of: RoleId, played: RoleMove) -> Option<u32> {
        near(self.to_goal[of.index()].moves[self.number(played)])
    }

    /// The number of joint moves after which a change of a base proposition may have an influence
    /// on whether this role has its greatest goal, as in [`to_goal`](Influence::to_goal); 0 if a term
    /// has the proposition.
    pub fn proposition_to_goal(&self, of: RoleId, proposition: usize) -> Option<u32> {
        near(self.to_goal[of.index()].propositions[proposition])
    }

    /// The number of joint moves after which a move, which is the first of them, may have an
    /// influence on whether the match is over. `None` if it never has.
    pub fn to_end(&self, played: RoleMove) -> Option<u32> {
        near(self.to_end.moves[self.number(played)])
    }

    /// The number of joint moves after which a change of a base proposition may have an influence
    /// on whether the match is over: 0 if that depends on it at once.
    pub fn proposition_to_end(&self, proposition: usize) -> Option<u32> {
        near(self.to_end.propositions[proposition])
    }

    /// The propositions that a move touches in some phase, ascending.
    pub fn touched(&self, played: RoleMove) -> Vec<usize> {
        self.steps.touched_by(self.number(played))
    }

    /// How the greatest goal of each role couples moves.
    pub fn goals(&self) -> &[GoalCoupling] {
        &self.goals
    }

    /// Returns the moves that may be legal in some state, by the circuit.
    pub fn moves(&self) -> impl Iterator<Item = RoleMove> {
        let roles = self.starts.windows(2).zip(0..);
        let moves = roles.flat_map(|(ends, role)| {
            let numbers = ends[0]..ends[1];
            numbers
                .zip(0..)
                .map(move |(number, played)| (number, (RoleId(role), Move(played))))
        });
        moves
            .filter(|&(number, _)| self.steps.is_live(number))
            .map(|(_, played)| played)
    }

    /// How often each distance occurs from one move to another one, and from how many moves that
    /// was counted: from 1024 of them at most, evenly spread, and no more when the stop comes.
    pub fn distribution(&self, stop: &Stop) -> (Distribution, usize) {
        let live: Vec<usize> = self.moves().map(|played| self.number(played)).collect();
        let mut found = Distribution::default();
        let mut count = 0;
        for &from in live.iter().step_by(live.len().div_ceil(MAX_SOURCES).max(1)) {
            if stop.is_set() {
                break;
            }
            let distances = self.steps.distances(from);
            let others = live.iter().filter(|&&to| to != from);
            others.for_each(|&to| found.add(distances[to]));
            count += 1;
        }
        (found, count)
    }

    fn number(&self, (role, played): RoleMove) -> usize {
        self.starts[role.index()] + played.index()
    }
}

/// The distance, if there is an influence.
fn near(distance: u32) -> Option<u32> {
    (distance != FAR).then_some(distance)
}
