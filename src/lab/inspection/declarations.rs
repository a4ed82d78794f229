//! Declarations that play contradicts: fluents that `base` does not list, and moves that `input` does not.
//!
//! The rules do not depend on them, but some players do: they misplay a game that reaches others.

use std::collections::BTreeSet;
use std::time::Duration;

use propjit_gdl::prover::{Declared, ProverLimits};
use propjit_stop::Stop;

use super::findings::{Finding, FindingKind, Proof};
use crate::game::load::Game;
use crate::game::machine::{Move, RoleId, State, StateMachine};

/// How long finding out what is declared may take.
const TIME: Duration = Duration::from_secs(5);

/// The most fluents or moves that a message names.
const SHOWN: usize = 3;

/// What play has reached, compared with what is declared.
pub(super) struct Declarations {
    declared: Declared,
    /// The fluents and the moves of each role that were looked at.
    seen_fluents: Vec<bool>,
    seen_moves: Vec<Vec<bool>>,
    /// Those that are not declared.
    fluents: BTreeSet<String>,
    moves: BTreeSet<String>,
}

impl Declarations {
    /// The declarations of a game. `None` if it has none, or if evaluating them takes too long.
    pub(super) fn of(game: &Game, stop: &Stop) -> Option<Declarations> {
        let limits = ProverLimits::default().with_stop(stop.within(TIME));
        let declared = Declared::of(game.rules(), &limits).ok()?;
        if declared.fluents.is_none() && declared.moves.is_none() {
            return None;
        }
        Some(Declarations {
            declared,
            seen_fluents: Vec::new(),
            seen_moves: vec![Vec::new(); game.rules().roles.len()],
            fluents: BTreeSet::new(),
            moves: BTreeSet::new(),
        })
    }

    /// Looks at a state, and at the legal moves of each role in it.
    pub(super) fn note(&mut self, machine: &dyn StateMachine, state: &State, legal: &[Vec<Move>]) {
        if let Some(declared) = &self.declared.fluents {
            for base in state.iter() {
                if is_new(&mut self.seen_fluents, base) {
                    let mut alone = State::new();
                    alone.insert(base);
                    let fluents = machine.fluents(&alone).into_iter();
                    self.fluents
                        .extend(fluents.filter(|f| !declared.contains(f)));
                }
            }
        }
        let Some(declared) = &self.declared.moves else {
            return;
        };
        for (role, legal) in RoleId::first(legal.len()).zip(legal) {
            for &played in legal {
                if is_new(&mut self.seen_moves[role.index()], played.index()) {
                    let text = machine.move_text(role, played);
                    if !declared[role.index()].contains(&text) {
                        self.moves.insert(text);
                    }
                }
            }
        }
    }

    /// A finding for each kind of declaration that lacks something.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let finding = |kind, texts: &BTreeSet<String>, keyword, what| {
            if texts.is_empty() {
                return None;
            }
            let shown = texts.iter().take(SHOWN).map(String::as_str);
            let shown = shown.collect::<Vec<_>>().join(", ");
            let more = if texts.len() > SHOWN { ", ..." } else { "" };
            let count = texts.len();
            let plural = if count == 1 { "" } else { "s" };
            let message = format!(
                "`{keyword}` does not declare {count} {what}{plural} that play reaches: {shown}{more}; \
                 players that rely on it misplay the game"
            );
            Some(Finding::new(kind, Proof::Example, message))
        };
        let fluents = finding(
            FindingKind::UndeclaredFluent,
            &self.fluents,
            "base",
            "fluent",
        );
        let moves = finding(FindingKind::UndeclaredMove, &self.moves, "input", "move");
        fluents.into_iter().chain(moves).collect()
    }
}

/// Sets a flag, and returns whether it was not set.
fn is_new(flags: &mut Vec<bool>, at: usize) -> bool {
    if flags.len() <= at {
        flags.resize(at + 1, false);
    }
    !std::mem::replace(&mut flags[at], true)
}
