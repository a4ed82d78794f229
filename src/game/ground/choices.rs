//! Moves that are choices: those that may be legal beside another move of their role.
//!
//! The others are only ever forced, as those of a role that is not to move usually are. A move counts
//! as a choice unless the opposite is proved, in one of two ways:
//!
//! 1. *By phases.* In each [phase](Phases), with its propositions put in, the move is never legal, or
//!    no other move of the role ever is.
//! 2. *By cases.* No state that agrees with a phase and is not terminal makes the move legal beside
//!    another one, as a SAT solver finds out. If that is not enough, only states are considered that
//!    keep to small groups of propositions of which at most one is true, such as `(control x)` and
//!    `(control o)`; that they are such groups is proved by induction. This takes longer, and so is
//!    tried for moves only that are seen to be forced, and never beside others, in some random matches.
//!
//! The result depends on nothing but the circuit as it is lowered: the seed of the matches is fixed,
//! and effort is limited by counts, never by time.

use batsat::Lit;
use propjit_jit::circuit::Edge;
use propjit_jit::passes::fold;
use propjit_stop::Stop;
use rand::RngExt;

use super::goal_counts;
use super::invariants::induction::{self, Effort};
use super::invariants::net::Net;
use super::invariants::step::{Scope, Step, Verdict, When};
use super::invariants::{Invariant, encoding};
use super::literal::Literal;
use super::lowered_game::LoweredGame;
use super::phases::Phases;
use crate::game::vocabulary::state::State;
use crate::support::rng;

/// The number of joint moves of random matches, and the greatest number of nodes of the circuit that
/// are evaluated for them, unless that is too few for the least number of joint moves.
const STEPS: usize = 500;
const MAX_NODES: usize = 1 << 24;
const MIN_STEPS: usize = 16;

/// The maximum number of conflicts of the solver for a move and a phase, and of its variables.
const CONFLICTS: u64 = 1000;
const VARIABLES: u32 = 1_000_000;

/// The maximum number of propositions of a group, and of all groups together; those of the smallest
/// groups count first.
const MAX_MEMBERS: usize = 16;
const MAX_ALL_MEMBERS: usize = 256;

/// The maximum number of rounds of the induction: the groups that fail in one are left out of the next.
const MAX_ROUNDS: usize = 16;

/// The effort of the induction for a group.
const EFFORT: Effort = Effort {
    scope: Scope::Near,
    conflicts: 500,
    by_move: false,
};

/// Returns, for each role and each of its moves, whether the move counts as a choice.
pub(super) fn find(game: &LoweredGame, phases: &Phases) -> Vec<Vec<bool>> {
    let mut choices = by_phases(game, phases);
    let mut open = seen_forced(game, &choices);
    let is_open = |open: &[Vec<bool>]| open.iter().flatten().any(|&open| open);
    if is_open(&open) {
        let net = Net::new(game, VARIABLES);
        settle(&net, phases, &[], &mut choices, &mut open);
        if is_open(&open) {
            let groups = exclusive_groups(&net);
            if !groups.is_empty() {
                settle(&net, phases, &groups, &mut choices, &mut open);
            }
        }
    }
    choices
}

/// Returns the moves that are choices as far as phases tell.
fn by_phases(game: &LoweredGame, phases: &Phases) -> Vec<Vec<bool>> {
    let legal = &game.layout().legal;
    let mut choices: Vec<Vec<bool>> = legal.iter().map(|legal| vec![false; legal.len()]).collect();
    for phase in 0..phases.period() {
        let inputs = game.lowered().inputs().len();
        let circuit = fold(game.lowered(), &phases.known(phase, inputs));
        for (choices, legal) in choices.iter_mut().zip(legal) {
            let edges = &circuit.outputs()[legal.clone()];
            let is_live = |edge: &&Edge| **edge != Edge::FALSE;
            if edges.iter().filter(is_live).count() > 1 {
                let live = choices.iter_mut().zip(edges);
                live.for_each(|(choice, edge)| *choice |= *edge != Edge::FALSE);
            }
        }
    }
    choices
}

