//! The labels of moves, which determine which moves count as the same.

use propjit_jit::lanes::transpose::{column_words, to_columns};
use rustc_hash::FxHashMap;

use super::move_sets::MoveSets;
use crate::game::ground::GroundGame;
use crate::game::machine::batch::Batch;
use crate::game::machine::{Move, RoleId, State};

/// The placeholder in a name for an argument that does not count.
const ANY: &str = "_";

/// The text of a joint move without an effect.
const PASS: &str = "pass";

/// The labels of the moves of a game, or of several.
///
/// Moves with the same text are the same move, whichever role plays them, so that the moves of one
/// player can be compared with those of the other one. Moves without an effect, such as those of a
/// role when it is not its turn, have no label. A joint move in which several moves have one has a
/// label of its own, independent of which role plays which; one in which none has is a pass.
#[derive(Clone, Debug)]
pub(super) struct Labels {
    /// The label of each move of each role of each game.
    of_games: Vec<Vec<Vec<Option<u32>>>>,
    /// The number of labels of single moves, a pass being the last one. Those of joint moves come
    /// after these.
    single: usize,
    joint: FxHashMap<Vec<u32>, u32>,
    /// The places of arguments that make no difference.
    ignored: Vec<usize>,
}

impl Labels {
    /// Makes the labels of the moves of games. Arguments at these places, counted from 1, make no
    /// difference.
    pub(super) fn new(games: &[&GroundGame], ignored: &[usize]) -> Labels {
        let mut numbers = FxHashMap::default();
        let mut label = |text: String| {
            let next = numbers.len() as u32;
            *numbers.entry(text).or_insert(next)
        };
        let of_games = games.iter().map(|game| {
            let circuit = game.lowered();
            let used = circuit.cone(circuit.outputs().iter().copied());
            let roles = RoleId::first(game.roles().len());
            let of_roles = roles.map(|role| {
                let inputs = game.layout().does[role.index()].clone();
                let moves = inputs.zip(0..).map(|(input, number)| {
                    let is_used = used.contains(circuit.inputs()[input]);
                    is_used.then(|| label(without(&game.move_text(role, Move(number)), ignored)))
                });
                moves.collect()
            });
            of_roles.collect()
        });
        Labels {
            of_games: of_games.collect(),
            single: numbers.len() + 1,
            joint: FxHashMap::default(),
            ignored: ignored.to_vec(),
        }
    }

    /// Returns the labels of the moves of a joint move of a game, one at least, ascending.
    pub(super) fn of_moves(&self, game: usize, joint: &[Move]) -> Vec<u32> {
        let labels = joint.iter().zip(&self.of_games[game]);
        let labels = labels.filter_map(|(played, labels)| labels[played.index()]);
        let mut labels: Vec<u32> = labels.collect();
        labels.sort_unstable();
        if labels.is_empty() {
            labels.push(self.pass());
        }
        labels
    }

