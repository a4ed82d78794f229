//! Forms as they are read, and the tree that is built of them.

use rustc_hash::FxHashMap;

use crate::source::{Source, Span};
use crate::syntax::tree::{Node, NodeKind, Tree};

/// A name or a list, as it is in prefix form.
pub(super) enum Parsed {
    Name(Span),
    /// A name that prefix form spells otherwise.
    Spelled(Span, String),
    List(Span, Vec<Parsed>),
}

impl Parsed {
    pub(super) fn span(&self) -> Span {
        match self {
            Parsed::Name(span) | Parsed::Spelled(span, _) | Parsed::List(span, _) => *span,
        }
    }

    /// The list of a connective or relation, whose sign stands at `sign`, and its arguments.
    pub(super) fn apply(word: &str, sign: Span, args: Vec<Parsed>) -> Parsed {
        let span = args.iter().fold(sign, |span, arg| span.join(arg.span()));
        let word = Parsed::Spelled(sign, word.to_string());
        Parsed::List(span, std::iter::once(word).chain(args).collect())
    }

    /// Whether it is this word, which the text spells otherwise.
    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self, Parsed::Spelled(_, name) if name == word)
    }

    /// Whether it is this name, as the text has it.
    pub(super) fn is_name(&self, name: &str, source: &Source) -> bool {
        matches!(self, Parsed::Name(span) if source.slice(*span) == name)
    }
}

/// The nodes of a tree.
#[derive(Default)]
pub(super) struct Builder {
    nodes: Vec<Node>,
    spellings: Vec<Box<str>>,
    numbers: FxHashMap<Box<str>, u32>,
}

impl Builder {
    /// Adds a form. The recursion is as deep as the form, whose depth is limited.
    pub(super) fn add(&mut self, parsed: Parsed) {
        let at = self.nodes.len();
        let span = parsed.span();
        let kind = match &parsed {
            Parsed::Name(_) => NodeKind::Name,
            Parsed::Spelled(_, name) => NodeKind::Spelled(self.spelling(name)),
            Parsed::List(..) => NodeKind::List,
        };
        self.nodes.push(Node { span, end: 0, kind });
        if let Parsed::List(_, items) = parsed {
            items.into_iter().for_each(|item| self.add(item));
        }
        self.nodes[at].end = self.nodes.len() as u32;
    }

    fn spelling(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.spellings.len() as u32;
        self.spellings.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    /// The tree of the forms that were added.
    pub(super) fn tree(self, source: &Source) -> Tree {
        Tree {
            source: source.clone(),
            nodes: self.nodes,
            spellings: self.spellings,
        }
    }
}
