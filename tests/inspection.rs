//! Game diagnostics from random playouts: mistakes in rules, and figures.

use std::time::Duration;

use propjit::Stop;
use propjit::game::load::{Game, Setup};
use propjit::game::position::History;
use propjit::lab::inspection::{
    Figures, Finding, FindingKind, Inspection, InspectionConfig, MeasureConfig, Proof, inspect,
    measure,
};
use propjit::play::matches::Script;
use propjit_gdl::ReadOptions;
use serde_json::Value;

use crate::common::command::{file, json, own, propjit, stdout};
use crate::common::{COUNTER, ENDLESS, game, own_game};

/// Black is stuck after `right`; at the end white may have no goal or two, and black has none
/// unless white went to the left; two rules never apply.
const WRONG: &str = "
    (role white) (role black)
    (init (step 1)) (init (control white))
    (succ 1 2) (succ 2 3)
    (<= (legal white (go ?x)) (true (control white)) (side ?x))
    (<= (legal white noop) (true (control black)))
    (<= (legal black (go left)) (true (control black)) (not (true (at right))))
    (<= (legal black noop) (true (control white)))
    (side left) (side right) (side up)
    (<= (next (at ?x)) (does white (go ?x)))
    (<= (next (at ?x)) (true (at ?x)) (does white noop))
    (<= (next (control white)) (true (control black)))
    (<= (next (control black)) (true (control white)))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= (next (lost ?r)) (does ?r (go down)))
    (<= terminal (true (step 3)))
    (<= (goal white 100) (true (at left)))
    (<= (goal white 70) (true (at left)))
    (<= (goal black 0) (true (at left)))
    (<= (goal black 10) (true (lost white)))
";

/// Enough for thousands of matches.
fn inspection(rules: &str) -> Inspection {
    let config = InspectionConfig::default()
        .with_time(Duration::from_millis(600))
        .with_max_steps(100);
    inspect(&game(rules), &Setup::default(), &config, &Stop::new()).unwrap()
}

fn find<'a>(inspection: &'a Inspection, kind: FindingKind, role: Option<&str>) -> &'a Finding {
    let mut all = inspection.findings.iter();
    let found = all.find(|finding| finding.kind == kind && finding.role.as_deref() == role);
    found.unwrap_or_else(|| panic!("{kind:?} of {role:?} in {:?}", inspection.findings))
}

/// The guesser may only name what was hidden, and does not see it; with a percept, it does.
#[test]
fn roles_should_know_their_moves() {
    let rules = |sees: &str| {
        format!(
            "(role hider) (role guesser) (init (step 1)) (side heads) (side tails)
             (<= (legal hider (hide ?s)) (true (step 1)) (side ?s)) (<= (legal hider wait) (true (step 2)))
             (<= (legal guesser wait) (true (step 1))) (<= (legal guesser (say ?s)) (true (step 2)) (true (hidden ?s)))
             (<= (next (hidden ?s)) (does hider (hide ?s))) (<= (next (step 2)) (true (step 1)))
             (<= (next (step 3)) (true (step 2))) (<= terminal (true (step 3)))
             (goal hider 0) (goal guesser 100) {sees}"
        )
    };
    let found = inspection(&rules("(<= (sees guesser clink) (does hider (hide ?s)))"));
    let finding = find(&found, FindingKind::UnknownMoves, Some("guesser"));
    assert!(!finding.is_error);
    let message = &finding.message;
    assert!(
        message.contains("(say heads)") || message.contains("(say tails)"),
        "{message}"
    );
    assert_eq!(finding.example.as_ref().unwrap().history.len(), 1);
    let found = inspection(&rules("(<= (sees guesser ?s) (does hider (hide ?s)))"));
    assert!(
        found
            .findings
            .iter()
            .all(|of| of.kind != FindingKind::UnknownMoves)
    );
}

/// Where there was no time for a match, nothing is right or wrong with the game.
#[test]
fn what_was_not_looked_at_is_told() {
    let config = InspectionConfig::default().with_time(Duration::ZERO);
    let found = inspect(&game(WRONG), &Setup::default(), &config, &Stop::new()).unwrap();
    assert_eq!(found.matches, 0);
    let told = find(&found, FindingKind::NoMatch, None);
    assert!(
        !told.is_error && told.message.starts_with("no match ended within 0.00 s"),
        "{told}"
    );
}

