//! Searches of many games at once.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::sync::Mutex;

use crate::common;
use propjit::game::environment::{OVER, Observation};
use propjit::search::batched::{BatchSearch, BatchSearchConfig, Noise, SearchError};
use propjit::search::external::{ObservedEvaluator, ObservedPositions};
use propjit::{Game, RoleId, Setup, State, Stop};

type Failure = Box<dyn Error + Send + Sync>;

/// An evaluation by a function.
struct By<F>(F);

impl<F> fmt::Debug for By<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("By")
    }
}

impl<F> ObservedEvaluator for By<F>
where
    F: Fn(&ObservedPositions, &mut [f32], &mut [f32]) -> Result<(), Failure> + Send + Sync,
{
    fn evaluate(
        &self,
        positions: &ObservedPositions,
        values: &mut [f32],
        logits: &mut [f32],
    ) -> Result<(), Failure> {
        (self.0)(positions, values, logits)
    }
}

/// Nothing is known about any position.
fn ignorance() -> impl ObservedEvaluator {
    By(|_: &ObservedPositions, values: &mut [f32], _: &mut [f32]| {
        values.fill(0.0);
        Ok(())
    })
}

fn initial(game: &Game) -> State {
    game.ground_game().unwrap().initial().clone()
}

/// The state after moves, each with those of others that are forced.
fn after(game: &Game, moves: &[&str]) -> State {
    let mut position = game.start().unwrap();
    for text in moves {
        let roles = RoleId::first(position.roles().len());
        let joint: Vec<String> = roles
            .map(|role| {
                let legal = position.legal_texts(role).unwrap();
                match legal.len() {
                    1 => legal[0].clone(),
                    _ => text.to_string(),
                }
            })
            .collect();
        position.play_texts(&joint).unwrap();
    }
    position.state().clone()
}

fn search(game: &Game, states: &[State], config: BatchSearchConfig) -> BatchSearch {
    BatchSearch::new(game, states, config).unwrap()
}

fn gumbel() -> BatchSearchConfig {
    BatchSearchConfig::default().with_gumbel(Some(16))
}

/// Plays matches to their ends. Returns all actions.
fn played(search: &mut BatchSearch, simulations: u32) -> Vec<Vec<i32>> {
    let mut all = Vec::new();
    while search.ends().any(|end| end.is_none()) {
        search.run(simulations, &ignorance(), &Stop::new()).unwrap();
        let actions = search.best_actions();
        search.advance(&actions).unwrap();
        all.push(actions);
    }
    all
}

/// The positions that are evaluated are those of the rules, with their legal actions and players.
#[test]
fn positions_are_those_of_the_rules() {
    for name in ["connectFour", "threePlayerTicTacToe", "kalah", "diceRace"] {
        let game = common::own_game(name);
        let ground = game.ground_game().unwrap().clone();
        let seen = Mutex::new(0);
        let check = By(
            |positions: &ObservedPositions, values: &mut [f32], _: &mut [f32]| {
                let shape = positions.shape();
                let mut observation = vec![0; positions.len() * shape.elements];
                positions.observe(Observation::Bytes(&mut observation));
                let mut legal = vec![0; positions.len() * shape.actions];
                positions.write_legal(&mut legal);
                let rows = observation
                    .chunks_exact(shape.elements)
                    .zip(legal.chunks_exact(shape.actions));
                for ((observation, legal), &current) in rows.zip(positions.current()) {
                    let holding = observation.iter().enumerate();
                    let state: State = holding
                        .filter(|(_, holds)| **holds == 1)
                        .map(|(base, _)| base)
                        .collect();
                    let position = game.start().unwrap().with_state(state);
                    let choosing: Vec<usize> = (0..shape.players.len())
                        .filter(|&player| {
                            position.legal_moves(shape.players[player]).unwrap().len() > 1
                        })
                        .collect();
                    assert_eq!(choosing, [current as usize], "{name}");
                    let role = shape.players[current as usize];
                    let moves = position.legal_moves(role).unwrap();
                    let expected: BTreeSet<usize> = moves
                        .into_iter()
                        .map(|played| ground.actions().of(role, played))
                        .collect();
                    let found = legal.iter().enumerate();
                    let found: BTreeSet<usize> = found
                        .filter(|(_, legal)| **legal == 1)
                        .map(|(action, _)| action)
                        .collect();
                    assert_eq!(found, expected, "{name}");
                    *seen.lock().unwrap() += 1;
                }
                values.fill(0.0);
                Ok(())
            },
        );
        let states = vec![initial(&game); 5];
        let mut search = search(&game, &states, BatchSearchConfig::default());
        for _ in 0..3 {
            search.run(30, &check, &Stop::new()).unwrap();
            let actions = search.best_actions();
            search.advance(&actions).unwrap();
        }
        assert!(*seen.lock().unwrap() > 300, "{name}");
    }
}

