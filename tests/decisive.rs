//! Decisive moves in playouts: that they are those that looking at all children finds, and
//! that playouts choose among them and nothing else.

use std::sync::Arc;

use crate::common;
use crate::common::assert_near;
use crate::common::random_matches::{legal, random_match};
use propjit::Moments;
use propjit::Stop;
use propjit::game::circuits::decisive::DecisiveCircuit;
use propjit::game::engine::{MatchEngines, PlayoutPolicy, StepEngine};
use propjit::game::facts::GoalBounds;
use propjit::game::ground::sections::playout_sections;
use propjit::game::load::Game;
use propjit::game::machine::{Backend, Move, RoleId, State, StateMachine};
use propjit::game::playout::{PlayoutRunner, Playouts, Tally};
use propjit::support::rng::streams;
use propjit_jit::circuit::OutputId;
use propjit_jit::evaluator::{Engine, LaneEvaluator};
use propjit_jit::lanes::{LaneProgram, Width};
use propjit_jit::section::Section;

/// How many matches.
const MATCHES: usize = 4;

/// What each move of a role leads to; nothing if another role has a choice or this one has none.
fn children(machine: &mut dyn StateMachine, state: &State, role: RoleId) -> Vec<(Move, State)> {
    let legal = legal(machine, state);
    let mut others = legal.iter().enumerate();
    if others.any(|(at, moves)| at != role.index() && moves.len() != 1) {
        return Vec::new();
    }
    let moves = legal[role.index()].clone();
    let child = |&played: &Move| {
        let mut joint: Vec<Move> = legal.iter().map(|moves| moves[0]).collect();
        joint[role.index()] = played;
        (played, machine.next_state(state, &joint).unwrap())
    };
    moves.iter().map(child).collect()
}

/// What roles should do in playouts.
struct Policy<'a> {
    /// The greatest goal of each role.
    best: Vec<i32>,
    /// What latches leave of the goals, if that is taken into account.
    left: Option<&'a GoalBounds>,
    avoids_losing: bool,
}

impl Policy<'_> {
    /// The greatest goal that a role can still have.
    fn most(&self, state: &State, role: RoleId) -> i32 {
        let left = self.left.and_then(|left| left.of(state, role));
        left.map_or(self.best[role.index()], |(_, most)| most)
    }

    /// The moves of a role that win at once; or else those that leave less to its only rival.
    fn decisive(&self, machine: &mut dyn StateMachine, state: &State, role: RoleId) -> Vec<Move> {
        let children = children(machine, state, role);
        let mut wins = |child: &State| {
            let mut goals = Vec::new();
            machine.goals(child, role, &mut goals).unwrap();
            machine.is_terminal(child).unwrap() && goals.contains(&self.best[role.index()])
        };
        let winning = children.iter().filter(|(_, child)| wins(child));
        let winning: Vec<Move> = winning.map(|(played, _)| *played).collect();
        if !winning.is_empty() || self.best.len() != 2 {
            return winning;
        }
        let rival = RoleId(1 - role.0);
        let keeps = |child, role| self.most(child, role) >= self.most(state, role);
        let gains = |child| keeps(child, role) && !keeps(child, rival);
        let gaining = children.iter().filter(|(_, child)| gains(child));
        gaining.map(|(played, _)| *played).collect()
    }

    /// What a role may play in a playout, in a state that is not terminal, and whether it has
    /// decisive moves.
    fn allowed(
        &self,
        machine: &mut dyn StateMachine,
        state: &State,
        role: RoleId,
    ) -> (Vec<Move>, bool) {
        let decisive = self.decisive(machine, state, role);
        if !decisive.is_empty() {
            return (decisive, true);
        }
        let mut legal = Vec::new();
        machine.legal_moves(state, role, &mut legal).unwrap();
        let mut safe = Vec::new();
        for (played, child) in children(machine, state, role) {
            let others = RoleId::first(self.best.len()).filter(|&other| other != role);
            let mut others = others.collect::<Vec<_>>().into_iter();
            let keeps = self.most(&child, role) >= self.most(state, role);
            if keeps
                && (machine.is_terminal(&child).unwrap()
                    || others.all(|other| self.decisive(machine, &child, other).is_empty()))
            {
                safe.push(played);
            }
        }
        match self.avoids_losing && !safe.is_empty() {
            true => (safe, false),
            false => (legal, false),
        }
    }
}

