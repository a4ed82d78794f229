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
    /// Whether the engine interprets so large a circuit that a step takes long.
    is_slow: bool,
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
            is_slow: false,
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
        let expander = Expander::subscribed(engines);
        LanesEvaluator {
            is_slow: is_slow(&expander),
            expander,
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
        let was_interpreted = self.expander.is_interpreted();
        self.expander.poll();
        if self.expander.is_interpreted() != was_interpreted {
            self.is_slow = is_slow(&self.expander);
        }
        if !self.is_slow {
            self.serial = None;
        } else if is_wanted && self.serial.is_none() {
            self.serial = self.serial();
        }
        self.hurries = is_wanted && self.serial.is_some();
        self.hurries
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
        let (mut parents, mut joints) = (parents, joints);
        while !parents.is_empty() && !stop.is_set() {
            // Engines that have become ready may have more lanes.
            let count = self.expander.poll().lanes().min(parents.len());
            let (these, later) = parents.split_at(count);
            let (played, others) = joints.split_at(count * roles);
            let states = these.iter().map(|(state, _)| *state);
            let depths = these.iter().map(|(_, depth)| depth + 1).collect();
            self.expander
                .follow(states, played, depths, max_steps, stop, &mut found);
            (parents, joints) = (later, others);
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
        evaluator.is_slow = true;
        assert!(evaluator.hurry(true));
        let state = evaluator.initial_state().unwrap();
        let runner = evaluator.runner();
        assert_eq!(runner.lanes(), 1);
        let id = runner.queue_mut().add(&state, Some(20));
        runner.play(&RunLimits::default()).unwrap();
        assert_eq!(runner.queue().tally(id).rollouts(), 20);
        runner.clear();
        assert!(!evaluator.hurry(false));
        assert_eq!(evaluator.runner().lanes(), lanes);
        // It is kept, until the engine is not slow any more.
        assert!(evaluator.hurry(true));
        evaluator.is_slow = false;
        assert!(!evaluator.hurry(true) && evaluator.serial.is_none());
    }
}
