//! Strategies extracted from proof search, for every state that may come.

use std::sync::Arc;

use propjit_stop::Stop;

use crate::game::engine::Engines;
use crate::game::machine::expansion::Expander;
use crate::game::machine::{Move, RoleId, State};
use crate::game::vocabulary::state_set::StateSet;
use crate::proof::forced::{MAX_DEPTH, ParallelProver, Verdict};

use super::split::Side;

/// Provers that have found out whether a role can force a goal.
#[derive(Debug)]
pub(super) struct Proved {
    pub(super) role: RoleId,
    /// The least goal that counts.
    pub(super) value: i32,
    /// Whether the role can force it; if not, the others prevent it.
    pub(super) is_won: bool,
    pub(super) prover: ParallelProver,
}

/// The choices of a group, and their outcomes.
pub(super) struct Extracted {
    pub(super) group: Vec<RoleId>,
    /// The states in which the group has a choice, packed, with joint moves in which it chooses what
    /// it should.
    pub(super) decisions: Vec<(Vec<u64>, Vec<Move>)>,
    /// The least and the greatest goal of each role in the ends to which it leads.
    pub(super) goals: Vec<Option<(i32, i32)>>,
}

/// Why there is no strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoStrategy {
    /// It is about too many states.
    TooLarge,
    /// It was not found in time, or would let matches go on for ever.
    Unknown,
}

/// A joint move and what follows from it.
struct Step {
    joint: Vec<Move>,
    state: Vec<u64>,
    goals: Option<Vec<Option<i32>>>,
}

impl Proved {
    /// Returns the side of the strategy.
    pub(super) fn side(&self) -> Side {
        match self.is_won {
            true => Side::Role,
            false => Side::Others,
        }
    }

    /// Returns the strategy of the winning side.
    pub(super) fn strategy(
        &mut self,
        engines: &Arc<Engines>,
        most: usize,
        stop: &Stop,
    ) -> Result<Extracted, NoStrategy> {
        let game = engines.game();
        let group = self
            .side()
            .group(self.role, game.random_role(), game.roles().len());
        let mut expander = Expander::new(engines);
        let root = game.initial().packed(expander.words());
        let mut states = StateSet::new(expander.words());
        states.insert(&root);
        let mut successors: Vec<Vec<u32>> = Vec::new();
        let mut extracted = Extracted {
            group,
            decisions: Vec::new(),
            goals: vec![None; game.roles().len()],
        };
        while successors.len() < states.len() {
            if stop.is_set() {
                return Err(NoStrategy::Unknown);
            }
            if states.len() > most {
                return Err(NoStrategy::TooLarge);
            }
            let state = states
                .states(successors.len(), successors.len() + 1)
                .to_vec();
            let mut steps = Vec::new();
            expander.expand(&state, |child| {
                steps.push(Step {
                    joint: child.joint.to_vec(),
                    state: child.state.to_vec(),
                    goals: child.goals.map(<[Option<i32>]>::to_vec),
                });
            });
            let mut after = Vec::new();
            for step in self.choose(&state, steps, &mut extracted, stop)? {
                match &step.goals {
                    Some(goals) => include(&mut extracted.goals, goals),
                    None => after.push(states.insert(&step.state).0),
                }
            }
            successors.push(after);
        }
        match self.is_won && !is_acyclic(&successors) {
            true => Err(NoStrategy::Unknown),
            false => Ok(extracted),
        }
    }

    /// Those of the steps from a state in which the group chooses what it should.
    fn choose(
        &mut self,
        state: &[u64],
        mut steps: Vec<Step>,
        extracted: &mut Extracted,
        stop: &Stop,
    ) -> Result<Vec<Step>, NoStrategy> {
        let group = extracted.group.clone();
        let choice = |joint: &[Move]| -> Vec<Move> {
            group.iter().map(|role| joint[role.index()]).collect()
        };
        let mut choices: Vec<Vec<Move>> = steps.iter().map(|step| choice(&step.joint)).collect();
        choices.sort_unstable_by(|a, b| a.iter().map(|a| a.0).cmp(b.iter().map(|b| b.0)));
        choices.dedup();
        if choices.len() <= 1 {
            return Ok(steps);
        }
        let chosen = match self.is_won {
            true => choice(&self.winning(state, stop).ok_or(NoStrategy::Unknown)?),
            false => {
                let mut choices = choices.into_iter();
                let holds = |chosen: &Vec<Move>| {
                    let mut after = steps.iter().filter(|step| choice(&step.joint) == *chosen);
                    after.all(|step| self.is_prevented(step, stop))
                };
                choices.find(holds).ok_or(NoStrategy::Unknown)?
            }
        };
        steps.retain(|step| choice(&step.joint) == chosen);
        let first = steps.first().ok_or(NoStrategy::Unknown)?;
        extracted
            .decisions
            .push((state.to_vec(), first.joint.clone()));
        Ok(steps)
    }

