//! `propjit validate`: a check of rulesheets.

use std::fmt;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use propjit_gdl::ReadError;
use propjit_gdl::diagnostic::{Diagnostic, Diagnostics, Severity};
use propjit_gdl::rules::Rules;
use serde::Serialize;

use super::output::{Failure, Output, describe, message};

/// Check rulesheets: syntax, and everything that makes a game undefined
#[derive(clap::Args)]
pub(super) struct Args {
    /// Files with rules
    #[arg(required = true, value_name = "RULESHEET")]
    rulesheets: Vec<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    valid: usize,
    invalid: usize,
    files: Vec<File>,
}

#[derive(Serialize)]
struct File {
    path: PathBuf,
    valid: bool,
    errors: usize,
    warnings: usize,
    messages: Vec<Message>,
}

#[derive(Serialize)]
struct Message {
    severity: &'static str,
    code: String,
    message: String,
    line: Option<usize>,
    column: Option<usize>,
}

/// Checks each file, and fails if one is wrong.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let mut report = Report {
        valid: 0,
        invalid: 0,
        files: Vec::new(),
    };
    for path in &args.rulesheets {
        let file = check(path, output.is_json());
        match file.valid {
            true => report.valid += 1,
            false => report.invalid += 1,
        }
        report.files.push(file);
    }
    output.result(&report)?;
    match report.invalid {
        0 => Ok(()),
        _ => Err(Failure::Told),
    }
}

/// Checks one file; its messages go to stderr unless they are in the JSON.
fn check(path: &PathBuf, json: bool) -> File {
    let mut file = File {
        path: path.clone(),
        valid: false,
        errors: 0,
        warnings: 0,
        messages: Vec::new(),
    };
    let diagnostics = match Rules::read(path) {
        Ok(parsed) => {
            file.valid = true;
            parsed.warnings
        }
        Err(ReadError::Invalid(diagnostics)) => diagnostics,
        Err(error) => {
            file.errors = 1;
            file.messages.push(Message {
                severity: "error",
                code: "unreadable".to_string(),
                message: describe(&error),
                line: None,
                column: None,
            });
            if !json {
                message(&format!("error: {}", describe(&error)));
            }
            return file;
        }
    };
    file.errors = diagnostics.count(Severity::Error);
    file.warnings = diagnostics.count(Severity::Warning);
    let all = diagnostics.errors().chain(diagnostics.warnings());
    file.messages = all.map(|d| told(d, &diagnostics)).collect();
    if !json && !diagnostics.is_empty() {
        message(diagnostics.render(io::stderr().is_terminal()).trim_end());
    }
    file
}

fn told(diagnostic: &Diagnostic, all: &Diagnostics) -> Message {
    let start = diagnostic.primary.as_ref().map(|label| label.span.start);
    let position = start.map(|start| all.source().position(start));
    Message {
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        code: diagnostic.code.name().to_string(),
        message: diagnostic.message.clone(),
        line: position.map(|position| position.line),
        column: position.map(|position| position.column),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for file in &self.files {
            let verdict = if file.valid { "valid" } else { "invalid" };
            write!(f, "{}: {verdict}", file.path.display())?;
            for (count, what) in [(file.errors, "error"), (file.warnings, "warning")] {
                match count {
                    0 => {}
                    1 => write!(f, ", 1 {what}")?,
                    _ => write!(f, ", {count} {what}s")?,
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
