//! Batched environments are what state machines are, match by match.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::common;
use propjit::game::boards::Planes;
use propjit::game::environment::{
    ActionError, Autoreset, EnvironmentConfig, EnvironmentError, OVER, Observation, Outputs,
    Rewards, Shape, Source, VectorEnvironment,
};
use propjit::game::ground::GroundGame;
use propjit::game::machine::{Move, RoleId, State, StateMachine};
use propjit::support::rng::{GameRng, streams};
use propjit::{Game, Stop};
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
            observation: vec![9; n * shape.observers() * shape.elements],
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
            finals: None,
        }
    }
}

/// Environments with their arrays, at the start of matches.
fn environment(game: &Game, config: &EnvironmentConfig) -> (VectorEnvironment, Arrays) {
    let mut environment = VectorEnvironment::new(game.engines().unwrap(), config).unwrap();
    let mut arrays = Arrays::new(environment.shape());
    environment.reset(Some(7), None, arrays.outputs());
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
        match *self.choosing(state) {
            [player] => player as i32,
            _ => -1,
        }
    }

    /// The players that have a choice.
    fn choosing(&mut self, state: &State) -> Vec<usize> {
        let players = self.shape.players.clone().into_iter().enumerate();
        let choosing = players.filter(|&(_, role)| self.legal(state, role).len() > 1);
        choosing.map(|(player, _)| player).collect()
    }

    /// Whether a match cannot go on.
    fn is_over(&mut self, state: &State) -> bool {
        let mut roles = RoleId::first(self.machine.roles().len());
        self.machine.is_terminal(state).unwrap()
            || roles.any(|role| self.legal(state, role).is_empty())
    }

    /// The joint moves that the actions may be part of, or forced moves: several, if the game plays at random.
    fn joints(&mut self, state: &State, actions: Option<&[i32]>) -> Vec<Vec<Move>> {
        let current = self.current(state);
        let mut joints = vec![Vec::new()];
        for role in RoleId::first(self.machine.roles().len()) {
            let legal = self.legal(state, role);
            let player = self.shape.players.iter().position(|&player| player == role);
            let moves = match (player, actions) {
                (Some(player), Some(actions)) if self.shape.joint => {
                    vec![self.played(role, actions[player])]
                }
                (Some(player), Some(actions)) if player as i32 == current => {
                    vec![self.played(role, actions[0])]
                }
                (Some(_), _) => vec![legal[0]],
                (None, _) => legal,
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

    /// The states that may follow by these joint moves and forced ones, up to the next choice of a player or the end.
    fn after(&mut self, state: &State, joints: Vec<Vec<Move>>) -> Vec<State> {
        let next = |machine: &mut Box<dyn StateMachine>, state: &State, joint: &[Move]| {
            machine.next_state(state, joint).unwrap()
        };
        let mut open: Vec<State> = (joints.iter())
            .map(|joint| next(&mut self.machine, state, joint))
            .collect();
        // Chance may play many times before a player has a choice.
        let (mut seen, mut settled) = (HashSet::new(), Vec::new());
        while let Some(state) = open.pop() {
            if !seen.insert(state.clone()) {
                continue;
            }
            if self.is_over(&state) || !self.choosing(&state).is_empty() {
                settled.push(state);
                continue;
            }
            for joint in self.joints(&state, None) {
                open.push(next(&mut self.machine, &state, &joint));
            }
        }
        settled
    }

    /// The states in which matches may start.
    fn starts(&mut self) -> Vec<State> {
        let initial = self.machine.initial_state().unwrap();
        match self.choosing(&initial)[..] {
            [] => {
                let joints = self.joints(&initial, None);
                self.after(&initial, joints)
            }
            _ => vec![initial],
        }
    }

    /// Checks what the arrays say about an environment against its state.
    fn check(&mut self, state: &State, arrays: &Arrays, place: usize, what: &str) {
        let shape = self.shape.clone();
        let bits = &arrays.observation[place * shape.elements..][..shape.elements];
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
    let config = config.clone().with_rewards(Some(Rewards::Goals));
    let (mut environment, mut arrays) = environment(game, &config);
    let shape = environment.shape().clone();
    let machine = game.machine(game.backend()).unwrap();
    let mut reference = Reference {
        machine,
        ground: game.ground_game().unwrap().clone(),
        shape: shape.clone(),
    };
    let starts = reference.starts();
    let mut rng = streams(3).next().unwrap();
    let mut ends = 0;
    for step in 0..steps {
        let places = 0..shape.environments;
        let states: Vec<State> = places.map(|place| environment.state(place)).collect();
        for (place, state) in states.iter().enumerate() {
            let what = format!("{name}, step {step}, {place}");
            assert!(step > 0 || starts.contains(state), "{what}");
            assert!(!reference.choosing(state).is_empty(), "{what}");
            reference.check(state, &arrays, place, &what);
        }
        let actions = random_actions(&environment, &arrays, &mut rng);
        environment.step(&actions, arrays.outputs()).unwrap();
        for (place, state) in states.iter().enumerate() {
            let actions = &actions[place * shape.actors()..][..shape.actors()];
            let joints = reference.joints(state, Some(actions));
            let next = reference.after(state, joints);
            let observed = environment.state(place);
            let rewards = &arrays.rewards[place * shape.players.len()..][..shape.players.len()];
            if arrays.terminated[place] == 1 {
                ends += 1;
                let mut last = next.iter();
                let is_last = last.any(|state| {
                    let machine = &mut reference.machine;
                    let mut goals = shape.players.iter().zip(rewards);
                    machine.is_terminal(state).unwrap()
                        && goals.all(|(&role, &reward)| match machine.goal(state, role) {
                            Ok(goal) => reward == goal as f32,
                            Err(_) => reward.is_nan(),
                        })
                });
                assert!(is_last, "{name}: no end has these rewards");
            } else {
                assert!(rewards.iter().all(|&reward| reward == 0.0));
            }
            match arrays.terminated[place] + arrays.truncated[place] {
                0 => assert!(next.contains(&observed), "{name}: no move leads there"),
                _ => assert!(starts.contains(&observed), "{name}: no match starts there"),
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
        environment.reset(Some(seed), None, arrays.outputs());
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
    assert_eq!(sums.rewards.iter().sum::<f64>(), 0.0);
    assert!(
        (0.04..0.20).contains(&(sums.rewards[0] / matches)),
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
            environment.reset(Some(1), None, arrays.outputs());
            let actions = vec![0; environments];
            environment.step(&actions, arrays.outputs()).unwrap();
            arrays.observation.clone()
        };
        let expected = first_step(0);
        assert_eq!(first_step(3), expected);
    }
}

/// Where no player ever has a choice, there is nothing to be learned.
#[test]
fn environments_without_a_choice_are_refused() {
    let coin = "(init (coin heads)) (side heads) (side tails) (role random)
         (<= (legal random (turn ?s)) (side ?s))
         (<= (next (coin ?s)) (does random (turn ?s)))
         (<= terminal (true (coin tails))) (goal random 0)";
    let forced = "(legal p wait) (goal p 0)";
    let over = "(role r) (init (at 1)) (legal r go) (legal r stay) (<= (next (at 2)) (does r go))
         (<= terminal (true (at 1))) (goal r 50)";
    let endless = "(role r) (init on) (legal r wait) (<= (next on) (true on))
         (<= terminal (not (true on))) (goal r 50)";
    let with_player = format!("(role p) {coin} {forced}");
    for rules in [coin, &with_player, over, endless] {
        let game = common::game(rules);
        for joint in [None, Some(false), Some(true)] {
            let config = EnvironmentConfig::default().with_joint(joint);
            let refused = VectorEnvironment::new(game.engines().unwrap(), &config).unwrap_err();
            let is_right = matches!(refused, EnvironmentError::NoChoice { max_steps: 10_000 });
            assert!(is_right, "{refused}");
        }
    }
}

/// Chance deals before the first choice; a third of the deals end the match at once, and are dealt again.
#[test]
fn matches_start_with_a_choice() {
    let game = common::game(
        "(role random) (role p) (init deal) (card 1) (card 2) (card 3)
         (<= (legal random (deal ?c)) (true deal) (card ?c)) (<= (legal random wait) (not (true deal)))
         (<= (legal p wait) (true deal)) (<= (legal p stay) (not (true deal)))
         (<= (legal p go) (not (true deal)))
         (<= (next (holds ?c)) (does random (deal ?c))) (<= (next over) (does p ?m) (distinct ?m wait))
         (<= terminal (true (holds 3))) (<= terminal (true over)) (goal p 100) (goal random 0)",
    );
    let config = EnvironmentConfig::default().with_environments(300);
    let (mut environment, mut arrays) = environment(&game, &config);
    for _ in 0..10 {
        let mut counts = [0; 2];
        for place in 0..300 {
            let held = game
                .ground_game()
                .unwrap()
                .fluents(&environment.state(place));
            match held[..] {
                [ref card] if card == "(holds 1)" => counts[0] += 1,
                [ref card] if card == "(holds 2)" => counts[1] += 1,
                _ => panic!("{held:?}"),
            }
        }
        // Six standard deviations.
        assert!(
            counts.iter().all(|count| (98..=202).contains(count)),
            "{counts:?}"
        );
        let actions = vec![arrays.legal.iter().position(|&legal| legal == 1).unwrap() as i32; 300];
        environment.step(&actions, arrays.outputs()).unwrap();
        assert!(arrays.terminated.iter().all(|&ended| ended == 1));
    }
}

/// After a match, the next one begins at once, with the next step, or when it is asked for.
#[test]
fn matches_follow_matches() {
    let game = common::own_game("ticTacToe");
    for autoreset in [
        Autoreset::SameStep,
        Autoreset::NextStep,
        Autoreset::Disabled,
    ] {
        let config = EnvironmentConfig::default()
            .with_environments(700)
            .with_max_steps(2)
            .with_autoreset(autoreset);
        let (mut environment, mut arrays) = environment(&game, &config);
        let first = arrays.observation.clone();
        for action in [0, 1] {
            environment.step(&[action; 700], arrays.outputs()).unwrap();
        }
        assert!(arrays.truncated.iter().all(|&ended| ended == 1));
        let is_over = autoreset != Autoreset::SameStep;
        assert_eq!(
            arrays.current.iter().all(|&current| current == OVER),
            is_over
        );
        assert_eq!(arrays.observation != first, is_over);
        let step = environment.step(&[2; 700], arrays.outputs());
        match autoreset {
            Autoreset::SameStep => assert_ne!(arrays.observation, first),
            Autoreset::NextStep => assert_eq!(arrays.observation, first),
            Autoreset::Disabled => {
                assert_eq!(step, Err(ActionError::Over { environment: 0 }));
                let mask: Vec<bool> = (0..700).map(|number| number % 3 == 0).collect();
                environment.reset(None, Some(&mask), arrays.outputs());
                let elements = environment.shape().elements;
                let each = arrays
                    .observation
                    .chunks(elements)
                    .zip(first.chunks(elements));
                let fresh: Vec<bool> = each.map(|(now, first)| now == first).collect();
                assert_eq!(fresh, mask);
                let some = environment.step_some(&[2; 700], Some(&mask), arrays.outputs());
                assert_eq!(some, Ok(()));
                let all = environment.step(&[3; 700], arrays.outputs());
                assert_eq!(all, Err(ActionError::Over { environment: 1 }));
                continue;
            }
        }
        step.unwrap();
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

/// Every proposition has a place in planes, as each player sees them.
#[test]
fn planes_have_all_propositions() {
    for (name, path) in common::own_games() {
        let game = common::load(&path);
        for is_relative in [false, true] {
            let planes = Planes::find(&game, is_relative, &Stop::new())
                .unwrap()
                .unwrap();
            let features = planes.features();
            assert_eq!(
                features.len(),
                planes.shape().iter().product::<usize>(),
                "{name}"
            );
            assert_eq!(planes.names().len(), planes.shape()[0], "{name}");
            for player in 0..features.players() {
                let sources = (0..features.len()).map(|element| features.source(player, element));
                let found: BTreeSet<usize> = sources
                    .filter_map(|source| match source {
                        Source::Base(base) => Some(base),
                        Source::Zero | Source::One => None,
                    })
                    .collect();
                let bases = game.ground_game().unwrap().layout().bases.clone();
                assert!(found.into_iter().eq(bases), "{name}, {player}");
            }
            for action in 0..planes.actions() {
                let [_, height, width] = planes.shape();
                let mut cells = planes.places(action).iter().flatten();
                assert!(
                    cells.all(|cell| cell.row < height && cell.column < width),
                    "{name}"
                );
            }
        }
    }
}

/// Environments that were saved go on where they were, on any number of threads.
#[test]
fn saved_environments_go_on() {
    for name in ["connectFour", "kuhnPoker"] {
        let game = common::own_game(name);
        let config = EnvironmentConfig::default().with_environments(700);
        let (mut environment, mut arrays) = environment(&game, &config);
        environment.step_random(5, arrays.outputs());
        let saved = environment.save();
        let mut all = Vec::new();
        for threads in [1, 2] {
            let (mut other, mut arrays) =
                self::environment(&game, &config.clone().with_threads(threads));
            other.load(&saved, arrays.outputs()).unwrap();
            assert!((0..700).all(|place| other.state(place) == environment.state(place)));
            let sums = other.step_random(30, arrays.outputs());
            all.push((sums, arrays.observation, arrays.legal));
        }
        assert_eq!(all[0], all[1]);
        let (mut fewer, mut arrays) =
            self::environment(&game, &config.clone().with_environments(9));
        assert_eq!(fewer.load(&saved, arrays.outputs()), None);
        assert_eq!(fewer.load(b"nothing", arrays.outputs()), None);
    }
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
