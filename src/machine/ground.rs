//! What the machines of a ground game share: the names of its propositions and
//! moves, and its circuit, made fit for each backend when that is first wanted.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use propjit_gdl::propnet::Propnet;
use propjit_gdl::term::TermId;
use propjit_jit::circuit::Circuit;
use propjit_jit::code::{Code, CompileError};
use propjit_jit::lanes::{LaneProgram, Width};
use propjit_jit::passes::{PassConfig, PassReport, optimize};
use propjit_jit::scalar::ScalarInterpreter;
use rustc_hash::FxHashMap;

use super::code_options::{CodeOptions, Form};
use super::compiled::{self, playout_sections};
use super::lower::{Layout, lower};
use super::step_cost::StepCost;
use super::text::find_term;
use super::tiers::Tiers;
use super::{Backend, MachineError, Move, Phases, RoleId, State};

/// A game as propositional network and circuit. Machines of all threads share it.
pub struct GroundGame {
    propnet: Propnet,
    layout: Layout,
    /// The circuit before any pass.
    lowered: Circuit,
    min_gates: OnceLock<Optimised>,
    low_activity: OnceLock<Optimised>,
    roles: Vec<String>,
    initial: State,
    /// The numbers of the base propositions, when first looked up by name.
    base_numbers: OnceLock<FxHashMap<TermId, u32>>,
    /// The numbers of the moves of each role, when first looked up by name.
    move_numbers: OnceLock<Vec<FxHashMap<TermId, u32>>>,
    scalar: OnceLock<ScalarInterpreter>,
    plain_scalar: OnceLock<ScalarInterpreter>,
    lanes: OnceLock<Arc<LaneProgram>>,
    phases: OnceLock<Phases>,
    cost: OnceLock<StepCost>,
    code: CodeOptions,
    playout_code: OnceLock<Compiled>,
    state_code: OnceLock<Compiled>,
    tiers: OnceLock<Arc<Tiers>>,
}

type Compiled = Result<Arc<Code>, Arc<CompileError>>;

/// A circuit after the passes.
pub struct Optimised {
    /// The circuit.
    pub circuit: Circuit,
    /// What each pass did.
    pub passes: Vec<PassReport>,
    /// How long they took together.
    pub time: Duration,
}

/// The sections of [`GroundGame::lane_program`] and of code for playouts. Those of next
/// state and goals come after that of the state.
pub mod section {
    /// Legal moves and terminal.
    pub const STATE: usize = 0;
    /// The next state.
    pub const NEXT: usize = 1;
    /// The goals of the state (not of the next).
    pub const GOALS: usize = 2;
    /// Whether moves of roles are left out; in [engines](crate::decisive::DecisiveTier)
    /// for playouts with such moves only.
    pub const DECISIVE: usize = 3;
}

impl GroundGame {
    /// Lowers the network to a circuit. Machine code is made, when it is wanted, as
    /// `code` says.
    pub fn new(propnet: Propnet, code: CodeOptions) -> GroundGame {
        let layout = Layout::new(&propnet);
        let lowered = lower(&propnet, &layout);
        let initial = propnet
            .bases
            .iter()
            .enumerate()
            .filter(|(_, base)| base.initial);
        GroundGame {
            initial: initial.map(|(number, _)| number).collect(),
            roles: propnet
                .roles
                .iter()
                .map(|role| propnet.terms.text(role.name))
                .collect(),
            propnet,
            layout,
            lowered,
            min_gates: OnceLock::new(),
            low_activity: OnceLock::new(),
            base_numbers: OnceLock::new(),
            move_numbers: OnceLock::new(),
            scalar: OnceLock::new(),
            plain_scalar: OnceLock::new(),
            lanes: OnceLock::new(),
            phases: OnceLock::new(),
            cost: OnceLock::new(),
            code,
            playout_code: OnceLock::new(),
            state_code: OnceLock::new(),
            tiers: OnceLock::new(),
        }
    }

    /// The propositional network.
    pub fn propnet(&self) -> &Propnet {
        &self.propnet
    }

    /// Which inputs and outputs of the circuit are what.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The circuit before any pass.
    pub fn lowered(&self) -> &Circuit {
        &self.lowered
    }

    /// The circuit with the fewest gates, for backends that evaluate all of them.
    pub fn min_gates(&self) -> &Optimised {
        self.min_gates
            .get_or_init(|| self.optimise(PassConfig::default()))
    }

    /// The circuit in which the fewest gates change from step to step, for
    /// backends that evaluate only those.
    ///
    /// The choice pass computes "some move but those few" as "none of those
    /// few"; what was quiet then follows every move (three times as much work
    /// for the scalar interpreter on breakthrough).
    pub fn low_activity(&self) -> &Optimised {
        let config = PassConfig::default().with_choice(false);
        self.low_activity.get_or_init(|| self.optimise(config))
    }

    /// The circuit that a backend evaluates; none for the prover.
    pub fn circuit(&self, backend: Backend) -> Option<&Optimised> {
        match backend {
            Backend::Prover => None,
            Backend::Scalar => Some(self.low_activity()),
            Backend::Lanes | Backend::Compiled => Some(self.min_gates()),
        }
    }

    fn optimise(&self, config: PassConfig) -> Optimised {
        let start = Instant::now();
        let assumptions = self.layout.assumptions();
        // What stops the compiler leaves nothing to optimise for.
        let stop = self.code.config.stop.clone();
        let config = config.with_stop(stop);
        let (circuit, passes) = optimize(&self.lowered, &assumptions, &config);
        Optimised {
            circuit,
            passes,
            time: start.elapsed(),
        }
    }

