//! An interpreter of GDL that shares nothing with the one that is tested: naive, bottom-up, from the specification
//! (Love, Hinrichs, Haley, Schkufza and Genesereth, "General Game Playing: Game Description Language
//! Specification", 2008).
//!
//! - `kif` reads the text; `terms` are those without variables; `rules` are what the text says.
//! - `strata` finds the order in which relations are known; `facts` has what follows from rules.
//! - `traces` compares it with recorded matches. `compare` plays random matches beside what is tested: of what
//!   `program` makes in `random_programs`, and of `public_games`; `values` is for what is proved.
//!
//! A relation that depends on its own negation has the well-founded model, if that decides everything (Van Gelder,
//! "The Alternating Fixpoint of Logic Programs with Negation", 1993).

mod compare;
mod facts;
mod kif;
mod program;
mod public_games;
mod random_programs;
mod rules;
mod strata;
mod terms;
mod traces;
mod values;

use std::cell::Cell;

use rustc_hash::FxHashSet;

use facts::{Facts, Table};
use rules::{DOES, GAME, GOAL, INIT, LEGAL, NEXT, ROLE, Reader, Rule, SEES, TERMINAL, TRUE};
use strata::{Stage, Stratum, strata};
pub(crate) use terms::Term;

/// There is more work than is allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooMuch;

/// The propositions that hold, sorted.
pub(crate) type Fluents = Vec<Term>;

/// A game, and what holds in one of its states.
pub(crate) struct Oracle {
    reader: Reader,
    rules: Vec<Rule>,
    strata: Vec<Stratum>,
    /// By relation.
    tables: Vec<Table>,
    roles: Vec<Term>,
    /// How many facts may still be looked at.
    work: Cell<u64>,
}

impl Oracle {
    /// The game with these rules, and a limit on the facts that may be evaluated.
    pub(crate) fn new(text: &str, work: u64) -> Result<Oracle, TooMuch> {
        let mut reader = Reader::new();
        let rules = reader.rules(text);
        let arities = reader.arities();
        let wanted = [ROLE, INIT, NEXT, LEGAL, GOAL, TERMINAL, SEES];
        let mut oracle = Oracle {
            strata: strata(&rules, arities.len(), &wanted),
            rules,
            reader,
            tables: arities.into_iter().map(Table::new).collect(),
            roles: Vec::new(),
            work: Cell::new(work),
        };
        oracle.evaluate(Stage::Game)?;
        let terms = oracle.reader.terms.borrow();
        let roles = oracle.tables[ROLE].facts.iter();
        let roles = roles.map(|&fact| terms.parts(fact)[1]).collect();
        drop(terms);
        oracle.roles = roles;
        Ok(oracle)
    }

    /// The roles, in the order of the rules.
    pub(crate) fn roles(&self) -> &[Term] {
        &self.roles
    }

    /// Their names.
    pub(crate) fn role_names(&self) -> Vec<String> {
        self.roles.iter().map(|&role| self.text(role)).collect()
    }

    /// The text of a term.
    pub(crate) fn text(&self, term: Term) -> String {
        self.reader.terms.borrow().text(term)
    }

    /// The texts of terms, sorted.
    pub(crate) fn texts(&self, terms: &[Term]) -> Vec<String> {
        let mut texts: Vec<String> = terms.iter().map(|&term| self.text(term)).collect();
        texts.sort_unstable();
        texts
    }

    /// The term that a text spells.
    pub(crate) fn term(&mut self, text: &str) -> Term {
        self.reader.term(text)
    }

    /// The state in which matches start.
    pub(crate) fn initial(&self) -> Fluents {
        self.last_arguments(&self.tables[INIT].facts)
    }

    /// Goes to a state.
    pub(crate) fn enter(&mut self, state: &[Term]) -> Result<(), TooMuch> {
        self.give(TRUE, state.iter().map(|&fluent| vec![fluent]));
        self.evaluate(Stage::State)
    }

    /// Whether the match is over.
    pub(crate) fn is_terminal(&self) -> bool {
        !self.tables[TERMINAL].facts.is_empty()
    }

    /// What a role may play.
    pub(crate) fn legal(&self, role: Term) -> Vec<Term> {
        self.last_arguments(self.tables[LEGAL].with(0, role))
    }

