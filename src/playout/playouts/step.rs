//! A step of all lanes: ends are found and counted, moves are chosen, matches go on or start.

use propjit_jit::lanes::count::count_exactly_one;

use super::Playouts;
use super::form::Choice;
use crate::ground::section;
use crate::lane_mask::LaneMask;
use crate::machine::RoleId;
use crate::playout::queue::JobId;
use crate::playout::runner::RunLimits;
use crate::statistics::Moments;

/// How matches end.
struct Ends {
    /// In a terminal state.
    terminal: LaneMask,
    /// At the limit of steps, and not in a terminal state.
    truncated: LaneMask,
    /// Where a role has no move, and not in one of these ways.
    stuck: LaneMask,
}

impl Playouts {
    /// One step of all lanes.
    pub(super) fn step(&mut self, limits: &RunLimits) {
        self.form.evaluate(section::STATE, self.now);
        let mut ends = self.find_ends();
        let going = self.lanes.running.and_not(ends.terminal.or(ends.truncated));
        if !going.is_empty() {
            ends.stuck = self.choose_moves(going);
            if let (Some(trial), None) = (&mut self.trial, &self.successor) {
                trial.count_steps(&mut self.form.evaluator, self.game.layout(), going);
            }
        }
        if !ends.terminal.is_empty() {
            self.form.evaluate(section::GOALS, self.now);
        }
        self.end_matches(&ends, limits);
        let before = self.now;
        self.now += 1;
        self.start_matches(limits);
        let (starting, start) = self.lanes.starting(&self.queue);
        (self.form).advance(before, going.is_empty(), starting, start);
    }

    /// The matches that have ended, but for those that are stuck.
    fn find_ends(&mut self) -> Ends {
        let terminal = self.form.phase(self.now).terminal;
        let terminal = self.form.evaluator.output(terminal);
        let terminal = LaneMask::from_words(terminal).and(self.lanes.running);
        Ends {
            truncated: self.find_truncated().and_not(terminal),
            terminal,
            stuck: LaneMask::default(),
        }
    }

    /// The matches at the limit of steps. Lanes are looked at only when the oldest match of the
    /// last look would be there.
    fn find_truncated(&mut self) -> LaneMask {
        let mut truncated = LaneMask::default();
        if self.now < self.limit_check {
            return truncated;
        }
        let limit = u64::from(self.max_steps);
        let mut longest = 0;
        for lane in self.lanes.running.lanes() {
            let length = self.lanes.length(lane, self.now);
            if length >= limit {
                truncated.insert(lane);
            } else {
                longest = longest.max(length);
            }
        }
        self.limit_check = self.now + limit - longest;
        truncated
    }

    /// Chooses each role's move in these lanes. Returns those in which a role has none.
    fn choose_moves(&mut self, going: LaneMask) -> LaneMask {
        let Choice::Select(selectors) = &mut self.form.choice else {
            return self.form.draw(self.now, going, &mut self.random);
        };
        let (layout, width) = (self.game.layout(), self.lanes.width);
        let mut stuck = LaneMask::default();
        let rows = layout.legal.iter().zip(&layout.does);
        let roles = RoleId::first(layout.does.len()).zip(rows);
        for ((role, (legal, does)), selector) in roles.zip(selectors) {
            let (legal, does) =
                (self.form.evaluator).outputs_and_inputs_mut(legal.clone(), does.clone());
            let lanes = going.words(width);
            let none = selector.select(width, legal, lanes, &mut self.random, does);
            stuck = stuck.or(LaneMask::from_words(&none));
            if let Some(lines) = &mut self.lines {
                lines.note(&self.lanes, self.now, selector, does);
            }
            if let Some(moves) = &mut self.moves {
                moves.note(role, selector, does);
            }
        }
        stuck
    }

    /// Counts the matches that end, those of one job together.
    fn end_matches(&mut self, ends: &Ends, limits: &RunLimits) {
        let mut ended = ends.terminal.or(ends.truncated).or(ends.stuck);
        if ended.is_empty() {
            return;
        }
        limits.progress.add(ended.count());
        if let (Some(trial), None) = (&mut self.trial, &self.successor) {
            trial.count_ends(ended.count());
        }
        if let Some(moves) = &mut self.moves {
            moves.end(ended);
        }
        while let Some((id, lanes)) = self.lanes.end_some(&mut ended) {
            self.count(id, lanes, ends);
        }
    }

    /// Counts these matches, all of one job.
    fn count(&mut self, id: JobId, lanes: LaneMask, ends: &Ends) {
        let (mut sum, mut squares) = (0, 0);
        lanes.lanes().for_each(|lane| {
            let length = self.lanes.length(lane, self.now);
            sum += length;
            // Lengths have 32 bits.
            squares += u128::from(length * length);
        });
        let count = lanes.count();
        let tally = self.queue.end(id, count);
        tally.state_changes += sum;
        tally.lengths.merge(&Moments {
            count,
            sum: i128::from(sum),
            squares: squares as i128,
        });
        for (ended, mask) in [
            (&mut tally.truncated, ends.truncated),
            (&mut tally.stuck, ends.stuck),
        ] {
            if !mask.is_empty() {
                *ended += lanes.and(mask).count();
            }
        }
        let terminal = lanes.and(ends.terminal);
        if terminal.is_empty() {
            return;
        }
        let width = self.lanes.width;
        let roles = self.game.propnet().roles.iter().zip(&mut self.goal_counts);
        let roles = roles.zip(&self.form.phase(self.now).goals);
        for (goals, ((role, counts), outputs)) in tally.goals.iter_mut().zip(roles) {
            let rows = self.form.evaluator.outputs(outputs.clone());
            goals.undefined += count_exactly_one(width, rows, terminal.words(width), counts);
            for (goal, count) in role.goals.iter().zip(counts) {
                if *count > 0 {
                    goals.values.add(goal.value, *count);
                    *count = 0;
                }
            }
        }
        if let Some(moves) = &self.moves {
            let roles = self.game.propnet().roles.iter();
            let roles = roles.zip(&self.game.layout().goals);
            for lane in terminal.lanes() {
                let goals = roles.clone().map(|(role, outputs)| {
                    let rows = self.form.evaluator.outputs(outputs.clone());
                    let rows = rows.chunks_exact(width.words()).zip(&role.goals);
                    let mut held = rows.filter(|(row, _)| row[lane / 64] >> (lane % 64) & 1 != 0);
                    match (held.next(), held.next()) {
                        (Some((_, goal)), None) => goal.value,
                        _ => 0,
                    }
                });
                tally.courses.add(goals, moves.of(lane));
            }
        }
        if let Some(lines) = &self.lines {
            let rows = self
                .form
                .evaluator
                .outputs(self.game.layout().goals[0].clone());
            let values = self.game.propnet().roles[0].goals.iter();
            let values = values.map(|goal| goal.value);
            lines.keep(&self.lanes, self.now, terminal, rows, values, tally);
        }
    }
}
