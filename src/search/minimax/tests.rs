//! Tests of the whole search.

use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit_stop::Stop;
use rand::RngExt;

use super::*;
use crate::game::load::Setup;
use crate::proof::solve::StateValues;
use crate::search::learned::{Inputs, Roles, Weights};
use crate::support::rng::{GameRng, streams};

/// One of the project's own games, when all about it is ready.
fn game(name: &str) -> Game {
    let rules = propjit_gdl::games::text(name).unwrap();
    let game = Game::from_text(&format!("{name}.kif"), rules, &Setup::default()).unwrap();
    game.engines().unwrap().wait();
    game
}

/// An evaluation with random weights.
fn evaluation(game: &Game, rng: &mut GameRng) -> Arc<Evaluation> {
    let bases = game.ground_game().unwrap().layout().bases.len();
    let inputs = Arc::new(Inputs::plain(bases));
    let mut weights = Weights::zero(&inputs);
    for input in &mut weights.inputs {
        let mut random = || rng.random_range(-0.5f32..0.5);
        input.direct = std::array::from_fn(|_| random());
        input.hidden = std::array::from_fn(|_| random());
    }
    for row in &mut weights.outputs {
        *row = std::array::from_fn(|_| rng.random_range(-0.5f32..0.5));
    }
    Arc::new(Evaluation::new(
        Roles::of(game.ground_game().unwrap()).unwrap(),
        inputs,
        &weights,
    ))
}

fn search(game: &Game, evaluation: &Arc<Evaluation>, config: &MinimaxConfig) -> Minimax {
    let engines = MatchEngines::new(game.engines().unwrap().clone());
    Minimax::new(game, &engines, evaluation, config).unwrap()
}

fn counted(nodes: u64) -> SearchBudget {
    SearchBudget::default().with_nodes(Some(nodes))
}

/// States of a random match in which some role decides.
fn random_match(search: &mut Minimax, rng: &mut GameRng) -> Vec<State> {
    let mut state = search.game.initial().clone();
    let mut states = Vec::new();
    loop {
        search.set_root(&state).unwrap();
        if search.legal.iter().any(Vec::is_empty) {
            return states;
        }
        if search.is_decision() {
            states.push(state.clone());
        }
        let joint = search.legal.iter();
        let joint = joint.map(|legal| legal[rng.random_range(0..legal.len())]);
        let joint: Vec<Move> = joint.collect();
        let batch = search.expander.poll();
        batch.enter_children(&state, &joint);
        state = batch.state(0);
    }
}

/// In all positions of random matches, what is proved is true, and the best move keeps it; other moves are not worth
/// more than is said. With enough nodes, all wins are found.
#[test]
fn what_is_proved_is_true() {
    let game = game("ticTacToe");
    let engines = game.engines().unwrap();
    let mut rng = streams(5).next().unwrap();
    let evaluation = evaluation(&game, &mut rng);
    let initial = game.ground_game().unwrap().initial();
    let values = StateValues::find(engines, initial, 1 << 30, &Stop::new()).unwrap();
    let (mut decided, mut drawn) = (0, 0);
    for threads in [1, 2] {
        let config = MinimaxConfig::default().with_threads(threads);
        let mut search = search(&game, &evaluation, &config);
        for _ in 0..20 {
            for state in random_match(&mut search, &mut rng) {
                search.set_root(&state).unwrap();
                let role = RoleId(search.mover.into());
                search.run(&counted(40_000)).unwrap();
                let report = search.report(role);
                let (least, most) = values.range(&state, role).unwrap();
                assert_eq!(least, most);
                let value = report.value.unwrap();
                match report.solved {
                    true => assert_eq!(value, least),
                    false => assert_eq!(least, 50.0, "a value of {value}"),
                }
                assert_eq!(report.moves.len(), search.legal[role.index()].len());
                let known = values.moves(&state, role).unwrap();
                for (place, played) in search.legal[role.index()].iter().enumerate() {
                    let of = report.moves.iter().find(|of| of.played == *played).unwrap();
                    let known = known.iter().find(|known| known.place == place).unwrap();
                    let (low, high) = of.bounds;
                    assert!(low <= known.range.0 && known.range.1 <= high);
                    if of.played == report.best.unwrap() && report.solved {
                        assert_eq!(known.range, (least, least), "the best move keeps the value");
                    }
                }
                match report.solved {
                    true if least == 50.0 => drawn += 1,
                    true => decided += 1,
                    false => {}
                }
            }
        }
    }
    assert!(decided > 60 && drawn > 20, "{decided} {drawn}");
}

