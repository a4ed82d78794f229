//! A fact, and how it was found.

/// Something that was found, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact<T> {
    /// The thing that was found.
    pub what: T,
    /// How it was found.
    pub method: ProofMethod,
}

/// How a fact was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ProofMethod {
    /// Its premise alone decides the gates, whatever else is unknown.
    Structural,
    /// A SAT solver proved it for each state in which the invariants hold and each joint
    /// move that is legal there.
    Sat,
    /// It holds at the start, and a SAT solver proved that moves keep it.
    Induction,
    /// It held in all matches that were played at random. Nothing sound may rest on it.
    Unproved,
}

impl ProofMethod {
    /// The method's name in reports.
    pub fn name(self) -> &'static str {
        match self {
            ProofMethod::Structural => "structural",
            ProofMethod::Sat => "SAT",
            ProofMethod::Induction => "induction",
            ProofMethod::Unproved => "unproved",
        }
    }
}
