//! New nodes: what follows from moves in many states, as players observe it.

use std::sync::Arc;

use propjit_jit::lanes::Width;
use propjit_jit::lanes::transpose::{column_words, to_columns};

use super::SearchError;
use super::tree::{NewNode, Turn};
use crate::game::engine::Engines;
use crate::game::environment::{Observed, RewardRule, Shape};
use crate::game::machine::batch::Batch;
use crate::game::machine::expansion::Expander;
use crate::game::machine::expansion::forced::skip_forced_moves;
use crate::game::machine::{Move, RoleId};
use crate::game::vocabulary::lane_mask::LaneMask;

/// States, each with a move that is to be made in it, if any.
#[derive(Default, Debug)]
pub(super) struct Requests {
    /// The states, packed.
    pub(super) states: Vec<u64>,
    /// The number of joint moves before each.
    pub(super) depths: Vec<u32>,
    /// The moves of a player and of chance, where they have a choice. Either a move is made in all states, or in none.
    pub(super) moves: Vec<[Option<(RoleId, Move)>; 2]>,
}

/// What follows: for each request, the next state in which a player or chance has a choice, or the match is over.
#[derive(Debug)]
pub(super) struct Leaves {
    expander: Expander,
    shape: Arc<Shape>,
    rewards: RewardRule,
    max_steps: u32,
    turns: Vec<Turn>,
    depths: Vec<u32>,
    states: Vec<u64>,
    /// The legal actions of the players with a choice, packed.
    legal: Vec<u64>,
    /// The legal moves of chance, packed, if there is any, and whether it has a choice.
    outcomes: Vec<u64>,
    has_outcomes: Vec<bool>,
    /// What is observed, unless it is the states.
    observations: Vec<u64>,
    /// The rewards of the players where a match is over.
    ends: Vec<f32>,
    /// Whether the match was given up there.
    truncated: Vec<bool>,
}

impl Requests {
    pub(super) fn clear(&mut self) {
        self.states.clear();
        self.depths.clear();
        self.moves.clear();
    }

    /// Adds a state, packed, with the number of joint moves before it.
    pub(super) fn push(&mut self, state: &[u64], depth: u32) {
        self.states.extend_from_slice(state);
        self.depths.push(depth);
    }
}

impl Leaves {
    pub(super) fn new(
        engines: &Arc<Engines>,
        shape: Arc<Shape>,
        rewards: RewardRule,
        max_steps: u32,
    ) -> Leaves {
        Leaves {
            expander: Expander::new(engines),
            shape,
            rewards,
            max_steps,
            turns: Vec::new(),
            depths: Vec::new(),
            states: Vec::new(),
            legal: Vec::new(),
            outcomes: Vec::new(),
            has_outcomes: Vec::new(),
            observations: Vec::new(),
            ends: Vec::new(),
            truncated: Vec::new(),
        }
    }

    /// The number of words of a packed state.
    pub(super) fn words(&self) -> usize {
        self.expander.words()
    }

    /// Finds what follows from requests, in place of what there was.
    ///
    /// # Errors
    /// If several players have a choice in a state.
    pub(super) fn find(&mut self, requests: &Requests) -> Result<(), SearchError> {
        self.turns.clear();
        self.depths.clear();
        self.states.clear();
        self.legal.clear();
        self.outcomes.clear();
        self.has_outcomes.clear();
        self.observations.clear();
        self.ends.clear();
        self.truncated.clear();
        // Once for all: another engine may have fewer lanes.
        self.expander.poll();
        let (lanes, words) = (self.expander.lanes(), self.words());
        let states = requests.states.chunks(lanes * words);
        for (at, (states, depths)) in states.zip(requests.depths.chunks(lanes)).enumerate() {
            let batch = self.expander.batch_mut();
            batch.enter_packed(states);
            let mut depths = depths.to_vec();
            if !requests.moves.is_empty() {
                let moves = &requests.moves[at * lanes..][..depths.len()];
                make(batch, moves);
                depths.iter_mut().for_each(|depth| *depth += 1);
            }
            self.read(depths)?;
        }
        Ok(())
    }

