//! Demand: large relations are instantiated only as far as other rules ask for them.
//!
//! Bottom-up, a relation gets an atom for all values that its rules allow, however few are asked for. For example
//!
//! ```text
//! (<= (legal ?p (move ?a ?b)) (true (piece ?p ?a)) (step ?a ?b) (free ?a ?b ?p))
//! (<= (free ?a ?b ?p) (cell ?a) (cell ?b) (role ?p) (true (empty ?b)))
//! ```
//!
//! has an atom for each pair of cells, but after
//!
//! ```text
//! (<= (demand ?a ?b ?p) (true (piece ?p ?a)) (step ?a ?b))
//! (<= (free ?a ?b ?p) (demand ?a ?b ?p) (cell ?a) (cell ?b) (role ?p) (true (empty ?b)))
//! ```
//!
//! only for those that a piece may step between. These are magic sets (Bancilhon, Maier, Sagiv & Ullman 1986; Beeri &
//! Ramakrishnan 1991), with one pattern of bound arguments per relation: those that are bound wherever it is a
//! condition. What is demanded depends on what may hold in some state, so demand is no condition of ground rules.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ground::database::{Database, Dependence};
use crate::ground::decompose::{renamed, renamed_literal};
use crate::ground::plan::positive_atom;
use crate::ground::sizes::Sizes;
use crate::rules::{Atom, Literal, Pattern, RelationId, Rule, Rules, Var};
use crate::term::Terms;

/// The relations that are restricted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extent {
    /// Those of which fewer atoms are demanded, by estimate, than there are.
    Promising,
    /// All large ones: estimates take conditions to be independent of each other.
    All,
}

/// Restricts the relations that may have many atoms among the heads of these rules to what is demanded. Returns the
/// rules that result, and whether more could be restricted that does not promise to get much smaller.
pub(super) fn restrict(
    rules: &[&Rule],
    sizes: &[Sizes],
    extent: Extent,
    terms: &Terms,
    database: &mut Database,
) -> (Vec<Rule>, bool) {
    let mut demands = Demands::of(rules, sizes, database);
    demands.choose(rules, database);
    demands.number(database);
    let restricted = demands.rules(rules, database);
    if extent == Extent::All {
        return (restricted, false);
    }
    let has_more = demands.drop_useless(&restricted, terms, database);
    demands.weaken(rules, database);
    demands.number(database);
    (demands.rules(rules, database), has_more)
}

/// The demand for one relation.
struct Demand {
    /// For each argument whether it is demanded: it is bound wherever the relation is a condition.
    bound: Vec<bool>,
    /// For each argument whether some rule leaves it open: whatever value it has, nothing else depends on it.
    open: Vec<bool>,
    /// The estimated number of values of each argument.
    values: Vec<f64>,
    /// The estimated number of atoms.
    atoms: f64,
    /// The relation of the arguments that are demanded.
    relation: RelationId,
}

impl Demand {
    /// Nothing is known yet of a relation with an atom like this.
    fn new(head: &Atom) -> Demand {
        let count = head.args.len();
        Demand {
            bound: vec![true; count],
            open: vec![false; count],
            values: vec![1.0; count],
            atoms: 0.0,
            relation: head.relation,
        }
    }

    /// The demand for an atom of the relation.
    fn atom(&self, atom: &Atom) -> Atom {
        let args = atom.args.iter().zip(&self.bound);
        Atom {
            relation: self.relation,
            args: (args.filter(|(_, bound)| **bound))
                .map(|(arg, _)| arg.clone())
                .collect(),
        }
    }

    /// Whether there are far fewer demands than atoms.
    fn is_selective(&self) -> bool {
        const FEWER: f64 = 10.0;
        let bound = self.values.iter().zip(&self.bound);
        let demands: f64 = bound.filter(|(_, bound)| **bound).map(|(v, _)| v).product();
        demands * FEWER <= self.atoms
    }
}

/// A condition on a restricted relation, by its place in the body, with the conditions that come before it.
struct Call {
    at: usize,
    bound: Vec<bool>,
    /// Conditions on restricted relations that bind variables before this one.
    before: Vec<usize>,
}

/// The demand for each restricted relation.
struct Demands {
    of: FxHashMap<RelationId, Demand>,
}

