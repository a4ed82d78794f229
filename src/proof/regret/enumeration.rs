//! The histories of a game, enumerated in lanes, layer by layer: after each number of joint moves.
//!
//! Histories after which the state is the same, and all players know the same, go on alike: they are one *node*, with the sum of
//! the probabilities that chance gives them. A layer's nodes are forgotten when the next one is there; what is kept is the
//! sequence form.

use std::ops::Range;
use std::sync::Arc;

use propjit_stop::Stop;

use crate::game::engine::Engines;
use crate::game::ground::GroundGame;
use crate::game::machine::batch::Batch;
use crate::game::machine::expansion::Expander;
use crate::game::machine::expansion::legal::Legal;
use crate::game::machine::{Move, RoleId};
use crate::game::vocabulary::state_set::StateSet;

use super::error::RegretError;
use super::knowledge::{Knowledge, Sight};
use super::progress::RegretProgress;
use super::sequence_form::{Entry, InformationSet, Payoffs, Player, Sequence, SequenceForm};

/// The most joint moves of a history.
const MAX_STEPS: usize = 10_000;

/// The numbers that a minimiser and best responses have for each sequence.
const NUMBERS_A_SEQUENCE: usize = 10;

/// The most memory of use, in bytes: more elements than fit there could not be numbered in 32 bits.
const MAX_MEMORY: usize = 1 << 36;

/// Returns the sequence form of a game. Roles have percepts, or see all moves.
pub(super) fn enumerate(
    engines: &Arc<Engines>,
    has_percepts: bool,
    memory: usize,
    stop: &Stop,
    progress: &RegretProgress,
) -> Result<SequenceForm, RegretError> {
    let game = engines.game();
    let sight = match has_percepts {
        true => Sight::Percepts,
        false => Sight::Moves,
    };
    let random = game.random_role();
    let players: Vec<Chooser> = game
        .players()
        .map(|role| Chooser::new(game, role, sight))
        .collect();
    if !(1..=2).contains(&players.len()) {
        return Err(RegretError::Roles(players.len()));
    }
    let mut expander = Expander::new(engines);
    let words = expander.words();
    let mut layer = Layer::new(words);
    let root = game.initial().packed(words);
    let mut enumeration = Enumeration {
        game: game.clone(),
        players,
        random,
        entries: Vec::new(),
        sum: None,
        steps: 0,
        next: Layer::new(words),
        nodes: 0,
        histories: 1.0,
        layer_bytes: 0,
        memory: memory.min(MAX_MEMORY),
        stop,
        progress,
    };
    match expander.goals_at_end(&root) {
        Some(goals) => enumeration.end([0, 0], 1.0, &goals)?,
        None => layer.add(&root, [0, 0], 1.0, 1.0),
    }
    while layer.len() > 0 {
        if enumeration.steps == MAX_STEPS {
            return Err(RegretError::TooLong { steps: MAX_STEPS });
        }
        layer = enumeration.follow(&layer, &mut expander)?;
    }
    Ok(enumeration.finish())
}

/// Nodes after the same number of joint moves.
struct Layer {
    /// The number of words of a state. The number of what each player knows comes after it, in one word.
    words: usize,
    nodes: StateSet,
    /// The probability that chance gives each, and the number of its histories.
    weights: Vec<(f64, f64)>,
}

impl Layer {
    fn new(words: usize) -> Layer {
        Layer {
            words,
            nodes: StateSet::new(words + 1),
            weights: Vec::new(),
        }
    }

    fn len(&self) -> usize {
        self.nodes.len()
    }

    fn add(&mut self, state: &[u64], known: [u32; 2], probability: f64, histories: f64) {
        let known = u64::from(known[0]) << 32 | u64::from(known[1]);
        let (number, is_new) = self.nodes.insert(&[state, &[known]].concat());
        if is_new {
            self.weights.push((0.0, 0.0));
        }
        let weight = &mut self.weights[number as usize];
        weight.0 += probability;
        weight.1 += histories;
    }

