//! Reading: from the statements of a tree to safe rules over plain conjunctions.
//!
//! Rules that bind their variables only where conditions refer to them are found by a first pass. If they are accepted,
//! a second one [unfolds](normalize::unfold) them.

use rustc_hash::FxHashSet;

use crate::check::{self, Safety};
use crate::declarations::Declarations;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, quote};
use crate::normalize::{self, Clause, Formula, PlacedRule, Reader, Workspace};
use crate::rules::Rules;
use crate::source::Span;
use crate::syntax::{Form, Tree};

/// The rules of a text.
pub(crate) struct Reading {
    /// The reader of its statements, with the messages about them.
    pub(crate) reader: Reader,
    pub(crate) rules: Vec<PlacedRule>,
    pub(crate) declarations: Declarations,
    /// The statements with unbound variables, and those of them that could be unfolded.
    unbound: FxHashSet<Span>,
    unfoldable: FxHashSet<Span>,
}

/// Reads the statements of a text, about which there are some messages already.
pub(crate) fn read(tree: &Tree, diagnostics: &Diagnostics, lenient: bool) -> Reading {
    let mut reading = Reading::new(diagnostics);
    for form in tree.statements() {
        if let Some(clause) = reading.clause(form) {
            reading.add(clause);
        }
    }
    if reading.unfoldable.is_empty() {
        return reading;
    }
    let used = reading
        .declarations
        .used(&reading.rules, &reading.reader.workspace);
    let mut unbound = reading.unfoldable.clone();
    unbound.retain(|place| {
        let declaration = reading.declarations.around(*place);
        declaration.is_none_or(|(_, keyword)| used.contains(&keyword))
    });
    let mut accepted = unbound.clone();
    accepted.retain(|place| lenient || reading.declarations.around(*place).is_some());
    if let Some(unfolded) = read_unfolded(tree, diagnostics, accepted) {
        return unfolded;
    }
    if !lenient && read_unfolded(tree, diagnostics, unbound.clone()).is_some() {
        reading.reader.workspace.diagnostics.advise(
            |place| unbound.iter().any(|statement| statement.covers(place)),
            "or let `--lenient` read it where conditions bind the variable, as other players do",
        );
    }
    reading
}

/// Reads the statements, and unfolds the rules of some of them, and of those that have unbound variables because of that.
/// `None` if there are none, or if variables are unbound nevertheless.
fn read_unfolded(
    tree: &Tree,
    diagnostics: &Diagnostics,
    mut accepted: FxHashSet<Span>,
) -> Option<Reading> {
    if accepted.is_empty() {
        return None;
    }
    loop {
        let reading = unfold(tree, diagnostics, &accepted)?;
        let mut left = reading.unbound.iter();
        if left.all(|&place| reading.declarations.around(place).is_some()) {
            return Some(reading);
        }
        let count = accepted.len();
        accepted.extend(reading.unfoldable);
        if accepted.len() == count {
            return None;
        }
    }
}

/// Reads the statements, and unfolds the rules of some of them.
fn unfold(tree: &Tree, diagnostics: &Diagnostics, accepted: &FxHashSet<Span>) -> Option<Reading> {
    let mut reading = Reading::new(diagnostics);
    let mut clauses = Vec::new();
    for form in tree.statements() {
        if let Some(clause) = reading.clause(form) {
            clauses.push((clause, accepted.contains(&form.span())));
        }
    }
    let Workspace {
        terms,
        relations,
        diagnostics,
    } = &mut reading.reader.workspace;
    let mut seen = FxHashSet::default();
    for (clause, _) in clauses.iter().filter(|(_, is_accepted)| *is_accepted) {
        let relation = clause.head.value.relation;
        if seen.insert(relation) {
            let name = quote(terms.name(relations.list[relation.index()].name));
            let message = format!("a rule for {name} binds its variables only where it is used");
            diagnostics.push(
                Diagnostic::warning(Code::Lenient, message)
                    .at(clause.head.span, "read where conditions refer to it")
                    .help("the specification forbids this, and some players refuse it"),
            );
        }
    }
    for clause in normalize::unfold(clauses, relations, terms)? {
        reading.add(clause);
    }
    Some(reading)
}

impl Reading {
    fn new(diagnostics: &Diagnostics) -> Reading {
        Reading {
            reader: Reader::new(Workspace::new(diagnostics.clone())),
            rules: Vec::new(),
            declarations: Declarations::default(),
            unbound: FxHashSet::default(),
            unfoldable: FxHashSet::default(),
        }
    }

    fn clause(&mut self, statement: Form<'_>) -> Option<Clause<Formula>> {
        if let Some(keyword) = normalize::declaration(statement) {
            self.declarations.push(statement.span(), keyword);
        }
        self.reader.clause(statement)
    }

    /// Adds the rules of a clause, unless they have unbound variables.
    fn add(&mut self, clause: Clause<Formula>) {
        let (statement, relation) = (clause.span, clause.head.value.relation);
        for rule in normalize::rules(clause, &mut self.reader.workspace) {
            let safety = check::check_safety(&rule, &mut self.reader.workspace);
            if safety == Safety::Safe {
                self.rules.push(rule);
                continue;
            }
            self.unbound.insert(statement);
            let keyword = Rules::keyword(relation);
            let has_callers = keyword.is_none_or(|keyword| keyword.is_declaration());
            if has_callers && safety == Safety::ByCallers {
                self.unfoldable.insert(statement);
            }
        }
    }
}
