//! Join plans: in which order, and through which indexes, a rule's body is matched.
//!
//! A rule has one [`Plan`] for each positive literal of its body: the plan
//! starts from a newly processed fact for that literal (the *trigger*) and joins
//! the others. Literals are ordered greedily, the one with the smallest
//! estimated number of matches next; tests come as soon as their variables are
//! bound.

use crate::ground::database::{Access, Database, ShapeNode, ViewId, shape_of};
use crate::rules::{Atom, Literal, Pattern, RelationId, Rule, Var};
use crate::term::{TermId, Terms};

/// What a column of a row is compared with or bound to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operand {
    Var(Var),
    Constant(TermId),
}

/// How a row of a view is matched with a literal's blanks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Match {
    /// Columns that must equal a constant or a variable bound before or by this row.
    pub checks: Vec<(usize, Operand)>,
    /// Columns that bind a variable; done before the checks.
    pub binds: Vec<(usize, Var)>,
}

/// One step of a join.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Try every row of a view that agrees with the key.
    Probe {
        view: ViewId,
        access: Access,
        /// The values of the index's columns.
        key: Vec<Operand>,
        row: Match,
        /// Whether the fact becomes a condition of the ground rule.
        is_condition: bool,
        /// Skip the trigger itself: the plan that starts from it at this
        /// literal finds that combination.
        skip_trigger: bool,
    },
    /// Go on if the atom, whose relation is complete, does not hold.
    Absent(Atom),
    /// Go on if the terms differ.
    Distinct(Pattern, Pattern),
}

/// How to find all instances of a rule that need one new fact.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The rule's index.
    pub rule: usize,
    /// How the trigger is matched, which becomes a condition of the ground
    /// rule; `None` for a rule without incomplete positive literals, which runs once.
    pub trigger: Option<(ViewId, Match)>,
    pub steps: Vec<Step>,
    /// From this step on nothing is found out but whether there is a match:
    /// after the first the join goes back before this step.
    pub cut: usize,
    /// Negated atoms that become conditions of the ground rule.
    pub negatives: Vec<Atom>,
}

/// A literal's atom as a view with blanks.
struct Source {
    view: ViewId,
    blanks: Vec<Pattern>,
    is_static: bool,
}

/// Makes the plans of rules.
pub(crate) struct Planner<'a> {
    pub terms: &'a Terms,
    pub database: &'a mut Database,
    /// Whether a relation is complete: no fact of it will be found any more.
    pub is_complete: &'a dyn Fn(RelationId) -> bool,
    /// Whether an atom has been processed already.
    pub is_processed: &'a dyn Fn(crate::ground::database::AtomId) -> bool,
}

