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
use crate::playout::{self, Player, SerialPlayouts};
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

/// What a decision leads to, but for the state itself.
#[derive(Clone, PartialEq, Debug)]
pub struct Arrival {
    /// How many joint moves were made since the start of the match.
    pub depth: u32,
    /// Who decides then.
    pub turn: Turn,
}

/// A state that a decision leads to.
#[derive(Clone, PartialEq, Debug)]
pub struct Successor {
    /// The state.
    pub state: State,
    /// What else there is to say.
    pub arrival: Arrival,
}

/// Many [`Successor`]s, with their states packed.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Successors {
    /// The states, of equal length each, one after the other.
    pub states: Vec<u64>,
    /// One for each state.
    pub arrivals: Vec<Arrival>,
}

impl Successors {
    /// One after the other.
    pub fn into_each(self) -> impl Iterator<Item = Successor> {
        let Successors { states, arrivals } = self;
        let count = arrivals.len();
        let arrivals = arrivals.into_iter().enumerate();
        arrivals.map(move |(at, arrival)| Successor {
            state: unpack(&states, count, at),
            arrival,
        })
    }
}

/// One of so many states that are packed one after the other.
pub fn unpack(states: &[u64], count: usize, at: usize) -> State {
    let words = states.len() / count;
    let mut state = State::new();
    state.assign(&states[at * words..][..words]);
    state
}

/// What may be done in a state, and where it leads to.
#[derive(Clone, PartialEq, Debug)]
pub struct Expansion {
    /// The legal moves of each role.
    pub legal: Vec<Vec<Move>>,
    /// What each move leads to of the role that decides; nothing if several decide.
    pub successors: Successors,
}

/// A joint move in a state.
#[derive(Clone, Copy, Debug)]
pub struct Leap<'a> {
    /// The state.
    pub state: &'a State,
    /// How many joint moves were made before it.
    pub depth: u32,
    /// A legal move for each role.
    pub joint: &'a [Move],
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

/// A joint move for each move of the role that decides alone; nothing if several do.
fn decisions(legal: &[Vec<Move>]) -> Vec<Move> {
    let mut deciders = legal.iter().filter(|moves| moves.len() > 1);
    let (Some(moves), None) = (deciders.next(), deciders.next()) else {
        return Vec::new();
    };
    let joint = |place: usize| {
        let moves = legal.iter();
        moves.map(move |moves| moves[place.min(moves.len() - 1)])
    };
    (0..moves.len()).flat_map(joint).collect()
}

struct InLanes {
    batch: Batch,
    playouts: Box<dyn Player>,
    /// Where a better engine will come from, if one is still to come.
    tiers: Option<Arc<Tiers>>,
}

