//! What a search asks about a game, whatever the backend.

use std::sync::Arc;

use rand::Rng;

use super::legal::LegalMoves;
use super::successor::{Expansions, NodeInfo, Successor, Successors, Transition, Turn};
use crate::darkening::{Darkening, EngineSubscription};
use crate::game::Game;
use crate::machine::batch::Batch;
use crate::machine::{
    Backend, GroundGame, LaneMask, MachineError, Move, RoleId, State, StateMachine, Tiers,
};
use crate::playout::{self, PlayoutRunner, Playouts, SerialPlayouts};
use crate::rng::GameRng;
use propjit_stop::Stop;

/// About how many moves are looked at in one call: enough for many lanes, few enough to be held.
const MOST_MOVES: usize = 1 << 16;

/// What one thread of a search asks about a game.
///
/// States and moves are those of the machines of ground games; those of the prover are
/// known to the evaluator only that gave them.
pub struct Evaluator {
    form: Form,
    /// How many joint moves a match may have.
    max_steps: u32,
}

enum Form {
    Lanes(Box<InLanes>),
    Serial(Box<SerialPlayouts>),
}

struct InLanes {
    batch: Batch,
    playouts: Playouts,
    /// Where a better engine will come from, if one is still to come.
    tiers: Option<Arc<Tiers>>,
    /// Where better ones come from for the rest of a match.
    subscription: Option<EngineSubscription>,
}

impl InLanes {
    /// The batch, on the best engine that there is by now.
    fn batch(&mut self) -> &mut Batch {
        self.follow();
        if let Some(engine) = self.tiers.as_ref().and_then(|tiers| tiers.best()) {
            self.batch.switch(engine.clone());
            self.tiers = None;
        }
        &mut self.batch
    }

    /// Goes over to the engine for the rest of the match, if there is a new one.
    fn follow(&mut self) {
        if let Some(engine) = self
            .subscription
            .as_mut()
            .and_then(EngineSubscription::poll)
        {
            self.batch.switch(engine.clone());
            self.playouts.switch(engine);
            self.tiers = None;
        }
    }
}

impl Evaluator {
    /// An evaluator with a backend. Matches have at most so many joint moves. If the backend is
    /// compiled, it is with the engines that darkening makes, if there is any.
    ///
    /// # Errors
    /// When there is no such machine.
    pub fn new(
        game: &Game,
        backend: Backend,
        darkening: Option<&Arc<Darkening>>,
        max_steps: u32,
        mut rng: GameRng,
    ) -> Result<Evaluator, MachineError> {
        let form = match (backend, game.ground_game()) {
            (Backend::Lanes | Backend::Compiled, Some(ground)) => {
                let seed = rng.next_u64();
                let game = || ground.clone();
                Form::Lanes(Box::new(if backend == Backend::Compiled {
                    let tiers = ground.tiers().clone();
                    InLanes {
                        batch: Batch::new(game(), tiers.engine().clone()),
                        playouts: Playouts::with_tiers(game(), max_steps, seed),
                        tiers: Some(tiers),
                        subscription: darkening.map(Darkening::follow),
                    }
                } else {
                    let engine = playout::interpreter(ground);
                    InLanes {
                        batch: Batch::new(game(), engine.clone()),
                        playouts: Playouts::new(game(), engine, max_steps, seed),
                        tiers: None,
                        subscription: None,
                    }
                }))
            }
            _ => {
                let machine = game.machine(backend)?;
                let playouts = SerialPlayouts::new(machine, max_steps, rng);
                Form::Serial(Box::new(playouts))
            }
        };
        Ok(Evaluator { form, max_steps })
    }

    /// What plays random matches.
    pub fn runner(&mut self) -> &mut dyn PlayoutRunner {
        match &mut self.form {
            Form::Lanes(lanes) => {
                lanes.follow();
                &mut lanes.playouts
            }
            Form::Serial(playouts) => &mut **playouts,
        }
    }

    /// The state in which exactly these propositions hold: how states come from other
    /// machines, of any backend.
    ///
    /// # Errors
    /// [`MachineError::UnknownFluent`] if one is no proposition of the game.
    pub fn parse_state(&mut self, fluents: &[&str]) -> Result<State, MachineError> {
        match &mut self.form {
            Form::Lanes(lanes) => lanes.batch.game().parse_state(fluents),
            Form::Serial(playouts) => playouts.machine().parse_state(fluents),
        }
    }