/// States of random matches, those that end them left out.
fn states(game: &Game, seed: u64) -> Vec<State> {
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let mut rng = streams(seed).next().unwrap();
    let matches = (0..MATCHES).flat_map(|_| random_match(&mut *machine, &mut rng));
    let mut states: Vec<State> = matches.collect();
    states.retain(|state| !machine.is_terminal(state).unwrap());
    states
}

/// In states of random matches, the decisive circuit allows what it should. In some games it only
/// knows about winning, not about what `avoids` losing. Returns how often a role had decisive
/// moves, and how often it had to see to it that it did not lose.
fn assert_exact(name: &str, game: &Game, latches: bool, avoids: bool) -> (u32, u32) {
    let ground = game.ground_game().unwrap();
    let left = latches.then(|| game.goal_bounds().unwrap().wait().unwrap());
    let DecisiveCircuit {
        circuit,
        avoids_losing,
    } = DecisiveCircuit::new(ground, left, &Stop::new())
        .unwrap_or_else(|| panic!("{name} has decisive moves"));
    assert_eq!(avoids_losing, avoids, "{name}");
    let layout = ground.layout();
    let outputs = (0..circuit.outputs().len() as u32).map(OutputId);
    let program = LaneProgram::new(&circuit, &[Section::alone(outputs.collect())]);
    let mut lanes = LaneEvaluator::new(Engine::Interpreter(Arc::new(program), Width::X64));
    let roles = ground.propnet().roles.iter();
    let best = roles.map(|role| role.goals.last().map_or(0, |goal| goal.value));
    let policy = Policy {
        best: best.collect(),
        left,
        avoids_losing,
    };
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let mut count = (0, 0);
    for states in states(game, 17).chunks(64) {
        for base in layout.bases.clone() {
            let rows = states.iter().enumerate();
            let row = rows.map(|(lane, state)| u64::from(state.contains(base)) << lane);
            lanes.input_mut(base)[0] = row.sum();
        }
        lanes.evaluate(0);
        for (lane, state) in states.iter().enumerate() {
            for role in layout.roles() {
                let has = |row: &[u64]| row[0] >> lane & 1 == 1;
                let rows = layout.legal[role.index()].clone();
                let found = rows.zip(0..).filter(|&(at, _)| has(lanes.output(at)));
                let found: Vec<Move> = found.map(|(_, number)| Move(number)).collect();
                let (expected, decisive) = policy.allowed(&mut *machine, state, role);
                assert_eq!(found, expected, "{name}: {:?}", machine.fluents(state));
                let mut legal = Vec::new();
                machine.legal_moves(state, role, &mut legal).unwrap();
                let warned = !decisive && legal.len() != expected.len();
                let output = layout.decisive().start + role.index();
                assert_eq!(has(lanes.output(output)), decisive || warned, "{name}");
                count.0 += u32::from(decisive);
                count.1 += u32::from(warned);
            }
        }
    }
    count
}

#[test]
fn decisive_moves_are_those_that_win_or_do_not_lose() {
    for name in [
        "ticTacToe",
        "connectFour",
        "breakthroughSmall",
        "threePlayerTicTacToe",
        "nineBoardTicTacToe",
    ] {
        let (won, warned) = assert_exact(name, &common::own_game(name), false, true);
        assert!(won > 0 && warned > 0, "{name}: {won} {warned}");
    }
    // Here, no role is ever warned before it is too late.
    let name = "escortLatchBreakthrough";
    assert!(assert_exact(name, &common::own_game(name), false, true).0 > 0);
}

/// A role that loses the king cannot win any more; and a robot that steps aside never reaches its goal.
#[test]
fn what_latches_exclude_is_decisive() {
    let name = "escortLatchBreakthrough";
    let game = common::own_game(name);
    let (without, _) = assert_exact(name, &game, false, true);
    let (with, warned) = assert_exact(name, &game, true, true);
    assert!(with > without && warned > 0, "{with} {without} {warned}");
    let name = "untwistyCorridor";
    let (_, warned) = assert_exact(name, &common::own_game(name), true, true);
    assert!(warned > 0);
}

