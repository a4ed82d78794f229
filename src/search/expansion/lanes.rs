//! The lanes evaluator: many states at a time, one per lane.

use std::sync::Arc;

use propjit_stop::Stop;

use super::{Evaluator, MAX_MOVES};
use crate::game::engine::{EngineSubscription, Engines, MatchEngines, PlayoutPolicy, ValidEngine};
use crate::game::ground::GroundGame;
use crate::game::machine::batch::Batch;
use crate::game::machine::scalar::ScalarMachine;
use crate::game::machine::{MachineError, Move, RoleId, State};
use crate::game::playout::{PlayoutRunner, Playouts, SerialPlayouts};
use crate::game::vocabulary::lane_mask::LaneMask;
use crate::search::expansion::legal::LegalMoves;
use crate::search::expansion::successor::{NodeInfo, Successor, Successors, Turn};
use crate::support::rng;

/// From how many gates on interpreting a circuit in lanes takes so long that a search should not begin with that: a
/// step takes some milliseconds then.
const SLOW_GATES: usize = 100_000;

/// Evaluates a game in lanes.
pub(super) struct LanesEvaluator {
    batch: Batch,
    playouts: Playouts,
    /// The source of better engines for the batch, if there is one. Playouts have a subscription of their
    /// own.
    subscription: Option<EngineSubscription>,
    /// How many joint moves a match may have.
    max_steps: u32,
    seed: u64,
    /// Whether the batch is on an engine that interprets a circuit large enough to be slow.
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
            batch: Batch::new(game.clone(), engine.clone()),
            playouts: Playouts::new(game.clone(), engine, max_steps, seed),
            subscription: None,
            max_steps,
            seed,
            is_slow: false,
            serial: None,
            hurries: false,
        }
    }

    /// With the best engines of a match.
    pub(super) fn compiled(engines: &MatchEngines, max_steps: u32, seed: u64) -> LanesEvaluator {
        let game = engines.engines().game().clone();
        let mut subscription = engines.subscribe(PlayoutPolicy::Uniform);
        let playouts = engines.subscribe(PlayoutPolicy::Decisive);
        let engine = subscription.current();
        LanesEvaluator {
            is_slow: is_slow(&game, &engine),
            batch: Batch::new(game, engine),
            playouts: Playouts::subscribed(playouts, max_steps, seed),
            subscription: Some(subscription),
            max_steps,
            seed,
            serial: None,
            hurries: false,
        }
    }

    /// Returns the batch, on the best engine available by now.
    fn batch(&mut self) -> &mut Batch {
        let polled = self.subscription.as_mut();
        if let Some(engine) = polled.and_then(EngineSubscription::poll) {
            self.is_slow = is_slow(self.batch.game(), &engine);
            self.batch.switch(engine);
        }
        &mut self.batch
    }

    /// Returns serial playouts, which play matches one after the other.
    fn serial(&self) -> Option<Box<SerialPlayouts>> {
        let programs = self.subscription.as_ref()?.programs();
        let machine = Box::new(ScalarMachine::unoptimised(programs));
        // Matches in lanes have the seed itself.
        let rng = rng::streams(!self.seed).next()?;
        Some(Box::new(SerialPlayouts::new(machine, self.max_steps, rng)))
    }

    fn game(&self) -> &GroundGame {
        self.batch.game()
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
        self.batch();
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
        self.game().cost().step / self.batch.lanes() as f64
    }

    fn legal_moves(&mut self, state: &State) -> Result<Vec<Vec<Move>>, MachineError> {
        Ok(self.batch().legal_moves(state))
    }

    fn next_state(&mut self, state: &State, joint: &[Move]) -> Result<State, MachineError> {
        let mut next = State::new();
        let batch = self.batch();
        batch.fill(state, 1);
        batch.play(joint);
        batch.advance(batch.filled());
        next.assign(batch.states());
        Ok(next)
    }

    fn skip_forced_moves(&mut self, state: &State, depth: u32) -> Result<Successor, MachineError> {
        let max_steps = self.max_steps;
        let batch = self.batch();
        batch.fill(state, 1);
        let mut found = Successors::default();
        skip_forced_moves(batch, vec![depth], max_steps, None, &mut found);
        Ok(found.all().each().next().expect("one state was entered"))
    }

    fn legal_moves_of(&mut self, states: &[(&State, u32)]) -> Result<LegalMoves, MachineError> {
        let batch = self.batch();
        let roles = batch.game().roles().len();
        let mut legal = LegalMoves::new(roles);
        let mut found = Vec::new();
        for states in states.chunks(batch.lanes()) {
            batch.enter(states.iter().map(|(state, _)| *state));
            let moves = batch.count_legal() as usize;
            let fitting = (states.len() * MAX_MOVES / moves.max(1)).max(1);
            let fitting = fitting.min(states.len());
            if fitting < states.len() {
                batch.enter(states[..fitting].iter().map(|(state, _)| *state));
            }
            found.clear();
            for role in RoleId::first(roles) {
                batch.for_each_legal(role, |lane, played| found.push((lane, role, played)));
            }
            legal.sort(fitting, &found);
            if fitting < states.len() || legal.moves() >= MAX_MOVES / 2 {
                break;
            }
        }
        Ok(legal)
    }

    fn follow_all(
        &mut self,
        parents: &[(&State, u32)],
        joints: &[Move],
        stop: &Stop,
    ) -> Result<Successors, MachineError> {
        let max_steps = self.max_steps;
        let roles = joints.len().checked_div(parents.len()).unwrap_or(1);
        let batch = self.batch();
        let lanes = batch.lanes();
        let mut found = Successors::with_room(parents.len(), batch.state_words());
        let joints = joints.chunks(lanes * roles);
        for (parents, joints) in parents.chunks(lanes).zip(joints) {
            if stop.is_set() {
                break;
            }
            batch.enter(parents.iter().map(|(state, _)| *state));
            batch.play(joints);
            batch.advance(batch.filled());
            let depths = parents.iter().map(|(_, depth)| depth + 1).collect();
            skip_forced_moves(batch, depths, max_steps, Some(stop), &mut found);
        }
        Ok(found)
    }
}

