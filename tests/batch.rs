//! Many states in one call are what single states are, one after the other.

use crate::common;
use propjit::game::engine::compile::for_playouts;
use propjit::game::load::{Game, Setup};
use propjit::game::machine::batch::{Batch, Child};
use propjit::game::machine::{Backend, Move, RoleId, State, StateMachine};
use propjit::support::rng::{GameRng, streams};
use propjit_jit::code::CodeConfig;
use propjit_jit::evaluator::Engine;
use propjit_jit::lanes::Width;
use rand::RngExt;
use std::sync::Arc;

/// How a single-state machine sees a state.
struct Reference {
    machine: Box<dyn StateMachine>,
    roles: usize,
}

impl Reference {
    fn legal(&mut self, state: &State) -> Vec<Vec<Move>> {
        let legal = |role| {
            let mut moves = Vec::new();
            self.machine
                .legal_moves_unchecked(state, role, &mut moves)
                .unwrap();
            moves
        };
        RoleId::first(self.roles).map(legal).collect()
    }

    fn child(&mut self, state: &State, joint: &[Move]) -> Child {
        let mut next = State::new();
        self.machine
            .next_state_unchecked(state, joint, &mut next)
            .unwrap();
        let terminal = self.machine.is_terminal(&next).unwrap();
        let roles = RoleId::first(self.roles);
        let goals = terminal.then(|| roles.map(|role| self.machine.goal(&next, role).ok()));
        let goals = goals.map(Iterator::collect);
        Child { state: next, goals }
    }
}

/// Joint moves of a state: all combinations, but no more than `limit`.
fn joints(legal: &[Vec<Move>], limit: usize) -> Vec<Move> {
    let count: usize = legal.iter().map(Vec::len).product();
    let combination = |mut number: usize| {
        legal.iter().map(move |moves| {
            let chosen = moves[number % moves.len()];
            number /= moves.len();
            chosen
        })
    };
    (0..count.min(limit)).flat_map(combination).collect()
}

fn pick<'a, T>(rng: &mut GameRng, all: &'a [T]) -> &'a T {
    &all[rng.random_range(0..all.len())]
}

/// Plays random matches and compares children on the way, then lanes with states and moves
/// of their own, and at last forced moves.
#[test]
fn lanes_are_like_single_states() {
    for (name, path) in common::own_games() {
        let game = common::load(&path);
        let ground = game.ground_game().unwrap();
        let roles = ground.roles().len();
        let machine = game.machine(Backend::Scalar).unwrap();
        let mut reference = Reference { machine, roles };
        let mut engines = vec![Engine::Interpreter(
            game.engines().unwrap().programs().lane_program(),
            Width::X512,
        )];
        for config in CodeConfig::supported() {
            engines.push(Engine::Code(Arc::new(
                for_playouts(ground, &config).unwrap(),
            )));
        }
        let mut rng = streams(7).next().unwrap();
        for engine in engines {
            let mut batch = Batch::new(ground.clone(), engine);
            let mut seen: Vec<(State, Vec<Move>)> = Vec::new();
            let mut forced = Vec::new();
            let mut state = ground.initial().clone();
            for _ in 0..30 {
                let legal = batch.legal_moves(&state);
                assert_eq!(legal, reference.legal(&state), "{name}");
                if legal.iter().any(Vec::is_empty) {
                    break;
                }
                // More than there are lanes, if the state has that many.
                let joints = joints(&legal, batch.lanes() + 10);
                let children = batch.children(&state, &joints);
                let joints: Vec<&[Move]> = joints.chunks(roles).collect();
                assert_eq!(children.len(), joints.len());
                let tested = (0..3).map(|_| rng.random_range(0..joints.len()));
                for at in tested.chain([0, joints.len() - 1]) {
                    let expected = reference.child(&state, joints[at]);
                    assert_eq!(children[at], expected, "{name}");
                    seen.push((state.clone(), joints[at].to_vec()));
                }
                if joints.len() == 1 {
                    forced.push(state.clone());
                }
                let child = pick(&mut rng, &children);
                state = match child.goals {
                    None => child.state.clone(),
                    Some(_) => ground.initial().clone(),
                };
            }
            let some: Vec<_> = (0..batch.lanes() - 3)
                .map(|_| pick(&mut rng, &seen))
                .collect();
            batch.enter(some.iter().map(|(state, _)| state));
            let moves: Vec<Move> = some.iter().flat_map(|(_, joint)| joint).copied().collect();
            batch.play(&moves);
            batch.advance(batch.filled());
            let expected: Vec<_> = (some.iter())
                .map(|(state, joint)| reference.child(state, joint))
                .collect();
            compare(&mut batch, &expected, &mut reference);

            // Every second of them goes on, and some of the others are there twice.
            let played: Vec<_> = forced.iter().chain(&forced).take(batch.lanes()).collect();
            batch.enter(played.iter().copied());
            let every_second = (0..played.len()).step_by(2);
            let mut lanes = propjit::LaneMask::default();
            every_second.for_each(|lane| lanes.insert(lane));
            batch.advance_forced(lanes);
            let expected: Vec<_> = (played.iter().enumerate())
                .map(|(lane, state)| match lane % 2 {
                    0 => {
                        let only: Vec<Move> = reference
                            .legal(state)
                            .iter()
                            .map(|moves| moves[0])
                            .collect();
                        reference.child(state, &only)
                    }
                    _ => Child {
                        state: (*state).clone(),
                        goals: None,
                    },
                })
                .collect();
            compare(&mut batch, &expected, &mut reference);
        }
    }
}