#[test]
fn mistakes_are_found_with_the_way_there() {
    let inspection = inspection(WRONG);
    let game = game(WRONG);
    for (kind, role) in [
        (FindingKind::NoLegalMove, "black"),
        (FindingKind::NoGoal, "white"),
        (FindingKind::NoGoal, "black"),
        (FindingKind::SeveralGoals, "white"),
    ] {
        let found = find(&inspection, kind, Some(role));
        assert!(found.is_error && found.proof == Proof::Example);
        let count = found.matches.unwrap();
        assert!(count > 0 && count <= inspection.matches);
        // The way there leads there, and there it is wrong.
        let example = found.example.as_ref().unwrap();
        let moves: Vec<String> = example.history.iter().map(|j| j.join(" | ")).collect();
        let mut history = History::new(game.follow().unwrap());
        history.follow(&Script::inline(&moves.join(";"))).unwrap();
        assert_eq!(history.fluents(), example.state);
        let at = game.rules().roles.iter();
        let mut at = at.map(|&name| game.rules().terms.text(name));
        let at = at.position(|name| name == role).unwrap();
        let is_over = kind != FindingKind::NoLegalMove;
        assert_eq!(history.is_over().unwrap(), is_over);
        match is_over {
            true => assert_eq!(history.goals().unwrap()[at], None),
            false => assert_eq!(history.legal().unwrap()[at], [""; 0]),
        }
    }
    let unreached = find(&inspection, FindingKind::UnreachedGoal, Some("black"));
    assert_eq!(unreached.proof, Proof::Proved);
    assert_eq!(unreached.message, "black can never get 10");
    let dead = inspection.findings.iter();
    let dead: Vec<_> = dead.filter(|f| f.kind == FindingKind::DeadRule).collect();
    let lines: Vec<_> = dead.iter().map(|f| f.line.unwrap()).collect();
    assert_eq!(lines, [15, 20]);
    assert!(dead.iter().all(|finding| finding.proof == Proof::Proved));
}

/// What is wrong only now and then, and what is not wrong.
#[test]
fn endless_and_good_games() {
    let endless = inspection(ENDLESS);
    let found = find(&endless, FindingKind::NoLegalMove, Some("walker"));
    assert_eq!(found.example.as_ref().unwrap().state, ["(at dead-end)"]);
    // Half of the matches leave at once: of 100 steps, none is only there by less than 2^-100.
    let end = inspection(&ENDLESS.replace("(<= (legal walker leave) (true (at start)))", ""));
    let found = find(&end, FindingKind::NeverEnds, None);
    assert_eq!(found.matches, Some(end.matches));
    assert_eq!(found.example.as_ref().unwrap().history.len(), 100);
    // Where no match ends, it says nothing that no goal is reached: here that takes sixty steps `up`
    // one after the other.
    let steps: String = (0..60).map(|n| format!("(succ {n} {})", n + 1)).collect();
    let rules = format!(
        "(role r) {steps} (init (n 0)) (legal r up) (legal r back)
         (<= (next (n ?y)) (does r up) (true (n ?x)) (succ ?x ?y)) (<= (next (n 0)) (does r back))
         (<= terminal (true (n 60))) (<= (goal r 100) (true (n 60)))"
    );
    let long = inspection(&rules);
    find(&long, FindingKind::NeverEnds, None);
    let is_goal = |finding: &&Finding| finding.kind == FindingKind::UnreachedGoal;
    assert_eq!(long.findings.iter().find(is_goal), None);

    let counter = inspection(COUNTER);
    find(&counter, FindingKind::NoGoal, Some("up"));
    find(&counter, FindingKind::SeveralGoals, Some("up"));
    for name in ["ticTacToe", "connectFour", "pegTriangle"] {
        let config = InspectionConfig::default().with_time(Duration::from_millis(300));
        let game = own_game(name);
        let good = inspect(&game, &Setup::default(), &config, &Stop::new()).unwrap();
        let wrong = good.findings.iter().filter(|finding| finding.is_error);
        assert_eq!(wrong.count(), 0, "{name}: {:?}", good.findings);
        assert!(good.matches > 0);
    }
}

/// A rule without an end ends the inspection with what it is, and in time.
#[test]
fn rules_that_cannot_be_evaluated_are_told() {
    let rules = "
        (role p) (init (at 0)) (<= (nat (s ?x)) (nat ?x)) (nat zero)
        (<= (legal p (go ?x)) (nat ?x)) (<= (next (at 1)) (true (at 0)))
        (<= terminal (true (at 1))) (goal p 100)";
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "endless.kif", rules);
    let args = [
        "validate",
        &path,
        "--play",
        "--seconds",
        "1",
        "--setup-limit",
        "1",
    ];
    let args = [&args[..], &["--format", "json"]].concat();
    let report: Value = serde_json::from_str(&stdout(propjit(&args))).unwrap();
    let found = report["files"][0]["play"]["findings"].as_array().unwrap();
    let kinds: Vec<_> = found.iter().map(|finding| &finding["kind"]).collect();
    assert!(
        kinds.iter().any(|kind| *kind == "not-grounded"),
        "{found:?}"
    );
}

