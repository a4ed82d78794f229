//! The log of a match: one line of JSON for each request with its answer.
//!
//! The requests of a log, sent to a player again in their order, replay the match.

use std::fs::{self, File};
use std::io::{self, Write};
use std::iter;
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A line of a log.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LogEntry {
    /// Seconds from the start of the match until the request came.
    pub seconds: f64,
    /// How long the answer took, in seconds.
    pub answer_seconds: f64,
    /// The request in KIF.
    pub request: String,
    /// The answer.
    pub reply: String,
    /// Why the player did not choose the answer, if it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Statistics that the player gave with its choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistics: Option<Value>,
}

/// The log of a match: a file, or nothing.
#[derive(Debug)]
pub(super) struct Log {
    file: Option<Mutex<File>>,
    start: Instant,
}

impl Log {
    /// Creates the log of a match that starts now, as a new file in `folder` if there is one. The
    /// file's name has the time (milliseconds since 1970), the match's name, and a number if there
    /// is such a file already.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub(super) fn create(folder: Option<&Path>, match_id: &str, start: Instant) -> io::Result<Log> {
        let file = folder.map(|folder| {
            fs::create_dir_all(folder)?;
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            let now = now.unwrap_or_default().as_millis();
            // The name comes from a stranger.
            let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            let name: String = match_id.chars().filter(|&c| safe(c)).take(100).collect();
            let numbered = (2..).map(|number| format!("-{number}"));
            let mut ends = iter::once(String::new()).chain(numbered);
            loop {
                let end = ends.next().expect("there is always a further number");
                match File::create_new(folder.join(format!("{now}-{name}{end}.jsonl"))) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    made => break made,
                }
            }
        });
        let file = file.transpose()?.map(Mutex::new);
        Ok(Log { file, start })
    }

    /// A log that is not kept.
    pub(super) fn nowhere(start: Instant) -> Log {
        Log { file: None, start }
    }

    /// Adds a line for a request that came at `received` and is answered now.
    /// Failures go to the program's own log: the match goes on.
    pub(super) fn write(
        &self,
        received: Instant,
        request: String,
        reply: String,
        error: Option<String>,
        statistics: Option<Value>,
    ) {
        let Some(file) = &self.file else {
            return;
        };
        let entry = LogEntry {
            seconds: received.duration_since(self.start).as_secs_f64(),
            answer_seconds: received.elapsed().as_secs_f64(),
            request,
            reply,
            error,
            statistics,
        };
        let line = serde_json::to_string(&entry).map_err(io::Error::from);
        let written = line.and_then(|line| {
            let mut file = file.lock();
            file.write_all(format!("{line}\n").as_bytes())
        });
        if let Err(error) = written {
            tracing::warn!(%error, "the match is not logged");
        }
    }
}
