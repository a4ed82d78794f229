//! Facts in the words of a rulesheet.

use std::collections::{BTreeMap, BTreeSet};

use propjit::game::facts::{
    CountBounds, Counter, Facts, GoalLatch, GoalLiteral, Invariant, Linear, Literal, ProofMethod,
};
use propjit::game::ground::{GoalTable, GoalTables, GroundGame};
use propjit::game::machine::RoleId;
use propjit_jit::circuit::{Edge, Node, NodeId};
use propjit_jit::counts::{Quantity, Term};

use super::super::{counters, influence};
use super::report::{
    Count, Decided, Exclusion, ForcedGoal, Group, Inhibitor, Latch, Report, Stage, Sum, SumTerm,
    TableOfGoal,
};

/// The name of the thing of this number: `A`, `B` and so on.
fn letter(number: usize) -> String {
    match u8::try_from(number).ok().filter(|&number| number < 26) {
        Some(number) => char::from(b'A' + number).to_string(),
        None => format!("Q{number}"),
    }
}

/// Expresses facts in the words of the game's rulesheet.
pub(super) struct Words<'a> {
    pub(super) game: &'a GroundGame,
}

impl Words<'_> {
    fn literal(&self, literal: Literal) -> String {
        literal.text(self.game)
    }

    fn proposition(&self, proposition: usize) -> String {
        self.literal(Literal::new(proposition, true))
    }

    fn group(&self, holds: &'static str, group: &[usize]) -> Group {
        let propositions = group.iter().map(|&base| self.proposition(base));
        Group {
            holds,
            propositions: propositions.collect(),
        }
    }

    /// Returns the names of the quantities that goals depend on, by number: those without a name in
    /// the rulesheet are called by a letter.
    fn names(&self, tables: &GoalTables) -> BTreeMap<usize, String> {
        let numbers = tables.goals.iter().flat_map(|goal| &goal.quantities);
        let numbers: BTreeSet<usize> = numbers.copied().collect();
        let mut letters = (0..).map(letter);
        let named = numbers.into_iter().filter_map(|number| {
            let name = self.own_name(&tables.quantities[number]);
            Some((number, name.or_else(|| letters.next())?))
        });
        named.collect()
    }

    /// Returns the rulesheet's name for a quantity.
    fn own_name(&self, quantity: &Quantity) -> Option<String> {
        let &Quantity::Wire(node) = quantity else {
            return None;
        };
        let (circuit, layout) = (self.game.lowered(), self.game.layout());
        match circuit.node(node) {
            Node::Input(base) => Some(self.proposition(base.index())),
            _ if circuit.outputs()[layout.terminal].node() == node => Some("terminal".to_string()),
            _ => None,
        }
    }

    /// The propositions that a node depends on.
    fn support(&self, node: NodeId) -> Vec<String> {
        let circuit = self.game.lowered();
        let cone = circuit.cone([Edge::from(node)]);
        let bases = self.game.layout().bases.clone();
        let read = bases.filter(|&base| cone.contains(circuit.inputs()[base]));
        read.map(|base| self.proposition(base)).collect()
    }

    /// Describes the quantities that goals depend on and that have no name in the rulesheet.
    fn counts(&self, tables: &GoalTables, names: &BTreeMap<usize, String>) -> Vec<Count> {
        let counts = names.iter().filter_map(|(&number, name)| {
            let (kind, of): (_, Vec<String>) = match &tables.quantities[number] {
                quantity if self.own_name(quantity).is_some() => return None,
                Quantity::Count(terms) => ("count", terms.iter().map(|t| self.term(t)).collect()),
                Quantity::Choice(group) => {
                    let inputs = group.inputs.iter();
                    (
                        "choice",
                        inputs.map(|i| self.proposition(i.index())).collect(),
                    )
                }
                Quantity::Wire(node) => ("function", self.support(*node)),
            };
            Some(Count {
                name: name.clone(),
                kind,
                of,
            })
        });
        counts.collect()
    }

    fn term(&self, term: &Term) -> String {
        let inputs = term.inputs.iter();
        let names: Vec<String> = inputs.map(|i| self.proposition(i.index())).collect();
        let any = match &names[..] {
            [name] => name.clone(),
            _ => format!("(or {})", names.join(" ")),
        };
        match term.is_inverted {
            true => format!("(not {any})"),
            false => any,
        }
    }

    fn goal_table(
        &self,
        tables: &GoalTables,
        names: &BTreeMap<usize, String>,
        table: &GoalTable,
    ) -> TableOfGoal {
        let quantities = || table.quantities.iter();
        let counts = |&number: &usize| matches!(tables.quantities[number], Quantity::Count(_));
        TableOfGoal {
            role: self.role(table.role).to_string(),
            goal: self.value(table.role, table.goal),
            by: quantities().map(|number| names[number].clone()).collect(),
            holds: table.values.iter().filter(|&&v| v == Some(true)).count(),
            combinations: table.values.iter().flatten().count(),
            method: match quantities().any(counts) {
                true => "symmetry",
                false => "enumeration",
            },
        }
    }

    fn role(&self, role: RoleId) -> &str {
        &self.game.roles()[role.index()]
    }

    fn value(&self, role: RoleId, goal: usize) -> i32 {
        self.game.propnet().roles[role.index()].goals[goal].value
    }

    fn goal(&self, goal: GoalLiteral) -> String {
        let text = format!(
            "(goal {} {})",
            self.role(goal.role),
            self.value(goal.role, goal.goal)
        );
        match goal.value {
            true => text,
            false => format!("(not {text})"),
        }
    }

    fn exclusion(&self, latch: &GoalLatch) -> Exclusion {
        let goals = latch
            .excluded
            .iter()
            .map(|&goal| self.value(latch.role, goal));
        Exclusion {
            literal: self.literal(latch.literal),
            role: self.role(latch.role).to_string(),
            goals: goals.collect(),
            method: latch.method.name(),
        }
    }

    fn sum(&self, linear: &Linear) -> Sum {
        let terms = linear.terms.iter().map(|(weight, counter)| SumTerm {
            weight: *weight,
            kind: match counter {
                Counter::Count(_) => "count",
                Counter::Choice(_) => "choice",
            },
            of: (counter.propositions().iter())
                .map(|&base| self.proposition(base))
                .collect(),
            pattern: counters::pattern(self.game, counter.propositions()),
        });
        Sum {
            terms: terms.collect(),
            constant: linear.constant,
            method: ProofMethod::Induction.name(),
        }
    }

    fn decided(&self, bounds: &CountBounds) -> Vec<Decided> {
        let once = |case: &Vec<usize>| -> Vec<String> {
            let values = bounds.counters.iter().zip(case);
            let reached = values.filter(|(_, value)| **value > 0);
            reached
                .map(|(counter, &value)| counters::value_text(self.game, counter, value))
                .collect()
        };
        let exclusions = bounds.exclusions.iter().map(|exclusion| Decided {
            role: self.role(exclusion.role).to_string(),
            goals: (exclusion.goals.iter())
                .map(|&goal| self.value(exclusion.role, goal))
                .collect(),
            once: exclusion.cases.iter().map(once).collect(),
            method: "enumeration",
        });
        exclusions.collect()
    }

    fn inhibitors(&self, facts: &Facts) -> Vec<Inhibitor> {
        let mut inhibited: BTreeMap<(usize, ProofMethod), Vec<String>> = BTreeMap::new();
        for fact in &facts.inhibitors {
            let group = inhibited
                .entry((fact.what.inhibitor, fact.method))
                .or_default();
            group.push(self.proposition(fact.what.inhibited));
        }
        let inhibitors = inhibited
            .into_iter()
            .map(|((base, how), inhibits)| Inhibitor {
                proposition: self.proposition(base),
                inhibits,
                method: how.name(),
            });
        inhibitors.collect()
    }

    pub(super) fn report(
        &self,
        facts: &Facts,
        influence: influence::Report,
        game: String,
        seed: u64,
        interrupted: bool,
    ) -> Report {
        let tables = facts.goal_tables.as_ref();
        let named = tables.map(|tables| (tables, self.names(tables)));
        let mut equivalences = Vec::new();
        let mut implications = Vec::new();
        let mut groups = Vec::new();
        let mut linear = Vec::new();
        for invariant in &facts.invariants {
            match invariant {
                Invariant::Constant(_) => {}
                Invariant::Implies(a, b) => {
                    implications.push((self.literal(*a), self.literal(*b)));
                }
                Invariant::Linear(sum) => linear.push(self.sum(sum)),
                Invariant::Equivalent(a, b) => {
                    equivalences.push((self.literal(*a), self.literal(*b)));
                }
                Invariant::ExactlyOne(group) => groups.push(self.group("exactly-one", group)),
                Invariant::AtMostOne(group) => groups.push(self.group("at-most-one", group)),
            }
        }
        let latch = |literal, how: ProofMethod| Latch {
            literal,
            method: how.name(),
        };
        let exclusions =
            |latches: &[GoalLatch]| latches.iter().map(|l| self.exclusion(l)).collect();
        let stages = facts.stages.iter().map(|stage| Stage {
            stage: stage.name,
            seconds: stage.time.as_secs_f64(),
            undecided: stage.undecided,
            is_cut: stage.is_cut,
        });
        let stages: Vec<Stage> = stages.collect();
        Report {
            game,
            propositions: self.game.propnet().bases.len(),
            random_steps: facts.steps,
            random_matches: facts.matches,
            seed,
            goal_sum_seen: facts.sum,
            goal_sum: tables.and_then(|tables| tables.sum),
            counts: (named.iter())
                .flat_map(|(tables, names)| self.counts(tables, names))
                .collect(),
            goal_tables: (named.iter())
                .flat_map(|(tables, names)| {
                    let goals = tables.goals.iter();
                    goals.map(|goal| self.goal_table(tables, names, goal))
                })
                .collect(),
            constants: facts
                .constants()
                .map(|literal| self.literal(literal))
                .collect(),
            equivalences,
            implications,
            groups,
            linear,
            latches: (facts.latches.iter())
                .map(|fact| latch(self.literal(fact.what), fact.method))
                .collect(),
            finals: facts
                .finals
                .iter()
                .map(|&literal| self.literal(literal))
                .collect(),
            composites: (facts.composites.iter())
                .map(|fact| latch(fact.what.text(self.game), fact.method))
                .collect(),
            latched_goals: (facts.latched_goals.iter())
                .map(|fact| latch(self.goal(fact.what), fact.method))
                .collect(),
            goal_latches: exclusions(facts.goal_latches.entries()),
            decided: (facts.count_bounds.iter())
                .flat_map(|bounds| self.decided(bounds))
                .collect(),
            decided_per_mille: facts.decided_per_mille,
            forced_goals: (facts.forced_goals.iter())
                .map(|forced| ForcedGoal {
                    literal: self.literal(forced.literal),
                    role: self.role(forced.role).to_string(),
                    goal: self.value(forced.role, forced.goal),
                    method: forced.method.name(),
                })
                .collect(),
            goal_inhibitors: exclusions(&facts.goal_inhibitors),
            inhibitors: self.inhibitors(facts),
            influence,
            seconds: stages.iter().map(|stage| stage.seconds).sum(),
            stages,
            limit_seconds: facts.time_limit.as_secs_f64(),
            interrupted,
            play: None,
        }
    }
}
