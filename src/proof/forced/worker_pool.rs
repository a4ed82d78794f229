//! A pool of proof workers: threads of this process and other processes, among which positions are shared
//! out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, bounded};

use super::encoding;
use super::message::{
    ProofAnswer, ProofMessage, ProofPosition, ProofRequest, ProofStatus, ProofWins, TargetStatus,
    WorkerEvent,
};
use super::process::ProofProcess;
use super::worker::ProofWorker;
use crate::game::engine::Engines;
use crate::support::program::ProgramCommand;

/// The number of events that may be queued. Workers that have more to report wait.
const MAX_EVENTS: usize = 1 << 10;

/// Several proof workers behind the interface of one. They end when this is dropped.
///
/// The most important position goes to the first worker, the next one to the second, and so on in turns.
/// The positions of a worker that ends are given to the others.
#[derive(Debug)]
pub struct ProofWorkers {
    /// Dropped before the workers, so that none waits any more to report something.
    events: Receiver<(usize, WorkerEvent)>,
    members: Vec<Member>,
    /// The requested positions, unless all rest.
    positions: Vec<ProofPosition>,
    rests: bool,
    /// The number of the last request.
    number: u64,
}

/// Something that a worker has found out.
#[derive(Clone, PartialEq, Debug)]
pub enum Finding {
    /// About a requested position.
    Answer(ProofAnswer),
    /// About other states.
    Wins(ProofWins),
}

/// A worker of a pool.
#[derive(Debug)]
struct Member {
    worker: Worker,
    /// The share of the time that it may work.
    share: f64,
    state: MemberState,
    /// The number of the last request about positions, and which of all positions these are.
    dealt: (u64, Vec<usize>),
    /// The last status that the worker reported.
    status: ProofStatus,
}

/// The destination of requests.
#[derive(Debug)]
enum Worker {
    Thread(ProofWorker),
    Process(ProofProcess),
}

/// Whether a worker can be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum MemberState {
    Starting,
    Ready,
    Gone,
}

impl ProofWorkers {
    /// Starts a process for each of the commands, and a thread of this process with a share of
    /// the time, if that is wanted. The rulesheet, with its name, is for the processes.
    pub fn start(
        engines: &Arc<Engines>,
        rulesheet: (&str, &str),
        commands: &[ProgramCommand],
        thread: Option<f64>,
    ) -> ProofWorkers {
        let (publish, events) = bounded(MAX_EVENTS);
        let mut members = Vec::new();
        for (number, command) in commands.iter().enumerate() {
            let publish = publish.clone();
            let publish = move |event| {
                // If the receiver no longer listens, the process is ended.
                let _ = publish.send((number, event));
            };
            let process =
                ProofProcess::start(command, engines.game(), rulesheet, Arc::new(publish));
            members.push(Member::new(Worker::Process(process), 1.0));
        }
        if let Some(share) = thread {
            let number = members.len();
            let publish = move |event| publish.send((number, event)).is_ok();
            let worker = ProofWorker::start(engines, Arc::new(publish));
            members.push(Member::new(Worker::Thread(worker), share));
        }
        ProofWorkers::of(members, events)
    }

    /// Workers without requests so far.
    fn of(members: Vec<Member>, events: Receiver<(usize, WorkerEvent)>) -> ProofWorkers {
        ProofWorkers {
            members,
            events,
            positions: Vec::new(),
            rests: true,
            number: 0,
        }
    }

    /// Sets the share of the time for the thread of this process, if there is one, from the next
    /// question on.
    pub fn set_share(&mut self, share: f64) {
        for member in &mut self.members {
            if let Worker::Thread(_) = member.worker {
                member.share = share;
            }
        }
    }

    /// Requests proofs about these positions from now on, with the most important one first, and about no
    /// others.
    pub fn query(&mut self, positions: Vec<ProofPosition>) {
        self.rests = false;
        self.positions = positions;
        self.deal();
    }

    /// Lets all rest. What they have proved about the requested positions is still reported.
    pub fn rest(&mut self) {
        self.rests = true;
        self.number += 1;
        for member in &mut self.members {
            member.query(self.number, Vec::new());
        }
    }

