//! Searches of small games with known values.

use propjit_stop::Stop;

use super::*;
use crate::game::load::{Game, Setup};
use crate::search::beliefs::{Belief, BeliefConfig, Observation};

fn game(rules: &str) -> Game {
    let game = Game::from_text("hidden.kif", rules, &Setup::default()).unwrap();
    game.engines().unwrap().wait();
    game
}

fn run(game: &Game, role: RoleId, belief: &Belief, iterations: u64) -> InformationSetReport {
    let mut search = InformationSetSearch::new(game.engines().unwrap(), role, 1);
    let budget = SearchBudget::default().with_playouts(Some(iterations));
    search.run(belief.population(), &budget).unwrap();
    search.report()
}

/// A coin is thrown; the role either names a side or takes the fixed goal that it gets without a guess.
fn coin(sees: &str) -> Game {
    game(&format!(
        "(role guesser) (role random) (init (step 1)) (side heads) (side tails)
         (<= (legal random (throw ?s)) (true (step 1)) (side ?s)) (<= (legal random wait) (true (step 2)))
         (<= (legal guesser wait) (true (step 1)))
         (<= (legal guesser (say ?s)) (true (step 2)) (side ?s)) (<= (legal guesser pass) (true (step 2)))
         (<= (next (coin ?s)) (does random (throw ?s))) (<= (next (coin ?s)) (true (coin ?s)))
         (<= (next (step 2)) (true (step 1)))
         (<= (next (said ?m)) (does guesser ?m) (true (step 2)))
         (<= right (true (coin ?s)) (true (said (say ?s)))) (<= passed (true (said pass)))
         (<= terminal (true (said ?m)))
         (<= (goal guesser 100) right) (<= (goal guesser 60) passed)
         (<= (goal guesser 0) (not right) (not passed)) (goal random 0) {sees}"
    ))
}

/// A search that takes hypotheses for known would guess, as it is always right then.
#[test]
fn what_is_not_known_is_not_used() {
    let role = RoleId(0);
    for (sees, expected, value) in [
        (
            "(<= (sees guesser clink) (does random (throw ?s)))",
            "pass",
            60.0,
        ),
        (
            "(<= (sees guesser ?s) (does random (throw ?s)))",
            "(say heads)",
            100.0,
        ),
    ] {
        let game = coin(sees);
        let ground = game.ground_game().unwrap();
        let mut belief = Belief::new(game.engines().unwrap(), role, BeliefConfig::default());
        let wait = ground.parse_move(role, "wait").unwrap();
        let seen = if expected == "pass" { "clink" } else { "heads" };
        let seen = Observation::from_texts(ground, role, wait, &[seen], false).unwrap();
        belief.observe(&seen, &Stop::new()).unwrap();
        let report = run(&game, role, &belief, 4000);
        let best = report.best().unwrap();
        assert_eq!(ground.move_text(role, best), expected);
        let found = report.moves[0].value.unwrap();
        assert!((found - value).abs() < 1.0, "{report:?}");
        assert!(report.iterations >= 4000);
        let all: f64 = report.moves.iter().map(|of| of.probability).sum();
        assert!((all - 1.0).abs() < 1e-9);
    }
}

/// Before the throw, it is foreseen what will be known after it: a match with a clink is worth less than one with a look.
#[test]
fn what_will_be_known_is_foreseen() {
    let role = RoleId(0);
    let value = |sees: &str| {
        let game = coin(sees);
        let belief = Belief::new(game.engines().unwrap(), role, BeliefConfig::default());
        // The only move is forced; what comes after it is in the tree.
        let mut search = InformationSetSearch::new(game.engines().unwrap(), role, 1);
        let budget = SearchBudget::default().with_playouts(Some(20_000));
        search.run(belief.population(), &budget).unwrap();
        let tree = &search.trees[0];
        let sums = (0..tree.len() as u32).flat_map(|node| tree.moves(node));
        let (sum, visits) = sums.fold((0.0, 0), |(sum, visits), of| {
            (sum + of.sum, visits + of.visits)
        });
        100.0 * sum / visits as f32
    };
    let (hidden, seen) = (
        value("(<= (sees guesser clink) (does random (throw ?s)))"),
        value("(<= (sees guesser ?s) (does random (throw ?s)))"),
    );
    assert!(
        (57.0..61.0).contains(&hidden) && seen > 90.0,
        "{hidden} {seen}"
    );
}

/// In matching pennies, each role mixes its moves evenly, and gets half.
#[test]
fn roles_mix_their_moves() {
    let game = game(
        "(role even) (role odd) (init (step 1)) (side heads) (side tails)
         (<= (legal ?r (show ?s)) (role ?r) (side ?s))
         (<= (next (shown ?r ?s)) (does ?r (show ?s)))
         (<= terminal (true (shown ?r ?s)))
         (<= same (true (shown even ?s)) (true (shown odd ?s)))
         (<= (goal even 100) same) (<= (goal even 0) (not same))
         (<= (goal odd 0) same) (<= (goal odd 100) (not same))",
    );
    let belief = Belief::new(game.engines().unwrap(), RoleId(0), BeliefConfig::default());
    let report = run(&game, RoleId(0), &belief, 20_000);
    for of in &report.moves {
        assert!((of.probability - 0.5).abs() < 0.1, "{report:?}");
    }
    assert!((report.value.unwrap() - 50.0).abs() < 3.0);
}

#[test]
fn nothing_is_found_without_time() {
    let game = coin("(<= (sees guesser clink) (does random (throw ?s)))");
    let belief = Belief::new(game.engines().unwrap(), RoleId(0), BeliefConfig::default());
    let mut search = InformationSetSearch::new(game.engines().unwrap(), RoleId(0), 1);
    let stop = Stop::new();
    stop.set();
    let budget = SearchBudget::default().with_stop(stop);
    search.run(belief.population(), &budget).unwrap();
    let report = search.report();
    assert_eq!(
        (report.best(), report.value, report.iterations),
        (None, None, 0)
    );
}
