//! The influence of moves, as reported by `propjit facts`.

use std::fmt;

use propjit::Stop;
use propjit::game::ground::GroundGame;
use propjit::game::machine::RoleId;
use propjit::proof::influence::{Distribution, Influence, RoleMove};
use propjit::support::error_text::with_causes;
use serde::Serialize;

use super::output::Failure;

/// The number of moves that are listed as text.
const NEAREST: usize = 20;

/// Distances between moves and to goals, and coupling.
#[derive(Serialize)]
pub(super) struct Report {
    /// The reason if it is unknown.
    unknown: Option<String>,
    moves: usize,
    /// The moves from which distances were counted.
    sources: usize,
    /// From one move to another one.
    distances: Spread,
    goals: Vec<Goal>,
    /// From moves to the end.
    end: Spread,
}

/// How often each distance occurs.
#[derive(Default, Serialize)]
struct Spread {
    mean: Option<f64>,
    /// By distance, from 0 on.
    counts: Vec<u64>,
    never: u64,
}

#[derive(Serialize)]
struct Goal {
    role: String,
    goal: i32,
    terms: usize,
    /// Whether the whole goal could be decomposed.
    complete: bool,
    /// The least, median and greatest number of propositions of a term.
    coupled: Option<[usize; 3]>,
    /// The propositions that moves touch.
    touched: usize,
    /// From moves to the goal.
    distances: Spread,
}

impl Report {
    pub(super) fn new(game: &GroundGame, stop: &Stop) -> Report {
        let mut report = Report {
            unknown: None,
            moves: 0,
            sources: 0,
            distances: Spread::default(),
            goals: Vec::new(),
            end: Spread::default(),
        };
        let influence = match Influence::new(game, stop) {
            Ok(influence) => influence,
            Err(error) => {
                report.unknown = Some(with_causes(&error));
                return report;
            }
        };
        let spread = |distance: &dyn Fn(RoleMove) -> Option<u32>| {
            Spread::new(&influence.moves().map(distance).collect())
        };
        let (distances, sources) = influence.distribution(stop);
        let goals = influence.goals().iter().map(|goal| {
            let sizes = &goal.terms;
            let at = |at: usize| sizes.get(at).copied();
            let ends = at(0).zip(at(sizes.len() / 2)).zip(sizes.last());
            Goal {
                role: game.roles()[goal.role.index()].clone(),
                goal: goal.value,
                terms: goal.terms.len(),
                complete: goal.complete,
                coupled: ends.map(|((least, median), &greatest)| [least, median, greatest]),
                touched: goal.touched,
                distances: spread(&|played| influence.to_goal(goal.role, played)),
            }
        });
        Report {
            moves: influence.moves().count(),
            sources,
            distances: Spread::new(&distances),
            goals: goals.collect(),
            end: spread(&|played| influence.to_end(played)),
            ..report
        }
    }
}

