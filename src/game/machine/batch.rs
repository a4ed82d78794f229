//! Batches: many states at a time, one per lane, for searches.
//!
//! A [`Batch`] is filled with states, queried about all of them, given a joint move for each, and
//! advanced to the next states, which are then in the same lanes.
//!
//! ```
//! # use propjit::game::load::{Game, Setup};
//! use propjit::game::machine::batch::Batch;
//! use propjit::game::machine::{Move, RoleId};
//!
//! # let rules = "(role player) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
//! #     (<= (legal player (add 1)) (true (step ?n)))
//! #     (<= (legal player (add 2)) (true (step ?n)))
//! #     (<= (next (step ?m)) (does player (add 1)) (true (step ?n)) (succ ?n ?m))
//! #     (<= (next (step ?m)) (does player (add 2)) (true (step ?n)) (succ ?n ?i) (succ ?i ?m))
//! #     (<= terminal (true (step 2))) (<= (goal player 100) (true (step 2)))";
//! # let game = Game::from_text("steps.kif", rules, &Setup::default())?;
//! let ground = game.ground_game().unwrap();
//! let mut batch = Batch::new(ground.clone(), game.engines().unwrap().best());
//! let moves: Vec<Move> = batch.legal_moves(ground.initial())[0].clone();
//! // Each in a lane; only those that are kept are made states.
//! batch.enter_children(ground.initial(), &moves);
//! assert_eq!(ground.fluents(&batch.state(0)), ["(step 1)"]);
//! assert!(batch.terminal().contains(1));
//! assert_eq!(batch.goal(RoleId(0), 1), Some(100));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use propjit_jit::evaluator::LaneEvaluator;
use propjit_jit::lanes::Width;
use propjit_jit::lanes::advance::{Start, enter};
use propjit_jit::lanes::transpose::{column_words, spread, to_columns, to_rows};

use super::{Move, RoleId, State};
use crate::game::engine::{PlayoutPolicy, ValidEngine, Validity};
use crate::game::ground::{GroundGame, section};
use crate::game::vocabulary::lane_mask::LaneMask;
use crate::game::vocabulary::state::ones;

/// States of a game: at most as many as there are lanes.
///
/// Lanes are filled from the first on. Results of methods are valid for lanes that are filled.
/// Legal moves in lanes are those that the rules derive, also in [terminal](Batch::terminal)
/// states, where they are meaningless.
pub struct Batch {
    game: Arc<GroundGame>,
    evaluator: LaneEvaluator,
    /// The states that the engine is valid for.
    validity: Arc<Validity>,
    /// The number of lanes that are filled.
    filled: usize,
    /// Whether the sections are evaluated for the current states.
    known: Known,
    /// The moves, as inputs, that may be true in some lane.
    played: Played,
    /// Packed states, one after the other.
    columns: Vec<u64>,
}

/// The sections that are evaluated for the current states.
#[derive(Clone, Copy, Default, Debug)]
struct Known {
    state: bool,
    goals: bool,
}

/// The rows of moves that may have to be cleared before others are played.
#[derive(Debug)]
enum Played {
    /// These inputs.
    These(Vec<u32>),
    /// Any.
    Any,
}

/// The result of a joint move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Child {
    /// The state.
    pub state: State,
    /// If the state is terminal, the goal of each role, if it has exactly one.
    pub goals: Option<Vec<Option<i32>>>,
}

impl Batch {
    /// Creates a batch without states. The engine evaluates the game's [`section`]s, with the legal
    /// moves of the rules.
    ///
    /// # Panics
    /// If the engine is for playouts with decisive moves.
    pub fn new(game: Arc<GroundGame>, engine: impl Into<ValidEngine>) -> Batch {
        let engine = engine.into();
        assert_eq!(engine.policy(), PlayoutPolicy::Uniform, "all moves count");
        let (engine, validity) = engine.into_parts();
        Batch {
            evaluator: LaneEvaluator::new(engine),
            validity,
            filled: 0,
            known: Known::default(),
            played: Played::These(Vec::new()),
            columns: Vec::new(),
            game,
        }
    }

