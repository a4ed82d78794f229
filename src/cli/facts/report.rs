//! Reports about facts: data for programs, and texts for people.

use std::fmt::{self, Write};

use propjit::lab::inspection::Inspection;
use serde::Serialize;

use super::super::influence;

#[derive(Serialize)]
pub(super) struct Report {
    pub(super) game: String,
    pub(super) propositions: usize,
    pub(super) random_steps: u64,
    pub(super) random_matches: u64,
    pub(super) seed: u64,
    /// The sum of all roles' goals, if it was the same at the end of each of these.
    pub(super) goal_sum_seen: Option<i64>,
    /// The same of all terminal states, by proof.
    pub(super) goal_sum: Option<i64>,
    pub(super) counts: Vec<Count>,
    pub(super) goal_tables: Vec<TableOfGoal>,
    pub(super) constants: Vec<String>,
    pub(super) equivalences: Vec<(String, String)>,
    pub(super) implications: Vec<(String, String)>,
    pub(super) groups: Vec<Group>,
    pub(super) linear: Vec<Sum>,
    pub(super) latches: Vec<Latch>,
    pub(super) finals: Vec<String>,
    pub(super) composites: Vec<Latch>,
    pub(super) latched_goals: Vec<Latch>,
    pub(super) goal_latches: Vec<Exclusion>,
    pub(super) decided: Vec<Decided>,
    /// The fraction of the steps of random matches, per mille, that began in decided states.
    pub(super) decided_per_mille: usize,
    pub(super) forced_goals: Vec<ForcedGoal>,
    pub(super) goal_inhibitors: Vec<Exclusion>,
    pub(super) inhibitors: Vec<Inhibitor>,
    pub(super) influence: influence::Report,
    pub(super) stages: Vec<Stage>,
    pub(super) seconds: f64,
    /// The time that all stages had.
    pub(super) limit_seconds: f64,
    pub(super) interrupted: bool,
    /// The results of playing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) play: Option<Inspection>,
}

#[derive(Serialize)]
pub(super) struct Group {
    /// `exactly-one` or `at-most-one`.
    pub(super) holds: &'static str,
    pub(super) propositions: Vec<String>,
}

/// A sum that never changes.
#[derive(Serialize)]
pub(super) struct Sum {
    pub(super) terms: Vec<SumTerm>,
    pub(super) constant: i64,
    pub(super) method: &'static str,
}

/// A number that is multiplied and added.
#[derive(Serialize)]
pub(super) struct SumTerm {
    pub(super) weight: i64,
    /// `count` of those that hold, or `choice`: the place, from 1 on, of the one that holds.
    pub(super) kind: &'static str,
    pub(super) of: Vec<String>,
    #[serde(skip)]
    pub(super) pattern: String,
}

/// Goals that are out of reach once counters have reached certain values.
#[derive(Serialize)]
pub(super) struct Decided {
    pub(super) role: String,
    pub(super) goals: Vec<i32>,
    /// Any of these excludes them: the values that have to be reached together.
    pub(super) once: Vec<Vec<String>>,
    pub(super) method: &'static str,
}

/// A quantity that goals count.
#[derive(Serialize)]
pub(super) struct Count {
    pub(super) name: String,
    /// `count` of those that hold, `choice` of one, or another `function`.
    pub(super) kind: &'static str,
    pub(super) of: Vec<String>,
}

/// A goal that depends on counts and the like only.
#[derive(Serialize)]
pub(super) struct TableOfGoal {
    pub(super) role: String,
    pub(super) goal: i32,
    /// Names of counts, propositions, and `terminal`.
    pub(super) by: Vec<String>,
    /// The number of combinations of counts with which the role has the goal, and of all of them.
    pub(super) holds: usize,
    pub(super) combinations: usize,
    pub(super) method: &'static str,
}

#[derive(Serialize)]
pub(super) struct Latch {
    pub(super) literal: String,
    pub(super) method: &'static str,
}

#[derive(Serialize)]
pub(super) struct Exclusion {
    pub(super) literal: String,
    pub(super) role: String,
    pub(super) goals: Vec<i32>,
    pub(super) method: &'static str,
}

#[derive(Serialize)]
pub(super) struct ForcedGoal {
    pub(super) literal: String,
    pub(super) role: String,
    pub(super) goal: i32,
    pub(super) method: &'static str,
}

#[derive(Serialize)]
pub(super) struct Inhibitor {
    pub(super) proposition: String,
    pub(super) inhibits: Vec<String>,
    pub(super) method: &'static str,
}

#[derive(Serialize)]
pub(super) struct Stage {
    pub(super) stage: &'static str,
    pub(super) seconds: f64,
    pub(super) undecided: usize,
    /// Whether it was cut off by its share of the time.
    pub(super) is_cut: bool,
}

