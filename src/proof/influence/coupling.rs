//! Coupling: the number of propositions that have to come together for a goal.

use propjit_jit::circuit::Edge;
use propjit_stop::Stop;
use rustc_hash::FxHashMap;

use super::distances::Steps;
use super::support::supports;
use super::terms::terms;
use crate::game::circuits::reasons::PhaseCircuit;
use crate::game::ground::{GroundGame, Layout};
use crate::game::vocabulary::moves::RoleId;

/// How many propositions have to come together for the greatest goal of a role.
///
/// The goal is taken apart into *terms*: sets of propositions that must have certain values together.
/// Propositions that no move touches, such as a step counter's, are left out. A part of the goal
/// that has too many terms counts as one, of all propositions that it depends on.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct GoalCoupling {
    /// The role.
    pub role: RoleId,
    /// Its greatest goal value.
    pub value: i32,
    /// The number of propositions of each term, ascending.
    pub terms: Vec<usize>,
    /// Whether all of the goal could be taken apart.
    pub complete: bool,
    /// The number of propositions that moves touch.
    pub touched: usize,
    /// By phase, the propositions of the terms with the fewest.
    pub(super) least: Vec<Vec<u32>>,
}

impl GoalCoupling {
    /// The coupling of the greatest goal of a role.
    pub(super) fn new(
        steps: &Steps,
        phases: &[PhaseCircuit],
        game: &GroundGame,
        role: RoleId,
        stop: &Stop,
    ) -> GoalCoupling {
        let layout = game.layout();
        let touched = steps.touched();
        let mut coupling = GoalCoupling {
            role,
            value: 0,
            terms: Vec::new(),
            complete: true,
            touched: touched.iter().filter(|&&touched| touched).count(),
            least: vec![Vec::new(); phases.len()],
        };
        let outputs = layout.goals[role.index()].clone();
        let goals = &game.propnet().roles[role.index()].goals;
        let Some((output, goal)) = outputs.zip(goals).next_back() else {
            return coupling;
        };
        coupling.value = goal.value;
        // The terms, with their phases.
        let mut found: FxHashMap<Vec<u32>, Vec<usize>> = FxHashMap::default();
        for (number, phase) in phases.iter().enumerate() {
            let edge = phase.circuit().outputs()[output];
            let terms = terms(phase.circuit(), &layout.bases, edge, stop);
            coupling.complete &= terms.complete;
            for mut term in terms.propositions {
                term.retain(|&base| touched[base as usize]);
                if !term.is_empty() {
                    found.entry(term).or_default().push(number);
                }
            }
        }
        coupling.terms = found.keys().map(Vec::len).collect();
        coupling.terms.sort_unstable();
        let least = coupling.terms.first().copied();
        for (term, phases) in found.iter().filter(|(term, _)| Some(term.len()) == least) {
            for &phase in phases {
                coupling.least[phase].extend(term);
            }
        }
        coupling
    }
}

/// By phase, the propositions on which it depends whether a state is terminal.
pub(super) fn depends_on_end(
    phases: &[PhaseCircuit],
    layout: &Layout,
    stop: &Stop,
) -> Vec<Vec<u32>> {
    let depends = |phase: &PhaseCircuit| {
        let terminal: Edge = phase.circuit().outputs()[layout.terminal];
        let mut depends = Vec::new();
        supports(
            phase.circuit(),
            &layout.bases,
            &[terminal],
            stop,
            |_, base| {
                depends.push(base as u32);
            },
        );
        depends
    };
    phases.iter().map(depends).collect()
}
