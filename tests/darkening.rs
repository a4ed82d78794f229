//! What was made for the rest of a match is right for the rest of the match.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use propjit::game::circuits::darkening::Specialisation;
use propjit::game::circuits::darkening::ternary::{Fixpoint, TernaryCircuit};
use propjit::game::engine::darkening::{Darkened, PlayoutForm};
use propjit::game::engine::{Engines, MatchEngines, PlayoutPolicy};
use propjit::game::load::{Game, Setup};
use propjit::game::machine::batch::Batch;
use propjit::game::machine::{Move, RoleId, State};
use propjit::game::playout::{PlayoutRunner, Playouts};
use propjit::support::rng::{GameRng, streams};
use propjit_jit::lanes::Width;
use rand::RngExt;

use crate::common;
use crate::common::continuations::{play, play_with, random_states};

/// The legal moves of each role in a state, whether it is terminal, and the goals of all roles.
type Seen = (Vec<Vec<Move>>, bool, Vec<Option<i32>>);

/// All that there is to see in the states of a batch.
fn look(batch: &mut Batch, roles: usize) -> Vec<Seen> {
    let terminal = batch.terminal();
    let mut legal = vec![vec![Vec::new(); roles]; batch.lanes()];
    for role in RoleId::first(roles) {
        batch.for_each_legal(role, |lane, found| legal[lane][role.index()].push(found));
    }
    let lanes: Vec<usize> = batch.filled().lanes().collect();
    let goals = |lane: usize, batch: &mut Batch| {
        let roles = RoleId::first(roles);
        roles.map(|role| batch.goal(role, lane)).collect()
    };
    lanes
        .into_iter()
        .map(|lane| {
            let goals = goals(lane, batch);
            let legal = std::mem::take(&mut legal[lane]);
            (legal, terminal.contains(lane), goals)
        })
        .collect()
}

/// Plays random continuations from the root in all lanes on the whole circuit, and compares
/// everything on the way.
fn compare(name: &str, engines: &Engines, darkened: &Darkened, steps: usize, rng: &mut GameRng) {
    let game = engines.game();
    let roles = game.roles().len();
    let mut whole = Batch::new(game.clone(), engines.best());
    let mut dark = Batch::new(game.clone(), darkened.engine.clone());
    let lanes = whole.lanes().min(dark.lanes());
    let mut states = vec![darkened.root.clone(); lanes];
    for _ in 0..steps {
        whole.enter(&states);
        dark.enter(&states);
        let seen = look(&mut whole, roles);
        assert_eq!(look(&mut dark, roles), seen, "{name}");
        let mut over = vec![false; lanes];
        let mut joints = Vec::new();
        for (lane, (legal, terminal, _)) in seen.iter().enumerate() {
            over[lane] = *terminal || legal.iter().any(Vec::is_empty);
            joints.extend(legal.iter().map(|moves| match over[lane] {
                true => Move(0),
                false => moves[rng.random_range(0..moves.len())],
            }));
        }
        for batch in [&mut whole, &mut dark] {
            batch.play(&joints);
            batch.advance(batch.filled());
        }
        let words = whole.state_words();
        let next = whole
            .states()
            .chunks(words)
            .zip(dark.states().chunks(words));
        for (lane, (expected, got)) in next.enumerate() {
            if over[lane] {
                states[lane].assign(darkened.root.words());
                continue;
            }
            assert_eq!(got, expected, "{name}");
            states[lane].assign(expected);
            assert!(darkened.engine.validity().contains(&states[lane]), "{name}");
        }
    }
}

