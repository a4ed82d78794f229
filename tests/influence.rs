//! Influence: distances that are known by hand, and what they promise, in random matches.

use std::collections::HashMap;

use crate::common;
use crate::common::names::scrambled;
use propjit::Stop;
use propjit::game::ground::GroundGame;
use propjit::game::load::Game;
use propjit::game::machine::{Backend, Move, RoleId, State, StateMachine};
use propjit::proof::influence::{Distances, Influence, InfluenceError, RoleMove};
use propjit::support::rng::streams;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

fn influence(game: &Game) -> Influence {
    Influence::new(game.ground_game().unwrap(), &Stop::new()).unwrap()
}

/// A move by its text.
fn find(game: &Game, role: u32, text: &str) -> RoleMove {
    let played = game.ground_game().unwrap().parse_move(RoleId(role), text);
    (RoleId(role), played.unwrap())
}

/// A game of one role with two boards, on each of which moves go in order. A step counter ends it,
/// and nothing is legal then.
const TWO_BOARDS: &str = "
    (role p)
    (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (before left 1 2) (before left 2 3) (before right 1 2)
    (<= (legal p (open ?board 1)) (before ?board 1 ?n) (not terminal))
    (<= (legal p (open ?board ?n)) (before ?board ?m ?n) (true (opened ?board ?m)) (not terminal))
    (<= (next (opened ?board ?n)) (does p (open ?board ?n)))
    (<= (next (opened ?board ?n)) (true (opened ?board ?n)))
    (<= terminal (true (step 4)))
    (<= terminal (true (opened left 3)))
    (<= (goal p 100) (true (opened left 3)))
    (<= (goal p 0) (not (true (opened left 3))))
";

#[test]
fn boards_without_influence_on_each_other_are_at_no_distance() {
    let game = common::game(TWO_BOARDS);
    let influence = influence(&game);
    let [left, second, third] = [1, 2, 3].map(|n| find(&game, 0, &format!("(open left {n})")));
    let [right, last] = [1, 2].map(|n| find(&game, 0, &format!("(open right {n})")));
    assert_eq!(influence.distance(left, second), Some(1));
    assert_eq!(influence.distance(left, third), Some(2));
    assert_eq!(influence.distance(second, third), Some(1));
    assert_eq!(influence.distance(right, last), Some(1));
    for (from, to) in [
        (left, right),
        (right, third),
        (second, last),
        (third, left),
        (left, left),
    ] {
        assert_eq!(influence.distance(from, to), None, "{from:?} {to:?}");
    }
    let nearest = influence.distances(left).nearest();
    assert_eq!(nearest, [(second, 1), (third, 2)]);

    let goal = |played| influence.to_goal(RoleId(0), played);
    assert_eq!(
        [left, second, third, right].map(goal),
        [Some(3), Some(2), Some(1), None]
    );
    let end = |played| influence.to_end(played);
    assert_eq!(
        [left, second, third, right].map(end),
        [Some(3), Some(2), Some(1), None]
    );
    let ground = game.ground_game().unwrap();
    let proposition = |text| ground.parse_state(&[text]).unwrap().iter().next().unwrap();
    let to_goal = |text| influence.proposition_to_goal(RoleId(0), proposition(text));
    assert_eq!(to_goal("(opened left 3)"), Some(0));
    assert_eq!(to_goal("(opened left 1)"), Some(2));
    assert_eq!(to_goal("(opened right 1)"), None);
    assert_eq!(to_goal("(step 2)"), None);
    assert_eq!(
        influence.proposition_to_end(proposition("(step 4)")),
        Some(0)
    );

    let (distances, sources) = influence.distribution(&Stop::new());
    assert_eq!(
        (distances.counts, distances.never, sources),
        (vec![0, 3, 1], 16, 5)
    );
    let goal = &influence.goals()[0];
    assert_eq!(
        (goal.value, &goal.terms[..], goal.complete, goal.touched),
        (100, &[1][..], true, 5)
    );
}

/// A walker goes along a corridor that the other role may shut, in turns.
const CORRIDOR: &str = "
    (role walker) (role guard)
    (init (at 1)) (init (control walker)) (succ 1 2) (succ 2 3) (succ 3 4)
    (<= (next (control guard)) (true (control walker)))
    (<= (next (control walker)) (true (control guard)))
    (<= (legal walker (go ?n)) (true (control walker)) (true (at ?n)) (succ ?n ?m) (not (true shut)))
    (<= (legal walker rest) (true (control walker)))
    (<= (legal walker noop) (true (control guard)))
    (<= (legal guard shut) (true (control guard)))
    (<= (legal guard wait) (true (control guard)))
    (<= (legal guard noop) (true (control walker)))
    (<= (next (at ?m)) (does walker (go ?n)) (succ ?n ?m))
    (<= (next (at ?n)) (true (at ?n)) (not (gone ?n)))
    (<= (gone ?n) (does walker (go ?n)))
    (<= (next shut) (does guard shut))
    (<= (next shut) (true shut))
    (<= terminal (true (at 4)))
    (<= (goal walker 100) (true (at 4))) (<= (goal walker 0) (not (true (at 4))))
    (<= (goal guard 0) (true (at 4))) (<= (goal guard 100) (not (true (at 4))))
";

#[test]
fn joint_moves_are_counted_whoever_makes_them() {
    let game = common::game(CORRIDOR);
    let influence = influence(&game);
    let [first, second, third] = [1, 2, 3].map(|n| find(&game, 0, &format!("(go {n})")));
    let [rest, shut] = [find(&game, 0, "rest"), find(&game, 1, "shut")];
    assert_eq!(influence.distance(first, second), Some(2));
    assert_eq!(influence.distance(first, third), Some(4));
    assert_eq!(influence.distance(shut, third), Some(1));
    assert_eq!(influence.distance(first, shut), None);
    assert_eq!(influence.distance(rest, first), None);
    let goal = |played| influence.to_goal(RoleId(0), played);
    assert_eq!(
        [first, second, third, rest].map(goal),
        [Some(5), Some(3), Some(1), None]
    );
    assert_eq!(goal(shut), Some(2));
    assert_eq!(influence.to_goal(RoleId(1), shut), Some(2));
}

#[test]
fn a_frame_rule_about_all_other_moves_couples_nothing() {
    let game = common::game(
        "(role p) (c 1) (c 2) (c 3) (c 4)
         (<= (init (cell ?c blank)) (c ?c))
         (<= (legal p (mark ?c)) (true (cell ?c blank)))
         (<= (next (cell ?c x)) (does p (mark ?c)))
         (<= (next (cell ?c ?v)) (true (cell ?c ?v)) (does p (mark ?d)) (distinct ?c ?d))
         (<= line (true (cell 1 x)) (true (cell 2 x)))
         (<= line (true (cell 3 x)) (true (cell 4 x)) (true (cell 1 x)))
         (<= terminal line)
         (<= (goal p 100) line) (<= (goal p 0) (not line))",
    );
    let influence = influence(&game);
    let marks = [1, 2, 3, 4].map(|c| find(&game, 0, &format!("(mark {c})")));
    for from in marks {
        for to in marks {
            let expected = (from == to).then_some(1);
            assert_eq!(influence.distance(from, to), expected, "{from:?} {to:?}");
        }
        assert_eq!(influence.touched(from).len(), 2);
    }
    let goal = &influence.goals()[0];
    assert_eq!(
        (&goal.terms[..], goal.complete, goal.touched),
        (&[2, 3][..], true, 8)
    );
    // By the line of two.
    let to_goal = marks.map(|mark| influence.to_goal(RoleId(0), mark));
    assert_eq!(to_goal, [Some(1), Some(1), None, None]);
    assert_eq!(marks.map(|mark| influence.to_end(mark)), [Some(1); 4]);
}

#[test]
fn moves_made_together_touch_what_depends_on_both() {
    let game = common::game(
        "(role a) (role b)
         (legal a x) (legal a y) (legal a z) (legal b x) (legal b y)
         (<= (legal b late) (true both))
         (<= (next both) (does a x) (does b x))
         (<= (next other) (does b y))
         (<= (legal a last) (true other))
         (<= terminal (true never)) (<= (next never) (true never))
         (goal a 0) (goal b 0)",
    );
    let influence = influence(&game);
    let [x, y, z, last] = ["x", "y", "z", "last"].map(|text| find(&game, 0, text));
    let [other_x, other_y, late] = ["x", "y", "late"].map(|text| find(&game, 1, text));
    assert_eq!(influence.distance(x, late), Some(1));
    assert_eq!(influence.distance(other_x, late), Some(1));
    assert_eq!(influence.distance(other_y, last), Some(1));
    assert_eq!(influence.distance(y, late), None);
    assert_eq!(influence.distance(z, last), None);
    assert_eq!(influence.distance(x, last), None);
}

#[test]
fn lines_are_terms_of_their_propositions() {
    let game = common::own_game("connectFour");
    let influence = influence(&game);
    for goal in influence.goals() {
        // 24 across, 21 upwards, 24 diagonal.
        assert_eq!(goal.terms, [4; 69]);
        assert!(goal.complete);
    }
    let game = common::own_game("reversi");
    let goals = self::influence(&game).goals().to_vec();
    assert!(
        goals
            .iter()
            .all(|goal| !goal.complete && goal.terms.len() < 100)
    );
}

#[test]
fn a_stop_ends_it() {
    let game = common::own_game("breakthrough");
    let stop = Stop::new();
    stop.set();
    let stopped = Influence::new(game.ground_game().unwrap(), &stop);
    assert!(matches!(stopped, Err(InfluenceError::Stopped)));
    let (distances, sources) = influence(&game).distribution(&stop);
    assert_eq!(
        (distances.finite(), distances.mean(), sources),
        (0, None, 0)
    );
}

#[test]
fn names_do_not_matter() {
    for name in [
        "breakthroughSmall",
        "connectFour",
        "escortLatchBreakthrough",
        "tron",
    ] {
        let text = propjit_gdl::games::text(name).unwrap();
        let mut names = HashMap::new();
        let (game, other) = (
            common::own_game(name),
            common::game(&scrambled(text, &mut names)),
        );
        let (influence, scrambled_influence) = (influence(&game), self::influence(&other));
        let ground = game.ground_game().unwrap();
        let moves: Vec<RoleMove> = influence.moves().collect();
        let mut partner = |(role, played): RoleMove| {
            let text = scrambled(&ground.move_text(role, played), &mut names);
            find(&other, role.0, &text)
        };
        let partners: Vec<RoleMove> = moves.iter().map(|&played| partner(played)).collect();
        for (&from, &other_from) in moves.iter().zip(&partners) {
            let distances = influence.distances(from);
            let other = scrambled_influence.distances(other_from);
            for (&to, &other_to) in moves.iter().zip(&partners) {
                assert_eq!(
                    distances.to(to),
                    other.to(other_to),
                    "{name}: {from:?} {to:?}"
                );
            }
            for of in RoleId::first(ground.roles().len()) {
                let to_goal = influence.to_goal(of, from);
                assert_eq!(
                    to_goal,
                    scrambled_influence.to_goal(of, other_from),
                    "{name}"
                );
            }
        }
        for (goal, other) in influence.goals().iter().zip(scrambled_influence.goals()) {
            assert_eq!(
                (&goal.terms, goal.complete),
                (&other.terms, other.complete),
                "{name}"
            );
        }
    }
}

/// Matches that part, and what distances promise about them.
struct Parting<'a> {
    machine: &'a mut dyn StateMachine,
    game: &'a GroundGame,
    influence: &'a Influence,
    distances: HashMap<RoleMove, Distances>,
    /// How many moves were legal in both or in neither because they had to be, and how many
    /// propositions the same.
    promises: u64,
}

