//! Rules as the text gives them, with `not` before atoms only.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::kif::{self, Form};
use super::terms::{Term, Terms};

/// The names that are the same in upper and lower case.
const KEYWORDS: [&str; 15] = [
    "role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "sees",
    "and", "or", "not", "distinct",
];

/// The relations of which a game is made, with the numbers of their arguments.
pub(super) const GAME: [(&str, usize); 9] = [
    ("role", 1),
    ("init", 1),
    ("true", 1),
    ("does", 2),
    ("next", 1),
    ("legal", 2),
    ("goal", 2),
    ("terminal", 0),
    ("sees", 2),
];
/// Their places, which are their numbers.
pub(super) const ROLE: usize = 0;
pub(super) const INIT: usize = 1;
pub(super) const TRUE: usize = 2;
pub(super) const DOES: usize = 3;
pub(super) const NEXT: usize = 4;
pub(super) const LEGAL: usize = 5;
pub(super) const GOAL: usize = 6;
pub(super) const TERMINAL: usize = 7;
pub(super) const SEES: usize = 8;

/// A term that may have variables.
pub(super) enum Pattern {
    Variable(usize),
    Ground(Term),
    Compound(Term, Vec<Pattern>),
}

/// A relation of terms.
pub(super) struct Atom {
    pub(super) relation: usize,
    pub(super) name: Term,
    pub(super) arguments: Vec<Pattern>,
}

/// A condition.
pub(super) enum Formula {
    Holds(Atom),
    Fails(Atom),
    Equal(Pattern, Pattern),
    Differ(Pattern, Pattern),
    All(Vec<Formula>),
    Any(Vec<Formula>),
}

/// The head holds if all of the body does.
pub(super) struct Rule {
    pub(super) head: Atom,
    pub(super) body: Vec<Formula>,
    /// The number of variables.
    pub(super) variables: usize,
}

/// Reads rules.
pub(super) struct Reader {
    pub(super) terms: RefCell<Terms>,
    /// By name and number of arguments.
    relations: FxHashMap<(Term, usize), usize>,
    /// The variables of the rule that is read.
    variables: Vec<String>,
}

impl Reader {
    pub(super) fn new() -> Reader {
        let mut reader = Reader {
            terms: RefCell::default(),
            relations: FxHashMap::default(),
            variables: Vec::new(),
        };
        for (name, arity) in GAME {
            let name = reader.constant(name);
            reader.relation(name, arity);
        }
        reader
    }

    fn constant(&mut self, name: &str) -> Term {
        self.terms.get_mut().constant(name)
    }

    /// The rules of a text.
    pub(super) fn rules(&mut self, text: &str) -> Vec<Rule> {
        let forms = kif::read(text);
        forms.iter().map(|form| self.rule(form)).collect()
    }

    fn rule(&mut self, form: &Form) -> Rule {
        self.variables.clear();
        let (head, body) = match form.name() {
            "<=" => (&form.items()[1], &form.items()[2..]),
            _ => (form, &[][..]),
        };
        Rule {
            head: self.atom(head),
            body: body.iter().map(|part| self.formula(part, false)).collect(),
            variables: self.variables.len(),
        }
    }

    fn formula(&mut self, form: &Form, negated: bool) -> Formula {
        let name = keyword(form.name());
        let parts = &form.items()[1..];
        match (&*name, negated) {
            ("not", _) => self.formula(&parts[0], !negated),
            ("and" | "or", _) => {
                let parts = parts.iter().map(|part| self.formula(part, negated));
                let parts = parts.collect();
                match (name == "and") != negated {
                    true => Formula::All(parts),
                    false => Formula::Any(parts),
                }
            }
            ("distinct", false) => {
                Formula::Differ(self.pattern(&parts[0]), self.pattern(&parts[1]))
            }
            ("distinct", true) => Formula::Equal(self.pattern(&parts[0]), self.pattern(&parts[1])),
            (_, false) => Formula::Holds(self.atom(form)),
            (_, true) => Formula::Fails(self.atom(form)),
        }
    }

    fn atom(&mut self, form: &Form) -> Atom {
        let arguments = &form.items()[1..];
        let name = self.constant(&keyword(form.name()));
        Atom {
            relation: self.relation(name, arguments.len()),
            name,
            arguments: arguments.iter().map(|form| self.pattern(form)).collect(),
        }
    }

    fn relation(&mut self, name: Term, arity: usize) -> usize {
        let new = self.relations.len();
        *self.relations.entry((name, arity)).or_insert(new)
    }

    /// By relation, the number of arguments.
    pub(super) fn arities(&self) -> Vec<usize> {
        let mut arities = vec![0; self.relations.len()];
        for (&(_, arity), &relation) in &self.relations {
            arities[relation] = arity;
        }
        arities
    }

    fn pattern(&mut self, form: &Form) -> Pattern {
        let name = form.name();
        if name.starts_with('?') {
            let known = self.variables.iter().position(|known| known == name);
            return Pattern::Variable(known.unwrap_or_else(|| {
                self.variables.push(name.to_string());
                self.variables.len() - 1
            }));
        }
        let function = self.constant(name);
        if let Form::List(items) = form
            && items.len() == 1
        {
            self.terms.get_mut().spell_as_list(function);
        }
        let arguments: Vec<Pattern> = form.items()[1..]
            .iter()
            .map(|form| self.pattern(form))
            .collect();
        let ground = arguments.iter().map(|argument| match argument {
            Pattern::Ground(term) => Some(*term),
            _ => None,
        });
        let parts: Option<Vec<Term>> = [Some(function)].into_iter().chain(ground).collect();
        match parts {
            Some(parts) => Pattern::Ground(self.terms.get_mut().compound(&parts)),
            None => Pattern::Compound(function, arguments),
        }
    }

    /// The term that a text spells.
    pub(super) fn term(&mut self, text: &str) -> Term {
        match self.pattern(&kif::read(text)[0]) {
            Pattern::Ground(term) => term,
            _ => panic!("{text} has a variable"),
        }
    }
}

/// A name, in lower case if it is a keyword.
fn keyword(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    match KEYWORDS.contains(&&*lower) {
        true => lower,
        false => name.to_string(),
    }
}

impl Formula {
    /// The relations that it depends on, and whether on their negation.
    pub(super) fn relations(&self, visit: &mut impl FnMut(usize, bool)) {
        match self {
            Formula::Holds(atom) => visit(atom.relation, false),
            Formula::Fails(atom) => visit(atom.relation, true),
            Formula::Equal(..) | Formula::Differ(..) => {}
            Formula::All(parts) | Formula::Any(parts) => {
                parts.iter().for_each(|part| part.relations(visit));
            }
        }
    }
}
