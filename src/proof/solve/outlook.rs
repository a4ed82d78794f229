//! Outlooks: how a role should play in each state, among moves of equal value. It prefers early wins, late
//! losses, and where neither is sure, chances for the others to err.

use std::cmp::Ordering;

use propjit_stop::Stop;

use super::graph::{Edge, Graph};
use super::split::{Side, Split};
use super::values::Values;

/// No end is in sight.
const NEVER: u16 = u16::MAX;

/// The outlook of a role in a state or after a choice.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Outlook {
    /// The goal that it can force: a place among its goals, ascending.
    pub(super) level: u16,
    /// After how many joint moves at most it has that; if that is a loss, after how many at least
    /// if the others want that.
    distance: u16,
    /// The goal to expect if the others choose anything, with equal probability.
    chance: f32,
}

impl Outlook {
    /// After how many joint moves an end comes, if that is sure.
    pub(super) fn distance(self) -> Option<u32> {
        (self.distance != NEVER).then_some(self.distance.into())
    }
}

/// The outlook of a role in each state of a graph.
pub(super) struct RoleOutlook {
    /// Its goals, ascending.
    pub(super) goals: Vec<i32>,
    /// By end of the graph, the place of its goal.
    ends: Vec<u16>,
    /// By shape: it chooses first.
    splits: Vec<Split>,
    /// Whether ways that go on for ever have to be avoided.
    may_repeat: bool,
    /// The place of the least goal that it may get, and of the greatest with which a match may end.
    worst: u16,
    best: u16,
    states: Vec<Outlook>,
}

impl RoleOutlook {
    /// Computes the outlook of a role with these goals, one for each end of a complete graph; `None` if a
    /// stop comes before it is known.
    pub(super) fn new(
        graph: &Graph,
        goals: Vec<i32>,
        ends: Vec<u16>,
        splits: Vec<Split>,
        stop: &Stop,
    ) -> Option<RoleOutlook> {
        let top = goals.len() as u16 - 1;
        let values = Values::of(graph, (ends.clone(), top), (Side::Role, &splits), stop);
        if !values.is_final() {
            return None;
        }
        let least = goals[0] as f32;
        let unknown = |at| Outlook {
            level: values.of_state(at),
            distance: NEVER,
            chance: least,
        };
        let states: Vec<Outlook> = (0..graph.len()).map(unknown).collect();
        let may_repeat = !graph.is_graded();
        // A match that goes on for ever is worth the least goal of all, even if no match ends with that.
        let levels = ends.iter().copied();
        let all_levels = levels.clone().chain(states.iter().map(|state| state.level));
        let worst = all_levels.min().filter(|_| !may_repeat);
        let mut outlook = RoleOutlook {
            may_repeat,
            worst: worst.unwrap_or(0),
            best: levels.max().unwrap_or(0),
            states,
            goals,
            ends,
            splits,
        };
        // In a graded graph, the successors of a state are known before they are needed.
        while outlook.sweep(graph, stop)? && outlook.may_repeat {}
        Some(outlook)
    }

    /// Visits all states again. Returns whether some end has come nearer; `None` if it was stopped.
    fn sweep(&mut self, graph: &Graph, stop: &Stop) -> Option<bool> {
        let mut has_changed = false;
        let mut ticker = stop.ticker();
        let mut choices = Vec::new();
        for at in (0..graph.len()).rev() {
            if ticker.is_set() {
                return None;
            }
            self.choices(graph, at, &mut choices);
            let best = choices.iter().copied().max_by(|a, b| self.compare(a, b));
            let Some(best) = best else {
                continue;
            };
            has_changed |= best.distance != self.states[at].distance;
            self.states[at] = best;
        }
        Some(has_changed)
    }

    /// Returns the outlook of a state.
    pub(super) fn of_state(&self, at: usize) -> Outlook {
        self.states[at]
    }

    /// The goal that the role can force in a state.
    pub(super) fn goal_of_state(&self, at: usize) -> i32 {
        self.goals[usize::from(self.states[at].level)]
    }

    /// The joint moves of a state, by what the role chooses.
    pub(super) fn split(&self, graph: &Graph, at: usize) -> &Split {
        &self.splits[graph.shape(at)]
    }

    /// Returns what each choice of the role brings in a state, in the order of its moves; nothing where
    /// some role has no move.
    pub(super) fn choices(&self, graph: &Graph, at: usize, choices: &mut Vec<Outlook>) {
        let split = self.split(graph, at);
        let edges = graph.edges(at);
        choices.clear();
        if edges.len() == 0 {
            return;
        }
        let open = Outlook {
            level: u16::MAX,
            distance: 0,
            chance: 0.0,
        };
        choices.resize(split.choices(), open);
        let answers = (edges.len() / split.choices()) as f32;
        for (joint, edge) in edges.enumerate() {
            let after = self.after(edge);
            let choice = &mut choices[split.choice(joint)];
            choice.chance += after.chance / answers;
            choice.distance = match after.level.cmp(&choice.level) {
                Ordering::Less => after.distance,
                Ordering::Greater => choice.distance,
                // The others want a loss soon, and anything else late.
                Ordering::Equal if self.is_lost(after.level) => choice.distance.min(after.distance),
                Ordering::Equal => choice.distance.max(after.distance),
            };
            choice.level = choice.level.min(after.level);
        }
        for choice in choices {
            choice.distance = choice.distance.saturating_add(1);
        }
    }

    fn after(&self, edge: Edge) -> Outlook {
        match edge {
            Edge::State(state) => self.states[state],
            Edge::End(end) => Outlook {
                level: self.ends[end],
                distance: 0,
                chance: self.goals[usize::from(self.ends[end])] as f32,
            },
        }
    }

    /// Whether the role has nothing more to hope for, or nothing more to fear, at this level.
    pub(super) fn is_decided(&self, level: u16) -> bool {
        level == self.best || self.is_lost(level)
    }

    fn is_lost(&self, level: u16) -> bool {
        level == self.worst && level < self.best
    }

    /// Which of two choices in a state is better for the role: the greater.
    pub(super) fn compare(&self, a: &Outlook, b: &Outlook) -> Ordering {
        let by_distance = || match a.level {
            level if self.is_lost(level) => a.distance.cmp(&b.distance),
            // There is nothing more to hope for, or it has to come to an end.
            level if self.may_repeat || level == self.best => b.distance.cmp(&a.distance),
            _ => Ordering::Equal,
        };
        let by_chance = || a.chance.total_cmp(&b.chance);
        a.level
            .cmp(&b.level)
            .then_with(by_distance)
            .then_with(by_chance)
    }
}