impl Parting<'_> {
    fn legal(&mut self, state: &State) -> Vec<Vec<Move>> {
        let roles = RoleId::first(self.game.roles().len());
        let moves = roles.map(|role| {
            let mut moves = Vec::new();
            self.machine.legal_moves(state, role, &mut moves).unwrap();
            moves
        });
        moves.collect()
    }

    fn is_near(&mut self, from: [RoleMove; 2], to: RoleMove, steps: u32) -> bool {
        from.iter().any(|&from| {
            let distances = self.distances.entry(from);
            let distances = distances.or_insert_with(|| self.influence.distances(from));
            distances.to(to).is_some_and(|distance| distance <= steps)
        })
    }

    /// Plays a random match, from which two part in each state where a role has a choice.
    fn check(&mut self, steps: usize, rng: &mut impl Rng) {
        let mut state = self.machine.initial_state().unwrap();
        for _ in 0..steps {
            if self.machine.is_terminal(&state).unwrap() {
                return;
            }
            let legal = self.legal(&state);
            if legal.iter().any(Vec::is_empty) {
                return;
            }
            let joint: Vec<Move> = legal
                .iter()
                .map(|moves| *moves.choose(rng).unwrap())
                .collect();
            let next = self.machine.next_state(&state, &joint).unwrap();
            let role = rng.random_range(0..legal.len());
            let other = *legal[role].choose(rng).unwrap();
            if other != joint[role] {
                let moves = [joint[role], other].map(|played| (RoleId(role as u32), played));
                let mut other_joint = joint.clone();
                other_joint[role] = other;
                let other_next = self.machine.next_state(&state, &other_joint).unwrap();
                self.follow(moves, [next.clone(), other_next], rng);
            }
            state = next;
        }
    }

    /// Goes on from states after two moves.
    fn follow(&mut self, from: [RoleMove; 2], mut states: [State; 2], rng: &mut impl Rng) {
        for steps in 1..=6 {
            let over = [0, 1].map(|i| self.machine.is_terminal(&states[i]).unwrap());
            if over[0] != over[1] {
                let to_end = from.map(|played| self.influence.to_end(played));
                assert!(
                    to_end.iter().flatten().any(|&distance| distance <= steps),
                    "{from:?} decide about the end after {steps}, not {to_end:?}"
                );
            }
            if over[0] || over[1] {
                return;
            }
            let legal = [0, 1].map(|i| self.legal(&states[i]));
            let mut joints = [Vec::new(), Vec::new()];
            let mut is_far = true;
            for role in RoleId::first(legal[0].len()) {
                let moves = [0, 1].map(|i| &legal[i][role.index()]);
                let mut near = [Vec::new(), Vec::new()];
                let mut both = Vec::new();
                for number in 0..self.game.propnet().roles[role.index()].moves.len() {
                    let played = Move(number as u32);
                    let is_legal = moves.map(|moves| moves.contains(&played));
                    if is_legal == [false; 2] {
                        continue;
                    }
                    let is_near = self.is_near(from, (role, played), steps);
                    if !is_near {
                        self.promises += 1;
                        assert_eq!(
                            is_legal[0], is_legal[1],
                            "{from:?} decide after {steps} whether {role:?} may play {played:?}"
                        );
                    }
                    if is_legal[0] && is_legal[1] {
                        both.push(played);
                    }
                    for (near, is_legal) in near.iter_mut().zip(is_legal) {
                        if is_near && is_legal {
                            near.push(played);
                        }
                    }
                }
                let may_differ = near.iter().all(|near| !near.is_empty());
                let played = match (may_differ && rng.random_bool(0.5), both.choose(rng)) {
                    (false, Some(&played)) => [played; 2],
                    _ if may_differ => [0, 1].map(|i| *near[i].choose(rng).unwrap()),
                    _ => return,
                };
                is_far &= played[0] == played[1] && !self.is_near(from, (role, played[0]), steps);
                joints
                    .iter_mut()
                    .zip(played)
                    .for_each(|(joint, played)| joint.push(played));
            }
            let before = states.clone();
            for (state, joint) in states.iter_mut().zip(&joints) {
                *state = self.machine.next_state(state, joint).unwrap();
            }
            if is_far {
                let random = self.machine.random_role();
                for played in RoleId::first(legal[0].len()).zip(joints[0].clone()) {
                    for proposition in self.influence.touched(played) {
                        let held = [0, 1].map(|i| before[i].contains(proposition));
                        if Some(played.0) == random && held[0] != held[1] {
                            // Chance has the same moves in all phases, and may touch this in another one.
                            continue;
                        }
                        self.promises += 1;
                        let holds = [0, 1].map(|i| states[i].contains(proposition));
                        assert_eq!(holds[0], holds[1], "{from:?} decide what {played:?} does");
                    }
                }
            }
        }
    }
}

