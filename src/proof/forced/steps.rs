//! Steps in lanes: all joint moves of a state at a time, and the reasons for their outcomes.

use std::ops::Range;

use propjit_jit::evaluator::LaneEvaluator;
use propjit_jit::lanes::advance::{Start, enter};
use propjit_jit::lanes::transpose::{column_words, to_columns, to_rows};
use propjit_stop::Stop;

use super::config::{MAX_JOINTS, ProofError};
use super::joint_rows::JointRows;
use crate::game::circuits::reasons::layout::{PhaseLayout, of_joint, of_state, section};
use crate::game::circuits::reasons::{PhaseCircuit, Target};
use crate::game::engine::Programs;
use crate::game::vocabulary::lane_mask::LaneMask;
use crate::game::vocabulary::moves::{Move, RoleId};

/// Properties of the state after a joint move, or of the moves themselves: bits.
pub(super) mod flag {
    use super::{of_joint, of_state};
    /// The state achieves the target.
    pub(crate) const ACHIEVED: u8 = 1 << of_state::ACHIEVED;
    /// The state is terminal.
    pub(crate) const TERMINAL: u8 = 1 << of_state::TERMINAL;
    /// Every role has a legal move in the state.
    pub(crate) const ABLE: u8 = 1 << of_state::ABLE;
    /// The state misses the target.
    pub(crate) const MISSED: u8 = 1 << of_state::MISSED;
    /// The move of the target's role is legal.
    pub(crate) const OWN: u8 = 1 << of_joint::OWN;
    /// The moves of all others are legal.
    pub(crate) const OTHERS: u8 = 1 << of_joint::OTHERS;
}

/// The joint moves of a phase: each move of the target's role with each reply of all others, if they are
/// legal in some state.
#[derive(Debug)]
pub(super) struct Joints {
    role: RoleId,
    /// The moves of the target's role.
    own: Vec<Move>,
    /// The moves of the others, in their order.
    replies: Vec<Vec<Move>>,
}

impl Joints {
    /// `None` if there are too many.
    fn new(circuit: &PhaseCircuit, role: RoleId) -> Option<Joints> {
        let own = circuit.moves()[role.index()].clone();
        let mut replies = vec![Vec::new()];
        for (other, moves) in circuit.moves().iter().enumerate() {
            if other == role.index() {
                continue;
            }
            let count = own.len().max(1).checked_mul(replies.len())?;
            if count.checked_mul(moves.len())? > MAX_JOINTS {
                return None;
            }
            let longer = replies.iter().flat_map(|reply| {
                moves.iter().map(|&played| {
                    let mut reply = reply.clone();
                    reply.push(played);
                    reply
                })
            });
            replies = longer.collect();
        }
        Some(Joints { role, own, replies }).filter(|joints| joints.len() <= MAX_JOINTS)
    }

    /// The number of joint moves. Those with the same move of the target's role follow each other.
    pub(super) fn len(&self) -> usize {
        self.own.len() * self.replies.len()
    }

    /// The number of moves of the target's role.
    pub(super) fn moves(&self) -> usize {
        self.own.len()
    }

    /// The number of replies to each move.
    pub(super) fn replies(&self) -> usize {
        self.replies.len()
    }

    /// The joint move of this number.
    pub(super) fn joint(&self, number: usize) -> Vec<Move> {
        let (own, reply) = (number / self.replies.len(), number % self.replies.len());
        let mut joint = self.replies[reply].clone();
        joint.insert(self.role.index(), self.own[own]);
        joint
    }
}

/// The requested information about the state after a joint move.
#[derive(Clone, Copy, Debug)]
pub(super) enum Want<'a> {
    /// The values that it has of these propositions.
    Literals(&'a [u64]),
    /// Those of these [`flag`]s that hold.
    Flags(u8),
}

/// The states after all joint moves of a state, and the flags of each.
#[derive(Default, Debug)]
pub(super) struct Expansion {
    pub(super) states: JointRows,
    /// The flags about the states.
    pub(super) after: Vec<u8>,
    /// The flags about the moves.
    pub(super) moves: Vec<u8>,
}

/// The outcomes of single joint moves in several states.
#[derive(Default, Debug)]
pub(super) struct Tried {
    /// The states after the joint moves, packed, one after the other.
    pub(super) states: Vec<u64>,
    /// The [`flag`]s about these.
    pub(super) after: Vec<u8>,
    /// The flags about the moves.
    moves: Vec<u8>,
}

