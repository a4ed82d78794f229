//! A proof worker in a process of its own, with requests over its standard input and output.

use std::io::{self, BufReader};
use std::process::ChildStdout;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::encoding::{self, DecodeError, Order, Reply, VERSION};
use super::message::{ProofRequest, WorkerEvent};
use crate::game::ground::GroundGame;
use crate::support::crash::caught;
use crate::support::line_io::read_line;
use crate::support::program::{Program, ProgramCommand};
use crate::support::threads;

/// How often a worker is started again that has ended by itself.
const RESTARTS: usize = 3;

/// The most bytes of a line.
pub(super) const LONGEST: u64 = 1 << 24;

/// How long a process may take to end when its input has ended.
const FAREWELL: Duration = Duration::from_millis(200);

/// How often to look whether it has.
const STEP: Duration = Duration::from_millis(2);

/// Serves proofs on its standard input and output; what it says is proved is not proved again.
pub fn own_worker() -> ProgramCommand {
    ProgramCommand::own(&["prove", "--serve"])
}

/// A process, and a thread that restarts it when it ends. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct ProofProcess {
    game: Arc<GroundGame>,
    connection: Arc<Mutex<Connection>>,
}

/// The connection to the process, as long as there is one.
#[derive(Debug, Default)]
struct Connection {
    program: Option<Program>,
    /// Whether the worker gets no more requests.
    is_unwanted: bool,
    /// The error in its output.
    fault: Option<DecodeError>,
}

/// Why a process ends.
enum End {
    /// The worker gets no more requests.
    Unwanted,
    /// It could not be started, or does not want to serve.
    Refused(String),
    /// Something else.
    Failed(String),
}

impl ProofProcess {
    /// Starts a process for a game, and calls `publish` with its events.
    pub(super) fn start(
        command: &ProgramCommand,
        game: &Arc<GroundGame>,
        (name, rules): (&str, &str),
        publish: Arc<dyn Fn(WorkerEvent) + Send + Sync>,
    ) -> ProofProcess {
        let connection = Arc::new(Mutex::new(Connection::default()));
        let greeting = encoding::line(&Order::Game {
            version: VERSION,
            name: name.to_string(),
            rules: rules.to_string(),
        });
        let gone = publish.clone();
        let attendant = Attendant {
            command: command.clone(),
            game: game.clone(),
            greeting,
            connection: connection.clone(),
            publish,
        };
        let work = move || {
            if let Err(message) = caught(|| attendant.run()) {
                let command = attendant.command.to_string();
                tracing::warn!(command, message, "proof worker abandoned after a crash");
                (attendant.publish)(WorkerEvent::Gone);
            }
        };
        if threads::or_without(threads::start("prover", work)).is_none() {
            gone(WorkerEvent::Gone);
        }
        ProofProcess {
            game: game.clone(),
            connection,
        }
    }

    /// Makes a request, in place of the last one.
    pub(super) fn query(&self, request: &ProofRequest) {
        let line = encoding::line(&Order::query(&self.game, request));
        if let Some(program) = &self.connection.lock().program {
            program.send(line);
        }
    }

    /// Ends the process because of what it said. It is started again.
    pub(super) fn end(&self, fault: DecodeError) {
        let mut connection = self.connection.lock();
        connection.fault = Some(fault);
        if let Some(program) = &mut connection.program {
            program.kill();
        }
    }
}

impl Drop for ProofProcess {
    /// Closes the input of the process, which is the signal to end. If it does not end, it is killed.
    fn drop(&mut self) {
        let mut connection = self.connection.lock();
        connection.is_unwanted = true;
        if let Some(program) = &mut connection.program {
            program.end_input();
        }
        drop(connection);
        let start = Instant::now();
        loop {
            // The thread that takes the connection away waits for the end of the process.
            let mut connection = self.connection.lock();
            let Some(program) = &mut connection.program else {
                return;
            };
            if start.elapsed() > FAREWELL {
                let _ = program.finish(Duration::ZERO);
                return;
            }
            drop(connection);
            thread::sleep(STEP);
        }
    }
}

/// Starts a process, and restarts it when it ends.
struct Attendant {
    command: ProgramCommand,
    game: Arc<GroundGame>,
    /// The first line for it.
    greeting: String,
    connection: Arc<Mutex<Connection>>,
    publish: Arc<dyn Fn(WorkerEvent) + Send + Sync>,
}

impl Attendant {
    fn run(&self) {
        for left in (0..=RESTARTS).rev() {
            let (why, left) = match self.attend() {
                End::Unwanted => return,
                End::Refused(why) => (why, 0),
                End::Failed(why) => (why, left),
            };
            let command = self.command.to_string();
            if left == 0 {
                tracing::warn!(command, why, "proof worker abandoned");
                break;
            }
            tracing::warn!(command, why, "restarting a proof worker");
            (self.publish)(WorkerEvent::Lost);
        }
        (self.publish)(WorkerEvent::Gone);
    }

    /// Starts the process and passes on what it says, until it ends.
    fn attend(&self) -> End {
        let output = match self.connect() {
            Ok(Some(output)) => output,
            Ok(None) => return End::Unwanted,
            Err(error) => return End::Refused(format!("cannot start it: {error}")),
        };
        let result = self.listen(output);
        let mut connection = self.connection.lock();
        let fault = connection.fault.take();
        let program = connection.program.take();
        let is_unwanted = connection.is_unwanted;
        drop(connection);
        let status = program.map(|mut program| program.finish(FAREWELL));
        if is_unwanted {
            return End::Unwanted;
        }
        match (result.err().or(fault), status) {
            (Some(DecodeError::Refused(why)), _) => End::Refused(why),
            (Some(error), _) => End::Failed(format!("invalid reply: {error}")),
            (None, Some(Ok(status))) => End::Failed(format!("it has ended ({status})")),
            (None, _) => End::Failed("it has ended".to_string()),
        }
    }

    /// Starts the process and greets it; `None` if it is not wanted any more.
    fn connect(&self) -> io::Result<Option<ChildStdout>> {
        let mut connection = self.connection.lock();
        if connection.is_unwanted {
            return Ok(None);
        }
        let (program, output) = Program::start(&self.command)?;
        program.send(self.greeting.clone());
        connection.program = Some(program);
        Ok(Some(output))
    }

    /// Passes on what the process says, until it ends or cannot be understood.
    fn listen(&self, output: ChildStdout) -> Result<(), DecodeError> {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        while read_line(&mut output, LONGEST, &mut line)? {
            (self.publish)(WorkerEvent::Message(Reply::decode(&line, &self.game)?));
        }
        Ok(())
    }
}