    /// A joint move in which the role makes a winning move.
    fn winning(&mut self, state: &[u64], stop: &Stop) -> Option<Vec<Move>> {
        let proof = self
            .prover
            .prove(&State::from_words(state), MAX_DEPTH, stop, |_| ());
        proof.ok()?.line.into_iter().next()
    }

    /// Whether the role cannot force the goal after a step.
    fn is_prevented(&mut self, step: &Step, stop: &Stop) -> bool {
        match &step.goals {
            Some(goals) => goals[self.role.index()].is_some_and(|goal| goal < self.value),
            None => {
                let state = State::from_words(&step.state);
                let proof = self.prover.prove(&state, MAX_DEPTH, stop, |_| ());
                proof.is_ok_and(|proof| proof.verdict == Verdict::Lost)
            }
        }
    }
}

/// Any goal: the possible values of an undefined one.
pub(super) const ANY_GOAL: (i32, i32) = (i32::MIN, i32::MAX);

/// Extends the ranges by an end with these goals.
pub(super) fn include(ranges: &mut [Option<(i32, i32)>], goals: &[Option<i32>]) {
    for (range, goal) in ranges.iter_mut().zip(goals) {
        let (least, most) = goal.map_or(ANY_GOAL, |goal| (goal, goal));
        let (low, high) = range.unwrap_or((least, most));
        *range = Some((low.min(least), high.max(most)));
    }
}

/// Whether no state comes again, by the states that follow from each.
fn is_acyclic(successors: &[Vec<u32>]) -> bool {
    let mut before = vec![0; successors.len()];
    for &after in successors.iter().flatten() {
        before[after as usize] += 1;
    }
    let mut open: Vec<usize> = (0..before.len()).filter(|&at| before[at] == 0).collect();
    let mut done = 0;
    while let Some(at) = open.pop() {
        done += 1;
        for &after in &successors[at] {
            before[after as usize] -= 1;
            if before[after as usize] == 0 {
                open.push(after as usize);
            }
        }
    }
    done == successors.len()
}

#[cfg(test)]
mod tests {
    use crate::game::load::{Game, Setup};
    use crate::proof::certificate::{CheckProgress, check};
    use crate::proof::solve::SolveProgress;
    use crate::proof::solve::bounds::AllBounds;
    use crate::proof::solve::claims::ClaimWriter;
    use crate::proof::solve::proofs;

    use super::*;

    #[test]
    fn what_proof_search_knows_can_be_checked() {
        let rules = propjit_gdl::games::text("ticTacToe").unwrap();
        let game = Game::from_text("ticTacToe.kif", rules, &Setup::default()).unwrap();
        let engines = game.engines().unwrap();
        let (stop, progress) = (Stop::new(), SolveProgress::default());
        let bounds = AllBounds::new(engines.game(), &progress);
        let mut findings = proofs::search(engines, &bounds, (1 << 30, 1), &stop);
        assert!(bounds.is_solved());
        let mut writer = ClaimWriter::new(engines, game.rules(), "ticTacToe");
        // Each role can force a draw, and prevent more.
        assert_eq!(findings.proved.len(), 4);
        for proved in &mut findings.proved {
            let strategy = proved
                .strategy(engines, 10_000, &stop)
                .unwrap_or_else(|why| panic!("{why:?}"));
            writer.add_extracted(&strategy, proved.is_won);
        }
        let few = findings.proved[0].strategy(engines, 10, &stop);
        assert_eq!(few.err(), Some(NoStrategy::TooLarge));
        let checked = check(
            game.rules(),
            &writer.finish(),
            &stop,
            &CheckProgress::default(),
        )
        .unwrap();
        for value in checked.values {
            assert_eq!((value.least, value.most), (50, 50));
        }
    }

    #[test]
    fn a_state_that_comes_again_is_seen() {
        assert!(is_acyclic(&[vec![1, 2], vec![2, 2], vec![]]));
        assert!(!is_acyclic(&[vec![1], vec![2], vec![1]]));
        assert!(!is_acyclic(&[vec![0]]));
    }
}
