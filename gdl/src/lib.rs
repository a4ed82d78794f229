//! The Game Description Language: from text to rules to a ground propositional network.
pub mod ground;
pub mod propnet;
pub mod rules;
pub mod scc;
pub mod source;
pub mod term;
