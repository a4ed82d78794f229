//! Regret minimisation: values of the literature, strategies, limits, and a comparison with all pure strategies.

use std::collections::{BTreeMap, HashMap};
use std::thread;

use propjit::Stop;
use propjit::game::load::Game;
use propjit::game::machine::{Backend, Move, RoleId, State, StateMachine};
use propjit::proof::regret::{
    Equilibrium, MixedMove, RegretConfig, RegretError, RegretProgress, minimise,
};
use propjit::support::rng::{GameRng, streams};
use rand::RngExt;

use crate::common::solvable::{PENNIES, PRISONERS};
use crate::common::{game, own_game, wait_until};

fn config(iterations: u64) -> RegretConfig {
    RegretConfig::default()
        .with_exploitability(0.0)
        .with_iterations(iterations)
}

fn minimised(game: &Game, iterations: u64) -> Equilibrium {
    let progress = RegretProgress::default();
    minimise(game, &config(iterations), &Stop::new(), &progress).unwrap()
}

fn refused(rules: &str) -> RegretError {
    let (game, progress) = (game(rules), RegretProgress::default());
    minimise(&game, &config(1), &Stop::new(), &progress).unwrap_err()
}

/// The probability of a move where a role knows this.
fn probability(found: &Equilibrium, role: u32, known: &str, played: &str) -> f64 {
    let mut strategy = found.strategy();
    let is_it = |of: &MixedMove| of.role == RoleId(role) && of.known == known;
    let mixed = strategy.find(is_it).expect(known);
    let found = mixed.moves.iter().find(|(text, _)| text == played);
    found.expect("it is legal").1
}

fn assert_near(found: f64, expected: f64, error: f64) {
    assert!(
        (found - expected).abs() <= error,
        "{found} instead of {expected}"
    );
}

/// The value of a game for both roles is between these bounds, and they are near to each other.
fn assert_value(found: &Equilibrium, value: f64, total: f64, error: f64) {
    for (of, value) in found.values.iter().zip([value, total - value]) {
        assert!(of.low <= value + 1e-9 && value <= of.high + 1e-9, "{of:?}");
        assert!(of.low <= of.value && of.value <= of.high, "{of:?}");
        assert!(of.high - of.low <= 2.0 * error, "{of:?}");
    }
    let [first, ..] = &found.values[..] else {
        panic!("there is a role");
    };
    assert_near(found.exploitability, (first.high - first.low) / 2.0, 1e-9);
}

#[test]
fn kuhn_poker_has_its_known_value() {
    let found = minimised(&own_game("kuhnPoker"), 1000);
    assert_value(&found, 50.0 - 25.0 / 18.0, 100.0, 0.05);
    assert_eq!((found.information_sets(), found.histories), (12, 55.0));
    // Of the first player's equilibria, all bet a king three times as often as a jack, and never a queen.
    let bet = |card: &str| probability(&found, 0, &format!("noop: (dealt {card})"), "bet");
    assert_near(bet("king"), 3.0 * bet("jack"), 0.05);
    assert_near(bet("queen"), 0.0, 0.01);
    // The second player has only one.
    let of = |card: &str, seen: &str, played: &str| {
        probability(
            &found,
            1,
            &format!("noop: (dealt {card}); noop: {seen}"),
            played,
        )
    };
    assert_near(of("jack", "check", "bet"), 1.0 / 3.0, 0.02);
    assert_near(of("queen", "bet", "call"), 1.0 / 3.0, 0.02);
    assert_near(of("king", "bet", "call"), 1.0, 0.01);
}

/// The exploitability of playing at random is that which OpenSpiel computes, 2.373611 chips, and the value is -0.0856 chips.
#[test]
fn leduc_poker_has_its_known_value() {
    let game = own_game("leducPoker");
    let uniform = minimised(&game, 0);
    assert_near(uniform.exploitability, 3.0 * 2.373_611, 1e-5);
    assert_eq!(uniform.information_sets(), 288);
    let found = minimised(&game, 300);
    assert_value(&found, 50.0 - 3.0 * 0.0856, 100.0, 0.03);
}