#[test]
fn wins_and_losses_are_found() {
    let game = common::own_game("ticTacToe");
    let ground = game.ground_game().unwrap();
    // `x` wins by the third of a row; `o` has to prevent that.
    let winning = after(
        &game,
        &["(mark 1 1)", "(mark 3 1)", "(mark 1 2)", "(mark 3 3)"],
    );
    let losing = after(&game, &["(mark 1 1)", "(mark 3 1)", "(mark 1 2)"]);
    let states = [winning, losing, initial(&game)];
    for config in [BatchSearchConfig::default(), gumbel()] {
        let mut search = search(&game, &states, config);
        search.run(800, &ignorance(), &Stop::new()).unwrap();
        let best = search.best_actions();
        let text = |at: usize| ground.action_text(best[at] as usize);
        assert_eq!(
            (text(0), text(1)),
            ("(mark 1 3)".into(), "(mark 1 3)".into())
        );
        let values = search.values();
        assert!(values[0] > 0.5 && values[1] < -0.5, "{values:?}");
        assert!(values[4].abs() < 0.5, "{values:?}");
        let visits = search.visits();
        for visits in visits.chunks_exact(search.shape().actions) {
            assert_eq!(visits.iter().sum::<i32>(), 800);
        }
        for temperature in [0.0, 0.5, 1.0] {
            let policy = search.policy(temperature);
            for row in policy.chunks_exact(search.shape().actions) {
                assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{row:?}");
            }
            assert!(policy[best[0] as usize] > 0.5);
        }
    }
}

/// A reused tree is as large as it was, and goes on from there.
#[test]
fn trees_are_kept() {
    let game = common::own_game("connectFour");
    let mut search = search(&game, &[initial(&game)], BatchSearchConfig::default());
    search.run(200, &ignorance(), &Stop::new()).unwrap();
    let best = search.best_actions();
    let (visits, value) = (search.visits()[best[0] as usize], search.values());
    search.advance(&best).unwrap();
    // One of them was the evaluation of what is the root now.
    assert_eq!(search.visits().iter().sum::<i32>(), visits - 1);
    search.run(50, &ignorance(), &Stop::new()).unwrap();
    assert_eq!(search.visits().iter().sum::<i32>(), visits + 49);
    assert_eq!(value.len(), 2);
    assert!((value[0] + value[1]).abs() < 1e-5);
}

#[test]
fn seeds_matter() {
    let game = common::own_game("connectFour");
    let states = vec![initial(&game); 8];
    let noise = Some(Noise {
        alpha: 0.3,
        fraction: 0.25,
    });
    let configs = [
        BatchSearchConfig::default().with_noise(noise),
        BatchSearchConfig::default(),
        gumbel(),
    ];
    for config in configs {
        let play = |seed| {
            let config = config.clone().with_seed(seed);
            played(&mut search(&game, &states, config), 16)
        };
        let (one, same, other) = (play(1), play(1), play(2));
        assert_eq!(one, same);
        assert_ne!(one, other);
        let first: BTreeSet<i32> = one.iter().flatten().copied().collect();
        assert!(first.len() > 3, "games differ");
    }
}

