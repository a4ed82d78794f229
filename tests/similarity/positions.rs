//! Properties of the measures, for positions of games.

use std::collections::BTreeSet;

use propjit::Stop;
use propjit::game::machine::State;
use propjit::lab::similarity::{Comparison, Measure, SimilarityConfig, SimilarityError, rewards};

use super::{assert_near, comparison, counting, state};
use crate::common::continuations::random_states;
use crate::common::{game, own_game};

#[test]
fn measures_are_symmetric_and_of_equal_positions_one() {
    for name in ["breakthrough", "chess", "connectFour"] {
        let game = own_game(name);
        let ground = game.ground_game().unwrap();
        let mut machine = game.follower().unwrap();
        let initial = ground.initial().clone();
        let mut states = vec![initial];
        for ply in 0..5 {
            let last = states.last().unwrap().clone();
            let mut joint = Vec::new();
            for role in propjit::RoleId::first(2) {
                let mut legal = Vec::new();
                machine.legal_moves(&last, role, &mut legal).unwrap();
                joint.push(legal[(3 * ply) % legal.len()]);
            }
            states.push(machine.next_state(&last, &joint).unwrap());
        }
        for measure in Measure::ALL {
            let mut comparison = comparison(&game, measure, 2);
            for a in &states[4..] {
                let found = comparison.similarities(a, &states).unwrap();
                for (b, &found) in states.iter().zip(&found) {
                    assert!((0.0..=1.0).contains(&found), "{name} {measure}: {found}");
                    assert!(a != b || found == 1.0, "{name} {measure}: {found}");
                    assert_eq!(comparison.similarity(b, a).unwrap(), found);
                }
            }
        }
        let mut comparison = comparison(&game, Measure::Sequences, 2);
        let (a, b) = (&states[1], &states[4]);
        let found = comparison.structural(a, b).unwrap();
        assert_near(Some(comparison.structural(b, a).unwrap()), found);
        assert_eq!(comparison.structural(a, a).unwrap(), 1.0);
    }
}

/// Two may pick what is free. One of them can pass always, the other one sometimes.
const PICKING: &str = "
    (role a) (role b) (init (free 1)) (init (free 2)) (init (free 3)) (init (step 1))
    (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
    (<= (legal ?r (pick ?n)) (role ?r) (true (free ?n)))
    (legal a noop) (<= (legal b noop) (true (free 1))) (legal b (free 2))
    (<= (next (free ?n)) (true (free ?n)) (not (does a (pick ?n))) (not (does b (pick ?n))))
    (<= (next (free 2)) (does b (free 2)))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= terminal (true (step 6))) (<= (goal ?r 0) (role ?r))";

/// Sets of moves give the same results as trees: where roles take turns, where they move at once, and
/// where a pass is one of several moves.
#[test]
fn bits_and_trees_have_the_same_continuations() {
    for game in [own_game("chess"), own_game("tron"), game(PICKING)] {
        let engines = game.engines().unwrap();
        let states: Vec<State> = (1..=20)
            .flat_map(|seed| random_states(engines, seed).into_iter().take(10))
            .collect();
        let mut comparison = comparison(&game, Measure::Continuations, 1);
        let sets = comparison.move_sets(&states);
        for (at, one) in states.iter().enumerate().step_by(7) {
            let found = comparison.similarities(one, &states).unwrap();
            let by_bits = (0..states.len()).map(|other| sets.similarity(at, &sets, other).unwrap());
            assert!(by_bits.eq(found));
        }
    }
}

#[test]
fn terminal_positions_are_as_similar_as_their_rewards() {
    assert_eq!(rewards(&[100, 0], &[100, 0], &[(0, 100); 2]), 1.0);
    assert_eq!(rewards(&[100, 0], &[50, 50], &[(0, 100); 2]), 0.5);
    assert_eq!(rewards(&[7], &[7], &[(7, 7)]), 1.0);

    let game = own_game("ticTacToe");
    let line = |player: &str, row: u32| {
        let cells: Vec<String> = (1..=3)
            .map(|c| format!("(cell {c} {row} {player})"))
            .collect();
        let fluents: Vec<&str> = cells
            .iter()
            .map(String::as_str)
            .chain(["(control x)"])
            .collect();
        state(&game, &fluents)
    };
    let open = game.ground_game().unwrap().initial().clone();
    for measure in Measure::ALL {
        let mut comparison = comparison(&game, measure, 2);
        let ends = [line("x", 3), line("o", 1), open.clone()];
        assert_eq!(
            comparison.similarities(&line("x", 1), &ends).unwrap(),
            [1.0, 0.0, 0.0]
        );
        let [x, o, open] = &ends;
        assert_eq!(comparison.structural(x, o).unwrap(), 0.0);
        assert_eq!(comparison.structural(x, x).unwrap(), 1.0);
        assert_eq!(comparison.structural(x, open).unwrap(), 0.0);
    }
}

