//! Join plans: the order and the indexes by which the body of a rule is matched.
//!
//! A rule has one [`Plan`] for each positive literal of its body: the plan
//! starts from a newly processed fact for that literal (the *trigger*) and joins
//! the others. Literals are ordered greedily, the one with the smallest
//! estimated number of matches next; tests come as soon as their variables are
//! bound.

use crate::ground::database::{Access, Database, Dependence, ShapeNode, ViewId, shape_of};
use crate::rules::{Atom, Literal, Pattern, Rule, Var};
use crate::term::{TermId, Terms};

/// A value that a column of a row is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operand {
    Var(Var),
    Constant(TermId),
}

/// The way to match a row of a view with a literal's blanks.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowPattern {
    /// Columns that must equal a constant or a variable bound before or by this row.
    pub checks: Vec<(usize, Operand)>,
    /// Columns that bind a variable; done before the checks.
    pub binds: Vec<(usize, Var)>,
}

/// One step of a join.
#[derive(Clone, Debug)]
pub(crate) enum JoinStep {
    /// Try every row of a view that agrees with the key.
    Probe {
        view: ViewId,
        access: Access,
        /// The values of the index's columns.
        key: Vec<Operand>,
        row: RowPattern,
        /// Whether the fact becomes a condition of the ground rule.
        is_condition: bool,
        /// Skip the trigger itself: the plan that starts from it at this
        /// literal finds that combination.
        skip_trigger: bool,
    },
    /// Continue if the atom, whose relation is complete, does not hold.
    Absent(Atom),
    /// Continue if the terms differ.
    Distinct(Pattern, Pattern),
}

/// The literal that a plan starts from.
#[derive(Clone, Debug)]
pub(crate) struct Trigger {
    pub view: ViewId,
    pub row: RowPattern,
    /// Whether the fact becomes a condition of the ground rule.
    pub is_condition: bool,
}

/// A plan to find all instances of a rule that one new fact makes possible.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The rule's index.
    pub rule: usize,
    /// `None` for a rule without incomplete positive literals, which runs once.
    pub trigger: Option<Trigger>,
    pub steps: Vec<JoinStep>,
    /// The step from which on only the existence of a match matters:
    /// after the first match, the join goes back before this step.
    pub cut: usize,
    /// Negated atoms that become conditions of the ground rule.
    pub negatives: Vec<Atom>,
}

/// A positive literal as input of a join: a view with a pattern for each blank.
struct JoinInput {
    view: ViewId,
    blanks: Vec<Pattern>,
    is_complete: bool,
    is_condition: bool,
    is_demand: bool,
}

/// The context in which rules are planned.
pub(crate) struct Planner<'a> {
    pub terms: &'a Terms,
    pub database: &'a mut Database,
    /// Whether an atom has been processed already.
    pub is_processed: &'a dyn Fn(crate::ground::database::AtomId) -> bool,
}

