//! The results of solving a game, for people and programs.

use std::fmt;
use std::time::Duration;

use propjit::game::load::Game;
use propjit::game::machine::Move;
use propjit::proof::certificate::GoalRange;
use propjit::proof::solve::{ExpectedValue, RoleBounds, SolveMethod, Solved};
use propjit::proof::unproved::Unproved;
use serde::Serialize;

use super::Row;
use super::mixed::Mixed;
use crate::cli::output::counted;
use crate::cli::ranking::number;

/// The result for a game.
#[derive(Serialize)]
pub(super) struct Report {
    game: String,
    verdict: Verdict,
    roles: Vec<Role>,
    /// Joint moves with which each role gets its value.
    line: Vec<String>,
    /// The number of states that were enumerated for their values, and of the joint moves there;
    /// none if the values were found otherwise.
    states: Option<usize>,
    joint_moves: Option<usize>,
    /// Whether these are all states.
    complete: bool,
    seconds: f64,
    /// Mixed strategies, if they were looked for and found.
    #[serde(skip_serializing_if = "Option::is_none")]
    equilibrium: Option<Mixed>,
    /// Why there are none, if they were looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_equilibrium: Option<String>,
    /// Observed obstacles to a proof of the values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unproved: Vec<Unproved>,
    interrupted: bool,
    /// The values that the certificate proves, if one was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) certificate: Option<Vec<Value>>,
    /// Why no certificate was written, if that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

/// The extent of the result.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    /// The value of each role.
    Proved,
    /// Mixed strategies, with bounds of the expected goals.
    Equilibrium,
    /// Tighter bounds than the range of goals.
    Bounds,
    Open,
}

/// The result for a role.
#[derive(Serialize)]
struct Role {
    #[serde(flatten)]
    value: Value,
    /// What it can expect if chance plays: the others may hold it to between the least and the most.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<Expected>,
    /// The method that proved that it can force the least.
    least_by: SolveMethod,
    /// The method that proved that it can be held to the most.
    most_by: SolveMethod,
    /// Whether it gets the least goal only because matches need not end.
    endless: bool,
}

/// Bounds of an expected goal.
#[derive(Serialize)]
struct Expected {
    least: f64,
    most: f64,
}

impl Expected {
    fn new(expected: &ExpectedValue) -> Expected {
        let ExpectedValue { low, high, .. } = *expected;
        let (least, most) = match expected.is_exact() {
            true => (low, low),
            false => (low, high),
        };
        Expected { least, most }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [least, most] = [self.least, self.most].map(number);
        match self.least == self.most {
            true => write!(f, "expects {least}"),
            false => write!(f, "expects {least}..{most}"),
        }
    }
}

/// The bounds of the value of a role.
#[derive(PartialEq, Eq, Serialize)]
pub(super) struct Value {
    role: String,
    least: i32,
    most: i32,
}

impl From<&GoalRange> for Value {
    fn from(range: &GoalRange) -> Value {
        Value {
            role: range.role.clone(),
            least: range.least,
            most: range.most,
        }
    }
}

impl Report {
    pub(super) fn new(
        game: &Game,
        solved: &Solved<'_>,
        name: &str,
        time: Duration,
        interrupted: bool,
    ) -> Report {
        let ground = game.ground_game().expect("what is solved is ground");
        let role = |bounds: &RoleBounds| Role {
            value: Value {
                role: ground.roles()[bounds.role.index()].clone(),
                least: bounds.low.0,
                most: bounds.high.0,
            },
            expected: solved.expected(bounds.role).map(Expected::new),
            least_by: bounds.low.1,
            most_by: bounds.high.1,
            endless: bounds.is_endless,
        };
        let joint = |joint: &Vec<Move>| ground.joint_text(joint);
        let counts = solved.counts();
        let (equilibrium, no_equilibrium) = match &solved.equilibrium {
            None => (None, None),
            Some(Ok(found)) => (Some(Mixed::new(ground, found)), None),
            Some(Err(error)) => (None, Some(error.to_string())),
        };
        Report {
            game: name.to_string(),
            verdict: match () {
                () if solved.is_solved() => Verdict::Proved,
                () if equilibrium.is_some() => Verdict::Equilibrium,
                () if solved.is_open() => Verdict::Open,
                () => Verdict::Bounds,
            },
            roles: solved.bounds.iter().map(role).collect(),
            line: solved.line().iter().map(joint).collect(),
            states: counts.map(|(states, ..)| states),
            joint_moves: counts.map(|(_, joints, _)| joints),
            complete: counts.is_some_and(|(.., is_complete)| is_complete),
            seconds: time.as_secs_f64(),
            equilibrium,
            no_equilibrium,
            unproved: solved.unproved.clone(),
            interrupted,
            certificate: None,
            error: None,
        }
    }