/// A move that takes is another one than the same move that does not, as for chess in section 4.
#[test]
fn captures_are_kept_apart_in_sequences() {
    let game = own_game("chess");
    let [with, without] = ["bn", "empty"].map(|target| {
        let put = |square: &str, piece: &str| format!("(cell {square} {piece})");
        let mut fluents = vec!["(control white)".to_string(), "(quiet 0)".to_string()];
        for file in 'a'..='h' {
            for rank in 1..=8 {
                let piece = match (file, rank) {
                    ('a', 1) => "wk",
                    ('h', 8) => "bk",
                    ('e', 2) => "wn",
                    ('d', 4) => target,
                    _ => "empty",
                };
                fluents.push(put(&format!("{file} {rank}"), piece));
            }
        }
        let fluents: Vec<&str> = fluents.iter().map(String::as_str).collect();
        state(&game, &fluents)
    });
    // The same moves, of which one takes in one position.
    assert_eq!(
        comparison(&game, Measure::Continuations, 1)
            .similarity(&with, &without)
            .unwrap(),
        1.0
    );
    let mut sequences = comparison(&game, Measure::Sequences, 1);
    let legal = 9.0;
    let found = sequences.similarity(&with, &without).unwrap();
    assert_near(Some(found), 2.0 * (legal - 1.0) / (2.0 * legal));
}

/// Whether a move cannot be undone does not depend on what else can be played; and a counter, which
/// every move advances, makes no difference.
#[test]
fn a_forced_move_is_the_same_one_as_elsewhere() {
    let marks = own_game("ticTacToe");
    let cells = [
        "(cell 1 1 x)",
        "(cell 1 2 x)",
        "(cell 1 3 o)",
        "(cell 2 2 o)",
        "(cell 2 3 x)",
        "(cell 3 1 x)",
        "(cell 3 2 o)",
    ];
    let last = [&cells[..], &["(cell 2 1 o)", "(control x)"]].concat();
    let one_of_two = [&cells[..], &["(control o)"]].concat();
    let counter = counting("(legal a (go 1)) (<= (legal a (go 2)) (true (step 1)))");
    let (start, second) = (["(step 0)", "(at 1)"], ["(step 1)", "(at 1)"]);
    for (game, forced, free) in [
        (&marks, &last[..], &one_of_two[..]),
        (&counter, &start, &second),
    ] {
        let (forced, free) = (state(game, forced), state(game, free));
        let mut comparison = comparison(game, Measure::Sequences, 1);
        assert_near(
            Some(comparison.similarity(&forced, &free).unwrap()),
            2.0 / 3.0,
        );
    }
}

/// The first move of all closes a latch, whichever it is.
#[test]
fn what_every_move_closes_tells_nothing_of_a_move() {
    let rules = "(role r) (cell a) (cell b) (cell c) (init (pos a)) (init (step 0))
         (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
         (<= (legal r (to ?x)) (cell ?x)) (<= (next (pos ?x)) (does r (to ?x)))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= (next started) (does r ?any)) (<= (next started) (true started))
         (<= terminal (true (step 4)))
         (<= (goal r 100) (true (pos a)) (true started)) (<= (goal r 0) (not (true (pos a))))";
    let game = game(rules);
    let first = state(&game, &["(step 0)", "(pos a)"]);
    let second = state(&game, &["(step 1)", "(pos a)", "started"]);
    for measure in [Measure::Sequences, Measure::TreeEdit] {
        let mut comparison = comparison(&game, measure, 1);
        assert_near(Some(comparison.similarity(&first, &second).unwrap()), 1.0);
    }
}

/// Two moves of the second ply that win at once are paired below every move, except where that
/// guards against them.
#[test]
fn moves_that_win_are_paired() {
    let game = own_game("ticTacToe");
    let threat = |cells: &[&str]| {
        let mut fluents = cells.to_vec();
        fluents.push("(control o)");
        state(&game, &fluents)
    };
    let a = threat(&["(cell 1 1 x)", "(cell 2 1 x)", "(cell 1 3 o)"]);
    let b = threat(&["(cell 3 1 x)", "(cell 3 2 x)", "(cell 1 1 o)"]);
    let found = comparison(&game, Measure::Sequences, 2)
        .matched_moves(&a, &b)
        .unwrap();
    assert_near(Some(found.similarity), 1.0);
    assert_eq!(found.pairs.len(), 6);
    let mut often = found.frequent.iter().filter(|pair| pair.count == 5);
    assert!(
        often.any(|pair| (&*pair.a, &*pair.b) == ("(mark 3 1)", "(mark 3 3)")),
        "{found:?}"
    );
}

