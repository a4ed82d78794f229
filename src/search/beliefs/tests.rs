//! Beliefs against an enumeration by the rules, one state at a time.

use std::collections::BTreeMap;
use std::sync::Arc;

use propjit_stop::Stop;
use rand::RngExt;

use super::*;
use crate::game::ground::GroundGame;
use crate::game::load::{Game, Setup};
use crate::game::machine::{Backend, Move, RoleId, State, StateMachine};
use crate::support::rng::{GameRng, streams};

/// Two roles mark cells in turn, and learn only whether the cell was free.
const PHANTOM: &str = "
    (role x) (role o) (init (turn x)) (other x o) (other o x)
    (cell 1) (cell 2) (cell 3) (cell 4) (cell 5) (cell 6) (cell 7) (cell 8)
    (<= (init (free ?c)) (cell ?c))
    (<= (legal ?r (mark ?c)) (true (turn ?r)) (cell ?c) (not (true (tried ?r ?c))))
    (<= (legal ?r noop) (other ?r ?q) (true (turn ?q)))
    (<= (takes ?r ?c) (does ?r (mark ?c)) (true (free ?c)))
    (<= (marked ?c) (does ?r (mark ?c)))
    (<= (next (owns ?r ?c)) (takes ?r ?c))
    (<= (next (owns ?r ?c)) (true (owns ?r ?c)))
    (<= (next (free ?c)) (true (free ?c)) (not (marked ?c)))
    (<= (next (tried ?r ?c)) (does ?r (mark ?c)))
    (<= (next (tried ?r ?c)) (true (tried ?r ?c)))
    (<= (next (turn ?q)) (true (turn ?r)) (other ?r ?q))
    (<= (sees ?r yes) (takes ?r ?c))
    (<= (sees ?r no) (does ?r (mark ?c)) (not (true (free ?c))))
    (<= open (true (free ?c)))
    (<= terminal (not open))
    (<= (goal ?r 50) (role ?r))";

/// The states that are possible, with their probabilities, by single queries.
type Exact = BTreeMap<Vec<u64>, f64>;

struct Reference {
    game: Game,
    machine: Box<dyn StateMachine>,
    words: usize,
}

impl Reference {
    fn new() -> Reference {
        let game = Game::from_text("phantom.kif", PHANTOM, &Setup::default()).unwrap();
        game.engines().unwrap().wait();
        let bases = game.ground_game().unwrap().layout().bases.len();
        Reference {
            machine: game.machine(Backend::Scalar).unwrap(),
            words: bases.div_ceil(64),
            game,
        }
    }

    fn ground(&self) -> &Arc<GroundGame> {
        self.game.ground_game().unwrap()
    }

    fn belief(&self, states: usize, seed: u64) -> Belief {
        let config = BeliefConfig::default()
            .with_hypotheses(states)
            .with_seed(seed);
        Belief::new(self.game.engines().unwrap(), RoleId(0), config)
    }

    fn legal(&mut self, state: &State) -> [Vec<Move>; 2] {
        [0, 1].map(|role| {
            let mut moves = Vec::new();
            let found = self.machine.legal_moves(state, RoleId(role), &mut moves);
            found.unwrap();
            moves
        })
    }

    fn observation(&mut self, state: &State, joint: &[Move], next: &State) -> Observation {
        let percepts = self.machine.percepts(state, joint, RoleId(0)).unwrap();
        let is_over = self.machine.is_terminal(next).unwrap();
        let ground = self.game.ground_game().unwrap();
        Observation::from_texts(ground, RoleId(0), joint[0], &percepts, is_over).unwrap()
    }

    /// What the first role observes in a random match, and the states.
    fn random_match(&mut self, rng: &mut GameRng) -> Vec<(Observation, State)> {
        let mut state = self.ground().initial().clone();
        let mut seen = Vec::new();
        while !self.machine.is_terminal(&state).unwrap() {
            let joint = self
                .legal(&state)
                .map(|moves| moves[rng.random_range(0..moves.len())]);
            let next = self.machine.next_state(&state, &joint).unwrap();
            seen.push((self.observation(&state, &joint, &next), next.clone()));
            state = next;
        }
        seen
    }