/// Compares at several places of several random matches, with passes and without.
fn check(path: &Path, matches: u64, steps: usize) {
    let name = path.file_stem().unwrap().to_string_lossy();
    let Ok(game) = Game::load(path, &Setup::default()) else {
        return;
    };
    let Some(engines) = game.engines() else {
        return;
    };
    let (game, form) = (engines.game(), PlayoutForm::plain(engines));
    let mut rng = streams(11).next().unwrap();
    let bounds = TernaryCircuit::new(game, &game.min_gates().circuit);
    let mut fixpoint = Fixpoint::new(game.clone(), &bounds, Width::X64);
    for seed in 0..matches {
        let states = random_states(engines, seed);
        for part in 0..5 {
            let root = &states[(states.len() - 1) * part / 4];
            let none = Duration::ZERO;
            let some = Duration::from_millis(200);
            let specialisation = Specialisation::new(form.circuit(), &mut fixpoint, root);
            let compile = |passes| Darkened::compile(&specialisation, &form, passes).unwrap();
            for darkened in [some, none].map(compile) {
                assert!(darkened.gates <= game.min_gates().circuit.gates(), "{name}");
                compare(&name, engines, &darkened, steps, &mut rng);
            }
        }
    }
}

#[test]
fn own_games_go_on_alike() {
    for (_, path) in common::own_games() {
        check(&path, 1, 12);
    }
}

#[test]
fn public_games_go_on_alike() {
    let Some(shared) = common::shared() else {
        return;
    };
    const SOME: [&str; 8] = [
        "connectFour",
        "dotsAndBoxes",
        "sudokuGrade1",
        "breakthroughWalls",
        "tron_10x10",
        "knightsTourLarge",
        "checkersTiny",
        "pentago",
    ];
    for (name, path) in common::rulesheets(&shared.join("games")) {
        // Most matter little, and some have a hundred thousand gates.
        if common::soak() || SOME.contains(&name.as_str()) {
            check(&path, 1, 10);
        }
    }
}

/// The engines of a game for a match.
fn match_engines(game: &Game) -> MatchEngines {
    MatchEngines::new(game.engines().unwrap().clone()).with_darkening()
}

/// Makes an engine for the root, which is worth it in the time that is left, and waits for it.
fn darken(engines: &MatchEngines, root: &State) {
    engines.enter(root);
    engines.note_playouts(Duration::from_secs(10_000));
    engines.advance(root, None);
    engines.darkening().unwrap().wait();
}

/// The same seed plays the same matches, for what is dark has no part in any choice.
#[test]
fn playouts_are_the_same_matches() {
    for name in [
        "connectFour",
        "dotsAndBoxes",
        "reversi",
        "tron",
        "fourPlayerHalma",
    ] {
        let game = common::own_game(name);
        let engines = match_engines(&game);
        let of_game = engines.engines();
        let states = random_states(of_game, 5);
        let root = &states[states.len() * 9 / 10];
        of_game.wait();
        let mut subscription = engines.subscribe(PlayoutPolicy::Uniform);
        let whole = subscription.current();
        assert!(subscription.poll().is_none());
        darken(&engines, root);
        let dark = subscription.poll().expect("something is dark near the end");
        assert!(subscription.poll().is_none());
        assert_eq!(whole.validity().given(), 0);
        assert!(dark.validity().given() > 0, "{name}");
        let expected = play(of_game, whole.clone(), root, 2000);
        assert_eq!(play(of_game, dark.clone(), root, 2000), expected, "{name}");

        // Runners that switch with matches running, or back, play the same as well.
        let mut runner = Playouts::new(of_game.game().clone(), whole.clone(), 500, 3);
        let again = play_with(&mut runner, root, 100);
        assert!(runner.switch(dark));
        let more = play_with(&mut runner, root, 1000);
        assert!(runner.switch(whole.clone()));
        let last = play_with(&mut runner, root, 100);
        let mut whole = Playouts::new(of_game.game().clone(), whole, 500, 3);
        for (rollouts, expected) in [(100, again), (1000, more), (100, last)] {
            assert_eq!(play_with(&mut whole, root, rollouts), expected, "{name}");
        }
    }
}

