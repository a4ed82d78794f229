//! Shared ground terms: equal terms have equal numbers.
//!
//! Every ground term of a game (a constant such as `white`, or a compound such
//! as `(cell 1 2 x)`) is stored once in a [`Terms`] table and named by a
//! [`TermId`]. Comparing, hashing and copying terms are then operations on a
//! 32-bit number, at any nesting depth, and nothing here ever recurses.

use std::fmt;
use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::{FxHashSet, FxHasher};

/// The number of a name in a [`Terms`] table. Names are case-sensitive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(u32);

/// The number of a ground term in a [`Terms`] table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(u32);

impl Symbol {
    /// The symbol's index: symbols are numbered from 0 in order of first use.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl TermId {
    /// The term's index: terms are numbered from 0 in order of first use, so
    /// the arguments of a term have smaller numbers than the term itself.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The term as a raw number, for tables of mixed columns.
    pub fn raw(self) -> u32 {
        self.0
    }

    /// The inverse of [`TermId::raw`]. The number must come from there.
    pub fn from_raw(raw: u32) -> TermId {
        TermId(raw)
    }
}

/// A table of names and ground terms, each stored once.
#[derive(Clone, Default)]
pub struct Terms {
    names: Vec<Box<str>>,
    name_table: HashTable<u32>,
    nodes: Vec<Node>,
    args: Vec<TermId>,
    term_table: HashTable<u32>,
    /// The names whose constants are spelled `(p)`.
    lists: FxHashSet<Symbol>,
}

/// A term: its leading symbol, and the place of its arguments among those of all terms.
#[derive(Clone, Copy)]
struct Node {
    functor: Symbol,
    start: u32,
    arity: u32,
}

impl Node {
    fn args(self, all: &[TermId]) -> &[TermId] {
        &all[self.start as usize..][..self.arity as usize]
    }
}

impl fmt::Debug for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terms")
            .field("names", &self.names.len())
            .field("terms", &self.len())
            .finish_non_exhaustive()
    }
}

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

fn index_u32(length: usize) -> u32 {
    u32::try_from(length).expect("fewer than 2^32 terms fit in memory")
}

impl Terms {
    /// An empty table.
    pub fn new() -> Terms {
        Terms::default()
    }

    /// The symbol of a name, entered in the table if it is new.
    pub fn symbol(&mut self, name: &str) -> Symbol {
        let hash = hash_of(name);
        if let Some(&found) = self
            .name_table
            .find(hash, |&i| &*self.names[i as usize] == name)
        {
            return Symbol(found);
        }
        let new = index_u32(self.names.len());
        self.names.push(name.into());
        let names = &self.names;
        self.name_table
            .insert_unique(hash, new, |&i| hash_of(&*names[i as usize]));
        Symbol(new)
    }

    /// The symbol of a name that is already in the table.
    pub fn find_symbol(&self, name: &str) -> Option<Symbol> {
        let found = self
            .name_table
            .find(hash_of(name), |&i| &*self.names[i as usize] == name);
        found.map(|&i| Symbol(i))
    }

