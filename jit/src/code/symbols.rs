//! Symbols: the names of routines.

use super::plan::Step;
use crate::section::Section;

/// The names of all routines: that of the code, that of the section, and the routine's number.
pub(super) fn names(code: &str, sections: &[Section], steps: &[Vec<Step>]) -> Vec<String> {
    // A name ends where its line does, and some tools split it at spaces.
    let code = code.replace(|c: char| c.is_whitespace() || c.is_control(), "_");
    let of_section = |(section, steps): (&Section, &Vec<Step>)| {
        let routines = steps.iter().flat_map(|step| step.routines.clone());
        let name = |routine| format!("{code}::{}_{routine}", section.name);
        routines.map(name).collect::<Vec<_>>()
    };
    sections.iter().zip(steps).flat_map(of_section).collect()
}