    /// Returns whether nothing was requested since they were sent to [rest](ProofWorkers::rest).
    pub fn rests(&self) -> bool {
        self.rests
    }

    /// As [`rest`](ProofWorkers::rest), and nothing more is reported about any position.
    pub fn forget(&mut self) {
        self.rest();
        for member in &mut self.members {
            member.dealt.1.clear();
        }
    }

    /// Shares the positions out among the workers that are ready.
    fn deal(&mut self) {
        self.number += 1;
        let is_ready = |member: &&mut Member| member.state == MemberState::Ready;
        let count = self.members.iter_mut().filter(is_ready).count();
        for (place, member) in self.members.iter_mut().filter(is_ready).enumerate() {
            let own = (0..self.positions.len()).skip(place).step_by(count);
            let own: Vec<usize> = own.collect();
            let positions = own.iter().map(|&at| self.positions[at].clone());
            member.query(self.number, positions.collect());
            member.dealt = (self.number, own);
        }
    }

    /// Returns something that was proved about the positions requested last and not reported yet, or about
    /// other states on the way, if it comes within a time, however many other events there are.
    pub fn wait(&mut self, time: Duration) -> Option<Finding> {
        let until = Instant::now() + time;
        loop {
            let (member, event) = self.events.recv_deadline(until).ok()?;
            if let Some(finding) = self.hear(member, event) {
                return Some(finding);
            }
            if Instant::now() >= until {
                return None;
            }
        }
    }

    /// Returns, after [`rest`](ProofWorkers::rest), something more that was proved before, unless all have
    /// reported that they rest, or that takes until later than this, however many events they send.
    pub fn last_words(&mut self, until: Instant) -> Option<Finding> {
        let number = self.number;
        let is_at_work =
            |member: &Member| member.state == MemberState::Ready && member.status.request < number;
        while self.members.iter().any(is_at_work) && Instant::now() < until {
            let (member, event) = self.events.recv_deadline(until).ok()?;
            if let Some(finding) = self.hear(member, event) {
                return Some(finding);
            }
        }
        None
    }

    /// Processes an event of a worker, and returns it if it is a finding. A position has the number among
    /// all positions then.
    fn hear(&mut self, number: usize, event: WorkerEvent) -> Option<Finding> {
        let member = &mut self.members[number];
        let before = member.state;
        match event {
            WorkerEvent::Message(ProofMessage::Proof(mut answer)) => {
                let (request, own) = &mut member.dealt;
                if answer.request != *request || own.is_empty() {
                    // The finding is no longer wanted.
                    return None;
                }
                let at = own.get(answer.position).copied();
                let position = at.map(|at| &self.positions[at]);
                if let Worker::Process(process) = &member.worker
                    && let Err(fault) = encoding::check(&answer, position)
                {
                    own.clear();
                    process.end(fault);
                    return None;
                }
                answer.position = at?;
                return Some(Finding::Answer(answer));
            }
            WorkerEvent::Message(ProofMessage::Wins(wins)) => return Some(Finding::Wins(wins)),
            WorkerEvent::Message(ProofMessage::Status(status)) => {
                member.status = status;
                member.state = MemberState::Ready;
            }
            WorkerEvent::Lost => member.state = MemberState::Starting,
            WorkerEvent::Gone => member.state = MemberState::Gone,
        }
        if member.state != MemberState::Ready {
            member.dealt.1.clear();
        }
        if member.state != before && !self.rests {
            self.deal();
        }
        None
    }

    /// Returns the number of workers that are there, and of all.
    pub fn count(&self) -> [usize; 2] {
        let ready = self.members.iter();
        let ready = ready.filter(|member| member.state == MemberState::Ready);
        [ready.count(), self.members.len()]
    }

