//! The lanes evaluator: many states at a time, one per lane.

use std::sync::Arc;

use propjit_stop::Stop;

use super::Evaluator;
use crate::game::engine::{Engines, MatchEngines, PlayoutPolicy, Programs};
use crate::game::ground::GroundGame;
use crate::game::machine::expansion::Expander;
use crate::game::machine::expansion::legal::LegalMoves;
use crate::game::machine::expansion::successor::{Successor, Successors};
use crate::game::machine::scalar::ScalarMachine;
use crate::game::machine::{MachineError, Move, RoleId, State};
use crate::game::playout::{PlayoutRunner, Playouts, SerialPlayouts};
use crate::support::rng;

/// From how many gates on interpreting a circuit in lanes takes so long that a search should not begin with that: a
/// step takes some milliseconds then.
const SLOW_GATES: usize = 100_000;

/// Evaluates a game in lanes.
pub(super) struct LanesEvaluator {
    expander: Expander,
    playouts: Playouts,
    /// The programs of the engines for serial playouts, where better engines are to come.
    programs: Option<Arc<Programs>>,
    /// How many joint moves a match may have.
    max_steps: u32,
    seed: u64,
    /// Serial playouts, if they were wanted and the engine has been slow since.
    serial: Option<Box<SerialPlayouts>>,
    /// Whether it is what plays matches.
    hurries: bool,
}

impl LanesEvaluator {
    /// With the lanes interpreter.
    pub(super) fn interpreted(engines: &Arc<Engines>, max_steps: u32, seed: u64) -> LanesEvaluator {
        let (game, engine) = (engines.game(), engines.programs().interpreter());
        LanesEvaluator {
            expander: Expander::interpreted(engines),
            playouts: Playouts::new(game.clone(), engine, max_steps, seed),
            programs: None,
            max_steps,
            seed,
            serial: None,
            hurries: false,
        }
    }

    /// With the best engines of a match.
    pub(super) fn compiled(engines: &MatchEngines, max_steps: u32, seed: u64) -> LanesEvaluator {
        let playouts = engines.subscribe(PlayoutPolicy::Decisive);
        LanesEvaluator {
            expander: Expander::subscribed(engines),
            playouts: Playouts::subscribed(playouts, max_steps, seed),
            programs: Some(engines.engines().programs().clone()),
            max_steps,
            seed,
            serial: None,
            hurries: false,
        }
    }

    /// Returns serial playouts, which play matches one after the other.
    fn serial(&self) -> Option<Box<SerialPlayouts>> {
        let machine = Box::new(ScalarMachine::unoptimised(self.programs.as_ref()?));
        // Matches in lanes have the seed itself.
        let rng = rng::streams(!self.seed).next()?;
        Some(Box::new(SerialPlayouts::new(machine, self.max_steps, rng)))
    }

    /// As [`hurry`](Evaluator::hurry), with an engine on which lanes are slow, or not.
    fn hurry_on(&mut self, is_slow: bool, is_wanted: bool) -> bool {
        if !is_slow {
            self.serial = None;
        } else if is_wanted && self.serial.is_none() {
            self.serial = self.serial();
        }
        self.hurries = is_wanted && self.serial.is_some();
        self.hurries
    }

    fn game(&self) -> &GroundGame {
        self.expander.game()
    }
}

impl Evaluator for LanesEvaluator {
    fn runner(&mut self) -> &mut dyn PlayoutRunner {
        match &mut self.serial {
            Some(serial) if self.hurries => &mut **serial,
            _ => &mut self.playouts,
        }
    }

    fn hurry(&mut self, is_wanted: bool) -> bool {
        self.expander.poll();
        self.hurry_on(is_slow(&self.expander), is_wanted)
    }

    fn parse_state(&mut self, fluents: &[&str]) -> Result<State, MachineError> {
        Ok(self.game().parse_state(fluents)?)
    }

    fn move_text(&mut self, role: RoleId, played: Move) -> String {
        self.game().move_text(role, played)
    }