    fn follow(&mut self, before: &Exact, observation: &Observation) -> Exact {
        let mut found = Exact::new();
        for (words, probability) in before {
            let state = State::from_words(words);
            let [own, others] = self.legal(&state);
            if !own.contains(&observation.own) {
                continue;
            }
            for &other in &others {
                let joint = [observation.own, other];
                let next = self.machine.next_state(&state, &joint).unwrap();
                if self.observation(&state, &joint, &next) == *observation {
                    *found.entry(next.packed(self.words)).or_default() +=
                        probability / others.len() as f64;
                }
            }
        }
        let total: f64 = found.values().sum();
        found.values_mut().for_each(|of| *of /= total);
        found
    }

    fn start(&self) -> Exact {
        let initial = self.ground().initial().packed(self.words);
        Exact::from([(initial, 1.0)])
    }
}

#[test]
fn few_states_are_known_exactly() {
    let mut reference = Reference::new();
    let mut rng = streams(1).next().unwrap();
    let mut most = 0;
    for _ in 0..5 {
        let mut belief = reference.belief(1 << 14, 0);
        let mut exact = reference.start();
        for (observation, _) in reference.random_match(&mut rng) {
            belief.observe(&observation, &Stop::new()).unwrap();
            exact = reference.follow(&exact, &observation);
            let population = belief.population();
            assert!(belief.is_exact());
            assert_eq!(population.states(), exact.len());
            let mut found = Exact::new();
            for number in 0..population.len() {
                let state = population.state(number).to_vec();
                *found.entry(state).or_default() += population.probability(number);
            }
            for (state, expected) in &exact {
                assert!((found[state] - expected).abs() < 1e-9);
            }
            assert!(population.histories() >= population.len() as f64);
            most = most.max(exact.len());
        }
    }
    assert!(most > 30, "{most}");
}

/// With few of many states, each of these is possible, and probabilities are right in the mean: a difference of more than
/// five standard errors has a probability below one in a million.
#[test]
fn samples_are_consistent_and_unbiased() {
    const RUNS: u64 = 400;
    let mut reference = Reference::new();
    let mut rng = streams(2).next().unwrap();
    let seen = reference.random_match(&mut rng);
    let seen = &seen[..8];
    let mut exact = reference.start();
    for (observation, _) in seen {
        exact = reference.follow(&exact, observation);
    }
    assert!(exact.len() > 10, "{}", exact.len());
    let bases = reference.ground().layout().bases.len();
    let holds = |state: &[u64], base: usize| state[base / 64] >> (base % 64) & 1 != 0;
    let probability = |base: usize| -> f64 {
        let held = exact.iter().filter(|(state, _)| holds(state, base));
        held.map(|(_, probability)| probability).sum()
    };
    let mut sums = vec![(0.0, 0.0); bases];
    for seed in 0..RUNS {
        let mut belief = reference.belief(8, seed);
        for (observation, _) in seen {
            belief.observe(observation, &Stop::new()).unwrap();
        }
        let population = belief.population();
        assert!(!belief.is_exact() && population.len() <= 8);
        assert!(population.effective_size() <= 8.0 + 1e-9);
        for number in 0..population.len() {
            assert!(exact.contains_key(population.state(number)));
        }
        for (base, (sum, squares)) in sums.iter_mut().enumerate() {
            let found = population.probability_of(base);
            *sum += found;
            *squares += found * found;
        }
    }
    let runs = RUNS as f64;
    for (base, (sum, squares)) in sums.into_iter().enumerate() {
        let mean = sum / runs;
        let error = ((squares / runs - mean * mean).max(0.0) / runs).sqrt();
        let expected = probability(base);
        // Small samples are slightly biased, as weights are ratios.
        assert!(
            (mean - expected).abs() <= 5.0 * error + 0.02,
            "{base}: {mean} and {expected}, error {error}"
        );
    }
}