    /// The names of the roles.
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// The state in which every match starts.
    pub fn initial(&self) -> &State {
        &self.initial
    }

    /// A scalar interpreter of the [`low_activity`](GroundGame::low_activity) circuit.
    pub fn scalar_interpreter(&self) -> ScalarInterpreter {
        let template = self
            .scalar
            .get_or_init(|| ScalarInterpreter::new(&self.low_activity().circuit));
        template.clone()
    }

    /// A scalar interpreter of the circuit before any pass, which is there sooner.
    pub fn plain_scalar_interpreter(&self) -> ScalarInterpreter {
        let template = self
            .plain_scalar
            .get_or_init(|| ScalarInterpreter::new(&self.lowered));
        template.clone()
    }

    /// The [`min_gates`](GroundGame::min_gates) circuit as a program over lanes with the [`section`]s there are.
    pub fn lane_program(&self) -> Arc<LaneProgram> {
        let make = || {
            let sections = playout_sections(&self.layout);
            Arc::new(LaneProgram::new(&self.min_gates().circuit, &sections))
        };
        self.lanes.get_or_init(make).clone()
    }

    /// The [`min_gates`](GroundGame::min_gates) circuit as machine code for playouts, with
    /// the [`section`]s there are.
    pub fn playout_code(&self) -> Result<Arc<Code>, MachineError> {
        let make = || {
            let compile = |config: &_| compiled::for_playouts(self, config);
            self.code.obtain(self, Form::Playouts, compile)
        };
        get_or_compile(&self.playout_code, make)
    }

    /// The [`min_gates`](GroundGame::min_gates) circuit as machine code for single questions,
    /// with the sections of [`alone`](super::compiled::alone).
    pub fn state_code(&self) -> Result<Arc<Code>, MachineError> {
        let make = || {
            let compile = |config: &_| compiled::for_states(self, config);
            self.code.obtain(self, Form::States, compile)
        };
        get_or_compile(&self.state_code, make)
    }

    /// The engine for playouts that is there at once, and the better one that is made
    /// meanwhile.
    pub fn tiers(self: &Arc<GroundGame>) -> &Arc<Tiers> {
        self.tiers.get_or_init(|| Arc::new(Tiers::start(self)))
    }

    /// The [`tiers`](GroundGame::tiers), if somebody has asked for them before.
    pub fn started_tiers(&self) -> Option<&Arc<Tiers>> {
        self.tiers.get()
    }

    /// How machine code is made.
    pub fn code_options(&self) -> &CodeOptions {
        &self.code
    }

    /// The propositions that are periodic from the initial state on, in the circuit
    /// before any pass.
    pub fn phases(&self) -> &Phases {
        let find = || Phases::find(&self.lowered, &self.layout, &self.initial);
        self.phases.get_or_init(find)
    }

    /// About what a playout costs.
    pub fn cost(&self) -> StepCost {
        let estimate = || StepCost::new(&self.lowered, &self.layout);
        *self.cost.get_or_init(estimate)
    }

    /// How many lanes the interpreter evaluates together.
    pub fn width(&self) -> Width {
        self.lane_program().best_width()
    }

    /// The canonical text of a move.
    pub fn move_text(&self, role: RoleId, played: Move) -> String {
        let played = &self.propnet.roles[role.index()].moves[played.index()];
        self.propnet.terms.text(played.name)
    }

    /// The move that `text` spells.
    pub fn parse_move(&self, role: RoleId, text: &str) -> Result<Move, MachineError> {
        let numbers = self.move_numbers.get_or_init(|| {
            let roles = self.propnet.roles.iter();
            roles
                .map(|role| number(role.moves.iter().map(|played| played.name)))
                .collect()
        });
        let found =
            find_term(&self.propnet.terms, text).and_then(|term| numbers[role.index()].get(&term));
        match found {
            Some(&number) => Ok(Move(number)),
            None => Err(MachineError::UnknownMove {
                role: self.roles[role.index()].clone(),
                text: text.to_string(),
            }),
        }
    }

    /// The canonical texts of the propositions that hold, sorted bytewise.
    pub fn fluents(&self, state: &State) -> Vec<String> {
        let terms = state.iter().map(|number| self.propnet.bases[number].name);
        let mut texts: Vec<String> = terms.map(|term| self.propnet.terms.text(term)).collect();
        texts.sort_unstable();
        texts
    }

    /// The state in which exactly these propositions hold.
    pub fn parse_state(&self, fluents: &[&str]) -> Result<State, MachineError> {
        let numbers = self
            .base_numbers
            .get_or_init(|| number(self.propnet.bases.iter().map(|base| base.name)));
        let numbers = fluents.iter().map(|text| {
            find_term(&self.propnet.terms, text)
                .and_then(|term| numbers.get(&term))
                .map(|&number| number as usize)
                .ok_or_else(|| MachineError::UnknownFluent(text.to_string()))
        });
        numbers.collect()
    }
}

fn get_or_compile(
    cell: &OnceLock<Compiled>,
    make: impl FnOnce() -> Result<Code, CompileError>,
) -> Result<Arc<Code>, MachineError> {
    let compiled = cell.get_or_init(|| make().map(Arc::new).map_err(Arc::new));
    compiled.clone().map_err(MachineError::Compile)
}

/// The place of each term in a list.
fn number(terms: impl Iterator<Item = TermId>) -> FxHashMap<TermId, u32> {
    terms.zip(0..).collect()
}
