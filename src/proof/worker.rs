//! A thread that proves what it is asked about.

use std::cmp::Ordering;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};
use propjit_stop::Stop;

use super::pace::Pace;
use super::prover::{MOST_DEPTH, ProofConfig, Prover, Verdict};
use crate::analysis::ceiling;
use crate::engine::Engines;
use crate::machine::State;
use crate::moves::{Move, RANDOM_ROLE, RoleId};
use crate::reasons::Target;

/// The number of nodes after which it is seen whether cubes are of use in a game.
const TRIAL: u64 = 5_000;

/// The share of joint moves that cubes have to spare then.
const USEFUL: f64 = 0.5;

/// Something that was proved.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct ProofAnswer {
    /// The number of the request.
    pub request: u64,
    /// The number of the position in the request.
    pub position: usize,
    /// What the role can force there.
    pub target: Target,
    /// Within this number of joint moves.
    pub depth: u32,
    /// The first joint move. Only that of the target's role is part of the proof.
    pub joint: Vec<Move>,
    /// The most that others get then, as far as that is proved.
    pub ceilings: Vec<(RoleId, i32)>,
}

/// A position about which proofs are wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofPosition {
    /// The state.
    pub state: State,
    /// The role whose wins are looked for; or those of all roles.
    pub role: Option<RoleId>,
}

/// Positions about which proofs are wanted.
struct Request {
    number: u64,
    positions: Vec<ProofPosition>,
    stop: Stop,
}

/// A thread that looks for wins that a role can force, in positions that it is asked about. It
/// ends when this is dropped.
#[derive(Debug)]
pub struct ProofWorker {
    requests: Sender<Request>,
    answers: Receiver<ProofAnswer>,
    stop: Stop,
    /// The stop token of the last request.
    last: Stop,
    number: u64,
}

impl ProofWorker {
    /// Starts the thread, which works this share of the time at most.
    pub fn start(engines: &Arc<Engines>, share: f64) -> ProofWorker {
        let (requests, received) = unbounded();
        let (told, answers) = unbounded();
        let stop = Stop::new();
        let work = {
            let (engines, stop) = (engines.clone(), stop.clone());
            move || serve(&engines, share, &received, &told, &stop)
        };
        let thread = thread::Builder::new().name("prover".to_string());
        if let Err(error) = thread.spawn(work) {
            tracing::warn!(%error, "the thread cannot be started");
        }
        ProofWorker {
            requests,
            answers,
            last: stop.by(None),
            stop,
            number: 0,
        }
    }

    /// Asks about these positions from now on, with the most important one first, and about no
    /// others. The number of the request.
    pub fn ask(&mut self, positions: Vec<ProofPosition>) -> u64 {
        self.last.set();
        self.last = self.stop.by(None);
        self.number += 1;
        let request = Request {
            number: self.number,
            positions,
            stop: self.last.clone(),
        };
        // If the thread has ended, nothing more is proved.
        let _ = self.requests.send(request);
        self.number
    }

    /// Asks about nothing any more.
    pub fn rest(&mut self) {
        self.last.set();
    }

    /// Something that was proved and not told yet, if it comes within a time. It may be about an
    /// earlier request.
    pub fn wait(&self, time: Duration) -> Option<ProofAnswer> {
        self.answers.recv_timeout(time).ok()
    }
}

impl Drop for ProofWorker {
    fn drop(&mut self) {
        self.stop.set();
    }
}

/// The search for a proof about one position.
struct Task {
    position: usize,
    prover: usize,
    /// The number of joint moves that were searched.
    depth: u32,
    /// The number of nodes that this took.
    nodes: u64,
}

impl Task {
    fn new(position: usize, prover: usize) -> Task {
        Task {
            position,
            prover,
            depth: 0,
            nodes: 0,
        }
    }

    /// Compares what two tasks have had of what is due to them: a quarter as much for the second
    /// position as for the first, a ninth for the next one, and so on.
    fn compare(&self, other: &Task) -> Ordering {
        let had = |task: &Task| task.nodes * (task.position as u64 + 1).pow(2);
        had(self).cmp(&had(other))
    }
}

/// Serves requests until nobody makes any more.
fn serve(
    engines: &Engines,
    share: f64,
    requests: &Receiver<Request>,
    answers: &Sender<ProofAnswer>,
    stop: &Stop,
) {
    let game = engines.game();
    let roles = RoleId::first(game.roles().len());
    let mut provers = Vec::new();
    for role in roles
        .clone()
        .filter(|role| game.roles()[role.index()] != RANDOM_ROLE)
    {
        let goals = &game.propnet().roles[role.index()].goals;
        let (Some(best), true) = (goals.last(), goals.len() > 1) else {
            continue;
        };
        let target = Target {
            role,
            value: best.value,
        };
        if stop.is_set() {
            return;
        }
        match Prover::new(engines, target, &ProofConfig::default()) {
            Ok(prover) => {
                let others = roles.clone().filter(|&other| other != role);
                let ceilings = others.filter_map(|other| {
                    ceiling(game, (role, target.value), other, stop).map(|most| (other, most))
                });
                provers.push((target, prover, ceilings.collect::<Vec<_>>()));
            }
            Err(error) => tracing::info!(%error, "no local search"),
        }
    }
    for (target, _, ceilings) in &provers {
        tracing::debug!(?target, ?ceilings, "local search");
    }
    while let Ok(first) = requests.recv() {
        let request = requests.try_iter().last().unwrap_or(first);
        let mut pace = Pace::with_share(&request.stop, share);
        let positions = request.positions.iter().enumerate();
        let mut tasks: Vec<Task> = positions
            .flat_map(|(number, position)| {
                let wanted = provers.iter().enumerate().filter(|(_, (target, ..))| {
                    position.role.is_none_or(|role| role == target.role)
                });
                wanted.map(move |(prover, _)| Task::new(number, prover))
            })
            .collect();
        while !request.stop.is_set()
            && let Some(next) = (0..tasks.len()).min_by(|&a, &b| tasks[a].compare(&tasks[b]))
        {
            let task = &mut tasks[next];
            let (target, prover, ceilings) = &mut provers[task.prover];
            let before = prover.counts().nodes;
            let state = &request.positions[task.position].state;
            let proof = prover.deeper(state, task.depth).and_then(|depth| {
                task.depth = depth.min(MOST_DEPTH);
                prover.prove_within(state, task.depth, &mut pace)
            });
            task.nodes += 1 + prover.counts().nodes - before;
            let Ok(Some(proof)) = proof else {
                // There was a stop; or no match comes to the position.
                tasks.swap_remove(next);
                continue;
            };
            if let (Verdict::Won(depth), Some(joint)) = (proof.verdict, proof.line.first()) {
                let answer = ProofAnswer {
                    request: request.number,
                    position: task.position,
                    target: *target,
                    depth,
                    joint: joint.clone(),
                    ceilings: ceilings.clone(),
                };
                if answers.send(answer).is_err() {
                    return;
                }
            }
            let is_open = matches!(proof.verdict, Verdict::NotWithin(_));
            if !is_open || task.depth >= MOST_DEPTH {
                tasks.swap_remove(next);
            }
        }
        provers.retain(|(target, prover, _)| {
            let counts = prover.counts();
            let spared = counts.discharged as f64 / (counts.discharged + counts.searched) as f64;
            let is_useful = counts.nodes < TRIAL || spared >= USEFUL;
            if !is_useful {
                let role = &game.roles()[target.role.index()];
                tracing::info!(role, spared, "local search does not pay in this game");
            }
            is_useful
        });
    }
}
