//! Decomposition: rules are split so that they have fewer instances, since their number grows
//! exponentially with the variables of a rule.
//!
//! A variable that does not occur in the head is existentially quantified: the literals that
//! mention it become the body of a new relation over their other variables, which takes their
//! place. For example
//!
//! ```text
//! (<= (next (cell ?x ?y b)) (true (cell ?x ?y b)) (does ?p (move ?a ?b ?c ?d)) (distinct ?x ?a))
//! ```
//!
//! has an instance for every cell *and* move, but after
//!
//! ```text
//! (<= (aux ?a) (does ?p (move ?a ?b ?c ?d)))
//! (<= (next (cell ?x ?y b)) (true (cell ?x ?y b)) (aux ?a) (distinct ?x ?a))
//! ```
//!
//! one for every move, and one for every cell and column. This is bucket
//! elimination (Dechter 1999), used on rule bodies as in lpopt (Bichler,
//! Morak & Woltran 2016); it also factors the circuit that follows.
//!
//! The number of instances is [estimated](super::sizes). The variable whose relation has the fewest
//! is eliminated first; of all the rules that result, those with the fewest conditions are taken,
//! counting the rules that were split off before.

use propjit_stop::Stop;
use rustc_hash::FxHashMap;

use crate::ground::database::Database;
use crate::ground::sizes::Sizes;
use crate::rules::{Atom, Literal, Pattern, RelationId, Rule, Var};

/// The splitting of rules, with the relations that were made so far.
#[derive(Default)]
pub(crate) struct Decomposer {
    known: FxHashMap<Key, RelationId>,
}

/// The definition of a relation that was split off: the body of its rule, and the variables of its head.
type Key = (Vec<Literal>, Vec<Var>);

/// A rule that was split off another.
struct Split {
    key: Key,
    rule: Rule,
}

/// A set of variables of one rule.
type VarSet = Vec<bool>;

/// Literals to be split off, as indices into the rule's body, with their variables.
struct Bucket {
    literals: Vec<usize>,
    /// Static literals that remain in the rule and also restrict the new relation.
    restrictors: Vec<usize>,
    /// The estimated number of instances of the new relation's rule.
    instances: f64,
    /// The part of the bindings of the interface that the new relation allows.
    share: f64,
    /// The variables of the literals that are used elsewhere.
    interface: Vec<Var>,
}

impl Decomposer {
    /// Splits a rule into the cheapest set of rules. New rules are appended to `out`, the rest of
    /// the rule last. After a stop, it is split no further.
    pub(super) fn decompose(
        &mut self,
        rule: &Rule,
        mut sizes: Sizes,
        database: &mut Database,
        out: &mut Vec<Rule>,
        stop: &Stop,
    ) {
        let mut least = cost(sizes.instances(rule), rule, database);
        let mut splits: Vec<Split> = Vec::new();
        let (mut rest, mut spent) = (rule.clone(), 0.0);
        let (mut best, mut count) = (rule.clone(), 0);
        // Splits may pay only together with later ones.
        while !stop.is_set()
            && let Some(bucket) = best_bucket(&rest, &sizes, database)
        {
            let split = self.split(&mut rest, &bucket, &splits, database);
            sizes.replace(&bucket.literals, &bucket.interface, bucket.share, database);
            if let Some(split) = split {
                spent += cost(bucket.instances, &split.rule, database);
                splits.push(split);
            }
            let all = spent + cost(sizes.instances(&rest), &rest, database);
            if all < least {
                (least, best, count) = (all, rest.clone(), splits.len());
            }
        }
        for Split { key, rule } in splits.drain(..count) {
            self.known.insert(key, rule.head.relation);
            out.push(rule);
        }
        out.push(best);
    }

    /// Replaces the bucket's literals in the rule by an atom of a relation that they define, and
    /// returns the rule of that if it is new.
    fn split(
        &self,
        rule: &mut Rule,
        bucket: &Bucket,
        splits: &[Split],
        database: &mut Database,
    ) -> Option<Split> {
        let mut renaming = vec![None; rule.variables.len()];
        let mut variables = Vec::new();
        let mut rename = |var: Var| {
            *renaming[var.index()].get_or_insert_with(|| {
                variables.push(rule.variables[var.index()]);
                Var(variables.len() as u32 - 1)
            })
        };
        let literals = bucket.literals.iter().chain(&bucket.restrictors);
        let body: Vec<Literal> = literals
            .map(|&l| renamed_literal(&rule.body[l], &mut rename))
            .collect();
        let head: Vec<Var> = bucket.interface.iter().map(|&var| rename(var)).collect();
        let key = (body, head);
        let of_this_rule = splits.iter().find(|split| split.key == key);
        let known = self.known.get(&key).copied();
        let known = known.or(of_this_rule.map(|split| split.rule.head.relation));
        let relation = known.unwrap_or_else(|| new_relation(&key.0, key.1.len(), database));
        let new = Rule {
            head: Atom {
                relation,
                args: key.1.iter().copied().map(Pattern::Var).collect(),
            },
            body: key.0.clone(),
            variables,
            span: rule.span,
        };
        let atom = Atom {
            relation,
            args: bucket.interface.iter().copied().map(Pattern::Var).collect(),
        };
        let mut at = 0;
        rule.body.retain(|_| {
            at += 1;
            !bucket.literals.contains(&(at - 1))
        });
        rule.body.push(Literal::Positive(atom));
        known.is_none().then_some(Split { key, rule: new })
    }
}

