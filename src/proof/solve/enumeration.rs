//! Values of games from the enumeration of their states.

use std::sync::Arc;

use propjit_stop::Stop;

use crate::game::ground::GroundGame;
use crate::game::machine::expansion::legal::Legal;
use crate::game::machine::{Move, RoleId};

use super::bounds::{AllBounds, SolveMethod, goals, players};
use super::graph::Graph;
use super::split::{Side, Split};
use super::strategy::{Question, best_line};
use super::values::Values;

/// States, and the values that they have for all roles.
pub(super) struct Enumeration {
    pub(super) graph: Graph,
    /// One for each role but chance, if there was time.
    pub(super) questions: Vec<Question>,
}

impl Enumeration {
    /// Finds out what the states of a graph are worth, until a stop comes, and notes what that says
    /// of the initial state.
    pub(super) fn new(
        game: &GroundGame,
        graph: Graph,
        bounds: &AllBounds<'_>,
        stop: &Stop,
    ) -> Enumeration {
        let evaluation = Evaluation {
            game,
            in_turns: is_in_turns(game, &graph),
            graph: &graph,
            stop,
        };
        let mut questions = Vec::new();
        for role in players(game) {
            let forced = evaluation.query(role, Side::Role, None);
            let is_defined = graph.undefined(std::iter::once(role)).is_none();
            let known = (evaluation.in_turns && is_defined).then_some(&forced.values);
            let held = evaluation.query(role, Side::Others, known);
            if let Some(value) = forced.answer {
                bounds.raise(role, value, SolveMethod::States);
            }
            if let Some(value) = held.answer {
                bounds.lower(role, value, SolveMethod::States);
                if graph.is_complete()
                    && value == goals(game, role)[0]
                    && evaluation.is_endless(role)
                {
                    bounds.note_endless(role);
                }
            }
            questions.extend([forced, held]);
        }
        Enumeration { graph, questions }
    }

    /// Joint moves with which each role reaches its value: the states in which they are made, with
    /// the place of each role's move among those that are legal.
    pub(super) fn line(&self) -> Vec<(usize, Vec<usize>)> {
        let forcing = self.questions.iter();
        let forcing: Vec<&Question> = forcing
            .filter(|question| question.side == Side::Role)
            .collect();
        best_line(&self.graph, &forcing)
    }
}

/// Evaluates the states of a graph.
struct Evaluation<'a> {
    game: &'a GroundGame,
    graph: &'a Graph,
    /// Whether the order of choice does not matter.
    in_turns: bool,
    stop: &'a Stop,
}

impl Evaluation<'_> {
    /// Returns the values of the states for a role on one side, unless they are known.
    fn query(&self, role: RoleId, side: Side, known: Option<&Arc<Values>>) -> Question {
        let goals = goals(self.game, role);
        let group = self.group(role, side);
        let splits = self.splits(side, &group);
        let place = |goal| goals.partition_point(|&other| other < goal) as u16;
        let top = goals.len() as u16 - 1;
        // A goal that is undefined is the worst for the side.
        let undefined = match side {
            Side::Role => 0,
            Side::Others => top,
        };
        let ends = self.ends(role).map(|goal| goal.map_or(undefined, place));
        let ends: Vec<u16> = ends.collect();
        let evaluate = || {
            Arc::new(Values::of(
                self.graph,
                (ends, top),
                (side, &splits),
                self.stop,
            ))
        };
        let values = known.cloned().unwrap_or_else(evaluate);
        let value = goals[usize::from(values.of_state(0))];
        // Values that may still rise are lower bounds.
        let is_sure = side == Side::Role || values.is_final();
        Question {
            role,
            side,
            group,
            splits,
            values,
            answer: is_sure.then_some(value),
        }
    }

    /// Whether the others cannot force an end with the least goal for a role.
    fn is_endless(&self, role: RoleId) -> bool {
        let least = goals(self.game, role)[0];
        let ends = self
            .ends(role)
            .map(|goal| u16::from(goal == Some(least)))
            .collect();
        // They choose first, for the greatest value.
        let splits = self.splits(Side::Role, &self.group(role, Side::Others));
        let values = Values::of(self.graph, (ends, 1), (Side::Role, &splits), self.stop);
        values.is_final() && values.of_state(0) == 0
    }

    /// The goal of a role in each end of the graph, if it has exactly one.
    fn ends(&self, role: RoleId) -> impl Iterator<Item = Option<i32>> {
        self.graph.ends().iter().map(move |end| end[role.index()])
    }

    fn group(&self, role: RoleId, side: Side) -> Vec<RoleId> {
        side.group(role, self.game.random_role(), self.game.roles().len())
    }

    /// How the joint moves of states of each shape are split.
    fn splits(&self, side: Side, group: &[RoleId]) -> Vec<Split> {
        let shapes = self.graph.shapes().iter();
        shapes
            .map(|counts| Split::new(side, group, counts, self.graph.edge_count()))
            .collect()
    }
}

/// Returns whether one role decides at a time in all states, so that the order of choice does not matter.
fn is_in_turns(game: &GroundGame, graph: &Graph) -> bool {
    let decides = |counts: &[usize]| counts.iter().filter(|&&count| count > 1).count();
    let has_chance = |counts: &[usize]| {
        game.random_role()
            .is_some_and(|role| counts[role.index()] > 1)
    };
    let mut shapes = graph.shapes().iter();
    graph.is_complete() && shapes.all(|counts| decides(counts) <= 1 && !has_chance(counts))
}

/// The moves at these places among the legal ones.
pub(super) fn moves(legal: Legal<'_>, places: &[usize]) -> Vec<Move> {
    let chosen = legal.each().zip(places);
    chosen.map(|(legal, &place)| legal[place]).collect()
}