/// Joint moves that differ only in which role plays which move have the same label, but not the same text.
#[test]
fn moves_at_the_same_time_are_told_in_the_order_of_roles() {
    let hands = ["rock", "paper", "scissors"];
    let game = game(
        "(role a) (role referee) (role b) (init (round 1))
        (hand rock) (hand paper) (hand scissors) (legal referee watch)
        (<= (legal a ?hand) (hand ?hand)) (<= (legal b ?hand) (hand ?hand))
        (<= (next (shown ?one ?other)) (does a ?one) (does b ?other))
        (<= (next (round 2)) (true (round 1))) (<= (next (round 3)) (true (round 2)))
        (<= terminal (true (round 3))) (<= (goal ?role 0) (role ?role))",
    );
    let initial = game.ground_game().unwrap().initial().clone();
    let found = comparison(&game, Measure::Continuations, 1)
        .matched_moves(&initial, &initial)
        .unwrap();
    let all = hands.map(|a| hands.map(|b| format!("{a} | watch | {b}")));
    let all: BTreeSet<&str> = all.as_flattened().iter().map(String::as_str).collect();
    assert_eq!(found.pairs.len(), all.len());
    let first = found.pairs.iter().map(|pair| &*pair.a);
    assert_eq!(first.collect::<BTreeSet<_>>(), all);
    let second = found.frequent.iter().map(|pair| &*pair.b);
    assert_eq!(second.collect::<BTreeSet<_>>(), all);
}

#[test]
fn samples_of_all_children_tell_all() {
    let game = own_game("breakthrough");
    let initial = game.ground_game().unwrap().initial().clone();
    let mut machine = game.follower().unwrap();
    let mut legal = Vec::new();
    machine
        .legal_moves(&initial, propjit::RoleId(0), &mut legal)
        .unwrap();
    let noop = game
        .ground_game()
        .unwrap()
        .parse_move(propjit::RoleId(1), "noop")
        .unwrap();
    let next = machine.next_state(&initial, &[legal[4], noop]).unwrap();
    let mut comparison = comparison(&game, Measure::Continuations, 2);
    let whole = comparison.structural(&initial, &next).unwrap();
    let sampled = comparison
        .structural_sampled((&initial, &next), 100, 3, 1)
        .unwrap();
    assert!(
        sampled.iter().all(|&found| (found - whole).abs() < 1e-9),
        "{sampled:?} {whole}"
    );
    let few = comparison
        .structural_sampled((&initial, &next), 8, 30, 1)
        .unwrap();
    let mean = few.iter().sum::<f64>() / 30.0;
    assert!((mean - whole).abs() < 0.2, "{mean} for {whole}");
    assert_eq!(
        few,
        comparison
            .structural_sampled((&initial, &next), 8, 30, 1)
            .unwrap()
    );
}

/// Where several roles move at once, each of their moves counts, and joint moves make the lines.
#[test]
fn moves_at_the_same_time_are_compared() {
    let rules = "(role a) (role b) (init (at 1))
        (<= (legal ?r (go 1)) (role ?r)) (<= (legal ?r (go 2)) (role ?r))
        (<= (legal b (go 3)) (true (at 2)))
        (<= (next (at ?n)) (does a (go ?n)) (does b (go ?m)))
        (<= (next (at ?n)) (does a (go 2)) (does b (go ?n)))
        (<= terminal (true (at 9))) (goal a 0) (goal b 0)";
    let game = game(rules);
    let (one, two) = (state(&game, &["(at 1)"]), state(&game, &["(at 2)"]));
    let found = comparison(&game, Measure::Continuations, 1)
        .similarity(&one, &two)
        .unwrap();
    assert_near(Some(found), 2.0 / 3.0);
    let found = comparison(&game, Measure::Sequences, 1)
        .similarity(&one, &two)
        .unwrap();
    // The joint moves 1|1, 1|2 twice, and 2|2 in both; with 3 two more.
    assert_near(Some(found), 8.0 / 10.0);
}