    /// The canonical text of a move.
    pub fn move_text(&mut self, role: RoleId, played: Move) -> String {
        match &mut self.form {
            Form::Lanes(lanes) => lanes.batch.game().move_text(role, played),
            Form::Serial(playouts) => playouts.machine().move_text(role, played),
        }
    }

    /// The state in which every match starts.
    pub fn initial_state(&mut self) -> Result<State, MachineError> {
        self.runner().initial_state()
    }

    /// The legal moves of each role.
    pub fn legal_moves(&mut self, state: &State) -> Result<Vec<Vec<Move>>, MachineError> {
        match &mut self.form {
            Form::Lanes(lanes) => Ok(lanes.batch().legal_moves(state)),
            Form::Serial(playouts) => legal_moves(playouts.machine(), state),
        }
    }

    /// The state that follows from a joint move.
    pub fn next_state(&mut self, state: &State, joint: &[Move]) -> Result<State, MachineError> {
        let mut next = State::new();
        match &mut self.form {
            Form::Lanes(lanes) => {
                let batch = lanes.batch();
                batch.fill(state, 1);
                batch.play(joint);
                batch.advance(batch.filled());
                next.assign(batch.states());
            }
            Form::Serial(playouts) => {
                let machine = playouts.machine();
                machine.next_state_unchecked(state, joint, &mut next)?;
            }
        }
        Ok(next)
    }

    /// The first state from this one on in which somebody decides.
    pub fn skip_forced_moves(
        &mut self,
        state: &State,
        depth: u32,
    ) -> Result<Successor, MachineError> {
        let max_steps = self.max_steps;
        match &mut self.form {
            Form::Lanes(lanes) => {
                let batch = lanes.batch();
                batch.fill(state, 1);
                let mut found = Successors::default();
                skip_forced_in_lanes(batch, vec![depth], max_steps, &mut found);
                Ok(found.all().each().next().expect("one state was entered"))
            }
            Form::Serial(playouts) => {
                skip_forced_moves(playouts.machine(), state.clone(), depth, max_steps)
            }
        }
    }

    /// What may be done in each of several states, of which each comes after so many joint
    /// moves. States have very many moves in some games, so it is for the first few states
    /// only, but for one at least, unless a stop comes.
    pub fn expand(
        &mut self,
        states: &[(&State, u32)],
        stop: &Stop,
    ) -> Result<Expansions, MachineError> {
        let legal = self.legal_moves_of(states)?;
        let mut joints = Vec::new();
        let mut parents = Vec::new();
        let mut ends = Vec::with_capacity(legal.len());
        for (at, &parent) in states[..legal.len()].iter().enumerate() {
            legal.get(at).add_decisions(&mut joints);
            parents.resize(joints.len() / legal.roles(), parent);
            ends.push(parents.len());
        }
        let successors = self.follow_all(&parents, &joints, stop)?;
        Ok(Expansions::new(legal, successors, ends))
    }

    /// The legal moves of each role, in each of the states, or in the first few if those have
    /// very many.
    fn legal_moves_of(&mut self, states: &[(&State, u32)]) -> Result<LegalMoves, MachineError> {
        match &mut self.form {
            Form::Lanes(lanes) => {
                let batch = lanes.batch();
                let roles = batch.game().roles().len();
                let mut legal = LegalMoves::new(roles);
                let mut found = Vec::new();
                for states in states.chunks(batch.lanes()) {
                    batch.enter(states.iter().map(|(state, _)| *state));
                    let moves = batch.count_legal() as usize;
                    let fitting = (states.len() * MOST_MOVES / moves.max(1)).max(1);
                    let fitting = fitting.min(states.len());
                    if fitting < states.len() {
                        batch.enter(states[..fitting].iter().map(|(state, _)| *state));
                    }
                    found.clear();
                    for role in RoleId::first(roles) {
                        batch.for_each_legal(role, |lane, played| found.push((lane, role, played)));
                    }
                    legal.sort(fitting, &found);
                    if fitting < states.len() || legal.moves() >= MOST_MOVES / 2 {
                        break;
                    }
                }
                Ok(legal)
            }
            Form::Serial(playouts) => {
                let machine = playouts.machine();
                let roles = machine.roles().len();
                let mut legal = LegalMoves::new(roles);
                let mut moves = Vec::new();
                for (state, _) in states {
                    for role in RoleId::first(roles) {
                        machine.legal_moves(state, role, &mut moves)?;
                        legal.push(&moves);
                    }
                    if legal.moves() >= MOST_MOVES / 2 {
                        break;
                    }
                }
                Ok(legal)
            }
        }
    }