/// What roles perceive, in lanes, is what a single machine says, for each of many joint moves at a time.
#[test]
fn percepts_are_those_of_single_states() {
    let rules = "(role a) (role b) (role random) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (card 1) (card 2) (card 3)
        (<= (legal ?r (show ?c)) (role ?r) (card ?c)) (legal a hide)
        (<= (next (at ?n)) (true (at ?m)) (succ ?m ?n)) (<= (next (seen ?c)) (does a (show ?c)))
        (<= (next (seen ?c)) (true (seen ?c)))
        (<= (sees b (card ?c)) (does a (show ?c))) (<= (sees a same) (does b ?m) (does random ?m))
        (<= (sees a (old ?c)) (true (seen ?c)) (does b (show ?c))) (sees b bell)
        (<= terminal (true (at 3))) (goal a 50) (goal b 50) (goal random 0)";
    let game = Game::from_text("cards.kif", rules, &Setup::default()).unwrap();
    let ground = game.ground_game().unwrap();
    let mut machine = game.machine(Backend::Prover).unwrap();
    let mut scalar = game.machine(Backend::Scalar).unwrap();
    let engines = game.engines().unwrap();
    engines.wait();
    let mut batch = Batch::new(ground.clone(), engines.best());
    let mut rng = streams(3).next().unwrap();
    let mut state = ground.initial().clone();
    let mut found = 0;
    while !scalar.is_terminal(&state).unwrap() {
        let legal = batch.legal_moves(&state);
        let joints = joints(&legal, batch.lanes() / 2);
        let count = joints.len() / 3;
        batch.fill(state.words(), count);
        batch.play(&joints);
        batch.evaluate_percepts();
        for role in RoleId::first(3) {
            let percepts = &ground.propnet().roles[role.index()].percepts;
            let words = batch.width().words();
            let rows = batch.percept_rows(role).to_vec();
            for (lane, joint) in joints.chunks_exact(3).enumerate() {
                let held = rows.chunks_exact(words).zip(percepts);
                let held = held.filter(|(row, _)| row[lane / 64] >> (lane % 64) & 1 != 0);
                let mut packed = Vec::new();
                let words = batch.add_percepts(role, &mut packed);
                let packed = &packed[lane * words..][..words];
                let mut texts: Vec<String> = held
                    .inspect(|(_, percept)| {
                        let place = percepts.iter().position(|of| of.name == percept.name);
                        assert!(packed[0] >> place.unwrap() & 1 != 0);
                    })
                    .map(|(_, percept)| ground.propnet().terms.text(percept.name))
                    .collect();
                texts.sort_unstable();
                let fluents = ground.fluents(&state);
                let fluents: Vec<&str> = fluents.iter().map(String::as_str).collect();
                let known = machine.parse_state(&fluents).unwrap();
                let moves = RoleId::first(3).zip(joint);
                let moves: Vec<Move> = moves
                    .map(|(role, &played)| {
                        let text = ground.move_text(role, played);
                        machine.parse_move(role, &text).unwrap()
                    })
                    .collect();
                assert_eq!(texts, machine.percepts(&known, &moves, role).unwrap());
                assert_eq!(texts, scalar.percepts(&state, joint, role).unwrap());
                found += texts.len();
            }
        }
        let chosen = rng.random_range(0..count);
        let joint = &joints[3 * chosen..][..3];
        state = scalar.next_state(&state, joint).unwrap();
    }
    assert!(found > 50, "{found}");
}

/// The batch has these states in its lanes, which it sees as the reference does.
fn compare(batch: &mut Batch, expected: &[Child], reference: &mut Reference) {
    let words = batch.states().len() / expected.len().max(1);
    let states: Vec<u64> = batch.states().to_vec();
    let terminal = batch.terminal();
    let mut legal = vec![vec![Vec::new(); reference.roles]; expected.len()];
    for role in RoleId::first(reference.roles) {
        batch.for_each_legal(role, |lane, legal_move| {
            legal[lane][role.index()].push(legal_move)
        });
    }
    for (lane, child) in expected.iter().enumerate() {
        let mut state = State::new();
        state.assign(&states[lane * words..][..words]);
        assert_eq!(state, child.state);
        assert_eq!(terminal.contains(lane), child.goals.is_some());
        let moves = reference.legal(&state);
        assert_eq!(legal[lane], moves);
        for role in RoleId::first(reference.roles) {
            let (some, several) = batch.choices(role);
            assert_eq!(some.contains(lane), !moves[role.index()].is_empty());
            assert_eq!(several.contains(lane), moves[role.index()].len() > 1);
            if let Some(goals) = &child.goals {
                assert_eq!(batch.goal(role, lane), goals[role.index()]);
            }
        }
    }
}
