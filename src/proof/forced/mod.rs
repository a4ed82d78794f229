//! Proof search: whether a role can force a goal, with a proof that holds for many states.
//!
//! The target of a search is that a role has at least some goal value when the match is over. The role *can
//! force it in k joint moves* from states that achieve it, and from those that are not terminal, in which
//! every role has a legal move, and in which the role has a move such that it can force it in k - 1 joint
//! moves whatever the others reply. The search goes depth first, with iterative deepening of k.
//!
//! The disproof that a role can force it in any number of joint moves rests on ends in which it has exactly
//! one goal, which is too small. The worth of other ends is [not known](crate::proof::unproved).
//!
//! The result about a state is kept as a [`Cube`]: the base propositions that the proof depends on, so that
//! it holds for all states that agree on them. A reply need not be searched if the state after it is in a
//! known cube, and most replies far from where a win is forced are discharged by the cube of the first of
//! them. No notion of distance is needed, and nothing is pruned without a proof.
//!
//! - `cube`, `store`: what is proved, and where it is kept.
//! - `steps`: all joint moves of a state in lanes, and the [reasons](crate::game::circuits::reasons) for their
//!   outcomes.
//! - `node`, `search`: the search; `order`: move ordering.
//! - `conclusion`: the cube for a verdict about one state.
//! - `threats`, `direct_threats`: the search for wins by threats, for games in which goals couple
//!   moves; `numbers`: the search without a horizon; `courses`: which of the searches is next, and
//!   how far.
//! - `prover`: proofs about a state.
//! - `parallel`, `exchange`: several provers that search for the same proof.
//! - `message`: the requests of a search to its workers, and their answers.
//! - `worker`, `pace`: a thread that answers requests for proofs, for a share of the time.
//! - `encoding`, `process`, `serve`: a worker in another process, and how messages are written.
//! - `worker_pool`: several workers behind the interface of one.
//! - `announcer`, `known_wins`: wins that are found on the way, for searches of another kind that
//!   come to states in the same cubes.
//!
//! Local search for forced wins is described in the blog of Sancho
//! (<http://sanchoggp.blogspot.com>, 2014), there within a static distance; relevance zones as
//! partial states by Shih et al. (arXiv 2112.02563).

mod announcer;
mod client;
mod conclusion;
mod config;
mod courses;
mod cube;
mod direct_threats;
mod encoding;
mod exchange;
mod joint_rows;
mod known_wins;
mod message;
mod node;
mod numbers;
mod order;
mod pace;
mod parallel;
mod process;
mod prover;
mod search;
mod serve;
mod steps;
mod store;
mod threats;
mod verdict;
mod worker;
mod worker_pool;

pub use crate::game::circuits::reasons::Target;
pub use client::ProofClient;
pub use config::{MAX_DEPTH, ProofConfig, ProofError, ProofMode, ProofPart, ProofWay};
pub use cube::Cube;
pub use encoding::VERSION;
pub use known_wins::KnownWins;
pub use message::{
    ProofAnswer, ProofMessage, ProofPosition, ProofRequest, ProofStatus, ProofWins, TargetStatus,
    WinCube, WorkerEvent,
};
pub use pace::Pace;
pub use parallel::ParallelProver;
pub use process::own_worker;
pub use prover::Prover;
pub use search::ProofCounts;
pub use serve::{LoadGame, serve};
pub use verdict::{Proof, Verdict};
pub use worker::{ProofWorker, PublishEvent};
pub use worker_pool::{Finding, ProofWorkers};
