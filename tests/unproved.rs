//! What is not proved: ends that were not reached, that have no goal or several, and what roles do not see.

use propjit::Stop;
use propjit::game::load::Game;
use propjit::game::machine::{Backend, RoleId};
use propjit::proof::certificate::{CheckProgress, Refusal, check};
use propjit::proof::forced::{MAX_DEPTH, ParallelProver, ProofConfig, ProofMode, Target, Verdict};
use propjit::proof::plan::{PlanLimits, Planner};
use propjit::proof::solve::{SolveConfig, SolveProgress, Solved, solve};
use propjit::proof::unproved::Unproved;
use propjit::search::mcts::{MctsConfig, SearchReport};
use serde_json::{Value, json};

use crate::common::command::{file, json, propjit, stdout};
use crate::common::game;
use crate::common::search::{search, text};
use crate::common::solvable::values;

const ROLE: RoleId = RoleId(0);

/// A number in binary that a role can only count up: the bit of its highest digit comes after two to the power of so
/// many joint moves, and brings 100.
fn counter(bits: u32) -> String {
    let off: String = (0..=bits).map(|i| format!("(init (off {i}))")).collect();
    let below: String = (0..=bits)
        .flat_map(|i| (0..i).map(move |j| format!("(below {j} {i})")))
        .collect();
    format!(
        "(role r) {off} {below}
         (<= terminal (true (on {bits})))
         (<= (hold ?i) (below ?j ?i) (true (off ?j)))
         (<= (next (on ?i)) (true (off ?i)) (not (hold ?i)))
         (<= (next (off ?i)) (true (on ?i)) (not (hold ?i)))
         (<= (next (on ?i)) (true (on ?i)) (hold ?i))
         (<= (next (off ?i)) (true (off ?i)) (hold ?i))"
    )
}

/// The only role counts.
fn count(bits: u32) -> String {
    counter(bits) + "(legal r tick) (goal r 100)"
}

/// It may also end the match at first, which brings 10.
fn count_or_quit(bits: u32) -> String {
    counter(bits)
        + "(init start) (legal r tick) (<= (legal r quit) (true start)) (<= (next done) (does r quit))
           (<= terminal (true done))
           (<= (goal r 10) (true done)) (<= (goal r 100) (not (true done)))"
}

/// Another role looks on.
fn with_another(rules: &str) -> String {
    format!("{rules} (role s) (legal s wait) (goal s 0)")
}

/// A role takes one of two ways, to an end with these rules for its goals, or to one with 50.
fn two_ways(goals: &str) -> String {
    format!(
        "(role r) (init start) (<= (legal r left) (true start)) (<= (legal r right) (true start))
         (<= (next left) (does r left)) (<= (next right) (does r right))
         (<= terminal (true left)) (<= terminal (true right)) (<= (goal r 50) (true right)) {goals}"
    )
}

/// Two goals at the end of the first way, none, and no end.
fn undefined() -> [(String, Unproved); 3] {
    let several = "(<= (goal r 100) (true left)) (<= (goal r 0) (true left))";
    let none = "(<= (goal r 100) (true left) (true right))";
    // The way to the left is no end, but no move is legal there.
    let stuck = two_ways(none).replace("(<= terminal (true left))", "");
    let goal = || Unproved::UndefinedGoal {
        role: "r".to_string(),
    };
    [
        (two_ways(several), goal()),
        (two_ways(none), goal()),
        (stuck, Unproved::Stuck),
    ]
}

/// A coin is hidden under one of two cups, and a role that does not see it guesses where.
const CUPS: &str = "
    (role r) (role random) (init (step 1))
    (<= (legal random (hide ?c)) (true (step 1)) (cup ?c)) (<= (legal r wait) (true (step 1)))
    (<= (legal r (lift ?c)) (true (step 2)) (cup ?c)) (<= (legal random wait) (true (step 2)))
    (cup a) (cup b)
    (<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2)))
    (<= (next (under ?c)) (does random (hide ?c))) (<= (next (under ?c)) (true (under ?c)))
    (<= (next (lifted ?c)) (does r (lift ?c)))
    (<= right (true (under ?c)) (true (lifted ?c)))
    (<= terminal (true (step 3)))
    (<= (goal r 100) right) (<= (goal r 0) (not right)) (goal random 0)";

