//! The workspace of the parser, to which reading a rulesheet adds.

use super::relations::Relations;
use crate::diagnostic::Diagnostics;
use crate::term::Terms;

/// The terms, relations and messages of a rulesheet that is being read.
pub(crate) struct Workspace {
    pub(crate) terms: Terms,
    pub(crate) relations: Relations,
    pub(crate) diagnostics: Diagnostics,
}

impl Workspace {
    /// Nothing is read, but there may be messages.
    pub(crate) fn new(diagnostics: Diagnostics) -> Workspace {
        let mut terms = Terms::new();
        Workspace {
            relations: Relations::new(&mut terms),
            terms,
            diagnostics,
        }
    }
}
