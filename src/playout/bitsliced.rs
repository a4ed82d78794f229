//! As many matches at a time as there are lanes.
//!
//! All lanes take a step together: evaluate the state, choose a move per role and
//! lane, evaluate the next state. A lane whose match has ended spends that step on
//! going back to the initial state, so it costs a match one step more than it has
//! joint moves.
//!
//! Lanes never stop: when no more matches are granted, lanes that are done play on
//! uncounted. So what each match does depends on the seed alone, not on the time.

use propjit_jit::lanes::random::LaneRandom;
use propjit_jit::lanes::select::Selector;
use propjit_jit::lanes::{Engine, LaneEvaluator};
use rand::Rng;

use super::Table;
use super::tally::{Ending, Goals, Tally};
use crate::machine::{GroundGame, ones, section};

/// Plays matches while the table's quota grants them.
pub(super) fn play(game: &GroundGame, engine: Engine, table: &mut Table<'_>) -> Tally {
    let mut lanes = Lanes::new(game, engine, table);
    while lanes.counted.iter().any(|&word| word != 0) && !table.stop.is_set() {
        lanes.step(table);
    }
    lanes.count_unfinished();
    lanes.tally
}

/// One bit per lane.
type Row = Vec<u64>;

/// The matches of one thread.
struct Lanes<'a> {
    game: &'a GroundGame,
    interpreter: LaneEvaluator,
    selector: Selector,
    random: LaneRandom,
    /// All lanes.
    all: Row,
    /// Lanes whose match counts.
    counted: Row,
    /// Lanes in a terminal state.
    terminal: Row,
    /// Lanes at the limit of steps.
    truncated: Row,
    /// Lanes whose match ends in this step: these, and those where a role has no move.
    ended: Row,
    /// The initial state, all ones or all zeros for each base proposition.
    initial: Vec<u64>,
    /// How many steps were made.
    now: u64,
    /// For each lane, the step at which its match started.
    started: Vec<u64>,
    /// The next step at which a match may reach the limit of steps.
    limit_check: u64,
    tally: Tally,
}

