//! Batched environments are what state machines are, match by match.

use std::sync::Arc;

use crate::common;
use propjit::Game;
use propjit::game::environment::{
    ActionError, EnvironmentConfig, EnvironmentError, Observation, Outputs, Shape,
    VectorEnvironment,
};
use propjit::game::ground::GroundGame;
use propjit::game::machine::{Move, RoleId, State, StateMachine};
use propjit::support::rng::{GameRng, streams};
use rand::RngExt;

/// Arrays for environments, with bytes as observations.
struct Arrays {
    observation: Vec<u8>,
    legal: Vec<u8>,
    legal_counts: Vec<i32>,
    current: Vec<i32>,
    rewards: Vec<f32>,
    terminated: Vec<u8>,
    truncated: Vec<u8>,
}

impl Arrays {
    fn new(shape: &Shape) -> Arrays {
        let n = shape.environments;
        Arrays {
            observation: vec![9; n * shape.propositions],
            legal: vec![9; n * shape.actors() * shape.actions],
            legal_counts: vec![9; n * shape.actors()],
            current: vec![9; n],
            rewards: vec![9.0; n * shape.players.len()],
            terminated: vec![9; n],
            truncated: vec![9; n],
        }
    }

    fn outputs(&mut self) -> Outputs<'_> {
        Outputs {
            observation: Observation::Bytes(&mut self.observation),
            legal: &mut self.legal,
            legal_counts: &mut self.legal_counts,
            current: &mut self.current,
            rewards: &mut self.rewards,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
        }
    }
}

/// Environments with their arrays, at the start of matches.
fn environment(game: &Game, config: &EnvironmentConfig) -> (VectorEnvironment, Arrays) {
    let mut environment = VectorEnvironment::new(game.engines().unwrap(), config).unwrap();
    let mut arrays = Arrays::new(environment.shape());
    environment.reset(7, arrays.outputs());
    (environment, arrays)
}

/// Legal actions, chosen at random by their ranks.
fn random_actions(environment: &VectorEnvironment, arrays: &Arrays, rng: &mut GameRng) -> Vec<i32> {
    let counts = arrays.legal_counts.iter();
    let ranks: Vec<i32> = counts.map(|&count| rng.random_range(0..count)).collect();
    let mut actions = vec![0; ranks.len()];
    environment.nth_legal(&ranks, &mut actions).unwrap();
    actions
}

/// What a machine says about a state, as environments do.
struct Reference {
    machine: Box<dyn StateMachine>,
    ground: Arc<GroundGame>,
    shape: Shape,
}

impl Reference {
    fn legal(&mut self, state: &State, role: RoleId) -> Vec<Move> {
        let mut moves = Vec::new();
        self.machine.legal_moves(state, role, &mut moves).unwrap();
        moves
    }

    /// The move of a role that an action is, by its text.
    fn played(&self, role: RoleId, action: i32) -> Move {
        let text = self.ground.action_text(action as usize);
        self.ground.parse_move(role, &text).unwrap()
    }

    /// The current player.
    fn current(&mut self, state: &State) -> i32 {
        let players = self.shape.players.clone().into_iter().enumerate();
        let choosing = players.filter(|&(_, role)| self.legal(state, role).len() > 1);
        match *choosing.map(|(player, _)| player).collect::<Vec<_>>() {
            [] => 0,
            [player] => player as i32,
            _ => -1,
        }
    }

    /// The joint moves that the actions may be part of: several, if the game plays at random.
    fn joints(&mut self, state: &State, actions: &[i32]) -> Vec<Vec<Move>> {
        let current = self.current(state);
        let mut joints = vec![Vec::new()];
        for role in RoleId::first(self.machine.roles().len()) {
            let legal = self.legal(state, role);
            let player = self.shape.players.iter().position(|&player| player == role);
            let moves = match player {
                Some(player) if self.shape.joint => vec![self.played(role, actions[player])],
                Some(player) if player as i32 == current => vec![self.played(role, actions[0])],
                Some(_) => vec![legal[0]],
                None => legal,
            };
            let with = |joint: &Vec<Move>| {
                let joint = joint.clone();
                let more = moves.clone().into_iter();
                more.map(move |played| [joint.clone(), vec![played]].concat())
            };
            joints = joints.iter().flat_map(with).collect();
        }
        joints
    }

