//! Atomic words, the memory that the tree is made of.
//!
//! With `--cfg propjit_loom`, these are the words of loom, which tries all orders in which
//! threads may access them (see [`model`](super::model)).

#[cfg(not(propjit_loom))]
pub(in crate::search::mcts) use propjit_jit::memory::SharedWords;
#[cfg(not(propjit_loom))]
pub(in crate::search::mcts) use std::sync::atomic::AtomicU64;

#[cfg(propjit_loom)]
pub(in crate::search::mcts) use self::modelled::{AtomicU64, SharedWords};

#[cfg(propjit_loom)]
mod modelled {
    use std::io;
    use std::ops::Deref;

    pub use loom::sync::atomic::AtomicU64;

    /// Stands for the words of the same name.
    #[derive(Debug)]
    pub struct SharedWords(Vec<AtomicU64>);

    impl SharedWords {
        pub fn new(length: usize) -> io::Result<SharedWords> {
            Ok(SharedWords(
                (0..length).map(|_| AtomicU64::new(0)).collect(),
            ))
        }

        pub fn prefetch(&self, _: usize) {}
    }

    impl Deref for SharedWords {
        type Target = [AtomicU64];

        fn deref(&self) -> &[AtomicU64] {
            &self.0
        }
    }
}
