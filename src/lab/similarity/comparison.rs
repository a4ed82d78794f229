//! The comparison of positions of a game.

use std::collections::BTreeMap;
use std::sync::Arc;

use propjit_stop::Stop;
use rand::seq::index;

use super::config::{Measure, SimilarityConfig};
use super::edit::{MAX_NODES, tree_edit};
use super::irreversible::Irreversible;
use super::labels::Labels;
use super::matching::{FrequentPair, MatchedMoves, MovePair};
use super::move_sets::{MoveSets, continuations};
use super::sequences::Sequences;
use super::structural::structural;
use super::terminal::rewards;
use super::tree::GameTree;
use crate::game::engine::{EngineSubscription, MatchEngines, PlayoutPolicy};
use crate::game::ground::GroundGame;
use crate::game::load::Game;
use crate::game::machine::batch::Batch;
use crate::game::machine::expansion::Expander;
use crate::game::machine::{Backend, MachineError, Move, State};
use crate::support::rng;

/// Why positions cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimilarityError {
    /// The game cannot be evaluated in lanes.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The game trees are too large.
    #[error("the game trees have more than {0} nodes; raise `--nodes` or lower `--depth`")]
    Nodes(usize),
    /// The game trees are too large for their edit distance.
    #[error(
        "a game tree has more than {MAX_NODES} nodes, too many for an edit distance; lower `--depth`"
    )]
    Edits,
    /// A stop came.
    #[error("interrupted before the positions were compared")]
    Stopped,
}

/// A comparison of positions of a game, which are states that may be reachable or not. See the
/// [module](super) for an example.
pub struct Comparison {
    game: Arc<GroundGame>,
    config: SimilarityConfig,
    labels: Labels,
    /// Not needed for a measure that does not distinguish such moves.
    irreversible: Option<Irreversible>,
    /// The lowest and the highest goal of each role.
    goals: Vec<(i32, i32)>,
    expander: Expander,
    batch: Batch,
    subscription: EngineSubscription,
    /// Ends comparisons.
    stop: Stop,
}

/// A position, and the goals if it is terminal.
#[derive(Clone)]
struct Position {
    state: State,
    goals: Option<Vec<i32>>,
}

/// A position after a move, and its similarity to the position before.
struct Child {
    joint: Vec<Move>,
    position: Position,
    similarity: f64,
}

/// A position with its game tree.
struct Grown {
    tree: GameTree,
    sequences: Option<Sequences>,
    goals: Option<Vec<i32>>,
}

/// The result of a joint move.
struct Step {
    /// The index of the state in which it was made.
    parent: usize,
    joint: Vec<Move>,
    /// The packed state.
    state: Vec<u64>,
    goals: Option<Vec<i32>>,
}

impl Comparison {
    /// Makes a comparison of positions of this game, until `stop` is set.
    ///
    /// # Errors
    /// If the game is not ground.
    pub fn new(
        game: &Game,
        config: SimilarityConfig,
        stop: &Stop,
    ) -> Result<Comparison, SimilarityError> {
        let not_ground = MachineError::NotGround {
            backend: Backend::Lanes,
        };
        let engines = game.engines().ok_or(not_ground)?;
        let ground = engines.game();
        let irreversible = match config.measure {
            Measure::Continuations => None,
            _ => Some(Irreversible::find(game, ground, stop)?),
        };
        let goals = ground.propnet().roles.iter().map(|role| {
            let values = role.goals.iter().map(|goal| goal.value);
            let (low, high) = (values.clone().min(), values.max());
            (low.unwrap_or(0), high.unwrap_or(0))
        });
        let mut subscription = MatchEngines::new(engines.clone()).subscribe(PlayoutPolicy::Uniform);
        Ok(Comparison {
            labels: Labels::new(ground, &config.ignored_arguments),
            irreversible,
            goals: goals.collect(),
            expander: Expander::new(engines),
            batch: Batch::new(ground.clone(), subscription.current()),
            subscription,
            game: ground.clone(),
            config,
            stop: stop.clone(),
        })
    }

    /// The game.
    pub fn game(&self) -> &Arc<GroundGame> {
        &self.game
    }

    /// Returns the sets of moves that can be played in the positions, many at a time. They give the
    /// similarity of continuations at depth 1 of any two positions, however many pairs there are.
    pub fn move_sets(&mut self, states: &[State]) -> MoveSets {
        if let Some(engine) = self.subscription.poll() {
            self.batch.switch(engine);
        }
        self.labels.sets(&mut self.batch, states)
    }

