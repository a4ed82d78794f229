//! Beliefs: what a role may take for the state of a match in which it does not see all.
//!
//! A role knows the initial state, its own moves and what it [perceives](Observation). All histories with the same moves and
//! percepts are an information set. A [`Belief`] has the states to which they lead, each with its probability if the other
//! roles play at random. While there are few, that is exact; later, it is a sample (a particle filter: Gordon, Salmond and
//! Smith, "Novel approach to nonlinear/non-Gaussian Bayesian state estimation", 1993). States are hypotheses in lanes: what
//! was perceived is compared with what each would have shown.
//!
//! - `observation`: what a role knows of a joint move.
//! - `population`: states with weights, and with what the other roles know.
//! - `successors`: the states that may follow, and explain an observation.
//! - `belief`: populations from move to move, and ways back where none is left.
//! - `explanation`: histories found by a SAT solver where no way back was found at random.

mod belief;
mod explanation;
mod observation;
mod population;
mod successors;

#[cfg(test)]
mod tests;

pub use belief::{Belief, BeliefConfig, Unexplained};
pub use observation::Observation;
pub use population::{Knowledge, Population, knowledge_after};
