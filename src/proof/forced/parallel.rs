//! Parallel proof search: several provers, each on a thread, that search for a proof about the same state.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use propjit_stop::Stop;

use super::config::ProofMode;
use super::config::{ProofConfig, ProofError};
use super::courses::{Aim, Attempt, deepen};
use super::exchange::Exchange;
use super::order::influence;
use super::pace::Pace;
use super::prover::Prover;
use super::search::ProofCounts;
use super::verdict::Proof;
use crate::game::circuits::reasons::Target;
use crate::game::engine::Engines;
use crate::game::machine::State;
use crate::support::rng::streams;
use crate::support::threads;

/// Several provers for one target, which try moves in different orders and share what they prove. The
/// others go on when one crashes.
#[derive(Debug)]
pub struct ParallelProver {
    provers: Vec<Prover>,
    mode: ProofMode,
    /// The counts of the provers that have crashed.
    crashed: [ProofCounts; 3],
}

impl ParallelProver {
    /// At least one prover.
    ///
    /// # Errors
    /// When there are more joint moves than can be tried, or a stop comes before it is ready: the one
    /// given, or that of the engines' code.
    pub fn new(
        engines: &Engines,
        target: Target,
        config: &ProofConfig,
        threads: usize,
        stop: &Stop,
    ) -> Result<ParallelProver, ProofError> {
        let influence = influence(engines.game(), stop);
        let influence = influence.as_ref();
        let prover = |_| Prover::with_influence(engines, target, config, influence, stop);
        let provers = (0..threads.max(1)).map(prover);
        let mut provers: Vec<Prover> = provers.collect::<Result<_, _>>()?;
        if provers.len() > 1 {
            let exchanges = Exchange::among(provers.len());
            let streams = streams(0).map(Some);
            // The first prover does not randomise its move order.
            let streams = std::iter::once(None).chain(streams);
            for ((prover, exchange), rng) in provers.iter_mut().zip(exchanges).zip(streams) {
                prover.join(exchange, rng);
            }
        }
        let mode = config.mode;
        Ok(ParallelProver {
            provers,
            mode,
            crashed: Default::default(),
        })
    }

    /// As [`Prover::prove`], on as many threads as there are provers: the first prover to finish a number
    /// of joint moves ends that iteration for all.
    ///
    /// # Errors
    /// When the state is in no phase of the game.
    pub fn prove(
        &mut self,
        state: &State,
        depth: u32,
        stop: &Stop,
        searched: impl FnMut(u32),
    ) -> Result<Proof, ProofError> {
        let courses = self.provers[0].courses(state, self.mode, depth)?;
        deepen(courses, searched, |aim, slice| {
            let before = self.nodes();
            let attempt = self.attempt(state, aim, stop, slice)?;
            let nodes = self.nodes() - before;
            Ok((attempt.is_some() || !stop.is_set()).then_some((nodes, attempt)))
        })
    }

    /// Returns the outcome of an aim from the first prover that comes to an end, if one does within the
    /// given number of nodes.
    fn attempt(
        &mut self,
        state: &State,
        aim: Aim,
        stop: &Stop,
        nodes: u64,
    ) -> Result<Option<Attempt>, ProofError> {
        let pace = |stop: &Stop| {
            let mut pace = Pace::new(stop);
            pace.allow(nodes);
            pace
        };
        if let [prover] = &mut self.provers[..] {
            return prover.attempt(state, aim, &mut pace(stop));
        }
        let found = &stop.by(None);
        let attempts: Vec<_> = thread::scope(|scope| {
            let mut jobs = self.provers.iter_mut().map(|prover| {
                move || {
                    let attempt = prover.attempt(state, aim, &mut pace(found));
                    if !matches!(attempt, Ok(None)) {
                        found.set();
                    }
                    attempt
                }
            });
            let own = jobs.next().expect("there is at least one prover");
            let others = jobs.map(|job| {
                let started = threads::start_scoped(scope, "prover", job);
                threads::or_without(started)
            });
            let others: Vec<_> = others.collect();
            let own = catch_unwind(AssertUnwindSafe(own));
            let others = others.into_iter().map(|thread| match thread {
                Some(thread) => thread.join(),
                None => Ok(Ok(None)),
            });
            std::iter::once(own).chain(others).collect()
        });
        let is_well: Vec<bool> = attempts.iter().map(Result::is_ok).collect();
        let mut first = Ok(None);
        for attempt in attempts {
            match attempt {
                Ok(attempt) if matches!(first, Ok(None)) => first = attempt,
                Ok(_) => {}
                Err(panic) if !is_well.contains(&true) => resume_unwind(panic),
                Err(_) => tracing::warn!("a prover crashed; continuing with the others"),
            }
        }
        let mut is_well = is_well.into_iter();
        let crashed = self
            .provers
            .extract_if(.., |_| is_well.next() == Some(false));
        self.crashed = crashed.fold(self.crashed, |all, prover| sum(all, prover.counts()));
        first
    }

    /// Returns the counts of all searches so far, by all together: as [`Prover::counts`].
    pub fn counts(&self) -> [ProofCounts; 3] {
        let counts = self.provers.iter().map(Prover::counts);
        counts.fold(self.crashed, sum)
    }

    fn nodes(&self) -> u64 {
        self.counts().iter().map(|counts| counts.nodes).sum()
    }
}

fn sum(all: [ProofCounts; 3], more: [ProofCounts; 3]) -> [ProofCounts; 3] {
    std::array::from_fn(|way| all[way].and(more[way]))
}

#[cfg(test)]
mod tests {
    use super::super::announcer::Announcer;
    use super::*;
    use crate::game::load::{Game, Setup};
    use crate::game::vocabulary::moves::RoleId;
    use crate::proof::forced::Verdict;
    use crate::support::threads::testing::without_threads;

    #[test]
    fn the_others_go_on_when_a_prover_crashes() {
        let rules = propjit_gdl::games::text("ticTacToe").unwrap();
        let game = Game::from_text("ticTacToe.kif", rules, &Setup::default()).unwrap();
        let target = Target {
            role: RoleId(0),
            value: 100,
        };
        let config = ProofConfig::default();
        let engines = game.engines().unwrap();
        let mut prover = ParallelProver::new(engines, target, &config, 2, &Stop::new()).unwrap();
        prover.provers[0].announce(Announcer::new(Box::new(|_| panic!("as wanted"))));
        let state = game.ground_game().unwrap().initial().clone();
        // No role wins by force, and many cubes are proved before that is seen.
        let proof = prover.prove(&state, 20, &Stop::new(), |_| ()).unwrap();
        assert_eq!(proof.verdict, Verdict::Lost);
        assert_eq!(prover.provers.len(), 1);
        // If no other thread can be started, one searches alone.
        let mut alone = ParallelProver::new(engines, target, &config, 2, &Stop::new()).unwrap();
        let proof = without_threads(|| alone.prove(&state, 20, &Stop::new(), |_| ()).unwrap());
        assert_eq!((proof.verdict, alone.provers.len()), (Verdict::Lost, 2));
        // The nodes of the other one stay counted: the number of nodes never falls.
        assert!(prover.nodes() > prover.provers[0].nodes());
    }
}
