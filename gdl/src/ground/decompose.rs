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

use crate::ground::database::{Database, Dependence};
use crate::ground::plan::positive_atom;
use crate::ground::sizes::Sizes;
use crate::rules::{Atom, Keyword, Literal, Pattern, RelationId, Rule, Var};

/// The splitting of rules, with the relations that were made so far.
#[derive(Clone, Default)]
pub(crate) struct Decomposer {
    known: FxHashMap<Key, RelationId>,
}

/// The definition of a relation that was split off: the body of its rule, and the variables of its head.
type Key = (Vec<Literal>, Vec<Var>);

/// A rule that was split off another.
struct Split {
    key: Key,
    rule: Rule,
    cost: f64,
}

/// The rules that a rule was split into.
struct Decomposition {
    cost: f64,
    splits: Vec<Split>,
    /// The rest of the rule.
    rest: Rule,
}

/// A set of variables of one rule.
type VarSet = Vec<bool>;

/// Literals to be split off, as indices into the rule's body, with their variables.
struct Bucket {
    literals: Vec<usize>,
    /// Literals that are no conditions: they remain in the rule and also restrict the new relation.
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
        sizes: Sizes,
        database: &mut Database,
        out: &mut Vec<Rule>,
        stop: &Stop,
    ) {
        /// Splitting moves costs precision where propositions are found, so it should at least halve the cost...
        const GAIN: f64 = 2.0;
        /// ... of rules that are expensive.
        const EXPENSIVE: f64 = 1000.0;
        let by_projections = self.project_moves(rule, &sizes, database);
        let mut best = self.eliminate(rule.clone(), sizes, Vec::new(), database, stop);
        if best.cost > EXPENSIVE
            && let Some((projected, sizes, splits)) = by_projections
        {
            let other = self.eliminate(projected, sizes, splits, database, stop);
            if other.cost * GAIN < best.cost {
                best = other;
            }
        }
        for Split { key, rule, .. } in best.splits {
            self.known.insert(key, rule.head.relation);
            out.push(rule);
        }
        out.push(best.rest);
    }

    /// Replaces conditions on moves by several on parts of these: a role makes one move, so that each
    /// of its parts is unique. For example
    ///
    /// ```text
    /// (<= (next (cell ?x ?y b)) (does ?p (move ?a ?b ?c ?d)) (apart ?x ?y ?a ?b) (apart ?x ?y ?c ?d))
    /// ```
    ///
    /// depends on the start and the destination of the move, but not on both together:
    ///
    /// ```text
    /// (<= (from ?p ?a ?b) (does ?p (move ?a ?b ?c ?d)))
    /// (<= (to ?p ?c ?d) (does ?p (move ?a ?b ?c ?d)))
    /// (<= (next (cell ?x ?y b)) (from ?p ?a ?b) (to ?p ?c ?d) (apart ?x ?y ?a ?b) (apart ?x ?y ?c ?d))
    /// ```
    ///
    /// Returns the rule that results, and those that were split off. `None` if no move has several parts.
    fn project_moves(
        &self,
        rule: &Rule,
        sizes: &Sizes,
        database: &mut Database,
    ) -> Option<(Rule, Sizes, Vec<Split>)> {
        let (mut projected, mut sizes) = (rule.clone(), sizes.clone());
        let mut splits = Vec::new();
        for at in (0..rule.body.len()).rev() {
            let Some([role, action]) = move_at(rule, at) else {
                continue;
            };
            let parts = parts(rule, at, action);
            if parts.len() < 2 {
                continue;
            }
            let literal = projected.body.remove(at);
            sizes.remove(at);
            let moves = vars_of(&literal, rule.variables.len());
            let instances = sizes.bindings(members(&moves));
            for mut part in parts {
                role.for_each_var(&mut |var| part[var.index()] = true);
                let bucket = Bucket {
                    literals: vec![0],
                    restrictors: Vec::new(),
                    instances,
                    share: 1.0,
                    interface: members(&part).map(|var| Var(var as u32)).collect(),
                };
                let mut condition = Rule {
                    body: vec![literal.clone()],
                    ..rule.clone()
                };
                splits.extend(self.split(&mut condition, &bucket, &splits, database));
                projected.body.append(&mut condition.body);
                sizes.push_unknown();
            }
        }
        (projected.body.len() > rule.body.len()).then_some((projected, sizes, splits))
    }

    /// Eliminates variables of a rule as long as this makes it cheaper, after these rules were split off.
    fn eliminate(
        &self,
        rule: Rule,
        mut sizes: Sizes,
        mut splits: Vec<Split>,
        database: &mut Database,
        stop: &Stop,
    ) -> Decomposition {
        let mut spent: f64 = splits.iter().map(|split| split.cost).sum();
        let mut least = spent + cost(sizes.instances(&rule), &rule.body, database);
        let mut rest = rule.clone();
        let (mut best, mut count) = (rule, splits.len());
        // Splits may pay only together with later ones.
        while !stop.is_set()
            && let Some(bucket) = best_bucket(&rest, &sizes, database)
        {
            let split = self.split(&mut rest, &bucket, &splits, database);
            sizes.replace(&bucket.literals, &bucket.interface, bucket.share, database);
            if let Some(split) = split {
                spent += split.cost;
                splits.push(split);
            }
            let all = spent + cost(sizes.instances(&rest), &rest.body, database);
            if all < least {
                (least, best, count) = (all, rest.clone(), splits.len());
            }
        }
        splits.truncate(count);
        Decomposition {
            cost: least,
            splits,
            rest: best,
        }
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
        known.is_none().then(|| Split {
            key,
            cost: cost(bucket.instances, &new.body, database),
            rule: new,
        })
    }
}

