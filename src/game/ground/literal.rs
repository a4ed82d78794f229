//! Literals: base propositions or their negations.

use super::lowered_game::LoweredGame;
use crate::game::vocabulary::state::State;

/// A base proposition that is true, or one that is false.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal {
    /// The number of the proposition, which is that of its bit in a [`State`].
    pub proposition: usize,
    /// Its value.
    pub value: bool,
}

impl Literal {
    /// Creates the literal of a proposition with this value.
    pub fn new(proposition: usize, value: bool) -> Literal {
        Literal { proposition, value }
    }

    /// Returns both literals of each of the first `propositions` base propositions, the true one
    /// first.
    pub fn all(propositions: usize) -> impl Iterator<Item = Literal> + Clone {
        (0..propositions).flat_map(|base| [Literal::new(base, true), Literal::new(base, false)])
    }

    /// Returns whether the state has the proposition with this value.
    pub fn holds(self, state: &State) -> bool {
        state.contains(self.proposition) == self.value
    }

    /// Returns its text in the rulesheet's terms: `(cell 1 1 x)`, or `(not (cell 1 1 x))`.
    pub fn text(self, game: &LoweredGame) -> String {
        let net = game.propnet();
        let name = net.terms.text(net.bases[self.proposition].name);
        match self.value {
            true => name,
            false => format!("(not {name})"),
        }
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;
    fn not(self) -> Literal {
        Literal::new(self.proposition, !self.value)
    }
}