/// Without estimates, the values of states near the end are found, and so are all of a small game.
#[test]
fn ends_need_no_estimates() {
    let game = game("ticTacToe");
    let ground = game.ground_game().unwrap();
    let evaluation = Arc::new(Evaluation::zero(ground.layout().bases.len()));
    let values = StateValues::find(
        game.engines().unwrap(),
        ground.initial(),
        1 << 30,
        &Stop::new(),
    );
    let values = values.unwrap();
    let mut search = search(&game, &evaluation, &MinimaxConfig::default());
    let mut rng = streams(9).next().unwrap();
    for _ in 0..10 {
        for state in random_match(&mut search, &mut rng) {
            search.set_root(&state).unwrap();
            let role = RoleId(search.mover.into());
            assert!(search.run_to_ends(&counted(100_000)).unwrap());
            let report = search.report(role);
            let (value, _) = values.range(&state, role).unwrap();
            assert_eq!((report.value, report.solved), (Some(value), true));
        }
    }
    // Elsewhere, they are too far away for a budget.
    let breakthrough = self::game("breakthrough");
    let bases = breakthrough.ground_game().unwrap().layout().bases.len();
    let evaluation = Arc::new(Evaluation::zero(bases));
    let mut search = self::search(&breakthrough, &evaluation, &MinimaxConfig::default());
    assert!(!search.run_to_ends(&counted(1000)).unwrap());
    assert_eq!(search.report(RoleId(0)).value, None);
}

/// The same, with other roles and facts: a race of two checkers each, which have to pass each other, in few turns. The
/// role that plays at random comes at this place.
fn short_race(random: usize) -> Game {
    let text = propjit_gdl::games::text("shortTables").unwrap();
    let mut roles = vec!["(role first)", "(role second)"];
    roles.insert(random, "(role random)");
    let changes = [
        (
            "(role first)\n(role second)\n(role random)",
            &*roles.join("\n"),
        ),
        ("(on first 0 3)", "(on first 4 2)"),
        ("(on second 0 3)", "(on second 4 2)"),
        ("(on ?player 10 3)", "(on ?player 10 2)"),
        ("(turn 121)", "(turn 9)"),
    ];
    let mut text = text.to_string();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    let game = Game::from_text("shortRace.kif", &text, &Setup::default()).unwrap();
    game.engines().unwrap().wait();
    game
}

/// The values of all states of a game.
fn all_values(game: &Game) -> StateValues {
    let initial = game.ground_game().unwrap().initial();
    let engines = game.engines().unwrap();
    StateValues::find(engines, initial, 1 << 30, &Stop::new()).unwrap()
}

/// Where chance plays, in steps of its own or beside a role, values near the ends of matches are those by expectation.
#[test]
fn values_of_chance_are_expectations() {
    let mut rng = streams(11).next().unwrap();
    for game in [self::game("diceRace"), short_race(2), short_race(0)] {
        let values = all_values(&game);
        let evaluation = evaluation(&game, &mut rng);
        let mut search = search(&game, &evaluation, &MinimaxConfig::default());
        let mut between = 0;
        for _ in 0..6 {
            for state in random_match(&mut search, &mut rng).iter().rev().take(2) {
                search.set_root(state).unwrap();
                let role = search.sides.role(search.mover);
                search.run(&counted(20_000)).unwrap();
                let report = search.report(role);
                let (least, most) = values.range(state, role).unwrap();
                assert!(most - least < 1e-6);
                let value = report.value.unwrap();
                assert!((value - least).abs() < 1.0, "{value} for {least}");
                between += u32::from((1.0..99.0).contains(&least));
                let best = report.best.unwrap();
                let mut legal = search.legal[role.index()].iter();
                let place = legal.position(|&played| played == best).unwrap();
                let known = values.moves(state, role).unwrap();
                let known = known.iter().find(|known| known.place == place).unwrap();
                assert!(known.range.0 > least - 1.0, "the best move keeps the value");
            }
        }
        assert!(between > 3, "{between}");
    }
}

