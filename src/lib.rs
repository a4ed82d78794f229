//! propjit: games as state machines.
