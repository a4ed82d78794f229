//! Solved games: values and their certificate.

use std::fmt;
use std::sync::Arc;

use propjit_stop::Stop;

use crate::game::engine::Engines;
use crate::game::load::Game;
use crate::game::machine::expansion::Expander;
use crate::game::machine::expansion::team::ExpanderTeam;
use crate::game::machine::{Backend, MachineError, Move, RoleId, State};
use crate::proof::certificate::{Certificate, Position};
use crate::proof::plan::Plan;
use crate::proof::regret::{Equilibrium, RegretError};
use crate::proof::unproved::Unproved;

use super::bounds::{AllBounds, RoleBounds, SolveMethod, goals, has_too_many_goals};
use super::claims::ClaimWriter;
use super::enumeration::{Enumeration, moves};
use super::expectation::ExpectedValue;
use super::extraction::NoStrategy;
use super::graph::{Graph, Growth};
use super::progress::SolveProgress;
use super::proofs::Findings;
use super::split::Side;
use super::strategy::Question;

/// The most states that a claim may be about. A check evaluates the rules in each of them, some ten
/// thousand in a second.
const MAX_STATES: usize = 1_000_000;

/// The findings about a game.
pub struct Solved<'a> {
    game: &'a Game,
    engines: &'a Arc<Engines>,
    /// The bounds of each role but chance.
    pub bounds: Vec<RoleBounds>,
    /// What each role that has different goals can expect, if chance plays and states were enumerated. Its [bounds](Solved::bounds)
    /// are for the worst luck and the best then.
    pub expected: Vec<ExpectedValue>,
    /// The reasons seen that keep values from being proved, unless all are.
    pub unproved: Vec<Unproved>,
    /// Mixed strategies, or why there are none, if roles do not see the whole state, or move at the same time and values are not
    /// proved.
    pub equilibrium: Option<Result<Equilibrium, RegretError>>,
    pub(super) enumerated: Option<Enumeration>,
    pub(super) plan: Option<Plan>,
    pub(super) findings: Findings,
    /// Whether the match is over at the start.
    pub(super) is_over: bool,
}

/// Why a certificate does not prove what is known.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// There would be too much to check.
    #[error("the certificate has no claim about {0}: it would need more than {MAX_STATES} states")]
    TooLarge(String),
    /// There is no strategy, since the states were not all enumerated.
    #[error(
        "the certificate has no claim about {0}: proof search, SAT and parts provide no strategy that can be checked against the rules"
    )]
    NoStrategy(String),
    /// A stop came before it was found.
    #[error("the certificate has no claim about {0}: interrupted, or out of time")]
    Stopped(String),
    /// The game cannot be played by its circuit.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

