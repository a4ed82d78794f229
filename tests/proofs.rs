//! Proof search: that its verdicts are those of a full search, from the states that it was asked
//! about and from all others in its cubes.

use std::sync::Arc;
use std::time::Duration;

use crate::common;
use crate::common::full_search::{Reference, TooMuch, completion, is_in};
use crate::common::random_matches::{joints, legal, random_match};
use crate::workers::{FORCED, after};
use propjit::Stop;
use propjit::game::load::Game;
use propjit::game::machine::{Backend, Move, RoleId, State};
use propjit::game::position::History;
use propjit::play::matches::Script;
use propjit::proof::forced::{
    KnownWins, MAX_DEPTH, Pace, ParallelProver, Proof, ProofConfig, ProofError, ProofMessage,
    ProofMode, ProofPosition, ProofRequest, ProofWay, ProofWorker, Prover, Target, Verdict,
    WorkerEvent,
};
use propjit::search::SearchBudget;
use propjit::search::mcts::{Mcts, MctsConfig};
use propjit::support::rng::streams;
use rand::RngExt;

/// Compares verdicts about states of random matches, and about completions of cubes, with a full
/// search to at most this depth and of this many states.
fn check(game: &Game, name: &str, depth: u32, matches: usize, completions: usize) -> [usize; 3] {
    let ground = game.ground_game().unwrap();
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let mut rng = streams(0x9f00).next().unwrap();
    let mut checked = [0; 3];
    let roles = RoleId::first(ground.roles().len());
    for (role, seed) in roles.zip(0..) {
        let mut values: Vec<i32> = (ground.propnet().roles[role.index()].goals.iter())
            .map(|goal| goal.value)
            .collect();
        // The lowest is no target; a few of the others are enough.
        values.remove(0);
        let most = values.pop();
        let some = values.get(values.len() / 2).copied();
        for value in most.into_iter().chain(some) {
            let target = Target { role, value };
            for mode in [ProofMode::Both, ProofMode::Threats] {
                let config = ProofConfig::default().with_mode(mode);
                let mut prover = Prover::new(game.engines().unwrap(), target, &config).unwrap();
                let mut pace = Pace::new(&Stop::new());
                for _ in 0..matches {
                    let states = random_match(&mut *machine, &mut rng);
                    let from = states.len().saturating_sub(depth as usize + 2);
                    for state in &states[from..] {
                        let within = rng.random_range(1..=depth);
                        let mut in_vain = 0;
                        let searched = |depth| in_vain = depth;
                        let proof = prover.prove(state, within, &mut pace, searched).unwrap();
                        let mut reference = Reference {
                            machine: &mut *machine,
                            target,
                            left: 200_000,
                        };
                        let place = || {
                            let state = ground.fluents(state);
                            let verdict = proof.verdict;
                            format!("{name}, seed {seed}, {target:?}, {verdict:?}, {state:?}")
                        };
                        let within = match mode {
                            ProofMode::Threats => 0,
                            _ => within,
                        };
                        match expected(&mut reference, state, &proof, within, in_vain) {
                            Ok(is_right) => assert!(is_right, "{}", place()),
                            Err(TooMuch) => continue,
                        }
                        checked[usize::from(matches!(proof.verdict, Verdict::Won(_)))] += 1;
                        let Some(cube) = &proof.cube else { continue };
                        let phase = ground.phases().of(state).unwrap();
                        for _ in 0..completions {
                            let other = completion(ground, phase, cube, state, &mut rng);
                            reference.left = 50_000;
                            let depth = cube.depth().min(depth);
                            if let Ok(forced) = reference.forces(&other, depth) {
                                let other = ground.fluents(&other);
                                assert_eq!(forced, cube.won(), "{} but {other:?}", place());
                                checked[2] += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    checked
}

/// Whether the verdict is that of a full search, or agrees with it if it is by threats. If only
/// threats were searched, `within` is 0.
fn expected(
    reference: &mut Reference<'_>,
    state: &State,
    proof: &Proof,
    within: u32,
    in_vain: u32,
) -> Result<bool, TooMuch> {
    Ok(match proof.verdict {
        Verdict::Won(0) => reference.achieves(state),
        Verdict::Won(depth) => {
            let mut is_least = || Ok(in_vain < depth && !reference.forces(state, in_vain)?);
            let is_least = proof.way != ProofWay::Full || is_least()?;
            reference.forces(state, depth)? && is_least
        }
        Verdict::Lost => !reference.forces(state, within + 2)?,
        Verdict::NotWithin(0) => within == 0,
        Verdict::NotWithin(depth) => depth == within && !reference.forces(state, depth)?,
    })
}

#[test]
fn verdicts_and_cubes_are_those_of_a_full_search() {
    let mut all = [0; 3];
    for (name, depth) in [
        ("ticTacToe", 9),
        ("connectFour", 5),
        ("breakthroughSmall", 4),
        ("threePlayerTicTacToe", 4),
        ("nineBoardTicTacToe", 3),
        ("dotsAndBoxes", 3),
        ("kalah", 4),
        ("tron", 3),
        ("escortLatchBreakthrough", 3),
        ("captureGo", 3),
        ("reversi", 3),
        ("pegTriangle", 5),
        ("piglet", 3),
        ("pipes", 4),
        ("hexPie", 2),
    ] {
        let game = common::load(&common::own_folder().join(name).with_extension("kif"));
        let (matches, completions) = if common::soak() { (40, 50) } else { (2, 6) };
        let checked = check(&game, name, depth, matches, completions);
        eprintln!("{name}: {checked:?} verdicts that fail, win, and completions");
        for (all, checked) in all.iter_mut().zip(checked) {
            *all += checked;
        }
    }
    let [failed, won, completed] = all;
    assert!(failed > 100 && won > 100 && completed > 1000, "{all:?}");
}

/// Columns into which discs were dropped by turns, red's first, on a position of 20 columns and rows,
/// and the number of joint moves in which red can force a win then.
const PLANTED: [(&[u32], u32); 2] = [
    (
        &[4, 3, 12, 11, 12, 10, 6, 4, 11, 15, 6, 15, 3, 11, 17, 11],
        15,
    ),
    (
        &[
            4, 10, 13, 10, 8, 6, 20, 13, 19, 15, 5, 6, 1, 9, 16, 6, 11, 20, 6, 14, 1, 8, 12, 5,
        ],
        13,
    ),
];

/// Connect four on a position of 20 columns and rows.
fn large_connect_four() -> Game {
    let text = propjit::gdl::games::text("connectFour").unwrap();
    let mut text = text.replace("(filled ?c 6)", "(filled ?c 20)");
    assert!(text.contains("(filled ?c 20)"));
    for number in 6..20 {
        let next = number + 1;
        if number > 6 {
            text.push_str(&format!("(nextColumn {number} {next})\n"));
        }
        text.push_str(&format!("(nextRow {number} {next})\n"));
    }
    common::game(&text)
}

/// That the role wins within `depth` joint moves, if it plays what a prover says, whatever the
/// others do.
fn wins_by_its_moves(
    reference: &mut Reference<'_>,
    prover: &mut Prover,
    state: &State,
    depth: u32,
) {
    let mut pace = Pace::new(&Stop::new());
    let proof = prover.prove(state, depth, &mut pace, |_| ()).unwrap();
    assert!(
        matches!(proof.verdict, Verdict::Won(_)),
        "{:?}",
        proof.verdict
    );
    let role = reference.target.role.index();
    let mut choices = legal(reference.machine, state);
    choices[role] = vec![proof.line[0][role]];
    for joint in joints(&choices) {
        let next = reference.machine.next_state(state, &joint).unwrap();
        let won = reference.forces(&next, 2.min(depth - 1));
        if !won.is_ok_and(|won| won) {
            wins_by_its_moves(reference, prover, &next, depth - 1);
        }
    }
}

#[test]
fn wins_by_threats_are_deep_and_are_wins() {
    let game = large_connect_four();
    let ground = game.ground_game().unwrap();
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let role = RoleId(0);
    let target = Target { role, value: 100 };
    let config = ProofConfig::default().with_mode(ProofMode::Threats);
    for (columns, depth) in PLANTED {
        let mut state = machine.initial_state().unwrap();
        for (number, column) in columns.iter().enumerate() {
            let mut joint = ["noop".to_string(), "noop".to_string()];
            joint[number % 2] = format!("(drop {column})");
            let joint = RoleId::first(2).zip(&joint);
            let joint = joint.map(|(role, text)| ground.parse_move(role, text).unwrap());
            let joint: Vec<Move> = joint.collect();
            state = machine.next_state(&state, &joint).unwrap();
        }
        let mut prover = Prover::new(game.engines().unwrap(), target, &config).unwrap();
        let mut pace = Pace::new(&Stop::new());
        let proof = prover.prove(&state, depth, &mut pace, |_| ()).unwrap();
        assert_eq!(proof.verdict, Verdict::Won(depth));
        assert_eq!(proof.line.len(), depth as usize);
        let mut reference = Reference {
            machine: &mut *machine,
            target,
            left: u64::MAX,
        };
        wins_by_its_moves(&mut reference, &mut prover, &state, depth);
    }
}

#[test]
fn local_search_finds_forced_wins_and_their_moves() {
    let game = common::load(&common::own_folder().join("breakthroughSmall.kif"));
    let mut history = History::new(game.follow().unwrap());
    history.follow(&Script::inline(FORCED)).unwrap();
    let config = MctsConfig::default().with_local(true).with_seed(1);
    let mut search = Mcts::new(&game, Backend::Compiled, config).unwrap();
    let depth = history.depth() as u32;
    search.set_root_fluents(&history.fluents(), depth).unwrap();
    let stop = Stop::new().within(Duration::from_secs(100));
    search
        .run(&SearchBudget::default().with_stop(stop))
        .unwrap();
    let role = RoleId(1);
    let report = search.report(role);
    assert!(report.solved, "{report:?}");
    assert_eq!(report.value, Some(100.0));

    // The move is one after which the win is proved as well.
    let best = search.move_text(role, report.best.unwrap());
    let state = after(&game, &format!("{FORCED}; noop | {best}"));
    let target = Target { role, value: 100 };
    let engines = game.engines().unwrap();
    let mut prover = Prover::new(engines, target, &ProofConfig::default()).unwrap();
    let mut pace = Pace::new(&Stop::new().within(Duration::from_secs(100)));
    let proof = prover.prove(&state, 20, &mut pace, |_| ()).unwrap();
    assert!(
        matches!(proof.verdict, Verdict::Won(_)),
        "{:?}",
        proof.verdict
    );
}

#[test]
fn wins_that_are_found_on_the_way_are_wins() {
    let game = common::own_game("ticTacToe");
    let known = Arc::new(KnownWins::new(game.ground_game().unwrap().clone()));
    let (told, wins) = crossbeam_channel::unbounded();
    let tell = {
        let known = known.clone();
        move |event| {
            if let WorkerEvent::Message(ProofMessage::Wins(wins)) = event {
                known.add(&wins);
                return told.send(wins.cubes.len()).is_ok();
            }
            true
        }
    };
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let position = ProofPosition {
        state: machine.initial_state().unwrap(),
        role: None,
    };
    let mut worker = ProofWorker::start(game.engines().unwrap(), Arc::new(tell));
    worker.query(ProofRequest {
        number: 1,
        share: 1.0,
        positions: vec![position],
    });
    let mut count = 0;
    while count < 50 {
        count += wins.recv_timeout(Duration::from_secs(100)).unwrap();
    }
    drop(worker);
    let mut rng = streams(0xa100).next().unwrap();
    let mut found = 0;
    for _ in 0..300 {
        for state in random_match(&mut *machine, &mut rng) {
            let Some((target, ceilings)) = known.look_up(&state) else {
                continue;
            };
            found += 1;
            let other = RoleId(1 - target.role.0);
            assert_eq!(ceilings, [(other, 0)]);
            let mut reference = Reference {
                machine: &mut *machine,
                target,
                left: u64::MAX,
            };
            assert!(reference.forces(&state, 9).is_ok_and(|forced| forced));
        }
    }
    assert!(found > 50, "{found}");
}

#[test]
fn a_search_without_a_horizon_decides_about_each_state() {
    let game = common::own_game("ticTacToe");
    let engines = game.engines().unwrap();
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let mut rng = streams(0x9f9f).next().unwrap();
    let mut won = 0;
    for target in [50, 100].map(|value| Target {
        role: RoleId(1),
        value,
    }) {
        let config = ProofConfig::default().with_mode(ProofMode::Numbers);
        let mut prover = Prover::new(engines, target, &config).unwrap();
        for _ in 0..20 {
            for state in random_match(&mut *machine, &mut rng) {
                let mut pace = Pace::new(&Stop::new());
                let proof = prover.prove(&state, MAX_DEPTH, &mut pace, |_| ());
                let verdict = proof.unwrap().verdict;
                let mut reference = Reference {
                    machine: &mut *machine,
                    target,
                    left: u64::MAX,
                };
                let depth = match verdict {
                    Verdict::Won(depth) => depth,
                    Verdict::Lost => 9,
                    Verdict::NotWithin(_) => panic!("nothing was found out"),
                };
                let is_won = verdict != Verdict::Lost;
                assert_eq!(reference.forces(&state, depth).unwrap(), is_won);
                won += u32::from(is_won);
            }
        }
    }
    assert!(won > 20, "{won}");
}

/// Two rooms, and a door out of both, which the other role need not open.
const ROOMS: &str = "
    (role guest) (role host)
    (init (in hall))
    (legal guest stay) (legal guest go)
    (legal host wait) (legal host open)
    (other hall parlour) (other parlour hall)
    (<= (next (in ?x)) (true (in ?x)) (does guest stay))
    (<= (next (in ?y)) (true (in ?x)) (does guest go) (other ?x ?y))
    (<= (next out) (does host open))
    (<= terminal (true out))
    (<= (goal guest 100) (true out)) (<= (goal guest 0) (not (true out)))
    (goal host 50)
";

#[test]
fn a_search_without_a_horizon_ends_where_states_are_repeated() {
    let game = common::game(ROOMS);
    let target = Target {
        role: RoleId(0),
        value: 100,
    };
    let config = ProofConfig::default().with_mode(ProofMode::Numbers);
    let mut prover = Prover::new(game.engines().unwrap(), target, &config).unwrap();
    let state = game.ground_game().unwrap().initial();
    let mut pace = Pace::new(&Stop::new());
    let proof = prover.prove(state, MAX_DEPTH, &mut pace, |_| ()).unwrap();
    // No number of joint moves is enough, but there is no end that would prove that.
    assert_eq!(proof.verdict, Verdict::NotWithin(0));
}

#[test]
fn several_threads_find_what_one_does() {
    for (name, depth) in [
        ("breakthroughSmall", 6),
        ("connectFour", 6),
        ("tron", 3),
        ("threePlayerTicTacToe", 5),
    ] {
        let game = common::load(&common::own_folder().join(name).with_extension("kif"));
        let mut machine = game.machine(Backend::Scalar).unwrap();
        let mut rng = streams(0x7ea3).next().unwrap();
        let role = RoleId(0);
        let goals = &game.ground_game().unwrap().propnet().roles[0].goals;
        let value = goals.last().unwrap().value;
        let target = Target { role, value };
        let engines = game.engines().unwrap();
        // By threats, wins may be found that take longer.
        let config = ProofConfig::default().with_mode(ProofMode::Full);
        let mut team = ParallelProver::new(engines, target, &config, 3, &Stop::new()).unwrap();
        for _ in 0..4 {
            let states = random_match(&mut *machine, &mut rng);
            let from = states.len().saturating_sub(depth as usize + 2);
            for state in &states[from..] {
                let mut alone = Prover::new(engines, target, &config).unwrap();
                let mut pace = Pace::new(&Stop::new());
                let one = alone.prove(state, depth, &mut pace, |_| ()).unwrap();
                let all = team.prove(state, depth, &Stop::new(), |_| ()).unwrap();
                // Whether a failure is final depends on which refutation was found.
                let won = |proof: &Proof| match proof.verdict {
                    Verdict::Won(depth) => Some(depth),
                    Verdict::Lost | Verdict::NotWithin(_) => None,
                };
                assert_eq!(won(&all), won(&one), "{name}, {:?}", all.verdict);
                let Some(cube) = &all.cube else { continue };
                assert!(is_in(state, cube));
                let ground = game.ground_game().unwrap();
                let phase = ground.phases().of(state).unwrap();
                for _ in 0..5 {
                    let other = completion(ground, phase, cube, state, &mut rng);
                    let mut reference = Reference {
                        machine: &mut *machine,
                        target,
                        left: 50_000,
                    };
                    if let Ok(forced) = reference.forces(&other, cube.depth().min(depth)) {
                        assert_eq!(forced, cube.won(), "{name}");
                    }
                }
            }
        }
    }
}

/// A game of two joint moves, with a third phase in which no role has a move, as it is over.
#[test]
fn games_that_are_over_before_a_threat_could_be_carried_out() {
    let rules = "(role a) (role b) (n 1) (n 2) (n 3) (then 1 2) (then 2 3) (then 3 1)
        (init (phase 1)) (<= (next (phase ?q)) (true (phase ?p)) (then ?p ?q))
        (<= (legal a (say ?n)) (true (phase 1)) (n ?n)) (<= (legal a noop) (true (phase 2)))
        (<= (legal b (say ?n)) (true (phase 2)) (n ?n)) (<= (legal b noop) (true (phase 1)))
        (<= (legal b noop) (true (phase 3)))
        (<= (next (said ?r ?n)) (does ?r (say ?n)))
        (<= (next (said ?r ?n)) (true (said ?r ?n)))
        (<= terminal (true (phase 3)))
        (<= (goal a 100) (true (said a ?n))) (<= (goal a 0) (not (true (phase 3))))
        (<= same (true (said a ?n)) (true (said b ?n)))
        (<= (goal b 100) same) (<= (goal b 0) (not same))";
    let game = common::game(rules);
    let initial = game.ground_game().unwrap().initial().clone();
    for (role, value) in [(0, 100), (1, 100)] {
        let target = Target {
            role: RoleId(role),
            value,
        };
        for mode in [ProofMode::Threats, ProofMode::All, ProofMode::Full] {
            let config = ProofConfig::default().with_mode(mode);
            let mut prover = Prover::new(game.engines().unwrap(), target, &config).unwrap();
            let mut pace = Pace::new(&Stop::new());
            let proof = prover.prove(&initial, 10, &mut pace, |_| ()).unwrap();
            if mode != ProofMode::Threats {
                assert!(
                    matches!(proof.verdict, Verdict::Won(_)),
                    "{mode:?}: {proof:?}"
                );
            }
        }
    }
}

#[test]
fn no_team_gets_ready_after_a_stop() {
    let game = common::own_game("ticTacToe");
    let target = Target {
        role: RoleId(0),
        value: 100,
    };
    let stop = Stop::new();
    stop.set();
    let config = ProofConfig::default();
    let team = ParallelProver::new(game.engines().unwrap(), target, &config, 2, &stop);
    assert!(matches!(team, Err(ProofError::Stopped)), "{team:?}");
}
