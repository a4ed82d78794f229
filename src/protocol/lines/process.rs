//! A program that is asked over its standard input and output.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::str::FromStr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use propjit_stop::Stop;

use super::message::{LineReply, LineRequest, Numbered, Stopping};
use crate::matches::PlayerError;

/// The most bytes of a line.
pub(super) const LONGEST: u64 = 1 << 26;

/// How long a program may take to end when its input has ended.
const FAREWELL: Duration = Duration::from_millis(500);

/// How long a program may take to answer when it was told to stop.
const LAST_WORD: Duration = Duration::from_millis(100);

/// The time between looks whether a wait is to end.
const SLICE: Duration = Duration::from_millis(5);

/// The words of a command, the first of which is a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineCommand(Vec<String>);

/// The text names no program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a command begins with the name of a program, as in cmd:./agent")]
pub struct NoProgram;

impl FromStr for LineCommand {
    type Err = NoProgram;

    /// Words with blanks between them; there is no quoting.
    fn from_str(text: &str) -> Result<LineCommand, NoProgram> {
        let words: Vec<String> = text.split_whitespace().map(str::to_string).collect();
        match words.is_empty() {
            true => Err(NoProgram),
            false => Ok(LineCommand(words)),
        }
    }
}

impl fmt::Display for LineCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

/// A running program. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct LineProcess {
    child: Child,
    /// Where lines for it go. They wait as long as it does not read.
    lines: Option<Sender<String>>,
    /// What it says.
    said: Receiver<io::Result<Numbered<LineReply>>>,
    /// The number of the last request.
    asked: u64,
}

impl LineProcess {
    /// Starts a program.
    ///
    /// # Errors
    /// When that is not possible.
    pub(super) fn start(command: &LineCommand) -> io::Result<LineProcess> {
        let (program, arguments) = command.0.split_first().expect("there is a program");
        let mut process = Command::new(program);
        process
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        // Ctrl-C is for the referee, which ends its players itself.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut process, 0);
        let mut child = process.spawn()?;
        let input = child.stdin.take().expect("it is piped");
        let output = child.stdout.take().expect("it is piped");
        let (lines, received) = unbounded();
        // A program that talks without end is not listened to faster than it is understood.
        let (say, said) = bounded(16);
        let started = thread::Builder::new()
            .spawn(move || write(input, &received))
            .and_then(|_| thread::Builder::new().spawn(move || listen(output, &say)));
        if let Err(error) = started {
            let _ = child.kill();
            let _ = child.wait();
            return Err(error);
        }
        Ok(LineProcess {
            child,
            lines: Some(lines),
            said,
            asked: 0,
        })
    }

    fn send(&mut self, id: Option<u64>, said: LineRequest) {
        if let Some(lines) = &self.lines {
            // That it has ended shows in what it says.
            let _ = lines.send(Numbered { id, said }.line());
        }
    }

    /// The reply to a request. When `stop` is set, the program is told to stop, and may still reply
    /// for a moment.
    ///
    /// # Errors
    /// When it does not, or says what it must not say.
    pub(super) fn ask(
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
                        LineReply::Error(failed) => Err(PlayerError::Answer(failed.message)),
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
    /// Ends the input of the program, which tells it to end. If it does not, it is killed.
    fn drop(&mut self) {
        self.lines = None;
        let start = Instant::now();
        while start.elapsed() < FAREWELL {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(SLICE);
        }
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// Writes lines to a program as long as there are any, and then ends its input.
fn write(mut input: ChildStdin, lines: &Receiver<String>) {
    let written = |line: String| {
        input
            .write_all(line.as_bytes())
            .and_then(|()| input.flush())
    };
    let _ = lines.iter().try_for_each(written);
}

/// Passes on what a program says, until it ends or cannot be understood.
fn listen(output: impl Read, say: &Sender<io::Result<Numbered<LineReply>>>) {
    let mut output = BufReader::new(output);
    let mut line = String::new();
    loop {
        line.clear();
        let said = match output.by_ref().take(LONGEST).read_line(&mut line) {
            Ok(0) => return,
            Ok(_) if line.trim().is_empty() => continue,
            Ok(_) => serde_json::from_str(&line).map_err(|error| {
                let cut = line.char_indices().nth(80).map_or(line.len(), |(at, _)| at);
                let text = format!("`{}` is no reply: {error}", line[..cut].trim_end());
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
