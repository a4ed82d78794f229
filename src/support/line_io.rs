//! Line I/O that tolerates long lines and stalled peers.

use std::cell::Cell;
use std::io::{self, BufRead, Read, Write};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, SendTimeoutError, Sender, bounded};
use propjit_stop::Stop;

/// How often the stop token is checked.
const INTERVAL: Duration = Duration::from_millis(20);

/// How many lines may wait to be written.
const MAX_LINES: usize = 16;

/// How long the reader may take for lines when a stop has come, and for what is left in the end.
const FAREWELL: Duration = Duration::from_secs(1);

/// Reads a line with its end. Of a line that is longer than `most` bytes, reads this many, and
/// skips the rest. Returns false if there is none any more.
///
/// # Errors
/// When the input cannot be read.
pub(crate) fn read_line(
    input: &mut impl BufRead,
    most: u64,
    line: &mut Vec<u8>,
) -> io::Result<bool> {
    line.clear();
    let length = input.by_ref().take(most).read_until(b'\n', line)?;
    if length as u64 == most && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
    }
    Ok(length > 0)
}

/// Writes lines on a thread of its own, so that no thread waits for a reader longer than a stop
/// allows.
#[derive(Debug)]
pub(crate) struct LineWriter {
    lines: Sender<String>,
    /// The result of the writing.
    written: Receiver<io::Result<()>>,
    /// Until when lines wait to be taken, once a stop has come.
    end: Cell<Option<Instant>>,
}

impl LineWriter {
    /// Starts the thread, which is not joined.
    ///
    /// # Errors
    /// When that is not possible.
    pub(crate) fn start(mut output: impl Write + Send + 'static) -> io::Result<LineWriter> {
        let (lines, received) = bounded::<String>(MAX_LINES);
        let (say, written) = bounded(1);
        thread::Builder::new().spawn(move || {
            let result = received.iter().try_for_each(|line| {
                output.write_all(line.as_bytes())?;
                output.flush()
            });
            let _ = say.send(result);
        })?;
        Ok(LineWriter {
            lines,
            written,
            end: Cell::new(None),
        })
    }

    /// Returns whether nothing can be written any more.
    pub(crate) fn has_failed(&self) -> bool {
        !self.written.is_empty()
    }

    /// Passes on a line with its end. Waits while too much is not read, but for a moment only once
    /// `stop` is set. Returns whether it was taken.
    pub(crate) fn write(&self, mut line: String, stop: &Stop) -> bool {
        loop {
            match self.lines.send_timeout(line, INTERVAL) {
                Ok(()) => return true,
                Err(SendTimeoutError::Timeout(back)) if !is_over(&self.end, stop) => line = back,
                Err(_) => return false,
            }
        }
    }

    /// Waits until all is written, but for a moment only once `stop` is set.
    ///
    /// # Errors
    /// When a line could not be written.
    pub(crate) fn finish(self, stop: &Stop) -> io::Result<()> {
        drop(self.lines);
        let end = Cell::new(None);
        loop {
            match self.written.recv_timeout(INTERVAL) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Timeout) if !is_over(&end, stop) => {}
                Err(_) => return Ok(()),
            }
        }
    }
}

/// Returns whether `stop` was set and the moment after it is over. The end of that moment is kept.
fn is_over(end: &Cell<Option<Instant>>, stop: &Stop) -> bool {
    if !stop.is_set() {
        return false;
    }
    let until = end.get().unwrap_or_else(|| Instant::now() + FAREWELL);
    end.set(Some(until));
    Instant::now() >= until
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_long_line_is_skipped() {
        let mut input = &b"abcdef\nabc\nabcd\n\nab"[..];
        let mut line = Vec::new();
        let mut read = Vec::new();
        while read_line(&mut input, 4, &mut line).unwrap() {
            read.push(String::from_utf8(line.clone()).unwrap());
        }
        assert_eq!(read, ["abcd", "abc\n", "abcd", "\n", "ab"]);
    }
}
