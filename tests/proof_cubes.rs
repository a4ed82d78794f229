//! Stored cubes: that what they promise holds in random states of theirs, as a full search finds; and
//! that what is proved does not depend on names.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::common;
use crate::common::full_search::{Reference, completion};
use crate::common::names::scrambled;
use crate::common::random_matches::random_match;
use propjit::Stop;
use propjit::game::load::Game;
use propjit::game::machine::{Backend, RoleId, State};
use propjit::proof::forced::{
    Cube, MAX_DEPTH, Pace, ProofConfig, ProofMode, Prover, Target, Verdict,
};
use propjit::support::rng::{GameRng, streams};
use rand::RngExt;
use rand::seq::IndexedRandom;

/// Games with two players, three, one, and with moves at the same time; the number of joint moves
/// that are searched, and that fail cubes are compared for.
const GAMES: [(&str, u32, u32); 13] = [
    ("ticTacToe", 9, 4),
    ("threePlayerTicTacToe", 6, 4),
    ("connectFour", 7, 5),
    ("breakthroughSmall", 6, 3),
    ("escortLatchBreakthrough", 5, 3),
    ("nineBoardTicTacToe", 5, 4),
    ("dotsAndBoxes", 4, 2),
    ("captureGo", 5, 3),
    ("kalah", 5, 4),
    ("tron", 4, 3),
    ("piglet", 3, 3),
    ("pegTriangle", 6, 5),
    ("hexPie", 3, 2),
];

/// How cubes are proved.
const MODES: [ProofMode; 3] = [ProofMode::Full, ProofMode::Threats, ProofMode::Numbers];

/// The states that a full search may look at.
const MAX_STATES: u64 = 3_000;

/// The greatest goal of each role, and one of those between the greatest and the least.
fn targets(game: &Game) -> Vec<Target> {
    let roles = &game.ground_game().unwrap().propnet().roles;
    let of = RoleId::first(roles.len()).zip(roles);
    let targets = of.flat_map(|(role, of)| {
        let values: Vec<i32> = of.goals.iter().skip(1).map(|goal| goal.value).collect();
        let middle = values[..values.len().saturating_sub(1)].get(values.len() / 2);
        let values = values.last().into_iter().chain(middle);
        values
            .map(move |&value| Target { role, value })
            .collect::<Vec<_>>()
    });
    targets.collect()
}

/// A search that has stored cubes.
struct Stored {
    prover: Prover,
    states: Vec<State>,
}

impl Stored {
    /// Searches states near the end of a random match.
    fn grow(&mut self, game: &Game, (mode, depth): (ProofMode, u32), rng: &mut GameRng) {
        let mut machine = game.machine(Backend::Scalar).unwrap();
        self.states = random_match(&mut *machine, rng);
        let before = rng
            .random_range(1..=depth as usize + 1)
            .min(self.states.len());
        let state = &self.states[self.states.len() - before];
        let (most, stop) = match mode {
            // It has to be ended, and what it has proved until then is right.
            ProofMode::Numbers => (MAX_DEPTH, Stop::new().within(Duration::from_millis(20))),
            _ => (depth, Stop::new()),
        };
        let mut pace = Pace::new(&stop);
        self.prover.prove(state, most, &mut pace, |_| ()).unwrap();
    }
}

/// Compares about the given number of random states in cubes of a search for a target with a full search.
fn check(
    game: &Game,
    (name, depth, most): (&str, u32, u32),
    (target, mode): (Target, ProofMode),
    wanted: usize,
    rng: &mut GameRng,
) -> [usize; 2] {
    let ground = game.ground_game().unwrap();
    let config = ProofConfig::default().with_mode(mode);
    let prover = Prover::new(game.engines().unwrap(), target, &config).unwrap();
    let states = Vec::new();
    let mut stored = Stored { prover, states };
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let mut checked = [0; 2];
    // Where few cubes are proved, or nearly all of them take too much, there are fewer.
    for _ in 0..wanted.div_ceil(50) {
        stored.grow(game, (mode, depth), rng);
        let cubes: Vec<(usize, &Arc<Cube>)> = stored.prover.cubes().collect();
        if cubes.is_empty() {
            continue;
        }
        for _ in 0..100 {
            let &(phase, cube) = cubes.choose(rng).unwrap();
            let within = match cube.won() {
                true => cube.depth(),
                false => cube.depth().min(rng.random_range(1..=most)),
            };
            let near = stored.states.choose(rng).unwrap();
            let state = completion(ground, phase, cube, near, rng);
            let mut reference = Reference {
                machine: &mut *machine,
                target,
                left: MAX_STATES,
            };
            if let Ok(forced) = reference.forces(&state, within) {
                let state = || ground.fluents(&state);
                assert_eq!(
                    forced,
                    cube.won(),
                    "{name}, {target:?}: {cube:?}, {:?}",
                    state()
                );
                checked[usize::from(cube.won())] += 1;
            }
            if checked.iter().sum::<usize>() >= wanted {
                return checked;
            }
        }
    }
    checked
}

