//! All tests of the package in one program, which is linked once: a module per subject.

mod diagnostics;
mod grounding;
mod lenient;
mod normalisation;
mod notations;
mod prover;
mod prover_naive;
mod prover_traces;
mod robustness;
mod shared_games;
