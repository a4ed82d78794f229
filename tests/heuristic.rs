//! Learned evaluations, and searches that use them.

use std::thread::sleep;
use std::time::{Duration, Instant};

use propjit::game::engine::MatchEngines;
use propjit::game::load::{Game, Setup};
use propjit::game::machine::{Backend, RoleId};
use propjit::search::SearchBudget;
use propjit::search::learned::{
    Heuristic, HeuristicConfig, HeuristicTask, HeuristicVerdict, Known, LearnOn, PlaySearchMatch,
    Trust,
};
use propjit::search::mcts::{EvaluationUse, Mcts, MctsConfig, SearchReport};
use propjit::{Moments, Stop, gdl};

use crate::common::command::{json, own, propjit, stderr, stdout};
use crate::common::{game, own_game};

/// Learns in the given number of rounds, however long they take.
fn learn(game: &Game, rounds: u32) -> Heuristic {
    learn_on(game, rounds, 1, None)
}

/// A configuration for this many rounds, however slow the machine is.
fn of_rounds(rounds: u32) -> HeuristicConfig {
    HeuristicConfig::default()
        .with_time(Duration::from_secs(600))
        .with_rounds(Some(rounds))
}

/// As [`learn`], with a seed, from what was learned before.
fn learn_on(game: &Game, rounds: u32, seed: u64, known: Option<Known>) -> Heuristic {
    let config = of_rounds(rounds).with_seed(seed).with_known(known);
    let engines = MatchEngines::new(game.engines().unwrap().clone());
    Heuristic::learn(game, &engines, &config, &Stop::new()).unwrap()
}

/// What propositions add for the first role, whichever role is to move, in the mean over those that
/// are seen.
fn effect(game: &Game, learned: &Heuristic, fluents: &[String]) -> f64 {
    let fluents: Vec<&str> = fluents.iter().map(String::as_str).collect();
    let wanted = game.ground_game().unwrap().parse_state(&fluents).unwrap();
    let wanted: Vec<usize> = wanted.iter().collect();
    let effects = learned.effects.iter();
    let effects = effects.filter(|effect| wanted.contains(&effect.base));
    let means = effects.flat_map(|effect| effect.where_to_move.iter().filter_map(Moments::mean));
    let means: Vec<f64> = means.collect();
    means.iter().sum::<f64>() / means.len() as f64
}

/// Corners are worth most of all squares of reversi.
#[test]
fn corners_are_found() {
    let game = own_game("reversi");
    let learned = learn(&game, 6);
    let squares = |corner: bool| {
        let places = (1..=8).flat_map(|x| (1..=8).map(move |y| (x, y)));
        let is_corner = |x, y| [1, 8].contains(&x) && [1, 8].contains(&y);
        let places = places.filter(move |&(x, y)| is_corner(x, y) == corner);
        let squares: Vec<String> = places
            .map(|(x, y)| format!("(cell {x} {y} black)"))
            .collect();
        effect(&game, &learned, &squares)
    };
    let (corners, others) = (squares(true), squares(false));
    assert!(corners > 0.3, "{corners}");
    assert!(corners > 3.0 * others.abs(), "{corners} and {others}");
}

/// Pawns are worth the more the further they have come, and most before the last step.
#[test]
fn advanced_pawns_are_found_whatever_they_are_called() {
    let text = gdl::games::text("breakthroughSmall").unwrap();
    let ranks = |game: &Game, learned: &Heuristic, white: &str| -> Vec<f64> {
        let ranks = 2..=5;
        let rank = |y| {
            let squares: Vec<String> = (1..=6).map(|x| format!("(cell {x} {y} {white})")).collect();
            effect(game, learned, &squares)
        };
        ranks.map(rank).collect()
    };
    let plain = own_game("breakthroughSmall");
    let learned = learn(&plain, 5);
    assert_eq!(learned.verdict, HeuristicVerdict::Admitted);
    let found = ranks(&plain, &learned, "white");
    assert!(found[3] > found[2] && found[2] > found[1], "{found:?}");

    let scrambled = text.replace("white", "zq7").replace("black", "aa");
    let scrambled = Game::from_text("scrambled.kif", &scrambled, &Setup::default()).unwrap();
    let again = learn(&scrambled, 5);
    assert_eq!(ranks(&scrambled, &again, "zq7"), found);
}

