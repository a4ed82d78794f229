//! Queries about steps, cheap ones first.
//!
//! Most impossibilities have local reasons: the logic of one proposition and the legality of the
//! moves in it. Only if these do not suffice, all moves and the condition that the match continues
//! are encoded, which is usually the whole game. A separate solver does that, so that the first one
//! stays small.

use batsat::Lit;

use crate::game::ground::invariants::Invariant;
use crate::game::ground::invariants::encoding::step_with;
use crate::game::ground::invariants::net::Net;
use crate::game::ground::invariants::step::{Scope, Step, Verdict, When};
use propjit_stop::Stop;

/// The limit of a query, in conflicts of the solver.
pub(super) const CONFLICTS: u64 = 20_000;

/// Answers queries about steps from states in which invariants hold.
pub(super) struct Inquiry<'a> {
    net: &'a Net<'a>,
    invariants: &'a [Invariant],
    end: &'a Stop,
    near: Step<'a>,
    /// Made when it is needed.
    whole: Option<Step<'a>>,
}

impl<'a> Inquiry<'a> {
    /// Creates an inquiry that answers queries until the deadline.
    pub(super) fn new(net: &'a Net<'a>, invariants: &'a [Invariant], end: &'a Stop) -> Inquiry<'a> {
        Inquiry {
            net,
            invariants,
            end,
            near: step_with(net, invariants, Scope::Near, CONFLICTS, end),
            whole: None,
        }
    }

    /// Returns whether all of these can be true in a step from a state that is not terminal.
    pub(super) fn query(&mut self, premises: impl Fn(&mut Step) -> Vec<Lit>) -> Verdict {
        match self.query_near(&premises) {
            Verdict::Impossible => Verdict::Impossible,
            _ => self.query_whole(&premises),
        }
    }

    /// Returns the same, with local reasons only, which hold for terminal states as well: if it is
    /// not found impossible, nothing is known.
    pub(super) fn query_near(&mut self, premises: impl Fn(&mut Step) -> Vec<Lit>) -> Verdict {
        let premises = premises(&mut self.near);
        self.near.query(&premises)
    }

    /// Returns the same, with everything that is known about the game.
    pub(super) fn query_whole(&mut self, premises: impl Fn(&mut Step) -> Vec<Lit>) -> Verdict {
        let make = || step_with(self.net, self.invariants, Scope::Whole, CONFLICTS, self.end);
        let step = self.whole.get_or_insert_with(make);
        let mut premises = premises(step);
        premises.push(step.edge(When::Now, !self.net.terminal()));
        step.query(&premises)
    }
}