#[test]
fn moves_at_the_same_time_are_mixed() {
    let found = minimised(&game(PENNIES), 100);
    assert_value(&found, 50.0, 100.0, 1e-9);
    for role in [0, 1] {
        assert_near(probability(&found, role, "", "heads"), 0.5, 1e-9);
    }
    // A win by rock counts twice: then paper is played half the time, and others a quarter.
    let rules = "(role a) (role b) (init start) (sign rock) (sign paper) (sign scissors)
        (<= (legal ?r ?s) (role ?r) (sign ?s)) (<= (next (chose ?r ?s)) (does ?r ?s))
        (<= terminal (true (chose a ?s))) (beats rock scissors 100 0) (beats paper rock 75 25) (beats scissors paper 75 25)
        (<= (goal ?r ?v) (true (chose ?r ?s)) (true (chose ?q ?t)) (distinct ?r ?q) (beats ?s ?t ?v ?w))
        (<= (goal ?r ?w) (true (chose ?r ?s)) (true (chose ?q ?t)) (distinct ?r ?q) (beats ?t ?s ?v ?w))
        (<= (goal ?r 50) (role ?r) (true (chose a ?s)) (true (chose b ?s)))";
    let found = minimised(&game(rules), 2000);
    assert_value(&found, 50.0, 100.0, 0.05);
    for (sign, expected) in [("rock", 0.25), ("paper", 0.5), ("scissors", 0.25)] {
        assert_near(probability(&found, 0, "", sign), expected, 0.01);
    }
}

/// A single role has nobody to surprise: its best strategy is exact.
#[test]
fn the_candidate_switches() {
    let found = minimised(&own_game("montyHall"), 1000);
    assert_value(&found, 200.0 / 3.0, 0.0, 1e-9);
    assert_eq!(found.iterations, 0);
    let mut decisive = 0;
    for of in found.strategy() {
        if of.known.contains("opened") && of.reach > 0.0 {
            assert!(of.moves.contains(&("switch".to_string(), 1.0)), "{of:?}");
            decisive += 1;
        }
    }
    assert_eq!(decisive, 2);
}

#[test]
fn a_small_game_with_hidden_men_has_close_bounds() {
    let found = minimised(&own_game("darkBreakthroughSmall"), 20);
    assert!(found.exploitability < 5.0, "{found:?}");
}

#[test]
fn what_is_out_of_scope_is_refused() {
    let [three, prisoners] = [
        "(role a) (role b) (role c) (init s) (legal a x) (legal b x) (legal c x) (next e) (<= terminal (true e)) (goal a 0)
         (goal b 0) (goal c 0)",
        PRISONERS,
    ]
    .map(refused);
    assert!(matches!(three, RegretError::Roles(3)), "{three}");
    assert!(
        matches!(prisoners, RegretError::NotOpposed { .. }),
        "{prisoners}"
    );
    // No goal after `y`, no legal move after `z`, and moves that depend on what was not seen.
    let rules = |rest: &str| {
        format!(
            "(role a) (role random) (init s) (<= (legal random x) (true s)) (<= (legal random y) (true s)) (<= (legal random x) (true (c ?m)))
             (<= (legal a wait) (true s)) (<= (next (c ?m)) (does random ?m) (true s))
             (<= (next done) (true (c ?m))) (<= terminal (true done)) (goal random 0) (<= (sees a never) (does a never)) {rest}"
        )
    };
    let goal = "(<= (goal a 1) (true done))";
    let undefined = refused(&rules("(<= (legal a go) (true (c ?m)))"));
    assert!(
        matches!(undefined, RegretError::UndefinedGoal { steps: 2, .. }),
        "{undefined}"
    );
    let stuck = refused(&rules(&format!("{goal} (<= (legal a go) (true (c x)))")));
    assert!(
        matches!(stuck, RegretError::Stuck { steps: 1, .. }),
        "{stuck}"
    );
    let unknown = refused(&rules(&format!(
        "{goal} (<= (legal a go) (true (c ?m))) (<= (legal a ?m) (true (c ?m)))"
    )));
    assert_eq!(
        unknown.to_string(),
        "a cannot know its legal moves after: wait"
    );
    let endless =
        "(role a) (init s) (legal a x) (<= (next s) (true s)) (<= terminal (true e)) (goal a 0)";
    let endless = refused(endless);
    assert!(matches!(endless, RegretError::TooLong { .. }), "{endless}");
}