/// Learning goes on from where it was: after one round more, the evaluation plays as well as before,
/// and better than after one round only. Means of four seeds.
#[test]
fn learning_goes_on() {
    const SEEDS: u64 = 4;
    let game = own_game("reversi");
    let score = |learned: Heuristic| {
        let score = learned.result.unwrap().against_random;
        score.mean().unwrap() / SEEDS as f64
    };
    let (mut before, mut new, mut resumed) = (0.0, 0.0, 0.0);
    for seed in 0..SEEDS {
        let six = learn_on(&game, 6, seed, None);
        let known = six.known(&of_rounds(6));
        before += score(six);
        let seed = SEEDS + seed;
        new += score(learn_on(&game, 1, seed, None));
        resumed += score(learn_on(&game, 1, seed, Some(known)));
    }
    // Of some 500 matches each: the standard error of the difference is 0.02.
    assert!(resumed > before - 0.05, "{resumed} after {before}");
    assert!(resumed > new, "{resumed} instead of {new}");
}

/// On several threads, too, whichever is done first, and it is about as good.
#[test]
fn the_same_seed_gives_the_same_evaluation() {
    let game = own_game("connectFour");
    let engines = MatchEngines::new(game.engines().unwrap().clone());
    for threads in [1, 3] {
        let config = of_rounds(4).with_threads(threads);
        let learned = || Heuristic::learn(&game, &engines, &config, &Stop::new()).unwrap();
        let [first, second] = [0, 1].map(|_| learned());
        assert_eq!(first.evaluation, second.evaluation);
        assert_eq!(
            (first.loss, first.decisions),
            (second.loss, second.decisions)
        );
        // It is 0.13, with a standard error of 0.01.
        assert!(first.gain.mean().unwrap() > 0.09, "{:?}", first.gain);
    }
}