/// What is specialised is the form that plays: with decisive moves, and with the choice of moves in the circuit. It plays the
/// same matches, also if it comes while they run.
#[test]
fn every_form_plays_the_same_matches() {
    let mut forms = BTreeSet::new();
    for name in ["captureGo", "connectFour", "hexPie", "tron"] {
        let game = common::own_game(name);
        let of_game = game.engines().unwrap();
        let engines = MatchEngines::new(of_game.clone());
        let engines = engines.with_decisive(game.decisive().unwrap().clone());
        let engines = engines.with_darkening();
        let form = engines.darkening().unwrap().form();
        forms.insert(form.name());
        let states = random_states(of_game, 5);
        let root = &states[states.len() * 9 / 10];
        darken(&engines, root);
        let policy = form.engine().policy();
        let dark = engines.subscribe(policy).current();
        assert!(dark.validity().given() > 0, "{name}");
        assert_eq!(dark.policy(), policy, "{name}");
        let runner = |engine| Playouts::new(of_game.game().clone(), engine, 500, 3);
        let play_going = |runner: &mut Playouts, rollouts| {
            let id = runner.queue_mut().add_going(root, Some(rollouts));
            common::play_all(runner);
            let tally = runner.queue().tally(id).clone();
            runner.clear();
            (tally.rollouts(), tally.state_changes, tally.goals)
        };
        let mut expected = runner(form.engine().clone());
        let mut found = runner(dark.clone());
        for _ in 0..2 {
            let played = play_going(&mut expected, 2000);
            assert_eq!(play_going(&mut found, 2000), played, "{name}");
        }
        // Back to the whole circuit, and forth.
        for engine in [form.engine().clone(), dark] {
            assert!(found.switch(engine));
            let played = play_going(&mut expected, 1000);
            assert_eq!(play_going(&mut found, 1000), played, "{name}");
        }
    }
    for form in ["plain", "steps", "decisive steps"] {
        assert!(forms.contains(form), "{forms:?}");
    }
}

/// A match that begins anew gets the whole circuit back at once.
#[test]
fn an_engine_is_not_used_for_another_root() {
    let game = common::own_game("connectFour");
    let engines = match_engines(&game);
    let initial = engines.engines().game().initial();
    let states = random_states(engines.engines(), 5);
    let root = &states[states.len() / 2];
    darken(&engines, root);
    let darkening = engines.darkening().unwrap();
    let newest = darkening.newest().expect("something is dark halfway");
    assert_eq!(&newest.root, root);
    let mut subscription = engines.subscribe(PlayoutPolicy::Uniform);
    assert!(subscription.poll().unwrap().validity().given() > 0);
    assert!(subscription.poll().is_none());
    engines.advance(initial, Some(Instant::now()));
    assert_eq!(subscription.poll().unwrap().validity().given(), 0);
    assert!(darkening.newest().is_none());

    let of_game = engines.engines().clone();
    let mut runner = Playouts::new(of_game.game().clone(), of_game.best(), 500, 3);
    runner.queue_mut().add(initial, None);
    assert!(!runner.switch(newest.engine.clone()), "a start is outside");
    runner.clear();
    assert!(runner.switch(newest.engine.clone()));
}

/// Playouts that go on from states which a new engine is not valid for stay with the whole
/// circuit; others take it.
#[test]
fn playouts_follow_the_root() {
    let game = common::own_game("connectFour");
    let engines = match_engines(&game);
    engines.engines().wait();
    let states = random_states(engines.engines(), 5);
    let (initial, root) = (&states[0], &states[states.len() / 2]);
    for first in [initial, root] {
        engines.enter(initial);
        let subscription = engines.subscribe(PlayoutPolicy::Decisive);
        let mut runner = Playouts::subscribed(subscription, 500, 3);
        runner.queue_mut().add(first, Some(100));
        darken(&engines, root);
        let given = runner.queue_mut().validity().given();
        assert_eq!(given > 0, first == root);
        common::play_all(&mut runner);
        // What was valid for the root is not for another match.
        engines.enter(initial);
        runner.queue_mut().take_finished().unwrap();
        runner.queue_mut().add(initial, Some(100));
        common::play_all(&mut runner);
    }
}

#[test]
#[should_panic(expected = "made for states after another one")]
fn a_batch_refuses_states_from_before() {
    let game = common::own_game("ticTacToe");
    let engines = match_engines(&game);
    let states = random_states(engines.engines(), 5);
    darken(&engines, &states[2]);
    let engine = engines.subscribe(PlayoutPolicy::Uniform).current();
    let game = game.ground_game().unwrap();
    Batch::new(game.clone(), engine).enter([&states[0]]);
}