/// Whether the engine interprets so large a circuit that a step takes long.
fn is_slow(game: &GroundGame, engine: &ValidEngine) -> bool {
    engine.is_interpreted() && game.lowered().gates() >= SLOW_GATES
}

/// Plays forced moves in all lanes where there are no others, and adds the resulting states, unless a stop
/// comes before. The states come after `depths` joint moves.
fn skip_forced_moves(
    batch: &mut Batch,
    mut depths: Vec<u32>,
    max_steps: u32,
    stop: Option<&Stop>,
    found: &mut Successors,
) {
    let filled = batch.filled();
    let roles = RoleId::first(batch.game().roles().len());
    // Those that have a choice: of each role, and some role; and those without a move.
    let mut choosing = vec![LaneMask::default(); roles.clone().count()];
    let (terminal, choice, stuck) = loop {
        let terminal = batch.terminal();
        let (mut choice, mut able) = (LaneMask::default(), filled);
        for role in roles.clone() {
            let (some, several) = batch.choices(role);
            choosing[role.index()] = several;
            choice = choice.or(several);
            able = able.and(some);
        }
        let stuck = filled.and_not(able);
        let mut forced = filled.and_not(terminal.or(choice).or(stuck));
        for lane in forced.lanes() {
            match depths[lane] < max_steps {
                true => depths[lane] += 1,
                false => forced.remove(lane),
            }
        }
        if forced.is_empty() {
            break (terminal, choice, stuck);
        }
        if stop.is_some_and(Stop::is_set) {
            return;
        }
        batch.advance_forced(forced);
    };
    let mut infos = Vec::with_capacity(depths.len());
    for (lane, depth) in depths.into_iter().enumerate() {
        let mut deciders = (roles.clone()).filter(|role| choosing[role.index()].contains(lane));
        let turn = if terminal.contains(lane) {
            let goals = roles.clone().map(|role| batch.goal(role, lane));
            Turn::Over(goals.map(|goal| goal.map(|goal| goal as f32)).collect())
        } else if stuck.contains(lane) {
            Turn::Stuck
        } else if !choice.contains(lane) {
            Turn::Cut
        } else {
            match (deciders.next(), deciders.next()) {
                (Some(role), None) => Turn::One(role),
                _ => Turn::Several,
            }
        };
        infos.push(NodeInfo { depth, turn });
    }
    found.extend_with(|states| batch.add_states(states), infos);
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
