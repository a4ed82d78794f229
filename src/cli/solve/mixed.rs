//! Mixed strategies and their values, for people and programs.

use std::fmt;

use propjit::game::ground::GroundGame;
use propjit::proof::regret::{Equilibrium, MixedMove, RoleValue};
use serde::Serialize;

use crate::cli::output::counted;

/// The result of regret minimisation.
#[derive(Serialize)]
pub(super) struct Mixed {
    values: Vec<Expected>,
    exploitability: f64,
    iterations: u64,
    information_sets: usize,
    histories: f64,
    nodes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy: Option<Vec<Choice>>,
}

/// What a role can expect.
#[derive(Serialize)]
struct Expected {
    role: String,
    value: f64,
    least: f64,
    most: f64,
}

/// How a role plays when it knows the same.
#[derive(Serialize)]
struct Choice {
    role: String,
    known: String,
    reach: f64,
    moves: Vec<Weighted>,
}

/// A move with its probability.
#[derive(Serialize)]
struct Weighted {
    #[serde(rename = "move")]
    played: String,
    probability: f64,
}

impl Mixed {
    pub(super) fn new(game: &GroundGame, found: &Equilibrium) -> Mixed {
        let expected = |of: &RoleValue| Expected {
            role: game.roles()[of.role.index()].clone(),
            value: of.value,
            least: of.low,
            most: of.high,
        };
        Mixed {
            values: found.values.iter().map(expected).collect(),
            exploitability: found.exploitability,
            iterations: found.iterations,
            information_sets: found.information_sets(),
            histories: found.histories,
            nodes: found.nodes,
            strategy: None,
        }
    }

    /// Adds the strategies.
    pub(super) fn add_strategy(&mut self, game: &GroundGame, found: &Equilibrium) {
        let weighted = |(played, probability)| Weighted {
            played,
            probability,
        };
        let choice = |of: MixedMove| Choice {
            role: game.roles()[of.role.index()].clone(),
            known: of.known,
            reach: of.reach,
            moves: of.moves.into_iter().map(weighted).collect(),
        };
        self.strategy = Some(found.strategy().map(choice).collect());
    }

    /// The bounds of what each role can expect, as text.
    pub(super) fn values(&self) -> impl Iterator<Item = String> {
        self.values.iter().map(|of| {
            format!(
                "{} expects {:.2}..{:.2}",
                of.role,
                rounded(of.least),
                rounded(of.most)
            )
        })
    }
}

/// Goals with the digits that are shown: what is a little below zero has no sign then.
fn rounded(goals: f64) -> f64 {
    (goals * 1e4).round() / 1e4 + 0.0
}

impl fmt::Display for Mixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Expected {
            role,
            value,
            least,
            most,
        } in &self.values
        {
            let [value, least, most] = [value, least, most].map(|&goals| rounded(goals));
            writeln!(
                f,
                "  {role} expects {value:.4}; value from {least:.4} to {most:.4}, by best responses"
            )?;
        }
        let sets = counted(self.information_sets, "information set", "information sets");
        let iterations = counted(self.iterations, "iteration", "iterations");
        writeln!(
            f,
            "exploitability {:.4} after {iterations}; {sets}, {} histories",
            self.exploitability, self.histories
        )?;
        for choice in self.strategy.iter().flatten() {
            let known = match &*choice.known {
                "" => "at the start",
                known => known,
            };
            writeln!(f, "{}, {known}", choice.role)?;
            for of in &choice.moves {
                writeln!(f, "  {:.4}  {}", of.probability, of.played)?;
            }
        }
        Ok(())
    }
}
