//! The sequence form of a game of two players: their choices, and the expected goal for each pair of sequences of choices.

use crate::game::machine::{Move, RoleId};

use super::knowledge::Knowledge;

/// A number of a sequence: all choices of a player up to one of them. The number 0 is that of none.
pub(super) type Sequence = u32;

/// A decision of a player: all histories in which it knows the same, and has several moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct InformationSet {
    /// The sequence of its own that leads there.
    pub(super) parent: Sequence,
    /// The sequence that goes on with the first of the moves; those of the others follow.
    pub(super) first: Sequence,
    /// The number of moves.
    pub(super) count: u32,
    /// The number of joint moves before.
    pub(super) steps: u32,
    /// The number of what is known then.
    pub(super) known: u32,
}

/// A player, with all that it may know and choose.
#[derive(Debug)]
pub(super) struct Player {
    pub(super) role: RoleId,
    pub(super) knowledge: Knowledge,
    /// Each after those that lead to it.
    pub(super) sets: Vec<InformationSet>,
    /// The last move of each sequence but the first, which has none.
    pub(super) moves: Vec<Move>,
}

/// The expected goal of the first player, for each pair of sequences that lead to ends: the sum over these ends of the goal and
/// the probability that chance does its part. The matrix is sparse; entries are in rows, of a sequence of the first player each.
#[derive(Debug)]
pub(super) struct Payoffs {
    /// The end of the entries of each row.
    row_ends: Vec<usize>,
    columns: Vec<Sequence>,
    values: Vec<f64>,
}

/// The sequence form.
#[derive(Debug)]
pub(super) struct SequenceForm {
    /// One or two players.
    pub(super) players: Vec<Player>,
    pub(super) payoffs: Payoffs,
    /// The sum of the goals of both players at each end; with one player, 0.
    pub(super) total: f64,
    /// The number of histories, and of those that differ in the state or in what players know.
    pub(super) histories: f64,
    pub(super) nodes: u64,
}

/// An entry of the payoffs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) sequences: [Sequence; 2],
    pub(super) value: f64,
}

impl InformationSet {
    /// The sequences that go on from there.
    pub(super) fn sequences(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

impl Player {
    /// The number of sequences.
    pub(super) fn sequences(&self) -> usize {
        self.moves.len() + 1
    }

    /// Returns the probabilities of all sequences, as far as the player contributes to them, by those of the moves in each
    /// information set.
    pub(super) fn plan(&self, strategy: &[f64]) -> Vec<f64> {
        let mut plan = vec![1.0; self.sequences()];
        for set in &self.sets {
            let before = plan[set.parent as usize];
            for sequence in set.sequences() {
                plan[sequence] = before * strategy[sequence];
            }
        }
        plan
    }
}

impl Payoffs {
    /// Makes the matrix of these entries, some of which may have the same place, for this number of sequences of the first player.
    pub(super) fn new(rows: usize, mut entries: Vec<Entry>) -> Payoffs {
        entries.sort_unstable_by_key(|entry| entry.sequences);
        entries.dedup_by(|entry, kept| {
            let is_same = entry.sequences == kept.sequences;
            if is_same {
                kept.value += entry.value;
            }
            is_same
        });
        let end = |row: usize| entries.partition_point(|entry| entry.sequences[0] as usize <= row);
        Payoffs {
            row_ends: (0..rows).map(end).collect(),
            columns: entries.iter().map(|entry| entry.sequences[1]).collect(),
            values: entries.iter().map(|entry| entry.value).collect(),
        }
    }

    fn rows(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let starts = std::iter::once(0).chain(self.row_ends.iter().copied());
        starts.zip(&self.row_ends).map(|(start, &end)| start..end)
    }

    /// Returns what each sequence of the first player gains, to be multiplied with its own probability, if the second one has this
    /// plan.
    pub(super) fn of_rows(&self, plan: &[f64]) -> Vec<f64> {
        let gain = |row: std::ops::Range<usize>| -> f64 {
            let entries = self.columns[row.clone()].iter().zip(&self.values[row]);
            entries
                .map(|(&column, value)| plan[column as usize] * value)
                .sum()
        };
        self.rows().map(gain).collect()
    }

    /// Returns what the second player loses by each of its sequences, if the first one has this plan, for this number of
    /// sequences.
    pub(super) fn of_columns(&self, plan: &[f64], columns: usize) -> Vec<f64> {
        let mut losses = vec![0.0; columns];
        for (row, &probability) in self.rows().zip(plan) {
            if probability != 0.0 {
                let entries = self.columns[row.clone()].iter().zip(&self.values[row]);
                for (&column, value) in entries {
                    losses[column as usize] += probability * value;
                }
            }
        }
        losses
    }
}

impl SequenceForm {
    /// Returns what each sequence of a player gains, to be multiplied with its own probability, if the other one has this plan. Of the
    /// second player, it is the negative goal of the first one.
    pub(super) fn gains(&self, player: usize, other: &[f64]) -> Vec<f64> {
        match player {
            0 => self.payoffs.of_rows(other),
            _ => {
                let columns = self.players[player].sequences();
                let mut losses = self.payoffs.of_columns(other, columns);
                losses.iter_mut().for_each(|loss| *loss = -*loss);
                losses
            }
        }
    }
}
