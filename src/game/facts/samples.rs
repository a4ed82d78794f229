//! Samples of random matches, which refute false candidates, so that only the others have to be
//! proved.

use std::collections::BTreeSet;

use crate::game::engine::Engines;
use crate::game::ground::GroundGame;
use crate::game::ground::Literal;
use crate::game::machine::batch::Batch;
use crate::game::machine::random_batch::{BatchStep, RandomBatch};
use crate::game::machine::{RoleId, State};
use crate::game::vocabulary::state::ones;
use crate::support::rng::streams;
use propjit_stop::Stop;

/// The maximum number of steps that are kept. When there are more, every second one is discarded,
/// and from then on only every second one is kept, and so on.
const KEPT: usize = 8192;

/// The maximum memory of kept steps, in words.
const KEPT_WORDS: usize = 1 << 23;

/// The number of matches that must have had the same sum of goals for that to count as evidence.
const MATCHES: u64 = 30;

/// Samples of random matches.
pub(super) struct Samples {
    /// How many steps were made.
    pub(super) steps: u64,
    /// How many matches ended.
    pub(super) matches: u64,
    /// The sums of all roles' goals at the end of matches; `None` where a role had none.
    sums: BTreeSet<Option<i64>>,
    words: usize,
    /// The propositions that were ever true, and those that were ever false.
    was: [Vec<u64>; 2],
    /// The propositions that became false, and those that became true.
    became: [Vec<u64>; 2],
    /// For each role and goal, the propositions that were true, and those that were false,
    /// in terminal states with that goal.
    ends: Vec<Vec<[Vec<u64>; 2]>>,
    /// Kept steps, packed: the state, and after it the next state.
    kept: Vec<u64>,
    /// One in this many steps is kept.
    stride: u64,
}

impl Samples {
    /// Plays random matches until the deadline, or until there were enough steps.
    pub(super) fn play(engines: &Engines, steps: u64, seed: u64, end: &Stop) -> Samples {
        let game = engines.game();
        let batch = Batch::new(game.clone(), engines.immediate());
        let words = batch.state_words();
        let nothing = || [vec![0; words], vec![0; words]];
        let roles = game.propnet().roles.iter();
        let mut samples = Samples {
            steps: 0,
            matches: 0,
            sums: BTreeSet::new(),
            words,
            was: nothing(),
            became: nothing(),
            ends: roles
                .map(|role| role.goals.iter().map(|_| nothing()).collect())
                .collect(),
            kept: Vec::new(),
            stride: 1,
        };
        samples.note_state(&game.initial().packed(words));
        let rng = streams(seed).next().expect("there are streams");
        let mut matches = RandomBatch::new(batch, rng);
        while samples.steps < steps
            && !end.is_set()
            && matches.step(|step| samples.note_step(game, step))
        {}
        samples
    }

    /// Records the results of a step.
    fn note_step(&mut self, game: &GroundGame, step: BatchStep<'_>) {
        let BatchStep { batch, after, .. } = step;
        for lane in step.terminal.lanes() {
            self.matches += 1;
            let mut sum = Some(0);
            for role in RoleId::first(game.roles().len()) {
                let goals = &game.propnet().roles[role.index()].goals;
                let value = batch.goal(role, lane);
                sum = sum.zip(value).map(|(sum, value)| sum + i64::from(value));
                let goal = goals.iter().position(|goal| Some(goal.value) == value);
                if let Some(goal) = goal {
                    let state = &after[lane * self.words..][..self.words];
                    note(&mut self.ends[role.index()][goal], state);
                }
            }
            self.sums.insert(sum);
        }
        let states = step.before.iter().zip(after.chunks_exact(self.words));
        for (lane, (before, after)) in states.enumerate() {
            if step.stuck.contains(lane) {
                continue;
            }
            let before = before.packed(self.words);
            for (at, (before, after)) in before.iter().zip(after).enumerate() {
                self.became[0][at] |= before & !after;
                self.became[1][at] |= after & !before;
            }
            self.note_state(after);
            self.keep(&before, after);
            self.steps += 1;
        }
    }

