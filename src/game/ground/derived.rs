//! Data derived from a game's circuit: the circuit after the passes, phases, costs.
//!
//! Passes begin with the circuit in which [goals count](super::goal_counts), where there is one.
//!
//! Each is computed when it is first requested, and then kept.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use propjit_jit::circuit::Circuit;
use propjit_jit::passes::{PassConfig, PassReport, optimize};
use propjit_stop::Stop;

use super::actions::Actions;
use super::goal_counts::{self, Restated};
use super::lowered_game::LoweredGame;
use super::move_marks::MoveMarks;
use super::observability;
use super::phase_constants::PhaseConstants;
use super::phases::Phases;
use super::step_cost::StepCost;

/// A circuit after the passes.
#[derive(Debug)]
pub struct Optimised {
    /// The circuit.
    pub circuit: Circuit,
    /// The effect of each pass.
    pub passes: Vec<PassReport>,
    /// How long they took together.
    pub time: Duration,
}

/// The data derived from a circuit so far.
#[derive(Debug)]
pub(super) struct Derived {
    /// Ends the passes early.
    stop: Stop,
    restated: OnceLock<Restated>,
    min_gates: OnceLock<Optimised>,
    low_activity: OnceLock<Optimised>,
    phases: OnceLock<Phases>,
    phase_constants: OnceLock<PhaseConstants>,
    move_marks: OnceLock<Option<MoveMarks>>,
    actions: OnceLock<Actions>,
    cost: OnceLock<StepCost>,
    is_observable: OnceLock<bool>,
}

impl Derived {
    /// Creates it without data. Passes end early when `stop` is set.
    pub(super) fn new(stop: Stop) -> Derived {
        Derived {
            stop,
            restated: OnceLock::new(),
            min_gates: OnceLock::new(),
            low_activity: OnceLock::new(),
            phases: OnceLock::new(),
            phase_constants: OnceLock::new(),
            move_marks: OnceLock::new(),
            actions: OnceLock::new(),
            cost: OnceLock::new(),
            is_observable: OnceLock::new(),
        }
    }

    /// Returns the circuit after all passes.
    pub(super) fn min_gates(&self, game: &LoweredGame) -> &Optimised {
        let optimise = || self.optimise(game, PassConfig::default());
        self.min_gates.get_or_init(optimise)
    }

    /// Returns the circuit after all passes but the choice pass.
    ///
    /// That pass computes "some move but those few" as "none of those few"; gates that were quiet
    /// then change with every move (three times as much work for the scalar interpreter on
    /// breakthrough).
    pub(super) fn low_activity(&self, game: &LoweredGame) -> &Optimised {
        let config = PassConfig::default().with_choice(false);
        let optimise = || self.optimise(game, config);
        self.low_activity.get_or_init(optimise)
    }

    fn optimise(&self, game: &LoweredGame, config: PassConfig) -> Optimised {
        let start = Instant::now();
        let config = config.with_stop(self.stop.clone());
        let restate = || goal_counts::restated(game, &self.stop);
        let restated = self.restated.get_or_init(restate);
        let circuit = restated.circuit.as_ref().unwrap_or(game.lowered());
        let (circuit, passes) = optimize(circuit, &game.layout().assumptions(), &config);
        let counts = restated.report.clone();
        let cut = || counts.iter().chain(&passes).filter(|pass| pass.is_cut);
        if cut().next().is_some() && !self.stop.is_set() {
            let names: Vec<&str> = cut().map(|pass| pass.name).collect();
            tracing::info!(passes = ?names, "passes reached their time limit: the circuit is larger than necessary");
        }
        Optimised {
            circuit,
            passes: counts.into_iter().chain(passes).collect(),
            time: start.elapsed(),
        }
    }

    pub(super) fn phases(&self, game: &LoweredGame) -> &Phases {
        let find = || Phases::find(game.lowered(), game.layout(), game.initial());
        self.phases.get_or_init(find)
    }

    pub(super) fn phase_constants(&self, game: &LoweredGame) -> &PhaseConstants {
        let find = || {
            let (circuit, layout) = (game.lowered(), game.layout());
            let phases = self.phases(game);
            PhaseConstants::find(circuit, layout, phases, game.initial(), &self.stop)
        };
        self.phase_constants.get_or_init(find)
    }

    pub(super) fn move_marks(&self, game: &LoweredGame) -> Option<&MoveMarks> {
        let find = || MoveMarks::find(game, self.phases(game));
        self.move_marks.get_or_init(find).as_ref()
    }

    pub(super) fn actions(&self, game: &LoweredGame) -> &Actions {
        let number = || Actions::find(game, self.phases(game));
        self.actions.get_or_init(number)
    }

    pub(super) fn is_observable(&self, game: &LoweredGame) -> bool {
        let ask = || observability::is_observable(game, &self.stop);
        *self.is_observable.get_or_init(ask)
    }

    pub(super) fn cost(&self, game: &LoweredGame) -> StepCost {
        let estimate = || StepCost::new(game.lowered(), game.layout());
        *self.cost.get_or_init(estimate)
    }
}
