//! Decided states: that matches end as counters say, and what searches make of it.

use std::time::Duration;

use crate::common;
use propjit::Stop;
use propjit::game::facts::{self, AnalysisConfig, Counter, GoalBounds, Invariant};
use propjit::game::load::Game;
use propjit::game::machine::batch::Batch;
use propjit::game::machine::random_batch::RandomBatch;
use propjit::game::machine::{Backend, RoleId, State};
use propjit::search::SearchBudget;
use propjit::search::mcts::{Mcts, MctsConfig};
use propjit::support::rng::streams;

/// Five tokens, each of which the role to move takes or gives to the other. Scores are counted
/// by propositions, of which one is always true.
const TOKENS: &str = "
    (role a) (role b) (init (control a)) (init (score a s0)) (init (score b s0))
    (token 1) (token 2) (token 3) (token 4) (token 5)
    (succ s0 s1) (succ s1 s2) (succ s2 s3) (succ s3 s4) (succ s4 s5)
    (<= (init (left ?t)) (token ?t))
    (<= (legal ?p (take ?t)) (true (control ?p)) (true (left ?t)))
    (<= (legal ?p (give ?t)) (true (control ?p)) (true (left ?t)))
    (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
    (<= (used ?t) (does ?p (take ?t))) (<= (used ?t) (does ?p (give ?t)))
    (<= (next (left ?t)) (true (left ?t)) (not (used ?t)))
    (<= (scores ?p) (does ?p (take ?t)))
    (<= (scores ?p) (does ?q (give ?t)) (role ?p) (distinct ?p ?q))
    (<= (next (score ?p ?n)) (true (score ?p ?n)) (not (scores ?p)))
    (<= (next (score ?p ?n2)) (true (score ?p ?n)) (scores ?p) (succ ?n ?n2))
    (<= (next (control a)) (true (control b))) (<= (next (control b)) (true (control a)))
    (<= open (true (left ?t))) (<= terminal (not open))
    (more s1 s0) (<= (more ?m2 ?n) (more ?m ?n) (succ ?m ?m2))
    (<= (more ?m2 ?m) (more ?m ?n) (succ ?m ?m2))
    (<= (wins ?p) (true (score ?p ?m)) (true (score ?q ?n)) (more ?m ?n) (distinct ?p ?q))
    (<= (goal ?p 100) (wins ?p)) (<= (goal ?p 0) (role ?p) (not (wins ?p)))";

/// Nine seeds in three pits. The role to move puts one into the next pit, or into the store of one of
/// the two. No place can have more than all seeds, which only follows from their sum.
const SEEDS: &str = "
    (role a) (role b) (init (control a)) (pit p1) (pit p2) (pit p3) (store a wa) (store b wb)
    (leads p1 p2) (leads p2 p3) (<= (leads ?p ?q) (pit ?p) (store ?r ?q))
    (<= (init (has ?p s3)) (pit ?p)) (<= (init (has ?q s0)) (store ?r ?q))
    (succ s0 s1) (succ s1 s2) (succ s2 s3) (succ s3 s4) (succ s4 s5) (succ s5 s6) (succ s6 s7)
    (succ s7 s8) (succ s8 s9) (few s0) (few s1) (few s2) (few s3) (few s4)
    (<= (legal ?r (move ?p ?q)) (true (control ?r)) (leads ?p ?q) (not (true (has ?p s0))))
    (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
    (<= (next (has ?p ?m)) (does ?r (move ?p ?q)) (true (has ?p ?n)) (succ ?m ?n))
    (<= (next (has ?q ?n)) (does ?r (move ?p ?q)) (true (has ?q ?m)) (succ ?m ?n))
    (<= (changes ?p) (does ?r (move ?p ?q))) (<= (changes ?q) (does ?r (move ?p ?q)))
    (<= (next (has ?p ?n)) (true (has ?p ?n)) (not (changes ?p)))
    (<= (next (control a)) (true (control b))) (<= (next (control b)) (true (control a)))
    (<= terminal (true (has p1 s0)) (true (has p2 s0)) (true (has p3 s0)))
    (<= (little ?r) (store ?r ?q) (true (has ?q ?n)) (few ?n))
    (<= (goal ?r 0) (little ?r)) (<= (goal ?r 100) (role ?r) (not (little ?r)))";

/// The public games in which counters show which goals are out of reach, with the least percentage of
/// matches that are decided before their end; `None` for games that are played in long tests only. Where
/// goals depend on the winner's margin, hardly any are.
const PUBLIC: [(&str, Option<u64>); 11] = [
    ("2pffa_zerosum", None),
    ("checkersBarrelNoKings_v1", None),
    ("checkersTorusNoKings", None),
    ("dotsAndBoxes", Some(75)),
    ("factoringImpossibleTurtleBrain", None),
    ("factoringMediumTurtleBrain", None),
    ("knightmove", None),
    ("pancakes6", None),
    ("roshambo2", None),
    ("ruleDepthExponential", None),
    ("ruleDepthLinear", None),
];

/// What counters leave of the goals of a game.
fn bounds(game: &Game) -> GoalBounds {
    // However slow the machine is.
    let config = AnalysisConfig::default().with_time(Duration::from_secs(1000));
    let bounds = facts::find_goal_bounds(game.engines().unwrap(), &config, &Stop::new());
    bounds.filter(|bounds| bounds.counts().is_some()).unwrap()
}

/// Plays the given number of random matches, or a few more. Panics if one ends with a goal that was out of reach.
/// Returns how many were decided before their end.
fn decided_matches(name: &str, game: &Game, bounds: &GoalBounds, matches: u64) -> u64 {
    let engines = game.engines().unwrap();
    engines.wait();
    let ground = engines.game();
    let batch = Batch::new(ground.clone(), engines.best());
    let roles = ground.roles().len();
    let mut left = vec![vec![None; roles]; batch.lanes()];
    let mut decided = vec![false; batch.lanes()];
    let mut played = RandomBatch::new(batch, streams(7).next().unwrap());
    let (mut ended, mut early) = (0, 0);
    while ended < matches {
        let goes_on = played.step(|step| {
            for (lane, before) in step.before.iter().enumerate() {
                for (role, left) in RoleId::first(roles).zip(&mut left[lane]) {
                    *left = bounds.of(before, role).or(*left);
                }
                decided[lane] |= bounds.decided(before).is_some();
                if step.terminal.contains(lane) {
                    ended += 1;
                    early += u64::from(decided[lane]);
                    for (role, left) in RoleId::first(roles).zip(&left[lane]) {
                        if let Some((least, greatest)) = *left {
                            let goal = step.batch.goal(role, lane).unwrap();
                            assert!((least..=greatest).contains(&goal), "{name}");
                        }
                    }
                }
                if step.terminal.or(step.stuck).contains(lane) {
                    left[lane].fill(None);
                    decided[lane] = false;
                }
            }
        });
        assert!(goes_on, "{name}");
    }
    early
}

#[test]
fn what_is_counted_is_an_invariant() {
    let game = common::game(TOKENS);
    let config = AnalysisConfig::default();
    let facts = facts::find(game.engines().unwrap(), &config, &Stop::new());
    let linear: Vec<_> = (facts.invariants.iter())
        .filter_map(|invariant| match invariant {
            Invariant::Linear(linear) => Some(linear),
            _ => None,
        })
        .collect();
    // The scores and what is left are five; the places of scores are counted from one on.
    let [sum] = linear[..] else {
        panic!("{linear:?}");
    };
    assert_eq!(sum.constant, 7);
    let choices = sum.terms.iter();
    let choices = choices.filter(|(_, counter)| matches!(counter, Counter::Choice(_)));
    assert_eq!(choices.count(), 2);
    assert!(sum.holds(game.ground_game().unwrap().initial()));
}

#[test]
fn decided_matches_end_as_they_were_decided() {
    for (name, game) in [
        ("tokens", common::game(TOKENS)),
        ("seeds", common::game(SEEDS)),
        ("dotsAndBoxes", common::own_game("dotsAndBoxes")),
    ] {
        let matches = if common::soak() { 1_000_000 } else { 2_000 };
        let early = decided_matches(name, &game, &bounds(&game), matches);
        assert!(early * 2 > matches, "{name}: {early}");
    }
}

#[test]
fn decided_matches_of_public_games_end_as_they_were_decided() {
    let Some(folder) = common::shared() else {
        return;
    };
    for (name, least) in PUBLIC {
        let matches = match (common::soak(), least) {
            (true, _) => 100_000,
            (false, Some(_)) => 2_000,
            (false, None) => continue,
        };
        let game = common::load(&folder.join(format!("games/{name}.kif")));
        let early = decided_matches(name, &game, &bounds(&game), matches);
        let least = least.map_or(0, |percent| matches * percent / 100);
        assert!(early >= least, "{name}: {early}");
    }
}

#[test]
fn ends_without_a_goal_that_are_never_seen_leave_goals_open() {
    // Random matches hardly ever open the lock, and only then the player has no goal.
    let rules = |locked: &str| {
        let steps: String = (0..20).map(|n| format!("(after {n} {})", n + 1)).collect();
        format!(
            "(role r) {steps} (init (step 0)) (init (open 0))
             (legal r a) (legal r b) (legal r c) (legal r d)
             (<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
             (<= (next (open ?n)) (true (open ?m)) (after ?m ?n) (does r a))
             (<= (next burnt) (does r b))
             (<= (next burnt) (true burnt))
             (<= terminal (true (step 20)))
             (<= (goal r 100) (not (true burnt)))
             (<= (goal r 50) (true burnt) {locked})"
        )
    };
    let burnt = |rules: String| {
        let game = common::game(&rules);
        let (engines, config) = (game.engines().unwrap(), AnalysisConfig::default());
        let bounds = facts::find_goal_bounds(engines, &config, &Stop::new());
        let facts = ["burnt", "(step 1)", "(open 0)"];
        let state = game.ground_game().unwrap().parse_state(&facts).unwrap();
        bounds.and_then(|bounds| bounds.of(&state, RoleId(0)))
    };
    assert_eq!(burnt(rules("")), Some((50, 50)));
    assert_eq!(burnt(rules("(not (true (open 19)))")), None);
}

#[test]
fn seeds_are_conserved() {
    let game = common::game(SEEDS);
    let facts = facts::find(
        game.engines().unwrap(),
        &AnalysisConfig::default(),
        &Stop::new(),
    );
    let sums = facts
        .invariants
        .iter()
        .filter_map(|invariant| match invariant {
            Invariant::Linear(linear) => Some((linear.terms.len(), linear.constant)),
            _ => None,
        });
    // The values of choices are one more than the seeds in each of the five places.
    assert_eq!(sums.collect::<Vec<_>>(), [(5, 14)]);
}

/// The state of the tokens game with these scores and tokens.
fn tokens(game: &Game, scores: [&str; 2], left: &[&str]) -> State {
    let [a, b] = scores;
    let mut fluents = vec!["(control a)".to_string()];
    fluents.extend([format!("(score a {a})"), format!("(score b {b})")]);
    fluents.extend(left.iter().map(|token| format!("(left {token})")));
    let fluents: Vec<&str> = fluents.iter().map(String::as_str).collect();
    game.ground_game().unwrap().parse_state(&fluents).unwrap()
}

#[test]
fn a_majority_decides() {
    let game = common::game(TOKENS);
    let bounds = bounds(&game);
    let decided = |scores, left: &[&str]| bounds.decided(&tokens(&game, scores, left));
    assert_eq!(decided(["s2", "s1"], &["1", "2"]), None);
    assert_eq!(decided(["s3", "s0"], &["1", "2"]), Some(vec![100, 0]));
    assert_eq!(decided(["s1", "s3"], &["4"]), Some(vec![0, 100]));
}

#[test]
fn who_has_no_choice_of_goals_leaves_states_decided() {
    let goals = "(<= (goal ?p 0) (player ?p)";
    let rules = TOKENS.replace("(<= (goal ?p 0) (role ?p)", goals);
    assert!(rules.contains(goals));
    let more = "(player a) (player b) (role judge) (role keeper) (goal keeper 30)
        (legal judge look) (legal keeper look)";
    let game = common::game(&format!("{rules} {more}"));
    let decided = |scores| bounds(&game).decided(&tokens(&game, scores, &["1", "2"]));
    assert_eq!(decided(["s2", "s1"]), None);
    assert_eq!(decided(["s3", "s0"]), Some(vec![100, 0, 0, 30]));
}

#[test]
fn a_search_ends_where_it_is_decided() {
    let game = common::game(TOKENS);
    game.goal_bounds().unwrap().wait();
    let mut search = Mcts::new(&game, Backend::Compiled, MctsConfig::default()).unwrap();
    search
        .set_root(&tokens(&game, ["s3", "s0"], &["1", "2"]), 3)
        .unwrap();
    search
        .run(&SearchBudget::default().with_nodes(Some(1000)))
        .unwrap();
    let report = search.report(RoleId(0));
    assert!(report.solved);
    assert_eq!(report.value, Some(100.0));
    assert!(report.nodes <= 2, "{}", report.nodes);
}