    /// Adds the strategies, if there are any.
    pub(super) fn add_strategy(&mut self, game: &Game, solved: &Solved<'_>) {
        let ground = game.ground_game().expect("what is solved is ground");
        if let (Some(mixed), Some(Ok(found))) = (&mut self.equilibrium, &solved.equilibrium) {
            mixed.add_strategy(ground, found);
        }
    }
}

impl Row for Report {
    fn row(&self) -> String {
        let values = self.roles.iter().map(|role| match &role.expected {
            Some(expected) => format!("{} {expected}", role.value.role),
            None => role.value.to_string(),
        });
        let values: Vec<String> = match &self.equilibrium {
            None => values.collect(),
            Some(mixed) => mixed.values().collect(),
        };
        let certificate = match &self.certificate {
            None => "",
            Some(proved) if self.roles.iter().map(|role| &role.value).eq(proved) => {
                ", with certificate"
            }
            Some(_) => ", certificate of less",
        };
        let interrupted = if self.interrupted {
            ", interrupted"
        } else {
            ""
        };
        format!(
            "{:<32} {:<11} {:>8.2} s  {}{certificate}{interrupted}\n",
            self.game,
            self.verdict.to_string(),
            self.seconds,
            values.join(", ")
        )
    }

    fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} in {:.2} s",
            self.game, self.verdict, self.seconds
        )?;
        if self.interrupted {
            writeln!(f, "interrupted")?;
        }
        for role in &self.roles {
            match &role.expected {
                Some(expected) => {
                    let Value { role, least, most } = &role.value;
                    writeln!(f, "  {role} {expected}, by states; {least}..{most} by luck")?;
                    continue;
                }
                None => write!(f, "  {}, by {}", role.value, role.least_by)?,
            }
            if role.most_by != role.least_by {
                write!(f, " and {}", role.most_by)?;
            }
            match role.endless {
                true => writeln!(f, "; matches need not end")?,
                false => writeln!(f)?,
            }
        }
        if let (Some(states), Some(joints)) = (self.states, self.joint_moves) {
            let all = if self.complete { ", all there are" } else { "" };
            let states = counted(states, "state", "states");
            let joints = counted(joints, "joint move", "joint moves");
            writeln!(f, "{states} and {joints}{all}")?;
        }
        if let Some(mixed) = &self.equilibrium {
            write!(f, "{mixed}")?;
        }
        if let Some(why) = &self.no_equilibrium {
            writeln!(f, "no mixed strategies: {why}")?;
        }
        for (number, joint) in (1..).zip(&self.line) {
            writeln!(f, "{number:>4}  {joint}")?;
        }
        for why in &self.unproved {
            writeln!(f, "{why}")?;
        }
        if let Some(proved) = &self.certificate {
            let values: Vec<String> = proved.iter().map(Value::to_string).collect();
            writeln!(f, "certificate of {}", values.join(", "))?;
        }
        Ok(())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.least == self.most {
            true => write!(f, "{} {}", self.role, self.least),
            false => write!(f, "{} {}..{}", self.role, self.least, self.most),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Proved => "proved",
            Verdict::Equilibrium => "equilibrium",
            Verdict::Bounds => "bounds",
            Verdict::Open => "open",
        })
    }
}
