//! Random matches that compare parts with the whole.
//!
//! In each step, a part of one match is put together with the other parts of another match that is
//! as old, and with moves that are said to do the same to the part. If the parts are what they are
//! said to be, the part goes on as before, and what was legal in both matches still is.

use std::sync::Arc;

use propjit_jit::circuit::{Edge, OutputId};
use propjit_jit::evaluator::{Engine, LaneEvaluator};
use propjit_jit::lanes::{LaneProgram, Width};
use propjit_jit::section::Section;
use propjit_stop::Stop;
use rand::RngExt;
use rand::seq::IndexedRandom;

use super::{Factors, Form};
use crate::game::ground::GroundGame;
use crate::game::vocabulary::moves::{Move, RoleId};
use crate::support::rng::{GameRng, streams};

/// The matches that are played side by side.
const WIDTH: Width = Width::X256;

/// The most parts that are compared in a step.
const MAX_PARTS: usize = 8;

/// The counts of comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Checked {
    /// The number of joint moves that were made in matches.
    pub steps: u64,
    /// The number of times that a part was put together with others.
    pub comparisons: u64,
}

/// A part that is not what it is said to be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("part {} depends on others: {what}, after {time} joint moves", .part + 1)]
pub struct Difference {
    /// The number of the part.
    pub part: usize,
    /// How many joint moves were made before.
    pub time: usize,
    /// The difference: a proposition or a move.
    pub what: String,
}

/// Matches that are equally old, one per lane.
struct Matches<'a> {
    game: &'a GroundGame,
    factors: &'a Factors,
    evaluator: LaneEvaluator,
    rng: GameRng,
    time: usize,
    /// By proposition, and by lane.
    states: Vec<Vec<bool>>,
    /// By lane and role, the place of the move among those of the phase.
    moves: Vec<Vec<usize>>,
    /// By move, as an output, and by lane.
    legal: Vec<Vec<bool>>,
}

impl Factors {
    /// Plays random matches of about this many joint moves in all, and compares parts with the whole.
    ///
    /// # Errors
    /// If a part is not what it is said to be.
    pub fn check(
        &self,
        game: &GroundGame,
        steps: u64,
        seed: u64,
        stop: &Stop,
    ) -> Result<Checked, Difference> {
        let mut checked = Checked::default();
        let mut matches = Matches::new(self, game, seed);
        while checked.steps < steps && !stop.is_set() {
            if !matches.choose() {
                matches.start();
                if !matches.choose() {
                    break;
                }
            }
            matches.compare(&mut checked)?;
            checked.steps += WIDTH.lanes() as u64;
        }
        Ok(checked)
    }
}