impl Demands {
    /// The relations that may be restricted, with all arguments bound.
    fn of(rules: &[&Rule], sizes: &[Sizes], database: &Database) -> Demands {
        /// The estimated number of atoms from which on a relation is large.
        const LARGE: f64 = 10_000.0;
        let mut restricted: FxHashSet<RelationId> = (rules.iter().zip(sizes))
            .filter(|(rule, sizes)| sizes.atoms(rule) > LARGE)
            .map(|(rule, _)| rule.head.relation)
            .filter(|&relation| Rules::keyword(relation).is_none())
            .collect();
        // Relations that ask for restricted ones are restricted, too: else they would ask for all atoms.
        let mut askers: FxHashMap<RelationId, Vec<RelationId>> = FxHashMap::default();
        for rule in rules {
            let head = rule.head.relation;
            for atom in rule.body.iter().filter_map(Literal::atom) {
                if Rules::keyword(head).is_none() {
                    askers.entry(atom.relation).or_default().push(head);
                }
            }
        }
        let mut waiting: Vec<RelationId> = restricted.iter().copied().collect();
        while let Some(relation) = waiting.pop() {
            for &asker in askers.get(&relation).into_iter().flatten() {
                if restricted.insert(asker) {
                    waiting.push(asker);
                }
            }
        }
        let mut demands = Demands {
            of: FxHashMap::default(),
        };
        for (rule, sizes) in rules.iter().zip(sizes) {
            if restricted.contains(&rule.head.relation) {
                let demand = (demands.of.entry(rule.head.relation))
                    .or_insert_with(|| Demand::new(&rule.head));
                demand.atoms = demand.atoms.max(sizes.atoms(rule));
                for (values, arg) in demand.values.iter_mut().zip(&rule.head.args) {
                    let mut vars = Vec::new();
                    arg.for_each_var(&mut |var| vars.push(var.index()));
                    *values = values.max(sizes.bindings(vars));
                }
            }
        }
        demands.find_open(rules, sizes, database);
        demands
    }

    /// Finds the arguments that rules leave open.
    fn find_open(&mut self, rules: &[&Rule], sizes: &[Sizes], database: &Database) {
        let mut changed = true;
        while changed {
            changed = false;
            for (rule, sizes) in rules.iter().zip(sizes) {
                for (argument, pattern) in rule.head.args.iter().enumerate() {
                    let Pattern::Var(var) = *pattern else {
                        continue;
                    };
                    let is_open = self.of.contains_key(&rule.head.relation)
                        && is_open(rule, var, sizes, &self.of, database);
                    if let Some(demand) = self.of.get_mut(&rule.head.relation)
                        && is_open
                    {
                        changed |= !std::mem::replace(&mut demand.open[argument], true);
                    }
                }
            }
        }
    }

    /// Chooses the arguments that are demanded: all that are bound in all conditions if this is selective, else those
    /// of them that are open, since others are better found bottom-up.
    fn choose(&mut self, rules: &[&Rule], database: &Database) {
        self.weaken(rules, database);
        for demand in self.of.values_mut() {
            if !demand.is_selective() {
                let open = demand.open.iter();
                (demand.bound.iter_mut().zip(open)).for_each(|(bound, open)| *bound &= open);
            }
        }
        self.weaken(rules, database);
    }

    /// Adds the relations of demands.
    fn number(&mut self, database: &mut Database) {
        let mut demands: Vec<(&RelationId, &mut Demand)> = self.of.iter_mut().collect();
        demands.sort_unstable_by_key(|(relation, _)| **relation);
        for (_, demand) in demands {
            let arity = demand.bound.iter().filter(|&&bound| bound).count();
            demand.relation = database.add_relation(arity, Dependence::Demand);
        }
    }

    /// Drops demands for about as many values as there are, by estimate, if these are few or about as many as there are
    /// atoms. Returns whether one of them is for many values.
    fn drop_useless(&mut self, rules: &[Rule], terms: &Terms, database: &mut Database) -> bool {
        /// The part of all values, or of all atoms, that is about as many.
        const MOST: f64 = 0.5;
        const FEW: f64 = 1000.0;
        let rules: Vec<&Rule> = rules.iter().collect();
        let mut demanded: FxHashMap<RelationId, f64> = FxHashMap::default();
        for (rule, sizes) in rules.iter().zip(Sizes::of(&rules, terms, database)) {
            if database.dependence(rule.head.relation) == Dependence::Demand {
                let all = demanded.entry(rule.head.relation).or_default();
                *all = all.max(sizes.atoms(rule));
            }
        }
        let mut has_large = false;
        self.of.retain(|_, demand| {
            let values = demand.values.iter().zip(&demand.bound);
            let values: f64 = (values.filter(|(_, bound)| **bound))
                .map(|(values, _)| values)
                .product();
            let Some(&demanded) = demanded.get(&demand.relation) else {
                return true;
            };
            let is_small = values <= FEW || demanded >= demand.atoms * MOST;
            let is_kept = !is_small || demanded < values * MOST;
            has_large |= !is_kept && values > FEW;
            is_kept
        });
        has_large
    }