    /// Checks what the arrays say about an environment against its state.
    fn check(&mut self, state: &State, arrays: &Arrays, place: usize, what: &str) {
        let shape = self.shape.clone();
        let bits = &arrays.observation[place * shape.propositions..][..shape.propositions];
        let observed = bits.iter().enumerate().filter(|(_, bit)| **bit == 1);
        let observed: State = observed.map(|(proposition, _)| proposition).collect();
        assert_eq!(observed, *state, "{what}");
        let current = self.current(state);
        assert_eq!(arrays.current[place], current, "{what}");
        for actor in 0..shape.actors() {
            let player = if shape.joint { actor } else { current as usize };
            let expected = self.legal(state, shape.players[player]);
            let place = place * shape.actors() + actor;
            let legal = &arrays.legal[place * shape.actions..][..shape.actions];
            let legal = legal.iter().enumerate().filter(|(_, legal)| **legal == 1);
            let legal = legal.map(|(action, _)| self.played(shape.players[player], action as i32));
            let mut legal: Vec<Move> = legal.collect();
            legal.sort_unstable();
            assert_eq!(legal, expected, "{what}");
            assert_eq!(arrays.legal_counts[place], expected.len() as i32, "{what}");
        }
    }
}

/// Plays random actions in environments, and the same matches on a machine.
fn compare(name: &str, game: &Game, config: &EnvironmentConfig, steps: usize) -> usize {
    let (mut environment, mut arrays) = environment(game, config);
    let shape = environment.shape().clone();
    let machine = game.machine(game.backend()).unwrap();
    let mut reference = Reference {
        machine,
        ground: game.ground_game().unwrap().clone(),
        shape: shape.clone(),
    };
    let initial = reference.machine.initial_state().unwrap();
    let mut states = vec![initial.clone(); shape.environments];
    let mut rng = streams(3).next().unwrap();
    let mut ends = 0;
    for step in 0..steps {
        for (place, state) in states.iter().enumerate() {
            reference.check(
                state,
                &arrays,
                place,
                &format!("{name}, step {step}, {place}"),
            );
        }
        let actions = random_actions(&environment, &arrays, &mut rng);
        environment.step(&actions, arrays.outputs()).unwrap();
        for (place, state) in states.iter_mut().enumerate() {
            let actions = &actions[place * shape.actors()..][..shape.actors()];
            let next: Vec<State> = reference
                .joints(state, actions)
                .into_iter()
                .map(|joint| reference.machine.next_state(state, &joint).unwrap())
                .collect();
            let ended = arrays.terminated[place] == 1 || arrays.truncated[place] == 1;
            let observed = environment.state(place);
            *state = match next.into_iter().find(|next| ended || *next == observed) {
                Some(next) => next,
                None => panic!("{name}: no move leads there"),
            };
            let rewards = &arrays.rewards[place * shape.players.len()..][..shape.players.len()];
            if arrays.terminated[place] == 1 {
                ends += 1;
                if shape.random.is_none() {
                    assert!(reference.machine.is_terminal(state).unwrap());
                    for (&role, &reward) in shape.players.iter().zip(rewards) {
                        match reference.machine.goal(state, role) {
                            Ok(goal) => assert_eq!(reward, goal as f32, "{name}"),
                            Err(_) => assert!(reward.is_nan(), "{name}"),
                        }
                    }
                }
            } else {
                assert!(rewards.iter().all(|&reward| reward == 0.0));
                assert!(ended || !reference.machine.is_terminal(state).unwrap());
            }
            if ended {
                state.clone_from(&initial);
            }
        }
    }
    ends
}

/// Every own game, on one block that is not full.
#[test]
fn environments_are_like_machines() {
    for (name, path) in common::own_games() {
        let config = EnvironmentConfig::default().with_environments(5);
        let game = common::load(&path);
        game.engines().unwrap().wait();
        compare(&name, &game, &config, 100);
    }
}

