//! Random playouts: that they are random, reproducible, and counted rightly.

use std::time::Duration;

use crate::common;
use crate::common::assert_near;
use propjit::Moments;
use propjit::Stop;
use propjit::game::load::{Game, Setup};
use propjit::game::machine::Backend;
use propjit::game::playout::{PlayoutConfig, PlayoutProgress, Tally, run};
use propjit::gdl::prover::ProverLimits;

fn play(game: &Game, backend: Backend, config: &PlayoutConfig) -> Tally {
    run(
        game,
        backend,
        config,
        &Stop::new(),
        &PlayoutProgress::default(),
    )
    .unwrap()
    .tally
}

fn count(rollouts: u64) -> PlayoutConfig {
    PlayoutConfig::default()
        .with_seed(7)
        .with_rollouts(Some(rollouts))
}

#[test]
fn backends_have_the_same_means() {
    for (name, path) in common::own_games() {
        let game = common::load(&path);
        let scalar = play(&game, Backend::Scalar, &count(500));
        let lanes = play(&game, Backend::Lanes, &count(2000));
        assert_eq!(lanes.rollouts(), 2000, "{name}");
        assert_eq!(lanes.state_changes as i128, lanes.lengths.sum, "{name}");
        assert_near(&name, &scalar.lengths, &lanes.lengths);
        for (a, b) in scalar.goals.iter().zip(&lanes.goals) {
            assert_near(&name, &a.values, &b.values);
        }
    }
}

#[test]
fn the_counter_has_its_exact_distribution() {
    let game = common::game(common::COUNTER);
    let rollouts = 64_000;
    for backend in Backend::ALL {
        let rollouts = if backend == Backend::Prover {
            rollouts / 100
        } else {
            rollouts
        };
        let tally = play(&game, backend, &count(rollouts));
        let n = rollouts as f64;
        assert_eq!(tally.rollouts(), rollouts);
        assert_eq!(
            tally.goals[0].undefined, rollouts,
            "no value at four, two at five"
        );
        assert_eq!(tally.goals[1].values.mean(), Some(50.0));
        // The length's standard deviation is below one.
        let mean = tally.lengths.mean().unwrap();
        let expected = expected_length();
        assert!(
            (mean - expected).abs() < 5.0 / n.sqrt(),
            "{mean} {expected}"
        );
    }
}

/// The mean number of steps until a counter that goes up by one or two is at four.
fn expected_length() -> f64 {
    let mut from = [0.0; 6];
    for at in (0..4).rev() {
        from[at] = 1.0 + (from[at + 1] + from[at + 2]) / 2.0;
    }
    from[0]
}

#[test]
fn long_and_stuck_matches_are_counted_apart() {
    let game = common::game(common::ENDLESS);
    for backend in Backend::ALL {
        let rollouts = 3000;
        let config = count(rollouts).with_max_steps(3);
        let tally = play(&game, backend, &config);
        assert_eq!(tally.rollouts(), rollouts);
        assert_eq!(tally.truncated + tally.stuck, rollouts);
        // Stuck are those that leave with the first or second move.
        let truncated = tally.truncated as f64 / rollouts as f64;
        assert!((truncated - 0.25).abs() < 0.05, "{backend}: {truncated}");
        assert!(
            tally
                .goals
                .iter()
                .all(|goals| goals.values.count == 0 && goals.undefined == 0)
        );
    }
}

/// When all matches end with the same step, there is no next state to compute, and with it
/// none of what goals could have shared.
#[test]
fn goals_do_not_need_a_next_state() {
    let game = common::game(
        "(role p) (legal p go) (init start) (init always)
         (<= (next middle) (true start)) (<= (next late) (true middle))
         (<= (next always) (true always)) (<= terminal (true late))
         (<= both (true late) (true always)) (<= (next again) both)
         (<= (goal p 100) both) (<= (goal p 0) (not both))",
    );
    for backend in Backend::ALL {
        let tally = play(&game, backend, &count(10));
        assert_eq!(tally.goals[0].values.sum, 1000, "{backend}");
    }
}

/// However long lanes wait to be refilled, all matches are played and none is preferred:
/// neither where lengths differ, nor where matches may start in every second step only.
#[test]
fn waiting_lanes_bias_nothing() {
    for name in ["connectFour", "reversi"] {
        let game = common::own_game(name);
        let scalar = play(&game, Backend::Scalar, &count(1000));
        for refill in [0, 3, u32::MAX] {
            let config = count(4001).with_refill(refill);
            let lanes = play(&game, Backend::Lanes, &config);
            assert_eq!(lanes.rollouts(), 4001, "{name}");
            common::assert_near(name, &lanes.lengths, &scalar.lengths);
            for (lanes, scalar) in lanes.goals.iter().zip(&scalar.goals) {
                common::assert_near(name, &lanes.values, &scalar.values);
            }
            assert_eq!(play(&game, Backend::Lanes, &config), lanes, "{name}");
        }
    }
}