impl Report {
    /// Returns the propositions that are latched or inhibit something, in Graphviz' DOT language:
    /// latches bold, excluded goals as boxes, inhibitions as arrows.
    pub(super) fn dot(&self) -> String {
        let mut dot = String::from("digraph facts {\n  rankdir=LR;\n");
        let quoted =
            |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        let mut line = |text: String| {
            dot.push_str("  ");
            dot.push_str(&text);
            dot.push_str(";\n");
        };
        for latch in self
            .latches
            .iter()
            .chain(&self.composites)
            .chain(&self.latched_goals)
        {
            let style = if latch.method == "unproved" {
                "dashed"
            } else {
                "bold"
            };
            line(format!("{} [style={style}]", quoted(&latch.literal)));
        }
        for exclusion in self.goal_latches.iter().chain(&self.goal_inhibitors) {
            for value in &exclusion.goals {
                let goal = quoted(&format!("(goal {} {value})", exclusion.role));
                line(format!("{goal} [shape=box]"));
                line(format!(
                    "{} -> {goal} [arrowhead=tee]",
                    quoted(&exclusion.literal)
                ));
            }
        }
        for forced in &self.forced_goals {
            let goal = quoted(&format!("(goal {} {})", forced.role, forced.goal));
            line(format!("{goal} [shape=box]"));
            line(format!("{} -> {goal}", quoted(&forced.literal)));
        }
        for inhibitor in &self.inhibitors {
            for inhibited in &inhibitor.inhibits {
                let (from, to) = (quoted(&inhibitor.proposition), quoted(inhibited));
                line(format!("{from} -> {to} [arrowhead=tee]"));
            }
        }
        dot.push_str("}\n");
        dot
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, term) in self.terms.iter().enumerate() {
            match (place, term.weight < 0) {
                (0, false) => {}
                (0, true) => f.write_str("-")?,
                (_, false) => f.write_str(" + ")?,
                (_, true) => f.write_str(" - ")?,
            }
            if term.weight.abs() != 1 {
                write!(f, "{} * ", term.weight.abs())?;
            }
            write!(f, "{} {}", term.kind, term.pattern)?;
        }
        write!(f, " = {}  [{}]", self.constant, self.method)
    }
}

impl fmt::Display for Decided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let once = self.once.iter().map(|case| case.join(" and "));
        let once: Vec<String> = once.collect();
        write!(f, "{} excludes", once.join(", or "))?;
        for goal in &self.goals {
            write!(f, " (goal {} {goal})", self.role)?;
        }
        write!(f, "  [{}]", self.method)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} propositions; {} steps and {} ends of random matches, seed {}",
            self.game, self.propositions, self.random_steps, self.random_matches, self.seed
        )?;
        match (self.goal_sum, self.goal_sum_seen) {
            (Some(sum), _) => writeln!(f, "sum of goals    {sum}  [enumeration]")?,
            (None, Some(sum)) => writeln!(f, "sum of goals    {sum}  [seen]")?,
            (None, None) => {}
        }
        for Count { name, kind, of } in &self.counts {
            writeln!(f, "{:<15} {}", format!("{kind} {name}"), of.join(" "))?;
        }
        for table in &self.goal_tables {
            let TableOfGoal {
                role,
                goal,
                by,
                holds,
                combinations,
                method,
            } = table;
            let by = match &by[..] {
                [] => String::new(),
                by => format!(" by {}", by.join(", ")),
            };
            writeln!(
                f,
                "goal table      (goal {role} {goal}){by}: {holds} of {combinations} combinations  [{method}]"
            )?;
        }
        for constant in &self.constants {
            writeln!(f, "constant        {constant}")?;
        }
        for (a, b) in &self.equivalences {
            writeln!(f, "equivalent      {a} {b}")?;
        }
        for (a, b) in &self.implications {
            writeln!(f, "implies         {a} {b}")?;
        }
        for group in &self.groups {
            writeln!(f, "{:<15} {}", group.holds, group.propositions.join(" "))?;
        }
        for sum in &self.linear {
            writeln!(f, "linear          {sum}")?;
        }
        for decided in &self.decided {
            writeln!(f, "decided         {decided}")?;
        }
        if self.decided_per_mille > 0 {
            let percent = self.decided_per_mille as f64 / 10.0;
            writeln!(
                f,
                "decided         {percent:.1}% of the steps of random matches  [seen]"
            )?;
        }
        for literal in &self.finals {
            writeln!(f, "final           {literal}")?;
        }
        for (what, latches) in [
            ("latch", &self.latches),
            ("composite latch", &self.composites),
            ("latched goal", &self.latched_goals),
        ] {
            for latch in latches {
                writeln!(f, "{what:<15} {}  [{}]", latch.literal, latch.method)?;
            }
        }
        for (what, exclusions) in [
            ("goal latch", &self.goal_latches),
            ("goal inhibitor", &self.goal_inhibitors),
        ] {
            for exclusion in exclusions {
                let mut goals = String::new();
                for value in &exclusion.goals {
                    write!(goals, " (goal {} {value})", exclusion.role)?;
                }
                let Exclusion {
                    literal, method, ..
                } = exclusion;
                writeln!(f, "{what:<15} {literal} excludes{goals}  [{method}]")?;
            }
        }
        for forced in &self.forced_goals {
            writeln!(
                f,
                "forced goal     {} ensures (goal {} {})  [{}]",
                forced.literal, forced.role, forced.goal, forced.method
            )?;
        }
        for inhibitor in &self.inhibitors {
            let inhibited = inhibitor.inhibits.join(" ");
            let Inhibitor {
                proposition,
                method,
                ..
            } = inhibitor;
            writeln!(
                f,
                "inhibitor       {proposition} forbids {inhibited}  [{method}]"
            )?;
        }
        write!(f, "{}", self.influence)?;
        for stage in &self.stages {
            write!(f, "{:<15} {:>9.1} ms", stage.stage, stage.seconds * 1e3)?;
            if stage.undecided > 0 {
                write!(f, ", {} undecided", stage.undecided)?;
            }
            if stage.is_cut {
                write!(f, ", cut off")?;
            }
            writeln!(f)?;
        }
        let cut = self.stages.iter().filter(|stage| stage.is_cut);
        let cut: Vec<&str> = cut.map(|stage| stage.stage).collect();
        if !cut.is_empty() && !self.interrupted {
            writeln!(
                f,
                "incomplete: the limit of {} s cut off {}; raise --seconds for more",
                self.limit_seconds,
                cut.join(", ")
            )?;
        }
        if self.interrupted {
            writeln!(f, "interrupted")?;
        }
        self.play.as_ref().map_or(Ok(()), |play| play.fmt(f))
    }
}
