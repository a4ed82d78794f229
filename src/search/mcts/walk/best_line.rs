//! The best match seen so far in a game of one role.
//!
//! No other role can keep the role from playing it, so what it brings is as good as proved, though its end
//! was seen in a playout and is no part of the tree.

use std::collections::BTreeMap;

use crate::game::machine::{MachineError, Move, State};
use crate::game::playout::Line;
use crate::proof::plan::Plan;
use crate::search::expansion::Evaluator;
use crate::search::mcts::tree::Tree;
use crate::search::mcts::tree::node::NodeId;

/// A match of the only role, to its end.
#[derive(Debug)]
pub(in crate::search::mcts) struct BestLine {
    /// The goal of the role.
    pub goal: f32,
    /// The moves by the number of joint moves before them. If there is none at a number, only one is legal.
    moves: BTreeMap<u32, Move>,
}

impl BestLine {
    /// The decisions on the way to a node, and a playout from there.
    pub(in crate::search::mcts) fn new(
        decisions: impl Iterator<Item = (u32, Move)>,
        tree: &Tree,
        leaf: NodeId,
        line: &Line,
    ) -> BestLine {
        let first = tree.node(leaf).meta().depth();
        BestLine {
            goal: line.goal as f32,
            moves: decisions
                .chain((first..).zip(line.moves.iter().copied()))
                .collect(),
        }
    }

    /// A match that was planned from a state after `depth` joint moves.
    pub(in crate::search::mcts) fn planned(plan: &Plan, depth: u32) -> BestLine {
        BestLine {
            goal: plan.goal as f32,
            moves: (depth..).zip(plan.moves.iter().copied()).collect(),
        }
    }

    /// The move after `depth` joint moves, if there is a choice.
    pub(in crate::search::mcts) fn played(&self, depth: u32) -> Option<Move> {
        self.moves.get(&depth).copied()
    }

    /// The moves that come later than the one after `depth` joint moves.
    pub(in crate::search::mcts) fn after(&self, depth: u32) -> impl Iterator<Item = Move> {
        let later = self.moves.range(depth.saturating_add(1)..);
        later.map(|(_, played)| *played)
    }

    /// Whether it leads from one state to another, each given with the number of joint moves
    /// before it.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub(in crate::search::mcts) fn leads(
        &self,
        evaluator: &mut dyn Evaluator,
        (from, start): (&State, u32),
        (to, end): (&State, u32),
    ) -> Result<bool, MachineError> {
        let mut state = from.clone();
        for depth in start..end {
            let legal = evaluator.legal_moves(&state)?;
            let played = match (self.played(depth), &legal[0][..]) {
                (_, [only]) => *only,
                (Some(played), legal) if legal.contains(&played) => played,
                _ => return Ok(false),
            };
            state = evaluator.next_state(&state, &[played])?;
        }
        Ok(start <= end && state == *to)
    }
}
