//! Proof worker threads.

use std::cmp::Ordering;
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, unbounded};
use propjit_stop::Stop;

use super::announcer::Announcer;
use super::config::{MAX_DEPTH, ProofConfig};
use super::config::{ProofMode, ProofWay};
use super::courses::{Courses, Weights};
use super::cube::Cube;
use super::message::{
    ProofAnswer, ProofMessage, ProofRequest, ProofStatus, ProofWins, TargetStatus, WinCube,
    WorkerEvent,
};
use super::order::influence;
use super::pace::Pace;
use super::prover::Prover;
use super::verdict::Verdict;
use crate::game::circuits::reasons::Target;
use crate::game::engine::Engines;
use crate::game::facts::ceiling;
use crate::game::vocabulary::moves::{RANDOM_ROLE, RoleId};
use crate::proof::influence::Influence;
use crate::support::crash::caught;
use crate::support::threads;

/// The number of nodes after which it is checked whether cubes pay off in a game.
const TRIAL: u64 = 5_000;

/// The share of joint moves that cubes have to spare then.
const USEFUL: f64 = 0.5;

/// The part of its share that the worker takes where only threats are searched.
const THREAT_SHARE: f64 = 0.25;

/// The receiver of messages; it also gets a last event when none will come any more because the thread has
/// crashed. Returns whether the receiver still listens.
pub type PublishEvent = dyn Fn(WorkerEvent) -> bool + Send + Sync;

/// The number of nodes after which it is seen whether another position has had too little.
const SLICE: u64 = 256;

/// A thread that looks for wins that a role can force, in the requested positions. It ends when this is
/// dropped.
#[derive(Debug)]
pub struct ProofWorker {
    requests: Sender<(ProofRequest, Stop)>,
    stop: Stop,
    /// The stop token of the last request.
    last: Stop,
}

impl ProofWorker {
    /// Starts the thread, which calls `publish` with its messages until that returns `false`: with a status
    /// when it is ready and after each request, and with what it proves. While an evaluation is to be
    /// learned first, it waits.
    pub fn start(engines: &Arc<Engines>, publish: Arc<PublishEvent>) -> ProofWorker {
        let (requests, received) = unbounded();
        let stop = Stop::new();
        let gone = publish.clone();
        let work = {
            let (engines, stop) = (engines.clone(), stop.clone());
            move || {
                // To get ready takes seconds where there are many gates.
                engines.analysis_pause().wait();
                let served =
                    caught(|| Serving::new(&engines, publish.clone(), &stop).serve(&received));
                if let Err(message) = served {
                    tracing::warn!(message, "a prover crashed; the search continues without it");
                    publish(WorkerEvent::Gone);
                }
            }
        };
        if threads::or_without(threads::start("prover", work)).is_none() {
            gone(WorkerEvent::Gone);
        }
        ProofWorker {
            requests,
            last: stop.by(None),
            stop,
        }
    }

    /// Makes a request, in place of the last one.
    pub fn query(&mut self, request: ProofRequest) {
        self.last.set();
        self.last = self.stop.by(None);
        // If the thread has ended, nothing more is proved.
        let _ = self.requests.send((request, self.last.clone()));
    }
}

impl Drop for ProofWorker {
    fn drop(&mut self) {
        self.stop.set();
    }
}

/// Returns an announcer for what a search for proofs about a target finds out about other states on the
/// way.
fn announcer(target: Target, ceilings: &[(RoleId, i32)], publish: Arc<PublishEvent>) -> Announcer {
    let ceilings = ceilings.to_vec();
    let cube = move |(phase, cube): (usize, Arc<Cube>)| WinCube {
        phase,
        depth: cube.depth(),
        literals: cube.given().collect(),
    };
    Announcer::new(Box::new(move |wins| {
        // The answer to a request shows whether the receiver still listens.
        publish(WorkerEvent::Message(ProofMessage::Wins(ProofWins {
            target,
            ceilings: ceilings.clone(),
            cubes: wins.into_iter().map(cube).collect(),
        })));
    }))
}

/// The search for a proof about one position.
struct Task {
    position: usize,
    subject: usize,
    courses: Courses,
}

