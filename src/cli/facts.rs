//! `propjit facts`: what is true of all states of a game.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use propjit::analysis::{self, Config, Facts, GoalLatch, Invariant, Literal, Method};
use propjit::game::{Game, Setup};
use propjit::machine::{GroundGame, RoleId};
use serde::Serialize;

use super::options::{GroundArgs, game_name, seconds};
use super::output::{Failure, Output, show_progress, stop_on_ctrl_c};

/// Prove what never changes again, what excludes what, and which goals go out of reach
#[derive(clap::Args)]
pub struct Args {
    /// The file with the rules
    rulesheet: PathBuf,

    /// How long to look for facts and to prove them
    #[arg(long, default_value = "5", value_name = "SECONDS", value_parser = seconds)]
    seconds: Duration,

    /// Where the random numbers of the matches come from that are looked at [default: another seed each time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    #[command(flatten)]
    ground: GroundArgs,
}

#[derive(Serialize)]
struct Report {
    game: String,
    propositions: usize,
    random_steps: u64,
    random_matches: u64,
    constants: Vec<String>,
    equivalences: Vec<(String, String)>,
    groups: Vec<Group>,
    latches: Vec<Latch>,
    finals: Vec<String>,
    latched_goals: Vec<LatchedGoal>,
    goal_latches: Vec<ExcludedGoals>,
    stages: Vec<Stage>,
    seconds: f64,
    interrupted: bool,
}

#[derive(Serialize)]
struct Group {
    /// `exactly-one` or `at-most-one`.
    holds: &'static str,
    propositions: Vec<String>,
}

#[derive(Serialize)]
struct Latch {
    literal: String,
    method: &'static str,
}

#[derive(Serialize)]
struct LatchedGoal {
    role: String,
    goal: i32,
    value: bool,
    method: &'static str,
}

#[derive(Serialize)]
struct ExcludedGoals {
    literal: String,
    role: String,
    goals: Vec<i32>,
    method: &'static str,
}

#[derive(Serialize)]
struct Stage {
    stage: &'static str,
    seconds: f64,
    undecided: usize,
}

/// Finds facts and prints them.
pub fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let setup: Setup = args.ground.setup();
    let game = Game::load(&args.rulesheet, &setup)?;
    let Some(ground) = game.ground_game() else {
        let reason = game.gave_up().map(ToString::to_string).unwrap_or_default();
        return Err(Failure::Work(format!("facts need a ground game: {reason}")));
    };
    let mut config = Config {
        time: args.seconds,
        ..Config::default()
    };
    config.seed = args.seed.unwrap_or(config.seed);
    let stop = stop_on_ctrl_c();
    let shown = show_progress(|| "looking for facts".to_string());
    let facts = analysis::find(ground, &config, &stop);
    drop(shown);
    let report = report(&facts, ground, game_name(&args.rulesheet), stop.is_set());
    output.result(&report)
}

fn method(method: Method) -> &'static str {
    match method {
        Method::Structural => "structural",
        Method::Sat => "SAT",
        Method::Induction => "induction",
        Method::Unproved => "unproved",
    }
}

fn report(facts: &Facts, game: &GroundGame, name: String, interrupted: bool) -> Report {
    let text = |literal: &Literal| literal.text(game);
    let names = |group: &[usize]| -> Vec<String> {
        let literals = group.iter().map(|&base| Literal::new(base, true));
        literals.map(|literal| text(&literal)).collect()
    };
    let mut constants = Vec::new();
    let mut equivalences = Vec::new();
    let mut groups = Vec::new();
    for invariant in &facts.invariants {
        match invariant {
            Invariant::Constant(literal) => constants.push(text(literal)),
            Invariant::Equivalent(a, b) => equivalences.push((text(a), text(b))),
            Invariant::ExactlyOne(group) => groups.push(Group {
                holds: "exactly-one",
                propositions: names(group),
            }),
            Invariant::AtMostOne(group) => groups.push(Group {
                holds: "at-most-one",
                propositions: names(group),
            }),
        }
    }
    let role = |role: RoleId| game.roles()[role.index()].clone();
    let value = |role: RoleId, goal: usize| game.propnet().roles[role.index()].goals[goal].value;
    let excluded = |latch: &GoalLatch| ExcludedGoals {
        literal: text(&latch.literal),
        role: role(latch.role),
        goals: latch
            .excluded
            .iter()
            .map(|&goal| value(latch.role, goal))
            .collect(),
        method: method(latch.method),
    };
    Report {
        game: name,
        propositions: game.propnet().bases.len(),
        random_steps: facts.steps,
        random_matches: facts.matches,
        constants,
        equivalences,
        groups,
        latches: facts
            .latches
            .iter()
            .map(|latch| Latch {
                literal: text(&latch.what),
                method: method(latch.method),
            })
            .collect(),
        finals: facts.finals.iter().map(text).collect(),
        latched_goals: facts
            .latched_goals
            .iter()
            .map(|latch| LatchedGoal {
                role: role(latch.what.role),
                goal: value(latch.what.role, latch.what.goal),
                value: latch.what.value,
                method: method(latch.method),
            })
            .collect(),
        goal_latches: facts.goal_latches.entries().iter().map(excluded).collect(),
        stages: facts
            .stages
            .iter()
            .map(|stage| Stage {
                stage: stage.name,
                seconds: stage.time.as_secs_f64(),
                undecided: stage.undecided,
            })
            .collect(),
        seconds: facts
            .stages
            .iter()
            .map(|stage| stage.time.as_secs_f64())
            .sum(),
        interrupted,
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} propositions, {} steps and {} ends of random matches",
            self.game, self.propositions, self.random_steps, self.random_matches
        )?;
        for constant in &self.constants {
            writeln!(f, "constant      {constant}")?;
        }
        for (a, b) in &self.equivalences {
            writeln!(f, "equivalent    {a} = {b}")?;
        }
        for group in &self.groups {
            writeln!(f, "{:<13} {}", group.holds, group.propositions.join(" "))?;
        }
        for latch in &self.latches {
            writeln!(f, "latch         {:<40} {}", latch.literal, latch.method)?;
        }
        for literal in &self.finals {
            writeln!(f, "final         {literal}")?;
        }
        for latch in &self.latched_goals {
            let goal = format!("(goal {} {})", latch.role, latch.goal);
            let literal = if latch.value {
                goal
            } else {
                format!("(not {goal})")
            };
            writeln!(f, "latched goal  {literal:<40} {}", latch.method)?;
        }
        for latch in &self.goal_latches {
            let goals: Vec<String> = latch.goals.iter().map(i32::to_string).collect();
            writeln!(
                f,
                "goal latch    {:<40} {} excludes {} for {}",
                latch.literal,
                latch.method,
                goals.join(", "),
                latch.role
            )?;
        }
        for stage in &self.stages {
            write!(f, "{:<13} {:>9.1} ms", stage.stage, stage.seconds * 1e3)?;
            if stage.undecided > 0 {
                write!(f, "   {} undecided", stage.undecided)?;
            }
            writeln!(f)?;
        }
        if self.interrupted {
            writeln!(f, "interrupted")?;
        }
        Ok(())
    }
}
