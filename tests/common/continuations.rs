//! Matches that have begun, and how they go on.

use propjit::game::engine::{Engines, ValidEngine};
use propjit::game::machine::State;
use propjit::game::machine::scalar::ScalarMachine;
use propjit::game::playout::{PlayoutRunner, Playouts, RunLimits, Tally};
use propjit::lab::tools::darkening::random_match;
use propjit::support::rng::streams;

/// The states of a random match, but for the one in which it ends.
pub(crate) fn random_states(engines: &Engines, seed: u64) -> Vec<State> {
    let mut machine = ScalarMachine::new(engines.programs()).unwrap();
    let mut rng = streams(seed).next().unwrap();
    random_match(&mut machine, engines.game().initial(), 200, &mut rng).unwrap()
}

/// Plays `rollouts` matches from the root, with a new runner.
pub(crate) fn play(engines: &Engines, engine: ValidEngine, root: &State, rollouts: u64) -> Tally {
    let mut runner = Playouts::new(engines.game().clone(), engine, 500, 3);
    play_with(&mut runner, root, rollouts)
}

/// Plays `rollouts` matches from the root.
pub(crate) fn play_with(runner: &mut Playouts, root: &State, rollouts: u64) -> Tally {
    let id = runner.queue_mut().add(root, Some(rollouts));
    let limits = RunLimits::default().with_enough(1);
    runner.play(&limits).unwrap();
    let (finished, tally) = runner.queue_mut().take_finished().unwrap();
    assert_eq!(finished, id);
    tally.clone()
}