    /// Returns the similarity of a position to each of the others, by the configured measure, from
    /// 0 to 1. Two terminal ones have that of their [rewards]; one in which moves can be played has
    /// none with one in which there are none.
    ///
    /// # Errors
    /// If the game trees are too large, or a stop comes.
    pub fn similarities(
        &mut self,
        one: &State,
        others: &[State],
    ) -> Result<Vec<f64>, SimilarityError> {
        let states: Vec<State> = [one].into_iter().chain(others).cloned().collect();
        let positions = self.positions(states);
        let grown = self.grow(&positions)?;
        let others = grown[1..].iter();
        others.map(|other| self.compare(&grown[0], other)).collect()
    }

    /// The similarity of two positions: see [`similarities`](Comparison::similarities).
    ///
    /// # Errors
    /// If the game trees are too large, or a stop comes.
    pub fn similarity(&mut self, a: &State, b: &State) -> Result<f64, SimilarityError> {
        Ok(self.similarities(a, std::slice::from_ref(b))?[0])
    }

    /// Returns the structural similarity of two positions (section 3), based on the configured
    /// measure: see [`structural`]. Of two terminal positions it is that of their [rewards].
    ///
    /// # Errors
    /// If the game trees are too large, or a stop comes.
    pub fn structural(&mut self, a: &State, b: &State) -> Result<f64, SimilarityError> {
        let positions = self.positions(vec![a.clone(), b.clone()]);
        let steps = self.steps(&positions)?;
        self.structural_of(&positions, steps)
    }

    /// Estimates the structural similarity of two positions from `samples` samples. Each takes this
    /// many of the children of the position that has more of them, and as large a part of the other
    /// one's. Fewer children find less similar partners, so that the mean is too low if children
    /// differ much.
    ///
    /// # Errors
    /// If the game trees are too large, or a stop comes.
    pub fn structural_sampled(
        &mut self,
        (a, b): (&State, &State),
        children: usize,
        samples: usize,
        seed: u64,
    ) -> Result<Vec<f64>, SimilarityError> {
        let positions = self.positions(vec![a.clone(), b.clone()]);
        let mut rng = rng::streams(seed).next().expect("streams do not end");
        let mut found = Vec::new();
        for _ in 0..samples {
            let all = self.steps(&positions)?;
            let most = all.iter().map(Vec::len).max().unwrap_or(0);
            let mut chosen = Vec::new();
            for steps in all {
                let share = (steps.len().saturating_mul(children))
                    .div_ceil(most.max(1))
                    .min(steps.len());
                let mut places = index::sample(&mut rng, steps.len(), share).into_vec();
                places.sort_unstable();
                let mut steps: Vec<Option<Step>> = steps.into_iter().map(Some).collect();
                chosen.push(
                    places
                        .into_iter()
                        .filter_map(|at| steps[at].take())
                        .collect(),
                );
            }
            found.push(self.structural_of(&positions, chosen)?);
        }
        Ok(found)
    }

    /// The moves of two positions that the assignments of structural similarity pair, and those of
    /// the second ply (section 3, "Move Matching"): see [`MatchedMoves`].
    ///
    /// # Errors
    /// If the game trees are too large, or a stop comes.
    pub fn matched_moves(&mut self, a: &State, b: &State) -> Result<MatchedMoves, SimilarityError> {
        let positions = self.positions(vec![a.clone(), b.clone()]);
        let steps = self.steps(&positions)?;
        let mut children = self.children(&positions, steps)?;
        let (of_b, of_a) = (children.pop(), children.pop());
        let (of_a, of_b) = (of_a.unwrap_or_default(), of_b.unwrap_or_default());
        let Some((similarity, assignment)) = structural(&similarities(&of_a), &similarities(&of_b))
        else {
            let similarity = self.rewards(&positions[0].goals, &positions[1].goals);
            return Ok(MatchedMoves {
                similarity,
                pairs: Vec::new(),
                frequent: Vec::new(),
            });
        };
        let pairs = assignment.pairs;
        let next = |side: &[Child], at: usize| side[at].position.clone();
        let next_a = pairs.iter().map(|&(i, _)| next(&of_a, i));
        let next_b = pairs.iter().map(|&(_, j)| next(&of_b, j));
        let positions: Vec<Position> = next_a.chain(next_b).collect();
        let steps = self.steps(&positions)?;
        let seconds = self.children(&positions, steps)?;
        let (seconds_a, seconds_b) = seconds.split_at(pairs.len());
        let text = |child: &Child| self.labels.text(&self.game, &child.joint);
        let mut counts: BTreeMap<(String, String), u32> = BTreeMap::new();
        for (a, b) in seconds_a.iter().zip(seconds_b) {
            let matched = structural(&similarities(a), &similarities(b));
            for &(i, j) in matched.iter().flat_map(|(_, assignment)| &assignment.pairs) {
                let texts = (text(&a[i]), text(&b[j]));
                *counts.entry(texts).or_default() += 1;
            }
        }
        let frequent = counts.into_iter();
        let frequent = frequent.map(|((a, b), count)| FrequentPair { a, b, count });
        let mut frequent: Vec<FrequentPair> = frequent.collect();
        frequent.sort_by_key(|pair| std::cmp::Reverse(pair.count));
        let pairs = pairs.into_iter().map(|(i, j)| MovePair {
            a: text(&of_a[i]),
            b: text(&of_b[j]),
            similarities: (of_a[i].similarity, of_b[j].similarity),
        });
        let mut pairs: Vec<MovePair> = pairs.collect();
        pairs.sort_by(|x, y| x.distance().total_cmp(&y.distance()));
        Ok(MatchedMoves {
            similarity,
            pairs,
            frequent,
        })
    }