/// Several blocks on two threads, with the engine changing on the way, and truncated matches.
#[test]
fn blocks_take_turns() {
    let game = common::own_game("ticTacToe");
    let config = EnvironmentConfig::default()
        .with_environments(1100)
        .with_threads(2);
    assert!(compare("ticTacToe", &game, &config, 30) > 1000);
    let short = config.with_max_steps(3);
    assert_eq!(compare("ticTacToe", &game, &short, 10), 0);
}

/// Random steps are some of the legal ones, are counted, and depend on the seed alone.
#[test]
fn random_steps() {
    let game = common::own_game("connectFour");
    let config = EnvironmentConfig::default().with_environments(700);
    let play = |threads: usize, seed: u64| {
        let config = config.clone().with_threads(threads);
        let (mut environment, mut arrays) = environment(&game, &config);
        environment.reset(seed, arrays.outputs());
        let sums = environment.step_random(100, arrays.outputs());
        let actions = random_actions(&environment, &arrays, &mut streams(1).next().unwrap());
        environment.step(&actions, arrays.outputs()).unwrap();
        (sums, arrays.observation)
    };
    let (sums, observation) = play(1, 5);
    assert_eq!(play(2, 5), (sums.clone(), observation.clone()));
    assert_ne!(play(1, 6).1, observation);
    // Matches last 22 steps on average, red wins 56% of them, and goals add up to 100.
    let matches = sums.terminated as f64;
    assert!((2800.0..3500.0).contains(&matches), "{sums:?}");
    assert_eq!(sums.rewards.iter().sum::<f64>(), 100.0 * matches);
    assert!(
        (0.52..0.60).contains(&(sums.rewards[0] / matches / 100.0)),
        "{sums:?}"
    );
}

/// What happened before a reset does not matter, on any thread.
#[test]
fn resets_start_anew() {
    let game = common::own_game("connectFour");
    // At least one block of the second thread is its only one, with 256 lanes and with 512.
    for environments in [500, 1000] {
        let config = EnvironmentConfig::default()
            .with_environments(environments)
            .with_threads(2);
        let (mut environment, mut arrays) = environment(&game, &config);
        let mut first_step = |random_steps| {
            environment.step_random(random_steps, arrays.outputs());
            environment.reset(1, arrays.outputs());
            let actions = vec![0; environments];
            environment.step(&actions, arrays.outputs()).unwrap();
            arrays.observation.clone()
        };
        let expected = first_step(0);
        assert_eq!(first_step(3), expected);
    }
}

/// Where only chance plays, there are no actions, whatever was asked for.
#[test]
fn environments_without_players() {
    let coin = common::game(
        "(role random) (init (coin heads)) (side heads) (side tails)
         (<= (legal random (turn ?s)) (side ?s))
         (<= (next (coin ?s)) (does random (turn ?s)))
         (<= terminal (true (coin tails))) (goal random 0)",
    );
    for joint in [None, Some(false), Some(true)] {
        let config = EnvironmentConfig::default()
            .with_environments(3)
            .with_joint(joint);
        let (mut environment, mut arrays) = environment(&coin, &config);
        assert_eq!(environment.shape().actors(), 0);
        environment.step(&[], arrays.outputs()).unwrap();
        assert!(environment.step_random(100, arrays.outputs()).terminated > 50);
        environment.nth_legal(&[], &mut []).unwrap();
    }
}

#[test]
fn arrays_can_be_addressed() {
    let game = common::own_game("ticTacToe");
    let fits = |environments| {
        let config = EnvironmentConfig::default().with_environments(environments);
        config.check(game.ground_game().unwrap()).is_ok()
    };
    assert!(fits(1) && fits(1_000_000));
    assert!(!fits(0));
    assert!(!fits(usize::MAX) && !fits(usize::MAX / 2) && !fits(usize::MAX / 64));
}

