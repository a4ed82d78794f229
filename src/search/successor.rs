//! The states that decisions lead to.
//!
//! Where no role has a choice, the only moves there are are played at once, until some role
//! has, or the match is over. So noops and forced moves are no part of a search.

use std::sync::Arc;

use crate::game::Game;
use crate::machine::batch::Batch;
use crate::machine::{
    Backend, GroundGame, MachineError, Move, RoleId, Row, State, StateMachine, Tiers,
};
use crate::playout::{self, Player, Playouts, SerialPlayouts};
use crate::rng::GameRng;

/// Who decides in a state.
#[derive(Clone, PartialEq, Debug)]
pub enum Turn {
    /// Nobody: the match is over. Each role has this goal; where that is undefined, or the
    /// match ended otherwise than in a terminal state, it is 0.
    Over(Box<[f64]>),
    /// One role, which has several moves; the others have one each.
    One(RoleId),
    /// Several roles have several moves each, and choose without seeing each other's choice.
    Several,
}

/// A state that a decision leads to.
#[derive(Clone, PartialEq, Debug)]
pub struct Successor {
    /// The state.
    pub state: State,
    /// How many joint moves were made since the start of the match.
    pub depth: u32,
    /// Who decides in it.
    pub turn: Turn,
}

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
}

impl Evaluator {
    /// An evaluator with a backend. Matches have at most so many joint moves.
    ///
    /// # Errors
    /// When there is no such machine.
    pub fn new(
        game: &Game,
        backend: Backend,
        max_steps: u32,
        mut rng: GameRng,
    ) -> Result<Evaluator, MachineError> {
        let form = match (backend, game.ground_game()) {
            (Backend::Compiled, Some(ground)) => {
                let seed = rand::Rng::next_u64(&mut rng);
                let tiers = ground.tiers().clone();
                Form::Lanes(Box::new(InLanes {
                    batch: Batch::new(ground.clone(), tiers.engine().clone()),
                    playouts: Playouts::with_tiers(ground.clone(), max_steps, seed),
                    tiers: Some(tiers),
                }))
            }
            (Backend::Lanes, Some(ground)) => {
                let seed = rand::Rng::next_u64(&mut rng);
                let engine = playout::interpreter(ground);
                Form::Lanes(Box::new(InLanes {
                    batch: Batch::new(ground.clone(), engine.clone()),
                    playouts: Playouts::new(ground.clone(), engine, max_steps, seed),
                    tiers: None,
                }))
            }
            _ => Form::Serial(Box::new(SerialPlayouts::new(
                game.machine(backend)?,
                max_steps,
                rng,
            ))),
        };
        Ok(Evaluator { form, max_steps })
    }

    /// What plays random matches.
    pub fn player(&mut self) -> &mut dyn Player {
        match &mut self.form {
            Form::Lanes(lanes) => &mut lanes.playouts,
            Form::Serial(playouts) => &mut **playouts,
        }
    }

    /// The state in which every match starts.
    pub fn initial_state(&mut self) -> Result<State, MachineError> {
        self.player().initial_state()
    }

    /// The legal moves of each role.
    pub fn legal_moves(&mut self, state: &State) -> Result<Vec<Vec<Move>>, MachineError> {
        match &mut self.form {
            Form::Lanes(lanes) => Ok(lanes.batch.legal_moves(state)),
            Form::Serial(playouts) => legal_moves(playouts.machine(), state),
        }
    }

    /// The first state from this one on in which somebody decides.
    pub fn settle(&mut self, state: &State, depth: u32) -> Result<Successor, MachineError> {
        match &mut self.form {
            Form::Lanes(lanes) => {
                let batch = &mut lanes.batch;
                batch.fill(state, 1);
                let settled = settle_lanes(batch, depth, self.max_steps);
                Ok(settled.into_iter().next().expect("one state was entered"))
            }
            Form::Serial(playouts) => {
                settle(playouts.machine(), state.clone(), depth, self.max_steps)
            }
        }
    }

