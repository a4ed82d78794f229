//! The syntax tree of a text: an array of nodes in preorder.

use crate::source::{Source, Span};

/// A node: a name, or a list followed by everything in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Node {
    /// From the first to the last byte, parentheses included.
    pub(super) span: Span,
    /// The index of the node after this one and all nodes in it.
    pub(super) end: u32,
    pub(super) is_list: bool,
}

/// The forms (names and lists) of a text.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(super) source: Source,
    pub(super) nodes: Vec<Node>,
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

impl<'a> Form<'a> {
    fn node(&self) -> &'a Node {
        &self.tree.nodes[self.index as usize]
    }

    /// The place of the form.
    pub fn span(&self) -> Span {
        self.node().span
    }

    /// The text of a name. `None` for a list.
    pub fn name(&self) -> Option<&'a str> {
        let node = self.node();
        (!node.is_list).then(|| self.tree.source.slice(node.span))
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
            if node.is_list {
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
