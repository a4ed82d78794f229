//! Child processes that speak the line protocol, with time limits.

use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use propjit_stop::Stop;
use serde_json::Value;

use super::message::{LineReply, LineRequest, Numbered, Stopping, number, said};
use crate::play::matches::PlayerError;
use crate::play::matches::printable::excerpt;
use crate::support::line_io::read_line;
use crate::support::program::{Program, ProgramCommand};

/// The most bytes of a line.
pub(super) const LONGEST: u64 = 1 << 26;

/// How long a program may take to end when its input has ended.
const FAREWELL: Duration = Duration::from_millis(500);

/// How long a program may take to answer after a `stop`.
const LAST_WORD: Duration = Duration::from_millis(100);

/// The interval of checks whether a wait is to end.
const SLICE: Duration = Duration::from_millis(5);

/// A running program. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct LineProcess {
    program: Program,
    /// Its replies.
    said: Receiver<io::Result<Numbered<LineReply>>>,
    /// The number of the last request.
    asked: u64,
}

impl LineProcess {
    /// Starts a program.
    ///
    /// # Errors
    /// When that is not possible.
    pub(super) fn start(command: &ProgramCommand) -> io::Result<LineProcess> {
        let (program, output) = Program::start(command)?;
        // A program that writes without end is not read faster than its lines are parsed.
        let (say, said) = bounded(16);
        let process = LineProcess {
            program,
            said,
            asked: 0,
        };
        thread::Builder::new().spawn(move || listen(output, &say))?;
        Ok(process)
    }

    fn send(&mut self, id: Option<u64>, said: LineRequest) {
        self.program.send(Numbered { id, said }.line());
    }

    /// Sends a request and returns the reply. When `stop` is set, the program is sent `stop`, and
    /// may still reply for a moment.
    ///
    /// # Errors
    /// When it does not, or its reply violates the protocol.
    pub(super) fn query(
        &mut self,
        request: LineRequest,
        stop: &Stop,
    ) -> Result<LineReply, PlayerError> {
        self.asked += 1;
        let id = self.asked;
        self.send(Some(id), request);
        let mut last_word: Option<Instant> = None;
        loop {
            match self.said.recv_timeout(SLICE) {
                Ok(Ok(reply)) if reply.id.is_none_or(|number| number == id) => {
                    return match reply.said {
                        LineReply::Error(failed) => Err(PlayerError::Failed(format!(
                            "error from the program: {}",
                            failed.message
                        ))),
                        said => Ok(said),
                    };
                }
                // It is about an earlier request.
                Ok(Ok(_)) => {}
                Ok(Err(error)) => return Err(PlayerError::Connection(Arc::new(error))),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let ended = io::Error::new(io::ErrorKind::BrokenPipe, "the program has ended");
                    return Err(PlayerError::Connection(Arc::new(ended)));
                }
            }
            match last_word {
                None if stop.is_set() => {
                    self.send(None, LineRequest::Stop(Stopping {}));
                    last_word = Some(Instant::now() + LAST_WORD);
                }
                Some(end) if Instant::now() >= end => return Err(PlayerError::Stopped),
                _ => {}
            }
        }
    }
}

impl Drop for LineProcess {
    fn drop(&mut self) {
        let _ = self.program.finish(FAREWELL);
    }
}

/// Passes on a program's replies, until it ends or a reply cannot be parsed.
fn listen(output: impl Read, say: &Sender<io::Result<Numbered<LineReply>>>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        let said = match read_line(&mut output, LONGEST, &mut line) {
            Ok(false) => return,
            Ok(true) if line.trim_ascii().is_empty() => continue,
            Ok(true) => reply(&line).map_err(|why| {
                let line = String::from_utf8_lossy(line.trim_ascii_end());
                let text = format!("`{}` is not a reply: {why}", excerpt(&line));
                io::Error::new(io::ErrorKind::InvalidData, text)
            }),
            Err(error) => Err(error),
        };
        let is_end = said.is_err();
        if say.send(said).is_err() || is_end {
            return;
        }
    }
}

/// The reply in a line.
fn reply(line: &[u8]) -> Result<Numbered<LineReply>, String> {
    let line: Value = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let id = number(&line)?;
    let said = said(line, &LineReply::NAMES)?;
    Ok(Numbered { id, said })
}