#[test]
fn matches_of_many_games_end_as_they_should() {
    for name in [
        "ticTacToe",
        "threePlayerTicTacToe",
        "diceRace",
        "piglet",
        "pegTriangle",
    ] {
        let game = common::own_game(name);
        for config in [BatchSearchConfig::default(), gumbel()] {
            let states = vec![initial(&game); 10];
            let mut search = search(&game, &states, config);
            played(&mut search, 8);
            let players = search.shape().players.len();
            let (least, greatest) = search.rewards().range();
            for end in search.ends() {
                let end = end.unwrap();
                assert!(!end.truncated);
                assert_eq!(end.rewards.len(), players);
                let in_range = |reward: &f32| (least..=greatest).contains(reward);
                assert!(
                    end.rewards.iter().all(in_range),
                    "{name}: {:?}",
                    end.rewards
                );
            }
            // What is over has nothing to search, and actions for it are ignored.
            search.run(8, &ignorance(), &Stop::new()).unwrap();
            search.advance(&[-1; 10]).unwrap();
            assert!(search.policy(1.0).iter().all(|&share| share == 0.0));
            assert_eq!(search.best_actions(), [-1; 10]);
            assert_eq!(search.positions().current(), [OVER; 10]);
            let initial = initial(&game);
            search.set_states([(3, &initial)]).unwrap();
            assert_eq!(search.ends().filter(Option::is_none).count(), 1);
        }
    }
}

/// A bet on a coin that shows heads in one of three cases is worth what it is, and is not taken.
#[test]
fn chance_is_worth_its_mean() {
    let rules = "(role player) (role random) (init start)
        (<= (legal player bet) (true start)) (<= (legal player pass) (true start))
        (<= (legal player noop) (not (true start)))
        (<= (legal random noop) (true start))
        (side heads) (side tails) (side edge)
        (<= (legal random (show ?s)) (true betting) (side ?s))
        (<= (next betting) (does player bet))
        (<= (next passed) (does player pass))
        (<= (next (shown ?s)) (does random (show ?s)))
        (<= terminal (true passed)) (<= terminal (true (shown ?s)))
        (<= (goal player 100) (true (shown heads)))
        (<= (goal player 0) (true (shown tails))) (<= (goal player 0) (true (shown edge)))
        (<= (goal player 50) (true passed))
        (<= (goal random 0) (true start))";
    // The coin may also be tossed at the same time as the player chooses.
    let at_once = rules
        .replace("(<= (legal random noop) (true start))", "")
        .replace("(true betting) (side ?s)", "(true start) (side ?s)")
        .replace("(<= (next betting) (does player bet))", "")
        .replace(
            "(does random (show ?s))",
            "(does player bet) (does random (show ?s))",
        );
    for rules in [rules, &at_once] {
        bet(rules);
    }
}

fn bet(rules: &str) {
    let game = Game::from_text("coin.kif", rules, &Setup::default()).unwrap();
    let config = BatchSearchConfig::default();
    let mut bets = search(&game, &vec![initial(&game); 4], config.clone());
    let seen = By(
        |positions: &ObservedPositions, values: &mut [f32], _: &mut [f32]| {
            assert!(positions.current().iter().all(|&current| current == 0));
            values.fill(50.0);
            Ok(())
        },
    );
    bets.run(2000, &seen, &Stop::new()).unwrap();
    let actions = bets.best_actions();
    let ground = game.ground_game().unwrap();
    assert!(
        actions
            .iter()
            .all(|&best| ground.action_text(best as usize) == "pass")
    );
    // All bet now: some win, and some do not.
    let mut bets = search(&game, &vec![initial(&game); 300], config);
    let bet = (0..3).find(|&action| ground.action_text(action) == "bet");
    bets.advance(&[bet.unwrap() as i32; 300]).unwrap();
    let rewards = bets.ends().map(|end| end.unwrap().rewards[0]);
    let mean = rewards.sum::<f32>() / 300.0;
    assert!((mean - 100.0 / 3.0).abs() < 12.0, "{mean}");
}

