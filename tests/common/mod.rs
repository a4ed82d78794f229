//! Where the tests find rulesheets, and small games of their own.
#![allow(dead_code, unused_imports)] // Each test file uses its part.

#[cfg(unix)]
pub(crate) mod browser;
pub(crate) mod command;
pub(crate) mod continuations;
pub(crate) mod full_search;
pub(crate) mod http;
pub(crate) mod names;
pub(crate) mod players;
pub(crate) mod random_game;
pub(crate) mod random_lanes;
pub(crate) mod random_matches;
pub(crate) mod search;
pub(crate) mod series;
pub(crate) mod solvable;
pub(crate) mod sources;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

use propjit::Moments;
use propjit::game::load::{Game, Setup};
use propjit::game::playout::{JobId, PlayoutRunner, RunLimits, Tally};
use propjit_gdl::games::{self, GAMES};
pub(crate) use propjit_test_support::{shared, skipped, soak};

/// The project's own rulesheets, by name.
pub(crate) fn own_games() -> Vec<(String, PathBuf)> {
    let path = |name| own_folder().join(name).with_extension("kif");
    let named = GAMES.iter().map(|(name, _)| (name.to_string(), path(name)));
    named.collect()
}

/// A folder with the project's own rulesheets. They are written there, since a packaged crate
/// has them in its dependency `propjit-gdl` only.
pub(crate) fn own_folder() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("games");
        std::fs::create_dir_all(&folder).expect("there can be a folder");
        for (name, text) in GAMES {
            // Other test processes read them meanwhile, so a file is there as a whole or not.
            let mut file = tempfile::NamedTempFile::new_in(&folder).expect("a file can be made");
            file.write_all(text.as_bytes())
                .expect("a rulesheet can be written");
            let path = folder.join(name).with_extension("kif");
            file.persist(path).expect("a file can be renamed");
        }
        folder
    });
    &FOLDER
}

/// The rulesheets in a folder, by name.
pub(crate) fn rulesheets(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(folder).expect("the folder of rulesheets can be listed");
    let paths = entries.map(|entry| entry.expect("the entry can be read").path());
    let rulesheets = paths.filter(|path| path.extension().is_some_and(|e| e == "kif"));
    let mut named: Vec<_> = rulesheets
        .map(|path| {
            (
                path.file_stem().unwrap().to_string_lossy().into_owned(),
                path,
            )
        })
        .collect();
    named.sort();
    named
}

/// One of the project's own games.
pub(crate) fn own_game(name: &str) -> Game {
    let text = games::text(name).expect("the project has such a game");
    let file = format!("{name}.kif");
    Game::from_text(&file, text, &Setup::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Waits until a condition holds, however slow the machine is. If it does not in five minutes, it
/// never will, and the test fails.
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(
            start.elapsed() < Duration::from_secs(300),
            "waited for {what}"
        );
        thread::sleep(Duration::from_millis(2));
    }
}

/// The game in a file.
pub(crate) fn load(path: &Path) -> Game {
    Game::load(path, &Setup::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// The game with these rules.
pub(crate) fn game(rules: &str) -> Game {
    Game::from_text("test.kif", rules, &Setup::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Plays all playouts that are to be started.
pub(crate) fn play_all(player: &mut dyn PlayoutRunner) {
    let limits = RunLimits::default();
    player.play(&limits).unwrap();
}

/// The tallies of these jobs; all that are finished are taken from the queue.
pub(crate) fn take_tallies(player: &mut dyn PlayoutRunner, ids: &[JobId]) -> Vec<Tally> {
    let tallies = ids.iter().map(|&id| player.queue().tally(id).clone());
    let tallies = tallies.collect();
    while player.queue_mut().take_finished().is_some() {}
    tallies
}

/// Asserts that two means of independent values are as near as they should be: within
/// five standard errors of their difference, of which chance exceeds one in two million.
pub(crate) fn assert_near(what: &str, a: &Moments, b: &Moments) {
    let error = a
        .standard_error()
        .unwrap()
        .hypot(b.standard_error().unwrap());
    let difference = a.mean().unwrap() - b.mean().unwrap();
    assert!(
        difference.abs() <= 5.0 * error,
        "{what}: {difference} with an error of {error}"
    );
}

/// A counter goes up by one or two; at four or more the match ends. Of the two
/// roles, one has two goals at five and none at four; the other always has one.
pub(crate) const COUNTER: &str = "
    (role up) (role idle)
    (init (at 0))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
    (<= (legal up one) (not terminal))
    (<= (legal up two) (not terminal))
    (legal idle wait)
    (<= (next (at ?y)) (does up one) (true (at ?x)) (succ ?x ?y))
    (<= (next (at ?z)) (does up two) (true (at ?x)) (succ ?x ?y) (succ ?y ?z))
    (<= terminal (true (at 4)))
    (<= terminal (true (at 5)))
    (<= (goal up 10) (true (at 5)))
    (<= (goal up 20) (true (at 5)))
    (goal idle 50)
";

/// A match goes on for ever, or to where the only role has no move.
pub(crate) const ENDLESS: &str = "
    (role walker)
    (init (at start))
    (<= (legal walker stay) (true (at start)))
    (<= (legal walker leave) (true (at start)))
    (<= (next (at start)) (does walker stay))
    (<= (next (at dead-end)) (does walker leave))
    (<= terminal (true (at nowhere)))
    (init (at2 x)) (<= (next (at nowhere)) (true (at nowhere)))
    (goal walker 0)
";

/// Grounds until the memory is full where terms grow, unless it is stopped.
pub(crate) fn endless_setup() -> Setup {
    let mut setup = Setup::default();
    setup.ground.time = None;
    setup.ground.nesting = u32::MAX;
    setup
}

/// A match takes nine steps, each with one move. To ground it takes more memory than there is: for all that is known
/// without a state, the move may have any of ten digits at each of ten places.
pub(crate) const HUGE: &str = "
    (role up) (init (at 0))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
    (<= (legal up (say ?a ?b ?c ?d ?e ?f ?g ?h ?i ?j))
        (true (at ?a)) (true (at ?b)) (true (at ?c)) (true (at ?d)) (true (at ?e))
        (true (at ?f)) (true (at ?g)) (true (at ?h)) (true (at ?i)) (true (at ?j)))
    (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
    (<= terminal (true (at 9)))
    (goal up 100)
";

/// Two say a word each in turn, and what was said is one term that could grow for ever, so the
/// game cannot be grounded. The first role wins by saying `good` at the third turn.
pub(crate) const TALK: &str = "
    (role up) (role down) (opponent up down) (opponent down up)
    (init (said nothing)) (init (turn up))
    (word good) (word bad)
    (<= (legal ?r (say ?w)) (true (turn ?r)) (word ?w))
    (<= (legal ?r noop) (opponent ?r ?s) (true (turn ?s)))
    (<= (next (turn ?s)) (true (turn ?r)) (opponent ?r ?s))
    (<= (next (said (then ?w ?x))) (does ?r (say ?w)) (true (said ?x)))
    (<= terminal (true (said (then ?a (then ?b (then ?c ?d))))))
    (<= won (true (said (then good (then ?b ?c)))))
    (<= (goal up 100) won) (<= (goal up 0) (not won))
    (<= (goal down 0) won) (<= (goal down 100) (not won))
";
