//! Terms without variables, each of which is there once.

use rustc_hash::{FxHashMap, FxHashSet};

/// The number of a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Term(u32);

/// All terms so far.
#[derive(Default)]
pub(super) struct Terms {
    /// By term, its function and arguments; a constant is its own function.
    parts: Vec<Box<[Term]>>,
    names: FxHashMap<Term, String>,
    constants: FxHashMap<String, Term>,
    compounds: FxHashMap<Box<[Term]>, Term>,
    /// The constants that are spelled `(p)`.
    lists: FxHashSet<Term>,
}

impl Terms {
    pub(super) fn constant(&mut self, name: &str) -> Term {
        if let Some(&known) = self.constants.get(name) {
            return known;
        }
        let new = Term(self.parts.len() as u32);
        self.parts.push([new].into());
        self.names.insert(new, name.to_string());
        self.constants.insert(name.to_string(), new);
        new
    }

    /// A function, applied to arguments.
    pub(super) fn compound(&mut self, parts: &[Term]) -> Term {
        if let &[constant] = parts {
            return constant;
        }
        if let Some(&known) = self.compounds.get(parts) {
            return known;
        }
        let new = Term(self.parts.len() as u32);
        self.parts.push(parts.into());
        self.compounds.insert(parts.into(), new);
        new
    }

    /// The function and the arguments.
    pub(super) fn parts(&self, term: Term) -> &[Term] {
        &self.parts[term.0 as usize]
    }

    /// Spells a constant `(p)` from now on.
    pub(super) fn spell_as_list(&mut self, constant: Term) {
        self.lists.insert(constant);
    }

    pub(super) fn text(&self, term: Term) -> String {
        let (function, arguments) = self.parts(term).split_first().expect("there is a function");
        let name = &self.names[function];
        if arguments.is_empty() && !self.lists.contains(&term) {
            return name.clone();
        }
        let arguments = arguments
            .iter()
            .map(|&argument| " ".to_string() + &self.text(argument));
        format!("({name}{})", arguments.collect::<String>())
    }
}
