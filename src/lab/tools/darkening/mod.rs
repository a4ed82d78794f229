//! Measurement of darkening, move by move of a match.
//!
//! Darkening is specialisation (partial evaluation) for the root: see [`darkening`](crate::game::circuits::darkening).

pub mod plot;

use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit_jit::lanes::Width;
use propjit_stop::Stop;
use rand::RngExt;
use serde::Serialize;

use crate::game::circuits::darkening::Specialisation;
use crate::game::circuits::darkening::ternary::{Fixpoint, TernaryCircuit};
use crate::game::engine::darkening::{Darkened, PlayoutForm};
use crate::game::engine::{MatchEngines, ValidEngine};
use crate::game::ground::GroundGame;
use crate::game::machine::{MachineError, Move, State, StateMachine};
use crate::game::playout::{MatchSteps, PlayoutProgress, PlayoutRunner, Playouts, RunLimits};
use crate::support::rng::GameRng;
use crate::support::setters::setters;

/// How to measure.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DarkeningConfig {
    /// For how long playouts run for each move of the match, with both engines together.
    pub time: Duration,
    /// The [seed](crate::support::rng) of the random numbers of playouts.
    pub seed: u64,
    /// How many joint moves a playout may have.
    pub max_steps: u32,
}

impl Default for DarkeningConfig {
    /// Half a second for each move, the seed 0, playouts of at most 10,000 joint moves.
    fn default() -> DarkeningConfig {
        DarkeningConfig {
            time: Duration::from_millis(500),
            seed: 0,
            max_steps: 10_000,
        }
    }
}

impl DarkeningConfig {
    setters! {
        with_time(time: Duration);
        with_seed(seed: u64);
        with_max_steps(max_steps: u32);
    }
}

/// The length of a turn, unless the matches that were started in it take longer. The two engines
/// take turns, so that other work on the machine disturbs one as much as the other.
const TURN: Duration = Duration::from_millis(5);

/// The time that passes may take in all.
const PASSES: Duration = Duration::from_secs(1);

/// The figures for one state of a match.
#[derive(Clone, Debug, Serialize)]
pub struct DarkeningRow {
    /// The number of joint moves before.
    pub depth: usize,
    /// The number of dark base propositions.
    pub dark_bases: usize,
    /// The number of dark moves.
    pub dark_moves: usize,
    /// The number of gates that are left.
    pub gates: usize,
    /// The time of the analysis.
    pub analysis_seconds: f64,
    /// The time of passes and machine code.
    pub compile_seconds: f64,
    /// Playouts a second from the state, with the whole circuit's code.
    pub whole_rollouts_per_second: f64,
    /// The same with the code for the rest of the match.
    pub dark_rollouts_per_second: f64,
    /// The ratio of both.
    pub speedup: f64,
}

/// The results for a match.
#[derive(Clone, Debug, Serialize)]
pub struct DarkeningTable {
    /// The number of base propositions.
    pub bases: usize,
    /// The number of moves of all roles together.
    pub moves: usize,
    /// The number of gates of the whole circuit.
    pub gates: usize,
    /// The passes over it that were cut off by their time limit, so that it has more gates than necessary.
    pub cut_passes: Vec<&'static str>,
    /// The number of playouts at a time.
    pub lanes: usize,
    /// What plays, and is specialised: `plain` or `decisive` code for states, or `steps` or `decisive steps` if moves are
    /// chosen in the circuit.
    pub form: &'static str,
    /// A row for each state that is not terminal.
    pub rows: Vec<DarkeningRow>,
    /// Whether a stop came before all states were measured.
    pub interrupted: bool,
}

impl DarkeningTable {
    /// The share of the whole circuit's gates that is gone.
    pub fn dark_share(&self, row: &DarkeningRow) -> f64 {
        1.0 - row.gates as f64 / self.gates.max(1) as f64
    }

    /// The row halfway through the match, if there are any.
    pub fn halfway(&self) -> Option<&DarkeningRow> {
        self.rows.get(self.rows.len() / 2)
    }
}

