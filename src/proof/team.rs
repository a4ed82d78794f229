//! A team of provers, each on a thread, that search for a proof about the same state.

use std::thread;

use propjit_stop::Stop;

use super::exchange::Exchange;
use super::order::influence;
use super::pace::Pace;
use super::prover::{MOST_DEPTH, Proof, ProofConfig, ProofError, Prover, deepen};
use super::search::ProofCounts;
use crate::engine::Engines;
use crate::machine::State;
use crate::reasons::Target;
use crate::rng::streams;

/// Several provers for one target, which try moves in different orders and tell each other what
/// they prove.
#[derive(Debug)]
pub struct ProverTeam {
    provers: Vec<Prover>,
}

impl ProverTeam {
    /// A team of at least one prover.
    ///
    /// # Errors
    /// When there are more joint moves than can be tried.
    pub fn new(
        engines: &Engines,
        target: Target,
        config: &ProofConfig,
        threads: usize,
    ) -> Result<ProverTeam, ProofError> {
        let influence = influence(engines.game(), &Stop::new());
        let influence = influence.as_ref();
        let prover = |_| Prover::with_influence(engines, target, config, influence);
        let provers = (0..threads.max(1)).map(prover);
        let mut provers: Vec<Prover> = provers.collect::<Result<_, _>>()?;
        if provers.len() > 1 {
            let exchanges = Exchange::among(provers.len());
            let streams = streams(0).map(Some);
            // The first one goes its own way.
            let streams = std::iter::once(None).chain(streams);
            for ((prover, exchange), rng) in provers.iter_mut().zip(exchanges).zip(streams) {
                prover.join(exchange, rng);
            }
        }
        Ok(ProverTeam { provers })
    }

    /// As [`Prover::prove`], on as many threads as there are provers: whoever has searched a
    /// number of joint moves first ends that for all.
    ///
    /// # Errors
    /// When the state is in no phase of the game.
    pub fn prove(
        &mut self,
        state: &State,
        depth: u32,
        stop: &Stop,
        mut searched: impl FnMut(u32),
    ) -> Result<Proof, ProofError> {
        deepen(depth, &mut searched, |last| {
            let depth = self
                .prover()
                .deeper(state, last)?
                .min(depth.min(MOST_DEPTH));
            let proof = self.prove_within(state, depth, stop)?;
            Ok(proof.map(|proof| (depth, proof)))
        })
    }

    /// The proof of whoever has one first.
    fn prove_within(
        &mut self,
        state: &State,
        depth: u32,
        stop: &Stop,
    ) -> Result<Option<Proof>, ProofError> {
        if let [prover] = &mut self.provers[..] {
            return prover.prove_within(state, depth, &mut Pace::new(stop));
        }
        let found = &stop.by(None);
        thread::scope(|scope| {
            let threads = self.provers.iter_mut().map(|prover| {
                scope.spawn(move || {
                    let proof = prover.prove_within(state, depth, &mut Pace::new(found));
                    if !matches!(proof, Ok(None)) {
                        found.set();
                    }
                    proof
                })
            });
            let threads: Vec<_> = threads.collect();
            let mut first = Ok(None);
            for thread in threads {
                let proof =
                    (thread.join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                if matches!(first, Ok(None)) {
                    first = proof;
                }
            }
            first
        })
    }

    /// What was counted in all searches so far, by all together.
    pub fn counts(&self) -> ProofCounts {
        let counts = self.provers.iter().map(Prover::counts);
        counts.fold(ProofCounts::default(), ProofCounts::and)
    }

    /// One of the provers.
    pub fn prover(&self) -> &Prover {
        &self.provers[0]
    }
}
