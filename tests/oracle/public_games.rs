//! Every backend against the interpreter, on public rulesheets.

use propjit::game::load::{Game, LoadError, Setup};
use propjit::game::machine::Backend;
use propjit::support::rng::streams;

use super::Oracle;
use super::compare::{Compared, Ended, Tally, compare};
use crate::common;

const FOLDERS: [&str; 3] = ["games", "games-field", "games-ii"];

/// What is refused: `init` in a body, `terminal` that depends on `does`, `true` with two
/// arguments, and `next` in a body.
const REFUSED: [&str; 4] = ["darkChess", "firesheep", "numberguessing", "transit"];

/// How much is compared.
struct Extent {
    /// What the interpreter may look at in each game.
    work: u64,
    /// Matches of each game, and steps of each match.
    matches: (usize, usize),
    /// How many ground rules a game may have; those with more are left to the prover.
    ground_rules: u64,
    /// How much memory grounding may take.
    bytes: u64,
    backends: &'static [Backend],
    /// How many games are too much work for the interpreter.
    too_much: usize,
}

const QUICK: Extent = Extent {
    work: 1_000_000,
    matches: (1, 20),
    ground_rules: 20_000,
    bytes: 32 << 20,
    backends: &[Backend::Scalar, Backend::Lanes],
    too_much: 32,
};

const SOAK: Extent = Extent {
    work: 10_000_000,
    matches: (3, 200),
    ground_rules: 200_000,
    bytes: 128 << 20,
    backends: &[Backend::Scalar, Backend::Lanes, Backend::Compiled],
    too_much: 12,
};

#[test]
fn nothing_differs_on_public_games() {
    let Some(shared) = common::shared() else {
        return;
    };
    let extent = if common::soak() { &SOAK } else { &QUICK };
    let mut setup = Setup::default();
    setup.ground.time = None;
    setup.ground.ground_rules = extent.ground_rules;
    setup.ground.bytes = extent.bytes;
    let (mut refused, mut too_much, mut total) = (Vec::new(), Vec::new(), Tally::default());
    let rulesheets = FOLDERS
        .iter()
        .flat_map(|folder| common::rulesheets(&shared.join(folder)));
    for (name, path) in rulesheets {
        let game = match Game::load(&path, &setup) {
            Ok(game) => game,
            Err(LoadError::Read(_)) => {
                refused.push(name);
                continue;
            }
            Err(error) => panic!("{name}: {error}"),
        };
        let grounded = extent
            .backends
            .iter()
            .filter(|_| game.ground_game().is_some());
        let backends = grounded.chain([&Backend::Prover]);
        let machines =
            backends.map(|&backend| Compared::new(backend, game.machine(backend).unwrap()));
        let mut machines: Vec<Compared> = machines.collect();
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        let mut rng = streams(1).next().unwrap();
        let compared = Oracle::new(&text, extent.work)
            .map(|mut oracle| compare(&mut oracle, &mut machines, extent.matches, &mut rng));
        match compared {
            Ok((_, Err(Ended::Differs(how)))) => panic!("{name}: {how}"),
            Ok((tally, _)) if tally.states > 0 => total.add(tally),
            // Not even the first state was compared.
            _ => too_much.push(name),
        }
    }
    println!("{total:?}; refused: {refused:?}; too much work: {too_much:?}");
    assert!(too_much.len() <= extent.too_much, "{too_much:?}");
    assert!(total.percepts > 100, "{total:?}");
    assert_eq!(refused, REFUSED);
}