    /// The state of a node, and what the players know.
    fn node(&self, number: usize) -> (&[u64], [u32; 2]) {
        let (state, known) = self.nodes.states(number, number + 1).split_at(self.words);
        (state, [(known[0] >> 32) as u32, known[0] as u32])
    }

    fn bytes(&self) -> usize {
        self.len() * (StateSet::bytes_a_state(self.words + 1) + 2 * size_of::<(f64, f64)>())
    }
}

/// A player, with what it may do where it knows one thing or another in the current layer.
struct Chooser {
    player: Player,
    points: Vec<Point>,
    /// The legal moves of the points, one after the other.
    legal: Vec<Move>,
    /// The own sequence that leads to what may be known in the next layer.
    next: Vec<Sequence>,
    element: Vec<u64>,
}

/// What a player may do where it knows the same.
#[derive(Clone)]
struct Point {
    /// Its own sequence that leads there.
    last: Sequence,
    /// The sequence with the first of several moves.
    first: Sequence,
    /// The places of the legal moves; empty before any node was met.
    legal: Range<usize>,
}

impl Chooser {
    fn new(game: &GroundGame, role: RoleId, sight: Sight) -> Chooser {
        let player = Player {
            role,
            knowledge: Knowledge::new(game, role, sight),
            sets: Vec::new(),
            moves: Vec::new(),
        };
        Chooser {
            player,
            points: Vec::new(),
            legal: Vec::new(),
            next: vec![0],
            element: Vec::new(),
        }
    }

    /// Goes on to the next layer.
    fn advance(&mut self) {
        self.points.clear();
        self.legal.clear();
        let point = |last| Point {
            last,
            first: last,
            legal: 0..0,
        };
        self.points.extend(self.next.drain(..).map(point));
        self.player.knowledge.start_layer();
    }

    /// Notes the legal moves at a point. Returns whether they are those that are known.
    fn meet(&mut self, known: u32, steps: usize, moves: &[Move]) -> bool {
        let point = &mut self.points[known as usize];
        if !point.legal.is_empty() {
            return self.legal[point.legal.clone()] == *moves;
        }
        let start = self.legal.len();
        self.legal.extend_from_slice(moves);
        point.legal = start..self.legal.len();
        if moves.len() > 1 {
            point.first = self.player.sequences() as Sequence;
            self.player.moves.extend_from_slice(moves);
            self.player.sets.push(InformationSet {
                parent: point.last,
                first: point.first,
                count: moves.len() as u32,
                steps: steps as u32,
                known,
            });
        }
        true
    }

    /// The own sequence after a move at a point.
    fn sequence(&self, known: u32, own: Move) -> Sequence {
        let point = &self.points[known as usize];
        let legal = &self.legal[point.legal.clone()];
        match legal.len() {
            1 => point.last,
            _ => point.first + legal.partition_point(|&other| other < own) as Sequence,
        }
    }

    /// The number of what is known after a move at a point, with these words that were observed.
    fn observe(
        &mut self,
        before: u32,
        own: Move,
        sequence: Sequence,
        observed: impl IntoIterator<Item = u64>,
    ) -> u32 {
        let knowledge = &mut self.player.knowledge;
        let (known, is_new) = knowledge.after(before, own, observed, &mut self.element);
        if is_new {
            self.next.push(sequence);
        }
        known
    }

    fn bytes(&self) -> usize {
        let points = (self.points.len() + self.next.len()) * size_of::<(Point, Move)>();
        let sequence = NUMBERS_A_SEQUENCE * size_of::<f64>() + size_of::<InformationSet>();
        points + self.player.knowledge.bytes() + self.player.sequences() * sequence
    }
}

/// Joint moves that wait for free lanes.
#[derive(Default)]
struct Waiting {
    /// The states in which they are made, packed, one after the other.
    states: Vec<u64>,
    joints: Vec<Move>,
    /// What the players know there, and the weight of each joint move.
    parents: Vec<([u32; 2], (f64, f64))>,
}