/// With other threads, and with engines of the same game that was loaded once more, the same matches go on.
#[test]
fn renewed_environments_go_on() {
    let (game, again) = (
        common::own_game("connectFour"),
        common::own_game("connectFour"),
    );
    let config = EnvironmentConfig::default()
        .with_environments(700)
        .with_threads(2);
    let play = |is_renewed: bool| {
        let (mut environment, mut arrays) = environment(&game, &config);
        environment.step_random(5, arrays.outputs());
        if is_renewed {
            environment.renew(again.engines().unwrap()).unwrap();
        }
        let sums = environment.step_random(30, arrays.outputs());
        (sums, arrays.observation)
    };
    assert_eq!(play(true), play(false));
}

#[test]
fn matches_that_are_over_at_once_have_no_steps() {
    let game = common::game(
        "(role r) (init (at 1)) (legal r go) (legal r stay) (<= (next (at 2)) (does r go))
         (<= terminal (true (at 1))) (goal r 50)",
    );
    let config = EnvironmentConfig::default();
    let refused = VectorEnvironment::new(game.engines().unwrap(), &config).unwrap_err();
    assert!(matches!(refused, EnvironmentError::Over), "{refused}");
}

/// More than any memory has, though it can be addressed; on more threads than any system starts.
#[test]
fn environments_without_memory_are_refused() {
    let game = common::own_game("ticTacToe");
    for (environments, threads) in [(10_usize.pow(15), 1), (10_usize.pow(15), usize::MAX)] {
        for joint in [None, Some(true)] {
            let config = EnvironmentConfig::default()
                .with_environments(environments)
                .with_threads(threads)
                .with_joint(joint);
            config.check(game.ground_game().unwrap()).unwrap();
            let refused = VectorEnvironment::new(game.engines().unwrap(), &config).unwrap_err();
            let EnvironmentError::Memory { bytes, .. } = refused else {
                panic!("{refused}");
            };
            assert!(bytes > 20 * environments / 8, "{refused}");
            assert!(refused.to_string().contains("use fewer"), "{refused}");
        }
    }
    // There are no more threads than there is work for.
    let config = EnvironmentConfig::default()
        .with_environments(8)
        .with_threads(usize::MAX);
    environment(&game, &config);
}

/// What cannot be played is refused, and nothing happens then.
#[test]
fn illegal_actions_are_refused() {
    let game = common::own_game("ticTacToe");
    let config = EnvironmentConfig::default().with_environments(300);
    let (mut environment, mut arrays) = environment(&game, &config);
    let mut rng = streams(3).next().unwrap();
    let mut actions = random_actions(&environment, &arrays, &mut rng);
    let before = environment.state(0);
    for action in [-1, 9, 10, 64] {
        actions[299] = action;
        let error = environment.step(&actions, arrays.outputs()).unwrap_err();
        let player = game.engines().unwrap().game().roles()[0].clone();
        assert_eq!(
            error,
            ActionError::Illegal {
                environment: 299,
                player,
                action
            }
        );
    }
    assert_eq!(environment.state(0), before);
    let error = environment
        .step(&actions[..1], arrays.outputs())
        .unwrap_err();
    assert_eq!(
        error,
        ActionError::Count {
            expected: 300,
            given: 1
        }
    );
    let error = environment.nth_legal(&[9; 300], &mut actions).unwrap_err();
    assert!(matches!(
        error,
        ActionError::Rank {
            environment: 0,
            rank: 9,
            count: 9,
            ..
        }
    ));

    // In a game in which all choose at the same time, one action is not enough.
    let game = common::own_game("tron");
    let config = EnvironmentConfig::default().with_environments(2);
    assert!(
        VectorEnvironment::new(game.engines().unwrap(), &config)
            .unwrap()
            .shape()
            .joint
    );
    let config = config.with_joint(Some(false));
    let mut environment = VectorEnvironment::new(game.engines().unwrap(), &config).unwrap();
    let mut arrays = Arrays::new(environment.shape());
    let error = environment.step(&[0, 0], arrays.outputs()).unwrap_err();
    assert_eq!(error, ActionError::Joint { environment: 0 });
}
