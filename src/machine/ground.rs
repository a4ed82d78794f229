//! What the machines of a ground game share: the names of its propositions and
//! moves, and its circuit, made fit for each backend when that is first wanted.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use propjit_gdl::propnet::Propnet;
use propjit_gdl::term::TermId;
use propjit_jit::circuit::{Circuit, OutputId};
use propjit_jit::lanes::{LaneProgram, Width};
use propjit_jit::passes::{self, PassReport};
use propjit_jit::scalar::ScalarInterpreter;
use rustc_hash::FxHashMap;

use super::lower::{Layout, lower};
use super::text::find_term;
use super::{MachineError, Move, RoleId, State};

/// A game as propositional network and circuit. Machines of all threads share it.
pub struct GroundGame {
    propnet: Propnet,
    layout: Layout,
    circuit: Circuit,
    /// Gates of the circuit before any pass.
    lowered_gates: usize,
    passes: Vec<PassReport>,
    optimisation: Duration,
    roles: Vec<String>,
    initial: State,
    /// The numbers of the base propositions, when first looked up by name.
    base_numbers: OnceLock<FxHashMap<TermId, u32>>,
    /// The numbers of the moves of each role, when first looked up by name.
    move_numbers: OnceLock<Vec<FxHashMap<TermId, u32>>>,
    scalar: OnceLock<ScalarInterpreter>,
    lanes: OnceLock<Arc<LaneProgram>>,
}

/// The sections of [`GroundGame::lane_program`], to be evaluated in this order.
/// The goals come last because they are wanted least often.
pub mod section {
    /// Legal moves and terminal.
    pub const STATE: usize = 0;
    /// The next state.
    pub const NEXT: usize = 1;
    /// The goals of the state (not of the next).
    pub const GOALS: usize = 2;
}

impl GroundGame {
    /// Lowers the network to a circuit and optimises that.
    pub fn new(propnet: Propnet) -> GroundGame {
        let start = Instant::now();
        let layout = Layout::new(&propnet);
        let lowered = lower(&propnet, &layout);
        let config = passes::Config::default();
        let (circuit, passes) = passes::optimize(&lowered, &layout.assumptions(), &config);
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
            circuit,
            lowered_gates: lowered.gates(),
            passes,
            optimisation: start.elapsed(),
            base_numbers: OnceLock::new(),
            move_numbers: OnceLock::new(),
            scalar: OnceLock::new(),
            lanes: OnceLock::new(),
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

    /// The optimised circuit.
    pub fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// How many gates the circuit had before any pass.
    pub fn lowered_gates(&self) -> usize {
        self.lowered_gates
    }

    /// What each pass did to the circuit.
    pub fn passes(&self) -> &[PassReport] {
        &self.passes
    }

    /// How long it took to make and optimise the circuit.
    pub fn optimisation(&self) -> Duration {
        self.optimisation
    }

    /// The names of the roles.
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// The state in which every match starts.
    pub fn initial(&self) -> &State {
        &self.initial
    }

    /// A scalar interpreter of the circuit.
    pub fn scalar_interpreter(&self) -> ScalarInterpreter {
        let template = self
            .scalar
            .get_or_init(|| ScalarInterpreter::new(&self.circuit));
        template.clone()
    }

    /// The circuit as a program over lanes with the [`section`]s there are.
    pub fn lane_program(&self) -> Arc<LaneProgram> {
        let make = || {
            let output = |i: usize| OutputId(i as u32);
            let legal = self.layout.legal.iter().cloned().flatten();
            let state = legal.chain([self.layout.terminal]).map(output).collect();
            let goals = self
                .layout
                .goals
                .iter()
                .cloned()
                .flatten()
                .map(output)
                .collect();
            let next = self.layout.next.clone().map(output).collect();
            Arc::new(LaneProgram::new(&self.circuit, &[state, next, goals]))
        };
        self.lanes.get_or_init(make).clone()
    }

    /// How many lanes to evaluate together.
    pub fn width(&self) -> Width {
        Width::best(&self.lane_program())
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

/// The place of each term in a list.
fn number(terms: impl Iterator<Item = TermId>) -> FxHashMap<TermId, u32> {
    terms.zip(0..).collect()
}
