//! The result of regret minimisation: the average strategies and the value of the game.

use std::sync::Arc;

use crate::game::ground::GroundGame;
use crate::game::machine::{Move, RoleId};

use super::minimiser::Outcome;
use super::sequence_form::{InformationSet, Player, SequenceForm};

/// Mixed strategies of all roles but chance, near to an equilibrium, and the value of the game.
#[derive(Debug)]
pub struct Equilibrium {
    /// One for each role but chance.
    pub values: Vec<RoleValue>,
    /// How much better than its strategy a role's best response to the other one is, on average over both, in goals. In an equilibrium that
    /// is 0. It is half the distance of the bounds of the value.
    pub exploitability: f64,
    /// The number of iterations. A single role's best strategy needs none.
    pub iterations: u64,
    /// The number of histories of the game, the empty one and those that end the match included.
    pub histories: f64,
    /// How many of these that do not end it differ in the state or in what roles know then.
    pub nodes: u64,
    game: Arc<GroundGame>,
    players: Vec<Player>,
    plans: Vec<Vec<f64>>,
}

/// What the game is worth to a role, in expected goals.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RoleValue {
    /// The role.
    pub role: RoleId,
    /// What it gets if both follow their strategies.
    pub value: f64,
    /// What it gets at least by its strategy, whatever the other does: a lower bound of the value of the game.
    pub low: f64,
    /// What it gets at most against the strategy of the other: an upper bound.
    pub high: f64,
}

/// A mixed move: how a role plays when it knows the same.
#[derive(Clone, PartialEq, Debug)]
pub struct MixedMove {
    /// The role.
    pub role: RoleId,
    /// What it knows: its own moves so far, each with what it perceived then; in games without `sees` rules, joint moves.
    pub known: String,
    /// The probability by the role's own moves that the match comes there.
    pub reach: f64,
    /// The legal moves and their probabilities.
    pub moves: Vec<(String, f64)>,
}

impl Equilibrium {
    pub(super) fn new(
        game: &Arc<GroundGame>,
        form: SequenceForm,
        outcome: Outcome,
        iterations: u64,
    ) -> Equilibrium {
        let Outcome {
            plans,
            value,
            low,
            high,
        } = outcome;
        let of = |(at, player): (usize, &Player)| match at {
            0 => RoleValue {
                role: player.role,
                value,
                low,
                high,
            },
            _ => RoleValue {
                role: player.role,
                value: form.total - value,
                low: form.total - high,
                high: form.total - low,
            },
        };
        Equilibrium {
            values: form.players.iter().enumerate().map(of).collect(),
            exploitability: (high - low) / 2.0,
            iterations,
            histories: form.histories,
            nodes: form.nodes,
            game: game.clone(),
            players: form.players,
            plans,
        }
    }

    /// The number of information sets in which a role has several moves, of all roles.
    pub fn information_sets(&self) -> usize {
        self.players.iter().map(|player| player.sets.len()).sum()
    }

    /// The strategies: a mixed move for each information set, one role after the other, earlier ones first.
    pub fn strategy(&self) -> impl Iterator<Item = MixedMove> {
        let players = self.players.iter().zip(&self.plans);
        players.flat_map(|(player, plan)| {
            let sets = player.sets.iter();
            sets.map(|set| self.mixed_move(player, plan, set))
        })
    }

    /// How a role plays after these joint moves, for each of which there are its own move and what it observed, as in a
    /// [`Decision`](super::Decision): its legal moves with their probabilities. None if it never has a choice then.
    pub fn moves_after<'a>(
        &self,
        role: RoleId,
        known: impl ExactSizeIterator<Item = (Move, &'a [u64])>,
    ) -> Option<Vec<(Move, f64)>> {
        let at = self.players.iter().position(|player| player.role == role)?;
        let (player, steps) = (&self.players[at], known.len() as u32);
        let known = player.knowledge.find(known)?;
        let is_there = |set: &&InformationSet| (set.steps, set.known) == (steps, known);
        let set = player.sets.iter().find(is_there)?;
        let probabilities = probabilities(&self.plans[at], set);
        let moves = set.sequences().map(|sequence| player.moves[sequence - 1]);
        Some(moves.zip(probabilities).collect())
    }

    fn mixed_move(&self, player: &Player, plan: &[f64], set: &InformationSet) -> MixedMove {
        let (steps, known) = (set.steps as usize, set.known);
        let text = |sequence: usize| {
            let played = player.moves[sequence - 1];
            self.game.move_text(player.role, played)
        };
        let moves = set.sequences().map(text);
        MixedMove {
            role: player.role,
            known: player.knowledge.text(&self.game, steps, known),
            reach: plan[set.parent as usize],
            moves: moves.zip(probabilities(plan, set)).collect(),
        }
    }
}

/// The probabilities of the moves in an information set, by a plan.
fn probabilities<'a>(plan: &'a [f64], set: &'a InformationSet) -> impl Iterator<Item = f64> + 'a {
    let reach = plan[set.parent as usize];
    set.sequences().map(move |sequence| match reach > 0.0 {
        true => plan[sequence] / reach,
        // The player never comes there by its own moves: it does not matter.
        false => 1.0 / f64::from(set.count),
    })
}