    /// Where each of several joint moves leads to. They are given one after the other, each
    /// in the order of the roles, and are legal.
    pub fn successors(
        &mut self,
        state: &State,
        depth: u32,
        joints: &[Move],
    ) -> Result<Vec<Successor>, MachineError> {
        let (depth, max_steps) = (depth + 1, self.max_steps);
        match &mut self.form {
            Form::Lanes(lanes) => {
                let InLanes { batch, tiers, .. } = &mut **lanes;
                if let Some(engine) = tiers.as_ref().and_then(|tiers| tiers.best()) {
                    batch.switch(engine.clone());
                    *tiers = None;
                }
                let roles = batch.game().roles().len();
                let mut found = Vec::with_capacity(joints.len() / roles);
                for joints in joints.chunks(roles * batch.lanes()) {
                    batch.fill(state, joints.len() / roles);
                    batch.play(joints);
                    batch.advance(batch.filled());
                    found.extend(settle_lanes(batch, depth, max_steps));
                }
                Ok(found)
            }
            Form::Serial(playouts) => {
                let machine = playouts.machine();
                let joints = joints.chunks(machine.roles().len());
                joints
                    .map(|joint| {
                        let mut next = State::new();
                        machine.next_state_unchecked(state, joint, &mut next)?;
                        settle(machine, next, depth, max_steps)
                    })
                    .collect()
            }
        }
    }

    /// The lowest and the highest goal of each role, those that count for undefined
    /// ones included.
    pub fn goal_ranges(&mut self) -> Vec<(f64, f64)> {
        match &mut self.form {
            Form::Lanes(lanes) => ground_ranges(lanes.batch.game()),
            // Single states may be ground too, but the usual goals are as good.
            Form::Serial(playouts) => vec![(0.0, 100.0); playouts.machine().roles().len()],
        }
    }
}

fn ground_ranges(game: &GroundGame) -> Vec<(f64, f64)> {
    let roles = game.propnet().roles.iter();
    roles
        .map(|role| {
            let values = role.goals.iter().map(|goal| f64::from(goal.value));
            values.fold((0.0, 0.0), |(low, high), value| {
                (value.min(low), value.max(high))
            })
        })
        .collect()
}

/// Plays forced moves in all lanes where there are no others, and says what comes of it.
fn settle_lanes(batch: &mut Batch, depth: u32, max_steps: u32) -> Vec<Successor> {
    let filled = batch.filled();
    let roles = RoleId::first(batch.game().roles().len());
    let mut depths = vec![depth; filled.count() as usize];
    // Those that have a choice: of each role, and some role; and those without a move.
    let mut choosing = vec![Row::default(); roles.clone().count()];
    let (terminal, choice, stuck) = loop {
        let terminal = batch.terminal();
        let (mut choice, mut able) = (Row::default(), filled);
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
    let goals = terminal.lanes().map(|lane| {
        let goals = roles.clone().map(|role| batch.goal(role, lane));
        goals.map(|goal| f64::from(goal.unwrap_or(0))).collect()
    });
    let goals: Vec<Box<[f64]>> = goals.collect();
    let mut goals = goals.into_iter();
    let nothing = || vec![0.0; choosing.len()].into_boxed_slice();
    let words = batch.state_words();
    let states = batch.states().chunks_exact(words).enumerate();
    let successors = states.map(|(lane, words)| {
        let mut deciders = (roles.clone()).filter(|role| choosing[role.index()].contains(lane));
        let turn = if terminal.contains(lane) {
            Turn::Over(goals.next().expect("each terminal lane has goals"))
        } else if stuck.contains(lane) || !choice.contains(lane) {
            Turn::Over(nothing())
        } else {
            match (deciders.next(), deciders.next()) {
                (Some(role), None) => Turn::One(role),
                _ => Turn::Several,
            }
        };
        let mut state = State::new();
        state.assign(words);
        Successor {
            state,
            depth: depths[lane],
            turn,
        }
    });
    successors.collect()
}

/// As [`settle_lanes`], of one state.
fn settle(
    machine: &mut dyn StateMachine,
    mut state: State,
    mut depth: u32,
    max_steps: u32,
) -> Result<Successor, MachineError> {
    let roles = machine.roles().len();
    let turn = loop {
        if machine.is_terminal(&state)? {
            let goals = RoleId::first(roles).map(|role| match machine.goal(&state, role) {
                Ok(goal) => Ok(f64::from(goal)),
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
    Ok(Successor { state, depth, turn })
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