#[test]
fn a_game_that_is_too_large_is_refused() {
    let config = RegretConfig::default().with_memory(4 << 20);
    let (stop, progress) = (Stop::new(), RegretProgress::default());
    let error = minimise(&own_game("kriegTicTacToe"), &config, &stop, &progress).unwrap_err();
    let RegretError::TooLarge {
        steps, histories, ..
    } = error
    else {
        panic!("{error}");
    };
    assert!(steps > 2 && histories > 1000, "{error}");
    assert!(error.to_string().contains("in 4 MiB"), "{error}");
}

#[test]
fn a_stop_leaves_the_result_so_far() {
    let game = own_game("leducPoker");
    let (stop, progress) = (Stop::new(), RegretProgress::default());
    stop.set();
    let config = config(u64::MAX);
    let error = minimise(&game, &config, &stop, &progress).unwrap_err();
    assert!(matches!(error, RegretError::Stopped { .. }), "{error}");
    let stop = Stop::new();
    let found = thread::scope(|scope| {
        let running = scope.spawn(|| minimise(&game, &config, &stop, &progress));
        wait_until("iterations", || progress.iterations() > 10);
        stop.set();
        running.join().unwrap().unwrap()
    });
    assert!(found.iterations > 10);
    assert_value(&found, 50.0 - 3.0 * 0.0856, 100.0, 7.0);
}

/// A game of two roles with random tables: chance deals one of two cards, which `a` sees; `a` decides, `b` hears one of two sounds
/// and decides, and `a` hears one of two sounds and decides again.
fn random_rules(rng: &mut GameRng) -> String {
    let mut rules = String::from(
        "(role a) (role b) (role random) (init (step 1)) (next_step 1 2) (next_step 2 3) (next_step 3 4) (next_step 4 5)
         (side 0) (side 1) (<= (next (step ?n)) (true (step ?m)) (next_step ?m ?n))
         (turn 1 random) (turn 2 a) (turn 3 b) (turn 4 a)
         (<= (legal ?r (go ?s)) (true (step ?n)) (turn ?n ?r) (side ?s))
         (<= (legal ?r wait) (role ?r) (true (step ?n)) (turn ?n ?q) (distinct ?q ?r))
         (<= (next (done ?n ?s)) (true (step ?n)) (does ?r (go ?s))) (<= (next (done ?n ?s)) (true (done ?n ?s)))
         (<= (sees a (card ?s)) (does random (go ?s)))
         (<= (sees b (sound ?x)) (does a (go ?s)) (true (step 2)) (true (done 1 ?c)) (first ?c ?s ?x))
         (<= (sees a (sound ?x)) (does b (go ?s)) (true (done 1 ?c)) (second ?c ?s ?x))
         (<= terminal (true (step 5)))
         (<= (goal a ?v) (true (done 1 ?c)) (true (done 2 ?s)) (true (done 3 ?t)) (true (done 4 ?u)) (pay ?c ?s ?t ?u ?v ?w))
         (<= (goal b ?w) (true (done 1 ?c)) (true (done 2 ?s)) (true (done 3 ?t)) (true (done 4 ?u)) (pay ?c ?s ?t ?u ?v ?w))
         (goal random 0)",
    );
    for number in 0..16 {
        let [c, s, t, u] = [0, 1, 2, 3].map(|bit| number >> bit & 1);
        let goal = rng.random_range(0..=10);
        let other = 10 - goal;
        rules += &format!("(pay {c} {s} {t} {u} {goal} {other})");
        if number < 4 {
            let [one, other] = [0, 1].map(|_| rng.random_range(0..2));
            rules += &format!("(first {c} {s} {one}) (second {c} {s} {other})");
        }
    }
    rules
}

/// What each role knows, as the strategies name it, and how each plays then.
type Strategy = HashMap<(usize, String), Vec<(String, f64)>>;