impl Planner<'_> {
    /// The plans of a rule: one for each positive literal that is not complete,
    /// or, if there is none, a single one that runs once.
    pub(super) fn plans(&mut self, index: usize, rule: &Rule) -> Vec<Plan> {
        let positive: Vec<&Atom> = rule.body.iter().filter_map(positive_atom).collect();
        let inputs: Vec<JoinInput> = positive.iter().map(|atom| self.input(atom)).collect();
        let triggers: Vec<usize> = (0..inputs.len())
            .filter(|&i| !inputs[i].is_complete)
            .collect();
        if triggers.is_empty() {
            return vec![self.plan(index, rule, &inputs, None)];
        }
        triggers
            .into_iter()
            .map(|trigger| self.plan(index, rule, &inputs, Some(trigger)))
            .collect()
    }

    fn input(&mut self, atom: &Atom) -> JoinInput {
        let mut blanks = Vec::new();
        let shape: Vec<ShapeNode> = shape_of(&atom.args, &mut blanks);
        let view = self
            .database
            .view(atom.relation, shape, self.terms, self.is_processed);
        let dependence = self.database.dependence(atom.relation);
        JoinInput {
            view,
            blanks,
            is_complete: self.database.is_complete(atom.relation),
            is_condition: dependence == Dependence::Dynamic,
            is_demand: dependence == Dependence::Demand,
        }
    }

    fn plan(
        &mut self,
        index: usize,
        rule: &Rule,
        inputs: &[JoinInput],
        trigger: Option<usize>,
    ) -> Plan {
        let mut bound = vec![false; rule.variables.len()];
        let mut steps = Vec::new();
        let mut waiting: Vec<usize> = (0..inputs.len()).filter(|&i| Some(i) != trigger).collect();
        let mut tests: Vec<&Literal> = rule
            .body
            .iter()
            .filter(|literal| match literal {
                Literal::Positive(_) => false,
                Literal::Negative(atom) => self.database.is_complete(atom.relation),
                Literal::Distinct(..) => true,
            })
            .collect();
        let start = trigger.map(|i| {
            let input = &inputs[i];
            Trigger {
                view: input.view,
                row: match_row(&input.blanks, &mut bound, &[]),
                is_condition: input.is_condition,
            }
        });
        place_tests(&mut tests, &bound, &mut steps);
        while !waiting.is_empty() {
            let costs = waiting.iter().map(|&i| self.fan_out(&inputs[i], &bound));
            let (at, _) = costs
                .enumerate()
                .min_by(|a, b| a.1.total_cmp(&b.1))
                .expect("some literal is waiting");
            let next = waiting.remove(at);
            let skip_trigger = trigger.is_some_and(|trigger| next < trigger);
            let step = self.probe(&inputs[next], &mut bound, skip_trigger);
            steps.push(step);
            place_tests(&mut tests, &bound, &mut steps);
        }
        let negatives: Vec<Atom> = rule
            .body
            .iter()
            .filter_map(|literal| match literal {
                Literal::Negative(atom) if !self.database.is_complete(atom.relation) => {
                    Some(atom.clone())
                }
                _ => None,
            })
            .collect();
        let cut = cut_of(rule, &steps, &negatives);
        Plan {
            rule: index,
            trigger: start,
            steps,
            cut,
            negatives,
        }
    }

    fn probe(&mut self, input: &JoinInput, bound: &mut [bool], skip_trigger: bool) -> JoinStep {
        let operand = |blank: &Pattern| match blank {
            Pattern::Ground(term) => Some(Operand::Constant(*term)),
            Pattern::Var(var) => bound[var.index()].then_some(Operand::Var(*var)),
            Pattern::Compound(..) => None,
        };
        let (columns, key): (Vec<usize>, Vec<Operand>) = input
            .blanks
            .iter()
            .enumerate()
            .filter_map(|(column, blank)| operand(blank).map(|operand| (column, operand)))
            .unzip();
        let view = &mut self.database.views[input.view.0 as usize];
        let access = if columns.is_empty() {
            Access::All
        } else {
            Access::Index(view.index_on(&columns))
        };
        JoinStep::Probe {
            view: input.view,
            access,
            key,
            row: match_row(&input.blanks, bound, &columns),
            is_condition: input.is_condition,
            skip_trigger: skip_trigger && !input.is_complete,
        }
    }

    /// The number of rows that a probe is expected to find for each binding so far.
    fn fan_out(&mut self, input: &JoinInput, bound: &[bool]) -> f64 {
        let view = &mut self.database.views[input.view.0 as usize];
        let is_bound = |blank: &Pattern| match blank {
            Pattern::Var(var) => bound[var.index()],
            _ => true,
        };
        let known = input.blanks.iter().filter(|blank| is_bound(blank)).count();
        let width = input.blanks.len().max(1) as f64;
        if input.is_complete {
            let mut keys = 1.0;
            for (column, blank) in input.blanks.iter().enumerate() {
                if is_bound(blank) {
                    keys *= view.distinct_values(column).max(1) as f64;
                }
            }
            view.len() as f64 / keys
        } else if known == input.blanks.len() {
            0.5
        } else if input.is_demand {
            // It restricts all that follows.
            1.0
        } else {
            // Sizes are not known yet. Most relations reach some hundreds of facts, to
            // which their columns are taken to contribute equally.
            let rows = (4 * view.len()).max(200) as f64;
            rows.powf((width - known as f64) / width)
        }
    }
}

/// The way to bind or check the columns of a row, except for those in `skip`.
fn match_row(blanks: &[Pattern], bound: &mut [bool], skip: &[usize]) -> RowPattern {
    let mut row = RowPattern::default();
    for (column, blank) in blanks.iter().enumerate() {
        if skip.contains(&column) {
            continue;
        }
        match blank {
            Pattern::Ground(term) => row.checks.push((column, Operand::Constant(*term))),
            Pattern::Var(var) if bound[var.index()] => {
                row.checks.push((column, Operand::Var(*var)));
            }
            Pattern::Var(var) => {
                bound[var.index()] = true;
                row.binds.push((column, *var));
            }
            Pattern::Compound(..) => unreachable!("blanks are variables or ground"),
        }
    }
    row
}

fn place_tests(tests: &mut Vec<&Literal>, bound: &[bool], steps: &mut Vec<JoinStep>) {
    tests.retain(|test| {
        let mut ready = true;
        test.for_each_var(&mut |var| ready &= bound[var.index()]);
        if ready {
            steps.push(match test {
                Literal::Negative(atom) => JoinStep::Absent(atom.clone()),
                Literal::Distinct(a, b) => JoinStep::Distinct(a.clone(), b.clone()),
                Literal::Positive(_) => unreachable!("positive literals are not tests"),
            });
        }
        !ready
    });
}

/// The first step from which on neither the head nor a condition of the ground
/// rule depends on what the steps bind.
fn cut_of(rule: &Rule, steps: &[JoinStep], negatives: &[Atom]) -> usize {
    let mut needed = vec![false; rule.variables.len()];
    let mut need = |var: Var| needed[var.index()] = true;
    let atoms = std::iter::once(&rule.head).chain(negatives);
    for pattern in atoms.flat_map(|atom| &atom.args) {
        pattern.for_each_var(&mut need);
    }
    let is_free = |step: &JoinStep| match step {
        JoinStep::Probe {
            row, is_condition, ..
        } => !is_condition && row.binds.iter().all(|(_, var)| !needed[var.index()]),
        JoinStep::Absent(_) | JoinStep::Distinct(..) => true,
    };
    let free = steps.iter().rev().take_while(|step| is_free(step)).count();
    steps.len() - free
}

pub(crate) fn positive_atom(literal: &Literal) -> Option<&Atom> {
    match literal {
        Literal::Positive(atom) => Some(atom),
        _ => None,
    }
}
