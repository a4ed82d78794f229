//! Direct threats: moves of the role after which it wins by its next move, whatever most replies are. They
//! are found in lanes, by trying a sample of the replies.

use super::node::Node;
use super::search::Search;
use super::steps::{Tried, flag};

/// The number of replies to a move that are tried.
const SAMPLE: usize = 4;

/// The number of joint moves that may be tried for one state.
const MAX_TRIED: usize = 1 << 13;

impl Search {
    /// Returns which of some moves of the role, by the numbers of their joint moves, are direct threats.
    /// `None` if that is not easily seen: if the role and the others do not move in turns, if no role ever
    /// moves so late in a match, or if there are too many joint moves.
    pub(super) fn direct_threats(&mut self, node: &Node, moves: &[usize]) -> Option<Vec<usize>> {
        let steps = &mut self.steps;
        let [there, next] = [1, 2].map(|ahead| (node.phase + ahead) % steps.phases());
        let (replies, wins) = (steps.joints(there), steps.joints(next));
        let takes_turns = node.replies == 1 && replies.moves() == 1 && wins.replies() == 1;
        let (replies, wins) = (replies.len(), wins.len());
        let is_over = replies == 0 || wins == 0;
        if !takes_turns || is_over || moves.len() * (replies + SAMPLE * wins) > MAX_TRIED {
            return None;
        }
        let states: Vec<u64> = moves.iter().flat_map(|&joint| node.after(joint)).collect();
        let pairs = (0..moves.len()).flat_map(|at| (0..replies).map(move |reply| (at, reply)));
        let pairs: Vec<(usize, usize)> = pairs.collect();
        let mut answered = Tried::default();
        self.counts.nodes += steps.try_pairs(there, &states, &pairs, &mut answered);

        let mut samples = Vec::new();
        let mut pairs = Vec::new();
        for (at, first) in (0..moves.len()).zip((0..).step_by(replies)) {
            let legal = (first..first + replies).filter(|&pair| answered.is_legal(pair));
            let after = |pair: &usize| answered.after[*pair];
            // After an achievement there is nothing to see to, and any other end refutes the move.
            let open = legal.filter(|pair| after(pair) & flag::ACHIEVED == 0);
            let open: Vec<usize> = open.collect();
            let goes_on = |pair| after(pair) & (flag::TERMINAL | flag::ABLE) == flag::ABLE;
            if !open.iter().all(goes_on) {
                continue;
            }
            let count = open.len().min(SAMPLE);
            samples.push((at, pairs.len()..pairs.len() + count * wins));
            for sample in 0..count {
                let state = open[sample * open.len() / count];
                pairs.extend((0..wins).map(|joint| (state, joint)));
            }
        }
        let mut last = Tried::default();
        self.counts.nodes += steps.try_pairs(next, &answered.states, &pairs, &mut last);
        let wins_at = |pair: usize| last.is_legal(pair) && last.after[pair] & flag::ACHIEVED != 0;
        let threats = samples.into_iter().filter(|(_, sample)| {
            let starts = sample.clone().step_by(wins);
            let lost = starts.filter(|&first| (first..first + wins).any(wins_at));
            2 * lost.count() * wins >= sample.len()
        });
        Some(threats.map(|(at, _)| moves[at]).collect())
    }
}