/// Returns the choices so far that are seen to be forced, and never beside others, in random matches.
fn seen_forced(game: &LoweredGame, choices: &[Vec<bool>]) -> Vec<Vec<bool>> {
    let (circuit, layout) = (game.lowered(), game.layout());
    let none = || choices.iter().map(|of_role| vec![false; of_role.len()]);
    let (mut forced, mut beside): (Vec<_>, Vec<_>) = (none().collect(), none().collect());
    // Each joint move takes two evaluations.
    let steps = (MAX_NODES / (2 * circuit.nodes().len().max(1))).clamp(MIN_STEPS, STEPS);
    let mut rng = rng::streams(0).next().expect("streams do not end");
    let start = |inputs: &mut Vec<bool>, state: &State| {
        inputs.fill(false);
        state.iter().for_each(|base| inputs[base] = true);
    };
    let mut inputs = vec![false; layout.inputs()];
    start(&mut inputs, game.initial());
    for _ in 0..steps {
        inputs[layout.bases.end..].fill(false);
        let outputs = circuit.evaluate(&inputs);
        let mut goes_on = !outputs[layout.terminal];
        for (role, (legal, does)) in layout.legal.iter().zip(&layout.does).enumerate() {
            let legal = outputs[legal.clone()].iter().enumerate();
            let legal: Vec<usize> = legal
                .filter(|(_, legal)| **legal)
                .map(|(at, _)| at)
                .collect();
            if outputs[layout.terminal] || legal.is_empty() {
                goes_on = false;
                continue;
            }
            let seen = if legal.len() == 1 {
                &mut forced
            } else {
                &mut beside
            };
            legal.iter().for_each(|&number| seen[role][number] = true);
            let chosen = rng.random_range(0..legal.len() as u32) as usize;
            inputs[does.start + legal[chosen]] = true;
        }
        match goes_on {
            false => start(&mut inputs, game.initial()),
            true => {
                let outputs = circuit.evaluate(&inputs);
                inputs[layout.bases.clone()].copy_from_slice(&outputs[layout.next.clone()]);
            }
        }
    }
    let only_forced = |role: usize, number: usize| forced[role][number] && !beside[role][number];
    let of_roles = choices.iter().enumerate().map(|(role, choices)| {
        let moves = choices.iter().enumerate();
        moves
            .map(|(number, &choice)| choice && only_forced(role, number))
            .collect()
    });
    of_roles.collect()
}

/// Tries to prove that open moves are no choices, in states in which the invariants hold. Those that
/// are settled are no longer open.
fn settle(
    net: &Net,
    phases: &Phases,
    invariants: &[Invariant],
    choices: &mut [Vec<bool>],
    open: &mut [Vec<bool>],
) {
    let mut step = encoding::step_with(net, invariants, Scope::State, CONFLICTS, &Stop::new());
    let goes_on = step.edge(When::Now, !net.terminal());
    let phases: Vec<Vec<_>> = (0..phases.period())
        .map(|phase| phase_literals(&mut step, phases, phase))
        .collect();
    for (role, legal) in net.layout.legal.iter().enumerate() {
        if !open[role].contains(&true) {
            continue;
        }
        let edges = &net.circuit.outputs()[legal.clone()];
        let legal: Vec<_> = edges
            .iter()
            .map(|&edge| step.edge(When::Now, edge))
            .collect();
        let several = several(&mut step, &legal);
        for (number, &legal) in legal.iter().enumerate() {
            if !open[role][number] {
                continue;
            }
            let is_impossible = phases.iter().all(|phase| {
                let premises = [&phase[..], &[legal, several, goes_on]].concat();
                step.query(&premises) == Verdict::Impossible
            });
            if is_impossible {
                choices[role][number] = false;
                open[role][number] = false;
            }
        }
    }
}

/// Returns the literals of the periodic propositions in a phase.
fn phase_literals(step: &mut Step, phases: &Phases, phase: usize) -> Vec<Lit> {
    let bases = phases.bases().iter();
    let literals = bases.map(|&proposition| Literal {
        proposition,
        value: phases.each()[phase].contains(proposition),
    });
    literals
        .map(|literal| encoding::encoded(step, When::Now, literal))
        .collect()
}

/// Returns a literal that is true if several of these are, and otherwise false.
fn several(step: &mut Step, lits: &[Lit]) -> Lit {
    let none = !step.truth();
    let (mut some, mut several) = (none, none);
    for &lit in lits {
        let second = step.and(some, lit);
        several = !step.and(!several, !second);
        some = !step.and(!some, !lit);
    }
    several
}

/// Returns small groups of propositions of which at most one is true in every reachable state.
pub(crate) fn exclusive_groups(net: &Net) -> Vec<Invariant> {
    let mut groups = goal_counts::candidates(net.game, false);
    let members = |group: &Invariant| match group {
        Invariant::AtMostOne(group) | Invariant::ExactlyOne(group) => group.len(),
        _ => usize::MAX,
    };
    groups.retain(|group| members(group) <= MAX_MEMBERS);
    groups.sort_by_key(members);
    let mut all = 0;
    let few = groups.into_iter().take_while(|group| {
        all += members(group);
        all <= MAX_ALL_MEMBERS
    });
    let mut groups: Vec<Invariant> = few
        .map(|group| group.clone().weaker().unwrap_or(group))
        .collect();
    for _ in 0..MAX_ROUNDS {
        let kept = induction::keep(net, &groups, &groups, EFFORT, &Stop::new());
        if kept.iter().all(|&is_kept| is_kept) {
            return groups;
        }
        let mut kept = kept.into_iter();
        groups.retain(|_| kept.next().unwrap_or(false));
    }
    Vec::new()
}
