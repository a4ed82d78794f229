//! Certificates of solved games.

use std::sync::Arc;

use propjit_gdl::rules::Rules;
use rustc_hash::FxHashMap;

use crate::game::engine::Engines;
use crate::game::ground::GroundGame;
use crate::game::machine::expansion::Expander;
use crate::game::machine::{Move, RoleId};
use crate::proof::certificate::{Certificate, Claim, FORMAT, GoalRange, Position, goals_in_rules};

use super::bounds::players;
use super::enumeration::{Enumeration, moves};
use super::extraction::Extracted;
use super::split::places;
use super::strategy::{Question, Strategy};

/// Writes claims in the numbering of a certificate.
pub(super) struct ClaimWriter {
    game: Arc<GroundGame>,
    expander: Expander,
    certificate: Certificate,
    /// The places of the moves that the certificate speaks of.
    moves: FxHashMap<(RoleId, Move), u32>,
    /// The goals that the rules give.
    goals: Vec<GoalRange>,
}

impl ClaimWriter {
    /// A certificate without claims: the values are between the goals that the rules give.
    pub(super) fn new(engines: &Arc<Engines>, rules: &Rules, name: &str) -> ClaimWriter {
        let game = engines.game().clone();
        let values = players(&game).map(|role| {
            let name = &game.roles()[role.index()];
            let (least, most) = goals_in_rules(rules, name);
            GoalRange {
                role: name.clone(),
                least,
                most,
            }
        });
        let goals: Vec<GoalRange> = values.collect();
        let bases = game.propnet().bases.iter();
        let fluents = bases.map(|base| game.propnet().terms.text(base.name));
        let certificate = Certificate {
            format: FORMAT,
            game: name.to_string(),
            values: goals.clone(),
            fluents: fluents.collect(),
            moves: Vec::new(),
            claims: Vec::new(),
        };
        ClaimWriter {
            expander: Expander::new(engines),
            certificate,
            moves: FxHashMap::default(),
            goals,
            game,
        }
    }

    /// Returns the value of a role that the claims so far prove.
    pub(super) fn value(&self, role: RoleId) -> &GoalRange {
        let name = &self.game.roles()[role.index()];
        let mut values = self.certificate.values.iter();
        let found = values.find(|value| value.role == *name);
        found.expect("each role but chance has a value")
    }

    /// Adds what a strategy of a role, or of all others, on a graph brings about.
    pub(super) fn add_strategy(
        &mut self,
        enumeration: &Enumeration,
        question: &Question,
        strategy: &Strategy,
        ends: bool,
    ) {
        let graph = &enumeration.graph;
        let mut positions = Vec::with_capacity(strategy.decisions.len());
        for decisions in strategy.decisions.chunks(self.expander.lanes()) {
            let states: Vec<u64> = decisions
                .iter()
                .flat_map(|&(at, _)| graph.state(at))
                .copied()
                .collect();
            let legal = self.expander.legal(&states).clone();
            for (lane, &(at, joint)) in decisions.iter().enumerate() {
                let legal = legal.get(lane);
                let counts: Vec<usize> = legal.each().map(<[Move]>::len).collect();
                let mut places: Vec<usize> = places(joint, &counts).collect();
                places.reverse();
                let joint = moves(legal, &places);
                positions.push(self.position(graph.state(at), &question.group, &joint));
            }
        }
        self.add(&question.group, ends, &strategy.goals, positions);
    }

    /// Adds what a strategy brings about that was read off proof search.
    pub(super) fn add_extracted(&mut self, strategy: &Extracted, ends: bool) {
        let decisions = strategy.decisions.iter();
        let positions = decisions
            .map(|(state, joint)| self.position(state, &strategy.group, joint))
            .collect();
        self.add(&strategy.group, ends, &strategy.goals, positions);
    }

    /// Returns the choices of a group in a state by a joint move.
    pub(super) fn position(&mut self, state: &[u64], group: &[RoleId], joint: &[Move]) -> Position {
        let digits = state
            .iter()
            .flat_map(|word| (0..16).map(move |digit| (word >> (4 * digit) & 15) as u32));
        let digits = digits.map(|digit| char::from_digit(digit, 16).expect("it is a digit"));
        let digits: String = digits.collect();
        let moves = group
            .iter()
            .map(|&role| self.number(role, joint[role.index()]));
        let moves = moves.collect();
        Position(digits.trim_end_matches('0').to_string(), moves)
    }

    /// The place of a move among those that the certificate speaks of.
    fn number(&mut self, role: RoleId, played: Move) -> u32 {
        let moves = &mut self.certificate.moves;
        *self.moves.entry((role, played)).or_insert_with(|| {
            moves.push(self.game.move_text(role, played));
            moves.len() as u32 - 1
        })
    }

    /// Adds a claim: that a group brings matches to ends in which the goals of the roles are between
    /// these, or that they have none others if matches end at all. Goals that the rules do not give are left out.
    pub(super) fn add(
        &mut self,
        group: &[RoleId],
        ends: bool,
        goals: &[Option<(i32, i32)>],
        positions: Vec<Position>,
    ) {
        let name = |role: RoleId| self.game.roles()[role.index()].clone();
        let goals: Vec<GoalRange> = players(&self.game)
            .filter_map(|role| {
                let (least, most) = goals[role.index()]?;
                let role = name(role);
                let given = self.goals.iter().find(|given| given.role == role)?;
                Some(GoalRange {
                    least: least.max(given.least),
                    most: most.min(given.most),
                    role,
                })
            })
            .collect();
        let others = |role: RoleId| players(&self.game).filter(move |&other| other != role);
        for role in players(&self.game) {
            let name = name(role);
            let mut values = self.certificate.values.iter_mut();
            let value = values.find(|value| value.role == name);
            let value = value.expect("each role but chance has a value");
            for goals in goals.iter().filter(|goals| goals.role == name) {
                if ends && group == [role] {
                    value.least = value.least.max(goals.least);
                }
                if others(role).eq(group.iter().copied()) {
                    value.most = value.most.min(goals.most);
                }
            }
        }
        self.certificate.claims.push(Claim {
            by: group.iter().map(|&role| name(role)).collect(),
            ends,
            goals,
            positions,
        });
    }

    /// The certificate.
    pub(super) fn finish(self) -> Certificate {
        self.certificate
    }
}