    /// Where each of several joint moves leads to; if a stop comes, where the first few do.
    pub fn follow(
        &mut self,
        transitions: &[Transition<'_>],
        stop: &Stop,
    ) -> Result<Successors, MachineError> {
        let joints: Vec<Move> = transitions
            .iter()
            .flat_map(|transition| transition.joint)
            .copied()
            .collect();
        let parents = transitions
            .iter()
            .map(|transition| (transition.state, transition.depth));
        let parents: Vec<_> = parents.collect();
        self.follow_all(&parents, &joints, stop)
    }

    /// Where joint moves lead to, which are given one after the other: one in each of these
    /// states, of which each comes after so many joint moves.
    fn follow_all(
        &mut self,
        parents: &[(&State, u32)],
        joints: &[Move],
        stop: &Stop,
    ) -> Result<Successors, MachineError> {
        let max_steps = self.max_steps;
        let roles = joints.len().checked_div(parents.len()).unwrap_or(1);
        match &mut self.form {
            Form::Lanes(lanes) => {
                let mut found = Successors::default();
                let batch = lanes.batch();
                let lanes = batch.lanes();
                let joints = joints.chunks(lanes * roles);
                for (parents, joints) in parents.chunks(lanes).zip(joints) {
                    if stop.is_set() {
                        break;
                    }
                    batch.enter(parents.iter().map(|(state, _)| *state));
                    batch.play(joints);
                    batch.advance(batch.filled());
                    let depths = parents.iter().map(|(_, depth)| depth + 1).collect();
                    skip_forced_in_lanes(batch, depths, max_steps, &mut found);
                }
                Ok(found)
            }
            Form::Serial(playouts) => {
                let machine = playouts.machine();
                let joints = joints.chunks(roles);
                let parents = parents.iter().zip(joints).take_while(|_| !stop.is_set());
                let each = parents.map(|((state, depth), joint)| {
                    let mut next = State::new();
                    machine.next_state_unchecked(state, joint, &mut next)?;
                    skip_forced_moves(machine, next, depth + 1, max_steps)
                });
                each.collect()
            }
        }
    }

    /// What a step of a playout costs, in gates evaluated for all lanes: see
    /// [`StepCost`](crate::machine::StepCost). Those that it takes to find decisive moves do not count.
    pub fn step_cost(&mut self) -> f64 {
        match &mut self.form {
            Form::Lanes(lanes) => lanes.batch.game().cost().step / lanes.batch.lanes() as f64,
            // What is evaluated alone costs as much as if it had a circuit of its own.
            Form::Serial(_) => f64::INFINITY,
        }
    }

    /// The lowest and the highest goal of each role, those that count for undefined
    /// ones included.
    pub fn goal_ranges(&mut self) -> Vec<(f32, f32)> {
        match &mut self.form {
            Form::Lanes(lanes) => ground_ranges(lanes.batch.game()),
            // Single states may be ground too, but the usual goals are as good.
            Form::Serial(playouts) => vec![(0.0, 100.0); playouts.machine().roles().len()],
        }
    }
}

fn ground_ranges(game: &GroundGame) -> Vec<(f32, f32)> {
    let roles = game.propnet().roles.iter();
    roles
        .map(|role| {
            let values = role.goals.iter().map(|goal| goal.value as f32);
            values.fold((0.0, 0.0), |(low, high), value| {
                (value.min(low), value.max(high))
            })
        })
        .collect()
}

/// Plays forced moves in all lanes where there are no others, and adds what comes of it.
fn skip_forced_in_lanes(
    batch: &mut Batch,
    mut depths: Vec<u32>,
    max_steps: u32,
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
        batch.advance_forced(forced);
    };
    let nothing = || vec![0.0; choosing.len()].into_boxed_slice();
    let mut infos = Vec::with_capacity(depths.len());
    for (lane, depth) in depths.into_iter().enumerate() {
        let mut deciders = (roles.clone()).filter(|role| choosing[role.index()].contains(lane));
        let turn = if terminal.contains(lane) {
            let goals = roles.clone().map(|role| batch.goal(role, lane));
            Turn::Over(goals.map(|goal| goal.unwrap_or(0) as f32).collect())
        } else if stuck.contains(lane) || !choice.contains(lane) {
            Turn::Over(nothing())
        } else {
            match (deciders.next(), deciders.next()) {
                (Some(role), None) => Turn::One(role),
                _ => Turn::Several,
            }
        };
        infos.push(NodeInfo { depth, turn });
    }
    found.extend(batch.states(), infos);
}

