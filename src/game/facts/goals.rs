//! Goals that a literal excludes, and goals that it ensures.

use batsat::Lit;
use propjit_jit::circuit::Edge;
use propjit_jit::parallel;

use super::fact::ProofMethod;
use super::goal_latches::{ForcedGoal, GoalLatch};
use super::inquiry::{CONFLICTS, Inquiry};
use super::samples::Samples;
use super::structural::{Decided, LANES};
use crate::game::ground::Literal;
use crate::game::ground::invariants::Invariant;
use crate::game::ground::invariants::encoding;
use crate::game::ground::invariants::net::Net;
use crate::game::ground::invariants::step::{Scope, Step, Verdict, When};
use crate::game::machine::RoleId;
use propjit_stop::Stop;

/// A goal value of a role, by indices, and the edge that says whether the role has it.
#[derive(Clone, Copy)]
struct Goal {
    role: usize,
    goal: usize,
    edge: Edge,
}

/// The result of the search for excluded goals.
pub(super) struct Excluded {
    /// The literals with goals that they exclude.
    pub(super) found: Vec<GoalLatch>,
    /// The goals that they ensure, if that was tried.
    pub(super) forced: Vec<ForcedGoal>,
    /// How many pairs of a literal and a goal were not decided.
    pub(super) undecided: usize,
}

/// Returns, for each literal, the goals that no terminal state with it has.
///
/// For latches this holds for the rest of the match. They are worth more effort: `steps` says
/// whether to examine the states before terminal ones, too, which must exist, and to search for
/// goals that all terminal states with the literal have.
pub(super) fn excluded(
    net: &Net,
    invariants: &[Invariant],
    samples: &Samples,
    literals: &[Literal],
    steps: bool,
    end: &Stop,
) -> Excluded {
    let chunks = literals.chunks(LANES.min(literals.len().div_ceil(8).max(1)));
    let chunks: Vec<&[Literal]> = chunks.collect();
    let parts = parallel::map(&chunks, |chunk| {
        let exclusion = Exclusion::new(net, invariants, samples, steps, end);
        exclusion.of(chunk)
    });
    Excluded {
        undecided: parts.iter().map(|part| part.undecided).sum(),
        forced: parts
            .iter()
            .flat_map(|part| part.forced.iter().copied())
            .collect(),
        found: parts.into_iter().flat_map(|part| part.found).collect(),
    }
}

struct Exclusion<'a> {
    net: &'a Net<'a>,
    samples: &'a Samples,
    goals: Vec<Goal>,
    /// Queries about single states.
    state: Step<'a>,
    /// Queries about steps, if these are to be tried.
    steps: Option<Inquiry<'a>>,
}

impl<'a> Exclusion<'a> {
    fn new(
        net: &'a Net<'a>,
        invariants: &'a [Invariant],
        samples: &'a Samples,
        steps: bool,
        end: &'a Stop,
    ) -> Exclusion<'a> {
        let roles = net.game.propnet().roles.iter().enumerate();
        let goals = roles.flat_map(|(role, ports)| {
            (0..ports.goals.len()).map(move |goal| Goal {
                role,
                goal,
                edge: net.goal(role, goal),
            })
        });
        Exclusion {
            net,
            samples,
            goals: goals.collect(),
            state: encoding::step_with(net, invariants, Scope::State, CONFLICTS, end),
            steps: steps.then(|| Inquiry::new(net, invariants, end)),
        }
    }

    fn of(mut self, literals: &[Literal]) -> Excluded {
        let decided = Decided::by(self.net.circuit, literals);
        let mut undecided = 0;
        let mut found: Vec<GoalLatch> = Vec::new();
        let mut forced: Vec<ForcedGoal> = Vec::new();
        for (lane, &literal) in literals.iter().enumerate() {
            for goal in self.goals.clone() {
                let (ensured, excluded) = decided.edge(goal.edge);
                if !self.samples.ended_with(goal.role, goal.goal, literal) {
                    match self.prove(excluded >> lane, literal, goal.edge) {
                        Ok(method) => add(&mut found, literal, goal, method),
                        Err(verdict) => undecided += usize::from(verdict == Verdict::Unknown),
                    }
                }
                if self.steps.is_some() && !self.ended_with_another(goal, literal) {
                    match self.prove(ensured >> lane, literal, !goal.edge) {
                        Ok(method) => forced.push(ForcedGoal {
                            literal,
                            role: RoleId(goal.role as u32),
                            goal: goal.goal,
                            method,
                        }),
                        Err(verdict) => undecided += usize::from(verdict == Verdict::Unknown),
                    }
                }
            }
        }
        Excluded {
            found,
            forced,
            undecided,
        }
    }

    /// Returns whether a match ended with the literal and with another goal of the role.
    fn ended_with_another(&self, goal: Goal, literal: Literal) -> bool {
        let mut others = self
            .goals
            .iter()
            .filter(|other| other.role == goal.role && other.goal != goal.goal);
        others.any(|other| self.samples.ended_with(other.role, other.goal, literal))
    }

    /// Returns the method that proves that no match with the literal ends where the edge is true.
    /// The last bit of `decided` says whether the literal decides that.
    fn prove(
        &mut self,
        decided: u64,
        literal: Literal,
        edge: Edge,
    ) -> Result<ProofMethod, Verdict> {
        if decided & 1 == 1 {
            return Ok(ProofMethod::Structural);
        }
        let net = self.net;
        let premises = |step: &mut Step, when| -> Vec<Lit> {
            let literal = encoding::encoded(step, when, literal);
            let terminal = step.edge(when, net.terminal());
            vec![literal, step.edge(when, edge), terminal]
        };
        let here = premises(&mut self.state, When::Now);
        let verdict = self.state.query(&here);
        if verdict == Verdict::Impossible {
            return Ok(ProofMethod::Sat);
        }
        let Some(steps) = &mut self.steps else {
            return Err(verdict);
        };
        match steps.query(|step| premises(step, When::Next)) {
            Verdict::Impossible => Ok(ProofMethod::Induction),
            verdict => Err(verdict),
        }
    }
}

fn add(found: &mut Vec<GoalLatch>, literal: Literal, goal: Goal, method: ProofMethod) {
    let role = RoleId(goal.role as u32);
    match found.last_mut() {
        Some(last) if last.literal == literal && last.role == role => {
            last.excluded.push(goal.goal);
            last.method = last.method.max(method);
        }
        _ => found.push(GoalLatch {
            literal,
            role,
            excluded: vec![goal.goal],
            method,
        }),
    }
}
