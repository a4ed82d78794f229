//! Move marks: propositions of the last state that show which moves were made in a match.
//!
//! The mark of a move is a proposition that is true from the step on in which the move is made, and
//! that nothing else makes true: a stone on a cell, where stones stay permanently. The move is only
//! legal where the mark is missing. All this is derived from the structure of the circuit before any
//! pass.
//!
//! Moves that are the only ones of a role, as those of a role that is not to move, need no marks.

use propjit_jit::circuit::{Circuit, Edge, Node, conjuncts, disjuncts};
use propjit_jit::passes::fold;

use super::lowered_game::LoweredGame;
use super::phases::Phases;

/// The marks of all moves that the roles of a game choose among.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveMarks {
    /// The numbers of moves among those of all roles, ascending, with the propositions that mark them.
    marks: Vec<(u32, usize)>,
}

impl MoveMarks {
    /// Finds the marks; `None` if some role may choose a move without a mark, or if no role ever
    /// chooses.
    pub(super) fn find(game: &LoweredGame, phases: &Phases) -> Option<MoveMarks> {
        let (circuit, layout) = (game.lowered(), game.layout());
        let first_move = layout.bases.end;
        let mut marks = vec![None; layout.inputs() - first_move];
        let legal = layout.legal.iter().cloned().flatten();
        let legal: Vec<Edge> = legal.map(|output| circuit.outputs()[output]).collect();
        for base in layout.bases.clone() {
            let next = circuit.outputs()[layout.next.start + base];
            let mark = Edge::from(circuit.inputs()[base]);
            if let Some(number) = marking_move(circuit, mark, next, first_move, &legal) {
                marks[number] = Some(base);
            }
        }
        if marks.iter().all(Option::is_none) {
            return None;
        }
        let choices_are_marked = (0..phases.period()).all(|phase| {
            let circuit = fold(circuit, &phases.known(phase, circuit.inputs().len()));
            (layout.does.iter().zip(&layout.legal)).all(|(does, legal)| {
                let legal = &circuit.outputs()[legal.clone()];
                let marks = &marks[does.start - first_move..does.end - first_move];
                let live = legal.iter().zip(marks);
                let live = live.filter(|&(&legal, _)| legal != Edge::FALSE);
                live.clone().count() < 2 || live.clone().all(|(_, mark)| mark.is_some())
            })
        });
        let marks = (0..).zip(marks);
        let marks = marks.filter_map(|(number, mark)| Some((number, mark?)));
        choices_are_marked.then(|| MoveMarks {
            marks: marks.collect(),
        })
    }

    /// Returns the moves that leave a mark, by their number among those of all roles, ascending, with
    /// the base proposition that is the mark.
    pub fn each(&self) -> impl Iterator<Item = (u32, usize)> {
        self.marks.iter().copied()
    }
}

/// Returns the move that a proposition with this next value marks: by its number among those of all
/// roles, which is also its index in `legal`.
fn marking_move(
    circuit: &Circuit,
    mark: Edge,
    next: Edge,
    first_move: usize,
    legal: &[Edge],
) -> Option<usize> {
    let node = |node| circuit.node(node);
    let mut causes = disjuncts(node, next);
    let stays = causes.iter().position(|&cause| cause == mark)?;
    causes.swap_remove(stays);
    let causes = causes.into_iter().map(|cause| conjuncts(node, [cause]));
    let causes: Vec<Vec<Edge>> = causes.collect();
    let move_of = |edge: Edge| match circuit.node(edge.node()) {
        Node::Input(input) if !edge.inverted() => input.index().checked_sub(first_move),
        _ => None,
    };
    let is_in_all = |edge: &Edge| causes.iter().all(|cause| cause.contains(edge));
    let &played =
        (causes.first()?.iter()).find(|edge| move_of(**edge).is_some() && is_in_all(edge))?;
    let number = move_of(played)?;
    let legal = conjuncts(node, [legal[number]]);
    let always_marks = causes
        .iter()
        .any(|cause| (cause.iter()).all(|edge| *edge == played || legal.contains(edge)));
    (always_marks && legal.contains(&!mark)).then_some(number)
}

#[cfg(test)]
mod tests {
    use crate::game::load::{Game, Setup};
    use crate::game::vocabulary::moves::{Move, RoleId};

    /// Returns the moves that leave marks, with their marks, in a game of stones of two colours on three cells,
    /// with more rules.
    fn marks(rules: &str) -> Option<Vec<String>> {
        let rules = format!(
            "(role x) (role o) (init (control x)) (cell a) (cell b) (cell c)
             (<= (legal ?p (put ?c)) (true (control ?p)) (cell ?c) (not (taken ?c)))
             (<= (taken ?c) (true (stone ?c ?p)))
             (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
             (<= (next (control o)) (true (control x)))
             (<= (next (control x)) (true (control o)))
             (<= (next (stone ?c ?p)) (does ?p (put ?c)))
             (<= open (cell ?c) (not (taken ?c)))
             (<= terminal (not open))
             (<= (goal ?p 50) (role ?p)) {rules}"
        );
        let game = Game::from_text("stones.kif", &rules, &Setup::default()).unwrap();
        let ground = game.ground_game().unwrap();
        let numbers =
            (RoleId::first(2).zip(&ground.propnet().roles)).flat_map(|(role, of_role)| {
                (0..of_role.moves.len() as u32).map(move |number| (role, Move(number)))
            });
        let numbers: Vec<(RoleId, Move)> = numbers.collect();
        let text = |(number, base): (u32, usize)| {
            let (role, played) = numbers[number as usize];
            let mark = ground
                .propnet()
                .terms
                .text(ground.propnet().bases[base].name);
            format!("{} {mark}", ground.move_text(role, played))
        };
        let mut texts: Vec<String> = ground.move_marks()?.each().map(text).collect();
        texts.sort_unstable();
        Some(texts)
    }

    const STAYS: &str = "(<= (next (stone ?c ?p)) (true (stone ?c ?p)))";

    #[test]
    fn stones_that_stay_are_marks() {
        let expected = ["a", "b", "c"]
            .map(|cell| ["o", "x"].map(|role| format!("(put {cell}) (stone {cell} {role})")));
        assert_eq!(marks(STAYS), Some(expected.concat()));
    }

    #[test]
    fn moves_leave_no_marks_where_these_tell_less() {
        // Stones may be taken away, come from elsewhere, or not come at all; and there are other moves.
        let left_alone = "(<= (next (stone ?c ?p)) (true (stone ?c ?p)) (true (control x)))";
        let elsewhere = format!("{STAYS} (<= (next (stone b ?p)) (does ?p (put a)))");
        let passes = format!("{STAYS} (<= (legal ?p pass) (true (control ?p)))");
        for rules in [left_alone, &elsewhere, &passes] {
            assert_eq!(marks(rules), None, "{rules}");
        }
    }
}