impl Planner<'_> {
    /// The plans of a rule: one for each positive literal that is not complete,
    /// or, if there is none, a single one that runs once.
    pub(super) fn plans(&mut self, index: usize, rule: &Rule) -> Vec<Plan> {
        let positive: Vec<&Atom> = rule.body.iter().filter_map(positive_atom).collect();
        let sources: Vec<Source> = positive.iter().map(|atom| self.source(atom)).collect();
        let triggers: Vec<usize> = (0..sources.len())
            .filter(|&i| !sources[i].is_static)
            .collect();
        if triggers.is_empty() {
            return vec![self.plan(index, rule, &sources, None)];
        }
        triggers
            .into_iter()
            .map(|trigger| self.plan(index, rule, &sources, Some(trigger)))
            .collect()
    }

    fn source(&mut self, atom: &Atom) -> Source {
        let mut blanks = Vec::new();
        let shape: Vec<ShapeNode> = shape_of(&atom.args, &mut blanks);
        let view = self
            .database
            .view(atom.relation, shape, self.terms, self.is_processed);
        Source {
            view,
            blanks,
            is_static: (self.is_complete)(atom.relation),
        }
    }

    fn plan(
        &mut self,
        index: usize,
        rule: &Rule,
        sources: &[Source],
        trigger: Option<usize>,
    ) -> Plan {
        let mut bound = vec![false; rule.variables.len()];
        let mut steps = Vec::new();
        let mut waiting: Vec<usize> = (0..sources.len()).filter(|&i| Some(i) != trigger).collect();
        let mut tests: Vec<&Literal> = rule
            .body
            .iter()
            .filter(|literal| match literal {
                Literal::Positive(_) => false,
                Literal::Negative(atom) => (self.is_complete)(atom.relation),
                Literal::Distinct(..) => true,
            })
            .collect();
        let start = trigger.map(|i| {
            let source = &sources[i];
            (source.view, match_row(&source.blanks, &mut bound, &[]))
        });
        place_tests(&mut tests, &bound, &mut steps);
        while !waiting.is_empty() {
            let costs = waiting.iter().map(|&i| self.fan_out(&sources[i], &bound));
            let (at, _) = costs
                .enumerate()
                .min_by(|a, b| a.1.total_cmp(&b.1))
                .expect("some literal is waiting");
            let next = waiting.remove(at);
            let skip_trigger = trigger.is_some_and(|trigger| next < trigger);
            let step = self.probe(&sources[next], &mut bound, skip_trigger);
            steps.push(step);
            place_tests(&mut tests, &bound, &mut steps);
        }
        let negatives: Vec<Atom> = rule
            .body
            .iter()
            .filter_map(|literal| match literal {
                Literal::Negative(atom) if !(self.is_complete)(atom.relation) => Some(atom.clone()),
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

    fn probe(&mut self, source: &Source, bound: &mut [bool], skip_trigger: bool) -> Step {
        let operand = |blank: &Pattern| match blank {
            Pattern::Ground(term) => Some(Operand::Constant(*term)),
            Pattern::Var(var) => bound[var.index()].then_some(Operand::Var(*var)),
            Pattern::Compound(..) => None,
        };
        let (columns, key): (Vec<usize>, Vec<Operand>) = source
            .blanks
            .iter()
            .enumerate()
            .filter_map(|(column, blank)| operand(blank).map(|operand| (column, operand)))
            .unzip();
        let view = &mut self.database.views[source.view.0 as usize];
        let access = if columns.is_empty() {
            Access::All
        } else {
            Access::Index(view.index_on(&columns))
        };
        Step::Probe {
            view: source.view,
            access,
            key,
            row: match_row(&source.blanks, bound, &columns),
            is_condition: !source.is_static,
            skip_trigger: skip_trigger && !source.is_static,
        }
    }

    /// How many rows a probe is expected to find for each binding so far.
    fn fan_out(&mut self, source: &Source, bound: &[bool]) -> f64 {
        let view = &mut self.database.views[source.view.0 as usize];
        let is_bound = |blank: &Pattern| match blank {
            Pattern::Var(var) => bound[var.index()],
            _ => true,
        };
        let known = source.blanks.iter().filter(|blank| is_bound(blank)).count();
        let width = source.blanks.len().max(1) as f64;
        if source.is_static {
            let mut keys = 1.0;
            for (column, blank) in source.blanks.iter().enumerate() {
                if is_bound(blank) {
                    keys *= view.distinct_values(column).max(1) as f64;
                }
            }
            view.len() as f64 / keys
        } else if known == source.blanks.len() {
            0.5
        } else {
            // Sizes are not known yet: most relations come to have some
            // hundreds of facts, and their columns share in that equally.
            let rows = (4 * view.len()).max(200) as f64;
            rows.powf((width - known as f64) / width)
        }
    }
}

/// Binds or checks the columns of a row, but for those in `skip`.
fn match_row(blanks: &[Pattern], bound: &mut [bool], skip: &[usize]) -> Match {
    let mut row = Match::default();
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

fn place_tests(tests: &mut Vec<&Literal>, bound: &[bool], steps: &mut Vec<Step>) {
    tests.retain(|test| {
        let mut ready = true;
        test.for_each_var(&mut |var| ready &= bound[var.index()]);
        if ready {
            steps.push(match test {
                Literal::Negative(atom) => Step::Absent(atom.clone()),
                Literal::Distinct(a, b) => Step::Distinct(a.clone(), b.clone()),
                Literal::Positive(_) => unreachable!("positive literals are no tests"),
            });
        }
        !ready
    });
}

/// The first step from which on neither the head nor a condition of the ground
/// rule depends on what the steps bind.
fn cut_of(rule: &Rule, steps: &[Step], negatives: &[Atom]) -> usize {
    let mut needed = vec![false; rule.variables.len()];
    let mut need = |var: Var| needed[var.index()] = true;
    let atoms = std::iter::once(&rule.head).chain(negatives);
    for pattern in atoms.flat_map(|atom| &atom.args) {
        pattern.for_each_var(&mut need);
    }
    let is_free = |step: &Step| match step {
        Step::Probe {
            row, is_condition, ..
        } => !is_condition && row.binds.iter().all(|(_, var)| !needed[var.index()]),
        Step::Absent(_) | Step::Distinct(..) => true,
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