impl Tried {
    /// Whether all moves of a joint move are legal.
    pub(super) fn is_legal(&self, at: usize) -> bool {
        self.moves[at] == flag::OWN | flag::OTHERS
    }
}

/// Evaluates steps of a game and the reasons for them.
#[derive(Debug)]
pub(super) struct Steps {
    layout: PhaseLayout,
    phases: Vec<Phase>,
    /// For each phase, lanes in which its states arrive.
    arriving: Vec<LaneEvaluator>,
    /// Space for packed states and masks.
    columns: Vec<u64>,
}

#[derive(Debug)]
struct Phase {
    joints: Joints,
    /// With the same state in all lanes, and a joint move in each.
    here: LaneEvaluator,
    /// The first of the joint moves that are in the lanes.
    placed: Option<usize>,
    /// The inputs that are moves which may be chosen, by role.
    does: Vec<Range<usize>>,
}

impl Steps {
    /// The steps of a game for this target.
    ///
    /// # Errors
    /// When there are more joint moves than can be tried, or the stop comes.
    pub(super) fn new(
        programs: &Programs,
        target: Target,
        stop: &Stop,
    ) -> Result<Steps, ProofError> {
        let game = programs.game();
        let layout = PhaseLayout::new(game.layout());
        let go_on = || match stop.is_set() {
            true => Err(ProofError::Stopped),
            false => Ok(()),
        };
        let phases = (0..game.phases().period()).map(|phase| {
            go_on()?;
            let circuit = PhaseCircuit::new(game, phase);
            // Passes that were stopped may leave moves that are never legal.
            go_on()?;
            let joints = Joints::new(&circuit, target.role).ok_or(ProofError::JointMoves)?;
            let engine = programs.reasons(&circuit, target, stop);
            let engine = engine.ok_or(ProofError::Stopped)?;
            let several = circuit.moves().iter().map(|moves| moves.len() > 1);
            let does = layout.does.iter().zip(several);
            Ok(Phase {
                joints,
                here: LaneEvaluator::new(engine),
                placed: None,
                does: does
                    .map(|(does, several)| if several { does.clone() } else { 0..0 })
                    .collect(),
            })
        });
        let phases: Vec<Phase> = phases.collect::<Result<_, _>>()?;
        let engines = phases.iter().map(|phase| phase.here.engine().clone());
        Ok(Steps {
            arriving: engines.map(LaneEvaluator::new).collect(),
            phases,
            layout,
            columns: Vec::new(),
        })
    }

    /// The number of phases.
    pub(super) fn phases(&self) -> usize {
        self.phases.len()
    }

    /// The words of a packed state.
    pub(super) fn words(&self) -> usize {
        column_words(self.layout.bases.len())
    }

    /// The joint moves of a phase.
    pub(super) fn joints(&self, phase: usize) -> &Joints {
        &self.phases[phase].joints
    }

    /// The number of lanes.
    pub(super) fn lanes(&self) -> usize {
        self.phases[0].here.width().lanes()
    }

    /// Finds the outcome of each joint move in a state.
    pub(super) fn expand(&mut self, phase: usize, state: &[u64], found: &mut Expansion) {
        found.after.clear();
        found.moves.clear();
        self.enter(phase, state);
        let Steps {
            layout,
            phases,
            arriving,
            ..
        } = self;
        let arriving = &mut arriving[(phase + 1) % phases.len()];
        let phase = &mut phases[phase];
        let width = phase.here.width();
        let chunks = phase.joints.len().div_ceil(width.lanes());
        let words = width.words();
        found
            .states
            .resize(layout.bases.len(), chunks * width.lanes());
        for chunk in 0..chunks {
            let lanes = phase.place(chunk * width.lanes());
            let here = &mut phase.here;
            make(
                layout,
                here,
                arriving,
                lanes,
                [&mut found.after, &mut found.moves],
            );
            let rows = here.outputs(layout.next.clone());
            found.states.fill(chunk * words, words, rows);
        }
    }

