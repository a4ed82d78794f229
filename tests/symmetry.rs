//! Symmetries: how many games have, and that machines see them.

use std::collections::BTreeSet;

use propjit::Stop;
use propjit::game::machine::{Move, RoleId};
use propjit::game::symmetry::{self, Symmetry};
use propjit::support::rng::streams;
use rand::RngExt;

use crate::common::random_matches::{legal, random_match};
use crate::common::{game, own_game};

/// The numbers of symmetries of a game, of those that keep the initial state, and of those in which players stay.
fn counts(found: &[Symmetry], roles: usize) -> (usize, usize, usize) {
    let keep = found.iter().filter(|one| one.keeps_initial()).count();
    let stay = found
        .iter()
        .filter(|one| RoleId::first(roles).all(|role| one.renaming().role(role) == role));
    (found.len(), keep, stay.count())
}

#[test]
fn games_have_the_symmetries_of_their_boards_and_players() {
    for (name, all) in [
        // A square has eight, with players in their places or not.
        ("ticTacToe", (15, 7, 7)),
        ("reversi", (15, 3, 7)),
        // Discs fall down, and pawns go ahead.
        ("connectFour", (3, 1, 1)),
        ("breakthrough", (3, 1, 1)),
        // Two who move at the same time, from opposite corners or sides.
        ("tron", (15, 3, 7)),
    ] {
        let game = own_game(name);
        let ground = game.ground_game().unwrap();
        let found = symmetry::find(ground, &Stop::new());
        assert_eq!(counts(&found, ground.roles().len()), all, "{name}");
    }
}

/// Two doors look alike, and one of them does not let out.
#[test]
fn what_looks_alike_is_no_symmetry() {
    let rules = "(role p) (side left) (side right) (init (at 1 1)) (init (at 2 1))
        (<= (legal p (take ?x)) (true (at ?x 1)))
        (<= (next (at ?x 1)) (true (at ?x 1)) (not (does p (take ?x))))
        (<= terminal (not (true (at 1 1)))) (<= terminal (not (true (at 2 1))))
        (<= (goal p 100) (not (true (at 1 1)))) (<= (goal p 0) (true (at 1 1)))";
    let game = game(rules);
    assert!(symmetry::find(game.ground_game().unwrap(), &Stop::new()).is_empty());
    let fair = rules.replace(
        "(goal p 0) (true (at 1 1))",
        "(goal p 100) (not (true (at 2 1)))",
    );
    let game = self::game(&fair);
    assert_eq!(
        symmetry::find(game.ground_game().unwrap(), &Stop::new()).len(),
        1
    );
}

/// In states of random matches: legal moves, next states, percepts, goals and ends.
#[test]
fn images_of_states_are_played_alike() {
    let mut rng = streams(1).next().unwrap();
    for name in [
        "ticTacToe",
        "connectFour",
        "reversi",
        "tron",
        "kriegTicTacToe",
        "pegTriangle",
        "captureGo",
    ] {
        let game = own_game(name);
        let ground = game.ground_game().unwrap();
        let found = symmetry::find(ground, &Stop::new());
        let mut machine = game.follower().unwrap();
        let roles = || RoleId::first(ground.roles().len());
        for state in random_match(&mut *machine, &mut rng) {
            for one in &found {
                let renaming = one.renaming();
                let image = renaming.state(&state);
                let is_over = machine.is_terminal(&state).unwrap();
                assert_eq!(machine.is_terminal(&image).unwrap(), is_over, "{name}");
                for role in roles() {
                    let (mut goals, mut of_image) = (Vec::new(), Vec::new());
                    machine.goals(&state, role, &mut goals).unwrap();
                    (machine.goals(&image, renaming.role(role), &mut of_image)).unwrap();
                    assert_eq!(of_image, goals, "{name}");
                }
                if is_over {
                    continue;
                }
                let (here, there) = (legal(&mut *machine, &state), legal(&mut *machine, &image));
                for role in roles() {
                    let moved = here[role.index()]
                        .iter()
                        .map(|&played| one.played(role, played));
                    let mut moved: Vec<Move> = moved.collect();
                    moved.sort_unstable();
                    let mut there = there[renaming.role(role).index()].clone();
                    there.sort_unstable();
                    assert_eq!(moved, there, "{name}");
                }
                if here.iter().any(Vec::is_empty) {
                    continue;
                }
                let joint = here
                    .iter()
                    .map(|moves| moves[rng.random_range(0..moves.len())]);
                let joint: Vec<Move> = joint.collect();
                let joint_of_image = one.joint(&joint);
                let next = machine.next_state(&state, &joint).unwrap();
                let next_of_image = machine.next_state(&image, &joint_of_image).unwrap();
                assert_eq!(next_of_image, renaming.state(&next), "{name}");
                for role in roles() {
                    let image_of_role = renaming.role(role);
                    let mut seen = |state, joint: &[Move], role| {
                        let texts = machine.percepts(state, joint, role).unwrap();
                        let numbers = texts
                            .iter()
                            .map(|text| ground.find_percept(role, text).unwrap());
                        numbers.collect::<BTreeSet<usize>>()
                    };
                    let here = seen(&state, &joint, role);
                    let moved = here
                        .iter()
                        .map(|&number| one.percepts(role)[number] as usize);
                    let moved: BTreeSet<usize> = moved.collect();
                    assert_eq!(
                        seen(&image, &joint_of_image, image_of_role),
                        moved,
                        "{name}"
                    );
                }
            }
        }
    }
}
