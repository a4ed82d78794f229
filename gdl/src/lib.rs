//! The Game Description Language: from text to rules to a ground propositional network.
pub mod propnet;
pub mod rules;
pub mod source;
pub mod term;
