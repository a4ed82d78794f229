//! The syntax tree of a text: an array of nodes in preorder.

use crate::source::{Source, Span};

/// A node: a name, or a list followed by everything in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Node {
    /// From the first to the last byte, parentheses included.
    pub(super) span: Span,
    /// The index of the node after this one and all nodes in it.
    pub(super) end: u32,
    pub(super) kind: NodeKind,
}

/// What a node is, and where a name's spelling is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NodeKind {
    List,
    /// A name that the source spells as prefix form does.
    Name,
    /// A name that prefix form spells otherwise: an index into the tree's spellings.
    Spelled(u32),
}

/// The forms (names and lists) of a text, whatever its notation.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(super) source: Source,
    pub(super) nodes: Vec<Node>,
    /// The names that the source does not spell as prefix form does.
    pub(super) spellings: Vec<Box<str>>,
}

/// A name or a list in a [`Tree`].
#[derive(Clone, Copy, Debug)]
pub struct Form<'a> {
    pub(super) tree: &'a Tree,
    pub(super) index: u32,
}

/// Forms that follow each other at the same level.
#[derive(Clone, Debug)]
pub struct Forms<'a> {
    tree: &'a Tree,
    next: u32,
    end: u32,
}

impl Tree {
    /// The text that was parsed.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The forms at the top level.
    pub fn forms(&self) -> Forms<'_> {
        Forms {
            tree: self,
            next: 0,
            end: self.nodes.len() as u32,
        }
    }
}

/// What a rulesheet comes in, besides a file of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wrapper {
    /// One more pair of parentheses.
    Parentheses,
    /// A message of the GGP protocol, maybe with the head of its HTTP request.
    Message,
}

impl Tree {
    /// The statements of a rulesheet: the forms at the top level, or those in the list or message that it comes in.
    pub fn statements(&self) -> Forms<'_> {
        match self.wrapper() {
            Some((_, list)) => list.items(),
            None => self.forms(),
        }
    }

    /// What the statements come in, and the list that has them.
    pub(crate) fn wrapper(&self) -> Option<(Wrapper, Form<'_>)> {
        let first = self.forms().next()?;
        let (is_only, last) = match first.name() {
            None => (true, first),
            // The head of a request consists of names.
            Some("POST") => (false, self.forms().last()?),
            Some(_) => return None,
        };
        if is_only && self.forms().nth(1).is_some() {
            return None;
        }
        let leading = last.items().next()?;
        let rules = match leading.name() {
            None if is_only => return Some((Wrapper::Parentheses, last)),
            Some(name) if name.eq_ignore_ascii_case("start") => last.items().nth(3)?,
            Some(name) if name.eq_ignore_ascii_case("preview") => last.items().nth(1)?,
            _ => return None,
        };
        rules.is_list().then_some((Wrapper::Message, rules))
    }
}

impl<'a> Form<'a> {
    fn node(&self) -> &'a Node {
        &self.tree.nodes[self.index as usize]
    }

    /// The place of the form.
    pub fn span(&self) -> Span {
        self.node().span
    }

    /// The text of a name, as prefix form spells it. `None` for a list.
    pub fn name(&self) -> Option<&'a str> {
        let Node { span, kind, .. } = *self.node();
        match kind {
            NodeKind::List => None,
            NodeKind::Name => Some(self.tree.source.slice(span)),
            NodeKind::Spelled(index) => Some(&self.tree.spellings[index as usize]),
        }
    }

    /// Whether it is a list.
    pub fn is_list(&self) -> bool {
        self.node().kind == NodeKind::List
    }

    /// All names in it, from left to right.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let tree = self.tree;
        let forms = (self.index..self.node().end).map(move |index| Form { tree, index });
        forms.filter_map(|form| form.name())
    }

    /// The number of items of a list; 0 for a name.
    pub(crate) fn len(&self) -> usize {
        self.items().count()
    }

    /// The forms in a list; none for a name.
    pub fn items(&self) -> Forms<'a> {
        Forms {
            tree: self.tree,
            next: self.index + 1,
            end: self.node().end,
        }
    }

    /// The first list in this form that has `limit` lists around it, the form
    /// itself included.
    pub fn nested_beyond(&self, limit: usize) -> Option<Form<'a>> {
        let tree = self.tree;
        let mut open: Vec<u32> = Vec::new();
        let mut forms = (self.index..self.node().end).map(|index| Form { tree, index });
        forms.find(|form| {
            while open.last().is_some_and(|&end| end <= form.index) {
                open.pop();
            }
            let node = form.node();
            if node.kind == NodeKind::List {
                open.push(node.end);
            }
            open.len() > limit
        })
    }
}

impl<'a> Iterator for Forms<'a> {
    type Item = Form<'a>;

    fn next(&mut self) -> Option<Form<'a>> {
        if self.next >= self.end {
            return None;
        }
        let form = Form {
            tree: self.tree,
            index: self.next,
        };
        self.next = form.node().end;
        Some(form)
    }
}