    /// The texts of what each role may play, sorted.
    pub(crate) fn legal_texts(&self) -> Vec<Vec<String>> {
        let legal = self.roles.iter().map(|&role| self.legal(role));
        legal.map(|moves| self.texts(&moves)).collect()
    }

    /// All goals of a role that are numbers, ascending.
    pub(crate) fn goals(&self, role: Term) -> Vec<i32> {
        let goals = self.last_arguments(self.tables[GOAL].with(0, role));
        let mut goals: Vec<i32> = goals
            .iter()
            .filter_map(|&goal| self.text(goal).parse().ok())
            .collect();
        goals.sort_unstable();
        goals.dedup();
        goals
    }

    /// The state after these moves, one for each role.
    pub(crate) fn play(&mut self, moves: &[Term]) -> Result<Fluents, TooMuch> {
        let does = self.roles.clone().into_iter().zip(moves);
        self.give(DOES, does.map(|(role, &played)| vec![role, played]));
        self.evaluate(Stage::Moves)?;
        Ok(self.last_arguments(&self.tables[NEXT].facts))
    }

    /// The texts of what each role perceived of the last moves, sorted.
    pub(crate) fn percept_texts(&self) -> Vec<Vec<String>> {
        let percepts = |&role: &Term| self.last_arguments(self.tables[SEES].with(0, role));
        let percepts = self.roles.iter().map(percepts);
        percepts.map(|percepts| self.texts(&percepts)).collect()
    }

    /// The last arguments of facts, sorted.
    fn last_arguments(&self, facts: &[Term]) -> Vec<Term> {
        let terms = self.reader.terms.borrow();
        let last = facts
            .iter()
            .map(|&fact| *terms.parts(fact).last().expect("there is an argument"));
        let mut last: Vec<Term> = last.collect();
        last.sort_unstable();
        last
    }

    /// Makes the facts of a relation that is given.
    fn give(&mut self, relation: usize, facts: impl Iterator<Item = Vec<Term>>) {
        let terms = self.reader.terms.get_mut();
        let name = terms.constant(GAME[relation].0);
        self.tables[relation].clear();
        for arguments in facts {
            let fact = terms.compound(&[&[name][..], &arguments].concat());
            self.tables[relation].insert(fact, terms);
        }
    }

    /// Finds out all that is known in a stage.
    fn evaluate(&mut self, stage: Stage) -> Result<(), TooMuch> {
        let strata = std::mem::take(&mut self.strata);
        let mut of_stage = strata.iter().filter(|stratum| stratum.stage == stage);
        let evaluated = of_stage.try_for_each(|stratum| self.find_model(stratum));
        self.strata = strata;
        evaluated
    }

    /// Finds the facts of a stratum.
    fn find_model(&mut self, stratum: &Stratum) -> Result<(), TooMuch> {
        if !stratum.is_negative {
            return self.find_least(stratum, None);
        }
        let facts = |oracle: &Oracle| -> FxHashSet<Term> {
            let tables = stratum
                .relations
                .iter()
                .map(|&relation| &oracle.tables[relation]);
            tables
                .flat_map(|table| table.facts.iter().copied())
                .collect()
        };
        let mut sure = FxHashSet::default();
        loop {
            self.find_least(stratum, Some(&sure))?;
            let possible = facts(self);
            self.find_least(stratum, Some(&possible))?;
            let more = facts(self);
            if more == sure {
                assert_eq!(sure, possible, "every fact holds or does not");
                return Ok(());
            }
            sure = more;
        }
    }

    /// Finds the least set of facts of a stratum, of which under `not` only those that are `supposed` hold, if these are
    /// given.
    fn find_least(
        &mut self,
        stratum: &Stratum,
        supposed: Option<&FxHashSet<Term>>,
    ) -> Result<(), TooMuch> {
        for &rule in &stratum.rules {
            self.tables[self.rules[rule].head.relation].clear();
        }
        loop {
            let mut has_grown = false;
            for &rule in &stratum.rules {
                let rule = &self.rules[rule];
                let facts = Facts {
                    terms: &self.reader.terms,
                    tables: &self.tables,
                    supposed: supposed.map(|facts| (&stratum.relations, facts)),
                    work: &self.work,
                };
                for fact in facts.apply(rule)? {
                    let terms = self.reader.terms.get_mut();
                    has_grown |= self.tables[rule.head.relation].insert(fact, terms);
                }
            }
            if !has_grown || !stratum.is_recursive {
                return Ok(());
            }
        }
    }
}
