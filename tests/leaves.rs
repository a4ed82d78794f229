//! Leaves of a search that are evaluated from outside.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common;
use propjit::game::load::{Game, Setup};
use propjit::game::machine::{Backend, MachineError, RoleId};
use propjit::search::SearchBudget;
use propjit::search::external::{LeafEvaluation, LeafEvaluator, Positions};
use propjit::search::mcts::{Mcts, MctsConfig, SearchReport};

type Failure = Box<dyn Error + Send + Sync>;

/// An evaluation by a function.
struct Told<F>(F);

impl<F> fmt::Debug for Told<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Told")
    }
}

impl<F> LeafEvaluator for Told<F>
where
    F: Fn(&Positions, &mut [f32], &mut [f32]) -> Result<(), Failure> + Send + Sync,
{
    fn evaluate(
        &self,
        positions: &Positions,
        values: &mut [f32],
        logits: &mut [f32],
    ) -> Result<(), Failure> {
        (self.0)(positions, values, logits)
    }
}

fn told<F>(function: F) -> LeafEvaluation
where
    F: Fn(&Positions, &mut [f32], &mut [f32]) -> Result<(), Failure> + Send + Sync + 'static,
{
    LeafEvaluation::new(Arc::new(Told(function)))
}

fn search(game: &Game, leaves: LeafEvaluation, threads: usize) -> Mcts {
    let config = MctsConfig::default().with_threads(threads);
    let config = config.with_leaves(Some(leaves));
    Mcts::new(game, Backend::Lanes, config).unwrap()
}

fn run(search: &mut Mcts, playouts: u64) -> Result<(), MachineError> {
    search.run(&SearchBudget::default().with_playouts(Some(playouts)))
}

fn report(game: &Game, leaves: LeafEvaluation, playouts: u64) -> SearchReport {
    let mut search = search(game, leaves, 1);
    run(&mut search, playouts).unwrap();
    search.report(RoleId(0))
}

fn move_text(game: &Game, report: &SearchReport) -> String {
    let ground = game.ground_game().unwrap();
    ground.move_text(RoleId(0), report.moves[0].played)
}

