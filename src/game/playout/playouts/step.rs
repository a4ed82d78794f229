//! Steps of all lanes: ends are found and counted, moves are chosen, matches continue or start.

use propjit_jit::lanes::count::count_exactly_one;

use super::Playouts;
use super::form::Choice;
use crate::game::ground::section;
use crate::game::machine::RoleId;
use crate::game::playout::queue::JobId;
use crate::game::playout::runner::RunLimits;
use crate::game::playout::tally::Ending;
use crate::game::vocabulary::lane_mask::LaneMask;
use crate::support::statistics::Moments;

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
    /// Makes one step of all lanes.
    pub(super) fn step(&mut self, limits: &RunLimits) {
        let at = self.form.at(self.now);
        self.form.evaluate(section::STATE, at);
        let mut ends = self.find_ends(at);
        let going = self.lanes.running.and_not(ends.terminal.or(ends.truncated));
        let is_over = going.is_empty();
        if !is_over {
            ends.stuck = self.choose_moves(at, going);
            if let (Some(trial), None) = (&mut self.trial, &self.successor) {
                trial.count_steps(&mut self.form.evaluator, self.game.layout(), going);
            }
        }
        if !ends.terminal.is_empty() {
            self.form.evaluate(section::GOALS, at);
        }
        self.end_matches(at, &ends);
        self.now += 1;
        self.start_matches(limits);
        let (starting, start) = self.lanes.starting(&self.queue);
        self.form.advance(at, is_over, starting, start);
    }

    /// Returns the matches that have ended, except those that are stuck.
    fn find_ends(&mut self, at: usize) -> Ends {
        let terminal = self.form.phases[at].terminal;
        let terminal = self.form.evaluator.output(terminal);
        let terminal = LaneMask::from_words(terminal).and(self.lanes.running);
        Ends {
            truncated: self.find_truncated().and_not(terminal),
            terminal,
            stuck: LaneMask::default(),
        }
    }

    /// Returns the matches at the limit of steps. Lanes are checked only when the oldest match of
    /// the last check would reach the limit.
    fn find_truncated(&mut self) -> LaneMask {
        let mut truncated = LaneMask::default();
        if self.now < self.limit_check {
            return truncated;
        }
        let limit = u64::from(self.max_steps);
        let mut longest = 0;
        for lane in self.lanes.running.lanes() {
            let length = u64::from(self.lanes.length(lane, self.now));
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
    fn choose_moves(&mut self, at: usize, going: LaneMask) -> LaneMask {
        let Choice::Select(selectors) = &mut self.form.choice else {
            return self.form.draw(at, going, &mut self.random);
        };
        let (layout, width) = (self.game.layout(), self.lanes.width);
        let mut stuck = LaneMask::default();
        let rows = layout.legal.iter().zip(&layout.does);
        let roles = RoleId::first(layout.does.len()).zip(rows);
        for ((role, (legal, does)), selector) in roles.zip(selectors) {
            selector.pass_over(|guard| self.form.evaluator.is_false(guard));
            let (legal, does) =
                (self.form.evaluator).outputs_and_inputs_mut(legal.clone(), does.clone());
            let lanes = going.words(width);
            let none = selector.select(width, legal, lanes, &mut self.random, does);
            stuck = stuck.or(LaneMask::from_words(&none));
            if let Some(lines) = &mut self.lines {
                lines.note(&self.lanes, self.now, selector, does);
            }
            if let Some(moves) = &mut self.moves {
                moves.note(width, role, selector, does);
            }
        }
        stuck
    }

    /// Counts the matches that end: together if all running ones are for one job.
    fn end_matches(&mut self, at: usize, ends: &Ends) {
        let ended = ends.terminal.or(ends.truncated).or(ends.stuck);
        let count = ended.count();
        if count == 0 {
            return;
        }
        self.unreported += count;
        if let (Some(trial), None) = (&mut self.trial, &self.successor) {
            trial.count_ends(count);
        }
        if let Some(moves) = &mut self.moves {
            match self.form.marks(&self.game) {
                Some(marks) => {
                    let state = self.form.phases[at].state.clone();
                    let state = self.form.evaluator.inputs(state);
                    moves.read(ends.terminal, self.lanes.width, state, &marks[at]);
                }
                None => moves.end(ended),
            }
        }
        match self.lanes.only() {
            Some(id) => self.count_together(at, id, ended, count, ends),
            None => self.count_each(at, ended, ends),
        }
        self.lanes.end(ended);
    }

    /// Counts these matches, `count` in number, all of one job.
    fn count_together(&mut self, at: usize, id: JobId, ended: LaneMask, count: u64, ends: &Ends) {
        let lengths = self.lanes.lengths(ended, self.now);
        let tally = self.queue.end(id, count);
        tally.state_changes += lengths.sum;
        tally.lengths.merge(&Moments {
            count,
            sum: i128::from(lengths.sum),
            squares: lengths.squares as i128,
        });
        for (number, mask) in [
            (&mut tally.truncated, ends.truncated),
            (&mut tally.stuck, ends.stuck),
        ] {
            if !mask.is_empty() {
                *number += mask.count();
            }
        }
        let width = self.lanes.width;
        let roles = self.game.propnet().roles.iter().zip(&mut self.goal_counts);
        let roles = roles.zip(&self.form.phases[at].goals);
        for (goals, ((role, counts), outputs)) in tally.goals.iter_mut().zip(roles) {
            let rows = self.form.evaluator.outputs(outputs.clone());
            goals.undefined += count_exactly_one(width, rows, ends.terminal.words(width), counts);
            for (goal, count) in role.goals.iter().zip(counts) {
                if *count > 0 {
                    goals.values.add(goal.value, *count);
                    *count = 0;
                }
            }
        }
        self.keep_moves(at, id, ends.terminal);
    }

    /// Counts these matches, each for its own job.
    fn count_each(&mut self, at: usize, ended: LaneMask, ends: &Ends) {
        for lane in ended.lanes() {
            let ending = if ends.terminal.contains(lane) {
                Ending::Terminal
            } else if ends.truncated.contains(lane) {
                Ending::Truncated
            } else {
                Ending::Stuck
            };
            let length = self.lanes.length(lane, self.now);
            let tally = self.queue.end(self.lanes.job(lane), 1);
            tally.end(length, ending);
        }
        let width = self.lanes.width;
        let roles = self.game.propnet().roles.iter();
        let roles = roles.zip(&self.form.phases[at].goals);
        for (number, (role, outputs)) in roles.enumerate() {
            let rows = self.form.evaluator.outputs(outputs.clone());
            let defined = LaneMask::exactly_one(width, rows).and(ends.terminal);
            for lane in ends.terminal.and_not(defined).lanes() {
                let tally = self.queue.tally_mut(self.lanes.job(lane));
                tally.goals[number].undefined += 1;
            }
            for (row, goal) in rows.chunks_exact(width.words()).zip(&role.goals) {
                for lane in LaneMask::from_words(row).and(defined).lanes() {
                    let tally = self.queue.tally_mut(self.lanes.job(lane));
                    tally.goals[number].values.add(goal.value, 1);
                }
            }
        }
        if self.moves.is_some() || self.lines.is_some() {
            for lane in ends.terminal.lanes() {
                let mut alone = LaneMask::default();
                alone.insert(lane);
                self.keep_moves(at, self.lanes.job(lane), alone);
            }
        }
    }

    /// Records the moves of these matches, which have ended in terminal states and are all of one
    /// job, if moves are tracked.
    fn keep_moves(&mut self, at: usize, id: JobId, terminal: LaneMask) {
        let width = self.lanes.width;
        let goals = &self.form.phases[at].goals;
        if let Some(moves) = &self.moves {
            let tally = self.queue.tally_mut(id);
            let roles = self.game.propnet().roles.iter();
            let roles = roles.zip(goals);
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
                tally.played_moves.add(goals, moves.of(lane));
            }
        }
        if let Some(lines) = &self.lines {
            let tally = self.queue.tally_mut(id);
            let rows = self.form.evaluator.outputs(goals[0].clone());
            let values = self.game.propnet().roles[0].goals.iter();
            let values = values.map(|goal| goal.value);
            lines.keep(&self.lanes, self.now, terminal, rows, values, tally);
        }
    }
}
