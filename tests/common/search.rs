//! Searches with a given number of playouts, and the moves that they find best.

use propjit::game::load::Game;
use propjit::game::machine::Backend;
use propjit::search::SearchBudget;
use propjit::search::mcts::{Mcts, MctsConfig, SearchReport};

/// A search that has had `playouts` playouts.
pub(crate) fn search(game: &Game, backend: Backend, config: MctsConfig, playouts: u64) -> Mcts {
    let mut search = Mcts::new(game, backend, config).unwrap();
    run(&mut search, playouts);
    search
}

/// Searches on, for `playouts` playouts.
pub(crate) fn run(search: &mut Mcts, playouts: u64) {
    let budget = SearchBudget::default().with_playouts(Some(playouts));
    search.run(&budget).unwrap();
}

/// The best move of a report as a text.
pub(crate) fn text(game: &Game, report: &SearchReport) -> String {
    let ground = game.ground_game().unwrap();
    ground.move_text(report.role, report.best.unwrap())
}