/// `PROPJIT_SOAK=1`: a million random states.
#[test]
fn stored_cubes_keep_what_they_promise() {
    let wanted = if common::soak() { 1_300_000 } else { 8_000 };
    let mut rng = streams(0xc0be).next().unwrap();
    let mut all = [0; 2];
    for of in GAMES {
        let game = common::own_game(of.0);
        let targets = targets(&game);
        let mut checked = [0; 2];
        for &target in &targets {
            for mode in MODES {
                let wanted = wanted / GAMES.len() / targets.len() / MODES.len();
                let more = check(&game, of, (target, mode), wanted, &mut rng);
                checked
                    .iter_mut()
                    .zip(more)
                    .for_each(|(all, more)| *all += more);
            }
        }
        eprintln!(
            "{}: {checked:?} states in fail cubes and in win cubes",
            of.0
        );
        all.iter_mut()
            .zip(checked)
            .for_each(|(all, more)| *all += more);
    }
    eprintln!("{all:?} in all");
    assert!(all.iter().all(|&checked| checked > wanted / 10), "{all:?}");
}

#[test]
fn what_is_proved_does_not_depend_on_names() {
    for (name, depth) in [
        ("breakthroughSmall", 7),
        ("connectFour", 8),
        ("threePlayerTicTacToe", 5),
        ("tron", 4),
    ] {
        let mut names = HashMap::new();
        let text = propjit_gdl::games::text(name).unwrap();
        let game = common::own_game(name);
        let other = common::game(&scrambled(text, &mut names));
        let (ground, other_ground) = (game.ground_game().unwrap(), other.ground_game().unwrap());
        let mut machine = game.machine(Backend::Scalar).unwrap();
        let mut rng = streams(0x5c4a).next().unwrap();
        let mut found = [0; 2];
        for target in targets(&game) {
            for mode in [ProofMode::Full, ProofMode::Threats] {
                let config = ProofConfig::default().with_mode(mode);
                let prover = |game: &Game| Prover::new(game.engines().unwrap(), target, &config);
                let mut provers = [prover(&game).unwrap(), prover(&other).unwrap()];
                for _ in 0..3 {
                    let states = random_match(&mut *machine, &mut rng);
                    for state in &states[states.len().saturating_sub(depth as usize)..] {
                        let fluents = ground.fluents(state);
                        let fluents = fluents.iter().map(|text| scrambled(text, &mut names));
                        let fluents: Vec<String> = fluents.collect();
                        let fluents: Vec<&str> = fluents.iter().map(String::as_str).collect();
                        let renamed = other_ground.parse_state(&fluents).unwrap();
                        let [first, second] = &mut provers;
                        let pace = || Pace::new(&Stop::new());
                        let first = first.prove(state, depth, &mut pace(), |_| ()).unwrap();
                        let second = second.prove(&renamed, depth, &mut pace(), |_| ()).unwrap();
                        assert_eq!(first.verdict, second.verdict, "{name}, {mode:?}");
                        let is_won = matches!(first.verdict, Verdict::Won(_));
                        found[usize::from(mode == ProofMode::Threats)] += usize::from(is_won);
                    }
                }
            }
        }
        eprintln!("{name}: {found:?} wins with all moves and by threats");
        assert!(found.iter().all(|&found| found > 0), "{name}: {found:?}");
    }
}