impl<'a> Matches<'a> {
    fn new(factors: &'a Factors, game: &'a GroundGame, seed: u64) -> Matches<'a> {
        let circuit = game.lowered();
        let outputs = (0..circuit.outputs().len() as u32).map(OutputId).collect();
        let program = LaneProgram::new(circuit, &[Section::alone(outputs)]);
        let mut matches = Matches {
            evaluator: LaneEvaluator::new(Engine::Interpreter(Arc::new(program), WIDTH)),
            rng: streams(seed).next().expect("streams do not end"),
            states: Vec::new(),
            moves: vec![vec![0; game.roles().len()]; WIDTH.lanes()],
            legal: Vec::new(),
            time: 0,
            factors,
            game,
        };
        matches.start();
        matches
    }

    /// All matches begin again.
    fn start(&mut self) {
        let initial = self.game.initial();
        let bases = self.game.layout().bases.clone();
        let row = |base| vec![initial.contains(base); WIDTH.lanes()];
        self.states = bases.map(row).collect();
        self.time = 0;
    }

    /// Chooses moves in all matches; those that are over, or cannot go on, become copies of others.
    /// Whether there are any left.
    fn choose(&mut self) -> bool {
        let rows: Vec<Vec<bool>> = self.states.clone();
        for (base, row) in rows.iter().enumerate() {
            self.enter(base, row);
        }
        self.clear_moves();
        self.evaluator.evaluate(0);
        let layout = self.game.layout();
        self.legal = (0..layout.outputs).map(|_| Vec::new()).collect();
        for output in layout.legal.iter().cloned().flatten() {
            self.legal[output] = self.output(output);
        }
        let terminal = self.output(layout.terminal);
        let phase = &self.factors.phases[self.factors.clock.phase(self.time)];
        let mut alive = Vec::new();
        let mut over = Vec::new();
        for (lane, &is_over) in terminal.iter().enumerate() {
            let choices = phase.roles.iter().enumerate().map(|(role, moves)| {
                let start = layout.legal[role].start;
                let legal = |at: &usize| self.legal[start + moves.moves[*at].index()][lane];
                (0..moves.moves.len()).filter(legal).collect::<Vec<_>>()
            });
            let choices: Vec<Vec<usize>> = choices.collect();
            let chosen: Option<Vec<usize>> = (choices.iter())
                .map(|legal| legal.choose(&mut self.rng).copied())
                .collect();
            match chosen.filter(|_| !is_over) {
                Some(chosen) => {
                    self.moves[lane] = chosen;
                    alive.push(lane);
                }
                None => over.push(lane),
            }
        }
        if alive.is_empty() {
            return false;
        }
        for lane in over {
            let from = alive[self.rng.random_range(0..alive.len())];
            self.moves[lane] = self.moves[from].clone();
            for row in self.states.iter_mut().chain(&mut self.legal) {
                if !row.is_empty() {
                    row[lane] = row[from];
                }
            }
        }
        true
    }

    /// Makes the moves that were chosen, and compares.
    fn compare(&mut self, checked: &mut Checked) -> Result<(), Difference> {
        let lanes = WIDTH.lanes();
        let layout = self.game.layout();
        let rows = self.states.clone();
        for (base, row) in rows.iter().enumerate() {
            self.enter(base, row);
        }
        let own = self.moves.clone();
        self.enter_moves(&own);
        self.evaluator.evaluate(0);
        let next: Vec<Vec<bool>> = layout.next.clone().map(|at| self.output(at)).collect();
        let count = self.factors.parts.len();
        let first = self.rng.random_range(0..count.max(1));
        for number in 0..count.min(MAX_PARTS) {
            let part = (first + number) % count;
            let shift = self.rng.random_range(1..lanes);
            let other = |lane: usize| (lane + shift) % lanes;
            let mut is_own = vec![false; rows.len()];
            (self.factors.parts[part].propositions.iter()).for_each(|&base| is_own[base] = true);
            for (base, row) in rows.iter().enumerate() {
                let mixed: Vec<bool> = match is_own[base] {
                    true => row.clone(),
                    false => (0..lanes).map(|lane| row[other(lane)]).collect(),
                };
                self.enter(base, &mixed);
            }
            let moves: Vec<Vec<usize>> = (own.iter())
                .map(|joint| self.equivalents(joint, part))
                .collect();
            self.enter_moves(&moves);
            self.evaluator.evaluate(0);
            checked.comparisons += lanes as u64;
            let difference = |what: String| Difference {
                part,
                time: self.time,
                what,
            };
            for &base in &self.factors.parts[part].propositions {
                if self.output(layout.next.start + base) != next[base] {
                    let net = self.game.propnet();
                    return Err(difference(net.terms.text(net.bases[base].name)));
                }
            }
            if let Some((role, played)) = self.illegal(part, other) {
                return Err(difference(self.game.move_text(role, played)));
            }
        }
        self.states = next;
        self.time += 1;
        Ok(())
    }

    /// Other moves that are said to do the same to a part.
    fn equivalents(&mut self, joint: &[usize], part: usize) -> Vec<usize> {
        let phase = &self.factors.phases[self.factors.clock.phase(self.time)];
        let rng = &mut self.rng;
        let moves = phase.roles.iter().zip(joint).map(|(moves, &at)| {
            let class = moves.classes[at][part];
            let alike = |at: &usize| moves.classes[*at][part] == class;
            let alike: Vec<usize> = (0..moves.moves.len()).filter(alike).collect();
            alike.choose(rng).copied().unwrap_or(at)
        });
        moves.collect()
    }

    /// A move that was legal in both matches and is not in what was put together of them; or that
    /// only depends on this part, and is legal only before or only after that.
    fn illegal(&self, part: usize, other: impl Fn(usize) -> usize) -> Option<(RoleId, Move)> {
        let layout = self.game.layout();
        let phase = &self.factors.phases[self.factors.clock.phase(self.time)];
        for (role, moves) in layout.roles().zip(&phase.roles) {
            let start = layout.legal[role.index()].start;
            for (&played, classes) in moves.moves.iter().zip(&moves.classes) {
                let before = &self.legal[start + played.index()];
                let after = self.output(start + played.index());
                // Other parts may have a say even where the move leaves them alone.
                let mut others = (0..classes.len()).filter(|&other| other != part);
                let is_free =
                    |other: usize| moves.kinds[other][classes[other] as usize].legal == Edge::TRUE;
                let is_alone = moves.form == Form::One && classes[part] != 0 && others.all(is_free);
                let differs = (0..WIDTH.lanes()).any(|lane| {
                    let is_legal = before[lane] && before[other(lane)];
                    is_legal && !after[lane] || is_alone && before[lane] != after[lane]
                });
                if differs {
                    return Some((role, played));
                }
            }
        }
        None
    }

    fn clear_moves(&mut self) {
        let layout = self.game.layout();
        (self.evaluator.inputs_mut(layout.bases.end..layout.inputs())).fill(0);
    }

    fn enter_moves(&mut self, moves: &[Vec<usize>]) {
        self.clear_moves();
        let phase = &self.factors.phases[self.factors.clock.phase(self.time)];
        let does = &self.game.layout().does;
        for (lane, joint) in moves.iter().enumerate() {
            for ((&at, moves), does) in joint.iter().zip(&phase.roles).zip(does) {
                let input = does.start + moves.moves[at].index();
                self.evaluator.input_mut(input)[lane / 64] |= 1 << (lane % 64);
            }
        }
    }

    fn enter(&mut self, input: usize, row: &[bool]) {
        let words = self.evaluator.input_mut(input).iter_mut();
        for (word, bits) in words.zip(row.chunks(64)) {
            let bits = bits.iter().enumerate();
            *word = bits.fold(0, |word, (at, &bit)| word | u64::from(bit) << at);
        }
    }

    fn output(&self, output: usize) -> Vec<bool> {
        let words = self.evaluator.output(output);
        let lanes = 0..WIDTH.lanes();
        lanes
            .map(|lane| words[lane / 64] >> (lane % 64) & 1 == 1)
            .collect()
    }
}