/// What it sees.
const SEES: &str = "(<= (sees r (cup ?c)) (does r (lift ?c)))";

fn report(game: &Game, config: MctsConfig, playouts: u64) -> SearchReport {
    search(game, Backend::Compiled, config, playouts).report(ROLE)
}

fn solved(game: &Game, threads: usize) -> Solved<'_> {
    let config = SolveConfig::default().with_threads(threads);
    solve(game, &config, &Stop::new(), &SolveProgress::default()).unwrap()
}

/// What a search for proofs says of a goal of the role.
fn verdict(game: &Game, value: i32, mode: ProofMode) -> Verdict {
    let engines = game.engines().unwrap();
    let config = ProofConfig::default().with_mode(mode);
    let target = Target { role: ROLE, value };
    let mut prover = ParallelProver::new(engines, target, &config, 1, &Stop::new()).unwrap();
    let initial = game.ground_game().unwrap().initial();
    prover
        .prove(initial, MAX_DEPTH, &Stop::new(), |_| ())
        .unwrap()
        .verdict
}

const MODES: [ProofMode; 5] = [
    ProofMode::Full,
    ProofMode::Threats,
    ProofMode::Both,
    ProofMode::Numbers,
    ProofMode::All,
];

#[test]
fn a_line_that_is_too_long_is_not_proved_in_the_tree() {
    for backend in [
        Backend::Scalar,
        Backend::Lanes,
        Backend::Compiled,
        Backend::Prover,
    ] {
        for rules in [count(8), with_another(&count(8))] {
            let game = game(&rules);
            let run = |steps| {
                let config = MctsConfig::default().with_max_steps(steps);
                search(&game, backend, config, 100).report(ROLE)
            };
            let cut = run(100);
            assert!(!cut.solved && cut.proved_by.is_none(), "{backend}");
            assert_eq!(cut.moves[0].bounds, (0.0, 100.0));
            assert_eq!(cut.unproved, [Unproved::StepLimit { steps: 100 }]);
            let whole = run(256);
            assert_eq!((whole.solved, whole.value), (true, Some(100.0)));
            assert_eq!(whole.unproved, []);
        }
    }
}

#[test]
fn a_quick_end_is_not_proved_to_be_better_than_a_line_that_is_too_long() {
    for backend in [Backend::Scalar, Backend::Lanes, Backend::Compiled] {
        for rules in [count_or_quit(8), with_another(&count_or_quit(8))] {
            let game = game(&rules);
            for plan in [false, true] {
                let config = MctsConfig::default()
                    .with_max_steps(100)
                    .with_plan(plan)
                    .with_solve(false);
                let report = search(&game, backend, config, 1000).report(ROLE);
                assert!(!report.solved, "{report:?}");
                assert_eq!(text(&game, &report), "tick");
                let bounds = report.moves.iter().map(|of| of.bounds);
                assert_eq!(bounds.collect::<Vec<_>>(), [(0.0, 100.0), (10.0, 10.0)]);
                // The middle of what there is to get.
                assert_eq!(report.moves[0].value, Some(50.0));
                assert!(
                    report
                        .unproved
                        .contains(&Unproved::StepLimit { steps: 100 })
                );
            }
        }
    }
}

#[test]
fn playouts_that_are_too_long_count_as_the_middle_of_what_there_is_to_get() {
    // A choice that does not matter at each step, so that playouts come to the limit.
    let rules = count(8) + "(legal r tock)";
    for rules in [rules.clone(), with_another(&rules)] {
        let game = game(&rules);
        for backend in [Backend::Scalar, Backend::Compiled] {
            let config = MctsConfig::default().with_max_steps(100);
            let report = search(&game, backend, config, 100).report(ROLE);
            assert!(!report.solved);
            assert_eq!(report.value, Some(50.0));
            assert_eq!(report.unproved, [Unproved::StepLimit { steps: 100 }]);
        }
    }
}