/// The role that makes the last decision wins by it, whatever was done before: there is nothing to learn.
#[test]
fn nothing_is_admitted_without_signal() {
    let numbers: String = (0..20).map(|n| format!("(succ {n} {})", n + 1)).collect();
    let game = game(&format!(
        "(role a) (role b) {numbers} (init (step 0)) (init (turn a))
         (bit 0) (bit 1) (bit 2) (bit 3)
         (<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= (legal ?r (set ?b)) (true (turn ?r)) (bit ?b))
         (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
         (<= (next (on ?b)) (does ?r (set ?b)) (not (true (on ?b))))
         (<= (next (on ?b)) (true (on ?b)) (not (flipped ?b)))
         (<= (flipped ?b) (does ?r (set ?b)))
         (<= terminal (true (step 20)))
         (<= odd (true (on 0)) (not (true (on 1)))) (<= odd (true (on 1)) (not (true (on 0))))
         (<= (goal a 100) odd) (<= (goal a 0) (not odd))
         (<= (goal b 0) odd) (<= (goal b 100) (not odd))"
    ));
    let learned = learn(&game, 4);
    assert_ne!(learned.verdict, HeuristicVerdict::Admitted, "{learned:?}");
    assert!(learned.admitted().is_none());
}

#[test]
fn games_of_one_role_have_none() {
    let verdict = |name| learn(&own_game(name), 2).verdict;
    assert_eq!(verdict("sudoku"), HeuristicVerdict::OtherRoles);
    assert_eq!(verdict("montyHall"), HeuristicVerdict::OtherRoles);
}

/// A match that is over at the start, and one in which a role has no legal move there.
#[test]
fn where_nobody_has_a_choice_nothing_is_learned() {
    for rules in [
        "(role a) (role b) (init s) (legal a m) (legal b m) (goal a 100) (goal b 0) (<= terminal (true s))",
        "(role a) (role b) (init s) (<= (legal a m) (true s)) (<= (legal b m) (true t)) (<= (next t) (true s))
         (goal a 100) (goal b 0) (<= terminal (true u)) (<= (next u) (true u))",
    ] {
        let learned = learn(&game(rules), 2);
        assert_eq!(learned.verdict, HeuristicVerdict::NoDecisions);
    }
}

/// Matches that have no end are given up as playouts are, so that rounds have an end.
#[test]
fn matches_without_an_end_are_worth_nothing() {
    let ring: String = (0..5)
        .map(|n| format!("(beside {n} {})", (n + 1) % 5))
        .collect();
    let game = game(&format!(
        "(role a) (role b) (other a b) (other b a) (init (at 0)) (init (turn a)) {ring}
         (<= (legal ?r (go ?n)) (true (turn ?r)) (true (at ?m)) (beside ?m ?n))
         (<= (legal ?r (go ?n)) (true (turn ?r)) (true (at ?m)) (beside ?n ?m))
         (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
         (<= (next (at ?n)) (does ?r (go ?n))) (<= (next (turn ?s)) (true (turn ?r)) (other ?r ?s))
         (<= terminal (true (at 7))) (<= (next (at 7)) (true (at 7))) (goal a 100) (goal b 0)"
    ));
    let learned = learn(&game, 1);
    assert_eq!(
        (learned.rounds, learned.verdict),
        (1, HeuristicVerdict::NoGain)
    );
}

/// More than two roles, roles that decide at once, and those that play against chance as well have evaluations that win
/// against random decisions, which get half.
#[test]
fn more_roles_and_decisions_at_once_are_learned() {
    for (name, rounds) in [
        ("fourPlayerHalma", 3),
        ("threePlayerTicTacToe", 4),
        ("tron", 4),
        ("shortTables", 4),
    ] {
        let game = own_game(name);
        let learned = learn(&game, rounds);
        let score = learned.result.unwrap().against_random;
        let least = score.mean().unwrap() - 3.0 * score.standard_error().unwrap();
        assert!(least > 0.55, "{name}: {score:?}");
        let roles = game.ground_game().unwrap().roles().len();
        assert!(
            learned
                .effects
                .iter()
                .all(|effect| effect.where_to_move.len() == roles)
        );
    }
}

/// Where matches between searches are sure, it is they that decide; where there is no time for any, all else does.
#[test]
fn matches_between_searches_count_most() {
    let verdict = |name: &str, play: Option<PlaySearchMatch>| {
        let game = own_game(name);
        let config = of_rounds(3).with_search_matches(play);
        let engines = MatchEngines::new(game.engines().unwrap().clone());
        let learned = Heuristic::learn(&game, &engines, &config, &Stop::new()).unwrap();
        let between = learned.result.expect("it was tried").between_searches;
        let between = between.unwrap_or_default();
        (learned.verdict, [between.full.count, between.hint.count])
    };
    let [won, lost, no_time]: [PlaySearchMatch; 3] =
        [|_, _| Ok(Some(1.0)), |_, _| Ok(Some(0.0)), |_, _| Ok(None)];
    let only_as_a_hint: PlaySearchMatch = |one, _| {
        let is_hint = one.evaluation.trust == Trust::Hint;
        Ok(Some(if is_hint { 1.0 } else { 0.0 }))
    };
    for name in ["breakthroughSmall", "ticTacToe"] {
        let (alone, none) = verdict(name, None);
        assert_eq!(none, [0, 0]);
        assert_eq!(verdict(name, Some(no_time)), (alone, none));
        assert_eq!(
            verdict(name, Some(won)),
            (HeuristicVerdict::Admitted, [6, 0])
        );
        assert_eq!(verdict(name, Some(lost)), (HeuristicVerdict::NoUse, [3, 3]));
        assert_eq!(
            verdict(name, Some(only_as_a_hint)),
            (HeuristicVerdict::Hint, [3, 6])
        );
    }
}

#[test]
fn a_stop_ends_learning() {
    let game = own_game("breakthrough");
    let stop = Stop::new();
    stop.set();
    let config = HeuristicConfig::default();
    let engines = MatchEngines::new(game.engines().unwrap().clone());
    let learned = Heuristic::learn(&game, &engines, &config, &stop).unwrap();
    assert_eq!(learned.verdict, HeuristicVerdict::Stopped);
    assert!(learned.evaluation.is_none());
}

/// Learning and the trial keep to their time where states have many successors and matches are long. A machine may
/// be so busy that it takes ten times as long.
#[test]
fn learning_keeps_to_its_time() {
    let game = own_game("chess");
    let time = Duration::from_secs(1);
    let config = HeuristicConfig::default().with_time(time).with_seed(1);
    let engines = MatchEngines::new(game.engines().unwrap().clone());
    let learned = Heuristic::learn(&game, &engines, &config, &Stop::new()).unwrap();
    assert!(learned.time < 10 * time, "{:?}", learned.time);
    assert!(learned.decisions > 0);
}

/// Without time for a round there is a verdict, so that it is not tried again at once, and what was known before
/// is still used.
#[test]
fn too_little_time_is_a_verdict() {
    let game = own_game("breakthrough");
    let engines = MatchEngines::new(game.engines().unwrap().clone());
    let learn = |known| {
        let config = HeuristicConfig::default();
        let config = config.with_time(Duration::ZERO).with_known(known);
        Heuristic::learn(&game, &engines, &config, &Stop::new()).unwrap()
    };
    let learned = learn(None);
    assert_eq!(learned.verdict, HeuristicVerdict::TooSlow);
    assert!(learned.evaluation.is_none() && learned.admitted().is_none());
    let known = Known {
        evaluation: learn_on(&game, 1, 1, None).evaluation,
        trust: Some(Trust::Hint),
        time: Duration::from_secs(1),
    };
    let learned = learn(Some(known.clone()));
    assert_eq!(learned.verdict, HeuristicVerdict::TooSlow);
    assert_eq!(
        (learned.evaluation, learned.trust),
        (known.evaluation, known.trust)
    );
}

/// A task goes on from what it has learned, each time for as long as in all before, and comes to an end. What is there
/// already stays if what comes is of less use.
#[test]
fn learning_goes_on_for_a_while() {
    let game = own_game("breakthroughSmall");
    let engines = MatchEngines::new(game.engines().unwrap().clone());
    let config = of_rounds(4).with_seed(1).with_keeps(false);
    let mut task = HeuristicTask::start(&game, &engines, &config);
    let mut last = task.wait();
    let (mut times, mut changes) = (0, 0);
    while let Some(next) = task.resume(LearnOn::Beside) {
        task = next;
        let found = task.wait();
        assert!(found.is_some() || last.is_none(), "what is of use stays");
        changes += usize::from(found != last);
        (last, times) = (found, times + 1);
    }
    // For 1200, 2400 and 4800 s in all; what was of no use all the time is given up before.
    assert!((2..=3).contains(&times), "{times}");
    assert!(last.is_none() || changes > 0, "something is learned");
    let puzzle = own_game("sudoku");
    let engines = MatchEngines::new(puzzle.engines().unwrap().clone());
    let task = HeuristicTask::start(&game, &engines, &config);
    assert!(task.wait().is_none() && task.resume(LearnOn::Beside).is_none());
}

/// Learning that is to run between searches only waits until a caller waits for it, and goes on then.
#[test]
fn learning_between_searches_waits() {
    let game = own_game("breakthrough");
    let engines = MatchEngines::new(game.engines().unwrap().clone());
    let config = of_rounds(8).with_seed(1).with_keeps(false);
    let start = Instant::now();
    let task = HeuristicTask::start(&game, &engines, &config);
    let first = task.wait().expect("it is of use");
    let time = start.elapsed();
    let task = task.resume(LearnOn::Between).expect("it is trusted");
    sleep(time);
    assert_eq!(task.found(), None);
    // For a round at most.
    task.learn_until(&Stop::new().within(Duration::ZERO));
    sleep(time);
    assert_eq!(task.found(), None);
    task.learn_until(&Stop::new());
    let learned = task.found().flatten().expect("what is of use stays");
    assert_ne!(learned, first);
}

/// Three take one or two in turn. The role that takes the last has won, and the role before it is second.
const THREE_TAKE: &str = "
    (role a) (role b) (role c) (init (pile 8)) (init (turn a))
    (after a b) (after b c) (after c a)
    (less 0 1) (less 1 2) (less 2 3) (less 3 4) (less 4 5) (less 5 6) (less 6 7) (less 7 8)
    (<= (leaves 1 ?m) (true (pile ?n)) (less ?m ?n))
    (<= (leaves 2 ?l) (true (pile ?n)) (less ?m ?n) (less ?l ?m))
    (<= (legal ?r (take ?k)) (true (turn ?r)) (leaves ?k ?m))
    (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
    (<= (next (pile ?m)) (does ?r (take ?k)) (leaves ?k ?m))
    (<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s))
    (<= terminal (true (pile 0)))
    (<= (goal ?r 100) (true (turn ?s)) (after ?r ?s))
    (<= (goal ?r 50) (true (turn ?s)) (after ?r ?t) (after ?t ?s))
    (<= (goal ?r 0) (true (turn ?r)))";

/// How evaluations are used: the weights of leaves, minimax values and fresh nodes, and the spread.
const USES: [[f32; 4]; 4] = [
    [0.0, 1.0, 0.0, 0.1],
    [0.5, 0.3, 4.0, f32::INFINITY],
    [0.5, 0.3, 4.0, 0.0],
    [1.0, 0.0, 100.0, 0.1],
];

/// What a search finds, with an evaluation that is used like this, or without one.
fn searched(game: &Game, used: Option<[f32; 4]>, playouts: u64) -> SearchReport {
    let evaluation = used.map(|weights| {
        let [leaf, minimax, prior, spread] = weights.map(Some);
        let mut used = EvaluationUse::default();
        (used.leaf, used.backup, used.prior, used.spread) = (leaf, minimax, prior, spread);
        used
    });
    let config = MctsConfig::default()
        .with_evaluation(evaluation)
        .with_keep(false);
    let mut search = Mcts::new(game, Backend::Compiled, config).unwrap();
    search.wait_for_evaluation();
    let budget = SearchBudget::default().with_playouts(Some(playouts));
    search.run(&budget).unwrap();
    search.report(RoleId(0))
}

/// With an evaluation, however it is used, what is proved is what is proved without one.
#[test]
fn proofs_are_the_same_with_an_evaluation() {
    for game in [own_game("ticTacToe"), game(THREE_TAKE)] {
        let without = searched(&game, None, 1_000_000);
        assert!(without.solved);
        for used in USES {
            let report = searched(&game, Some(used), 1_000_000);
            assert!(report.solved, "{used:?}");
            assert_eq!(report.value, without.value, "{used:?}");
        }
    }
}

/// Where both decide at once in a game that is the same for both, each can expect half, however an evaluation is used.
#[test]
fn evaluations_serve_decisions_at_once() {
    let game = own_game("tron");
    for used in USES {
        let report = searched(&game, Some(used), 20_000);
        let value = report.value.unwrap();
        assert!((35.0..65.0).contains(&value), "{used:?}: {value}");
    }
}

#[test]
fn the_command_tells_effects_and_verdict() {
    let report = json(&[
        "heuristics",
        &own("breakthroughSmall"),
        "--seconds",
        "600",
        "--rounds",
        "4",
        "--seed",
        "1",
    ]);
    assert_eq!(report["verdict"], "admitted");
    assert_eq!(report["rounds"], 4);
    assert!(report["gain"].as_f64().unwrap() > 0.0);
    let effects = report["effects"].as_array().unwrap();
    let before_the_goal = ["(cell 1 5 white)", "(cell 6 2 black)"].map(|text| {
        let found = effects.iter().find(|effect| effect["proposition"] == text);
        found.unwrap()["mean"][0].as_f64().unwrap()
    });
    assert!(before_the_goal[0] > 1.0 && before_the_goal[1] < -1.0);
    // Nothing was kept, as profiles are switched off here.
    let rules = own("breakthroughSmall");
    let learned = propjit(&["heuristics", &rules, "--rounds", "1", "--continue"]);
    assert!(!stdout(learned.success()).contains(" after "));
    let text = stdout(propjit(&["heuristics", &own("sudoku")]).success());
    assert!(
        text.starts_with("sudoku: not a game of two to four roles"),
        "{text}"
    );
    propjit(&["heuristics", &own("sudoku"), "--rounds", "0"]).code(2);
}

/// More rounds are better than one, whichever evaluation is asked first. Files without an evaluation of the
/// game are refused.
#[test]
fn evaluations_play_against_those_in_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (few, many) = (file("few.json"), file("many.json"));
    let rules = own("breakthroughSmall");
    let learned = |rounds: &str, options: &[&str]| {
        let command = [
            "heuristics",
            &rules,
            "--seconds",
            "600",
            "--rounds",
            rounds,
            "--seed",
            "1",
        ];
        let report = json(&[&command, options].concat());
        let against = report["against"].as_array().cloned().unwrap_or_default();
        let scores = against.iter().map(|one| one["score"].as_f64().unwrap());
        scores.collect::<Vec<_>>()
    };
    assert!(learned("1", &["--save", &few]).is_empty());
    let against_few = learned("6", &["--save", &many, "--against", &few]);
    assert!(against_few[0] > 0.6, "{against_few:?}");
    let against_both = learned("1", &["--against", &many, "--against", &few]);
    assert!(against_both[0] < 0.4, "{against_both:?}");
    assert!((against_both[1] - 0.5).abs() < 0.1, "{against_both:?}");
    #[cfg(unix)]
    {
        // A file that is a link stays one.
        let link = file("link.json");
        std::os::unix::fs::symlink(&many, &link).unwrap();
        assert!(learned("1", &["--save", &link]).is_empty());
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        let as_few = learned("1", &["--against", &many]);
        assert!((as_few[0] - 0.5).abs() < 0.1, "{as_few:?}");
    }
    // A file that cannot be written is reported at once.
    let nowhere = file("none/evaluation.json");
    let refused = propjit(&["heuristics", &rules, "--seconds", "600", "--save", &nowhere]).code(1);
    assert!(stderr(refused).contains("cannot write"));
    for (file, text) in [
        (file("none.json"), "none.json"),
        (few, "no evaluation of this game"),
    ] {
        let refused = propjit(&["heuristics", &own("ticTacToe"), "--against", &file]).code(1);
        let error = stderr(refused);
        assert!(error.contains(text), "{error}");
    }
}