/// Measures at each of the states, which are successive states of a match, and calls `now` before
/// each with the number of those before.
///
/// # Errors
/// When there is no machine code.
pub fn measure(
    engines: &MatchEngines,
    states: &[State],
    config: &DarkeningConfig,
    stop: &Stop,
    mut now: impl FnMut(usize),
) -> Result<DarkeningTable, MachineError> {
    let game = engines.engines().game();
    // It says why there is none.
    engines.engines().programs().playout_code()?;
    let form = match engines.darkening() {
        Some(darkening) => darkening.form(),
        None => PlayoutForm::plain(engines.engines()),
    };
    let optimised = game.min_gates();
    let cut = optimised.passes.iter().filter(|pass| pass.is_cut);
    let circuit = form.circuit();
    let bounds = TernaryCircuit::new(game, &optimised.circuit);
    let mut fixpoint = Fixpoint::new(game.clone(), &bounds, Width::X64);
    let layout = game.layout();
    let mut table = DarkeningTable {
        bases: layout.bases.len(),
        moves: layout.inputs() - layout.bases.len(),
        gates: circuit.gates(),
        cut_passes: cut.map(|pass| pass.name).collect(),
        lanes: form.lanes(),
        form: form.name(),
        rows: Vec::new(),
        interrupted: false,
    };
    for (depth, root) in states.iter().enumerate() {
        now(depth);
        let specialisation = Specialisation::new(circuit, &mut fixpoint, root);
        let (dark_bases, dark_moves) = (
            specialisation.dark_bases(game),
            specialisation.dark_moves(game),
        );
        let compiled = Darkened::compile(&specialisation, &form, PASSES);
        let darkened = match compiled {
            Ok(darkened) => darkened,
            Err(_) if stop.is_set() => {
                table.interrupted = true;
                break;
            }
            Err(error) => return Err(MachineError::Compile(error.into())),
        };
        let engines = [form.engine(), &darkened.engine];
        let Some([whole, dark]) = race(game, engines, root, config, stop)? else {
            table.interrupted = true;
            break;
        };
        table.rows.push(DarkeningRow {
            depth,
            dark_bases,
            dark_moves,
            gates: darkened.gates,
            analysis_seconds: darkened.analysis.as_secs_f64(),
            compile_seconds: darkened.making.as_secs_f64(),
            whole_rollouts_per_second: whole,
            dark_rollouts_per_second: dark,
            speedup: dark / whole,
        });
    }
    Ok(table)
}

/// Returns the playouts a second from a state with each engine: in the turn in which it was least
/// disturbed. None if a stop came.
fn race(
    game: &Arc<GroundGame>,
    engines: [&ValidEngine; 2],
    root: &State,
    config: &DarkeningConfig,
    stop: &Stop,
) -> Result<Option<[f64; 2]>, MachineError> {
    let mut runners = engines
        .map(|engine| Playouts::new(game.clone(), engine.clone(), config.max_steps, config.seed));
    let mut best = [0.0; 2];
    let progress = PlayoutProgress::default();
    let start = Instant::now();
    // The first turns warm up the caches.
    for turn in 0.. {
        if turn > 1 && start.elapsed() >= config.time {
            break;
        }
        for (runner, best) in runners.iter_mut().zip(&mut best) {
            let id = runner.queue_mut().add_going(root, None);
            let start = Instant::now();
            runner.play(
                &RunLimits::default()
                    .with_deadline(start.checked_add(TURN))
                    .with_enough(1)
                    .with_stop(stop.clone())
                    .with_progress(progress.clone()),
            )?;
            if stop.is_set() {
                return Ok(None);
            }
            let rollouts = runner.queue().tally(id).rollouts();
            *best = f64::max(*best, rollouts as f64 / start.elapsed().as_secs_f64());
            runner.clear();
        }
    }
    Ok(Some(best))
}

/// Returns the states of a random match from a state on, at most `most` of them, without the one in
/// which it ends.
///
/// # Errors
/// When the machine fails.
pub fn random_match(
    machine: &mut dyn StateMachine,
    from: &State,
    most: usize,
    rng: &mut GameRng,
) -> Result<Vec<State>, MachineError> {
    let mut steps = MatchSteps::new(machine.roles().len(), most);
    steps.start(from);
    let mut states = Vec::new();
    let mut pick = |legal: &[Move]| legal[rng.random_range(0..legal.len())];
    while steps.choose(machine, &mut pick)?.is_none() {
        states.push(steps.state().clone());
        steps.advance(machine)?;
    }
    Ok(states)
}