    /// Returns the positions of these states.
    fn positions(&mut self, states: Vec<State>) -> Vec<Position> {
        let words = self.expander.words();
        let mut position = |state: State| {
            let packed = state.packed(words);
            let goals = self.expander.goals_at_end(&packed);
            let goals = goals.as_deref().map(counted);
            Position { state, goals }
        };
        states.into_iter().map(&mut position).collect()
    }

    fn structural_of(
        &mut self,
        positions: &[Position],
        steps: Vec<Vec<Step>>,
    ) -> Result<f64, SimilarityError> {
        let children = self.children(positions, steps)?;
        let found = structural(&similarities(&children[0]), &similarities(&children[1]));
        Ok(match found {
            Some((similarity, _)) => similarity,
            None => self.rewards(&positions[0].goals, &positions[1].goals),
        })
    }

    /// Returns the successors of each of the positions by every joint move.
    fn steps(&mut self, positions: &[Position]) -> Result<Vec<Vec<Step>>, SimilarityError> {
        let words = self.expander.words();
        let going_on = positions.iter().enumerate();
        let going_on = going_on.filter(|(_, position)| position.goals.is_none());
        let mut places = Vec::new();
        let mut packed = Vec::with_capacity(positions.len() * words);
        for (at, position) in going_on {
            places.push(at);
            position.state.pack(words, &mut packed);
        }
        let mut steps: Vec<Vec<Step>> = positions.iter().map(|_| Vec::new()).collect();
        for step in self.follow(&packed, self.config.nodes)? {
            steps[places[step.parent]].push(step);
        }
        Ok(steps)
    }

    /// Returns the successors of packed states by every joint move, if there are not more than
    /// `most`.
    fn follow(&mut self, packed: &[u64], most: usize) -> Result<Vec<Step>, SimilarityError> {
        let mut steps = Vec::new();
        let is_all = self.expander.expand_while(packed, |child| {
            steps.push(Step {
                parent: child.parent,
                joint: child.joint.to_vec(),
                state: child.state.to_vec(),
                goals: child.goals.map(counted),
            });
            steps.len() <= most && !self.stop.is_set()
        });
        self.check_stop()?;
        match is_all {
            true => Ok(steps),
            false => Err(SimilarityError::Nodes(self.config.nodes)),
        }
    }

    fn check_stop(&self) -> Result<(), SimilarityError> {
        match self.stop.is_set() {
            true => Err(SimilarityError::Stopped),
            false => Ok(()),
        }
    }

    /// Returns the successors of each of the positions by these moves, with the similarity to the
    /// position.
    fn children(
        &mut self,
        positions: &[Position],
        steps: Vec<Vec<Step>>,
    ) -> Result<Vec<Vec<Child>>, SimilarityError> {
        let mut family: Vec<Position> = positions.to_vec();
        let mut parents = Vec::new();
        let mut children: Vec<Vec<Child>> = Vec::with_capacity(positions.len());
        for (parent, steps) in steps.into_iter().enumerate() {
            let of_parent = steps.into_iter().map(|step| {
                let state = State::from_words(&step.state);
                let position = Position {
                    state,
                    goals: step.goals,
                };
                parents.push(parent);
                family.push(position.clone());
                Child {
                    joint: step.joint,
                    position,
                    similarity: 0.0,
                }
            });
            children.push(of_parent.collect());
        }
        let pairs = (positions.len()..).zip(parents);
        let similarities: Vec<f64> = if self.config.measure == Measure::Continuations
            && self.config.depth == 1
        {
            // The moves of terminal states do not count, whether or not they are legal.
            let states: Vec<State> = family.into_iter().map(|position| position.state).collect();
            let sets = self.move_sets(&states);
            pairs
                .map(|(child, parent)| sets.similarity(child, &sets, parent).unwrap_or(0.0))
                .collect()
        } else {
            let grown = self.grow(&family)?;
            pairs
                .map(|(child, parent)| self.compare(&grown[child], &grown[parent]))
                .collect::<Result<_, _>>()?
        };
        let all = children.iter_mut().flatten();
        all.zip(similarities)
            .for_each(|(child, found)| child.similarity = found);
        Ok(children)
    }

