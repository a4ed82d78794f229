//! The printer: from a tree to text in the canonical prefix form.

use std::fmt::{self, Write};

use super::tree::{Form, Node, NodeKind, Tree};

/// Canonical text: every top-level form on a line of its own, single blanks,
/// none inside the edges of parentheses, no comments.
impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for form in self.forms() {
            writeln!(f, "{form}")?;
        }
        Ok(())
    }
}

impl Tree {
    /// The canonical text of the statements, each on a line of its own.
    pub fn statements_text(&self) -> String {
        self.statements().map(|form| format!("{form}\n")).collect()
    }
}

/// Canonical text without a line break at the end.
impl fmt::Display for Form<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Form { tree, index } = *self;
        let last = tree.nodes[index as usize].end;
        // The ends of the lists that are open, outermost first.
        let mut open: Vec<u32> = Vec::new();
        for at in index..last {
            let Node { end, .. } = tree.nodes[at as usize];
            let follows_open = at == index || {
                let previous = &tree.nodes[at as usize - 1];
                previous.kind == NodeKind::List && previous.end > at
            };
            if !follows_open {
                f.write_char(' ')?;
            }
            match (Form { tree, index: at }).name() {
                Some(name) => f.write_str(name)?,
                None => {
                    f.write_char('(')?;
                    open.push(end);
                }
            }
            while open.last() == Some(&(at + 1)) {
                open.pop();
                f.write_char(')')?;
            }
        }
        Ok(())
    }
}