impl<'a> Solved<'a> {
    pub(super) fn new(game: &'a Game, engines: &'a Arc<Engines>) -> Solved<'a> {
        Solved {
            game,
            engines,
            bounds: Vec::new(),
            expected: Vec::new(),
            unproved: Vec::new(),
            equilibrium: None,
            enumerated: None,
            plan: None,
            findings: Findings::default(),
            is_over: false,
        }
    }

    /// Whether nothing is known but what goals there are.
    pub fn is_open(&self) -> bool {
        let is_complete = self.counts().is_some_and(|(.., is_complete)| is_complete);
        !is_complete && self.bounds.iter().all(RoleBounds::is_open)
    }

    /// Whether the values of all roles are proved.
    pub fn is_solved(&self) -> bool {
        let is_hidden = self.unproved.contains(&Unproved::HiddenInformation);
        let is_known = |bounds: &RoleBounds| {
            let expected = self.expected(bounds.role);
            bounds.is_solved() || expected.is_some_and(|expected| expected.is_exact())
        };
        !is_hidden && self.bounds.iter().all(is_known)
    }

    /// What a role can expect, if chance plays and that is known.
    pub fn expected(&self, role: RoleId) -> Option<&ExpectedValue> {
        self.expected.iter().find(|expected| expected.role == role)
    }

    /// The number of states and of joint moves that were enumerated, and whether these are all.
    pub fn counts(&self) -> Option<(usize, usize, bool)> {
        let graph = &self.enumerated.as_ref()?.graph;
        Some((graph.len(), graph.joints(), graph.is_complete()))
    }

    /// Returns joint moves with which each role gets what it can, if such a line is known: a move for each
    /// role.
    pub fn line(&self) -> Vec<Vec<Move>> {
        if let Some(plan) = &self.plan {
            return plan.moves.iter().map(|&played| vec![played]).collect();
        }
        match &self.enumerated {
            // With chance, no line is what all can expect.
            Some(_) if !self.expected.is_empty() => Vec::new(),
            Some(enumerated) if enumerated.graph.is_complete() => {
                let mut expander = Expander::new(self.engines);
                let steps = enumerated.line().into_iter();
                let line = steps.map(|(at, places)| {
                    moves(expander.legal(enumerated.graph.state(at)).get(0), &places)
                });
                line.collect()
            }
            _ => self.findings.line.clone(),
        }
    }

    /// A certificate of the values, and why it does not prove all that is known, if it does not.
    pub fn certificate(&mut self, name: &str, stop: &Stop) -> (Certificate, Vec<CertificateError>) {
        let mut writer = ClaimWriter::new(self.engines, self.game.rules(), name);
        let mut missing: Vec<CertificateError> = Vec::new();
        let by_parts =
            |bounds: &RoleBounds| [bounds.low.1, bounds.high.1].contains(&SolveMethod::Parts);
        let asks_states = self.enumerated.is_none()
            && self.bounds.iter().any(by_parts)
            && !has_too_many_goals(self.engines.game());
        if asks_states {
            self.enumerated = self.few_states(stop).map(|graph| {
                let progress = SolveProgress::default();
                let bounds = AllBounds::new(self.engines.game(), &progress);
                Enumeration::new(self.engines.game(), graph, &bounds, stop)
            });
        }
        let has_many_states = asks_states && self.enumerated.is_none();
        for bounds in &self.bounds.clone() {
            for side in [Side::Role, Side::Others] {
                let is_proved = match side {
                    Side::Role => writer.value(bounds.role).least >= bounds.low.0,
                    Side::Others => writer.value(bounds.role).most <= bounds.high.0,
                };
                if is_proved {
                    continue;
                }
                let Err(why) = self.add(&mut writer, bounds, side, stop) else {
                    continue;
                };
                let why = match why {
                    CertificateError::TooLarge(role) | CertificateError::NoStrategy(role)
                        if stop.is_set() =>
                    {
                        CertificateError::Stopped(role)
                    }
                    CertificateError::NoStrategy(role) if has_many_states && by_parts(bounds) => {
                        CertificateError::TooLarge(role)
                    }
                    why => why,
                };
                // Both bounds of a role may fail alike.
                if missing.last().map(ToString::to_string) != Some(why.to_string()) {
                    missing.push(why);
                }
            }
        }
        (writer.finish(), missing)
    }

    /// Adds the claim that proves a bound.
    fn add(
        &mut self,
        writer: &mut ClaimWriter,
        bounds: &RoleBounds,
        side: Side,
        stop: &Stop,
    ) -> Result<(), CertificateError> {
        let (game, role) = (self.engines.game(), bounds.role);
        let name = || game.roles()[role.index()].clone();
        let too_large = || CertificateError::TooLarge(name());
        let ends = side == Side::Role;
        // Of matches that never end, it is true that they do not end better for the role.
        let if_endless = (bounds.high.0, bounds.high.0);
        if let Some((enumerated, question)) = self.question(bounds, side) {
            let strategy = question.strategy(&enumerated.graph, MAX_STATES);
            let mut strategy = strategy.ok_or_else(too_large)?;
            strategy.goals[role.index()].get_or_insert(if_endless);
            writer.add_strategy(enumerated, question, &strategy, ends);
            return Ok(());
        }
        let roles = game.roles().len();
        let range = |low, high| {
            let mut goals = vec![None; roles];
            goals[role.index()] = Some((low, high));
            goals
        };
        match (side, &self.plan) {
            _ if self.is_over => {
                let group = side.group(role, game.random_role(), roles);
                let goals = range(bounds.low.0, bounds.high.0);
                writer.add(&group, true, &goals, Vec::new());
            }
            (Side::Role, Some(plan)) => {
                let positions = self.positions(writer, plan)?;
                writer.add(&[role], true, &range(plan.goal, plan.goal), positions);
            }
            // In a game of one role, no other role can hold it to anything: the states themselves do.
            (Side::Others, _) if roles == 1 => {
                self.few_states(stop).ok_or_else(too_large)?;
                let goals = range(goals(game, role)[0], bounds.high.0);
                writer.add(&[], false, &goals, Vec::new());
            }
            _ => {
                let mut proved = self.findings.proved.iter_mut();
                let proved = proved.find(|proved| (proved.role, proved.side()) == (role, side));
                let proved = proved.ok_or_else(|| CertificateError::NoStrategy(name()))?;
                let strategy = proved.strategy(self.engines, MAX_STATES, stop);
                let mut strategy = strategy.map_err(|why| match why {
                    NoStrategy::TooLarge => too_large(),
                    NoStrategy::Unknown => CertificateError::NoStrategy(name()),
                })?;
                strategy.goals[role.index()].get_or_insert(if_endless);
                writer.add_extracted(&strategy, ends);
            }
        }
        Ok(())
    }

    /// The question on the enumerated states that has the bound for its answer.
    fn question(&self, bounds: &RoleBounds, side: Side) -> Option<(&Enumeration, &Question)> {
        let enumerated = self.enumerated.as_ref()?;
        let value = match side {
            Side::Role => bounds.low.0,
            Side::Others => bounds.high.0,
        };
        let mut questions = enumerated.questions.iter();
        let question = questions.find(|question| {
            (question.role, question.side) == (bounds.role, side) && question.answer == Some(value)
        });
        Some((enumerated, question?))
    }

    /// The moves of a plan, where there is a choice.
    fn positions(
        &self,
        writer: &mut ClaimWriter,
        plan: &Plan,
    ) -> Result<Vec<Position>, MachineError> {
        let role = RoleId(0);
        let mut machine = self.game.machine(Backend::Scalar)?;
        let mut state = machine.initial_state()?;
        let mut positions = Vec::new();
        let mut legal = Vec::new();
        for &played in &plan.moves {
            machine.legal_moves_unchecked(&state, role, &mut legal)?;
            if legal.len() > 1 {
                positions.push(writer.position(state.words(), &[role], &[played]));
            }
            let mut next = State::new();
            machine.next_state_unchecked(&state, &[played], &mut next)?;
            state = next;
        }
        Ok(positions)
    }

    /// Returns all states, if a check can evaluate the rules in each of them.
    fn few_states(&self, stop: &Stop) -> Option<Graph> {
        let initial = self.engines.game().initial();
        let mut expanders = ExpanderTeam::new(self.engines, 1);
        let mut graph = Graph::new(self.engines, expanders.words(), initial);
        let limits = (usize::MAX, MAX_STATES);
        let growth = graph.grow(&mut expanders, limits, stop, &SolveProgress::default());
        (growth == Growth::Complete).then_some(graph)
    }
}

impl fmt::Debug for Solved<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solved")
            .field("bounds", &self.bounds)
            .field("counts", &self.counts())
            .field("plan", &self.plan)
            .finish_non_exhaustive()
    }
}
