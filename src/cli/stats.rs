//! `propjit stats`: statistics of a game from random matches.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use propjit::lab::inspection::{DeadRule, Figures, MeasureConfig, MeasureError, Share, measure};
use propjit::lab::tools::figures_chart;
use propjit::support::rng::random_seed;
use serde::Serialize;

use super::options::{GroundArgs, game_name, in_range, load, seconds, seed, warn_prover};
use super::output::{Failure, Output, cannot_write, show_progress, writable};
use super::signals::stop_on_signals;

/// Report statistics of random matches: lengths, choices, results
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rulesheet to read; `-` for standard input
    rulesheet: PathBuf,

    /// Time for random play
    #[arg(long, default_value = "2", value_name = "SECONDS", value_parser = seconds)]
    seconds: Duration,

    /// Maximum number of matches
    #[arg(long, value_name = "N", value_parser = |text: &str| in_range(text, 1, u64::MAX))]
    count: Option<u64>,

    /// Maximum number of joint moves per match
    #[arg(long, default_value = "10000", value_name = "N", value_parser = |text: &str| in_range(text, 1usize, 1_000_000))]
    max_steps: usize,

    /// Seed of the random moves [default: random]
    #[arg(long, value_name = "N", value_parser = seed)]
    seed: Option<u64>,

    /// Write a chart to this file (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,

    #[command(flatten)]
    ground: GroundArgs,
}

#[derive(Serialize)]
struct Report {
    game: String,
    interrupted: bool,
    #[serde(flatten)]
    figures: Figures,
}

/// Plays, and prints the figures.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let plot = args.plot.as_deref();
    if let Some(path) = plot {
        writable(path, [&args.rulesheet])?;
    }
    let stop = stop_on_signals();
    let setup = args.ground.setup().with_stop(stop.clone());
    let game = load(&args.rulesheet, &setup)?;
    if let Some(reason) = game.grounding_error() {
        warn_prover(None, reason, "is used instead");
    }
    let config = MeasureConfig::default()
        .with_time(args.seconds)
        .with_matches(args.count)
        .with_max_steps(args.max_steps)
        .with_seed(args.seed.unwrap_or_else(random_seed));
    let shown = show_progress(|| "playing".to_string());
    let figures = measure(&game, &setup, &config, &stop);
    drop(shown);
    let figures = figures?.ok_or_else(|| {
        Failure::new(match stop.is_set() {
            true => "interrupted before a match ended",
            false => "no match ended in time; raise --seconds or lower --max-steps",
        })
    })?;
    let report = Report {
        game: game_name(&args.rulesheet),
        interrupted: stop.is_set(),
        figures,
    };
    match output.is_csv() {
        true => output.print(&report.csv())?,
        false => output.result(&report)?,
    }
    if let Some(path) = plot {
        let picture = figures_chart::svg(&report.game, &report.figures).map_err(Failure::new)?;
        std::fs::write(path, picture).map_err(|error| cannot_write(path, &error))?;
    }
    Ok(())
}

impl From<MeasureError> for Failure {
    fn from(error: MeasureError) -> Failure {
        match error {
            MeasureError::Machine(error) => error.into(),
            MeasureError::Load(error) => error.into(),
        }
    }
}

impl Report {
    /// Returns the figures as a table: name, role, place or value, the figure, and its interval.
    fn csv(&self) -> String {
        let mut table = Table("figure,role,at,value,low,high\n".to_string());
        let figures = &self.figures;
        for (name, value) in [
            ("seed", figures.seed),
            ("matches", figures.matches),
            ("states", figures.states),
            ("truncated", figures.truncated),
            ("stuck", figures.stuck),
        ] {
            table.row(name, "", "", value);
        }
        let lengths = &figures.lengths;
        table.row("length", "", "mean", lengths.mean);
        table.row("length", "", "deviation", lengths.deviation);
        for (at, value) in [
            ("0%", lengths.least),
            ("25%", lengths.lower_quartile),
            ("50%", lengths.median),
            ("75%", lengths.upper_quartile),
            ("100%", lengths.greatest),
        ] {
            table.row("length", "", at, value);
        }
        for (length, count) in &lengths.counts {
            table.row("length-count", "", length, count);
        }
        table.row("branching", "", "mean", figures.branching);
        for depth in &figures.by_depth {
            table.row("branching", "", depth.depth, depth.branching);
        }
        table.share("decided", "", figures.decided.as_ref());
        table.share("decisive-moves", "", figures.decisive_moves.as_ref());
        if let Some(first) = &figures.first_player {
            let (low, high) = first.interval;
            table.line("first-player", &first.role, "", first.advantage, low, high);
        }
        for role in &figures.roles {
            let name = &role.role;
            table.share("choices", name, role.choices.as_ref());
            if let Some(branching) = role.branching {
                table.row("moves-at-choices", name, "mean", branching);
            }
            if let Some(percepts) = role.percepts {
                table.row("percepts", name, "mean", percepts);
            }
            table.row("wins", name, "", role.wins);
            table.row("draws", name, "", role.draws);
            table.row("losses", name, "", role.losses);
            table.share("score", name, role.score.as_ref());
            if let Some(goal) = role.mean_goal {
                table.row("goal", name, "mean", goal);
            }
            for (goal, count) in &role.goals {
                table.row("goal-count", name, goal, count);
            }
            table.row("undefined-goals", name, "", role.undefined);
        }
        for DeadRule {
            line, is_proved, ..
        } in figures.dead_rules.iter().flatten()
        {
            table.row("dead-rule", "", format!("line {line}"), is_proved);
        }
        table.0
    }
}