    /// Grows the game trees of the positions.
    fn grow(&mut self, positions: &[Position]) -> Result<Vec<Grown>, SimilarityError> {
        let words = self.expander.words();
        let mut trees = vec![GameTree::root(); positions.len()];
        // The nodes from which the trees go on: their trees and places, and packed states.
        let mut open = Vec::new();
        let mut packed = Vec::new();
        let mut nodes = 0;
        for (tree, position) in positions.iter().enumerate() {
            if position.goals.is_none() {
                open.push((tree, 0));
                position.state.pack(words, &mut packed);
            }
        }
        for _ in 0..self.config.depth {
            let steps = self.follow(&packed, self.config.nodes - nodes)?;
            nodes += steps.len();
            let (mut next_open, mut next_packed) = (Vec::new(), Vec::new());
            for step in steps {
                self.check_stop()?;
                let (tree, node) = open[step.parent];
                let before = &packed[step.parent * words..][..words];
                let cannot_be_undone = match &self.irreversible {
                    Some(irreversible) => irreversible.cannot_be_undone(before, &step.state),
                    None => false,
                };
                let moves = self.labels.of_moves(&step.joint);
                let label = self.labels.of_joint(&moves);
                let label = label << 1 | u32::from(cannot_be_undone);
                let child = trees[tree].add(node, label, &moves);
                if step.goals.is_none() {
                    next_open.push((tree, child));
                    next_packed.extend_from_slice(&step.state);
                }
            }
            (open, packed) = (next_open, next_packed);
        }
        let is_by_lines = self.config.measure != Measure::Continuations;
        let in_order = self.labels.in_order();
        let grown = trees
            .into_iter()
            .zip(positions)
            .map(|(mut tree, position)| {
                tree.relabel(|label| in_order(label >> 1) << 1 | label & 1);
                tree.finish();
                Grown {
                    sequences: is_by_lines.then(|| Sequences::new(&tree)),
                    tree,
                    goals: position.goals.clone(),
                }
            });
        Ok(grown.collect())
    }

    fn compare(&self, a: &Grown, b: &Grown) -> Result<f64, SimilarityError> {
        self.check_stop()?;
        match (a.tree.size(), b.tree.size()) {
            (0, 0) => return Ok(self.rewards(&a.goals, &b.goals)),
            (0, _) | (_, 0) => return Ok(0.0),
            _ => {}
        }
        let (a_lines, b_lines) = match (&a.sequences, &b.sequences) {
            (Some(a_lines), Some(b_lines)) => (a_lines, b_lines),
            _ => return Ok(continuations(a.tree.moves(), b.tree.moves()).unwrap_or(0.0)),
        };
        match self.config.measure {
            Measure::TreeEdit => {
                let found = tree_edit((&a.tree, a_lines), (&b.tree, b_lines));
                found.ok_or(SimilarityError::Edits)
            }
            _ => Ok(a_lines.similarity(b_lines).unwrap_or(0.0)),
        }
    }

    /// Returns the similarity of the goals of two positions without successors. If one is not
    /// terminal, which happens if a role has no legal move, its goals count as 0.
    fn rewards(&self, a: &Option<Vec<i32>>, b: &Option<Vec<i32>>) -> f64 {
        let none = vec![0; self.goals.len()];
        let [a, b] = [a, b].map(|goals| goals.as_ref().unwrap_or(&none));
        rewards(a, b, &self.goals)
    }
}

fn similarities(children: &[Child]) -> Vec<f64> {
    children.iter().map(|child| child.similarity).collect()
}

impl std::fmt::Debug for Comparison {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Comparison")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

/// Returns the goals at an end, with undefined ones as 0.
fn counted(goals: &[Option<i32>]) -> Vec<i32> {
    goals.iter().map(|goal| goal.unwrap_or(0)).collect()
}