/// The number of promises that were kept.
fn check(game: &Game, influence: &Influence, matches: u64) -> u64 {
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let mut parting = Parting {
        machine: &mut *machine,
        game: game.ground_game().unwrap(),
        influence,
        distances: HashMap::new(),
        promises: 0,
    };
    for seed in 0..matches {
        parting.check(60, &mut streams(seed).next().unwrap());
    }
    parting.promises
}

#[test]
fn what_is_far_is_not_changed_in_small_games() {
    for rules in [TWO_BOARDS, CORRIDOR] {
        let game = common::game(rules);
        assert!(check(&game, &influence(&game), 300) > 1000);
    }
    for (name, path) in common::own_games() {
        let game = common::load(&path);
        if game.ground_game().is_some() {
            let kept = check(&game, &influence(&game), 10);
            eprintln!("{name}: {kept} promises");
        }
    }
}

/// `PROPJIT_SOAK=1`: all public rulesheets.
#[test]
fn what_is_far_is_not_changed_in_public_games() {
    let Some(shared) = common::shared() else {
        return;
    };
    let stride = if common::soak() { 1 } else { 24 };
    let games = common::rulesheets(&shared.join("games"));
    for (name, path) in games.into_iter().step_by(stride) {
        let game = common::load(&path);
        let Some(ground) = game.ground_game() else {
            eprintln!("{name} cannot be grounded");
            continue;
        };
        match Influence::new(ground, &Stop::new()) {
            Ok(influence) => {
                let kept = check(&game, &influence, 3);
                let (distances, _) = influence.distribution(&Stop::new());
                eprintln!("{name}: {kept} promises, {:?} on average", distances.mean());
            }
            Err(error) => eprintln!("{name}: {error}"),
        }
    }
}