#[test]
fn what_all_states_tell_does_not_depend_on_the_limit() {
    let game = game(&with_another(&count_or_quit(8)));
    let config = MctsConfig::default().with_max_steps(100).with_solve(true);
    // It is done when all states are known.
    let report = report(&game, config, u64::MAX);
    assert_eq!((report.solved, report.value), (true, Some(100.0)));
    assert_eq!(text(&game, &report), "tick");
    assert_eq!(report.unproved, []);
}

#[test]
fn a_planner_proves_nothing_of_matches_that_are_too_long() {
    let game = game(&count_or_quit(8));
    let engines = game.engines().unwrap();
    let initial = game.ground_game().unwrap().initial();
    for (steps, range) in [(100, (10, 100)), (256, (100, 100))] {
        let limits = PlanLimits::default().with_steps(steps);
        let planner = Planner::start(engines, initial, limits);
        planner.resume();
        let is_known = || {
            let known = planner.known();
            let unproved = [Unproved::StepLimit {
                steps: steps as u64,
            }];
            (known.low, known.high) == range && (known.is_solved() || known.unproved == unproved)
        };
        while !is_known() {
            assert!(planner.known().high == 100, "{:?}", planner.known());
            planner.wait(std::time::Duration::from_secs(1));
        }
    }
}

#[test]
fn long_counts_are_solved() {
    for bits in [8, 14] {
        for rules in [count(bits), count_or_quit(bits), with_another(&count(bits))] {
            let game = game(&rules);
            let solved = solved(&game, 2);
            assert_eq!(values(&solved)[0], (100, 100), "{bits}");
            assert_eq!(solved.unproved, []);
        }
    }
}

#[test]
fn an_end_without_exactly_one_goal_is_not_proved_in_the_tree() {
    for (rules, why) in undefined() {
        for backend in [
            Backend::Scalar,
            Backend::Lanes,
            Backend::Compiled,
            Backend::Prover,
        ] {
            for (rules, plan) in [
                (rules.clone(), false),
                (rules.clone(), true),
                (with_another(&rules), false),
            ] {
                let game = game(&rules);
                let config = MctsConfig::default()
                    .with_plan(plan)
                    .with_solve(true)
                    .with_local(true);
                let report = search(&game, backend, config, 1000).report(ROLE);
                assert!(!report.solved, "{rules}: {report:?}");
                assert_eq!(report.unproved, std::slice::from_ref(&why), "{rules}");
                // What is known is better than what only counts as 0.
                assert_eq!(text(&game, &report), "right");
                let bounds = report.moves.iter().map(|of| of.bounds);
                assert_eq!(bounds.collect::<Vec<_>>(), [(50.0, 50.0), (0.0, 100.0)]);
            }
        }
    }
}

#[test]
fn an_end_without_exactly_one_goal_is_not_proved_by_solving() {
    for (rules, why) in undefined() {
        for rules in [rules.clone(), with_another(&rules)] {
            let game = game(&rules);
            for threads in [1, 2] {
                let mut solved = solved(&game, threads);
                assert_eq!(values(&solved)[0], (50, 100), "{rules}");
                assert!(!solved.is_solved());
                assert_eq!(solved.unproved, std::slice::from_ref(&why));
                let (certificate, _) = solved.certificate("test", &Stop::new());
                let progress = CheckProgress::default();
                let checked = check(game.rules(), &certificate, &Stop::new(), &progress).unwrap();
                let value = &checked.values[0];
                assert_eq!((value.least, value.most), (50, 100));
            }
        }
    }
}