/// The role and the move of a condition on moves.
fn move_at(rule: &Rule, at: usize) -> Option<[&Pattern; 2]> {
    let atom = positive_atom(&rule.body[at])?;
    let is_move = atom.relation == Keyword::Does.relation();
    is_move.then(|| [&atom.args[0], &atom.args[1]])
}

/// The sets of variables of a move that other conditions of the rule, or its head, mention together; none is part of
/// another.
fn parts(rule: &Rule, at: usize, action: &Pattern) -> Vec<VarSet> {
    let count = rule.variables.len();
    let mut of_move = vec![false; count];
    action.for_each_var(&mut |var| of_move[var.index()] = true);
    let mut head = vec![false; count];
    for pattern in &rule.head.args {
        pattern.for_each_var(&mut |var| head[var.index()] = true);
    }
    let others = (0..rule.body.len()).filter(|&other| other != at);
    let scopes = others.map(|other| vars_of(&rule.body[other], count));
    let mut parts: Vec<VarSet> = Vec::new();
    for mut scope in std::iter::once(head).chain(scopes) {
        for (is_in, of_move) in scope.iter_mut().zip(&of_move) {
            *is_in &= of_move;
        }
        let contains = |a: &VarSet, b: &VarSet| a.iter().zip(b).all(|(a, b)| *a || !b);
        if size(&scope) > 0 && !parts.iter().any(|part| contains(part, &scope)) {
            parts.retain(|part| !contains(&scope, part));
            parts.push(scope);
        }
    }
    parts
}

/// The cost of this number of instances of a rule with this body: of conditions that may become gates.
fn cost<'a>(
    instances: f64,
    body: impl IntoIterator<Item = &'a Literal>,
    database: &Database,
) -> f64 {
    let conditions = body
        .into_iter()
        .filter(|literal| dependence(literal, database) == Dependence::Dynamic);
    instances * conditions.count().max(1) as f64
}

/// Creates a relation for these literals to define.
fn new_relation(body: &[Literal], arity: usize, database: &mut Database) -> RelationId {
    let dependences: Vec<Dependence> = body.iter().map(|l| dependence(l, database)).collect();
    let of_all = [Dependence::Dynamic, Dependence::Demand]
        .into_iter()
        .find(|dependence| dependences.contains(dependence));
    database.add_relation(arity, of_all.unwrap_or(Dependence::Static))
}

/// What the literal depends on.
fn dependence(literal: &Literal, database: &Database) -> Dependence {
    let atom = literal.atom();
    atom.map_or(Dependence::Static, |atom| {
        database.dependence(atom.relation)
    })
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
        let cost = |bucket: &Bucket| {
            let literals = bucket.literals.iter().map(|&l| &rule.body[l]);
            cost(bucket.instances, literals, database)
        };
        let cost = cost(a).total_cmp(&cost(b));
        cost.then(a.literals.len().cmp(&b.literals.len()))
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
        .filter(|&l| dependence(&rule.body[l], database) != Dependence::Dynamic)
        .filter(|&l| size(&scopes[l]) > 0)
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

pub(super) fn renamed_literal(literal: &Literal, rename: &mut impl FnMut(Var) -> Var) -> Literal {
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

pub(super) fn renamed(pattern: &Pattern, rename: &mut impl FnMut(Var) -> Var) -> Pattern {
    match pattern {
        Pattern::Var(var) => Pattern::Var(rename(*var)),
        Pattern::Ground(term) => Pattern::Ground(*term),
        Pattern::Compound(functor, args) => Pattern::Compound(
            *functor,
            args.iter().map(|arg| renamed(arg, rename)).collect(),
        ),
    }
}
