//! Decomposition: rules are split so that they have fewer variables, since the number of
//! ground instances grows exponentially with the variables of a rule.
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

use rustc_hash::FxHashMap;

use crate::rules::{Atom, Literal, Pattern, Relation, RelationId, Rule, Var};
use crate::term::Terms;

/// The names, relations and new relations of the rules that are split.
pub(crate) struct Decomposer<'a> {
    pub terms: &'a mut Terms,
    pub relations: &'a mut Vec<Relation>,
    /// For each relation whether it is independent of the state and the moves.
    pub is_static: &'a mut Vec<bool>,
    known: FxHashMap<(Vec<Literal>, Vec<Var>), RelationId>,
}

/// A set of variables of one rule.
type VarSet = Vec<bool>;

/// Literals to be split off, as indices into the rule's body, with their variables.
struct Bucket {
    literals: Vec<usize>,
    /// Static literals that remain in the rule and also restrict the new relation.
    restrictors: Vec<usize>,
    /// The number of variables of the literals.
    scope: usize,
    /// The variables of the literals that are used elsewhere.
    interface: Vec<Var>,
}

impl<'a> Decomposer<'a> {
    pub(super) fn new(
        terms: &'a mut Terms,
        relations: &'a mut Vec<Relation>,
        is_static: &'a mut Vec<bool>,
    ) -> Decomposer<'a> {
        Decomposer {
            terms,
            relations,
            is_static,
            known: FxHashMap::default(),
        }
    }

    /// Splits a rule as long as that saves variables. New rules are appended to `out`, what
    /// remains of the rule last.
    pub(super) fn decompose(&mut self, mut rule: Rule, out: &mut Vec<Rule>) {
        while let Some(bucket) = self.best_bucket(&rule) {
            self.split(&mut rule, &bucket, out);
        }
        out.push(rule);
    }

    fn literal_is_static(&self, literal: &Literal) -> bool {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                self.is_static[atom.relation.index()]
            }
            Literal::Distinct(..) => true,
        }
    }

    /// The bucket with the fewest variables, if any has fewer than the rule.
    fn best_bucket(&self, rule: &Rule) -> Option<Bucket> {
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
        let total = size(&used);
        let candidates = (0..count).filter(|&v| used[v] && !in_head[v]);
        let buckets = candidates.filter_map(|v| self.bucket(rule, &scopes, &in_head, v));
        buckets
            .filter(|bucket| bucket.scope < total)
            .min_by_key(|bucket| (bucket.scope, bucket.literals.len()))
    }

    /// The literals that mention variable `v`, if they can stand alone.
    fn bucket(&self, rule: &Rule, scopes: &[VarSet], in_head: &VarSet, v: usize) -> Option<Bucket> {
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
            .filter(|&l| self.literal_is_static(&rule.body[l]) && size(&scopes[l]) > 0)
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
        let interface = (0..scope.len()).filter(|&w| scope[w] && elsewhere[w]);
        is_safe.then(|| Bucket {
            interface: interface.map(|w| Var(w as u32)).collect(),
            scope: size(&scope),
            literals,
            restrictors,
        })
    }

    /// Replaces the bucket's literals in the rule by an atom of a relation that they define.
    fn split(&mut self, rule: &mut Rule, bucket: &Bucket, out: &mut Vec<Rule>) {
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
        let relation = match self.known.get(&key) {
            Some(&relation) => relation,
            None => {
                let relation = self.new_relation(&key.0, key.1.len());
                out.push(Rule {
                    head: Atom {
                        relation,
                        args: key.1.iter().copied().map(Pattern::Var).collect(),
                    },
                    body: key.0.clone(),
                    variables,
                    span: rule.span,
                });
                self.known.insert(key, relation);
                relation
            }
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
    }

    fn new_relation(&mut self, body: &[Literal], arity: usize) -> RelationId {
        let id = RelationId(self.relations.len() as u32);
        let is_static = body.iter().all(|literal| self.literal_is_static(literal));
        // The blank in the name keeps it apart from all that a rulesheet can spell.
        let name = self.terms.symbol(&format!("some {}", id.0));
        self.relations.push(Relation { name, arity });
        self.is_static.push(is_static);
        id
    }
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