    fn note_state(&mut self, state: &[u64]) {
        note(&mut self.was, state);
    }

    fn keep(&mut self, before: &[u64], after: &[u64]) {
        if !self.steps.is_multiple_of(self.stride) {
            return;
        }
        let step = 2 * self.words;
        let most = KEPT.min(KEPT_WORDS / step).max(64);
        if self.kept.len() / step == most {
            let mut halved: Vec<u64> = Vec::with_capacity(self.kept.len());
            let pairs = self.kept.chunks_exact(2 * step);
            pairs.for_each(|pair| halved.extend_from_slice(&pair[..step]));
            self.kept = halved;
            self.stride *= 2;
        }
        self.kept.extend_from_slice(before);
        self.kept.extend_from_slice(after);
    }

    /// Returns the sum of all roles' goals, if it was the same in all matches, and there were
    /// enough of them.
    pub(super) fn sum(&self) -> Option<i64> {
        let is_one = self.sums.len() == 1 && self.matches >= MATCHES;
        self.sums.first().copied().flatten().filter(|_| is_one)
    }

    /// Returns whether the literal was true in some state.
    pub(super) fn was_seen(&self, literal: Literal) -> bool {
        bit(&self.was[usize::from(!literal.value)], literal.proposition)
    }

    /// Returns whether the literal was true in some state and false in the next.
    pub(super) fn was_lost(&self, literal: Literal) -> bool {
        bit(
            &self.became[usize::from(!literal.value)],
            literal.proposition,
        )
    }

    /// Returns whether a match ended with this goal and the literal.
    pub(super) fn ended_with(&self, role: usize, goal: usize, literal: Literal) -> bool {
        let ends = &self.ends[role][goal];
        bit(&ends[usize::from(!literal.value)], literal.proposition)
    }

    /// Returns how many steps were kept.
    pub(super) fn kept(&self) -> usize {
        self.kept.len() / (2 * self.words)
    }

    /// Returns how many of a thousand kept steps began in a state with this property.
    pub(super) fn per_mille(&self, property: impl Fn(&State) -> bool) -> usize {
        let mut state = State::new();
        let steps = self.kept.chunks_exact(2 * self.words);
        let with = steps.filter(|step| {
            state.assign(&step[..self.words]);
            property(&state)
        });
        (1000 * with.count()).checked_div(self.kept()).unwrap_or(0)
    }

    /// Returns a row with a bit for each kept step.
    pub(super) fn all(&self) -> Vec<u64> {
        let kept = self.kept();
        let words = (0..kept.div_ceil(64)).map(|at| match kept - 64 * at {
            steps @ 0..64 => (1 << steps) - 1,
            _ => !0,
        });
        words.collect()
    }

    /// Returns, for each proposition, a bit for each kept step, which says whether it was true
    /// before the step; and the same for after it.
    pub(super) fn rows(&self, propositions: usize) -> [Vec<Vec<u64>>; 2] {
        let width = self.kept().div_ceil(64);
        let mut rows = [0, 1].map(|_| vec![vec![0; width]; propositions]);
        let states = self.kept.chunks_exact(self.words).enumerate();
        for (at, state) in states {
            let (step, rows) = (at / 2, &mut rows[at % 2]);
            for proposition in ones(state.iter().copied()) {
                rows[proposition][step / 64] |= 1 << (step % 64);
            }
        }
        rows
    }
}

/// Returns how many bits of a row are set.
pub(super) fn count(row: &[u64]) -> u64 {
    row.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// Records which propositions are true and which are false.
fn note(seen: &mut [Vec<u64>; 2], state: &[u64]) {
    for (at, word) in state.iter().enumerate() {
        seen[0][at] |= word;
        seen[1][at] |= !word;
    }
}

fn bit(words: &[u64], at: usize) -> bool {
    words[at / 64] >> (at % 64) & 1 == 1
}
