//! A proof worker in a process of its own, which is asked over its standard input and output.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::str::FromStr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use parking_lot::Mutex;
use thiserror::Error;

use super::encoding::{self, DecodeError, Order, Reply, VERSION};
use super::message::{ProofRequest, WorkerEvent};
use crate::crash::caught;
use crate::ground::GroundGame;

/// How often a worker is started again that has ended by itself.
const RESTARTS: usize = 3;

/// The most bytes of a line.
pub(super) const LONGEST: u64 = 1 << 24;

/// How long a process may take to end when its input has ended.
const FAREWELL: Duration = Duration::from_millis(200);

/// How often to look whether it has.
const STEP: Duration = Duration::from_millis(2);

/// A command that serves proofs on its standard input and output, as `propjit prove --serve` does.
///
/// It is trusted: what it says is proved is not proved again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofCommand {
    program: OsString,
    arguments: Vec<String>,
}

impl ProofCommand {
    /// `propjit prove --serve`, of this program if it is propjit, or else of the one that the
    /// environment finds.
    pub fn own() -> ProofCommand {
        let own = std::env::current_exe().ok();
        let own = own.filter(|path| path.file_stem().is_some_and(|stem| stem == "propjit"));
        ProofCommand {
            program: own.map_or_else(|| "propjit".into(), OsString::from),
            arguments: vec!["prove".to_string(), "--serve".to_string()],
        }
    }
}

/// The text names no program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("a command begins with the name of a program")]
pub struct NoCommand;

impl FromStr for ProofCommand {
    type Err = NoCommand;

    /// Words with blanks between them: the program and its arguments.
    fn from_str(text: &str) -> Result<ProofCommand, NoCommand> {
        let mut words = text.split_whitespace();
        let program = words.next().ok_or(NoCommand)?.into();
        let arguments = words.map(str::to_string).collect();
        Ok(ProofCommand { program, arguments })
    }
}

impl fmt::Display for ProofCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.program.to_string_lossy())?;
        let mut arguments = self.arguments.iter();
        arguments.try_for_each(|argument| write!(f, " {argument}"))
    }
}

/// A process, and a thread that starts it anew when it ends. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct ProofProcess {
    game: Arc<GroundGame>,
    connection: Arc<Mutex<Connection>>,
}

/// The connection to the process, as long as there is one.
#[derive(Debug, Default)]
struct Connection {
    child: Option<Child>,
    /// Where lines for it go. They wait as long as it does not read.
    lines: Option<Sender<String>>,
    /// Whether nobody asks it any more.
    is_unwanted: bool,
    /// What was wrong with what it said.
    fault: Option<DecodeError>,
}

/// Why a process ends.
enum End {
    /// Nobody asks it any more.
    Unwanted,
    /// It could not be started, or does not want to serve.
    Refused(String),
    /// Something else.
    Failed(String),
}

impl ProofProcess {
    /// Starts a process for a game, and calls `tell` with what becomes of it.
    pub(super) fn start(
        command: &ProofCommand,
        game: &Arc<GroundGame>,
        (name, rules): (&str, &str),
        tell: Box<dyn Fn(WorkerEvent) + Send>,
    ) -> ProofProcess {
        let connection = Arc::new(Mutex::new(Connection::default()));
        let greeting = encoding::line(&Order::Game {
            version: VERSION,
            name: name.to_string(),
            rules: rules.to_string(),
        });
        let attendant = Attendant {
            command: command.clone(),
            game: game.clone(),
            greeting,
            connection: connection.clone(),
            tell,
        };
        let thread = thread::Builder::new().name("prover".to_string());
        let work = move || {
            if let Err(message) = caught(|| attendant.run()) {
                let command = attendant.command.to_string();
                tracing::warn!(command, message, "a proof worker is given up after a crash");
                (attendant.tell)(WorkerEvent::Gone);
            }
        };
        if let Err(error) = thread.spawn(work) {
            tracing::warn!(%error, "the thread cannot be started");
        }
        ProofProcess {
            game: game.clone(),
            connection,
        }
    }

