//! Questions about steps, the cheap way first.
//!
//! Most of what is impossible is so for reasons near at hand: the logic of one proposition
//! and the legality of the moves in it. Only if these do not suffice, all moves and the
//! condition that the match goes on are looked at, which is the whole game as a rule. That is another
//! solver, so that the first one stays small.

use batsat::Lit;

use crate::game::ground::invariants::Invariant;
use crate::game::ground::invariants::encoding::step_with;
use crate::game::ground::invariants::net::Net;
use crate::game::ground::invariants::step::{Scope, Step, Verdict, When};
use propjit_stop::Stop;

/// How hard a question is tried, in conflicts of the solver.
pub(super) const CONFLICTS: u64 = 20_000;

/// Asks about steps from states in which invariants hold.
pub(super) struct Inquiry<'a> {
    net: &'a Net<'a>,
    invariants: &'a [Invariant],
    end: &'a Stop,
    near: Step<'a>,
    /// Made when it is needed.
    whole: Option<Step<'a>>,
}

impl<'a> Inquiry<'a> {
    /// Questions that are answered until the deadline.
    pub(super) fn new(net: &'a Net<'a>, invariants: &'a [Invariant], end: &'a Stop) -> Inquiry<'a> {
        Inquiry {
            net,
            invariants,
            end,
            near: step_with(net, invariants, Scope::Near, CONFLICTS, end),
            whole: None,
        }
    }

    /// Whether all of these can be true in a step from a state that is not terminal.
    pub(super) fn ask(&mut self, premises: impl Fn(&mut Step) -> Vec<Lit>) -> Verdict {
        match self.ask_near(&premises) {
            Verdict::Impossible => Verdict::Impossible,
            _ => self.ask_whole(&premises),
        }
    }

    /// The same, for reasons near at hand that hold for terminal states as well: if it is not
    /// impossible, nothing is known.
    pub(super) fn ask_near(&mut self, premises: impl Fn(&mut Step) -> Vec<Lit>) -> Verdict {
        let premises = premises(&mut self.near);
        self.near.ask(&premises)
    }

    /// The same, with everything that is known of the game.
    pub(super) fn ask_whole(&mut self, premises: impl Fn(&mut Step) -> Vec<Lit>) -> Verdict {
        let make = || step_with(self.net, self.invariants, Scope::Whole, CONFLICTS, self.end);
        let step = self.whole.get_or_insert_with(make);
        let mut premises = premises(step);
        premises.push(step.edge(When::Now, !self.net.terminal()));
        step.ask(&premises)
    }
}
