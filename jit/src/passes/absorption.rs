//! Absorption: `a & (a | b)` is `a`, `a & (!a | b)` is `a & b`, and what follows
//! from these rules over wide gates and several levels.

use super::Deadline;
use super::context;
use super::known::Facts;
use crate::circuit::Circuit;

/// The circuit with operands dropped that the operands around them absorb.
pub(super) fn absorption(circuit: &Circuit, deadline: &Deadline) -> Circuit {
    context::simplify(circuit, &Facts::default(), deadline)
}