impl Task {
    /// Compares what two tasks have had of what is due to them: a quarter as much for the second
    /// position as for the first, a ninth for the next one, and so on.
    fn compare(&self, other: &Task) -> Ordering {
        let had = |task: &Task| task.courses.nodes() * (task.position as u64 + 1).pow(2);
        had(self).cmp(&had(other))
    }
}

/// A target, and the search for proofs about it.
struct Subject {
    status: TargetStatus,
    prover: Prover,
    /// The costs of courses of the search for what they bring in this game.
    weights: Weights,
    /// The upper bounds of the others where the target is forced.
    ceilings: Vec<(RoleId, i32)>,
}

impl Subject {
    /// A target that is looked for, if the game has proofs about it.
    fn new(
        engines: &Engines,
        target: Target,
        influence: Option<&Influence>,
        publish: &Arc<PublishEvent>,
        stop: &Stop,
    ) -> Option<Subject> {
        let game = engines.game();
        let config = ProofConfig::default();
        let mut prover = Prover::with_influence(engines, target, &config, influence, stop)
            .inspect_err(|error| tracing::info!(%error, "no local search"))
            .ok()?;
        let others = RoleId::first(game.roles().len()).filter(|&other| other != target.role);
        let ceilings = others.filter_map(|other| {
            ceiling(game, (target.role, target.value), other, stop).map(|most| (other, most))
        });
        let ceilings: Vec<_> = ceilings.collect();
        tracing::debug!(?target, ?ceilings, "local search");
        prover.announce(announcer(target, &ceilings, publish.clone()));
        Some(Subject {
            status: TargetStatus {
                target,
                is_on: true,
                nodes: 0,
                searched: 0,
                discharged: 0,
                threat_nodes: 0,
                proofs: [0; 2],
            },
            prover,
            weights: Weights::default(),
            ceilings,
        })
    }

    /// Returns the mode of the search: full search is dropped once it turns out not to pay off.
    fn mode(&self) -> ProofMode {
        match self.status.is_on {
            true => ProofMode::Both,
            false => ProofMode::Threats,
        }
    }

    /// Restarts the counts, and drops the search of all moves if it does not pay off.
    fn review(&mut self, roles: &[String]) {
        let ([all, threats, _], status) = (self.prover.counts(), &mut self.status);
        status.nodes = all.nodes;
        status.searched = all.searched;
        status.discharged = all.discharged;
        status.threat_nodes = threats.nodes;
        let is_useful = status.spared().is_none_or(|spared| spared >= USEFUL);
        if status.is_on && status.nodes >= TRIAL && !is_useful {
            let (role, spared) = (&roles[status.target.role.index()], status.spared());
            tracing::info!(
                role,
                spared,
                "a local search of all moves does not pay in this game"
            );
            status.is_on = false;
            // Nor do cubes pay off for a search that looks states up in them.
            self.prover.be_silent();
        }
    }
}

/// The server of requests, on the thread of a worker.
struct Serving<'a> {
    roles: &'a [String],
    subjects: Vec<Subject>,
    publish: Arc<PublishEvent>,
}

