//! Knowledge of a role: its own moves, and what it observed of each joint move.

use crate::game::ground::GroundGame;
use crate::game::machine::{Move, RoleId};
use crate::game::vocabulary::state_set::StateSet;

/// What a role observes of a joint move beside its own move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sight {
    /// Its percepts.
    Percepts,
    /// The moves of all roles.
    Moves,
}

/// All that a role may know, in layers: after each number of joint moves. What it may know then is numbered.
#[derive(Debug)]
pub(super) struct Knowledge {
    role: RoleId,
    sight: Sight,
    /// For each, the number of what was known before and the own move, in a word; and what was observed: a bit for each percept, or a
    /// word for each move.
    layers: Vec<StateSet>,
    /// The number of words of an element.
    words: usize,
    /// The number of elements of all layers.
    len: usize,
}

/// The number of what was known before and the own move, in a word.
fn step_word(before: u32, own: Move) -> u64 {
    u64::from(before) << 32 | u64::from(own.0)
}

impl Knowledge {
    /// The knowledge at the start: nothing, with the number 0.
    pub(super) fn new(game: &GroundGame, role: RoleId, sight: Sight) -> Knowledge {
        let observed = match sight {
            Sight::Percepts => game.propnet().roles[role.index()]
                .percepts
                .len()
                .div_ceil(64),
            Sight::Moves => game.roles().len(),
        };
        Knowledge {
            role,
            sight,
            layers: Vec::new(),
            words: 1 + observed,
            len: 0,
        }
    }

    /// What the role observes.
    pub(super) fn sight(&self) -> Sight {
        self.sight
    }

    /// Starts the layer after one more joint move.
    pub(super) fn start_layer(&mut self) {
        self.layers.push(StateSet::new(self.words));
    }

    /// Returns the number of what is known in the new layer with this knowledge before, this own move and these words that were
    /// observed; and whether it is new. `element` is working memory.
    pub(super) fn after(
        &mut self,
        before: u32,
        own: Move,
        observed: impl IntoIterator<Item = u64>,
        element: &mut Vec<u64>,
    ) -> (u32, bool) {
        element.clear();
        element.push(step_word(before, own));
        element.extend(observed);
        let layer = self.layers.last_mut().expect("a layer was started");
        let (number, is_new) = layer.insert(element);
        self.len += usize::from(is_new);
        (number, is_new)
    }

    /// Returns about how many bytes an element takes, with this number of words that were observed.
    pub(super) fn bytes_each(observed: usize) -> usize {
        StateSet::bytes_a_state(1 + observed)
    }

    /// Returns about how many bytes all layers take.
    pub(super) fn bytes(&self) -> usize {
        self.len * Knowledge::bytes_each(self.words - 1)
    }

    /// Returns the text of what is known after a number of joint moves: one after the other, own moves with what was perceived, or joint
    /// moves.
    pub(super) fn text(&self, game: &GroundGame, steps: usize, number: u32) -> String {
        let steps = self.steps(steps, number).into_iter();
        let texts = steps.map(|(own, observed)| self.step_text(game, own, observed));
        texts.collect::<Vec<_>>().join("; ")
    }

    /// Returns what is known after a number of joint moves: for each of these the own move, and the words that were observed.
    pub(super) fn steps(&self, steps: usize, mut number: u32) -> Vec<(Move, &[u64])> {
        let mut all = Vec::with_capacity(steps);
        for layer in self.layers[..steps].iter().rev() {
            let element = layer.states(number as usize, number as usize + 1);
            all.push((Move(element[0] as u32), &element[1..]));
            number = (element[0] >> 32) as u32;
        }
        all.reverse();
        all
    }

    /// Returns the number of what is known after these joint moves, for each of which there are the own move and the words that
    /// were observed; none if that cannot be.
    pub(super) fn find<'a>(&self, steps: impl Iterator<Item = (Move, &'a [u64])>) -> Option<u32> {
        let mut layers = self.layers.iter();
        steps.into_iter().try_fold(0, |before, (own, observed)| {
            let element = [&[step_word(before, own)], observed].concat();
            Some(layers.next()?.find(&element)? as u32)
        })
    }

    fn step_text(&self, game: &GroundGame, own: Move, observed: &[u64]) -> String {
        if self.sight == Sight::Moves {
            let joint: Vec<Move> = observed.iter().map(|&played| Move(played as u32)).collect();
            return game.joint_text(&joint);
        }
        let propnet = game.propnet();
        let known = propnet.roles[self.role.index()].percepts.iter();
        let holding = known
            .enumerate()
            .filter(|(place, _)| observed[place / 64] >> (place % 64) & 1 != 0);
        let percepts = holding.map(|(_, percept)| propnet.terms.text(percept.name));
        let percepts: Vec<String> = percepts.collect();
        let own = game.move_text(self.role, own);
        match percepts.is_empty() {
            true => own,
            false => format!("{own}: {}", percepts.join(", ")),
        }
    }
}
