//! Dedicated processors for matches that are played in parallel.
//!
//! A job's thread is bound to them; threads and programs that are started from there inherit the
//! binding.

use std::io;

#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Why jobs cannot have processors of their own.
#[derive(Debug, thiserror::Error)]
pub enum CoresError {
    /// There are too few.
    #[error("{jobs} jobs with {each} processors each need {}; this process has {available}", jobs * each)]
    TooFew {
        /// The number of jobs.
        jobs: usize,
        /// How many processors each should have.
        each: usize,
        /// How many there are.
        available: usize,
    },
    /// The system cannot do it, or does not report the processors.
    #[error("binding jobs to processors is not supported on this system")]
    Unsupported(#[from] io::Error),
}

/// The processors of each job; of none, if they are not divided.
#[derive(Default)]
pub(super) struct Cores {
    #[cfg(target_os = "linux")]
    sets: Vec<CpuSet>,
}

#[cfg(target_os = "linux")]
impl Cores {
    /// Divides the processors of this process among the jobs, `each` per job.
    pub(super) fn divide(jobs: usize, each: usize) -> Result<Cores, CoresError> {
        let all = sched_getaffinity(None).map_err(io::Error::from)?;
        let available: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&at| all.is_set(at)).collect();
        if jobs * each > available.len() {
            let available = available.len();
            return Err(CoresError::TooFew {
                jobs,
                each,
                available,
            });
        }
        let set = |numbers: &[usize]| {
            let mut set = CpuSet::new();
            numbers.iter().for_each(|&number| set.set(number));
            set
        };
        let sets = available.chunks(each).take(jobs).map(set).collect();
        Ok(Cores { sets })
    }

    /// Binds this thread to the processors of a job, if they are divided.
    pub(super) fn bind(&self, job: usize) {
        let Some(set) = self.sets.get(job) else {
            return;
        };
        if let Err(error) = sched_setaffinity(None, set) {
            tracing::warn!(%error, job, "cannot bind a job to its processors");
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Cores {
    pub(super) fn divide(_: usize, _: usize) -> Result<Cores, CoresError> {
        Err(io::Error::from(io::ErrorKind::Unsupported).into())
    }

    pub(super) fn bind(&self, _: usize) {}
}