    /// Evaluates with another engine from now on, as when machine code is ready. The batch then has
    /// no states.
    ///
    /// # Panics
    /// As for [`Batch::new`].
    pub fn switch(&mut self, engine: impl Into<ValidEngine>) {
        *self = Batch::new(self.game.clone(), engine);
    }

    /// Returns the states that may be entered: all, unless the engine was made for some.
    pub fn validity(&self) -> &Validity {
        &self.validity
    }

    /// Returns the game.
    pub fn game(&self) -> &Arc<GroundGame> {
        &self.game
    }

    /// Returns the maximum number of states.
    pub fn lanes(&self) -> usize {
        self.evaluator.width().lanes()
    }

    /// Returns the number of lanes, as the width of rows.
    pub fn width(&self) -> Width {
        self.evaluator.width()
    }

    /// Returns what evaluates the game.
    pub(crate) fn evaluator(&self) -> &LaneEvaluator {
        &self.evaluator
    }

    /// Returns the lanes that are filled.
    pub fn filled(&self) -> LaneMask {
        LaneMask::first(self.filled)
    }

    /// Fills lanes with the states, in their order. Repeating the same state consecutively is faster.
    ///
    /// # Panics
    /// If there are more states than lanes, or one is outside the engine's
    /// [validity](Batch::validity).
    pub fn enter<'a>(&mut self, states: impl IntoIterator<Item = &'a State>) {
        // Each run of equal states, and its lanes.
        let mut runs: Vec<(&State, Range<usize>)> = Vec::new();
        for (lane, state) in states.into_iter().enumerate() {
            match runs.last_mut() {
                Some((last, lanes)) if std::ptr::eq(*last, state) => lanes.end += 1,
                _ => runs.push((state, lane..lane + 1)),
            }
        }
        let filled = runs.last().map_or(0, |(_, lanes)| lanes.end);
        if 2 * runs.len() > filled {
            let words = self.state_words();
            self.columns.clear();
            for (state, lanes) in runs {
                for _ in lanes {
                    state.pack(words, &mut self.columns);
                }
            }
            return self.load();
        }
        assert!(
            filled <= self.lanes(),
            "{filled} states for {}",
            self.lanes()
        );
        let states = runs.iter();
        states.for_each(|(state, _)| self.validity.check(state.words()));
        self.filled = filled;
        self.known = Known::default();
        let bases = self.game.layout().bases.clone();
        let width = self.evaluator.width();
        let columns = runs
            .into_iter()
            .map(|(state, lanes)| (state.words(), lanes));
        spread(width, columns, self.evaluator.inputs_mut(bases));
    }

    /// Fills lanes with packed states, which are given one after the other, in their order.
    ///
    /// # Panics
    /// As for [`enter`](Batch::enter).
    pub fn enter_packed(&mut self, states: &[u64]) {
        self.columns.clear();
        self.columns.extend_from_slice(states);
        self.load();
    }

    /// Fills lanes with the packed states.
    fn load(&mut self) {
        let words = self.state_words();
        let states = self.columns.chunks_exact(words);
        states.for_each(|state| self.validity.check(state));
        self.filled = self.columns.len() / words;
        self.known = Known::default();
        let bases = self.game.layout().bases.clone();
        let width = self.evaluator.width();
        to_rows(width, &self.columns, self.evaluator.inputs_mut(bases));
    }

    /// Fills this number of lanes with the state of these words.
    ///
    /// # Panics
    /// If there are fewer lanes, or the state is outside the engine's
    /// [validity](Batch::validity).
    pub fn fill(&mut self, state: &[u64], lanes: usize) {
        self.validity.check(state);
        assert!(lanes <= self.lanes(), "{lanes} states for {}", self.lanes());
        self.filled = lanes;
        self.known = Known::default();
        let bases = self.game.layout().bases.clone();
        let width = self.evaluator.width();
        let rows = self.evaluator.inputs_mut(bases);
        let all = LaneMask::all(width);
        enter(width, rows, all.words(width), Start::Same(state));
    }

    /// Fills lanes with the successors of a state by these joint moves, which are given one after the other, each in
    /// the order of the roles. Whether the moves are legal is not checked: after illegal moves, successors are
    /// meaningless.
    ///
    /// # Panics
    /// As for [`fill`](Batch::fill).
    pub fn enter_children(&mut self, parent: &State, joints: &[Move]) {
        self.fill(parent.words(), joints.len() / self.game.roles().len());
        self.play(joints);
        self.advance(self.filled());
    }

    /// Fills the first `lanes` lanes with states that are given as rows: a row for each base
    /// proposition, as [`state_rows`](Batch::state_rows) returns them.
    ///
    /// # Panics
    /// If there are fewer lanes, the rows have another length, or the engine is not valid for all
    /// states.
    pub fn enter_rows(&mut self, rows: &[u64], lanes: usize) {
        assert_eq!(self.validity.given(), 0, "an engine for all states");
        assert!(lanes <= self.lanes(), "{lanes} states for {}", self.lanes());
        self.filled = lanes;
        self.known = Known::default();
        let bases = self.game.layout().bases.clone();
        self.evaluator.inputs_mut(bases).copy_from_slice(rows);
    }

    /// Replaces the states of these lanes by a state.
    ///
    /// # Panics
    /// If the state is outside the engine's [validity](Batch::validity).
    pub fn replace(&mut self, lanes: LaneMask, state: &State) {
        self.validity.check(state.words());
        self.known = Known::default();
        let bases = self.game.layout().bases.clone();
        let width = self.evaluator.width();
        let rows = self.evaluator.inputs_mut(bases);
        enter(width, rows, lanes.words(width), Start::Same(state.words()));
    }

    /// Returns the lanes with a terminal state.
    pub fn terminal(&mut self) -> LaneMask {
        self.evaluate_state();
        let terminal = self.evaluator.output(self.game.layout().terminal);
        LaneMask::from_words(terminal).and(self.filled())
    }

    /// Returns the lanes in which the role has a legal move, and those in which it has several.
    pub fn choices(&mut self, role: RoleId) -> (LaneMask, LaneMask) {
        self.evaluate_state();
        let legal = &self.game.layout().legal[role.index()];
        let rows = self.evaluator.outputs(legal.clone());
        let width = self.evaluator.width();
        let (some, several) = LaneMask::some_and_several(width, self.filled, rows);
        let filled = self.filled();
        (some.and(filled), several.and(filled))
    }

    /// Returns the number of legal moves, of all roles in all lanes together.
    pub fn count_legal(&mut self) -> u64 {
        self.evaluate_state();
        let filled = self.filled();
        let legal = self.game.layout().legal.iter();
        let rows = legal.map(|legal| self.evaluator.outputs(legal.clone()));
        let words = self.evaluator.width().words();
        let rows = rows.flat_map(|rows| rows.chunks_exact(words));
        // Most rows belong to roles that are not to move.
        let used = self.filled.div_ceil(64);
        let rows = rows.filter(|row| row[..used].iter().any(|&word| word != 0));
        rows.map(|row| LaneMask::from_words(row).and(filled).count())
            .sum()
    }

    /// Calls `found` with each lane and each legal move of the role there; the moves of a
    /// lane come ascending.
    pub fn for_each_legal(&mut self, role: RoleId, mut found: impl FnMut(usize, Move)) {
        self.evaluate_state();
        let legal = &self.game.layout().legal[role.index()];
        let (width, filled) = (self.evaluator.width(), self.filled());
        // Words of lanes that are not filled are not looked at.
        let filled = &filled.words(width)[..self.filled.div_ceil(64)];
        let rows = self.evaluator.outputs(legal.clone());
        for (row, number) in rows.chunks_exact(width.words()).zip(0..) {
            let words = row.iter().zip(filled).map(|(word, filled)| word & filled);
            for lane in ones(words) {
                found(lane, Move(number));
            }
        }
    }

    /// Returns which moves of the role are legal: a row for each move, one after the other, with a
    /// bit for each lane, 64 in a word. Bits of lanes that are not filled are meaningless.
    pub fn legal_rows(&mut self, role: RoleId) -> &[u64] {
        self.evaluate_state();
        let legal = &self.game.layout().legal[role.index()];
        self.evaluator.outputs(legal.clone())
    }

    /// Returns the goal that a role has in a lane, if it has exactly one value there.
    pub fn goal(&mut self, role: RoleId, lane: usize) -> Option<i32> {
        self.evaluate_goals();
        let goals = &self.game.layout().goals[role.index()];
        let rows = self.evaluator.outputs(goals.clone());
        let rows = rows.chunks_exact(self.evaluator.width().words());
        let values = &self.game.propnet().roles[role.index()].goals;
        let mut holding = rows
            .zip(values)
            .filter(|(row, _)| LaneMask::from_words(row).contains(lane));
        let (_, goal) = holding.next()?;
        holding.next().is_none().then_some(goal.value)
    }

    /// Returns the [goal](Batch::goal) of each role in a lane.
    pub fn goals(&mut self, lane: usize) -> impl Iterator<Item = Option<i32>> + '_ {
        let roles = RoleId::first(self.game.roles().len());
        roles.map(move |role| self.goal(role, lane))
    }

    /// Calls `found` with each of these lanes and the goal of the role there, if it has exactly one
    /// value.
    pub fn for_each_goal(
        &mut self,
        role: RoleId,
        lanes: LaneMask,
        mut found: impl FnMut(usize, i32),
    ) {
        self.evaluate_goals();
        let width = self.evaluator.width();
        let goals = &self.game.layout().goals[role.index()];
        let rows = self.evaluator.outputs(goals.clone());
        let defined = LaneMask::exactly_one(width, rows).and(lanes);
        let values = &self.game.propnet().roles[role.index()].goals;
        for (row, goal) in rows.chunks_exact(width.words()).zip(values) {
            for lane in LaneMask::from_words(row).and(defined).lanes() {
                found(lane, goal.value);
            }
        }
    }

    /// Clears the moves of all lanes, so that none is chosen.
    pub fn clear_moves(&mut self) {
        self.forget_moves();
        self.played = Played::These(Vec::new());
    }

    /// Returns, for a role's moves, the rows that say whether they are legal, and those that say
    /// whether they are chosen, to be written.
    pub fn legal_and_chosen_rows(&mut self, role: RoleId) -> (&[u64], &mut [u64]) {
        self.evaluate_state();
        self.played = Played::Any;
        let layout = self.game.layout();
        let (legal, does) = (&layout.legal[role.index()], &layout.does[role.index()]);
        self.evaluator
            .outputs_and_inputs_mut(legal.clone(), does.clone())
    }

    /// Chooses moves beside those that are already chosen: each is a lane, a role and its move there.
    pub fn add_moves(&mut self, moves: impl IntoIterator<Item = (usize, RoleId, Move)>) {
        self.played = Played::Any;
        let does = &self.game.layout().does;
        for (lane, role, chosen) in moves {
            let row = does[role.index()].start + chosen.index();
            self.evaluator.input_mut(row)[lane / 64] |= 1 << (lane % 64);
        }
    }

    /// Chooses the joint move of each lane: the moves of the first one in the order of the
    /// roles, then those of the second, and so on.
    ///
    /// # Panics
    /// If there is not one move per role and lane.
    pub fn play(&mut self, joints: &[Move]) {
        let roles = self.game.roles().len();
        assert_eq!(joints.len(), roles * self.filled, "a move per role");
        self.forget_moves();
        let mut played = Vec::new();
        for (lane, joint) in joints.chunks_exact(roles.max(1)).enumerate() {
            for (chosen, does) in joint.iter().zip(&self.game.layout().does) {
                let input = does.start + chosen.index();
                let row = self.evaluator.input_mut(input);
                if row.iter().all(|&word| word == 0) {
                    played.push(input as u32);
                }
                row[lane / 64] |= 1 << (lane % 64);
            }
        }
        self.played = Played::These(played);
    }

    /// Plays a move per lane for each role in `chosen`, and the same moves of `others` in all lanes.
    ///
    /// # Panics
    /// If there is not a move per lane.
    pub(crate) fn play_choices(&mut self, chosen: &[(RoleId, &[Move])], others: &[(RoleId, Move)]) {
        self.forget_moves();
        let mut played = match std::mem::replace(&mut self.played, Played::Any) {
            Played::These(played) => played,
            Played::Any => Vec::new(),
        };
        played.clear();
        let does = &self.game.layout().does;
        let words = self.evaluator.width().words();
        for &(role, moves) in chosen {
            assert_eq!(moves.len(), self.filled, "a move per lane");
            let first = does[role.index()].start;
            let rows = self.evaluator.inputs_mut(does[role.index()].clone());
            for (lane, chosen) in moves.iter().enumerate() {
                rows[chosen.index() * words + lane / 64] |= 1 << (lane % 64);
                played.push((first + chosen.index()) as u32);
            }
        }
        for &(other, chosen) in others {
            let input = does[other.index()].start + chosen.index();
            self.evaluator.input_mut(input).fill(!0);
            played.push(input as u32);
        }
        self.played = Played::These(played);
    }

    /// Fills only the first lanes from now on.
    ///
    /// # Panics
    /// If they are not filled.
    pub(crate) fn keep_first(&mut self, lanes: usize) {
        assert!(lanes <= self.filled, "{lanes} of {} lanes", self.filled);
        self.filled = lanes;
    }

    /// Reads the legal moves of a role in the first lane.
    pub(crate) fn legal_in_first(&mut self, role: RoleId, moves: &mut Vec<Move>) {
        moves.clear();
        let words = self.evaluator.width().words();
        for (row, number) in self.legal_rows(role).chunks_exact(words).zip(0..) {
            if row[0] & 1 != 0 {
                moves.push(Move(number));
            }
        }
    }

    /// Chooses all legal moves of all roles, which makes sense in lanes where every role has
    /// one only; and [`advance`](Batch::advance)s these.
    pub fn advance_forced(&mut self, lanes: LaneMask) {
        self.evaluate_state();
        let layout = self.game.layout();
        for (legal, does) in layout.legal.iter().zip(&layout.does) {
            let (legal, does) = self
                .evaluator
                .outputs_and_inputs_mut(legal.clone(), does.clone());
            does.copy_from_slice(legal);
        }
        self.played = Played::Any;
        self.advance(lanes);
    }

    /// Evaluates what all roles perceive after the chosen moves, for [`percept_rows`](Batch::percept_rows) and
    /// [`add_percepts`](Batch::add_percepts).
    pub fn evaluate_percepts(&mut self) {
        self.evaluate_state();
        self.evaluator.evaluate(section::PERCEPTS);
    }

    /// Returns what a role perceives after the moves for which that was evaluated: a row for each of its percepts, one after
    /// the other, with a bit for each lane, 64 in a word. Bits of lanes that are not filled are meaningless.
    pub fn percept_rows(&self, role: RoleId) -> &[u64] {
        let percepts = &self.game.layout().percepts[role.index()];
        self.evaluator.outputs(percepts.clone())
    }

    /// Adds the same as a bit for each percept, packed, for one lane after the other. Returns the number of words of a lane.
    pub fn add_percepts(&self, role: RoleId, packed: &mut Vec<u64>) -> usize {
        let percepts = self.game.layout().percepts[role.index()].len();
        let words = column_words(percepts);
        let before = packed.len();
        packed.resize(before + self.filled * words, 0);
        if words > 0 {
            let width = self.evaluator.width();
            to_columns(width, self.percept_rows(role), &mut packed[before..]);
        }
        words
    }

    /// Advances the states of these lanes by the chosen moves.
    pub fn advance(&mut self, lanes: LaneMask) {
        self.evaluate_state();
        self.evaluator.evaluate(section::NEXT);
        let layout = self.game.layout();
        let width = self.evaluator.width();
        let all = lanes == self.filled();
        let (next, state) = self
            .evaluator
            .outputs_and_inputs_mut(layout.next.clone(), layout.bases.clone());
        if all {
            state.copy_from_slice(next);
        } else {
            enter(width, state, lanes.words(width), Start::Each(next));
        }
        self.known = Known::default();
    }

    /// Returns the number of words of a packed state: one for each 64 base propositions or part of
    /// that, and one if there are none.
    pub fn state_words(&self) -> usize {
        column_words(self.game.layout().bases.len()).max(1)
    }

    /// Returns the states, packed, one after the other.
    pub fn states(&mut self) -> &[u64] {
        let mut columns = std::mem::take(&mut self.columns);
        columns.clear();
        self.add_states(&mut columns);
        self.columns = columns;
        &self.columns
    }

    /// Returns the state in a lane.
    pub fn state(&self, lane: usize) -> State {
        let rows = self.state_rows();
        let rows = rows.chunks_exact(self.evaluator.width().words());
        let holds = rows.map(|row| row[lane / 64] >> (lane % 64) & 1 != 0);
        let holding = holds.enumerate().filter(|(_, holds)| *holds);
        holding.map(|(base, _)| base).collect()
    }

    /// Returns the states as they are in lanes: a row for each base proposition, one after the other, with a bit for
    /// each lane, 64 in a word. Bits of lanes that are not filled are meaningless.
    pub fn state_rows(&self) -> &[u64] {
        self.evaluator.inputs(self.game.layout().bases.clone())
    }

    /// Adds the states, packed, one after the other.
    pub fn add_states(&self, packed: &mut Vec<u64>) {
        let bases = self.game.layout().bases.clone();
        let before = packed.len();
        packed.resize(before + self.filled * self.state_words(), 0);
        let width = self.evaluator.width();
        to_columns(width, self.evaluator.inputs(bases), &mut packed[before..]);
    }

    /// Returns the legal moves of each role in a state: none in a terminal one.
    pub fn legal_moves(&mut self, state: &State) -> Vec<Vec<Move>> {
        self.fill(state.words(), 1);
        let roles = RoleId::first(self.game.roles().len());
        if !self.terminal().is_empty() {
            return roles.map(|_| Vec::new()).collect();
        }
        roles
            .map(|role| {
                let mut moves = Vec::new();
                self.legal_in_first(role, &mut moves);
                moves
            })
            .collect()
    }

    /// Returns the results of several joint moves in a state, as [`enter_children`](Batch::enter_children) takes them,
    /// but any number of them.
    pub fn children(&mut self, state: &State, joints: &[Move]) -> Vec<Child> {
        let roles = self.game.roles().len();
        let mut children = Vec::with_capacity(joints.len() / roles);
        for joints in joints.chunks(roles * self.lanes()) {
            self.enter_children(state, joints);
            let terminal = self.terminal();
            let goals = (0..self.filled)
                .map(|lane| terminal.contains(lane).then(|| self.goals(lane).collect()));
            let goals: Vec<_> = goals.collect();
            let words = self.state_words();
            let states = self.states().chunks_exact(words).zip(goals);
            children.extend(states.map(|(words, goals)| {
                let state = State::from_words(words);
                Child { state, goals }
            }));
        }
        children
    }

    /// Evaluates the outputs that depend on the states alone.
    fn evaluate_state(&mut self) {
        if !self.known.state {
            self.evaluator.evaluate(section::STATE);
            self.known.state = true;
        }
    }

    /// Evaluates the goals.
    fn evaluate_goals(&mut self) {
        if !self.known.goals {
            self.evaluate_state();
            self.evaluator.evaluate(section::GOALS);
            self.known.goals = true;
        }
    }

    /// Clears all moves in all lanes.
    fn forget_moves(&mut self) {
        let layout = self.game.layout();
        match &self.played {
            Played::These(inputs) => {
                for &input in inputs {
                    self.evaluator.input_mut(input as usize).fill(0);
                }
            }
            Played::Any => {
                for does in &layout.does {
                    self.evaluator.inputs_mut(does.clone()).fill(0);
                }
            }
        }
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("lanes", &self.lanes())
            .field("filled", &self.filled)
            .field("known", &self.known)
            .finish_non_exhaustive()
    }
}