/// A table of comma-separated values.
struct Table(String);

impl Table {
    fn row(&mut self, figure: &str, role: &str, at: impl fmt::Display, value: impl fmt::Display) {
        self.line(figure, role, at, value, "", "");
    }

    fn share(&mut self, figure: &str, role: &str, share: Option<&Share>) {
        if let Some(Share {
            share,
            interval: (low, high),
            ..
        }) = share
        {
            self.line(figure, role, "", share, low, high);
        }
    }

    fn line(
        &mut self,
        figure: &str,
        role: &str,
        at: impl fmt::Display,
        value: impl fmt::Display,
        low: impl fmt::Display,
        high: impl fmt::Display,
    ) {
        // A role may be any term.
        let role = match role.contains(['"', ',']) {
            true => format!("\"{}\"", role.replace('"', "\"\"")),
            false => role.to_string(),
        };
        let line = format!("{figure},{role},{at},{value},{low},{high}\n");
        self.0.push_str(&line);
    }
}

/// A share with its interval, in percent.
fn percent(share: &Share) -> String {
    let (low, high) = share.interval;
    let [share, low, high] = [share.share, low, high].map(|part| 100.0 * part);
    format!("{share:>9.2}%   {low:.2}% to {high:.2}%")
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { game, figures, .. } = self;
        let Figures { lengths, .. } = figures;
        writeln!(
            f,
            "{game}: {} random matches, {} states, seed {}",
            figures.matches, figures.states, figures.seed
        )?;
        writeln!(
            f,
            "length            {:>10.2}   \u{b1} {:.2} from match to match; {} to {}, half {} to {}",
            lengths.mean,
            lengths.deviation,
            lengths.least,
            lengths.greatest,
            lengths.lower_quartile,
            lengths.upper_quartile
        )?;
        writeln!(
            f,
            "branching         {:>10.2}   joint moves in a state",
            figures.branching
        )?;
        if let Some(first) = &figures.first_player {
            let [advantage, low, high] =
                [first.advantage, first.interval.0, first.interval.1].map(|part| 100.0 * part);
            writeln!(
                f,
                "first player      {advantage:>+9.2}%   {low:+.2}% to {high:+.2}%, {} begins",
                first.role
            )?;
        }
        if let Some(decided) = &figures.decided {
            writeln!(f, "decided           {}", percent(decided))?;
        }
        let decisive = match &figures.decisive_moves {
            Some(decisive) => percent(decisive),
            None => format!(
                "{:>10}   no examined state has exactly one role with a choice",
                "unknown"
            ),
        };
        writeln!(f, "decisive moves    {decisive}")?;
        for role in &figures.roles {
            writeln!(f, "{}", role.role)?;
            if let (Some(choices), Some(branching)) = (&role.choices, role.branching) {
                let part = 100.0 * choices.share;
                writeln!(
                    f,
                    "  moves           {branching:>10.2}   where it has a choice, in {part:.1}% of states"
                )?;
            }
            if let Some(percepts) = role.percepts {
                writeln!(f, "  percepts        {percepts:>10.2}   of a joint move")?;
            }
            if let Some(score) = &role.score {
                writeln!(f, "  score           {}", percent(score))?;
                let (wins, draws, losses) = (role.wins, role.draws, role.losses);
                writeln!(
                    f,
                    "  results         {wins:>10} wins, {draws} draws, {losses} losses"
                )?;
            }
            if let Some(mean) = role.mean_goal {
                let goals = role.goals.iter();
                let goals: Vec<String> = goals
                    .map(|(goal, count)| format!("{goal} {count} times"))
                    .collect();
                let goals = match goals.len() {
                    0..=6 => goals.join(", "),
                    many => format!("{many} values"),
                };
                writeln!(f, "  goal            {mean:>10.2}   {goals}")?;
            }
            if role.undefined > 0 {
                writeln!(
                    f,
                    "  undefined goals {:>10}   see `propjit validate --play`",
                    role.undefined
                )?;
            }
        }
        match figures.dead_rules.as_deref() {
            None => {
                let why = figures.dead_rules_unknown.as_deref().unwrap_or_default();
                writeln!(f, "dead rules           unknown   {why}")?;
            }
            Some([]) => writeln!(f, "dead rules              none")?,
            Some(all) => {
                let cut = match figures.truncated {
                    0 => "",
                    _ => "   as far as matches were played",
                };
                writeln!(f, "dead rules        {:>10}{cut}", all.len())?;
                for rule in all {
                    let how = if rule.is_proved { " (proved)" } else { "" };
                    writeln!(f, "  line {}{how}: {}", rule.line, rule.text)?;
                }
            }
        }
        for (count, what) in [
            (
                figures.truncated,
                "matches were cut off at the limit of steps",
            ),
            (
                figures.stuck,
                "matches ended where a role had no legal move",
            ),
        ] {
            if count > 0 {
                writeln!(f, "{count} {what}")?;
            }
        }
        if self.interrupted {
            writeln!(f, "interrupted")?;
        }
        Ok(())
    }
}