    /// Returns the labels of all moves that can be played in a game, ascending; `legal` has the moves of each
    /// role.
    pub(super) fn of_legal(&self, game: usize, legal: &[Vec<Move>]) -> Vec<u32> {
        let of_role = legal.iter().zip(&self.of_games[game]);
        let labels = of_role.flat_map(|(legal, labels)| {
            let of_move = |played: &Move| labels[played.index()];
            legal.iter().filter_map(of_move)
        });
        let mut labels: Vec<u32> = labels.collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    /// Returns the label of a joint move; `moves` are the labels of its moves.
    pub(super) fn of_joint(&mut self, moves: &[u32]) -> u32 {
        if let [single] = moves {
            return *single;
        }
        if let Some(&known) = self.joint.get(moves) {
            return known;
        }
        let label = (self.single + self.joint.len()) as u32;
        self.joint.insert(moves.to_vec(), label);
        label
    }

    /// Renumbers the labels of joint moves: in the order of their moves, instead of that in which
    /// they were added. So the order of labels does not depend on the order of the evaluation.
    pub(super) fn in_order(&self) -> impl Fn(u32) -> u32 + use<> {
        let first = self.single as u32;
        let mut joint: Vec<(&Vec<u32>, &u32)> = self.joint.iter().collect();
        joint.sort_unstable();
        let mut places = vec![0; joint.len()];
        for (place, (_, label)) in (first..).zip(joint) {
            places[(label - first) as usize] = place;
        }
        move |label| match label.checked_sub(first) {
            Some(joint) => places[joint as usize],
            None => label,
        }
    }

    /// Returns the text of a joint move of the game with this number: of the only move that has a label, or of the moves of all
    /// roles if several have one.
    pub(super) fn text(&self, number: usize, game: &GroundGame, joint: &[Move]) -> String {
        let moves = RoleId::first(joint.len()).zip(joint.iter().copied());
        let has_label = |&(role, played): &(RoleId, Move)| {
            self.of_games[number][role.index()][played.index()].is_some()
        };
        let shown: Vec<(RoleId, Move)> = match moves.clone().filter(has_label).count() {
            0 => return PASS.to_string(),
            1 => moves.filter(has_label).collect(),
            _ => moves.collect(),
        };
        let texts = shown
            .into_iter()
            .map(|(role, played)| without(&game.move_text(role, played), &self.ignored));
        texts.collect::<Vec<_>>().join(" | ")
    }

    fn pass(&self) -> u32 {
        self.single as u32 - 1
    }

    /// Returns the labels of all moves that can be played in each of the states of a game, a pass included.
    pub(super) fn sets(&self, game: usize, batch: &mut Batch, states: &[State]) -> MoveSets {
        let words = column_words(self.single);
        let mut sets = MoveSets::new(words, states.len());
        let width = batch.width();
        let row = width.words();
        let mut rows = Vec::new();
        let mut unlabelled = Vec::new();
        let mut columns = Vec::new();
        for states in states.chunks(batch.lanes()) {
            batch.enter(states);
            rows.clear();
            rows.resize(self.pass() as usize * row, 0u64);
            // The last row: it is a pass if every role makes a move without a label.
            rows.resize(self.single * row, !0);
            let mut going_on = batch.filled().and_not(batch.terminal());
            for (role, labels) in RoleId::first(self.of_games[game].len()).zip(&self.of_games[game])
            {
                going_on = going_on.and(batch.choices(role).0);
                unlabelled.clear();
                unlabelled.resize(row, 0);
                let legal = batch.legal_rows(role).chunks_exact(row);
                for (legal, label) in legal.zip(labels) {
                    let into = match *label {
                        Some(label) => &mut rows[label as usize * row..][..row],
                        None => &mut unlabelled[..],
                    };
                    into.iter_mut()
                        .zip(legal)
                        .for_each(|(into, &legal)| *into |= legal);
                }
                let pass = &mut rows[self.pass() as usize * row..];
                pass.iter_mut()
                    .zip(&unlabelled)
                    .for_each(|(pass, &unlabelled)| *pass &= unlabelled);
            }
            columns.clear();
            columns.resize(states.len() * words, 0);
            to_columns(width, &rows, &mut columns);
            for (lane, set) in columns.chunks_exact_mut(words).enumerate() {
                if !going_on.contains(lane) {
                    set.fill(0);
                }
                sets.push(set);
            }
        }
        sets
    }
}

/// Returns the text of a move without the arguments at these places.
fn without(text: &str, ignored: &[usize]) -> String {
    if ignored.is_empty() || !text.starts_with('(') {
        return text.to_string();
    }
    let inner = &text[1..text.len() - 1];
    let mut depth = 0;
    let parts = inner.split(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ' ' && depth == 0
    });
    let parts = parts
        .enumerate()
        .map(|(place, part)| match ignored.contains(&place) {
            true => ANY,
            false => part,
        });
    format!("({})", parts.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn arguments_are_left_out_by_their_place() {
        assert_eq!(without("(move e 2 e 4)", &[1, 2]), "(move _ _ e 4)");
        assert_eq!(without("(put (at 1 2) w)", &[1]), "(put _ w)");
        assert_eq!(without("(put (at 1 2) w)", &[3]), "(put (at 1 2) w)");
        assert_eq!(without("noop", &[1]), "noop");
    }
}
