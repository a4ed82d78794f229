//! Checks of certificates.

use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use propjit::Stop;
use propjit::proof::certificate::{self, Certificate, CheckProgress};
use propjit_gdl::ReadOptions;
use propjit_gdl::rules::Rules;
use serde::Serialize;

use super::Row;
use super::report::Value;
use crate::cli::options::game_name;
use crate::cli::output::{Failure, show_progress};

/// The result of a check.
#[derive(Serialize)]
pub(super) struct Report {
    game: String,
    /// The proved values.
    values: Vec<Value>,
    /// The number of states in which the rules were evaluated.
    states: u64,
    seconds: f64,
}

/// Checks the certificate of a game by its rules alone.
pub(super) fn check(
    rulesheet: &Path,
    reading: &ReadOptions,
    path: &Path,
    stop: &Stop,
) -> Result<Report, Failure> {
    let name = game_name(rulesheet);
    let shown_path = path.display();
    let text = fs::read(path)
        .map_err(|error| Failure::Work(format!("cannot read {shown_path}: {error}")))?;
    let certificate: Certificate = serde_json::from_slice(&text)
        .map_err(|error| Failure::Work(format!("{shown_path} is not a certificate: {error}")))?;
    let rules = Rules::read_with(rulesheet, reading)
        .map_err(propjit::LoadError::from)?
        .rules;
    let progress = Arc::new(CheckProgress::default());
    let shown = show_progress({
        let (name, progress) = (name.clone(), progress.clone());
        move || format!("{name}: {} states checked", progress.states())
    });
    let start = Instant::now();
    let checked = certificate::check(&rules, &certificate, stop, &progress);
    drop(shown);
    let checked = checked
        .map_err(|refusal| Failure::Work(format!("{shown_path} is not valid: {refusal}")))?;
    Ok(Report {
        game: name,
        values: checked.values.iter().map(Value::from).collect(),
        states: checked.states,
        seconds: start.elapsed().as_secs_f64(),
    })
}

impl Row for Report {
    fn row(&self) -> String {
        let values: Vec<String> = self.values.iter().map(Value::to_string).collect();
        format!(
            "{:<32} right       {:>8.2} s  {}\n",
            self.game,
            self.seconds,
            values.join(", ")
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report {
            game,
            states,
            seconds,
            ..
        } = self;
        writeln!(
            f,
            "{game}: certificate valid, checked against the rules in {states} states in {seconds:.2} s"
        )?;
        for value in &self.values {
            writeln!(f, "  {value}")?;
        }
        Ok(())
    }
}
