//! The comparison of positions of a game, or of two games.

use std::collections::BTreeMap;
use std::sync::Arc;

use propjit_stop::Stop;
use rand::seq::index;

use super::config::{Measure, SimilarityConfig};
use super::edit::tree_edit;
use super::error::SimilarityError;
use super::labels::Labels;
use super::matching::{FrequentPair, MatchedMoves, MovePair};
use super::move_sets::{MoveSets, continuations};
use super::sequences::Sequences;
use super::side::{Side, Step};
use super::structural::structural;
use super::terminal::{rewards, rewards_between};
use super::tree::GameTree;
use crate::game::ground::GroundGame;
use crate::game::load::Game;
use crate::game::machine::{Move, State};
use crate::support::rng;

/// A comparison of positions of a game, or of a position of one game with one of another. Positions are states that may be
/// reachable or not. See the [module](super) for an example.
pub struct Comparison {
    config: SimilarityConfig,
    labels: Labels,
    /// The game of both positions, or one for each.
    sides: Vec<Side>,
    /// Ends comparisons.
    stop: Stop,
}

/// A position, and the goals if it is terminal.
#[derive(Clone)]
struct Position {
    /// The number of its game.
    side: usize,
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
    /// The number of its game.
    side: usize,
    tree: GameTree,
    sequences: Option<Sequences>,
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
        Comparison::of(&[game], config, stop)
    }

    /// Makes a comparison of positions of one game with positions of another, until `stop` is set. In what follows, the first
    /// position is of the first game, all others are of the second one. Moves with the same text are the same there, too; so
    /// other games are best compared by [structural](Comparison::structural) similarity, for which that does not matter.
    ///
    /// # Errors
    /// If one of the games is not ground.
    pub fn between(
        first: &Game,
        second: &Game,
        config: SimilarityConfig,
        stop: &Stop,
    ) -> Result<Comparison, SimilarityError> {
        Comparison::of(&[first, second], config, stop)
    }

    fn of(
        games: &[&Game],
        config: SimilarityConfig,
        stop: &Stop,
    ) -> Result<Comparison, SimilarityError> {
        let sides = games.iter().map(|game| Side::new(game, &config, stop));
        let sides: Vec<Side> = sides.collect::<Result<_, _>>()?;
        let grounds: Vec<&GroundGame> = sides.iter().map(|side| &*side.game).collect();
        Ok(Comparison {
            labels: Labels::new(&grounds, &config.ignored_arguments),
            sides,
            config,
            stop: stop.clone(),
        })
    }

    /// The game of the first position.
    pub fn game(&self) -> &Arc<GroundGame> {
        &self.sides[0].game
    }

    /// The game of the second position: the same, unless two are compared.
    pub fn second_game(&self) -> &Arc<GroundGame> {
        &self.sides[self.second()].game
    }

    /// The number of the game of the second position.
    fn second(&self) -> usize {
        self.sides.len() - 1
    }

    /// Returns the sets of moves that can be played in positions of the first game, many at a time. They give the
    /// similarity of continuations at depth 1 of any two positions, however many pairs there are.
    pub fn move_sets(&mut self, states: &[State]) -> MoveSets {
        self.move_sets_of(0, states)
    }

    fn move_sets_of(&mut self, side: usize, states: &[State]) -> MoveSets {
        self.labels.sets(side, self.sides[side].batch(), states)
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
        let second = self.second();
        let mut positions = vec![self.position(0, one)];
        positions.extend(others.iter().map(|other| self.position(second, other)));
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
        let positions = self.positions(a, b);
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
        let positions = self.positions(a, b);
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
        let positions = self.positions(a, b);
        let steps = self.steps(&positions)?;
        let mut children = self.children(&positions, steps)?;
        let (of_b, of_a) = (children.pop(), children.pop());
        let (of_a, of_b) = (of_a.unwrap_or_default(), of_b.unwrap_or_default());
        let Some((similarity, assignment)) = structural(&similarities(&of_a), &similarities(&of_b))
        else {
            let similarity = self.rewards(&positions[0], &positions[1]);
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
        let text = |child: &Child| {
            let side = child.position.side;
            self.labels.text(side, &self.sides[side].game, &child.joint)
        };
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

    /// Returns the two positions that are compared.
    fn positions(&mut self, a: &State, b: &State) -> Vec<Position> {
        let second = self.second();
        vec![self.position(0, a), self.position(second, b)]
    }

    /// Returns a position of a game.
    fn position(&mut self, side: usize, state: &State) -> Position {
        Position {
            side,
            state: state.clone(),
            goals: self.sides[side].goals_at_end(state),
        }
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
            None => self.rewards(&positions[0], &positions[1]),
        })
    }

    /// Returns the successors of each of the positions by every joint move.
    fn steps(&mut self, positions: &[Position]) -> Result<Vec<Vec<Step>>, SimilarityError> {
        let mut steps: Vec<Vec<Step>> = positions.iter().map(|_| Vec::new()).collect();
        let mut nodes = 0;
        for side in 0..self.sides.len() {
            let words = self.sides[side].words();
            let (mut places, mut packed) = (Vec::new(), Vec::new());
            for (at, position) in positions.iter().enumerate() {
                if position.side == side && position.goals.is_none() {
                    places.push(at);
                    position.state.pack(words, &mut packed);
                }
            }
            let found = self.follow(side, &packed, self.config.nodes - nodes)?;
            nodes += found.len();
            for step in found {
                steps[places[step.parent]].push(step);
            }
        }
        Ok(steps)
    }

    /// Returns the successors of packed states of a game by every joint move, if there are not more than `most`.
    fn follow(
        &mut self,
        side: usize,
        packed: &[u64],
        most: usize,
    ) -> Result<Vec<Step>, SimilarityError> {
        let steps = self.sides[side].follow(packed, most, &self.stop);
        self.check_stop()?;
        steps.ok_or(SimilarityError::Nodes(self.config.nodes))
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
            let side = positions[parent].side;
            let of_parent = steps.into_iter().map(|step| {
                let position = Position {
                    side,
                    state: State::from_words(&step.state),
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
        let similarities: Vec<f64> =
            if self.config.measure == Measure::Continuations && self.config.depth == 1 {
                // The moves of terminal states do not count, whether or not they are legal.
                // The place of each among the positions of its game.
                let mut of_side = vec![0; family.len()];
                let sets: Vec<MoveSets> = (0..self.sides.len())
                    .map(|side| {
                        let mut states = Vec::new();
                        for (position, of_side) in family.iter().zip(&mut of_side) {
                            if position.side == side {
                                *of_side = states.len();
                                states.push(position.state.clone());
                            }
                        }
                        self.move_sets_of(side, &states)
                    })
                    .collect();
                pairs
                    .map(|(child, parent)| {
                        let sets = &sets[family[child].side];
                        let found = sets.similarity(of_side[child], sets, of_side[parent]);
                        found.unwrap_or(0.0)
                    })
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
        let mut trees = vec![GameTree::root(); positions.len()];
        let mut nodes = 0;
        for side in 0..self.sides.len() {
            let words = self.sides[side].words();
            // The nodes from which the trees go on: their trees and places, and packed states.
            let (mut open, mut packed) = (Vec::new(), Vec::new());
            for (tree, position) in positions.iter().enumerate() {
                if position.side == side && position.goals.is_none() {
                    open.push((tree, 0));
                    position.state.pack(words, &mut packed);
                }
            }
            for _ in 0..self.config.depth {
                let steps = self.follow(side, &packed, self.config.nodes - nodes)?;
                nodes += steps.len();
                let (mut next_open, mut next_packed) = (Vec::new(), Vec::new());
                for step in steps {
                    self.check_stop()?;
                    let (tree, node) = open[step.parent];
                    let before = &packed[step.parent * words..][..words];
                    let cannot_be_undone = match &self.sides[side].irreversible {
                        Some(irreversible) => irreversible.cannot_be_undone(before, &step.state),
                        None => false,
                    };
                    let moves = self.labels.of_moves(side, &step.joint);
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
                    side: position.side,
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
            (0, 0) => return Ok(self.rewards_of((a.side, &a.goals), (b.side, &b.goals))),
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

    fn rewards(&self, a: &Position, b: &Position) -> f64 {
        self.rewards_of((a.side, &a.goals), (b.side, &b.goals))
    }

    /// Returns the similarity of the goals of two positions without successors, each with the number of its game. If one is not
    /// terminal, which happens if a role has no legal move, its goals count as 0.
    fn rewards_of(&self, a: (usize, &Option<Vec<i32>>), b: (usize, &Option<Vec<i32>>)) -> f64 {
        let [(a, first), (b, second)] = [a, b].map(|(side, goals)| {
            let ranges = &self.sides[side].goals;
            let goals = goals.clone().unwrap_or_else(|| vec![0; ranges.len()]);
            (goals, ranges)
        });
        match self.sides.len() {
            1 => rewards(&a, &b, first),
            _ => rewards_between((&a, first), (&b, second)),
        }
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
