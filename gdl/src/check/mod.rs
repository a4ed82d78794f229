//! Checks of the rules: what the language asks for beyond its syntax.
//!
//! - `safety`: every variable has its values from a positive condition;
//! - `roles`: who plays;
//! - `completeness`: the keywords and relations that are used are defined;
//! - `dependencies`: nothing depends on moves or the state that must not;
//! - `stratification`: nothing depends on its own negation.

mod completeness;
mod dependencies;
mod roles;
mod safety;
mod stratification;

pub(crate) use completeness::{check_keywords, check_uses};
pub(crate) use dependencies::check_dependencies;
pub(crate) use roles::find_roles;
pub(crate) use safety::check_safety;