/// The cost of this number of instances of a rule: of conditions that may become gates.
fn cost(instances: f64, rule: &Rule, database: &Database) -> f64 {
    let body = rule.body.iter();
    let conditions = body.filter(|literal| !is_static(literal, database));
    instances * conditions.count().max(1) as f64
}

/// Creates a relation for these literals to define.
fn new_relation(body: &[Literal], arity: usize, database: &mut Database) -> RelationId {
    let is_static = body.iter().all(|literal| is_static(literal, database));
    database.add_relation(arity, is_static)
}

/// Whether the literal depends on neither the state nor the moves.
fn is_static(literal: &Literal, database: &Database) -> bool {
    let atom = literal.atom();
    atom.is_none_or(|atom| database.is_static(atom.relation))
}

/// The bucket with the fewest instances.
fn best_bucket(rule: &Rule, sizes: &Sizes, database: &Database) -> Option<Bucket> {
    // Every round costs variables times literals; rules beyond this are
    // tables written as rules, which splitting does not help.
    const MAX_SIZE: usize = 100_000;
    let count = rule.variables.len();
    if rule.body.len() < 2 || count * rule.body.len() > MAX_SIZE {
        return None;
    }
    let scopes: Vec<VarSet> = rule.body.iter().map(|l| vars_of(l, count)).collect();
    let mut in_head = vec![false; count];
    for pattern in &rule.head.args {
        pattern.for_each_var(&mut |var| in_head[var.index()] = true);
    }
    let mut used = in_head.clone();
    scopes.iter().for_each(|scope| unite(&mut used, scope));
    let candidates = (0..count).filter(|&v| used[v] && !in_head[v]);
    let context = (rule, database, sizes);
    let buckets = candidates.filter_map(|v| bucket(context, &scopes, &in_head, v));
    buckets.min_by(|a, b| {
        let instances = a.instances.total_cmp(&b.instances);
        instances.then(a.literals.len().cmp(&b.literals.len()))
    })
}

/// The literals that mention variable `v`, if they can stand alone.
fn bucket(
    (rule, database, sizes): (&Rule, &Database, &Sizes),
    scopes: &[VarSet],
    in_head: &VarSet,
    v: usize,
) -> Option<Bucket> {
    let (literals, others): (Vec<usize>, Vec<usize>) =
        (0..scopes.len()).partition(|&l| scopes[l][v]);
    if others.is_empty() {
        return None;
    }
    let mut scope = vec![false; in_head.len()];
    literals.iter().for_each(|&l| unite(&mut scope, &scopes[l]));
    let mut elsewhere = in_head.clone();
    others
        .iter()
        .for_each(|&l| unite(&mut elsewhere, &scopes[l]));
    let restrictors: Vec<usize> = others
        .iter()
        .copied()
        .filter(|&l| is_static(&rule.body[l], database) && size(&scopes[l]) > 0)
        .filter(|&l| {
            scopes[l]
                .iter()
                .zip(&scope)
                .all(|(has, inside)| !has || *inside)
        })
        .collect();
    let mut bound = vec![false; in_head.len()];
    for &l in literals.iter().chain(&restrictors) {
        if matches!(rule.body[l], Literal::Positive(_)) {
            unite(&mut bound, &scopes[l]);
        }
    }
    let is_safe = scope
        .iter()
        .zip(&bound)
        .all(|(needed, bound)| !needed || *bound);
    let interface = members(&scope).filter(|&w| elsewhere[w]);
    let instances =
        sizes.bindings(members(&scope)) * sizes.share(literals.iter().chain(&restrictors));
    // The share that the new relation allows, relative to its restrictors, which remain in the rule.
    let bindings = sizes.bindings(interface.clone()) * sizes.share(&restrictors);
    let share = (instances / bindings).min(1.0);
    is_safe.then(|| Bucket {
        interface: interface.map(|w| Var(w as u32)).collect(),
        instances,
        share,
        literals,
        restrictors,
    })
}

fn vars_of(literal: &Literal, count: usize) -> VarSet {
    let mut vars = vec![false; count];
    literal.for_each_var(&mut |var| vars[var.index()] = true);
    vars
}

fn unite(into: &mut VarSet, other: &VarSet) {
    for (into, other) in into.iter_mut().zip(other) {
        *into |= other;
    }
}

fn members(set: &VarSet) -> impl Iterator<Item = usize> + Clone {
    (0..set.len()).filter(|&var| set[var])
}

fn size(set: &VarSet) -> usize {
    set.iter().filter(|&&is_in| is_in).count()
}

fn renamed_literal(literal: &Literal, rename: &mut impl FnMut(Var) -> Var) -> Literal {
    let atom = |atom: &Atom, rename: &mut _| Atom {
        relation: atom.relation,
        args: atom.args.iter().map(|arg| renamed(arg, rename)).collect(),
    };
    match literal {
        Literal::Positive(a) => Literal::Positive(atom(a, rename)),
        Literal::Negative(a) => Literal::Negative(atom(a, rename)),
        Literal::Distinct(a, b) => Literal::Distinct(renamed(a, rename), renamed(b, rename)),
    }
}

fn renamed(pattern: &Pattern, rename: &mut impl FnMut(Var) -> Var) -> Pattern {
    match pattern {
        Pattern::Var(var) => Pattern::Var(rename(*var)),
        Pattern::Ground(term) => Pattern::Ground(*term),
        Pattern::Compound(functor, args) => Pattern::Compound(
            *functor,
            args.iter().map(|arg| renamed(arg, rename)).collect(),
        ),
    }
}