#[test]
fn trees_that_are_too_large_are_refused() {
    let game = own_game("breakthrough");
    let initial = game.ground_game().unwrap().initial().clone();
    let config = SimilarityConfig::default().with_depth(3).with_nodes(1000);
    let mut comparison = Comparison::new(&game, config, &Stop::new()).unwrap();
    let error = comparison.similarity(&initial, &initial).unwrap_err();
    assert!(matches!(error, SimilarityError::Nodes(1000)), "{error}");
    let config = SimilarityConfig::default()
        .with_measure(Measure::TreeEdit)
        .with_depth(3);
    let mut comparison = Comparison::new(&game, config, &Stop::new()).unwrap();
    let error = comparison.similarity(&initial, &initial).unwrap_err();
    assert!(matches!(error, SimilarityError::Edits), "{error}");
}

#[test]
fn a_stop_ends_comparisons() {
    let game = own_game("breakthrough");
    let initial = game.ground_game().unwrap().initial().clone();
    let stop = Stop::new();
    let mut comparison = Comparison::new(&game, SimilarityConfig::default(), &stop).unwrap();
    assert_eq!(comparison.similarity(&initial, &initial).unwrap(), 1.0);
    stop.set();
    let error = comparison.similarity(&initial, &initial).unwrap_err();
    assert!(matches!(error, SimilarityError::Stopped), "{error}");
}

/// Joint moves are in an order that does not depend on which position is looked at first.
#[test]
fn comparisons_of_moves_at_the_same_time_are_the_same_in_both_directions() {
    let game = game(
        "(role x) (role y) (init (at 1)) (<= (legal ?r a) (role ?r))
        (<= (legal ?r b) (role ?r) (not (true (at 1)))) (<= (legal x c) (true (at 1)))
        (<= (legal y d) (true (at 3))) (<= (next (at 2)) (does x a) (does y a))
        (<= (next (at 3)) (does x b) (not (does y b))) (<= (next (at 3)) (does x c))
        (<= (next (at 1)) (does y d)) (<= (next (at 1)) (does y b))
        (<= (next (at 2)) (does y b)) (<= terminal (true (at 4))) (goal x 50) (goal y 50)",
    );
    let (one, two) = (state(&game, &["(at 1)"]), state(&game, &["(at 2)"]));
    let found = |a, b| {
        let similarity = comparison(&game, Measure::TreeEdit, 2).similarity(a, b);
        let structural = comparison(&game, Measure::TreeEdit, 2).structural(a, b);
        (similarity.unwrap(), structural.unwrap())
    };
    let (there, back) = (found(&one, &two), found(&two, &one));
    assert_eq!(there.0, back.0);
    assert!((there.1 - back.1).abs() < 1e-9, "{there:?} {back:?}");
}

/// Positions of games with other words are as similar in structure as those of one game, and their moves correspond; by the
/// words alone, they have nothing in common.
#[test]
fn positions_of_two_games_are_compared_by_structure() {
    let rules = propjit::gdl::games::text("ticTacToe").unwrap();
    let words = [("mark", "put"), ("noop", "rest"), ("cell", "field")];
    let renamed = words.iter().fold(rules.to_string(), |text, (from, to)| {
        text.replace(&format!("({from} "), &format!("({to} "))
            .replace(from, to)
    });
    let (first, second) = (own_game("ticTacToe"), game(&renamed));
    let a = state(&first, &["(cell 1 1 x)", "(cell 2 2 o)", "(control x)"]);
    let [b, same] = [&first, &second].map(|game| {
        let field = if std::ptr::eq(game, &first) {
            "cell"
        } else {
            "field"
        };
        state(game, &[&format!("({field} 3 1 x)"), "(control o)"])
    });
    for (measure, depth) in [(Measure::Continuations, 1), (Measure::TreeEdit, 2)] {
        let config = SimilarityConfig::default()
            .with_measure(measure)
            .with_depth(depth);
        let mut within = Comparison::new(&first, config.clone(), &Stop::new()).unwrap();
        let mut between = Comparison::between(&first, &second, config, &Stop::new()).unwrap();
        let by_words = between.similarity(&a, &same).unwrap();
        assert!(by_words < within.similarity(&a, &b).unwrap());
        assert!(by_words == 0.0 || measure != Measure::Continuations);
        let structural = within.structural(&a, &b).unwrap();
        assert_eq!(between.structural(&a, &same).unwrap(), structural);
        let pairs = within.matched_moves(&a, &b).unwrap();
        let renamed = between.matched_moves(&a, &same).unwrap();
        assert_eq!(pairs.pairs.len(), renamed.pairs.len());
        for (pair, renamed) in pairs.pairs.iter().zip(&renamed.pairs) {
            assert_eq!(
                (&pair.a, pair.b.replace("mark", "put")),
                (&renamed.a, renamed.b.clone())
            );
        }
    }
}
