//! Facts against all states of small games, and against random matches of large ones.

mod common;
