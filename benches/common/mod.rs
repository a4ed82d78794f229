//! The games that are measured, and random matches of them.
#![allow(dead_code)] // Each benchmark uses its part.

use std::sync::Arc;

use propjit::game::ground::GroundGame;
use propjit::game::load::{Game, Setup};
use propjit::game::machine::{Backend, Move, State, StateMachine};
use propjit::game::playout::MatchSteps;
use propjit::support::rng::GameRng;
use propjit_gdl::games;
use rand::RngExt;

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

/// Plays a random match of at most this many steps: returns the states but for the last one and what
/// is played in them, and the last state.
pub(crate) fn random_match(
    machine: &mut dyn StateMachine,
    most: usize,
    rng: &mut GameRng,
) -> (Vec<(State, Vec<Move>)>, State) {
    let mut played = MatchSteps::new(machine.roles().len(), most);
    played.start(&machine.initial_state().unwrap());
    let mut steps = Vec::new();
    let mut pick = |legal: &[Move]| legal[rng.random_range(0..legal.len())];
    while played.choose(machine, &mut pick).unwrap().is_none() {
        steps.push((played.state().clone(), played.joint().to_vec()));
        played.advance(machine).unwrap();
    }
    (steps, played.state().clone())
}

/// Returns `count` states of random matches, `steps` steps after the start.
pub(crate) fn states(game: &Game, count: usize, steps: usize, rng: &mut GameRng) -> Vec<State> {
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let mut states = Vec::new();
    while states.len() < count {
        let (_, state) = random_match(&mut *machine, steps, rng);
        if !machine.is_terminal(&state).unwrap() {
            states.push(state);
        }
    }
    states
}