/// A rule without an end that nothing depends on is no part of the game, but of all its rules.
#[test]
fn that_dead_rules_are_not_known_is_told_in_time() {
    let game_of = |endless: &str| {
        format!(
            "
        (role p) (init a) (<= (legal p m) (true a)) (<= (next b) (true a))
        (<= terminal (true b)) (<= (goal p 100) (true b))
        {endless}"
        )
    };
    // All numbers of eight digits.
    let digits: String = (0..10).map(|digit| format!("(digit {digit})")).collect();
    let numbers = format!(
        "(<= (f ?b ?c ?d ?e ?g ?h ?i ?x) (f ?a ?b ?c ?d ?e ?g ?h ?i) (digit ?x))
        (f 0 0 0 0 0 0 0 0) {digits}"
    );
    let terms = "(<= (f (s ?x)) (f ?x))
        (f z)";
    for (endless, why) in [(&*numbers, "time limit"), (terms, "terms grow without end")] {
        let found = inspection(&game_of(endless));
        let unknown = find(&found, FindingKind::DeadRulesUnknown, None);
        assert!(!unknown.is_error);
        let told = &unknown.message;
        assert!(
            told.contains(why) && told.contains("the rule at line 4"),
            "{told}"
        );
    }
    let rules = &game_of(terms);
    let config = MeasureConfig::default().with_time(Duration::from_millis(600));
    let figures = measure(&game(rules), &Setup::default(), &config, &Stop::new()).unwrap();
    let figures = figures.expect("matches end");
    assert_eq!(figures.dead_rules, None);
    let told = figures.dead_rules_unknown.unwrap();
    assert!(told.contains("the rule at line 4"), "{told}");
}

fn figures(name: &str, count: u64) -> Figures {
    let config = MeasureConfig::default()
        .with_time(Duration::from_secs(1000))
        .with_matches(Some(count));
    let game = own_game(name);
    let figures = measure(&game, &Setup::default(), &config, &Stop::new()).unwrap();
    figures.expect("matches end")
}

/// The figures of tic-tac-toe are known: of all matches at random, 58.49% are won by x, 28.81% by
/// o, and 12.70% are drawn.
#[test]
fn figures_of_a_known_game() {
    let figures = figures("ticTacToe", 20_000);
    assert_eq!(
        (figures.matches, figures.truncated, figures.stuck),
        (20_000, 0, 0)
    );
    let [x, o] = &figures.roles[..] else {
        panic!("{figures:?}");
    };
    // Five standard errors, which chance exceeds in one of two million cases each.
    let near = |share: f64, known: f64| (share - known).abs() < 5.0 * 0.5 / 20_000f64.sqrt();
    assert!(near(x.wins as f64 / 20_000.0, 0.5849), "{x:?}");
    assert!(near(o.wins as f64 / 20_000.0, 0.2881), "{o:?}");
    assert!(near(figures.decided.unwrap().share, 0.8730));
    assert_eq!((x.wins, x.draws), (o.losses, o.draws));
    let first = figures.first_player.unwrap();
    assert_eq!(first.role, "x");
    let difference = (x.wins as f64 - o.wins as f64) / 20_000.0;
    assert!((first.advantage - difference).abs() < 1e-9);
    assert!(first.interval.0 < difference && difference < first.interval.1);
    // In the first state there are nine moves, in the next one eight.
    assert_eq!(figures.by_depth[0].branching, 9.0);
    assert_eq!(figures.by_depth[1].branching, 8.0);
    let lengths = &figures.lengths;
    assert_eq!((lengths.least, lengths.greatest), (5, 9));
    assert_eq!(
        lengths.counts.iter().map(|(_, count)| count).sum::<u64>(),
        20_000
    );
    let decisive = figures.decisive_moves.unwrap();
    assert!(decisive.share > 0.2 && decisive.share < 0.3, "{decisive:?}");
    assert_eq!(figures.dead_rules.unwrap(), []);
}

#[test]
fn figures_leave_chance_alone_and_repeat() {
    let chance = figures("piglet", 500);
    let random = chance
        .roles
        .iter()
        .find(|role| role.role == "random")
        .unwrap();
    assert_eq!((random.wins, random.losses, &random.score), (0, 0, &None));
    // Until there is something in the pot, there is no choice: the first choice may be the second player's.
    assert_eq!(chance.first_player, None);
    assert_eq!(chance, figures("piglet", 500));
    // The first role to choose varies where both choose at once.
    assert_eq!(figures("tron", 100).first_player, None);
}

