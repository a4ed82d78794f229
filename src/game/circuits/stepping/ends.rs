//! Unreachable ends: conditions that end a match but are false in a phase.
//!
//! Where roles take turns, a role that did not move has no line that was not there before; but then
//! the match was over before. So in each phase, it is enough to look for lines of one role.
//!
//! A condition is left out where it depends on nothing that a step into the phase changes, which is
//! read off the circuit of the phase before, and where it ends matches in the phase before as well. This holds for
//! steps from *any* state in that phase that is not terminal.

use propjit_jit::circuit::{Builder, Circuit, Edge, disjuncts};
use propjit_jit::passes::connect;
use rustc_hash::FxHashSet;

use crate::game::circuits::reasons::PhaseCircuit;
use crate::game::ground::GroundGame;

/// Returns edges of the circuit of this phase, each of which alone makes a state terminal, and which
/// are false in the initial state and in each state of this phase that follows a state of the
/// previous phase that is not terminal.
pub(super) fn impossible_ends(
    game: &GroundGame,
    before: &PhaseCircuit,
    phase: &PhaseCircuit,
) -> Vec<Edge> {
    let (layout, phases, circuit) = (game.layout(), game.phases(), phase.circuit());
    let starts_here = phases.of(game.initial()) == Some(phase.phase());
    if phases.period() == 1 || starts_here && is_terminal(game, circuit) {
        return Vec::new();
    }
    let stays = |base: usize| {
        let before = before.circuit();
        before.outputs()[layout.next.start + base] == Edge::from(before.inputs()[base])
    };
    let changing = (0..circuit.inputs().len())
        .filter(|&input| !(layout.bases.contains(&input) && stays(input)))
        .map(|input| circuit.inputs()[input]);
    let changing = circuit.influence(changing);
    let mut ends = conditions(circuit, circuit.outputs()[layout.terminal]);
    ends.retain(|end| !changing.contains(end.node()));
    // Equal conditions of both circuits are equal edges of a circuit that has all of them.
    let mut builder = Builder::new(circuit.inputs().len());
    let inputs = 0..circuit.inputs().len();
    let inputs: Vec<Edge> = inputs.map(|input| builder.input(input)).collect();
    let mut whole = |circuit: &Circuit| connect(circuit, &mut builder, &inputs, |_, _| Vec::new());
    let terminal = whole(before.circuit())[layout.terminal];
    let mut outputs = whole(&Builder::extend(circuit).finish(ends.clone()));
    outputs.push(terminal);
    let both = builder.finish(outputs);
    let (&terminal, outputs) = both.outputs().split_last().expect("one was pushed");
    let ends_before: FxHashSet<Edge> = conditions(&both, terminal).into_iter().collect();
    let known = ends.into_iter().zip(outputs);
    let known = known.filter(|(_, same)| ends_before.contains(same));
    known.map(|(end, _)| end).collect()
}

/// Returns edges of which this one is the disjunction; none of them is a constant.
fn conditions(circuit: &Circuit, edge: Edge) -> Vec<Edge> {
    let mut found = disjuncts(|node| circuit.node(node), edge);
    found.retain(|condition| *condition != Edge::TRUE);
    found
}

/// Returns whether matches are over before they begin.
fn is_terminal(game: &GroundGame, circuit: &Circuit) -> bool {
    let bases = game.layout().bases.len();
    let holds =
        (0..circuit.inputs().len()).map(|input| input < bases && game.initial().contains(input));
    circuit.evaluate(&holds.collect::<Vec<_>>())[game.layout().terminal]
}

#[cfg(test)]
mod tests {
    use propjit_gdl::games::BY_SIZE;

    use super::*;
    use crate::game::load::{Game, Setup};

    fn game(text: &str) -> Game {
        Game::from_text("test", text, &Setup::default()).unwrap()
    }

    /// Creates a game in which two roles take turns to mark one of five numbers in a row, and three
    /// in a row end the match. `more` are further rules.
    fn row(more: &str) -> Game {
        game(&format!(
            "(role x) (role o) (init (control x)) (other x o) (other o x)
             (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (n 1) (n 2) (n 3) (n 4) (n 5)
             (<= (marked ?n) (true (cell ?n ?anyone)))
             (<= (legal ?p (mark ?n)) (true (control ?p)) (n ?n) (not (marked ?n)))
             (<= (legal ?p wait) (other ?p ?q) (true (control ?q)))
             (<= (next (cell ?n ?p)) (true (cell ?n ?p)))
             (<= (next (cell ?n ?p)) (does ?p (mark ?n)))
             (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
             (<= (line ?p) (true (cell ?a ?p)) (succ ?a ?b) (true (cell ?b ?p)) (succ ?b ?c)
                 (true (cell ?c ?p)))
             (<= open (n ?n) (not (marked ?n)))
             (<= terminal (line ?p)) (<= terminal (not open))
             (<= (goal ?p 100) (line ?p)) (<= (goal ?p 0) (role ?p) (not (line ?p))) {more}"
        ))
    }

    /// Returns, for each phase, whether it is proved that no role that did not move has a line.
    fn found(game: &Game) -> Vec<bool> {
        let game = game.ground_game().unwrap();
        let period = game.phases().period();
        let circuits: Vec<PhaseCircuit> = (0..period)
            .map(|phase| PhaseCircuit::within(game, phase, game.phase_constants().of(phase)))
            .collect();
        let found = (0..period).map(|phase| {
            let before = &circuits[(phase + period - 1) % period];
            !impossible_ends(game, before, &circuits[phase]).is_empty()
        });
        found.collect()
    }

    #[test]
    fn whoever_did_not_move_has_no_new_line() {
        assert_eq!(found(&row("")), [true, true]);
        let connect_four = BY_SIZE.iter().find(|(name, _)| *name == "connectFour");
        let (_, text) = connect_four.expect("the project has it");
        assert_eq!(found(&game(text)), [true, true]);
    }

    #[test]
    fn a_move_may_make_a_line_of_another() {
        // A mark between two marks of the other role becomes one of the other role.
        let given = "(<= (next (cell ?b ?q)) (does ?p (mark ?b)) (succ ?a ?b) (succ ?b ?c)
            (other ?p ?q) (true (cell ?a ?q)) (true (cell ?c ?q)))";
        assert_eq!(found(&row(given)), [false, false]);
    }

    #[test]
    fn what_ends_matches_in_one_phase_only_may_come_about_in_the_other() {
        let only_after = "(<= terminal (true (control o)) (true (cell 3 o)))";
        let game = row(only_after);
        let whole = game.ground_game().unwrap();
        let cell = whole.propnet().bases.iter();
        let cell = cell.map(|base| whole.propnet().terms.text(base.name));
        let cell = cell
            .into_iter()
            .position(|name| name == "(cell 3 o)")
            .unwrap();
        let circuits = [0, 1]
            .map(|phase| PhaseCircuit::within(whole, phase, whole.phase_constants().of(phase)));
        for (before, phase) in [(0, 1), (1, 0)] {
            let circuit = circuits[phase].circuit();
            let alone = Edge::from(circuit.inputs()[cell]);
            let found = impossible_ends(whole, &circuits[before], &circuits[phase]);
            assert!(!found.is_empty() && !found.contains(&alone), "{phase}");
        }
    }

    #[test]
    fn nothing_is_found_without_phases() {
        let alone = game(
            "(role r) (legal r a) (legal r b) (<= (next on) (does r a)) (<= terminal (true on)) (goal r 0)",
        );
        assert_eq!(found(&alone), [false]);
    }
}
