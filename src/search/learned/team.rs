//! Self-play on several threads.

use std::panic::resume_unwind;
use std::thread;

use propjit_stop::Stop;

use super::match_play::Lessons;
use super::policy::Policy;
use super::samples::Samples;
use super::self_play::{Chance, Matches, NoOutcome, Outcome, SelfPlay, Work};
use crate::support::threads;

/// Several self-players that play matches at the same time, each on a thread of its own. With the same work
/// they do the same, whichever is done first.
pub(super) struct Team<'a> {
    /// The first one plays on the calling thread.
    first: SelfPlay<'a>,
    matches: Matches,
    others: Vec<(SelfPlay<'a>, Matches)>,
}

impl<'a> Team<'a> {
    /// One of them, and the others.
    pub(super) fn new(first: SelfPlay<'a>, others: Vec<SelfPlay<'a>>) -> Team<'a> {
        let others = others.into_iter();
        Team {
            first,
            matches: Matches::default(),
            others: others.map(|play| (play, Matches::default())).collect(),
        }
    }

    /// One of them.
    pub(super) fn first(&mut self) -> &mut SelfPlay<'a> {
        &mut self.first
    }

    /// As [`SelfPlay::go_on`], all of them together.
    pub(super) fn play_on(
        &mut self,
        policy: Policy<'_>,
        work: Work,
        chance: Chance,
        lessons: Lessons<'_>,
        stop: &Stop,
    ) -> Result<Outcome, NoOutcome> {
        let work = work.part(1 + self.others.len() as u64);
        let Lessons {
            samples,
            held_out: (held_out, part),
            traces,
        } = lessons;
        let others = self.others.iter_mut();
        let jobs = others.map(|(play, matches)| {
            let words = samples.words();
            move || {
                let (mut samples, mut held_out) = (Samples::new(words), Samples::new(words));
                let lessons = Lessons {
                    samples: &mut samples,
                    held_out: (&mut held_out, part),
                    traces,
                };
                let outcome = play.play_on(matches, policy, work, chance, lessons, stop)?;
                Ok::<_, NoOutcome>((outcome, samples, held_out))
            }
        });
        let (first, matches) = (&mut self.first, &mut self.matches);
        let (own, found) = beside(jobs.collect(), || {
            let lessons = Lessons {
                samples: &mut *samples,
                held_out: (&mut *held_out, part),
                traces,
            };
            first.play_on(matches, policy, work, chance, lessons, stop)
        });
        let mut all = own?;
        for other in found {
            let (outcome, more, more_held_out) = other?;
            all.merge(&outcome);
            samples.append(more);
            held_out.append(more_held_out);
        }
        Ok(all)
    }

    /// As [`SelfPlay::play`], all of them together. Players with matches that are not over do not count,
    /// unless that is true of all.
    pub(super) fn play(
        &mut self,
        policies: [Policy<'_>; 2],
        decisions: u64,
        chance: Chance,
        mut states: Option<&mut Samples>,
        stop: &Stop,
    ) -> Result<Outcome, NoOutcome> {
        let decisions = decisions.div_ceil(1 + self.others.len() as u64);
        let words = states.as_ref().map(|states| states.words());
        let others = self.others.iter_mut();
        let jobs = others.map(|(play, _)| {
            move || {
                let mut states = words.map(Samples::new);
                let outcome = play.play(policies, decisions, chance, states.as_mut(), stop);
                (outcome, states)
            }
        });
        let first = &mut self.first;
        let (mut all, found) = beside(jobs.collect(), || {
            first.play(policies, decisions, chance, states.as_deref_mut(), stop)
        });
        for (other, more) in found {
            if let (Some(states), Some(more)) = (&mut states, more) {
                states.append(more);
            }
            match (&mut all, other) {
                (_, Err(NoOutcome::Stopped)) => {}
                (Ok(all), Ok(outcome)) => all.merge(&outcome),
                (Err(NoOutcome::Stopped), other) => all = other,
                (Err(_), _) => {}
                (Ok(_), Err(error)) => all = Err(error),
            }
        }
        all
    }
}

/// Does jobs on threads of their own, and one here meanwhile. Jobs for which there is no thread are done here after
/// that.
pub(super) fn beside<R: Send, F: FnOnce() -> R + Send, O>(
    jobs: Vec<F>,
    own: impl FnOnce() -> O,
) -> (O, Vec<R>) {
    thread::scope(|scope| {
        let start = |job| threads::start_scoped_or_return(scope, "team", job);
        let started: Vec<_> = jobs.into_iter().map(start).collect();
        let own = own();
        let found = started.into_iter().map(|started| match started {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(job) => job(),
        });
        (own, found.collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::threads::testing::without_threads;

    #[test]
    fn jobs_without_a_thread_are_done_here() {
        let jobs = || vec![|| thread::current().id(); 3];
        let here = thread::current().id();
        let (own, others) = beside(jobs(), || thread::current().id());
        assert!(own == here && !others.contains(&here));
        let (own, others) = without_threads(|| beside(jobs(), || thread::current().id()));
        assert!(own == here && others == [here; 3]);
    }
}