    /// Returns the progress of the search for proofs about each target, of all workers together.
    pub fn status(&self) -> Vec<TargetStatus> {
        let mut all: Vec<TargetStatus> = Vec::new();
        for status in self
            .members
            .iter()
            .flat_map(|member| &member.status.targets)
        {
            match all.iter_mut().find(|of| of.target == status.target) {
                Some(of) => {
                    of.is_on |= status.is_on;
                    of.nodes += status.nodes;
                    of.searched += status.searched;
                    of.discharged += status.discharged;
                    of.threat_nodes += status.threat_nodes;
                    (of.proofs.iter_mut().zip(status.proofs)).for_each(|(of, more)| *of += more);
                }
                None => all.push(*status),
            }
        }
        all
    }
}

impl Member {
    /// A worker that is not ready yet.
    fn new(worker: Worker, share: f64) -> Member {
        Member {
            worker,
            share,
            state: MemberState::Starting,
            dealt: (0, Vec::new()),
            status: ProofStatus {
                request: 0,
                targets: Vec::new(),
            },
        }
    }

    fn query(&mut self, number: u64, positions: Vec<ProofPosition>) {
        if self.state != MemberState::Ready {
            return;
        }
        let request = ProofRequest {
            number,
            share: self.share,
            positions,
        };
        match &mut self.worker {
            Worker::Thread(worker) => worker.query(request),
            Worker::Process(process) => process.query(&request),
        }
    }
}

#[cfg(test)]
mod tests {
    use crossbeam_channel::unbounded;

    use super::*;
    use crate::game::load::{Game, Setup};

    #[test]
    fn a_wait_ends_however_much_there_is_to_hear() {
        let rules = propjit_gdl::games::text("ticTacToe").unwrap();
        let game = Game::from_text("ticTacToe.kif", rules, &Setup::default()).unwrap();
        let worker = ProofWorker::start(game.engines().unwrap(), Arc::new(|_| true));
        let (publish, events) = unbounded();
        let mut workers = ProofWorkers::of(vec![Member::new(Worker::Thread(worker), 1.0)], events);
        let status = ProofMessage::Status(ProofStatus {
            request: 0,
            targets: Vec::new(),
        });
        for _ in 0..3 {
            publish
                .send((0, WorkerEvent::Message(status.clone())))
                .unwrap();
        }
        assert_eq!(workers.wait(Duration::ZERO), None);
        assert!(!workers.events.is_empty());
    }

    #[test]
    fn what_a_thread_had_to_do_is_done_by_others_when_it_crashes() {
        let rules = propjit_gdl::games::text("ticTacToe").unwrap();
        let game = Game::from_text("ticTacToe.kif", rules, &Setup::default()).unwrap();
        let engines = game.engines().unwrap();
        let (publish, events) = unbounded();
        // The first one crashes as soon as it has something to report other than that it is ready.
        let member = |number, crashes: bool| {
            let publish = publish.clone();
            let publish = move |event| {
                let is_status = matches!(event, WorkerEvent::Message(ProofMessage::Status(_)));
                assert!(
                    !crashes || is_status || event == WorkerEvent::Gone,
                    "as wanted"
                );
                publish.send((number, event)).is_ok()
            };
            let worker = ProofWorker::start(engines, Arc::new(publish));
            Member::new(Worker::Thread(worker), 1.0)
        };
        let mut workers = ProofWorkers::of(vec![member(0, true), member(1, false)], events);
        let long = Duration::from_secs(200);
        while workers.count() != [2, 2] {
            workers.wait(Duration::from_millis(5));
        }
        let ground = game.ground_game().unwrap();
        let row = [
            "(cell 1 1 x)",
            "(cell 1 2 x)",
            "(cell 2 1 o)",
            "(cell 2 2 o)",
        ];
        let state = |control| {
            let fluents: Vec<&str> = row.iter().copied().chain([control]).collect();
            ground.parse_state(&fluents).unwrap()
        };
        let states = ["(control x)", "(control o)"].map(state);
        let position = |state| ProofPosition { state, role: None };
        workers.query(states.map(position).to_vec());
        let mut answered = [false; 2];
        while answered != [true; 2] {
            if let Some(Finding::Answer(answer)) = workers.wait(long) {
                answered[answer.position] = true;
            }
        }
        assert_eq!(workers.count(), [1, 2]);
    }
}