struct Enumeration<'a> {
    game: Arc<GroundGame>,
    players: Vec<Chooser>,
    random: Option<RoleId>,
    entries: Vec<Entry>,
    /// The sum of the goals at the ends so far.
    sum: Option<i64>,
    steps: usize,
    next: Layer,
    nodes: u64,
    histories: f64,
    /// The memory of the layer that is followed.
    layer_bytes: usize,
    memory: usize,
    stop: &'a Stop,
    progress: &'a RegretProgress,
}

impl Enumeration<'_> {
    /// Returns the layer after another one.
    fn follow(&mut self, layer: &Layer, expander: &mut Expander) -> Result<Layer, RegretError> {
        self.players.iter_mut().for_each(Chooser::advance);
        self.layer_bytes = layer.bytes();
        let before = self.nodes;
        let mut waiting = Waiting::default();
        let lanes = expander.poll().lanes();
        let numbers: Vec<usize> = (0..layer.len()).collect();
        for numbers in numbers.chunks(lanes) {
            self.nodes = before + numbers[0] as u64;
            self.progress.note_histories(self.steps as u64, self.nodes);
            let mut states = Vec::with_capacity(numbers.len() * layer.words);
            for &number in numbers {
                states.extend_from_slice(layer.node(number).0);
            }
            let legal = expander.legal(&states).clone();
            let batch = expander.batch_mut();
            for (at, &number) in numbers.iter().enumerate() {
                self.expand(layer, number, legal.get(at), &mut waiting, batch)?;
            }
            self.flush(&mut waiting, batch)?;
        }
        self.nodes = before + layer.len() as u64;
        self.steps += 1;
        Ok(std::mem::replace(&mut self.next, Layer::new(layer.words)))
    }

    /// Makes all joint moves at a node.
    fn expand(
        &mut self,
        layer: &Layer,
        number: usize,
        legal: Legal<'_>,
        waiting: &mut Waiting,
        batch: &mut Batch,
    ) -> Result<(), RegretError> {
        let (state, known) = layer.node(number);
        let steps = self.steps;
        if let Some(role) = legal.each().position(<[Move]>::is_empty) {
            let role = self.game.roles()[role].clone();
            return Err(RegretError::Stuck { role, steps });
        }
        for (chooser, known) in self.players.iter_mut().zip(known) {
            let role = chooser.player.role;
            if !chooser.meet(known, steps, legal.role(role)) {
                let knowledge = &chooser.player.knowledge;
                return Err(RegretError::UnknownMoves {
                    role: self.game.roles()[role.index()].clone(),
                    known: knowledge.text(&self.game, steps, known),
                });
            }
        }
        let (probability, histories) = layer.weights[number];
        let chances = self.random.map_or(1, |role| legal.role(role).len());
        let weight = (probability / chances as f64, histories);
        let counts = legal.each().map(<[Move]>::len);
        let joints = counts.fold(1, usize::saturating_mul);
        for joint in 0..joints {
            let mut rest = joint;
            waiting.joints.extend(legal.each().map(|moves| {
                let place = rest % moves.len();
                rest /= moves.len();
                moves[place]
            }));
            waiting.states.extend_from_slice(state);
            waiting.parents.push((known, weight));
            if waiting.parents.len() == batch.lanes() {
                self.flush(waiting, batch)?;
            }
        }
        Ok(())
    }

    /// Makes the joint moves that wait.
    fn flush(&mut self, waiting: &mut Waiting, batch: &mut Batch) -> Result<(), RegretError> {
        if waiting.parents.is_empty() {
            return Ok(());
        }
        self.check_limits()?;
        batch.enter_packed(&waiting.states);
        batch.play(&waiting.joints);
        batch.evaluate_percepts();
        let percepts: Vec<(usize, Vec<u64>)> = (self.players.iter())
            .map(|chooser| {
                let mut packed = Vec::new();
                let words = batch.add_percepts(chooser.player.role, &mut packed);
                (words, packed)
            })
            .collect();
        batch.advance(batch.filled());
        let terminal = batch.terminal();
        let mut states = Vec::new();
        batch.add_states(&mut states);
        let words = batch.state_words();
        let roles = self.game.roles().len();
        for (lane, &(known, (probability, histories))) in waiting.parents.iter().enumerate() {
            let joint = &waiting.joints[lane * roles..][..roles];
            self.histories += histories;
            let mut sequences = [0; 2];
            for (at, chooser) in self.players.iter().enumerate() {
                let own = joint[chooser.player.role.index()];
                sequences[at] = chooser.sequence(known[at], own);
            }
            if terminal.contains(lane) {
                let goals: Vec<Option<i32>> = batch.goals(lane).collect();
                self.end(sequences, probability, &goals)?;
                continue;
            }
            let mut after = [0; 2];
            for (at, chooser) in self.players.iter_mut().enumerate() {
                let own = joint[chooser.player.role.index()];
                let (before, sequence) = (known[at], sequences[at]);
                after[at] = match chooser.player.knowledge.sight() {
                    Sight::Moves => {
                        let all = joint.iter().map(|played| u64::from(played.0));
                        chooser.observe(before, own, sequence, all)
                    }
                    Sight::Percepts => {
                        let (words, packed) = &percepts[at];
                        let seen = packed[lane * words..][..*words].iter().copied();
                        chooser.observe(before, own, sequence, seen)
                    }
                };
            }
            let state = &states[lane * words..][..words];
            self.next.add(state, after, probability, histories);
        }
        waiting.states.clear();
        waiting.joints.clear();
        waiting.parents.clear();
        Ok(())
    }

    fn check_limits(&self) -> Result<(), RegretError> {
        let (histories, steps, memory) = (self.nodes, self.steps, self.memory);
        if self.layer_bytes + self.bytes() > memory {
            return Err(RegretError::TooLarge {
                steps,
                histories,
                memory,
            });
        }
        match self.stop.is_set() {
            true => Err(RegretError::Stopped { histories }),
            false => Ok(()),
        }
    }

    /// Notes the goals at an end, to which these sequences and chance lead.
    fn end(
        &mut self,
        sequences: [Sequence; 2],
        probability: f64,
        goals: &[Option<i32>],
    ) -> Result<(), RegretError> {
        let mut sum = 0;
        let mut of_first = None;
        for chooser in &self.players {
            let role = chooser.player.role;
            let Some(goal) = goals[role.index()] else {
                return Err(RegretError::UndefinedGoal {
                    role: self.game.roles()[role.index()].clone(),
                    steps: self.steps + 1,
                });
            };
            sum += i64::from(goal);
            of_first.get_or_insert(goal);
        }
        let known = *self.sum.get_or_insert(sum);
        if self.players.len() == 2 && sum != known {
            return Err(RegretError::NotOpposed { sums: [known, sum] });
        }
        let goal = of_first.expect("there is a player");
        self.entries.push(Entry {
            sequences,
            value: probability * f64::from(goal),
        });
        Ok(())
    }

    /// About how much memory it takes, with what the minimiser needs.
    fn bytes(&self) -> usize {
        let players: usize = self.players.iter().map(Chooser::bytes).sum();
        players + self.next.bytes() + 2 * size_of::<Entry>() * self.entries.len()
    }

    fn finish(self) -> SequenceForm {
        let players = self.players.into_iter().map(|chooser| chooser.player);
        let players: Vec<Player> = players.collect();
        let total = match players.len() {
            1 => 0.0,
            _ => self.sum.unwrap_or(0) as f64,
        };
        SequenceForm {
            payoffs: Payoffs::new(players[0].sequences(), self.entries),
            players,
            total,
            histories: self.histories,
            nodes: self.nodes,
        }
    }
}