impl InLanes {
    /// The batch, on the best engine that there is by now.
    fn batch(&mut self) -> &mut Batch {
        if let Some(engine) = self.tiers.as_ref().and_then(|tiers| tiers.best()) {
            self.batch.switch(engine.clone());
            self.tiers = None;
        }
        &mut self.batch
    }
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
        rng: GameRng,
    ) -> Result<Evaluator, MachineError> {
        let form = match (backend, game.ground_game()) {
            (Backend::Lanes | Backend::Compiled, Some(ground)) => {
                let tiers = (backend == Backend::Compiled).then(|| ground.tiers().clone());
                let engine = match &tiers {
                    Some(tiers) => tiers.engine().clone(),
                    None => playout::interpreter(ground),
                };
                Form::Lanes(Box::new(InLanes {
                    batch: Batch::new(ground.clone(), engine),
                    playouts: playout::player(game, backend, max_steps, rng)?,
                    tiers,
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
    pub fn player(&mut self) -> &mut dyn Player {
        match &mut self.form {
            Form::Lanes(lanes) => &mut *lanes.playouts,
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
        self.player().initial_state()
    }

    /// The legal moves of each role.
    pub fn legal_moves(&mut self, state: &State) -> Result<Vec<Vec<Move>>, MachineError> {
        match &mut self.form {
            Form::Lanes(lanes) => Ok(lanes.batch().legal_moves(state)),
            Form::Serial(playouts) => legal_moves(playouts.machine(), state),
        }
    }

    /// The first state from this one on in which somebody decides.
    pub fn settle(&mut self, state: &State, depth: u32) -> Result<Successor, MachineError> {
        let max_steps = self.max_steps;
        match &mut self.form {
            Form::Lanes(lanes) => {
                let batch = lanes.batch();
                batch.fill(state, 1);
                let mut found = Successors::default();
                settle_lanes(batch, vec![depth], max_steps, &mut found);
                Ok(found.into_each().next().expect("one state was entered"))
            }
            Form::Serial(playouts) => settle(playouts.machine(), state.clone(), depth, max_steps),
        }
    }

    /// What may be done in each of several states, of which each comes after so many joint
    /// moves.
    pub fn expand(&mut self, states: &[(&State, u32)]) -> Result<Vec<Expansion>, MachineError> {
        let legal = self.legal_moves_of(states)?;
        let joints: Vec<Vec<Move>> = legal.iter().map(|legal| decisions(legal)).collect();
        let roles = legal.first().map_or(1, Vec::len);
        let leaps = states
            .iter()
            .zip(&joints)
            .flat_map(|(&(state, depth), joints)| {
                let leap = move |joint| Leap {
                    state,
                    depth,
                    joint,
                };
                joints.chunks(roles).map(leap)
            });
        let leaps: Vec<Leap<'_>> = leaps.collect();
        let found = self.follow(&leaps)?;
        let words = found.states.len().checked_div(leaps.len()).unwrap_or(0);
        let mut arrivals = found.arrivals.into_iter();
        let mut states = &found.states[..];
        let expansions = legal.into_iter().zip(&joints).map(|(legal, joints)| {
            let count = joints.len() / roles;
            let (first, rest) = states.split_at(count * words);
            states = rest;
            let successors = Successors {
                states: first.to_vec(),
                arrivals: arrivals.by_ref().take(count).collect(),
            };
            Expansion { legal, successors }
        });
        Ok(expansions.collect())
    }

    /// The legal moves of each role, in each of the states.
    fn legal_moves_of(
        &mut self,
        states: &[(&State, u32)],
    ) -> Result<Vec<Vec<Vec<Move>>>, MachineError> {
        let batch = match &mut self.form {
            Form::Lanes(lanes) => lanes.batch(),
            Form::Serial(playouts) => {
                let machine = playouts.machine();
                let states = states.iter();
                return states
                    .map(|(state, _)| legal_moves(machine, state))
                    .collect();
            }
        };
        let roles = batch.game().roles().len();
        let mut legal = vec![vec![Vec::new(); roles]; states.len()];
        let lanes = batch.lanes();
        for (states, legal) in states.chunks(lanes).zip(legal.chunks_mut(lanes)) {
            batch.enter(states.iter().map(|(state, _)| *state));
            for role in RoleId::first(roles) {
                batch.for_each_legal(role, |lane, played| legal[lane][role.index()].push(played));
            }
        }
        Ok(legal)
    }

    /// Where each of several joint moves leads to.
    pub fn follow(&mut self, leaps: &[Leap<'_>]) -> Result<Successors, MachineError> {
        let max_steps = self.max_steps;
        let mut found = Successors::default();
        match &mut self.form {
            Form::Lanes(lanes) => {
                let batch = lanes.batch();
                let mut joints = Vec::new();
                for leaps in leaps.chunks(batch.lanes()) {
                    joints.clear();
                    joints.extend(leaps.iter().flat_map(|leap| leap.joint));
                    batch.enter(leaps.iter().map(|leap| leap.state));
                    batch.play(&joints);
                    batch.advance(batch.filled());
                    let depths = leaps.iter().map(|leap| leap.depth + 1).collect();
                    settle_lanes(batch, depths, max_steps, &mut found);
                }
            }
            Form::Serial(playouts) => {
                let machine = playouts.machine();
                let mut settled = Vec::new();
                for leap in leaps {
                    let mut next = State::new();
                    machine.next_state_unchecked(leap.state, leap.joint, &mut next)?;
                    settled.push(settle(machine, next, leap.depth + 1, max_steps)?);
                }
                let states = settled.iter().map(|found| found.state.words().len());
                let words = states.max().unwrap_or(0);
                for successor in settled {
                    found.states.extend_from_slice(successor.state.words());
                    found.arrivals.push(successor.arrival);
                    found.states.resize(found.arrivals.len() * words, 0);
                }
            }
        }
        Ok(found)
    }

    /// What a step of a playout costs, in gates evaluated for all lanes: see
    /// [`Cost`](crate::machine::Cost).
    pub fn step_cost(&mut self) -> f64 {
        match &mut self.form {
            Form::Lanes(lanes) => lanes.batch.game().cost().step / lanes.batch.lanes() as f64,
            // What is evaluated alone costs as much as if it had a circuit of its own.
            Form::Serial(_) => f64::INFINITY,
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

/// Plays forced moves in all lanes where there are no others, and adds what comes of it.
fn settle_lanes(batch: &mut Batch, mut depths: Vec<u32>, max_steps: u32, found: &mut Successors) {
    let filled = batch.filled();
    let roles = RoleId::first(batch.game().roles().len());
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
    let nothing = || vec![0.0; choosing.len()].into_boxed_slice();
    for (lane, depth) in depths.into_iter().enumerate() {
        let mut deciders = (roles.clone()).filter(|role| choosing[role.index()].contains(lane));
        let turn = if terminal.contains(lane) {
            let goals = roles.clone().map(|role| batch.goal(role, lane));
            Turn::Over(goals.map(|goal| f64::from(goal.unwrap_or(0))).collect())
        } else if stuck.contains(lane) || !choice.contains(lane) {
            Turn::Over(nothing())
        } else {
            match (deciders.next(), deciders.next()) {
                (Some(role), None) => Turn::One(role),
                _ => Turn::Several,
            }
        };
        found.arrivals.push(Arrival { depth, turn });
    }
    found.states.extend_from_slice(batch.states());
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
    let arrival = Arrival { depth, turn };
    Ok(Successor { state, arrival })
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
