//! Histories of matches, from files and from the command line.

use std::cell::RefCell;

use propjit::Stop;
use propjit::game::load::{Game, Setup};
use propjit::game::machine::Backend;
use propjit::game::position::{History, Position};
use propjit::play::matches::Script;
use propjit_gdl::games::text;

/// The text is no longer than this, as each line is played.
const MOST: usize = 2 << 10;

thread_local! {
    /// The same match by the rules and by the net.
    static HISTORIES: RefCell<[History; 2]> = RefCell::new(histories());
}

fn histories() -> [History; 2] {
    let rules = text("ticTacToe").expect("the project has such a game");
    let game = Game::from_text("ticTacToe.kif", rules, &Setup::default());
    let game = game.expect("the rulesheet is right");
    [Backend::Prover, Backend::Scalar].map(|backend| {
        let machine = game.machine(backend).expect("the game has these machines");
        History::new(Position::of_machine(machine, &Stop::new()).expect("there is a start"))
    })
}

/// The machines agree about where a history leads to, or about what is wrong with it.
pub(crate) fn check(bytes: &[u8]) {
    let lines = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST)]);
    for script in [Script::lines("match.txt", &lines), Script::inline(&lines)] {
        let [by_rules, by_net] = HISTORIES.with_borrow_mut(|histories| {
            histories.each_mut().map(|history| follow(history, &script))
        });
        assert_eq!(by_rules, by_net);
        assert!(by_rules.error.is_none_or(|error| !error.is_empty()));
    }
}

/// Where a script leads to.
#[derive(PartialEq, Debug)]
struct Place {
    error: Option<String>,
    depth: usize,
    fluents: Vec<String>,
    /// The goals, or why there are none, if the match is over.
    goals: Option<String>,
}

fn follow(history: &mut History, script: &Script) -> Place {
    history.go_back(0);
    let error = history.follow(script).err().map(|error| error.to_string());
    let is_over = history.is_over().expect("the state is known");
    Place {
        error,
        depth: history.depth(),
        fluents: history.fluents(),
        goals: is_over.then(|| format!("{:?}", history.goals())),
    }
}