/// With chance, too, what is proved is true, in all positions of random matches, with provers beside the search.
#[test]
fn what_is_proved_holds_whatever_chance_plays() {
    let mut rng = streams(12).next().unwrap();
    let (mut proved, mut open) = (0, 0);
    for (game, share) in [
        (self::game("piglet"), None),
        (self::game("diceRace"), Some(0.5)),
        (short_race(1), None),
        (short_race(2), Some(0.5)),
    ] {
        let values = all_values(&game);
        let evaluation = evaluation(&game, &mut rng);
        let config = MinimaxConfig::default().with_proof_share(share);
        let mut search = search(&game, &evaluation, &config);
        for _ in 0..6 {
            for state in random_match(&mut search, &mut rng) {
                search.set_root(&state).unwrap();
                let role = search.sides.role(search.mover);
                search.run(&counted(300)).unwrap();
                let report = search.report(role);
                let (least, most) = values.range(&state, role).unwrap();
                if report.solved {
                    proved += 1;
                    assert!((report.value.unwrap() - least).abs() < 1e-6);
                    assert!(report.value == Some(0.0) || report.value == Some(100.0));
                } else {
                    open += 1;
                }
                let known = values.moves(&state, role).unwrap();
                for (place, played) in search.legal[role.index()].iter().enumerate() {
                    let of = report.moves.iter().find(|of| of.played == *played).unwrap();
                    let known = known.iter().find(|known| known.place == place).unwrap();
                    let (low, high) = of.bounds;
                    assert!(low <= known.range.0 + 1e-6 && known.range.1 <= high + 1e-6);
                }
                let other = search.report(search.sides.role(1 - search.mover));
                assert!((other.value.unwrap() + report.value.unwrap() - 100.0).abs() < 1e-6);
                assert!(most - least < 1e-6);
            }
        }
        let random = search.game.random_role().unwrap();
        assert_eq!(search.report(random).value, None);
    }
    assert!(proved > 4 && open > 30, "{proved} {open}");
}

/// Where both roles can get something, or both nothing, the difference of goals proves nothing about either.
#[test]
fn differences_of_goals_are_no_proofs() {
    let rules = "(role a) (role b) (init (turn a)) (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
        (<= (legal ?r left) (true (turn ?r))) (<= (legal ?r right) (true (turn ?r)))
        (<= (next (turn b)) (true (turn a))) (<= (next over) (true (turn b)))
        (<= (next (first ?m)) (does a ?m) (distinct ?m noop)) (<= (next (first ?m)) (true (first ?m)))
        (<= (next (second ?m)) (does b ?m) (true (turn b)) (distinct ?m noop))
        (<= terminal (true over)) (<= (goal a 60) (true (first left))) (<= (goal a 20) (true (first right)))
        (<= (goal b 30) (true (second left))) (<= (goal b 0) (true (second right)))";
    let game = Game::from_text("shared.kif", rules, &Setup::default()).unwrap();
    game.engines().unwrap().wait();
    let bases = game.ground_game().unwrap().layout().bases.len();
    let evaluation = Arc::new(Evaluation::zero(bases));
    let mut search = search(&game, &evaluation, &MinimaxConfig::default());
    assert!(!search.run_to_ends(&counted(1000)).unwrap());
    search.run(&counted(1000)).unwrap();
    let report = search.report(RoleId(0));
    assert!(!report.solved);
    let ground = game.ground_game().unwrap();
    let best = ground.move_text(RoleId(0), report.best.unwrap());
    assert_eq!(best, "left");
}

/// One thread finds the same with the same number of nodes, whatever it has to do beside that.
#[test]
fn counted_searches_are_the_same_each_time() {
    let game = game("breakthroughSmall");
    let mut rng = streams(6).next().unwrap();
    let evaluation = evaluation(&game, &mut rng);
    let found = || {
        let mut search = search(&game, &evaluation, &MinimaxConfig::default());
        search.run(&counted(2_000)).unwrap();
        let report = search.report(RoleId(0));
        assert!(
            (1_900..=2_001).contains(&report.expansions),
            "{}",
            report.expansions
        );
        assert!(report.depth >= 2 && !report.line.is_empty());
        MinimaxReport {
            time: Duration::ZERO,
            ..report
        }
    };
    assert_eq!(found(), found());
}

/// A search to the ends that was cut off is not tried again with as little, and is with more.
#[test]
fn ends_that_took_too_long_are_not_tried_again() {
    let game = game("ticTacToe");
    let bases = game.ground_game().unwrap().layout().bases.len();
    let evaluation = Arc::new(Evaluation::zero(bases));
    let mut search = search(&game, &evaluation, &MinimaxConfig::default());
    let mut expanded = |nodes| {
        let is_proved = search.run_to_ends(&counted(nodes)).unwrap();
        (is_proved, search.searches[0].counts.expansions)
    };
    assert_eq!(expanded(100), (false, 50));
    assert_eq!(expanded(100), (false, 1));
    let (is_proved, _) = expanded(100_000);
    assert!(is_proved);
}