/// Chosen in the circuit of random steps, decisive moves are the same as those chosen among rows, and so are the matches.
#[test]
fn the_same_matches_are_played_in_both_forms() {
    for (name, latches) in [
        ("ticTacToe", false),
        ("connectFour", false),
        ("breakthroughSmall", false),
        ("threePlayerTicTacToe", false),
        ("nineBoardTicTacToe", false),
        ("escortLatchBreakthrough", true),
        ("untwistyCorridor", true),
    ] {
        let game = common::own_game(name);
        let ground = game.ground_game().unwrap();
        let left = latches.then(|| game.goal_bounds().unwrap().wait().unwrap());
        let decisive = DecisiveCircuit::new(ground, left, &Stop::new());
        let circuit = decisive.expect("decisive moves found").circuit;
        let program = LaneProgram::new(&circuit, &playout_sections(ground.layout()));
        let engine = Engine::Interpreter(Arc::new(program), Width::X64);
        let steps = StepEngine::interpreted_of(ground, &circuit, Width::X64);
        let selecting = Playouts::new(ground.clone(), engine.clone(), 100, 3);
        let drawing = Playouts::new(ground.clone(), engine, 100, 3).with_steps(&steps);
        let mut states = states(&game, 23);
        states.retain(|state| ground.phases().of(state).is_some());
        let [selecting, drawing] = [selecting, drawing].map(|mut runner| {
            let queue = runner.queue_mut();
            let ids = (states.iter()).map(|state| queue.add_going(state, Some(40)));
            let ids: Vec<_> = ids.collect();
            common::play_all(&mut runner);
            common::take_tallies(&mut runner, &ids)
        });
        assert_eq!(selecting, drawing, "{name}");
    }
}

#[test]
fn decisive_moves_of_public_games() {
    let Some(shared) = common::shared() else {
        return;
    };
    for (name, avoids) in [
        ("knightThrough", true),
        ("connectFourLarge", true),
        ("pentago", false),
    ] {
        let path = shared.join("games").join(name).with_extension("kif");
        let (won, _) = assert_exact(name, &common::load(&path), false, avoids);
        assert!(won > 0, "{name}");
    }
}

/// In two rounds, first one role chooses a word, then the other. The first has six, of which
/// two win and make a different goal for the other, or else, in another game, none; in that
/// one, the second wins in reply to two of them.
fn game(rules: &str) -> Game {
    let words = ["a", "b", "c", "d", "e", "f"];
    let words: String = words.map(|word| format!("(word {word})")).concat();
    common::game(&format!(
        "(role r) (role s) {words} (init (turn r))
         (<= (next (turn s)) (true (turn r))) (<= (next (turn r)) (true (turn s)))
         (<= (legal r ?w) (true (turn r)) (word ?w)) (<= (legal r wait) (true (turn s)))
         (<= (legal s ?w) (true (turn s)) (word ?w)) (<= (legal s wait) (true (turn r)))
         (<= (next (said ?w)) (word ?w) (does r ?w))
         (<= (next (said ?w)) (true (said ?w)) (not (does s again)))
         (<= (next (reply ?w)) (word ?w) (does s ?w))
         (<= (goal r 0) (not won)) (<= (goal r 100) won)
         {rules}"
    ))
}

/// What plays with decisive moves.
fn decisive_runner(game: &Game) -> Playouts {
    let engine = game.decisive().unwrap();
    assert!(engine.wait());
    let engines = MatchEngines::new(game.engines().unwrap().clone()).with_decisive(engine.clone());
    let subscription = engines.subscribe(PlayoutPolicy::Decisive);
    Playouts::subscribed(subscription, 100, 3)
}

/// Plays this number of matches.
fn play_with(runner: &mut Playouts, rollouts: u64) -> Tally {
    let initial = runner.initial_state().unwrap();
    let id = runner.queue_mut().add(&initial, Some(rollouts));
    common::play_all(runner);
    let (finished, tally) = runner.queue_mut().take_finished().unwrap();
    assert_eq!(finished, id);
    tally.clone()
}

/// Plays this number of matches with decisive moves.
fn play(game: &Game, rollouts: u64) -> Tally {
    play_with(&mut decisive_runner(game), rollouts)
}

