//! The proof server process: the other end of what `process` starts.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, unbounded};
use parking_lot::Mutex;
use propjit_stop::Stop;

use super::encoding::{self, DecodeError, Order, Reply, VERSION};
use super::message::WorkerEvent;
use super::process::LONGEST;
use super::worker::ProofWorker;
use crate::game::engine::Engines;
use crate::support::line_io::{LineWriter, read_line};

/// How often the stop token is checked.
const INTERVAL: Duration = Duration::from_millis(20);

/// Makes a game of a name and a rulesheet's text, or says why it cannot.
pub type LoadGame<'a> = dyn FnMut(&str, &str) -> Result<Arc<Engines>, String> + 'a;

/// The destination of answers, until that fails.
type Answers = Mutex<Result<LineWriter, io::Error>>;

/// Serves proofs until the input ends or `stop` is set, which the end of the input sets as well,
/// whether or not the answers are read then.
///
/// # Errors
/// When an answer cannot be written.
pub fn serve(
    input: Box<dyn Read + Send>,
    output: Box<dyn Write + Send>,
    load: &mut LoadGame<'_>,
    stop: &Stop,
) -> io::Result<()> {
    let (say, lines) = unbounded();
    // No thread waits for this one, which ends with its input.
    thread::Builder::new().spawn({
        let stop = stop.clone();
        move || {
            let mut input = io::BufReader::new(input);
            let mut line = Vec::new();
            while let Ok(true) = read_line(&mut input, LONGEST, &mut line)
                && say.send(std::mem::take(&mut line)).is_ok()
            {}
            stop.set();
        }
    })?;
    let mut service = Service {
        answers: Arc::new(Mutex::new(Ok(LineWriter::start(output)?))),
        served: None,
        stop,
    };
    loop {
        match lines.recv_timeout(INTERVAL) {
            Ok(line) => {
                if let Err(message) = service.obey(&line, load)
                    && !write(&service.answers, &Reply::Error { message }, stop)
                {
                    break;
                }
            }
            // Requests before the end of the input are answered, if only by an error.
            Err(RecvTimeoutError::Timeout) if !stop.is_set() && !service.is_deaf() => {}
            Err(_) => break,
        }
    }
    // Its thread may still be at work.
    std::mem::replace(&mut *service.answers.lock(), Err(ended()))?.finish(stop)
}

/// Returns the error for a worker that has no receiver any more.
fn ended() -> io::Error {
    io::Error::other("the service has ended")
}

/// Writes a line. Returns whether that is possible; if not, all is to stop.
fn write(answers: &Answers, reply: &Reply, stop: &Stop) -> bool {
    let answers = answers.lock();
    let Ok(output) = &*answers else {
        return false;
    };
    let is_taken = output.write(encoding::line(reply), stop);
    if !is_taken {
        stop.set();
    }
    is_taken
}

/// A service, for one game at a time.
struct Service<'a> {
    answers: Arc<Answers>,
    /// The game that is served, and its worker.
    served: Option<(Arc<Engines>, ProofWorker)>,
    stop: &'a Stop,
}

impl Service<'_> {
    /// Whether answers cannot be written any more.
    fn is_deaf(&self) -> bool {
        let answers = self.answers.try_lock();
        answers.is_some_and(|answers| answers.as_ref().is_ok_and(LineWriter::has_failed))
    }

    /// Does what a line says.
    fn obey(&mut self, line: &[u8], load: &mut LoadGame<'_>) -> Result<(), String> {
        let text = |error: DecodeError| error.to_string();
        match serde_json::from_slice(line).map_err(|error| text(error.into()))? {
            Order::Game { version, .. } if version != VERSION => Err(format!(
                "message version {version} is not supported; use version {VERSION}"
            )),
            Order::Game { name, rules, .. } => {
                self.served = None;
                // The last messages of the last worker are discarded.
                let output = std::mem::replace(&mut *self.answers.lock(), Err(ended()));
                self.answers = Arc::new(Mutex::new(output));
                let engines = load(&name, &rules)?;
                let (answers, stop) = (self.answers.clone(), self.stop.clone());
                let game = engines.game().clone();
                let publish = move |event| match event {
                    WorkerEvent::Message(message) => {
                        write(&answers, &Reply::new(&game, &message), &stop)
                    }
                    WorkerEvent::Lost | WorkerEvent::Gone => {
                        // The client may start another process.
                        let mut answers = answers.lock();
                        if answers.is_ok() {
                            *answers = Err(io::Error::other("the prover crashed"));
                            stop.set();
                        }
                        false
                    }
                };
                let worker = ProofWorker::start(&engines, Arc::new(publish));
                self.served = Some((engines, worker));
                Ok(())
            }
            Order::Ask {
                request,
                share,
                positions,
            } => {
                let Some((engines, worker)) = &mut self.served else {
                    return Err("no game yet: send the game first".to_string());
                };
                let request = encoding::request(engines.game(), request, share, &positions);
                worker.query(request.map_err(text)?);
                Ok(())
            }
        }
    }
}