impl<'a> Lanes<'a> {
    /// Lanes in the initial state.
    fn new(game: &'a GroundGame, engine: Engine, table: &mut Table<'_>) -> Lanes<'a> {
        let width = engine.width();
        let words = width.words();
        let is_initial = |base| {
            if game.initial().contains(base) {
                u64::MAX
            } else {
                0
            }
        };
        let mut lanes = Lanes {
            game,
            interpreter: LaneEvaluator::new(engine),
            selector: Selector::new(),
            random: LaneRandom::new(table.rng.next_u64()),
            all: vec![u64::MAX; words],
            counted: vec![0; words],
            terminal: vec![0; words],
            truncated: vec![0; words],
            ended: vec![u64::MAX; words],
            initial: (0..game.layout().bases.len()).map(is_initial).collect(),
            now: 0,
            started: vec![0; width.lanes()],
            limit_check: u64::from(table.max_steps),
            tally: Tally::new(game.roles().len()),
        };
        lanes.advance();
        let granted = table.quota.grant(width.lanes() as u64) as usize;
        for lane in 0..granted {
            lanes.counted[lane / 64] |= 1 << (lane % 64);
        }
        lanes
    }

    /// One step of all lanes.
    fn step(&mut self, table: &mut Table<'_>) {
        let terminal = self.game.layout().terminal;
        self.interpreter.evaluate(section::STATE);
        self.terminal
            .copy_from_slice(self.interpreter.output(terminal));
        self.find_truncated(table.max_steps);
        let endings = self.terminal.iter().zip(&self.truncated);
        for (ended, (terminal, truncated)) in self.ended.iter_mut().zip(endings) {
            *ended = terminal | truncated;
        }
        self.choose_moves();
        self.interpreter.evaluate(section::NEXT);
        if self
            .terminal
            .iter()
            .zip(&self.counted)
            .any(|(terminal, counted)| terminal & counted != 0)
        {
            self.interpreter.evaluate(section::GOALS);
            self.count_goals();
        }
        self.advance();
        self.end_matches(table);
        self.now += 1;
    }

    /// Finds the lanes at the limit of steps. They are looked at only when the
    /// oldest match of the last look would be there.
    fn find_truncated(&mut self, max_steps: u32) {
        self.truncated.fill(0);
        if self.now < self.limit_check {
            return;
        }
        let limit = u64::from(max_steps);
        let mut oldest = self.now;
        for (lane, &started) in self.started.iter().enumerate() {
            if self.now - started >= limit {
                self.truncated[lane / 64] |= 1 << (lane % 64);
            } else {
                oldest = oldest.min(started);
            }
        }
        self.limit_check = oldest + limit;
    }

    /// Chooses each role's move in each lane; matches in which a role has none end.
    fn choose_moves(&mut self) {
        let layout = self.game.layout();
        let width = self.interpreter.width();
        for (legal, does) in layout.legal.iter().zip(&layout.does) {
            let (legal, does) = self
                .interpreter
                .outputs_and_inputs_mut(legal.clone(), does.clone());
            let random = &mut self.random;
            let none = self.selector.select(width, legal, &self.all, random, does);
            for (ended, none) in self.ended.iter_mut().zip(none) {
                *ended |= none;
            }
        }
    }

    /// Counts the goals of the terminal states.
    fn count_goals(&mut self) {
        let layout = self.game.layout();
        let words = self.counted.len();
        let roles = self.game.propnet().roles.iter().zip(&layout.goals);
        for (tally, (role, outputs)) in self.tally.goals.iter_mut().zip(roles) {
            let rows = self.interpreter.outputs(outputs.clone());
            for word in 0..words {
                let lanes = self.terminal[word] & self.counted[word];
                if lanes != 0 {
                    let held = rows.iter().skip(word).step_by(words).copied();
                    let values = role.goals.iter().map(|goal| goal.value);
                    count_values(tally, lanes, values.zip(held));
                }
            }
        }
    }

    /// Makes the next state the state; lanes whose match ends go back to the start.
    fn advance(&mut self) {
        let layout = self.game.layout();
        let (next, bases) = self
            .interpreter
            .outputs_and_inputs_mut(layout.next.clone(), layout.bases.clone());
        let words = self.ended.len();
        let rows = bases.chunks_exact_mut(words).zip(next.chunks_exact(words));
        for ((base, next), &initial) in rows.zip(&self.initial) {
            for ((base, next), ended) in base.iter_mut().zip(next).zip(&self.ended) {
                *base = next & !ended | initial & ended;
            }
        }
    }

    /// Counts the matches that end, and starts others in their lanes.
    fn end_matches(&mut self, table: &mut Table<'_>) {
        let pairs = self.ended.iter().zip(&self.counted);
        let ends = pairs
            .map(|(ended, counted)| u64::from((ended & counted).count_ones()))
            .sum();
        let mut granted = if ends == 0 {
            0
        } else {
            table.quota.grant(ends)
        };
        for lane in ones(self.ended.iter().copied()) {
            let (word, bit) = (lane / 64, 1 << (lane % 64));
            if self.counted[word] & bit != 0 {
                let length = (self.now - self.started[lane]) as u32;
                let ending = match (self.terminal[word] & bit, self.truncated[word] & bit) {
                    (0, 0) => Ending::Stuck,
                    (0, _) => Ending::Truncated,
                    _ => Ending::Terminal,
                };
                self.tally.end(length, ending);
                self.tally.state_changes += u64::from(length);
                if granted == 0 {
                    self.counted[word] &= !bit;
                }
                granted = granted.saturating_sub(1);
            }
            self.started[lane] = self.now + 1;
        }
        table.progress.add(ends);
    }

    /// Counts the joint moves of the matches that a stop interrupts.
    fn count_unfinished(&mut self) {
        for lane in ones(self.counted.iter().copied()) {
            self.tally.state_changes += self.now - self.started[lane];
        }
    }
}

/// Counts one role's goals in the `lanes` of one word, given which of them have
/// which value.
fn count_values(tally: &mut Goals, lanes: u64, values: impl Iterator<Item = (i32, u64)> + Clone) {
    let (once, twice) = values.clone().fold((0, 0), |(once, twice), (_, held)| {
        (once | held, twice | once & held)
    });
    let defined = lanes & once & !twice;
    tally.undefined += u64::from((lanes & !defined).count_ones());
    for (value, held) in values {
        let times = u64::from((held & defined).count_ones());
        if times > 0 {
            tally.values.add(i64::from(value), times);
        }
    }
}