#[test]
fn claims_that_rest_on_an_end_without_exactly_one_goal_are_refused() {
    for (rules, why) in undefined() {
        let game = game(&rules);
        let (mut certificate, _) = solved(&game, 1).certificate("test", &Stop::new());
        // That there is nothing better than 50, as all states show.
        let mut claim = certificate.claims[0].clone();
        claim.by.clear();
        claim.ends = false;
        (claim.goals[0].least, claim.goals[0].most) = (0, 50);
        claim.positions.clear();
        certificate.claims.push(claim);
        certificate.values[0].most = 50;
        let progress = CheckProgress::default();
        let refusal = check(game.rules(), &certificate, &Stop::new(), &progress).unwrap_err();
        match why {
            Unproved::Stuck => assert!(matches!(refusal, Refusal::Stuck { .. }), "{refusal}"),
            _ => assert!(matches!(refusal, Refusal::Undefined { .. }), "{refusal}"),
        }
    }
}

#[test]
fn a_loss_does_not_rest_on_an_end_without_exactly_one_goal() {
    for (rules, _) in undefined() {
        let rules = with_another(&rules);
        let game = game(&rules);
        for mode in MODES {
            let found = verdict(&game, 100, mode);
            assert!(matches!(found, Verdict::NotWithin(_)), "{found:?}: {rules}");
            assert!(matches!(verdict(&game, 50, mode), Verdict::Won(_)));
        }
    }
    // With exactly one goal in each end, it is lost.
    let game = game(&with_another(&two_ways(
        "(<= (goal r 0) (true left)) (<= (goal r 100) (true never))",
    )));
    for mode in [ProofMode::Full, ProofMode::Numbers, ProofMode::All] {
        assert_eq!(verdict(&game, 100, mode), Verdict::Lost);
    }
}

#[test]
fn a_match_that_is_over_without_exactly_one_goal_is_worth_nothing_known() {
    let rules =
        "(role r) (init over) (legal r stay) (<= terminal (true over)) (<= (next over) (true over))
        (goal r 100) (goal r 50)";
    for rules in [rules.to_string(), with_another(rules)] {
        let game = game(&rules);
        let solved = solved(&game, 1);
        assert_eq!(values(&solved)[0], (0, 100));
        let role = "r".to_string();
        assert_eq!(solved.unproved, [Unproved::UndefinedGoal { role }]);
        assert!(!report(&game, MctsConfig::default(), 10).solved);
        let verdict = verdict(&game, 100, ProofMode::All);
        assert_eq!(verdict, Verdict::NotWithin(0));
    }
}

#[test]
fn nothing_is_proved_of_a_game_that_hides_information() {
    let hidden = game(&format!("{CUPS} {SEES}"));
    let open = game(CUPS);
    assert!(hidden.hides_information() && !open.hides_information());
    for backend in [Backend::Scalar, Backend::Compiled, Backend::Prover] {
        let run = |game: &Game| {
            let config = MctsConfig::default().with_solve(true).with_local(true);
            search(game, backend, config, 10_000).report(ROLE)
        };
        let (shown, report) = (run(&open), run(&hidden));
        assert_eq!((shown.solved, shown.value), (true, Some(100.0)));
        assert!(!report.solved && report.proved_by.is_none());
        assert_eq!(report.unproved, [Unproved::HiddenInformation]);
        assert!(report.moves.iter().all(|of| of.bounds == (0.0, 100.0)));
    }
    let known = solved(&open, 1);
    assert!(known.is_solved() && known.unproved.is_empty() && known.equilibrium.is_none());
    let mut unknown = solved(&hidden, 1);
    assert_eq!(
        (values(&unknown), unknown.is_solved()),
        (vec![(0, 100)], false)
    );
    // It can force nothing, and expects to be right half the time.
    let expected = unknown.equilibrium.as_ref().unwrap().as_ref().unwrap();
    assert_eq!(expected.values[0].low, 50.0);
    assert!(unknown.unproved.is_empty());
    let (certificate, _) = unknown.certificate("test", &Stop::new());
    assert!(certificate.claims.is_empty());
    let progress = CheckProgress::default();
    let refusal = check(hidden.rules(), &certificate, &Stop::new(), &progress).unwrap_err();
    assert!(matches!(refusal, Refusal::HiddenInformation));
}

