//! Every backend against the interpreter, on random programs.

use propjit::game::load::{Game, Setup};
use propjit::game::machine::Backend;
use propjit::support::rng::{GameRng, streams};

use super::Oracle;
use super::compare::{Compared, Ended, Tally, compare};
use super::program::{Goals, random_program};
use crate::common;

/// Enough for every program whose terms do not grow.
const WORK: u64 = 3_000_000;

/// Compares the backends on random matches.
fn check(rules: &str, rng: &mut GameRng) -> (Tally, Result<Vec<Backend>, Ended>) {
    let mut setup = Setup::default();
    setup.ground.time = None;
    setup.ground.ground_rules = 20_000;
    setup.ground.bytes = 32 << 20;
    let game = match Game::from_text("random.kif", rules, &setup) {
        Ok(game) => game,
        Err(error) => {
            return (
                Tally::default(),
                Err(Ended::Differs(format!("refused: {error}"))),
            );
        }
    };
    let backends = Backend::ALL.into_iter();
    let is_there = |backend: &Backend| *backend == Backend::Prover || game.ground_game().is_some();
    let backends: Vec<Backend> = backends.filter(is_there).collect();
    let machines = backends
        .iter()
        .map(|&backend| Compared::new(backend, game.machine(backend).unwrap()));
    let mut machines: Vec<Compared> = machines.collect();
    let (tally, ended) = match Oracle::new(rules, WORK) {
        Ok(mut oracle) => compare(&mut oracle, &mut machines, (2, 8), rng),
        Err(too_much) => (Tally::default(), Err(too_much.into())),
    };
    (tally, ended.map(|()| backends))
}

/// The program without the rules that it differs without, too.
fn shrink(rules: &str, seed: u64) -> String {
    let mut lines: Vec<&str> = rules.lines().collect();
    let mut at = 0;
    while at < lines.len() {
        let removed = lines.remove(at);
        let ended = check(&lines.join("\n"), &mut streams(seed).next().unwrap()).1;
        match ended {
            Err(Ended::Differs(how)) if !how.starts_with("refused") => at = 0,
            _ => {
                lines.insert(at, removed);
                at += 1;
            }
        }
    }
    lines.join("\n")
}

#[test]
fn nothing_differs_on_random_programs() {
    let programs = if common::soak() { 20_000 } else { 500 };
    let mut total = Tally::default();
    let (mut ungrounded, mut too_much) = (0, 0);
    for seed in 0..programs {
        let mut rng = streams(seed).next().unwrap();
        let rules = random_program(Goals::Any, &mut rng);
        let (tally, ended) = check(&rules, &mut rng);
        total.add(tally);
        match ended {
            Ok(backends) => ungrounded += usize::from(backends.len() == 1),
            Err(Ended::TooMuch) => too_much += 1,
            Err(Ended::Differs(how)) => panic!(
                "seed {seed}: {how}\n{rules}\n\nas differs this, if in another way:\n{}",
                shrink(&rules, seed)
            ),
        }
    }
    println!("{total:?}, {ungrounded} on the prover alone, {too_much} with too much work");
    let programs = programs as usize;
    assert!(
        total.states > 5 * programs && total.ends > programs / 2 && total.stuck > programs / 10
    );
    assert!(ungrounded < programs / 20 && too_much * 1000 < programs);
}

/// Relations may depend on their negation where no fact does.
#[test]
fn nothing_differs_where_negation_is_stratified_by_facts_only() {
    for rules in [
        "(<= (goal r 100) (true lit) (not (goal r 0))) (<= (goal r 0) (true dark))",
        "(<= (on a) (not (off a))) (<= (off a) (on b)) (<= (on b) (true lit))
         (<= (goal r 100) (on a)) (<= (goal r 50) (on b)) (<= (goal r 0) (off a))",
    ] {
        let game = "(role r) (init lit) (legal r switch) (legal r wait) (<= terminal (true end))
            (<= (next lit) (does r switch) (true dark)) (<= (next dark) (does r switch) (true lit))
            (<= (next lit) (does r wait) (true lit)) (<= (next dark) (does r wait) (true dark))";
        let rules = format!("{game} {rules}");
        let (tally, ended) = check(&rules, &mut streams(1).next().unwrap());
        assert_eq!(ended.err(), None, "{rules}");
        assert_eq!(tally.states, 18);
    }
}