#[test]
fn the_command_has_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let chart = folder.path().join("chart.svg").display().to_string();
    let game = own("ticTacToe");
    let args = [
        "stats",
        &game,
        "--count",
        "500",
        "--seconds",
        "100",
        "--seed",
        "1",
    ];
    let text = stdout(propjit(&[&args[..], &["--plot", &chart]].concat()).success());
    assert!(
        text.starts_with("ticTacToe: 500 random matches, "),
        "{text}"
    );
    let chart = std::fs::read_to_string(chart).unwrap();
    assert!(chart.starts_with("<svg") && chart.contains("joint moves"));
    let report = json(&args);
    assert_eq!(report["matches"], 500);
    let csv = stdout(propjit(&[&args[..], &["--format", "csv"]].concat()).success());
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("figure,role,at,value,low,high"));
    assert!(lines.all(|line| line.split(',').count() == 6));
    let wins = report["roles"][0]["wins"].as_u64().unwrap();
    assert!(csv.contains(&format!("wins,x,,{wins},,\n")), "{csv}");
    propjit(&["info", &game, "--format", "csv"]).code(2);

    // In this game, both roles choose in every state.
    let both =
        "(role a) (role b) (init (at 1)) (<= (legal ?r 1) (role ?r)) (<= (legal ?r 2) (role ?r))
        (<= (next (at 2)) (true (at 1))) (<= terminal (true (at 2))) (<= (goal ?r 50) (role ?r))";
    let both = file(&folder, "both.kif", both);
    let text = stdout(propjit(&["stats", &both, "--count", "10", "--seconds", "100"]).success());
    let line =
        "decisive moves       unknown   no examined state has exactly one role with a choice\n";
    assert!(text.contains(line), "{text}");
}

#[test]
fn playout_tells_who_is_stuck_and_where() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "wrong.kif", WRONG);
    let report = json(&["playout", &path, "--count", "100", "--seed", "1"]);
    assert!(report["stuck"].as_u64().unwrap() > 0);
    let example = &report["stuck_example"];
    assert_eq!(example["role"], "black");
    assert_eq!(example["history"][0][0], "(go right)");
    let good = json(&["playout", &own("ticTacToe"), "--count", "10"]);
    assert_eq!(good["stuck_example"], Value::Null);
}

#[test]
fn a_game_that_goes_wrong_is_not_valid() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "wrong.kif", WRONG);
    propjit(&["validate", &path]).success();
    let args = ["validate", &path, "--play", "--seconds", "0.3"];
    let text = stdout(propjit(&args).code(1));
    assert!(
        text.contains("error[no-legal-move]: black has no legal move, in "),
        "{text}"
    );
    assert!(
        text.contains("    after 1 joint move: (go right) | noop\n    state: "),
        "{text}"
    );
    propjit(&["validate", &own("ticTacToe"), "--play", "--seconds", "0.3"]).success();
}

/// What applies in a state in which a role is stuck has applied, and moves of others there were legal.
#[test]
fn rules_that_apply_where_a_match_is_stuck_are_not_dead() {
    let rules = "(role a) (role b) (side 1) (side 2) (<= (init (up ?s)) (side ?s))
        (<= (legal a go) (true (over 1))) (<= (legal b stay) (true (up 1)))
        (<= (next (over 1)) (true (up 2))) (<= terminal (true (over 1)))
        (<= (goal ?r 10) (role ?r))";
    let inspection = inspection(rules);
    find(&inspection, FindingKind::NoLegalMove, Some("a"));
    let seen = |finding: &&Finding| {
        let text = &finding.message;
        text.contains("(legal b stay)") || text.contains("(goal ?r 10)") || text.contains("of b")
    };
    assert_eq!(inspection.findings.iter().find(seen), None);
}

/// Lenient reading adds conditions and rules, which are no rules of the rulesheet, and not dead either.
#[test]
fn what_lenient_reading_adds_is_not_dead() {
    let rules = "(role a) (role b) (init (control a)) (goal ?r 50)
        (<= (legal ?r go) (true (control ?r))) (<= (legal ?r wait) (not (true (control ?r))))
        (<= (next (control b)) (does a go)) (<= (next over) (does b go))
        (<= (next quiet) (not (does ?r wait)) (not (true (control ?r))))
        (<= terminal (true over)) (<= (sees ?r (now ?p)) (next (control ?p)))";
    let reading = ReadOptions::default().with_lenient(true);
    let setup = Setup::default().with_reading(reading);
    let game = Game::from_text("game", rules, &setup).unwrap();
    let config = InspectionConfig::default().with_time(Duration::from_millis(600));
    let inspection = inspect(&game, &setup, &config, &Stop::new()).unwrap();
    let lines = inspection.findings.iter();
    let dead = lines
        .filter(|f| f.kind == FindingKind::DeadRule)
        .map(|f| f.line.unwrap());
    assert_eq!(dead.collect::<Vec<_>>(), [4], "{:?}", inspection.findings);
}