    /// Plays forced moves in the states of the batch, which come after `depths` joint moves, and reads what follows.
    fn read(&mut self, mut depths: Vec<u32>) -> Result<(), SearchError> {
        let batch = self.expander.batch_mut();
        let roles = batch.game().roles().len();
        let mut choosing = vec![LaneMask::default(); roles];
        let ends = skip_forced_moves(batch, &mut choosing, |mut forced| {
            for lane in forced.lanes() {
                match depths[lane] < self.max_steps {
                    true => depths[lane] += 1,
                    false => forced.remove(lane),
                }
            }
            Some(forced)
        });
        let Some(ends) = ends else {
            return Ok(());
        };
        let filled = batch.filled();
        let mut old = LaneMask::default();
        if depths.iter().any(|&depth| depth >= self.max_steps) {
            let old_lanes = depths.iter().enumerate();
            old_lanes
                .filter(|(_, depth)| **depth >= self.max_steps)
                .for_each(|(lane, _)| old.insert(lane));
        }
        let truncated = ends.stuck.or(old).and_not(ends.terminal);
        let going = filled.and_not(ends.terminal).and_not(truncated);
        let (mut one, mut several) = (LaneMask::default(), LaneMask::default());
        for role in &self.shape.players {
            let choosing = choosing[role.index()];
            several = several.or(one.and(choosing));
            one = one.or(choosing);
        }
        if !several.and(going).is_empty() {
            return Err(SearchError::Several);
        }
        self.add_turns(&choosing, going, truncated, &depths);
        self.depths.extend(depths);
        self.add_rewards(ends.terminal);
        self.add_contents(&choosing, going);
        Ok(())
    }

    /// Adds who decides in the lanes of the batch.
    fn add_turns(
        &mut self,
        choosing: &[LaneMask],
        going: LaneMask,
        truncated: LaneMask,
        depths: &[u32],
    ) {
        let first = self.turns.len();
        self.turns.resize(first + depths.len(), Turn::Over);
        let players = (0..).map(Turn::Player).zip(&self.shape.players);
        let chance = self.shape.random.iter().map(|role| (Turn::Chance, role));
        for (turn, role) in chance.chain(players) {
            for lane in choosing[role.index()].and(going).lanes() {
                self.turns[first + lane] = turn;
            }
        }
        let lanes = 0..depths.len();
        self.truncated
            .extend(lanes.map(|lane| truncated.contains(lane)));
    }

    /// Adds the rewards in the lanes of the batch, not a number where goals are undefined in a terminal state.
    fn add_rewards(&mut self, terminal: LaneMask) {
        let batch = self.expander.batch_mut();
        let players = self.shape.players.len();
        let before = self.ends.len();
        let count = batch.filled().count() as usize;
        self.ends.resize(before + count * players, 0.0);
        if terminal.is_empty() {
            return;
        }
        let ends = &mut self.ends[before..];
        for (player, &role) in self.shape.players.iter().enumerate() {
            for lane in terminal.lanes() {
                ends[lane * players + player] = f32::NAN;
            }
            batch.for_each_goal(role, terminal, |lane, goal| {
                ends[lane * players + player] = goal as f32;
            });
        }
        for lane in terminal.lanes() {
            let goals = &mut ends[lane * players..][..players];
            self.rewards.to_rewards(goals);
        }
    }