/// A number from 0 to 3 is said nine times; the last one counts.
fn slow_game() -> Game {
    let rules = "(role r) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
        (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (digit 0) (digit 1) (digit 2) (digit 3)
        (<= (legal r (say ?d)) (digit ?d))
        (<= (next (at ?m)) (true (at ?n)) (succ ?n ?m))
        (<= (next (said ?n ?d)) (does r (say ?d)) (true (at ?n)))
        (<= (next (said ?n ?d)) (true (said ?n ?d)))
        (<= terminal (true (at 9)))
        (<= (goal r 100) (true (said 8 3)))
        (<= (goal r 40) (true (said 8 2)))
        (<= (goal r 0) (not (true (said 8 2))) (not (true (said 8 3))))";
    Game::from_text("digits.kif", rules, &Setup::default()).unwrap()
}

/// The number of a proposition.
fn number(game: &Game, text: &str) -> usize {
    let ground = game.ground_game().unwrap();
    let state = ground.parse_state(&[text]).unwrap();
    let words = state.words();
    let at = words.iter().position(|&word| word != 0).unwrap();
    64 * at + words[at].trailing_zeros() as usize
}

fn holds(positions: &Positions, at: usize, proposition: usize) -> bool {
    let word = positions.get(at).state.words().get(proposition / 64);
    word.is_some_and(|word| word >> (proposition % 64) & 1 == 1)
}

#[test]
fn values_choose_the_move() {
    let game = slow_game();
    let good = number(&game, "(said 0 2)");
    let leaves = told(move |positions, values, _| {
        for (at, value) in values.iter_mut().enumerate() {
            *value = if holds(positions, at, good) {
                60.0
            } else {
                30.0
            };
        }
        Ok(())
    });
    let report = report(&game, leaves, 400);
    assert_eq!(move_text(&game, &report), "(say 2)");
    assert!((55.0..=60.0).contains(&report.moves[0].value.unwrap()));
    assert!(report.moves[0].visits > 300);
}

#[test]
fn likely_moves_are_looked_at_first() {
    let game = slow_game();
    let leaves = told(|positions, values, logits| {
        values.fill(50.0);
        for at in 0..positions.len() {
            // The first move of all is a hundred times as likely as any other.
            logits[positions.places(at, RoleId(0)).start] = 100f32.ln();
        }
        Ok(())
    });
    let report = report(&game, leaves, 400);
    let visits: u64 = report.moves.iter().map(|played| played.visits).sum();
    assert_eq!(report.moves[0].played.0, 0);
    assert!(report.moves[0].visits * 10 > visits * 9);
}

#[test]
fn what_is_proved_counts_more() {
    let game = common::own_game("ticTacToe");
    let leaves = told(|_, values, _| {
        values
            .chunks_mut(2)
            .for_each(|values| values.copy_from_slice(&[1e6, -1e6]));
        Ok(())
    });
    for threads in [1, 3] {
        let mut search = search(&game, leaves.clone(), threads);
        run(&mut search, 1_000_000).unwrap();
        let report = search.report(RoleId(0));
        assert!(report.solved);
        assert_eq!(report.value, Some(50.0));
    }
}

#[test]
fn leaves_come_in_batches() {
    let game = common::own_game("breakthrough");
    let most = Arc::new(AtomicUsize::new(0));
    let calls = Arc::new(AtomicUsize::new(0));
    let counts = (most.clone(), calls.clone());
    let leaves = told(move |positions, values, logits| {
        counts.0.fetch_max(positions.len(), Ordering::Relaxed);
        counts.1.fetch_add(1, Ordering::Relaxed);
        for (at, position) in positions.each().enumerate() {
            let role = position.to_move().expect("moves are made in turn");
            assert!(position.legal.role(role).len() > 1);
            assert_eq!(
                positions.places(at, role).len(),
                position.legal.role(role).len()
            );
        }
        assert_eq!(logits.len(), positions.moves());
        values.fill(50.0);
        Ok(())
    });
    let mut search = search(&game, leaves.with_batch(100), 1);
    run(&mut search, 5_000).unwrap();
    assert_eq!(most.load(Ordering::Relaxed), 100);
    // Full batches would be 50 calls.
    assert!(calls.load(Ordering::Relaxed) < 120);
}

#[test]
fn playouts_follow_the_policy() {
    let game = slow_game();
    for (text, goal) in [("(say 2)", 40.0), ("(say 3)", 100.0)] {
        let ground = game.ground_game().unwrap().clone();
        let leaves = told(move |positions, values, logits| {
            assert!(values.is_empty());
            for (at, position) in positions.each().enumerate() {
                let moves = position.legal.role(RoleId(0)).iter();
                for (&played, place) in moves.zip(positions.places(at, RoleId(0))) {
                    let is_wanted = ground.move_text(RoleId(0), played) == text;
                    logits[place] = if is_wanted { -3.0 } else { f32::NEG_INFINITY };
                }
            }
            Ok(())
        });
        let mut search = search(&game, leaves.with_playouts(true).with_batch(16), 1);
        run(&mut search, 5).unwrap();
        let report = search.report(RoleId(0));
        // Nothing is left to chance.
        assert!((report.value.unwrap() - goal).abs() < 1e-3);
        assert!(!report.solved && report.playouts >= 5);
    }
}

#[test]
fn several_decide_at_once_and_by_chance() {
    for name in ["tron", "piglet"] {
        let game = common::own_game(name);
        let leaves = told(|_, _, _| Ok(())).with_playouts(true);
        let mut search = search(&game, leaves, 2);
        run(&mut search, 500).unwrap();
        // Matches that end in the tree need no playouts.
        assert!(search.report(RoleId(0)).playouts > 50, "{name}");
    }
}

#[test]
fn what_is_wrong_ends_the_search() {
    let game = common::own_game("breakthrough");
    type Evaluate = fn(&mut [f32], &mut [f32]) -> Result<(), Failure>;
    let failing: [(Evaluate, &str); 4] = [
        (
            |_, _| Err("the network is not there".into()),
            "the network is not there",
        ),
        (
            |values, _| {
                values[1] = f32::NAN;
                Ok(())
            },
            "the value of role 1 in position 0 of the batch is NaN",
        ),
        (
            |_, logits| {
                logits[0] = f32::INFINITY;
                Ok(())
            },
            "the logits of the legal moves of role 0 in position 0",
        ),
        (
            |_, logits| {
                logits.fill(f32::NEG_INFINITY);
                Ok(())
            },
            "at least one must be finite",
        ),
    ];
    for threads in [1, 2] {
        for (failing, message) in failing {
            let calls = AtomicUsize::new(0);
            let leaves = told(move |_, values, logits| {
                values.fill(50.0);
                match calls.fetch_add(1, Ordering::Relaxed) {
                    count if count % 10 == 9 => failing(values, logits),
                    _ => Ok(()),
                }
            });
            let mut search = search(&game, leaves, threads);
            for _ in 0..2 {
                // Nothing is left under way: the search goes on until the next mistake.
                let error = run(&mut search, 1_000_000).unwrap_err();
                assert!(matches!(error, MachineError::Evaluation(_)));
                assert!(error.to_string().contains(message), "{error}");
                assert!(search.report(RoleId(0)).best.is_some());
            }
        }
    }
}

#[test]
fn the_prover_has_no_positions_for_others() {
    let game = common::own_game("ticTacToe");
    let leaves = told(|_, _, _| Ok(()));
    let config = MctsConfig::default().with_leaves(Some(leaves));
    let error = Mcts::new(&game, Backend::Prover, config).unwrap_err();
    assert!(matches!(error, MachineError::NotGround { .. }));
}