#[test]
fn a_seed_gives_the_same_matches() {
    let game = common::own_game("breakthroughSmall");
    for backend in [Backend::Scalar, Backend::Lanes, Backend::Compiled] {
        let first = play(&game, backend, &count(3000));
        assert_eq!(play(&game, backend, &count(3000)), first);
        let other = count(3000).with_seed(8);
        assert_ne!(play(&game, backend, &other), first);
        let threads = count(3000).with_threads(3);
        let shared = play(&game, backend, &threads);
        assert_eq!(shared.rollouts(), 3000);
        assert_eq!(play(&game, backend, &threads), shared);
    }
}

#[test]
fn time_only_cuts_the_sequence_of_matches() {
    let game = common::own_game("ticTacToe");
    for backend in [Backend::Scalar, Backend::Lanes, Backend::Compiled] {
        let timed = |milliseconds| {
            count(0)
                .with_rollouts(None)
                .with_time(Some(Duration::from_millis(milliseconds)))
        };
        // However slow the machine is, some time is enough for a match.
        let mut tallies = (0..).map(|double| play(&game, backend, &timed(20 << double)));
        let tally = tallies.find(|tally| tally.rollouts() > 0).unwrap();
        assert_eq!(play(&game, backend, &count(tally.rollouts())), tally);
    }
}

#[test]
fn a_stop_ends_play_with_what_there_is() {
    let game = common::own_game("breakthrough");
    let stop = Stop::new();
    stop.set();
    for backend in Backend::ALL {
        let outcome = run(
            &game,
            backend,
            &count(1_000_000),
            &stop,
            &PlayoutProgress::default(),
        )
        .unwrap();
        assert!(outcome.stopped);
        assert_eq!(outcome.tally.rollouts(), 0);
    }
}

/// Other engines' random play has the same means. How many matches they played is
/// not recorded: at least a thousand.
#[test]
fn means_are_those_of_other_engines() {
    let Some(shared) = common::shared() else {
        return;
    };
    let peers = std::fs::read_to_string(shared.join("peers.csv")).unwrap();
    for name in [
        "ticTacToe",
        "connectFour",
        "breakthroughSmall",
        "pentago",
        "lightsOn",
        "peg",
    ] {
        let row = peers
            .lines()
            .find(|row| row.starts_with(&format!("{name},")));
        let cells: Vec<&str> = row.unwrap().split(',').collect();
        let game = common::load(&shared.join("games").join(name).with_extension("kif"));
        let tally = play(&game, Backend::Lanes, &count(20_000));
        let assert_mean = |what: &str, moments: &Moments, peer: &str| {
            let peer: f64 = peer.parse().unwrap();
            let error = moments.standard_error().unwrap() * (1.0 + 20f64).sqrt();
            let difference = (moments.mean().unwrap() - peer).abs();
            // The peers' figures have two decimals.
            assert!(
                difference < 5.0 * error + 0.005,
                "{name}: {what} differs by {difference}"
            );
        };
        assert_mean("length", &tally.lengths, cells[5]);
        for (goals, peer) in tally.goals.iter().zip(cells[6].split('/')) {
            assert_mean("goal", &goals.values, peer);
        }
    }
}

/// Matches in which the prover hits a limit are counted apart; if the first ones all do, there is nothing to count.
#[test]
fn matches_that_the_prover_cannot_play_are_given_up() {
    let play = |from: &str| {
        let rules = format!(
            "(role r) (init (step 0)) (after 0 1) (after 1 2) (after 2 3)
             (d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9) (legal r a) (legal r b)
             (<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
             (<= (next bs) (true (step 0)) (does r b)) (<= (next bs) (true bs) (does r b))
             (<= (next (much ?u ?x ?y ?z)) {from} (d ?u) (d ?x) (d ?y) (d ?z))
             (<= terminal (true (step 3))) (goal r 50)"
        );
        let setup = Setup::default()
            .with_backend(Some(Backend::Prover))
            .with_prover(ProverLimits::default().with_steps(2000));
        let game = Game::from_text("test.kif", &rules, &setup).unwrap();
        let progress = PlayoutProgress::default();
        run(
            &game,
            Backend::Prover,
            &count(1000).with_seed(1),
            &Stop::new(),
            &progress,
        )
    };
    let tally = play("(true (step 2)) (true bs)").unwrap().tally;
    assert_eq!(tally.rollouts() + tally.given_up, 1000);
    // A quarter; five standard deviations are 68.
    assert!((182..318).contains(&tally.given_up), "{tally:?}");
    assert!(play("(true (step 0))").is_err());
}