/// Chance may help or harm: what it does is sure in no way, but known on average.
#[test]
fn chance_is_no_opponent_whose_choice_is_known() {
    let rules = "(role r) (role random) (init start) (legal r wait) (legal random heads) (legal random tails)
        (<= (next (came ?c)) (does random ?c)) (<= terminal (true (came ?c)))
        (<= (goal r 100) (true (came heads))) (<= (goal r 0) (true (came tails))) (goal random 0)";
    let game = game(rules);
    let solved = solved(&game, 1);
    assert_eq!(values(&solved), [(0, 100)]);
    let expected = solved.expected(ROLE).unwrap();
    assert_eq!((expected.low, expected.high), (50.0, 50.0));
    assert!(solved.is_solved());
    let config = MctsConfig::default().with_solve(true).with_local(true);
    let report = report(&game, config, 1000);
    // That is the mean.
    assert_eq!((report.solved, report.value), (true, Some(50.0)));
}

/// The kinds of what keeps a value from being proved, in an answer.
fn kinds(answer: &Value) -> Vec<&str> {
    let unproved = answer["unproved"].as_array().unwrap().iter();
    unproved.map(|why| why["why"].as_str().unwrap()).collect()
}

#[test]
fn commands_say_why_a_value_is_not_proved() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, rules: &str| file(&folder, name, rules);
    // More than 10,000 joint moves.
    let long = path("long.kif", &count(14));
    let report = json(&["analyze", &long, "--playouts", "1000"]);
    assert_eq!(
        (&report["solved"], kinds(&report)),
        (&json!(false), vec!["step-limit"])
    );
    assert_eq!(report["unproved"][0]["steps"], 10_000);
    let quick = path("quick.kif", &count_or_quit(14));
    let report = json(&["analyze", &quick, "--playouts", "1000"]);
    assert_eq!(
        (&report["solved"], &report["best"]),
        (&json!(false), &json!("tick"))
    );
    let report = json(&["prove", &long, "--goal", "100", "--depth", "20"]);
    assert_eq!(report["verdict"], "not within");

    let [several, none, stuck] = undefined();
    for (name, (rules, _), kind) in [
        ("several.kif", several, "undefined-goal"),
        ("none.kif", none, "undefined-goal"),
        ("stuck.kif", stuck, "stuck"),
    ] {
        for rules in [rules.clone(), with_another(&rules)] {
            let path = path(name, &rules);
            let report = json(&["analyze", &path, "--playouts", "1000"]);
            assert_eq!(
                (&report["solved"], kinds(&report)),
                (&json!(false), vec![kind])
            );
            let report = json(&["solve", &path]);
            assert_eq!(
                (&report["verdict"], kinds(&report)),
                (&json!("bounds"), vec![kind])
            );
            let report = json(&["prove", &path, "--goal", "100", "--depth", "5"]);
            assert_eq!(
                (&report["verdict"], kinds(&report)),
                (&json!("not within"), vec![kind])
            );
        }
    }

    let hidden = path("hidden.kif", &format!("{CUPS} {SEES}"));
    for command in ["analyze", "prove"] {
        let report = json(&[command, &hidden]);
        assert_eq!(kinds(&report), ["hidden-information"], "{command}");
        let text = stdout(propjit(&[command, &hidden]).success());
        assert!(text.contains("nothing is proved"), "{text}");
        assert!(!text.contains("proved by"), "{text}");
    }
    assert_eq!(json(&["solve", &hidden])["verdict"], "equilibrium");
    assert_eq!(json(&["prove", &hidden])["verdict"], "unknown");
    // Three roles are too many for mixed strategies.
    let more = "(role s) (role t) (legal s wait) (legal t wait) (<= (goal s 0) right) (<= (goal s 100) (not right))
        (<= (goal t 0) right) (<= (goal t 100) (not right))";
    let hidden = path("hidden_more.kif", &format!("{CUPS} {SEES} {more}"));
    let report = json(&["solve", &hidden]);
    assert_eq!(kinds(&report), ["hidden-information"]);
    assert_eq!(report["verdict"], "open");
    let text = stdout(propjit(&["solve", &hidden]).success());
    assert!(text.contains("nothing is proved"), "{text}");
    assert!(text.contains("for one or two roles"), "{text}");
}