/// All matches had one of two values, with equal chances.
fn assert_halves(what: &str, moments: &Moments, [low, high]: [i64; 2]) {
    // (x - low) (x - high) is zero for these, and negative between them.
    let (sum, product) = (i128::from(low + high), i128::from(low * high));
    let others = moments.squares - sum * moments.sum + product * i128::from(moments.count);
    assert_eq!(others, 0, "{what}");
    let mut halves = Moments::default();
    for value in [low, high] {
        halves.add(value, 1 << 40);
    }
    assert_near(what, moments, &halves);
}

#[test]
fn a_role_that_can_win_does_with_equal_chances_for_each_way() {
    let game = game(
        "(<= won (true (said a))) (<= won (true (said d)))
         (<= terminal won) (<= terminal (true (reply ?w)))
         (<= (goal s 10) (true (said a))) (<= (goal s 20) (true (said d)))
         (<= (goal s 100) (not won)) (<= (goal s 0) (true (said a)) (true (said d)))",
    );
    let tally = play(&game, 20_000);
    assert_eq!(tally.lengths.sum, 20_000);
    assert_eq!(tally.goals[0].values.sum, 100 * 20_000);
    assert_halves("ways to win", &tally.goals[1].values, [10, 20]);
}

#[test]
fn a_role_that_cannot_win_does_not_lose_with_equal_chances_for_each_way() {
    // After a, b, d and f, the other role wins with e; after c and e, it does not. Another round may follow, so that
    // what was said excludes no goals.
    let game = game(
        "(<= (legal s again) (true (turn s)))
         (<= lost (true (reply e)) (not (true (said c))) (not (true (said e))))
         (<= won (true (reply f)) (true (reply e)))
         (<= terminal (true (reply ?w)))
         (<= (goal s 100) lost) (<= (goal s 10) (not lost) (true (said c)))
         (<= (goal s 20) (not lost) (not (true (said c))))",
    );
    let tally = play(&game, 20_000);
    assert!(tally.lengths.sum > 2 * 20_000);
    assert_halves("ways to go on", &tally.goals[1].values, [10, 20]);
}

#[test]
fn where_all_moves_lose_all_are_played() {
    let game = game(
        "(<= lost (true (reply e)))
         (<= won (true (reply f)) (true (reply e)))
         (<= terminal (true (reply ?w)))
         (<= (goal s 100) lost (true (said a))) (<= (goal s 100) lost (not (true (said a))))
         (<= (goal s 0) (not lost))
         (<= (goal r 50) (true (said a))) (<= (goal r 50) (true (said b)))
         (<= (goal r 50) (true (said c)))",
    );
    let tally = play(&game, 20_000);
    assert_eq!(tally.goals[1].values.sum, 100 * 20_000);
    // After one half of the moves, the first role has two goals.
    let undefined = tally.goals[0].undefined as f64 / 20_000.0;
    assert!((undefined - 0.5).abs() < 0.02, "{undefined}");
}

#[test]
fn what_cannot_be_told_is_left_alone() {
    // Both decide at once; connections; and the end is a matter of counting.
    for name in ["tron", "hexPie", "reversi"] {
        let game = common::own_game(name);
        let ground = game.ground_game().unwrap();
        assert!(
            DecisiveCircuit::new(ground, None, &Stop::new()).is_none(),
            "{name}"
        );
    }
}

/// With one first move of a hundred, there is a way to win next, and five others.
#[test]
fn rare_decisive_moves_are_given_up() {
    let digits: String = (0..10).map(|digit| format!("(digit {digit})")).collect();
    let game = common::game(&format!(
        "(role r) {digits} (init first)
         (<= (legal r (say ?a ?b)) (true first) (digit ?a) (digit ?b))
         (<= (legal r (go ?a)) (not (true first)) (digit ?a) (distinct ?a 9) (distinct ?a 8)
             (distinct ?a 7) (distinct ?a 6))
         (<= (next lucky) (does r (say 0 0)))
         (<= (next (gone ?a)) (does r (go ?a)))
         (<= (next won) (true lucky) (does r (go 0)))
         (<= terminal (true (gone ?a)))
         (<= (goal r 100) (true won)) (<= (goal r 0) (not (true won)))"
    ));
    let wins = |tally: &Tally| tally.goals[0].values.mean().unwrap() / 100.0;
    let mut runner = decisive_runner(&game);
    assert_eq!(play_with(&mut runner, 1500).rollouts(), 1500);
    let after = wins(&play_with(&mut runner, 100_000));
    assert!((after - 1.0 / 600.0).abs() < 0.0008, "{after}");
}
