//! How far games change from move to move.

use std::time::Duration;

use propjit::Stop;
use propjit::game::load::Game;
use propjit::lab::similarity::{Dynamics, DynamicsConfig, dynamics};

use super::{assert_near, counting};
use crate::common::own_game;

fn dynamics_of(game: &Game) -> Dynamics {
    let config = DynamicsConfig::default()
        .with_positions(200)
        .with_time(Duration::from_secs(600));
    let found = dynamics(game, &config, &Stop::new()).unwrap().unwrap();
    assert_eq!(
        found,
        dynamics(game, &config, &Stop::new()).unwrap().unwrap()
    );
    assert!(found.positions == 200 && found.pairs + found.ended == 200 * 8);
    let parts = found.between_moves.powi(2) + found.between_positions.powi(2);
    assert_near(Some(parts), found.variability.powi(2));
    found
}

/// Where all moves can always be made, nothing changes; in tic-tac-toe two moves vanish from turn to
/// turn, whichever; and where one of two moves leads to other ones, it matters which.
#[test]
fn games_are_as_dynamic_as_their_moves_change_what_can_be_played() {
    let calm = dynamics_of(&counting("(legal a (go 1)) (legal a (go 2))"));
    assert_eq!(
        (calm.moves, calm.density, calm.variability),
        (2.0, 1.0, 0.0)
    );

    let marks = dynamics_of(&own_game("ticTacToe"));
    assert!((0.5..7.0 / 9.0).contains(&marks.density), "{marks:?}");
    assert!(marks.between_moves < 1e-6, "{marks:?}");
    assert!(
        marks.between_positions > 0.05 && marks.ended > 0,
        "{marks:?}"
    );

    let doors = dynamics_of(&counting(
        "(legal a (go 1)) (legal a (go 2))
        (<= (legal a (go 3)) (true (at 2))) (<= (legal a (go 4)) (true (at 2)))",
    ));
    assert!((0.5..1.0).contains(&doors.density), "{doors:?}");
    assert!(doors.between_moves > 0.15, "{doors:?}");
}