    /// Makes a request, in place of the last one.
    pub(super) fn ask(&self, request: &ProofRequest) {
        let line = encoding::line(&Order::ask(&self.game, request));
        if let Some(lines) = &self.connection.lock().lines {
            // That it has ended is told otherwise.
            let _ = lines.send(line);
        }
    }

    /// Ends the process because of what it said. It is started again.
    pub(super) fn end(&self, fault: DecodeError) {
        let mut connection = self.connection.lock();
        connection.fault = Some(fault);
        if let Some(child) = &mut connection.child {
            let _ = child.kill();
        }
    }
}

impl Drop for ProofProcess {
    /// Ends the input of the process, which tells it to end. If it does not, it is killed.
    fn drop(&mut self) {
        let mut connection = self.connection.lock();
        connection.is_unwanted = true;
        connection.lines = None;
        drop(connection);
        let start = Instant::now();
        loop {
            // Whoever takes it away waits for its end.
            let mut connection = self.connection.lock();
            let Some(child) = &mut connection.child else {
                return;
            };
            if start.elapsed() > FAREWELL {
                let _ = child.kill().and_then(|()| child.wait());
                return;
            }
            drop(connection);
            thread::sleep(STEP);
        }
    }
}

/// What starts a process, and starts it anew when it ends.
struct Attendant {
    command: ProofCommand,
    game: Arc<GroundGame>,
    /// The first line for it.
    greeting: String,
    connection: Arc<Mutex<Connection>>,
    tell: Box<dyn Fn(WorkerEvent) + Send>,
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
                tracing::warn!(command, why, "a proof worker is given up");
                break;
            }
            tracing::warn!(command, why, "a proof worker is started again");
            (self.tell)(WorkerEvent::Lost);
        }
        (self.tell)(WorkerEvent::Gone);
    }

    /// Starts the process and passes on what it says, until it ends.
    fn attend(&self) -> End {
        let output = match self.connect() {
            Ok(Some(output)) => output,
            Ok(None) => return End::Unwanted,
            Err(error) => return End::Refused(format!("it cannot be started: {error}")),
        };
        let result = self.listen(output);
        let mut connection = self.connection.lock();
        connection.lines = None;
        let fault = connection.fault.take();
        let child = connection.child.take();
        let is_unwanted = connection.is_unwanted;
        drop(connection);
        let status = child.map(finish);
        if is_unwanted {
            return End::Unwanted;
        }
        match (result.err().or(fault), status) {
            (Some(DecodeError::Refused(why)), _) => End::Refused(why),
            (Some(error), _) => End::Failed(format!("it talks nonsense: {error}")),
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
        let mut process = Command::new(&self.command.program);
        process
            .args(&self.command.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        // Ctrl-C is for the search, which ends its workers itself.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut process, 0);
        let mut child = process.spawn()?;
        let input = child.stdin.take().expect("it is piped");
        let output = child.stdout.take().expect("it is piped");
        let (lines, received) = unbounded();
        let writer = thread::Builder::new().spawn(move || write(input, &received));
        if let Err(error) = writer {
            let _ = child.kill();
            let _ = child.wait();
            return Err(error);
        }
        let _ = lines.send(self.greeting.clone());
        connection.lines = Some(lines);
        connection.child = Some(child);
        Ok(Some(output))
    }

    /// Passes on what the process says, until it ends or cannot be understood.
    fn listen(&self, output: ChildStdout) -> Result<(), DecodeError> {
        let mut output = BufReader::new(output);
        let mut line = String::new();
        while output.by_ref().take(LONGEST).read_line(&mut line)? > 0 {
            (self.tell)(WorkerEvent::Message(Reply::decode(&line, &self.game)?));
            line.clear();
        }
        Ok(())
    }
}

/// Writes lines to a process as long as there are any, and then ends its input.
fn write(mut input: ChildStdin, lines: &Receiver<String>) {
    let mut lines = lines.iter();
    // That it has ended shows in what it says.
    let _ = lines.try_for_each(|line| input.write_all(line.as_bytes()));
}

/// Waits for the end of a process that says nothing any more, but not for long.
fn finish(mut child: Child) -> io::Result<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < FAREWELL {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        thread::sleep(STEP);
    }
    child.kill()?;
    child.wait()
}
