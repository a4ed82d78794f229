//! Facts, with the method of their proof.

/// A fact, with the method of its proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact<T> {
    /// The fact itself.
    pub what: T,
    /// The method of its proof.
    pub method: ProofMethod,
}

/// The method by which a fact was proved.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ProofMethod {
    /// Its premise alone decides the gates, whatever else is unknown.
    Structural,
    /// A SAT solver proved it for each state in which the invariants hold and each joint
    /// move that is legal there.
    Sat,
    /// It holds at the start, and a SAT solver proved that moves keep it.
    Induction,
    /// It held in all random matches. No sound conclusion may depend on it.
    Unproved,
}

impl ProofMethod {
    /// Returns the method's name in reports.
    pub fn name(self) -> &'static str {
        match self {
            ProofMethod::Structural => "structural",
            ProofMethod::Sat => "SAT",
            ProofMethod::Induction => "induction",
            ProofMethod::Unproved => "unproved",
        }
    }
}
