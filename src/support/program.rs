//! Child programs that communicate in lines.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};

/// The interval of checks whether a program has ended.
const STEP: Duration = Duration::from_millis(2);

/// A program and its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramCommand {
    program: OsString,
    arguments: Vec<String>,
}

/// The text names no program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a command must start with the name of a program, as in cmd:./agent")]
pub struct NoProgram;

impl ProgramCommand {
    /// This program with other arguments, if it is propjit, or else the propjit that the
    /// environment finds.
    pub fn own(arguments: &[&str]) -> ProgramCommand {
        let own = std::env::current_exe().ok();
        let own = own.filter(|path| path.file_stem().is_some_and(|stem| stem == "propjit"));
        ProgramCommand {
            program: own.map_or_else(|| "propjit".into(), OsString::from),
            arguments: arguments.iter().map(|text| text.to_string()).collect(),
        }
    }
}

impl FromStr for ProgramCommand {
    type Err = NoProgram;

    /// Words with blanks between them: the program and its arguments. There is no quoting.
    fn from_str(text: &str) -> Result<ProgramCommand, NoProgram> {
        let mut words = text.split_whitespace();
        let program = words.next().ok_or(NoProgram)?.into();
        let arguments = words.map(str::to_string).collect();
        Ok(ProgramCommand { program, arguments })
    }
}

impl fmt::Display for ProgramCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.program.to_string_lossy())?;
        let mut arguments = self.arguments.iter();
        arguments.try_for_each(|argument| write!(f, " {argument}"))
    }
}

/// A running program with a thread of its own that writes its input, so that the caller does not
/// wait while it does not read.
#[derive(Debug)]
pub(crate) struct Program {
    child: Child,
    /// Its exit status, once it was waited for.
    status: Option<ExitStatus>,
    /// The lines for its input.
    lines: Option<Sender<String>>,
}

impl Program {
    /// Starts a program; returns it with its output.
    ///
    /// # Errors
    /// When that is not possible.
    pub(crate) fn start(command: &ProgramCommand) -> io::Result<(Program, ChildStdout)> {
        let mut process = Command::new(&command.program);
        process
            .args(&command.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        // Ctrl-C is for this program, which ends the others itself, with all that they start.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut process, 0);
        let mut child = process.spawn()?;
        let input = child.stdin.take().expect("it is piped");
        let output = child.stdout.take().expect("it is piped");
        let (lines, received) = unbounded();
        let mut program = Program {
            child,
            status: None,
            lines: Some(lines),
        };
        if let Err(error) = thread::Builder::new().spawn(move || write(input, &received)) {
            program.kill();
            program.child.wait()?;
            return Err(error);
        }
        Ok((program, output))
    }

    /// Writes a line, which has its end already. The end of the program shows in its output.
    pub(crate) fn send(&self, line: String) {
        if let Some(lines) = &self.lines {
            let _ = lines.send(line);
        }
    }

    /// Ends the input, which makes the program end.
    pub(crate) fn end_input(&mut self) {
        self.lines = None;
    }

    /// Ends the program without asking it, and those that it has started.
    pub(crate) fn kill(&mut self) {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            // Its group has its number, as long as it is not waited for.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
        let _ = self.child.kill();
    }

    /// Ends the input, and waits for the end of the program. After `patience` it is killed, and
    /// with it all programs that it has started.
    ///
    /// # Errors
    /// When it cannot be waited for.
    pub(crate) fn finish(&mut self, patience: Duration) -> io::Result<ExitStatus> {
        self.end_input();
        if let Some(status) = self.status {
            return Ok(status);
        }
        let start = Instant::now();
        while start.elapsed() < patience && !self.has_ended()? {
            thread::sleep(STEP);
        }
        self.kill();
        let status = self.child.wait()?;
        self.status = Some(status);
        Ok(status)
    }

    /// Returns whether the program has ended. It is not waited for, so that its group keeps its
    /// number.
    fn has_ended(&mut self) -> io::Result<bool> {
        #[cfg(unix)]
        let ended = {
            use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            waitid(WaitId::Pid(Pid::from_child(&self.child)), options)?.is_some()
        };
        #[cfg(not(unix))]
        let ended = self.child.try_wait()?.is_some();
        Ok(ended)
    }
}

/// Writes lines to a program as long as there are any, and then ends its input.
fn write(mut input: ChildStdin, lines: &Receiver<String>) {
    let mut lines = lines.iter();
    let _ = lines.try_for_each(|line| input.write_all(line.as_bytes()));
}
