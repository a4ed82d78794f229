//! Statistics: rough numbers of answers, by which conditions are ordered.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::rules::{Atom, Pattern, RelationId};
use crate::term::{Symbol, TermId, Terms};

use super::bound::Bound;
use super::program::{Call, Facts, Origin};
use super::shape::Shape;
use super::store::TableUsage;

/// The share of answers that a test of a derived relation is expected to leave: it comes before
/// all conditions with several answers, but after facts that are known to exclude more.
const DERIVED_TEST: f64 = 0.95;

/// The number of answers for each free argument where nothing was observed. It is
/// small, so that the unknown is tried, and observed, in the next sample.
const UNKNOWN_FAN_OUT: f64 = 2.0;

/// The sizes of a set of rows.
#[derive(Clone, Default)]
struct Columns {
    rows: f64,
    /// The number of different values in each column.
    distinct: Vec<f64>,
}

impl Columns {
    fn new<'a>(arity: usize, rows: impl Iterator<Item = &'a [TermId]>) -> Columns {
        let mut values = vec![FxHashSet::default(); arity];
        let mut count = 0;
        for row in rows {
            count += 1;
            for (column, &value) in values.iter_mut().zip(row) {
                column.insert(value);
            }
        }
        Columns {
            rows: f64::from(count),
            distinct: values.iter().map(|column| column.len() as f64).collect(),
        }
    }

    /// The expected number of rows when some columns are given, taking the
    /// columns as independent.
    fn fan_out(&self, args: &[Pattern], bound: &Bound) -> f64 {
        let given = args.iter().zip(&self.distinct);
        let values = given.filter(|(arg, _)| bound.covers(arg)).map(|(_, n)| n);
        self.rows / values.product::<f64>().max(1.0)
    }
}

/// The sizes of the facts, and of relations in sampled states.
#[derive(Clone)]
pub(super) struct Statistics {
    /// By relation.
    facts: Vec<Columns>,
    fluents: FxHashMap<(Symbol, usize), Columns>,
    all_fluents: f64,
    /// By derived relation and known arguments: the mean number of rows of a goal.
    derived: FxHashMap<(RelationId, Vec<bool>), f64>,
    roles: f64,
}

impl Statistics {
    /// `facts` are those of the relations of the rulesheet, `roles` is the number of roles.
    pub(super) fn new(facts: &[Facts], roles: usize) -> Statistics {
        let columns = facts
            .iter()
            .map(|facts| Columns::new(facts.arity, facts.rows()));
        Statistics {
            facts: columns.collect(),
            fluents: FxHashMap::default(),
            all_fluents: 0.0,
            derived: FxHashMap::default(),
            roles: roles as f64,
        }
    }

    /// Replaces the facts of a relation.
    pub(super) fn learn_facts(&mut self, relation: RelationId, facts: &Facts) {
        self.facts[relation.index()] = Columns::new(facts.arity, facts.rows());
    }

    /// Learns the sizes of fluents from sampled states.
    pub(super) fn learn_states<'a>(
        &mut self,
        states: impl Iterator<Item = &'a [TermId]>,
        terms: &Terms,
    ) {
        let mut by_functor: FxHashMap<(Symbol, usize), Vec<&[TermId]>> = FxHashMap::default();
        let (mut count, mut fluents) = (0, 0);
        for state in states {
            count += 1;
            fluents += state.len();
            for &fluent in state {
                let args = terms.args(fluent);
                let functor = (terms.functor(fluent), args.len());
                by_functor.entry(functor).or_default().push(args);
            }
        }
        let count = f64::from(count.max(1));
        self.all_fluents = fluents as f64 / count;
        for (functor, rows) in by_functor {
            let mut columns = Columns::new(functor.1, rows.into_iter());
            columns.rows /= count;
            self.fluents.insert(functor, columns);
        }
    }

    /// Learns the sizes of derived relations from the tables of calls.
    pub(super) fn learn_calls<'a>(
        &mut self,
        calls: impl Iterator<Item = (&'a Call, &'a TableUsage)>,
    ) {
        let mut sums: FxHashMap<(RelationId, Vec<bool>), TableUsage> = FxHashMap::default();
        for (call, usage) in calls {
            if let Origin::Clauses(relation) = call.origin {
                let known = call.shapes.iter().map(Shape::is_known).collect();
                let sum = sums.entry((relation, known)).or_default();
                sum.goals += usage.goals;
                sum.rows += usage.rows;
            }
        }
        sums.retain(|_, sum| sum.goals > 0);
        let means = sums
            .into_iter()
            .map(|(call, sum)| (call, sum.rows as f64 / sum.goals as f64));
        self.derived.extend(means);
    }

    /// The number of answers that the atom, whose relation has this origin, is expected to
    /// have when `bound` is known.
    pub(super) fn fan_out(&self, origin: Origin, atom: &Atom, bound: &Bound) -> f64 {
        let args = &atom.args;
        match origin {
            Origin::Facts(relation) => self.facts[relation.index()].fan_out(args, bound),
            Origin::Fluents => self.fluent_fan_out(&args[0], bound),
            Origin::Moves if bound.covers(&args[0]) => 1.0,
            Origin::Moves => self.roles,
            Origin::View(_) => 1.0,
            Origin::Clauses(relation) => {
                let known: Vec<bool> = args.iter().map(|arg| bound.covers(arg)).collect();
                let free = known.iter().filter(|&&known| !known).count();
                match self.derived.get(&(relation, known)) {
                    _ if free == 0 => DERIVED_TEST,
                    Some(mean) => mean.max(DERIVED_TEST),
                    None => UNKNOWN_FAN_OUT.powi(free as i32),
                }
            }
        }
    }

    fn fluent_fan_out(&self, fluent: &Pattern, bound: &Bound) -> f64 {
        if bound.covers(fluent) {
            return 0.5;
        }
        let Pattern::Compound(functor, args) = fluent else {
            return self.all_fluents;
        };
        if let Some(columns) = self.fluents.get(&(*functor, args.len())) {
            return columns.fan_out(args, bound);
        }
        let free = args.iter().filter(|arg| !bound.covers(arg)).count();
        UNKNOWN_FAN_OUT.powi(free as i32)
    }
}
