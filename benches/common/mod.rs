//! The games that are measured.
#![allow(dead_code)] // Each benchmark uses its part.

use std::sync::Arc;

use propjit::game::{Game, Setup};
use propjit::ground::GroundGame;
use propjit_gdl::games;

/// From small to large: of 100, 600, 1,400 and 11,000 gates or so.
pub(crate) const GAMES: [&str; 4] = ["ticTacToe", "connectFour", "breakthrough", "reversi"];

/// One of the project's own games.
pub(crate) fn load(name: &str) -> Game {
    let text = games::text(name).expect("the project has such a game");
    Game::from_text(name, text, &Setup::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// The game as network and circuit.
pub(crate) fn ground(game: &Game) -> &Arc<GroundGame> {
    game.ground_game()
        .expect("the project's games can be grounded")
}
