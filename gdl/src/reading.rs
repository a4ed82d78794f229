//! Reading: from the statements of a tree to safe rules over plain conjunctions.
//!
//! Rules that bind their variables only where conditions refer to them are found by a first pass. If they are accepted,
//! a second one [unfolds](normalize::unfold) them. Variables that only negated conditions have are [read as
//! absent](normalize::absent) at once if that is accepted.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::{self, Safety};
use crate::declarations::Declarations;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, quote};
use crate::normalize::{self, Clause, Formula, PlacedRule, Reader, Workspace};
use crate::rules::{Rules, Var};
use crate::source::Span;
use crate::syntax::{Form, Tree, find_name};
use crate::term::Symbol;

/// The rules of a text.
pub(crate) struct Reading {
    /// The reader of its statements, with the messages about them.
    pub(crate) reader: Reader,
    pub(crate) rules: Vec<PlacedRule>,
    pub(crate) declarations: Declarations,
    /// Whether variables that occur only in negated conditions are accepted.
    lenient: bool,
    /// Those that are not, by statement.
    absent: FxHashMap<Span, FxHashSet<Symbol>>,
    /// The statements with unbound variables, and those of them that could be unfolded.
    unbound: FxHashSet<Span>,
    unfoldable: FxHashSet<Span>,
}

/// Reads the statements of a text, about which there are some messages already.
pub(crate) fn read(tree: &Tree, diagnostics: &Diagnostics, lenient: bool) -> Reading {
    let mut reading = Reading::new(diagnostics, lenient);
    for form in tree.statements() {
        for clause in reading.clauses(form) {
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
    if let Some(unfolded) = read_unfolded(tree, diagnostics, accepted, lenient) {
        return unfolded;
    }
    if !lenient && read_unfolded(tree, diagnostics, unbound.clone(), true).is_some() {
        reading.reader.workspace.diagnostics.advise(
            |place| unbound.iter().any(|statement| statement.covers(place)),
            "--lenient",
            "read it where conditions bind the variable, as other players do",
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
    lenient: bool,
) -> Option<Reading> {
    if accepted.is_empty() {
        return None;
    }
    loop {
        let reading = unfold(tree, diagnostics, &accepted, lenient)?;
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
fn unfold(
    tree: &Tree,
    diagnostics: &Diagnostics,
    accepted: &FxHashSet<Span>,
    lenient: bool,
) -> Option<Reading> {
    let mut reading = Reading::new(diagnostics, lenient);
    let mut clauses = Vec::new();
    for form in tree.statements() {
        // The clauses after the first are not about the relation of the statement.
        let is_accepted = [accepted.contains(&form.span())].into_iter();
        let is_accepted = is_accepted.chain(std::iter::repeat(false));
        clauses.extend(reading.clauses(form).into_iter().zip(is_accepted));
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
    fn new(diagnostics: &Diagnostics, lenient: bool) -> Reading {
        Reading {
            reader: Reader::new(Workspace::new(diagnostics.clone())),
            rules: Vec::new(),
            declarations: Declarations::default(),
            lenient,
            absent: FxHashMap::default(),
            unbound: FxHashSet::default(),
            unfoldable: FxHashSet::default(),
        }
    }

    /// The clauses of a statement: its own first, then those of the relations that it needs.
    fn clauses(&mut self, statement: Form<'_>) -> Vec<Clause<Formula>> {
        if let Some(keyword) = normalize::declaration(statement) {
            self.declarations.push(statement.span(), keyword);
        }
        let Some(mut clause) = self.reader.clause(statement) else {
            return Vec::new();
        };
        let absent = normalize::absent(&clause);
        if absent.is_empty() {
            return vec![clause];
        }
        if !self.lenient {
            let names = absent.iter().map(|&(var, _)| clause.variables[var.index()]);
            self.absent.insert(clause.span, names.collect());
            return vec![clause];
        }
        self.warn_of_absent(&clause, &absent);
        let absent: FxHashSet<Var> = absent.into_iter().map(|(var, _)| var).collect();
        let Workspace {
            terms, relations, ..
        } = &mut self.reader.workspace;
        let definitions = normalize::without_absent(&mut clause, &absent, relations, terms);
        std::iter::once(clause).chain(definitions).collect()
    }

    fn warn_of_free_role(&mut self, placed: &PlacedRule, role: Var) {
        let Workspace {
            terms, diagnostics, ..
        } = &mut self.reader.workspace;
        let name = terms.name(placed.rule.variables[role.index()]);
        let source = diagnostics.source().clone();
        let place = find_name(&source, placed.head, name).unwrap_or(placed.head);
        let message = format!("no positive condition binds the variable {}", quote(name));
        let meaning = format!(
            "read as any role, as if there were {}",
            quote(&format!("(role {name})"))
        );
        diagnostics.push(
            Diagnostic::warning(Code::Lenient, message)
                .at(place, meaning)
                .help("other players read it so; the specification forbids this"),
        );
    }

    fn warn_of_absent(&mut self, clause: &Clause<Formula>, absent: &[(Var, Span)]) {
        let Workspace {
            terms, diagnostics, ..
        } = &mut self.reader.workspace;
        let source = diagnostics.source().clone();
        for &(var, condition) in absent {
            let name = terms.name(clause.variables[var.index()]);
            let place = find_name(&source, condition, name).unwrap_or(condition);
            let name = quote(name);
            let message = format!("no positive condition binds the variable {name}");
            let meaning = format!("read as: there is no such {name}");
            diagnostics.push(
                Diagnostic::warning(Code::Lenient, message).at(place, meaning).help(
                    "other players read it so; the specification forbids this: check the spelling",
                ),
            );
        }
    }

    /// Adds the rules of a clause, unless they have unbound variables.
    fn add(&mut self, clause: Clause<Formula>) {
        let (statement, relation) = (clause.span, clause.head.value.relation);
        let absent = self.absent.get(&statement).cloned().unwrap_or_default();
        for mut rule in normalize::rules(clause, &mut self.reader.workspace) {
            if self.lenient
                && let Some(role) = normalize::free_role(&rule.rule)
            {
                self.warn_of_free_role(&rule, role);
                normalize::bind_role(&mut rule, role);
            }
            let safety = check::check_safety(&rule, &absent, &mut self.reader.workspace);
            if safety == Safety::Safe {
                self.rules.push(rule);
                continue;
            }
            self.unbound.insert(statement);
            let Workspace {
                terms, relations, ..
            } = &self.reader.workspace;
            let has_callers = match Rules::keyword(relation) {
                Some(keyword) => keyword.is_declaration(),
                // The statement is not about the relations that it needs.
                None => !relations.is_auxiliary(terms, relation),
            };
            if has_callers && safety == Safety::ByCallers {
                self.unfoldable.insert(statement);
            }
        }
    }
}