    /// Finds the outcomes of some joint moves, each in a state of its own: pairs of the place of a packed
    /// state among these and the number of the joint move. Returns how often all lanes were evaluated.
    pub(super) fn try_pairs(
        &mut self,
        phase: usize,
        states: &[u64],
        pairs: &[(usize, usize)],
        found: &mut Tried,
    ) -> u64 {
        let words = self.words();
        let Steps {
            layout,
            phases,
            arriving,
            columns,
        } = self;
        let arriving = &mut arriving[(phase + 1) % phases.len()];
        let phase = &mut phases[phase];
        phase.placed = None;
        let width = phase.here.width();
        let chunks = pairs.chunks(width.lanes());
        let count = chunks.len();
        for pairs in chunks {
            columns.clear();
            for &(state, _) in pairs {
                columns.extend_from_slice(&states[state * words..][..words]);
            }
            phase.put(pairs.iter().map(|&(_, joint)| joint));
            let here = &mut phase.here;
            to_rows(width, columns, here.inputs_mut(layout.bases.clone()));
            let lanes = pairs.len();
            make(
                layout,
                here,
                arriving,
                lanes,
                [&mut found.after, &mut found.moves],
            );
            to_columns(width, here.outputs(layout.next.clone()), columns);
            found.states.extend_from_slice(columns);
        }
        count as u64
    }

    /// Returns the properties of a state: [`flag`]s.
    pub(super) fn properties(&mut self, phase: usize, state: &[u64]) -> u8 {
        self.enter(phase, state);
        let here = &mut self.phases[phase].here;
        here.evaluate(section::STATE);
        let mut found = Vec::new();
        flags(here, self.layout.state.clone(), 1, &mut found);
        found[0]
    }

    /// The reason for some of what holds of the state that was [entered](Steps::enter) last.
    pub(super) fn state_reason(&mut self, phase: usize, wanted: u8) -> Vec<u64> {
        let mut reason = vec![0; self.words()];
        let Steps { layout, phases, .. } = self;
        let here = &mut phases[phase].here;
        for (bit, input) in layout.wanted_state.clone().enumerate() {
            here.input_mut(input)[0] = u64::from(wanted >> bit & 1);
        }
        here.evaluate(section::STATE_REASON);
        let rows = here.outputs(layout.state_reason.clone());
        to_columns(here.width(), rows, &mut reason);
        reason
    }

