//! Sets of bound variables.

use crate::rules::{Pattern, Var};

/// The variables of a clause that are bound.
pub(super) struct Bound(Vec<bool>);

impl Bound {
    /// None of `variables` variables.
    pub(super) fn none(variables: usize) -> Bound {
        Bound(vec![false; variables])
    }

    /// Binds a variable; true if it was not bound before.
    pub(super) fn bind(&mut self, var: Var) -> bool {
        !std::mem::replace(&mut self.0[var.index()], true)
    }

    /// Whether a variable is bound.
    pub(super) fn contains(&self, var: Var) -> bool {
        self.0[var.index()]
    }

    /// Whether all variables of a pattern are bound.
    pub(super) fn covers(&self, pattern: &Pattern) -> bool {
        let mut covered = true;
        pattern.for_each_var(&mut |var| covered &= self.contains(var));
        covered
    }
}