    /// Adds the states in the lanes of the batch, the legal actions of the players with a choice, and what these observe.
    fn add_contents(&mut self, choosing: &[LaneMask], going: LaneMask) {
        let batch = self.expander.batch_mut();
        let game = batch.game().clone();
        let (shape, width) = (&self.shape, batch.width());
        let lanes = batch.filled().count() as usize;
        let choosing = |role: RoleId| choosing[role.index()].and(going);
        let mut rows = vec![0; shape.actions * width.words()];
        for &role in &shape.players {
            let (legal, actions) = (batch.legal_rows(role), game.actions().of_moves(role));
            choosing(role).add_rows_at(width, lanes, legal, actions, &mut rows);
        }
        add_columns(width, &rows, lanes, &mut self.legal);
        if let Some(random) = shape.random {
            add_columns(width, batch.legal_rows(random), lanes, &mut self.outcomes);
            let chance = choosing(random);
            self.has_outcomes
                .extend((0..lanes).map(|lane| chance.contains(lane)));
        }
        batch.add_states(&mut self.states);
        if let Observed::Features(features) = &shape.observed {
            let bases = batch.state_rows();
            let mut rows = vec![0; shape.elements * width.words()];
            let views: Vec<LaneMask> = match features.are_relative() {
                true => shape.players.iter().map(|&role| choosing(role)).collect(),
                false => vec![going],
            };
            for (player, lanes) in views.into_iter().enumerate() {
                features.add_rows(player, lanes.words(width), bases, &mut rows);
            }
            add_columns(width, &rows, lanes, &mut self.observations);
        }
    }

    /// Who decides, after a request.
    pub(super) fn turn(&self, at: usize) -> Turn {
        self.turns[at]
    }

    /// The node that follows from a request.
    pub(super) fn node(&self, at: usize) -> NewNode<'_> {
        let outcomes = match self.has_outcomes.get(at) {
            Some(true) => part(&self.outcomes, at, self.turns.len()),
            _ => &[],
        };
        let none: &[u64] = &[];
        let (legal, outcomes) = match self.turns[at] {
            Turn::Player(_) => (self.legal(at), outcomes),
            Turn::Chance => (outcomes, none),
            Turn::Over => (none, none),
        };
        NewNode {
            turn: self.turns[at],
            depth: self.depths[at],
            state: part(&self.states, at, self.turns.len()),
            legal,
            outcomes,
        }
    }

    /// The legal actions of the player with a choice, packed.
    pub(super) fn legal(&self, at: usize) -> &[u64] {
        part(&self.legal, at, self.turns.len())
    }

    /// What the player with a choice observes, packed.
    pub(super) fn observation(&self, at: usize) -> &[u64] {
        let words = column_words(self.shape.elements);
        match self.shape.observed {
            Observed::Features(_) => part(&self.observations, at, self.turns.len()),
            _ => &part(&self.states, at, self.turns.len())[..words],
        }
    }

    /// The rewards of the players if the match is over, and whether it was given up.
    pub(super) fn end(&self, at: usize) -> (&[f32], bool) {
        (part(&self.ends, at, self.turns.len()), self.truncated[at])
    }
}

/// Makes these moves in the lanes of a batch, with the only moves of other roles.
fn make(batch: &mut Batch, moves: &[[Option<(RoleId, Move)>; 2]]) {
    let (width, filled) = (batch.width(), batch.filled());
    let chosen = moves.iter().enumerate().flat_map(|(lane, moves)| {
        let moves = moves.iter().flatten();
        moves.map(move |&(role, played)| (lane, role, played))
    });
    let mut by_role = vec![LaneMask::default(); batch.game().roles().len()];
    for (lane, role, _) in chosen.clone() {
        by_role[role.index()].insert(lane);
    }
    for (role, choosing) in RoleId::first(by_role.len()).zip(by_role) {
        let (legal, does) = batch.legal_and_chosen_rows(role);
        let forced = filled.and_not(choosing);
        forced.keep_rows(width, moves.len(), legal, does);
    }
    batch.add_moves(chosen);
    batch.advance(filled);
}

/// Adds rows as packed columns of the first lanes.
fn add_columns(width: Width, rows: &[u64], lanes: usize, columns: &mut Vec<u64>) {
    let words = column_words(rows.len() / width.words());
    let before = columns.len();
    columns.resize(before + lanes * words, 0);
    if words > 0 {
        to_columns(width, rows, &mut columns[before..]);
    }
}

/// One of the equal parts of a slice.
fn part<T>(all: &[T], at: usize, count: usize) -> &[T] {
    let length = all.len() / count;
    &all[at * length..][..length]
}
