//! Own moves: whether roles know their legal moves by what they perceive, in games with `sees` rules.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::example::Example;
use super::findings::{Finding, FindingKind, Proof};
use crate::game::machine::{MachineError, Move, RANDOM_ROLE, RoleId, StateMachine};
use crate::game::playout::MatchSteps;

/// The most information sets of a role that are remembered.
const MAX_SETS: usize = 200_000;

/// The legal moves of roles by what they know.
pub(super) struct OwnMoves {
    /// Each role but chance.
    roles: Vec<OfRole>,
}

struct OfRole {
    role: RoleId,
    name: String,
    /// A hash of its moves and percepts in the current match.
    known: u64,
    /// The legal moves, by what it knows.
    legal: FxHashMap<u64, Box<[Move]>>,
    finding: Option<Finding>,
}

impl OwnMoves {
    /// Begins with the first match of a game with these roles.
    pub(super) fn new(roles: &[String]) -> OwnMoves {
        let all = RoleId::first(roles.len()).zip(roles);
        let players = all.filter(|(_, name)| *name != RANDOM_ROLE);
        let players = players.map(|(role, name)| OfRole {
            role,
            name: name.clone(),
            known: 0,
            legal: FxHashMap::default(),
            finding: None,
        });
        OwnMoves {
            roles: players.collect(),
        }
    }

    /// Notes the legal moves of a state, and the joint move that is made there.
    ///
    /// # Errors
    /// When the machine cannot continue.
    pub(super) fn note(
        &mut self,
        machine: &mut dyn StateMachine,
        seen: &MatchSteps,
    ) -> Result<(), MachineError> {
        for of in &mut self.roles {
            if seen.length() == 0 {
                of.known = 0;
            }
            let mut legal = seen.legal()[of.role.index()].clone();
            legal.sort_unstable();
            match of.legal.get(&of.known) {
                Some(before) if **before != *legal && of.finding.is_none() => {
                    let other = before.iter().find(|played| !legal.contains(played));
                    let other = other.or(legal.iter().find(|played| !before.contains(played)));
                    let other = other.map(|&played| machine.move_text(of.role, played));
                    of.finding = Some(Finding {
                        role: Some(of.name.clone()),
                        example: Some(Example::at(machine, seen)),
                        ..Finding::new(
                            FindingKind::UnknownMoves,
                            Proof::Example,
                            format!(
                                "by what {} perceives, it may not know whether it may play {}",
                                of.name,
                                other.unwrap_or_default()
                            ),
                        )
                    });
                }
                None if of.legal.len() < MAX_SETS => {
                    of.legal.insert(of.known, legal.into());
                }
                _ => {}
            }
            let percepts = machine.percepts(seen.state(), seen.joint(), of.role)?;
            let mut hasher = FxHasher::default();
            // The number of the step makes it differ from what was known at the start.
            let step = seen.length() + 1;
            (step, of.known, seen.joint()[of.role.index()], percepts).hash(&mut hasher);
            of.known = hasher.finish();
        }
        Ok(())
    }

    /// Returns what was found.
    pub(super) fn findings(self) -> impl Iterator<Item = Finding> {
        self.roles.into_iter().filter_map(|of| of.finding)
    }
}
