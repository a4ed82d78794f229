//! Parallel work on a thread pool that the whole process shares.
//!
//! Rayon's own global pool panics if its threads cannot be started. This pool has as many threads as can
//! be started, and if there are none, the calling thread does the work.

use std::process;
use std::sync::OnceLock;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The pool, if a thread of it can be started.
///
/// The first call starts it, with a thread for each processor, or as many as the variable
/// `RAYON_NUM_THREADS` says. A process that is forked has none of the threads of its parent, and
/// starts a pool of its own.
pub fn pool() -> Option<&'static ThreadPool> {
    static FIRST: OnceLock<Owned> = OnceLock::new();
    let process = process::id();
    let mut owned = FIRST.get_or_init(Owned::start);
    while owned.process != process {
        owned = owned.forked.get_or_init(|| Box::new(Owned::start()));
    }
    owned.pool.as_ref()
}

/// The pool of a process.
struct Owned {
    process: u32,
    pool: Option<ThreadPool>,
    /// The pool of a process forked from this one, in that process.
    forked: OnceLock<Box<Owned>>,
}

impl Owned {
    /// A pool for this process.
    fn start() -> Owned {
        Owned {
            process: process::id(),
            pool: start(build),
            forked: OnceLock::new(),
        }
    }
}

/// A pool of this many threads; with 0, of the default number.
fn build(threads: usize) -> Option<ThreadPool> {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    let builder = builder.thread_name(|number| format!("pool-{number}"));
    builder.build().ok()
}

/// Builds the largest pool possible: of the default number of threads, or else of half of them, and so on.
fn start<P>(build: impl Fn(usize) -> Option<P>) -> Option<P> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let fewer = std::iter::successors(Some(processors / 2), |threads| Some(threads / 2));
    let fewer = fewer.take_while(|&threads| threads > 0);
    std::iter::once(0).chain(fewer).find_map(build)
}

/// Returns the number of threads that work, at least one.
pub fn threads() -> usize {
    pool().map_or(1, ThreadPool::current_num_threads)
}

/// Applies `work` to each of the items; returns the results in their order.
///
/// ```
/// assert_eq!(propjit_jit::parallel::map(&[1, 2, 3], |number| 2 * number), [2, 4, 6]);
/// ```
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    map_in(pool(), items, work)
}

/// Applies `work` to chunks of the items, each of this size but the last; returns the results in order, concatenated.
///
/// # Panics
/// If the size is 0.
pub fn flat_map_chunks<T: Sync, R: Send>(
    items: &[T],
    size: usize,
    work: impl Fn(&[T]) -> Vec<R> + Sync + Send,
) -> Vec<R> {
    let chunks: Vec<&[T]> = items.chunks(size).collect();
    let found = map(&chunks, |chunk| work(chunk));
    found.into_iter().flatten().collect()
}

fn map_in<T: Sync, R: Send>(
    pool: Option<&ThreadPool>,
    items: &[T],
    work: impl Fn(&T) -> R + Sync + Send,
) -> Vec<R> {
    match pool {
        Some(pool) => pool.install(|| items.par_iter().map(work).collect()),
        None => items.iter().map(work).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn without_a_pool_the_same_is_done_here() {
        let items: Vec<usize> = (0..1000).collect();
        let here = std::thread::current().id();
        let square = |&number: &usize| (number * number, std::thread::current().id());
        let alone = map_in(None, &items, square);
        assert!(alone.iter().all(|&(_, thread)| thread == here));
        let pool = build(2).unwrap();
        let together = map_in(Some(&pool), &items, square);
        assert!(together.iter().all(|&(_, thread)| thread != here));
        let numbers = |found: Vec<(usize, _)>| -> Vec<usize> {
            found.into_iter().map(|(number, _)| number).collect()
        };
        assert_eq!(numbers(alone), numbers(together));
    }

    #[test]
    fn a_pool_has_as_many_threads_as_can_be_started() {
        let tried = RefCell::new(Vec::new());
        let none = start(|threads| {
            tried.borrow_mut().push(threads);
            None::<usize>
        });
        let tried = tried.into_inner();
        assert_eq!((none, tried[0]), (None, 0));
        assert!(tried[1..].is_sorted_by(|more, less| more > less));
        assert_eq!(start(Some), Some(0));
    }
}