/// Where values say nothing, the improved policy is the prior one; noise at the root mixes that of PUCT.
#[test]
fn logits_are_prior_probabilities() {
    let game = common::own_game("connectFour");
    let prior = By(
        |positions: &ObservedPositions, values: &mut [f32], logits: &mut [f32]| {
            values.fill(0.0);
            for row in logits.chunks_exact_mut(positions.shape().actions) {
                row.fill(-60.0);
                (row[2], row[3]) = (1.0, 1.0 + 3f32.ln());
            }
            Ok(())
        },
    );
    let first = |config: BatchSearchConfig, simulations: u32| {
        let mut search = search(&game, &[initial(&game)], config);
        search.run(simulations, &prior, &Stop::new()).unwrap();
        search.policy(1.0)
    };
    for config in [BatchSearchConfig::default(), gumbel()] {
        let policy = first(config.clone(), 0);
        let expected = [0.0, 0.0, 0.25, 0.75, 0.0, 0.0, 0.0, 0.0];
        let is_near = |(one, other): (&f32, &f32)| (one - other).abs() < 1e-5;
        assert!(policy.iter().zip(&expected).all(is_near), "{policy:?}");
    }
    let policy = first(BatchSearchConfig::default(), 100);
    assert!(policy[2] > 0.2 && policy[3] > 0.7, "{policy:?}");
    let noise = Some(Noise {
        alpha: 10.0,
        fraction: 1.0,
    });
    let policy = first(BatchSearchConfig::default().with_noise(noise), 0);
    assert!(policy[..7].iter().all(|&share| share > 0.01), "{policy:?}");
    assert_eq!(policy[7], 0.0);
}

#[test]
fn a_search_goes_on_after_an_evaluation_has_failed() {
    let game = common::own_game("connectFour");
    let states = vec![initial(&game); 4];
    let mut search = search(&game, &states, BatchSearchConfig::default());
    let calls = Mutex::new(0);
    let failing = By(
        |_: &ObservedPositions, values: &mut [f32], logits: &mut [f32]| {
            let mut calls = calls.lock().unwrap();
            *calls += 1;
            match *calls {
                3 => return Err("no".into()),
                5 => values[1] = f32::NAN,
                7 => logits.fill(f32::INFINITY),
                _ => {}
            }
            Ok(())
        },
    );
    for expected in ["no", "NaN", "inf"] {
        let error = search.run(100, &failing, &Stop::new()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
    let before: i32 = search.visits().iter().sum();
    search.run(10, &failing, &Stop::new()).unwrap();
    assert_eq!(search.visits().iter().sum::<i32>(), before + 40);
    let stop = Stop::new();
    stop.set();
    search.run(10, &failing, &stop).unwrap();
    assert_eq!(search.visits().iter().sum::<i32>(), before + 40);
}

#[test]
fn matches_that_are_too_long_are_truncated() {
    let game = common::own_game("connectFour");
    let config = BatchSearchConfig::default().with_max_steps(3);
    let mut search = search(&game, &[initial(&game)], config);
    assert_eq!(played(&mut search, 50).len(), 3);
    let end = search.ends().next().unwrap().unwrap();
    assert!(end.truncated);
    assert_eq!(end.rewards, [0.0, 0.0]);
}

#[test]
fn errors_name_the_remedy() {
    let config = BatchSearchConfig::default;
    let refused = |game: &Game, config| {
        let error = BatchSearch::new(game, &[initial(game)], config).unwrap_err();
        error.to_string()
    };
    let text = refused(&common::own_game("tron"), config());
    assert!(text.contains("use `Search`"), "{text}");
    let text = refused(&common::own_game("kuhnPoker"), config());
    assert!(text.contains("hides information"), "{text}");
    let game = common::own_game("ticTacToe");
    let noise = |alpha, fraction| config().with_noise(Some(Noise { alpha, fraction }));
    for (config, expected) in [
        (noise(0.0, 0.5), "greater than 0"),
        (noise(1.0, 1.5), "from 0 to 1"),
        (noise(1.0, 0.5).with_gumbel(Some(4)), "leave out `noise`"),
        (config().with_gumbel(Some(0)), "at least 1"),
        (config().with_exploration(f32::NAN), "`exploration`"),
        (config().with_max_steps(0), "`max_steps`"),
    ] {
        let text = refused(&game, config);
        assert!(text.contains(expected), "{text}");
    }
    let mut search = search(&game, &vec![initial(&game); 2], config());
    let error = search.advance(&[0]).unwrap_err();
    assert!(error.to_string().contains("2 are needed"));
    for action in [9, -1, 100] {
        let error = search.advance(&[0, action]).unwrap_err();
        assert!(
            matches!(error, SearchError::Illegal { game: 1, .. }),
            "{error}"
        );
    }
    // Nothing has happened.
    assert_eq!(search.positions().current(), [0, 0]);
}