    fn goal_ranges(&mut self) -> Vec<(i32, i32)> {
        self.game().goal_ranges()
    }

    fn step_cost(&mut self) -> f64 {
        self.game().cost().step / self.expander.lanes() as f64
    }

    fn legal_moves(&mut self, state: &State) -> Result<Vec<Vec<Move>>, MachineError> {
        Ok(self.expander.poll().legal_moves(state))
    }

    fn next_state(&mut self, state: &State, joint: &[Move]) -> Result<State, MachineError> {
        let batch = self.expander.poll();
        batch.enter_children(state, joint);
        Ok(batch.state(0))
    }

    fn skip_forced_moves(&mut self, state: &State, depth: u32) -> Result<Successor, MachineError> {
        let max_steps = self.max_steps;
        let found = self.expander.skip_forced_moves(state, depth, max_steps);
        Ok(found.all().each().next().expect("one state was entered"))
    }

    fn legal_moves_of(&mut self, states: &[(&State, u32)]) -> Result<LegalMoves, MachineError> {
        let states = states.iter().map(|(state, _)| *state);
        Ok(self.expander.legal_of(states))
    }

    fn follow_all(
        &mut self,
        parents: &[(&State, u32)],
        joints: &[Move],
        stop: &Stop,
    ) -> Result<Successors, MachineError> {
        let max_steps = self.max_steps;
        let roles = joints.len().checked_div(parents.len()).unwrap_or(1);
        let mut found = Successors::with_room(parents.len(), self.expander.words());
        // Once for all chunks: another engine may have fewer lanes.
        let lanes = self.expander.poll().lanes();
        let joints = joints.chunks(lanes * roles);
        for (parents, joints) in parents.chunks(lanes).zip(joints) {
            if stop.is_set() {
                break;
            }
            let states = parents.iter().map(|(state, _)| *state);
            let depths = parents.iter().map(|(_, depth)| depth + 1).collect();
            self.expander
                .follow(states, joints, depths, max_steps, stop, &mut found);
        }
        Ok(found)
    }
}

/// Whether the engine interprets so large a circuit that a step takes long.
fn is_slow(expander: &Expander) -> bool {
    expander.is_interpreted() && expander.game().lowered().gates() >= SLOW_GATES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::load::{Game, Setup};
    use crate::game::playout::RunLimits;

    /// A match of one step.
    fn evaluator() -> LanesEvaluator {
        let rules = "(role r) (init start) (legal r go) (legal r stay)
             (<= (next gone) (does r go)) (<= terminal (not (true start)))
             (<= (goal r 100) (true gone)) (<= (goal r 0) (not (true gone)))";
        let game = Game::from_text("go.kif", rules, &Setup::default()).unwrap();
        let engines = game.engines().unwrap();
        // From here on, there is no better engine.
        engines.wait();
        LanesEvaluator::compiled(&MatchEngines::new(engines.clone()), 10, 1)
    }

    #[test]
    fn matches_are_played_one_after_the_other_where_lanes_are_slow() {
        let mut evaluator = evaluator();
        let lanes = evaluator.runner().lanes();
        assert!(!evaluator.hurry(true));
        assert_eq!(evaluator.runner().lanes(), lanes);
        assert!(evaluator.hurry_on(true, true));
        let state = evaluator.initial_state().unwrap();
        let runner = evaluator.runner();
        assert_eq!(runner.lanes(), 1);
        let id = runner.queue_mut().add(&state, Some(20));
        runner.play(&RunLimits::default()).unwrap();
        assert_eq!(runner.queue().tally(id).rollouts(), 20);
        runner.clear();
        assert!(!evaluator.hurry_on(true, false));
        assert_eq!(evaluator.runner().lanes(), lanes);
        // It is kept, until the engine is not slow any more.
        assert!(evaluator.hurry_on(true, true));
        assert!(!evaluator.hurry(true) && evaluator.serial.is_none());
    }
}
