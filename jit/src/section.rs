//! Sections: outputs that are evaluated together.

use crate::circuit::OutputId;

/// Outputs that are computed together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The name that [symbols](crate::code::CodeConfig::name) of its machine code begin with.
    pub name: &'static str,
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
        Section {
            name: "section",
            outputs,
            after: None,
        }
    }

    /// The same section after another one.
    #[must_use]
    pub fn following(self, section: usize) -> Section {
        let after = Some(section);
        Section { after, ..self }
    }

    /// The same section with another name.
    #[must_use]
    pub fn named(self, name: &'static str) -> Section {
        Section { name, ..self }
    }
}
