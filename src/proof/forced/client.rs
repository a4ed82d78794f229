//! Clients of proof workers: searches that ask for proofs about the positions that matter to them.

use std::time::{Duration, Instant};

use propjit_stop::Stop;

use super::worker_pool::{Finding, ProofWorkers};

/// The time after which positions are chosen again: the first time, and at most. It doubles. Provers that are asked
/// about other positions all the time prove little, and take more than their share of the time.
const INTERVAL: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(2)];

/// How long a stop may wait.
const PATIENCE: Duration = Duration::from_millis(5);

/// A search that asks for proofs.
pub trait ProofClient {
    /// The workers.
    fn workers(&mut self) -> &mut ProofWorkers;

    /// Requests proofs about the positions that matter now, if these are not the requested ones already.
    fn query(&mut self);

    /// Takes over what was found out. Returns whether other positions matter now.
    fn hear(&mut self, found: Finding) -> bool;

    /// Requests proofs and takes over what is proved, until a stop comes; and after that for `last_words` at most what
    /// workers have found before.
    fn run_until(&mut self, stop: &Stop, last_words: Duration) {
        let [mut interval, longest] = INTERVAL;
        self.query();
        let mut asked = Instant::now();
        while !stop.is_set() {
            let found = self.workers().wait(PATIENCE);
            if found.is_some_and(|found| self.hear(found)) {
                self.query();
            }
            if asked.elapsed() >= interval {
                self.query();
                asked = Instant::now();
                interval = longest.min(2 * interval);
            }
        }
        self.workers().rest();
        let until = Instant::now() + last_words;
        while let Some(found) = self.workers().last_words(until) {
            self.hear(found);
        }
    }
}