    /// The name of a symbol, as the rulesheet spells it.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.index()]
    }

    /// Spells the constant with this name `(name)` from now on. It is the same
    /// constant, but names are echoed as the rulesheet spells them.
    pub fn spell_as_list(&mut self, name: Symbol) {
        self.lists.insert(name);
    }

    /// The term `(functor args...)`, or the constant `functor` without
    /// arguments (GDL makes no difference between `p` and `(p)`).
    pub fn term(&mut self, functor: Symbol, args: &[TermId]) -> TermId {
        let hash = hash_of((functor, args));
        if let Some(found) = self.lookup(hash, functor, args) {
            return found;
        }
        let new = index_u32(self.nodes.len());
        let start = index_u32(self.args.len());
        self.args.extend_from_slice(args);
        let arity = index_u32(self.args.len()) - start;
        self.nodes.push(Node {
            functor,
            start,
            arity,
        });
        let (nodes, all) = (&self.nodes, &self.args);
        self.term_table.insert_unique(hash, new, |&i| {
            let node = nodes[i as usize];
            hash_of((node.functor, node.args(all)))
        });
        TermId(new)
    }

    fn lookup(&self, hash: u64, functor: Symbol, args: &[TermId]) -> Option<TermId> {
        let found = self.term_table.find(hash, |&i| {
            let node = self.nodes[i as usize];
            let stored = node.args(&self.args);
            // They are short, and compared in place.
            node.functor == functor
                && stored.len() == args.len()
                && stored.iter().zip(args).all(|(a, b)| a == b)
        });
        found.map(|&i| TermId(i))
    }

    /// The constant with this name.
    pub fn constant(&mut self, name: &str) -> TermId {
        let symbol = self.symbol(name);
        self.term(symbol, &[])
    }

    /// The term `(functor args...)` if it is already in the table.
    pub fn find(&self, functor: Symbol, args: &[TermId]) -> Option<TermId> {
        self.lookup(hash_of((functor, args)), functor, args)
    }

    /// All terms.
    pub fn each(&self) -> impl Iterator<Item = TermId> + use<> {
        (0..self.len()).map(|at| TermId(index_u32(at)))
    }

    /// The leading symbol of a term.
    pub fn functor(&self, term: TermId) -> Symbol {
        self.nodes[term.index()].functor
    }

    /// The arguments of a term; empty for a constant.
    pub fn args(&self, term: TermId) -> &[TermId] {
        self.nodes[term.index()].args(&self.args)
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no terms yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A rough estimate of the memory that the table takes, in bytes.
    pub fn bytes(&self) -> usize {
        const PER_TERM: usize = size_of::<Node>() + 5;
        PER_TERM * self.nodes.capacity() + 4 * self.args.capacity()
    }

    /// The text of a term in canonical form: single blanks, none inside the
    /// edges of parentheses, as in `(cell 1 2 x)`. As for [`write_text`](Terms::write_text), it is cut off
    /// if it is too long.
    pub fn text(&self, term: TermId) -> String {
        let mut text = String::new();
        self.write_text(term, &mut text);
        text
    }

    /// Appends the canonical text of a term to `out`. Terms share their parts, and a small table can hold a term with a
    /// text too large for memory: after some 16 MiB, it is cut off with `...`.
    pub fn write_text(&self, term: TermId, out: &mut String) {
        const LONGEST: usize = 1 << 24;
        let before = out.len();
        enum Piece {
            Term(TermId),
            Blank,
            Close,
        }
        // An explicit stack: terms may be nested deeper than the call stack.
        let mut stack = vec![Piece::Term(term)];
        while let Some(piece) = stack.pop() {
            if out.len() - before > LONGEST {
                out.push_str("...");
                return;
            }
            match piece {
                Piece::Blank => out.push(' '),
                Piece::Close => out.push(')'),
                Piece::Term(id) => {
                    let args = self.args(id);
                    let is_list = !args.is_empty() || self.lists.contains(&self.functor(id));
                    if is_list {
                        out.push('(');
                        stack.push(Piece::Close);
                        for &arg in args.iter().rev() {
                            stack.push(Piece::Term(arg));
                            stack.push(Piece::Blank);
                        }
                    }
                    out.push_str(self.name(self.functor(id)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_are_one() {
        let mut terms = Terms::new();
        let one = terms.constant("1");
        let cell = terms.symbol("cell");
        let a = terms.term(cell, &[one, one]);
        let b = terms.term(cell, &[one, one]);
        assert_eq!(a, b);
        assert_eq!(terms.text(a), "(cell 1 1)");
        assert_eq!(terms.find(cell, &[one, one]), Some(a));
        assert_eq!(terms.find(cell, &[one]), None);
        assert_ne!(terms.constant("Cell"), terms.constant("cell"));
    }

    #[test]
    fn constants_print_as_the_rulesheet_spells_them() {
        let mut terms = Terms::new();
        let (p, f) = (terms.symbol("p"), terms.symbol("f"));
        let constant = terms.term(p, &[]);
        assert_eq!(terms.text(constant), "p");
        terms.spell_as_list(p);
        assert_eq!(terms.constant("p"), constant);
        let compound = terms.term(f, &[constant]);
        assert_eq!(terms.text(compound), "(f (p))");
    }

    #[test]
    fn texts_that_are_too_long_are_cut_off() {
        let mut terms = Terms::new();
        let pair = terms.symbol("pair");
        let mut term = terms.constant("0");
        for _ in 0..60 {
            term = terms.term(pair, &[term, term]);
        }
        let text = terms.text(term);
        assert!(text.starts_with("(pair (pair ") && text.ends_with("..."));
        assert!(text.len() < 1 << 25);
    }

    #[test]
    fn deep_terms_print_without_recursion() {
        let mut terms = Terms::new();
        let s = terms.symbol("s");
        let mut term = terms.constant("0");
        for _ in 0..1_000_000 {
            term = terms.term(s, &[term]);
        }
        assert_eq!(terms.text(term).len(), 4_000_001);
    }
}
