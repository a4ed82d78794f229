//! What the states of a game tell of its values.

use std::sync::Arc;

use propjit_stop::Stop;

use crate::ground::GroundGame;
use crate::machine::{Move, RoleId};

use super::bounds::{AllBounds, SolveMethod, chance, goals, players};
use super::graph::Graph;
use super::split::{Side, Split};
use super::strategy::{Question, best_line};
use super::values::Values;

/// The most joint moves of a line.
const LONGEST_LINE: usize = 1000;

/// States, and the values that they have for all roles.
pub(super) struct Enumeration {
    pub(super) graph: Graph,
    /// For each role but chance, as far as there was time.
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
        let chance = chance(game);
        let decides = |counts: &[usize]| counts.iter().filter(|&&count| count > 1).count();
        let has_chance = |counts: &[usize]| chance.is_some_and(|chance| counts[chance.index()] > 1);
        // Where one decides at a time, those who choose first and those who answer are the same.
        let in_turns = graph.is_complete()
            && graph
                .shapes()
                .iter()
                .all(|counts| decides(counts) <= 1 && !has_chance(counts));
        let mut questions: Vec<Question> = Vec::new();
        for role in players(game) {
            let goals = goals(game, role);
            let place = |goal| goals.partition_point(|&other| other < goal) as u16;
            let ends = graph.ends().iter().map(|end| place(end[role.index()]));
            let ends: Vec<u16> = ends.collect();
            let top = goals.len() as u16 - 1;
            for side in [Side::Role, Side::Others] {
                let group = side.group(role, chance, game.roles().len());
                let splits = splits(&graph, side, &group);
                let known = questions
                    .last()
                    .filter(|_| in_turns && side == Side::Others);
                let values = match known {
                    Some(question) => question.values.clone(),
                    None => Arc::new(Values::of(
                        &graph,
                        (ends.clone(), top),
                        (side, &splits),
                        stop,
                    )),
                };
                let value = goals[usize::from(values.of_state(0))];
                // Values that have not risen as far as they do are lower bounds.
                let answer = match side {
                    Side::Role => {
                        bounds.raise(role, value, SolveMethod::States);
                        Some(value)
                    }
                    Side::Others if values.is_final() => {
                        bounds.lower(role, value, SolveMethod::States);
                        Some(value)
                    }
                    Side::Others => None,
                };
                questions.push(Question {
                    role,
                    side,
                    group,
                    splits,
                    values,
                    answer,
                });
            }
            if graph.is_complete() && bounds.of(role).high.0 == goals[0] {
                // Whether the others can force an end with the least goal.
                let ends = ends.iter().map(|&end| u16::from(end == 0)).collect();
                let group = Side::Others.group(role, chance, game.roles().len());
                let splits = splits(&graph, Side::Role, &group);
                let values = Values::of(&graph, (ends, 1), (Side::Role, &splits), stop);
                if values.is_final() && values.of_state(0) == 0 {
                    bounds.note_endless(role);
                }
            }
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
        best_line(&self.graph, &forcing, LONGEST_LINE)
    }
}

/// How the joint moves of states of each shape are split.
fn splits(graph: &Graph, side: Side, group: &[RoleId]) -> Vec<Split> {
    let shapes = graph.shapes().iter();
    shapes
        .map(|counts| Split::new(side, group, counts))
        .collect()
}

/// The moves at these places among the legal ones.
pub(super) fn moves(legal: &[Vec<Move>], places: &[usize]) -> Vec<Move> {
    let chosen = legal.iter().zip(places);
    chosen.map(|(legal, &place)| legal[place]).collect()
}
