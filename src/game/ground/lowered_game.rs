//! Lowered games: propositional network and circuit, without derived data.

use std::fmt;

use propjit_gdl::propnet::{Goal, Propnet};
use propjit_jit::circuit::Circuit;
use propjit_stop::Stop;

use super::layout::Layout;
use super::lower::lower;
use super::names::Names;
use crate::game::vocabulary::moves::{Move, RANDOM_ROLE, RoleId};
use crate::game::vocabulary::state::State;
use crate::game::vocabulary::terms::UnknownName;

/// A game as propositional network and circuit.
pub struct LoweredGame {
    propnet: Propnet,
    names: Names,
    layout: Layout,
    /// The circuit before any pass.
    lowered: Circuit,
    initial: State,
}

impl LoweredGame {
    /// Lowers the network to a circuit; `None` if `stop` is set before that is done.
    pub(super) fn new(propnet: Propnet, stop: &Stop) -> Option<LoweredGame> {
        let layout = Layout::new(&propnet);
        let bases = propnet.bases.iter().enumerate();
        let initial = bases.filter(|(_, base)| base.initial);
        Some(LoweredGame {
            initial: initial.map(|(number, _)| number).collect(),
            lowered: lower(&propnet, &layout, stop)?,
            names: Names::new(&propnet),
            layout,
            propnet,
        })
    }

    /// Returns the propositional network.
    pub fn propnet(&self) -> &Propnet {
        &self.propnet
    }

    /// Returns the lowest and the highest goal of each role, including 0, which undefined goals
    /// count as.
    pub fn goal_ranges(&self) -> Vec<(i32, i32)> {
        let range = |goals: &[Goal]| {
            let values = goals.iter().map(|goal| goal.value);
            values.fold((0, 0), |(low, high), value| {
                (low.min(value), high.max(value))
            })
        };
        let roles = self.propnet().roles.iter();
        roles.map(|role| range(&role.goals)).collect()
    }

    /// Returns the meaning of the circuit's inputs and outputs.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the state in which every match starts.
    pub fn initial(&self) -> &State {
        &self.initial
    }

    /// Returns the circuit before any pass.
    pub fn lowered(&self) -> &Circuit {
        &self.lowered
    }

    /// Returns the names of the roles.
    pub fn roles(&self) -> &[String] {
        self.names.roles()
    }

    /// Returns the role that plays at random, if the game has one.
    pub fn random_role(&self) -> Option<RoleId> {
        let at = self.roles().iter().position(|role| role == RANDOM_ROLE)?;
        Some(RoleId(at as u32))
    }

    /// Returns the roles that do not play at random.
    pub fn players(&self) -> impl Iterator<Item = RoleId> + use<> {
        let random = self.random_role();
        RoleId::first(self.roles().len()).filter(move |&role| Some(role) != random)
    }

    /// Returns the canonical text of a move.
    pub fn move_text(&self, role: RoleId, played: Move) -> String {
        let played = &self.propnet.roles[role.index()].moves[played.index()];
        self.propnet.terms.text(played.name)
    }

    /// Returns the canonical text of a base proposition.
    pub fn base_text(&self, base: usize) -> String {
        self.propnet.terms.text(self.propnet.bases[base].name)
    }

    /// Returns the canonical texts of the roles' moves, in a line.
    pub fn joint_text(&self, joint: &[Move]) -> String {
        let moves = (0..).map(RoleId).zip(joint);
        let texts = moves.map(|(role, &played)| self.move_text(role, played));
        texts.collect::<Vec<_>>().join(" | ")
    }

    /// Returns the move that `text` spells, with any blanks.
    ///
    /// # Errors
    /// [`UnknownName::Move`] if it spells none.
    pub fn parse_move(&self, role: RoleId, text: &str) -> Result<Move, UnknownName> {
        self.names.find_move(&self.propnet, role, text)
    }

    /// Returns the number of the [percept](propjit_gdl::propnet::Role::percepts) of a role that `text` spells, with any blanks.
    ///
    /// # Errors
    /// [`UnknownName::Percept`] if the role can never perceive that.
    pub fn find_percept(&self, role: RoleId, text: &str) -> Result<usize, UnknownName> {
        self.names.find_percept(&self.propnet, role, text)
    }

    /// Returns the canonical texts of the propositions that hold, sorted bytewise.
    pub fn fluents(&self, state: &State) -> Vec<String> {
        let mut texts: Vec<String> = state.iter().map(|base| self.base_text(base)).collect();
        texts.sort_unstable();
        texts
    }

    /// Returns the state in which exactly these propositions hold.
    ///
    /// # Errors
    /// [`UnknownName::Fluent`] if one is not a proposition of the game.
    pub fn parse_state(&self, fluents: &[&str]) -> Result<State, UnknownName> {
        self.names.find_state(&self.propnet, fluents)
    }
}

impl fmt::Debug for LoweredGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoweredGame")
            .field("roles", &self.roles())
            .field("layout", &self.layout)
            .field("gates", &self.lowered.gates())
            .finish_non_exhaustive()
    }
}