/// As [`skip_forced_in_lanes`], of one state.
fn skip_forced_moves(
    machine: &mut dyn StateMachine,
    mut state: State,
    mut depth: u32,
    max_steps: u32,
) -> Result<Successor, MachineError> {
    let roles = machine.roles().len();
    let turn = loop {
        if machine.is_terminal(&state)? {
            let goals = RoleId::first(roles).map(|role| match machine.goal(&state, role) {
                Ok(goal) => Ok(goal as f32),
                Err(MachineError::Goal { .. }) => Ok(0.0),
                Err(error) => Err(error),
            });
            break Turn::Over(goals.collect::<Result<_, _>>()?);
        }
        let legal = legal_moves(machine, &state)?;
        let mut deciders = RoleId::first(roles).filter(|role| legal[role.index()].len() > 1);
        if legal.iter().any(Vec::is_empty) {
            break Turn::Over(vec![0.0; roles].into());
        }
        match (deciders.next(), deciders.next()) {
            (Some(role), None) => break Turn::One(role),
            (Some(_), Some(_)) => break Turn::Several,
            (None, _) if depth >= max_steps => break Turn::Over(vec![0.0; roles].into()),
            (None, _) => {}
        }
        let joint: Vec<Move> = legal.iter().map(|moves| moves[0]).collect();
        let mut next = State::new();
        machine.next_state_unchecked(&state, &joint, &mut next)?;
        state = next;
        depth += 1;
    };
    let info = NodeInfo { depth, turn };
    Ok(Successor { state, info })
}

fn legal_moves(
    machine: &mut dyn StateMachine,
    state: &State,
) -> Result<Vec<Vec<Move>>, MachineError> {
    let roles = RoleId::first(machine.roles().len());
    roles
        .map(|role| {
            let mut moves = Vec::new();
            machine.legal_moves(state, role, &mut moves)?;
            Ok(moves)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Setup;
    use crate::rng;

    /// How many of five equal states are expanded where there are so many digits squared moves,
    /// and what each of them leads to.
    fn expanded(digits: usize, backend: Backend, stop: &Stop) -> Vec<usize> {
        let digits: String = (0..digits)
            .map(|digit| format!("(digit {digit})"))
            .collect();
        let rules = format!(
            "(role r) {digits} (init start)
             (<= (legal r (say ?a ?b)) (digit ?a) (digit ?b))
             (<= (next (said ?a)) (does r (say ?a ?b)))
             (<= terminal (true (said 0))) (goal r 100)"
        );
        let game = Game::from_text("digits.kif", &rules, &Setup::default()).unwrap();
        let rng = rng::streams(1).next().unwrap();
        let mut evaluator = Evaluator::new(&game, backend, None, 100, rng).unwrap();
        let state = evaluator.initial_state().unwrap();
        let found = evaluator.expand(&[(&state, 0); 5], stop).unwrap();
        let successors = |at| found.get(at).successors.infos.len();
        (0..found.len()).map(successors).collect()
    }

    #[test]
    fn states_with_very_many_moves_are_expanded_a_few_at_a_time() {
        for backend in [Backend::Scalar, Backend::Lanes] {
            assert_eq!(expanded(10, backend, &Stop::new()), [100; 5]);
            assert_eq!(expanded(150, backend, &Stop::new()), [22_500; 2]);
            let stop = Stop::new();
            stop.set();
            assert_eq!(expanded(10, backend, &stop), [0; 0]);
        }
    }
}