/// The expected goal of the first role from a state on, by the machine's own answers.
fn expected(
    machine: &mut dyn StateMachine,
    state: &State,
    known: &[String],
    strategy: &Strategy,
) -> f64 {
    let roles = machine.roles().len();
    if machine.is_terminal(state).unwrap() {
        return f64::from(machine.goal(state, RoleId(0)).unwrap());
    }
    let mut joints: Vec<(Vec<Move>, f64)> = vec![(Vec::new(), 1.0)];
    for role in RoleId::first(roles) {
        let mut legal = Vec::new();
        machine.legal_moves(state, role, &mut legal).unwrap();
        let key = (role.index(), known[role.index()].clone());
        let mixed = strategy.get(&key);
        let chances = legal.iter().map(|&played| {
            let text = machine.move_text(role, played);
            let of = mixed.and_then(|mixed| mixed.iter().find(|(known, _)| *known == text));
            (played, of.map_or(1.0 / legal.len() as f64, |of| of.1))
        });
        let chances: Vec<(Move, f64)> = chances.collect();
        let longer = joints.iter().flat_map(|(joint, before)| {
            let longer = move |&(played, chance): &(Move, f64)| {
                ([&joint[..], &[played]].concat(), before * chance)
            };
            chances.iter().map(longer)
        });
        joints = longer.collect();
    }
    let mut sum = 0.0;
    for (joint, chance) in joints {
        if chance == 0.0 {
            continue;
        }
        let known: Vec<String> = RoleId::first(roles)
            .map(|role| {
                let before = &known[role.index()];
                let mut text = machine.move_text(role, joint[role.index()]);
                let seen = machine.percepts(state, &joint, role).unwrap();
                if !seen.is_empty() {
                    text += &format!(": {}", seen.join(", "));
                }
                match before.is_empty() {
                    true => text,
                    false => format!("{before}; {text}"),
                }
            })
            .collect();
        let next = machine.next_state(state, &joint).unwrap();
        sum += chance * expected(machine, &next, &known, strategy);
    }
    sum
}

/// Strategies of small games are compared with all pure strategies, one by one, on a machine of their own.
#[test]
fn bounds_are_those_of_all_pure_strategies() {
    let mut rng = streams(7).next().unwrap();
    for _ in 0..4 {
        let rules = random_rules(&mut rng);
        let game = game(&rules);
        for iterations in [0, 20] {
            let found = minimised(&game, iterations);
            let mut sets: BTreeMap<(usize, String), Vec<String>> = BTreeMap::new();
            let mut mixed = Strategy::new();
            for of in found.strategy() {
                let key = (of.role.index(), of.known);
                assert_near(of.moves.iter().map(|(_, chance)| chance).sum(), 1.0, 1e-9);
                let texts = of.moves.iter().map(|(text, _)| text.clone()).collect();
                sets.insert(key.clone(), texts);
                mixed.insert(key, of.moves);
            }
            let mut machine = game.machine(Backend::Scalar).unwrap();
            let initial = machine.initial_state().unwrap();
            let start = vec![String::new(); 3];
            let mut value =
                |strategy: &Strategy| expected(&mut *machine, &initial, &start, strategy);
            let first = &found.values[0];
            assert_near(value(&mixed), first.value, 1e-9);
            let mut best = [f64::MIN, f64::MAX];
            for role in [0, 1] {
                let own: Vec<_> = sets.iter().filter(|((of, _), _)| *of == role).collect();
                assert!(own.len() <= 10);
                for choice in 0..1usize << own.len() {
                    let mut pure = mixed.clone();
                    for (at, (key, moves)) in own.iter().enumerate() {
                        let chosen = moves[choice >> at & 1].clone();
                        let other = moves[1 - (choice >> at & 1)].clone();
                        pure.insert((*key).clone(), vec![(chosen, 1.0), (other, 0.0)]);
                    }
                    let value = value(&pure);
                    best[role] = match role {
                        0 => best[0].max(value),
                        _ => best[1].min(value),
                    };
                }
            }
            assert_near(best[0], first.high, 1e-9);
            assert_near(best[1], first.low, 1e-9);
        }
    }
}