impl<'a> Serving<'a> {
    /// For the greatest goal of each role, unless it has only one.
    fn new(engines: &'a Engines, publish: Arc<PublishEvent>, stop: &Stop) -> Serving<'a> {
        let game = engines.game();
        let roles = RoleId::first(game.roles().len());
        let players = roles.filter(|role| game.roles()[role.index()] != RANDOM_ROLE);
        let targets =
            players.filter_map(|role| match &game.propnet().roles[role.index()].goals[..] {
                [_, .., best] => Some(Target {
                    role,
                    value: best.value,
                }),
                _ => None,
            });
        let influence = influence(game, stop);
        let subject = |target| Subject::new(engines, target, influence.as_ref(), &publish, stop);
        let subjects = targets.take_while(|_| !stop.is_set()).filter_map(subject);
        Serving {
            roles: game.roles(),
            subjects: subjects.collect(),
            publish,
        }
    }

    /// Serves requests until there are no more, or the receiver no longer listens.
    fn serve(mut self, requests: &Receiver<(ProofRequest, Stop)>) {
        let mut listens = self.publish_status(0);
        while listens && let Ok(first) = requests.recv() {
            let (request, stop) = requests.try_iter().last().unwrap_or(first);
            listens = self.answer(&request, &stop);
            for subject in &mut self.subjects {
                subject.review(self.roles);
            }
            listens = listens && self.publish_status(request.number);
        }
    }

    /// Sends a message. Returns whether the receiver still listens.
    fn publish(&self, message: ProofMessage) -> bool {
        (self.publish)(WorkerEvent::Message(message))
    }

    /// Reports the state of the work. Returns whether the receiver still listens.
    fn publish_status(&mut self, request: u64) -> bool {
        let targets = self.subjects.iter().map(|subject| subject.status).collect();
        self.publish(ProofMessage::Status(ProofStatus { request, targets }))
    }

    /// Works on a request until it is stopped. Returns whether the receiver still listens.
    fn answer(&mut self, request: &ProofRequest, stop: &Stop) -> bool {
        let is_on = self.subjects.iter().any(|subject| subject.status.is_on);
        let share = if is_on { 1.0 } else { THREAT_SHARE };
        let mut pace = Pace::with_share(stop, share * request.share);
        let mut tasks = Vec::new();
        for (position, of) in request.positions.iter().enumerate() {
            for (number, subject) in self.subjects.iter().enumerate() {
                let role = subject.status.target.role;
                if of.role.is_some_and(|wanted| wanted != role) {
                    continue;
                }
                let (state, mode) = (&of.state, subject.mode());
                // A position may be one that no match comes to.
                if let Ok(courses) = subject.prover.courses(state, mode, MAX_DEPTH) {
                    tasks.push(Task {
                        position,
                        subject: number,
                        courses,
                    });
                }
            }
        }
        while !stop.is_set()
            && let Some(next) = (0..tasks.len()).min_by(|&a, &b| tasks[a].compare(&tasks[b]))
        {
            let task = &mut tasks[next];
            let subject = &mut self.subjects[task.subject];
            let Some((aim, _)) = task.courses.next(&mut subject.weights) else {
                tasks.swap_remove(next);
                continue;
            };
            let prover = &mut subject.prover;
            let before = prover.nodes();
            pace.allow(SLICE);
            let state = &request.positions[task.position].state;
            let attempt = prover.attempt(state, aim, &mut pace);
            let attempt = attempt.expect("it is in a phase");
            let nodes = prover.nodes() - before;
            let noted = task.courses.note(&mut subject.weights, aim, nodes, attempt);
            // The results of an unfinished slice are in the store.
            let Some(proof) = noted else {
                continue;
            };
            if let (Verdict::Won(depth), Some(joint)) = (proof.verdict, proof.line.first()) {
                let cube = proof.cube.iter().flat_map(|cube| cube.given());
                let answer = ProofAnswer {
                    request: request.number,
                    position: task.position,
                    target: subject.status.target,
                    depth,
                    joint: joint.clone(),
                    ceilings: subject.ceilings.clone(),
                    cube: cube.collect(),
                    nodes: task.courses.nodes(),
                };
                // A state in a known cube was counted when that cube was found.
                if answer.nodes > 0 {
                    subject.status.proofs[usize::from(proof.way != ProofWay::Full)] += 1;
                }
                if !self.publish(ProofMessage::Proof(answer)) {
                    return false;
                }
            }
            if !matches!(proof.verdict, Verdict::NotWithin(_)) {
                tasks.swap_remove(next);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::game::load::{Game, Setup};

    #[test]
    fn what_is_learned_first_is_waited_for() {
        let rules = "(role a) (init s) (legal a go) (<= (next t) (does a go))
             (<= terminal (true t)) (goal a 100)";
        let game = Game::from_text("t", rules, &Setup::default()).unwrap();
        let engines = game.engines().unwrap();
        engines.analysis_pause().begin();
        let (publish, told) = unbounded();
        let publish = move |event| publish.send(event).is_ok();
        let _worker = ProofWorker::start(engines, Arc::new(publish));
        let ready = told.recv_timeout(Duration::from_millis(50));
        assert!(ready.is_err(), "{ready:?}");
        engines.analysis_pause().end();
        let ready = told.recv_timeout(Duration::from_secs(100));
        assert!(ready.is_ok(), "{ready:?}");
    }
}