impl Spread {
    fn new(distances: &Distribution) -> Spread {
        Spread {
            mean: distances.mean(),
            counts: distances.counts.clone(),
            never: distances.never,
        }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let finite: u64 = self.counts.iter().sum();
        let Some(mean) = self.mean else {
            return write!(f, "none");
        };
        let greatest = self.counts.len() - 1;
        let least = self.counts.iter().position(|&count| count > 0);
        match least.filter(|&least| least < greatest) {
            Some(least) => write!(f, "{least} to {greatest}, {mean:.2} on average")?,
            None => write!(f, "{greatest}")?,
        }
        match self.never {
            0 => Ok(()),
            never => {
                let share = 100.0 * never as f64 / (finite + never) as f64;
                write!(f, "; none for {share:.1}%")
            }
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(unknown) = &self.unknown {
            return writeln!(f, "distances       unknown: {unknown}");
        }
        match self.sources {
            0 if self.moves > 0 => write!(f, "distances       not computed in time")?,
            _ => write!(f, "distances       {}", self.distances)?,
        }
        write!(f, "; {} moves", self.moves)?;
        if (1..self.moves).contains(&self.sources) {
            write!(f, ", from {} of them", self.sources)?;
        }
        writeln!(f)?;
        writeln!(f, "to the end      {}", self.end)?;
        for goal in &self.goals {
            let name = format!("(goal {} {})", goal.role, goal.goal);
            writeln!(f, "to the goal     {name} {}", goal.distances)?;
            let Some([least, median, greatest]) = goal.coupled else {
                writeln!(f, "coupling        {name} depends on no move")?;
                continue;
            };
            let (terms, touched) = (goal.terms, goal.touched);
            let (word, each) = if terms == 1 {
                ("term", "")
            } else {
                ("terms", "each ")
            };
            write!(f, "coupling        {name} {terms} {word}, {each}of {least}")?;
            if least < greatest {
                write!(f, " to {greatest} (median {median})")?;
            }
            write!(f, " of {touched} propositions")?;
            match goal.complete {
                true => writeln!(f)?,
                false => writeln!(f, "; not all decomposed")?,
            }
        }
        Ok(())
    }
}

/// The distances from one move.
#[derive(Serialize)]
pub(super) struct FromMove {
    game: String,
    from: Vec<From>,
}

#[derive(Serialize)]
struct From {
    role: String,
    #[serde(rename = "move")]
    played: String,
    to_end: Option<u32>,
    /// To the greatest goal of each role.
    to_goals: Vec<ToGoal>,
    /// The nearest first.
    distances: Vec<To>,
}

#[derive(Serialize)]
struct ToGoal {
    distance: Option<u32>,
    role: String,
    goal: i32,
}

#[derive(Serialize)]
struct To {
    distance: u32,
    role: String,
    #[serde(rename = "move")]
    played: String,
}

impl FromMove {
    /// The distances from the move of each role that has one of this name.
    pub(super) fn new(
        game: &GroundGame,
        name: String,
        text: &str,
        stop: &Stop,
    ) -> Result<FromMove, Failure> {
        let roles = RoleId::first(game.roles().len());
        let named = roles.map(|role| Some((role, game.parse_move(role, text).ok()?)));
        let named: Vec<RoleMove> = named.flatten().collect();
        if named.is_empty() {
            let why = format!(
                "no role has a move `{text}`; write a move as the rulesheet does, as in `(mark 1 1)`"
            );
            return Err(Failure::Work(why));
        }
        let influence = Influence::new(game, stop).map_err(Failure::new)?;
        let from = |(role, played): RoleMove| From {
            role: game.roles()[role.index()].clone(),
            played: game.move_text(role, played),
            to_end: influence.to_end((role, played)),
            to_goals: (influence.goals().iter())
                .map(|goal| ToGoal {
                    distance: influence.to_goal(goal.role, (role, played)),
                    role: game.roles()[goal.role.index()].clone(),
                    goal: goal.value,
                })
                .collect(),
            distances: (influence.distances((role, played)).nearest().into_iter())
                .map(|((role, played), distance)| To {
                    distance,
                    role: game.roles()[role.index()].clone(),
                    played: game.move_text(role, played),
                })
                .collect(),
        };
        Ok(FromMove {
            game: name,
            from: named.into_iter().map(from).collect(),
        })
    }
}

impl fmt::Display for FromMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for from in &self.from {
            let steps = |distance: Option<u32>| match distance {
                Some(distance) => distance.to_string(),
                None => "never".to_string(),
            };
            writeln!(f, "{} {}", from.role, from.played)?;
            writeln!(f, "{:>6}  the end", steps(from.to_end))?;
            for to in &from.to_goals {
                writeln!(
                    f,
                    "{:>6}  (goal {} {})",
                    steps(to.distance),
                    to.role,
                    to.goal
                )?;
            }
            for to in from.distances.iter().take(NEAREST) {
                writeln!(f, "{:>6}  {} {}", to.distance, to.role, to.played)?;
            }
            if let Some(more) = from.distances.len().checked_sub(NEAREST + 1) {
                writeln!(f, "        and {} more", more + 1)?;
            }
        }
        Ok(())
    }
}
