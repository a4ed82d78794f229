//! All tests of the package in one program, which is linked once: a module per subject.

mod cache;
mod code;
mod interpreters;
mod select;
mod support;