/// With one state at a time, what is observed soon contradicts it; then others are found that explain everything.
#[test]
fn another_way_is_found() {
    let mut reference = Reference::new();
    let mut rng = streams(3).next().unwrap();
    let mut unexplained = 0;
    for seed in 0..40 {
        let mut belief = reference.belief(2, seed);
        let mut exact = reference.start();
        let mut explained = true;
        for (observation, _) in reference.random_match(&mut rng) {
            exact = reference.follow(&exact, &observation);
            if let Err(error) = belief.observe(&observation, &Stop::new()) {
                assert!(!error.is_certain);
                explained = false;
                break;
            }
            let population = belief.population();
            assert!((1..=2).contains(&population.len()));
            assert!(exact.contains_key(population.state(0)));
        }
        unexplained += u32::from(!explained);
    }
    assert!(unexplained <= 8, "{unexplained} of 40");
}

#[test]
fn contradictions_are_reported_and_play_goes_on() {
    let reference = Reference::new();
    let ground = reference.ground();
    let mut belief = reference.belief(1 << 10, 0);
    let mark = ground.parse_move(RoleId(0), "(mark 1)").unwrap();
    let wrong = Observation::from_texts(ground, RoleId(0), mark, &["no"], false).unwrap();
    let error = belief.observe(&wrong, &Stop::new()).unwrap_err();
    assert!(error.is_certain);
    assert_eq!((belief.population().len(), belief.is_exact()), (1, false));
    let owns = ground.parse_state(&["(owns x 1)"]).unwrap();
    let owns = owns.iter().next().unwrap();
    assert_eq!(belief.population().probability_of(owns), 1.0);
    let unknown = Observation::from_texts(ground, RoleId(0), mark, &["maybe"], false);
    assert_eq!(
        unknown.unwrap_err().to_string(),
        "x can never perceive `maybe`"
    );
}

/// Twelve coins fall unseen, one after the other; in the end, all are shown. Random histories hardly ever explain that.
const COINS: &str = "
    (role guesser) (role random) (init (step 0)) (side heads) (side tails)
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
    (succ 10 11) (succ 11 12) (succ 12 13)
    (<= (legal random (throw ?s)) (side ?s)) (legal guesser wait)
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= (next (coin ?n ?s)) (true (step ?n)) (does random (throw ?s)))
    (<= (next (coin ?n ?s)) (true (coin ?n ?s)))
    (<= (sees guesser (was ?n ?s)) (true (step 12)) (true (coin ?n ?s)))
    (<= terminal (true (step 13))) (<= (goal ?r 50) (role ?r))";

/// What the guesser sees at last is explained by the two states that it leaves open, however few hypotheses are kept; and what
/// contradicts the rules is not.
#[test]
fn a_solver_explains_what_random_histories_do_not() {
    let game = Game::from_text("coins.kif", COINS, &Setup::default()).unwrap();
    let (ground, engines) = (game.ground_game().unwrap(), game.engines().unwrap());
    let guesser = RoleId(0);
    let wait = ground.parse_move(guesser, "wait").unwrap();
    let seen = |percepts: &[String], is_over| {
        Observation::from_texts(ground, guesser, wait, percepts, is_over).unwrap()
    };
    let sides: Vec<&str> = (0..12)
        .map(|number| ["heads", "tails"][number * number % 7 % 2])
        .collect();
    let mut shown: Vec<String> = (sides.iter().enumerate())
        .map(|(number, side)| format!("(was {number} {side})"))
        .collect();
    let before = || {
        let config = BeliefConfig::default().with_hypotheses(8);
        let mut belief = Belief::new(engines, guesser, config);
        for _ in 0..12 {
            belief.observe(&seen(&[], false), &Stop::new()).unwrap();
        }
        belief
    };
    let mut belief = before();
    belief.observe(&seen(&shown, true), &Stop::new()).unwrap();
    let population = belief.population();
    assert_eq!((population.states(), belief.is_exact()), (2, false));
    for (number, side) in sides.iter().enumerate() {
        let coin = format!("(coin {number} {side})");
        let coin = ground.parse_state(&[&coin]).unwrap().iter().next().unwrap();
        assert_eq!(population.probability_of(coin), 1.0);
    }
    let heads = ground.parse_state(&["(coin 12 heads)"]).unwrap();
    let heads = population.probability_of(heads.iter().next().unwrap());
    assert!((heads - 0.5).abs() < 1e-9, "{heads}");
    // A coin that shows neither side.
    shown.pop();
    let error = before().observe(&seen(&shown, true), &Stop::new());
    assert_eq!(error, Err(Unexplained { is_certain: true }));
}