    /// The reason for what is wanted after each of some joint moves, which ascend, in the state
    /// that was [entered](Steps::enter) last: masks, one after the other.
    pub(super) fn next_reasons(&mut self, phase: usize, wanted: &[(usize, Want<'_>)]) -> Vec<u64> {
        let words = self.words();
        let mut reasons = Vec::with_capacity(wanted.len() * words);
        let Steps {
            layout,
            phases,
            arriving,
            columns,
        } = self;
        let arriving = &mut arriving[(phase + 1) % phases.len()];
        let phase = &mut phases[phase];
        let width = phase.here.width();
        for wanted in wanted.chunk_by(|a, b| a.0 / width.lanes() == b.0 / width.lanes()) {
            let first = wanted[0].0 / width.lanes() * width.lanes();
            let lanes = phase.place(first);
            let here = &mut phase.here;
            columns.clear();
            columns.resize(lanes * words, 0);
            let mut asked = [LaneMask::default(); of_state::COUNT];
            for &(joint, want) in wanted {
                let lane = joint - first;
                match want {
                    Want::Literals(mask) => {
                        columns[lane * words..][..words].copy_from_slice(mask);
                    }
                    Want::Flags(flags) => {
                        for (bit, asked) in asked.iter_mut().enumerate() {
                            if flags >> bit & 1 == 1 {
                                asked.insert(lane);
                            }
                        }
                    }
                }
            }
            to_rows(width, columns, here.inputs_mut(layout.wanted_next.clone()));
            if asked.iter().any(|asked| !asked.is_empty()) {
                here.evaluate(section::NEXT);
                arrive(layout, here, arriving);
                for (asked, input) in asked.iter().zip(layout.wanted_state.clone()) {
                    arriving
                        .input_mut(input)
                        .copy_from_slice(asked.words(width));
                }
                arriving.evaluate(section::STATE_REASON);
                let rows = arriving.outputs(layout.state_reason.clone());
                let inputs = here.inputs_mut(layout.wanted_next.clone());
                inputs
                    .iter_mut()
                    .zip(rows)
                    .for_each(|(input, row)| *input |= row);
            }
            here.evaluate(section::NEXT_REASON);
            let rows = here.outputs(layout.next_reason.clone());
            to_columns(width, rows, columns);
            for &(joint, _) in wanted {
                reasons.extend_from_slice(&columns[(joint - first) * words..][..words]);
            }
        }
        reasons
    }

    /// The reason for some of what holds of each of some joint moves, which ascend, in the state
    /// that was [entered](Steps::enter) last: masks, one after the other.
    pub(super) fn joint_reasons(&mut self, phase: usize, wanted: &[(usize, u8)]) -> Vec<u64> {
        let words = self.words();
        let mut reasons = Vec::with_capacity(wanted.len() * words);
        let Steps {
            layout,
            phases,
            columns,
            ..
        } = self;
        let phase = &mut phases[phase];
        let width = phase.here.width();
        for wanted in wanted.chunk_by(|a, b| a.0 / width.lanes() == b.0 / width.lanes()) {
            let first = wanted[0].0 / width.lanes() * width.lanes();
            let lanes = phase.place(first);
            let mut asked = [LaneMask::default(); of_joint::COUNT];
            for &(joint, flags) in wanted {
                for (bit, asked) in asked.iter_mut().enumerate() {
                    if flags >> bit & 1 == 1 {
                        asked.insert(joint - first);
                    }
                }
            }
            for (asked, input) in asked.iter().zip(layout.wanted_joint.clone()) {
                phase
                    .here
                    .input_mut(input)
                    .copy_from_slice(asked.words(width));
            }
            phase.here.evaluate(section::JOINT_REASON);
            columns.clear();
            columns.resize(lanes * words, 0);
            to_columns(
                width,
                phase.here.outputs(layout.joint_reason.clone()),
                columns,
            );
            for &(joint, _) in wanted {
                reasons.extend_from_slice(&columns[(joint - first) * words..][..words]);
            }
        }
        reasons
    }

    /// Puts a state of a phase into all lanes of the phase.
    pub(super) fn enter(&mut self, phase: usize, state: &[u64]) {
        let here = &mut self.phases[phase].here;
        let width = here.width();
        let all = LaneMask::all(width);
        let rows = here.inputs_mut(self.layout.bases.clone());
        enter(width, rows, all.words(width), Start::Same(state));
    }
}

impl Phase {
    /// Puts a joint move into each lane, from the one with this number on. The number of lanes
    /// that have one.
    fn place(&mut self, first: usize) -> usize {
        let lanes = self.here.width().lanes().min(self.joints.len() - first);
        if self.placed.replace(first) != Some(first) {
            self.put(first..first + lanes);
        }
        lanes
    }

    /// Puts these joint moves into the first lanes.
    fn put(&mut self, joints: impl Iterator<Item = usize>) {
        for does in &self.does {
            self.here.inputs_mut(does.clone()).fill(0);
        }
        for (lane, joint) in joints.enumerate() {
            let joint = self.joints.joint(joint);
            for (does, played) in self.does.iter().zip(joint) {
                if !does.is_empty() {
                    let row = self.here.input_mut(does.start + played.index());
                    row[lane / 64] |= 1 << (lane % 64);
                }
            }
        }
    }
}

/// Makes the joint moves in the first lanes. Adds the [`flag`]s of the states after them, and of the
/// joint moves themselves.
fn make(
    layout: &PhaseLayout,
    here: &mut LaneEvaluator,
    arriving: &mut LaneEvaluator,
    lanes: usize,
    [after, moves]: [&mut Vec<u8>; 2],
) {
    here.evaluate(section::NEXT);
    here.evaluate(section::JOINT);
    arrive(layout, here, arriving);
    arriving.evaluate(section::STATE);
    flags(arriving, layout.state.clone(), lanes, after);
    flags(here, layout.joint.clone(), lanes, moves);
}

/// Moves next states to where they arrive.
fn arrive(layout: &PhaseLayout, here: &LaneEvaluator, arriving: &mut LaneEvaluator) {
    let rows = here.outputs(layout.next.clone());
    let bases = arriving.inputs_mut(layout.bases.clone());
    bases.copy_from_slice(rows);
}

/// Adds the bits that outputs have in the first lanes.
fn flags(lanes: &LaneEvaluator, outputs: Range<usize>, count: usize, found: &mut Vec<u8>) {
    let start = found.len();
    found.resize(start + count, 0);
    let words = lanes.width().words();
    for (bit, row) in lanes.outputs(outputs).chunks_exact(words).enumerate() {
        for (lane, found) in found[start..].iter_mut().enumerate() {
            *found |= ((row[lane / 64] >> (lane % 64) & 1) as u8) << bit;
        }
    }
}