    /// Finds the arguments that are bound in all conditions; relations without any are not restricted.
    fn weaken(&mut self, rules: &[&Rule], database: &Database) {
        let mut changed = true;
        while changed {
            changed = false;
            for rule in rules {
                for call in self.calls(rule, database) {
                    let relation = atom_at(rule, call.at).relation;
                    let bound = &mut self.of.get_mut(&relation).expect("restricted").bound;
                    for (bound, is_bound) in bound.iter_mut().zip(call.bound) {
                        changed |= *bound && !is_bound;
                        *bound &= is_bound;
                    }
                }
            }
            let count = self.of.len();
            self.of.retain(|_, demand| demand.bound.contains(&true));
            changed |= self.of.len() < count;
        }
    }

    /// The conditions of a rule on restricted relations, in the order in which they are demanded: those with the fewest
    /// unbound arguments first.
    fn calls(&self, rule: &Rule, database: &Database) -> Vec<Call> {
        let is_restricted = |at: &usize| {
            let atom = rule.body[*at].atom();
            atom.is_some_and(|atom| self.of.contains_key(&atom.relation))
        };
        let mut is_bound = vec![false; rule.variables.len()];
        if let Some(demand) = self.of.get(&rule.head.relation) {
            bind(&demand.atom(&rule.head), &mut is_bound);
        }
        let (mut waiting, others): (Vec<usize>, Vec<usize>) =
            (0..rule.body.len()).partition(is_restricted);
        let mut others: Vec<&Atom> = others
            .into_iter()
            .filter_map(|at| positive_atom(&rule.body[at]))
            .collect();
        // Static conditions that nothing else is connected with would bind all values that there are.
        let is_static = |atom: &Atom| database.dependence(atom.relation) == Dependence::Static;
        let binds = |atom: &Atom, is_bound: &[bool]| {
            let mut is_connected = !is_static(atom);
            for arg in &atom.args {
                arg.for_each_var(&mut |var| is_connected |= is_bound[var.index()]);
            }
            is_connected
        };
        while let Some(next) = others.iter().position(|atom| binds(atom, &is_bound)) {
            bind(others.swap_remove(next), &mut is_bound);
        }
        let (mut calls, mut before) = (Vec::new(), Vec::new());
        // Terms that are demanded must not be nested ever deeper.
        let may_nest = !self.of.contains_key(&rule.head.relation);
        while !waiting.is_empty() {
            let unbound = |at: usize| {
                let bound = bound_args(atom_at(rule, at), &is_bound, may_nest);
                let is_negative = matches!(rule.body[at], Literal::Negative(_));
                let count = bound.iter().filter(|&&bound| !bound).count();
                (is_negative, count)
            };
            let (next, _) = (waiting.iter().enumerate())
                .min_by_key(|&(_, &at)| unbound(at))
                .expect("some condition is waiting");
            let at = waiting.remove(next);
            let atom = atom_at(rule, at);
            calls.push(Call {
                at,
                bound: bound_args(atom, &is_bound, may_nest),
                before: before.clone(),
            });
            if matches!(rule.body[at], Literal::Positive(_)) {
                bind(atom, &mut is_bound);
                before.push(at);
            }
        }
        calls
    }

    /// The rules, restricted, and those for what they demand.
    fn rules(&self, rules: &[&Rule], database: &Database) -> Vec<Rule> {
        let mut known = FxHashSet::default();
        let mut out = Vec::new();
        for rule in rules {
            for call in self.calls(rule, database) {
                let demand = self.demand_rule(rule, &call, database);
                let is_trivial = demand.body.iter().any(
                    |literal| matches!(literal, Literal::Positive(atom) if *atom == demand.head),
                );
                if !is_trivial && known.insert((demand.head.clone(), demand.body.clone())) {
                    out.push(demand);
                }
            }
            let mut rule = (*rule).clone();
            if let Some(demand) = self.of.get(&rule.head.relation) {
                rule.body
                    .insert(0, Literal::Positive(demand.atom(&rule.head)));
            }
            out.push(rule);
        }
        out
    }

