//! Histories of matches, from files and from the command line.

use std::sync::LazyLock;

use propjit::game::{Game, Setup};
use propjit::machine::Backend;
use propjit::matches::{History, Script};
use propjit_gdl::games::text;

/// The text is no longer than this, as each line is played.
const MOST: usize = 2 << 10;

static GAME: LazyLock<Game> = LazyLock::new(|| {
    let rules = text("ticTacToe").expect("the project has such a game");
    Game::from_text("ticTacToe.kif", rules, &Setup::default()).expect("the rulesheet is right")
});

/// The machines agree about where a history leads to, or about what is wrong with it.
pub(crate) fn check(bytes: &[u8]) {
    let lines = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST)]);
    for script in [Script::lines("match.txt", &lines), Script::inline(&lines)] {
        let [by_rules, by_net] = [Backend::Prover, Backend::Scalar].map(|backend| {
            let machine = GAME.machine(backend).expect("the game has these machines");
            let mut history = History::new(machine).expect("there is a start");
            let error = history.follow(&script).err().map(|error| error.to_string());
            let goals = history.is_over().map(|over| over.then(|| history.goals()));
            (
                error,
                history.depth(),
                history.fluents(),
                format!("{goals:?}"),
            )
        });
        assert_eq!(by_rules, by_net);
        assert!(by_rules.0.is_none_or(|error| !error.is_empty()));
    }
}
