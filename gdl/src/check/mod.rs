//! Checks of the rules as a whole: what the language asks for beyond its syntax.

mod roles;
mod safety;

pub(crate) use roles::find_roles;
pub(crate) use safety::check_safety;