    /// The rule for what a condition demands: under the demand for the head, what the conditions before it bind.
    fn demand_rule(&self, rule: &Rule, call: &Call, database: &Database) -> Rule {
        let atom = atom_at(rule, call.at);
        let head = self.of[&atom.relation].atom(atom);
        let of_head = self.of.get(&rule.head.relation);
        let of_head = of_head.map(|demand| demand.atom(&rule.head));
        let count = rule.variables.len();
        let (mut is_bound, mut is_needed) = (vec![false; count], vec![false; count]);
        if let Some(of_head) = &of_head {
            bind(of_head, &mut is_bound);
        }
        bind(&head, &mut is_needed);
        let mentions = |at: usize, of: &[bool]| {
            let (mut any, mut all) = (false, true);
            rule.body[at].for_each_var(&mut |var| {
                any |= of[var.index()];
                all &= of[var.index()];
            });
            (any, all)
        };
        // Conditions that share variables with what is demanded, directly or by others.
        let is_candidate = |at: &usize| match &rule.body[*at] {
            Literal::Positive(atom) => {
                !self.of.contains_key(&atom.relation) || call.before.contains(at)
            }
            _ => false,
        };
        let mut waiting: Vec<usize> = (0..rule.body.len()).filter(is_candidate).collect();
        let mut is_taken = vec![false; rule.body.len()];
        while let Some(next) = waiting.iter().position(|&at| mentions(at, &is_needed).0) {
            let at = waiting.remove(next);
            is_taken[at] = true;
            bind(atom_at(rule, at), &mut is_needed);
            bind(atom_at(rule, at), &mut is_bound);
        }
        for (at, taken) in is_taken.iter_mut().enumerate() {
            *taken |= match &rule.body[at] {
                Literal::Positive(_) => false,
                Literal::Negative(atom) => {
                    database.dependence(atom.relation) == Dependence::Static
                        && mentions(at, &is_bound).1
                }
                Literal::Distinct(..) => mentions(at, &is_bound).1,
            };
        }
        let taken = (rule.body.iter().zip(is_taken)).filter(|(_, is_taken)| *is_taken);
        let body = (of_head.into_iter().map(Literal::Positive))
            .chain(taken.map(|(literal, _)| literal.clone()));
        renumbered(head, body.collect(), rule)
    }
}

/// Returns whether the conditions of a rule leave a variable open.
fn is_open(
    rule: &Rule,
    var: Var,
    sizes: &Sizes,
    open: &FxHashMap<RelationId, Demand>,
    database: &Database,
) -> bool {
    /// A static condition that allows this share of all bindings of several variables does not restrict them.
    const MOST: f64 = 0.5;
    for (at, literal) in rule.body.iter().enumerate() {
        let Literal::Positive(atom) = literal else {
            continue;
        };
        let (mut mentions, mut alone) = (false, true);
        literal.for_each_var(&mut |other| {
            mentions |= other == var;
            alone &= other == var;
        });
        if !mentions {
            continue;
        }
        if database.dependence(atom.relation) == Dependence::Static {
            if alone || sizes.share(&[at]) >= MOST {
                continue;
            }
            return false;
        }
        let Some(demand) = open.get(&atom.relation) else {
            return false;
        };
        for (arg, open) in atom.args.iter().zip(&demand.open) {
            let mut mentions = false;
            arg.for_each_var(&mut |other| mentions |= other == var);
            if mentions && !(*open && *arg == Pattern::Var(var)) {
                return false;
            }
        }
    }
    true
}

/// The rule with only the variables that it has, numbered anew.
fn renumbered(head: Atom, body: Vec<Literal>, of: &Rule) -> Rule {
    let mut numbers = vec![None; of.variables.len()];
    let mut variables = Vec::new();
    let mut rename = |var: Var| {
        *numbers[var.index()].get_or_insert_with(|| {
            variables.push(of.variables[var.index()]);
            Var(variables.len() as u32 - 1)
        })
    };
    let args = head.args.iter().map(|arg| renamed(arg, &mut rename));
    let head = Atom {
        relation: head.relation,
        args: args.collect(),
    };
    let body = body.iter().map(|l| renamed_literal(l, &mut rename));
    Rule {
        head,
        body: body.collect(),
        variables,
        span: of.span,
    }
}

/// The atom of a condition that has one.
fn atom_at(rule: &Rule, at: usize) -> &Atom {
    rule.body[at].atom().expect("the condition has an atom")
}

/// Marks the variables of an atom as bound.
fn bind(atom: &Atom, is_bound: &mut [bool]) {
    for arg in &atom.args {
        arg.for_each_var(&mut |var| is_bound[var.index()] = true);
    }
}

/// For each argument of an atom whether it is bound; compound ones only where they may be nested.
fn bound_args(atom: &Atom, is_bound: &[bool], may_nest: bool) -> Vec<bool> {
    let is_bound_arg = |arg: &Pattern| {
        let mut all = may_nest || !matches!(arg, Pattern::Compound(..));
        arg.for_each_var(&mut |var| all &= is_bound[var.index()]);
        all
    };
    atom.args.iter().map(is_bound_arg).collect()
}
