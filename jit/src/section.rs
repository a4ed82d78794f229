//! Sections: outputs that are evaluated together.

use crate::circuit::OutputId;

/// Outputs that are computed together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The outputs.
    pub outputs: Vec<OutputId>,
    /// A section before this one that is always evaluated before this one is, for the
    /// same inputs as far as that section depends on them. The values that it computes, and
    /// those of the section that it comes after, are not computed again.
    pub after: Option<usize>,
}

impl Section {
    /// A section on its own.
    pub fn alone(outputs: Vec<OutputId>) -> Section {
        let after = None;
        Section { outputs, after }
    }
}