/// Lines of searches to the ends keep the value. Those of matches that are won go on to the end.
#[test]
fn lines_of_searches_to_the_ends_are_whole() {
    let game = game("ticTacToe");
    let ground = game.ground_game().unwrap();
    let evaluation = Arc::new(Evaluation::zero(ground.layout().bases.len()));
    let engines = game.engines().unwrap();
    let values = StateValues::find(engines, ground.initial(), 1 << 30, &Stop::new()).unwrap();
    let mut search = search(&game, &evaluation, &MinimaxConfig::default());
    let mut rng = streams(9).next().unwrap();
    for mut state in (0..10)
        .flat_map(|_| random_match(&mut search, &mut rng))
        .collect::<Vec<_>>()
    {
        search.set_root(&state).unwrap();
        assert!(search.run_to_ends(&counted(100_000)).unwrap());
        let worth = values.range(&state, RoleId(0)).unwrap();
        let mut is_over = false;
        for (role, played) in search.report(RoleId(0)).line {
            assert_eq!(role.index(), usize::from(search.mover));
            let mut joint: Vec<Move> = search.legal.iter().map(|legal| legal[0]).collect();
            joint[role.index()] = played;
            let batch = search.expander.poll();
            batch.enter_children(&state, &joint);
            is_over = batch.terminal().contains(0);
            state = batch.state(0);
            search.set_root(&state).unwrap();
            if let Some(then) = values.range(&state, RoleId(0)) {
                assert_eq!(then, worth);
            }
        }
        if worth.0 != 50.0 {
            let is_whole = is_over || !search.is_decision();
            assert!(is_whole, "the line ends before the match");
        }
    }
}

/// A search that goes on from the same state knows what it has found; at the end of a match there is nothing to do.
#[test]
fn searches_go_on_and_end() {
    let game = game("breakthroughSmall");
    let mut rng = streams(7).next().unwrap();
    let evaluation = evaluation(&game, &mut rng);
    let mut search = search(&game, &evaluation, &MinimaxConfig::default());
    search.run(&counted(3_000)).unwrap();
    let before = search.report(RoleId(0));
    search.run(&counted(1)).unwrap();
    let after = search.report(RoleId(0));
    assert_eq!((after.best, after.depth), (before.best, before.depth));
    let stop = Stop::new();
    stop.set();
    let begin = Instant::now();
    search
        .run(&SearchBudget::default().with_stop(stop))
        .unwrap();
    assert!(begin.elapsed() < Duration::from_secs(5));
    assert_eq!(search.report(RoleId(0)).best, before.best);
    // The other role does not decide, but knows what it can expect.
    let other = search.report(RoleId(1));
    assert_eq!(other.moves.len(), 1);
    assert!((other.value.unwrap() + before.value.unwrap() - 100.0).abs() < 1e-9);
}

#[test]
fn games_out_of_scope_are_refused() {
    let rules = |more: &str| {
        format!(
            "(role a) (role b) {more} (init (step 0)) (succ 0 1) (succ 1 2)
             (legal a x) (legal a y) (legal b x) (legal b y)
             (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
             (<= terminal (true (step 2)))
             (<= (next won) (does a x) (does b x)) (<= (next won) (true won))
             (<= (goal a 100) (true won)) (<= (goal a 0) (not (true won)))
             (<= (goal b 0) (true won)) (<= (goal b 100) (not (true won)))"
        )
    };
    let made = |more: &str| {
        let game = Game::from_text("both.kif", &rules(more), &Setup::default()).unwrap();
        let mut rng = streams(8).next().unwrap();
        let evaluation = evaluation(&game, &mut rng);
        let engines = MatchEngines::new(game.engines().unwrap().clone());
        Minimax::new(&game, &engines, &evaluation, &MinimaxConfig::default()).err()
    };
    let both = Some(MinimaxError::OutOfScope(OutOfScope::BothDecide));
    assert_eq!(format!("{:?}", made("")), format!("{both:?}"));
    let hidden = "(sees a (did b x)) (<= (sees b ?m) (does a ?m))";
    assert!(matches!(
        made(hidden),
        Some(MinimaxError::OutOfScope(OutOfScope::HiddenInformation))
    ));
}
