//! Facts against all states of small games, and against random matches of large ones.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use crate::common;
use crate::common::random_lanes::{RandomLanes, Step};
use propjit::LaneMask;
use propjit::Stop;
use propjit::game::facts::{self, AnalysisConfig, Composite, Fact, Facts, Literal, ProofMethod};
use propjit::game::ground::{GoalTables, GroundGame};
use propjit::game::load::Game;
use propjit::game::machine::batch::Batch;
use propjit::game::machine::random_batch::{BatchStep, RandomBatch};
use propjit::game::machine::{Backend, Move, RoleId, State, StateMachine};
use propjit_jit::InputId;
use propjit_jit::counts::{Quantity, Term};
use propjit_jit::evaluator::Engine;

/// Enough for everything in these games.
fn config() -> AnalysisConfig {
    AnalysisConfig::default()
        .with_time(Duration::from_secs(120))
        .with_seed(1)
}

fn facts(game: &Game) -> Facts {
    facts::find(game.engines().unwrap(), &config(), &Stop::new())
}

fn literals(game: &Game, facts: &Facts) -> Vec<String> {
    let ground = game.ground_game().unwrap();
    let latches = facts.latches.iter();
    let mut texts: Vec<_> = latches.map(|latch| latch.what.text(ground)).collect();
    texts.sort();
    texts
}

/// What holds in a state, beside its propositions.
struct Seen {
    state: State,
    terminal: bool,
    /// For each role, the indices of the goals that it has.
    goals: Vec<Vec<usize>>,
}

impl Seen {
    fn new(machine: &mut dyn StateMachine, game: &GroundGame, state: State) -> Seen {
        let mut values = Vec::new();
        let goals = RoleId::first(game.roles().len()).map(|role| {
            machine.goals(&state, role, &mut values).unwrap();
            let ports = game.propnet().roles[role.index()].goals.iter().enumerate();
            let holding = ports.filter(|(_, goal)| values.contains(&goal.value));
            holding.map(|(at, _)| at).collect()
        });
        Seen {
            goals: goals.collect(),
            terminal: machine.is_terminal(&state).unwrap(),
            state,
        }
    }
}

/// Panics if a state is as the facts say it cannot be.
fn check_state(facts: &Facts, seen: &Seen) {
    let state = &seen.state;
    for invariant in &facts.invariants {
        assert!(invariant.holds(state), "{invariant:?} in {state:?}");
    }
    if let Some(tables) = &facts.goal_tables {
        check_tables(tables, seen);
    }
    if !seen.terminal {
        let holding = facts.finals.iter().find(|literal| literal.holds(state));
        assert_eq!(holding, None, "not final: {state:?}");
        return;
    }
    let latches = facts.goal_latches.entries().iter();
    for exclusion in latches.chain(&facts.goal_inhibitors) {
        if exclusion.literal.holds(state) {
            let goals = &seen.goals[exclusion.role.index()];
            let has_excluded = goals.iter().any(|goal| exclusion.excluded.contains(goal));
            assert!(!has_excluded, "{exclusion:?}: {goals:?}");
        }
    }
    for forced in facts
        .forced_goals
        .iter()
        .filter(|forced| forced.literal.holds(state))
    {
        assert!(
            seen.goals[forced.role.index()].contains(&forced.goal),
            "{forced:?}"
        );
    }
    for (role, goal) in facts.goal_latches.excluded(state) {
        assert!(!seen.goals[role.index()].contains(&goal));
    }
}

/// Panics if a goal is not as its table says. Tables that read wires of the circuit are left out.
fn check_tables(tables: &GoalTables, seen: &Seen) {
    let holds = |input: &InputId| seen.state.contains(input.index());
    let is_true = |term: &Term| term.inputs.iter().any(holds) != term.is_inverted;
    let value = |quantity: &Quantity| match quantity {
        Quantity::Count(terms) => terms.iter().filter(|term| is_true(term)).count(),
        Quantity::Choice(group) => {
            let chosen = group.inputs.iter().position(holds);
            chosen.map_or(0, |place| place + usize::from(!group.is_exact))
        }
        Quantity::Wire(_) => 0,
    };
    let values: Vec<usize> = tables.quantities.iter().map(value).collect();
    let reads_wires = |number: &usize| matches!(tables.quantities[*number], Quantity::Wire(_));
    for goal in &tables.goals {
        if !goal.quantities.iter().any(reads_wires) {
            let has = seen.goals[goal.role.index()].contains(&goal.goal);
            assert_eq!(tables.value(goal, &values), Some(has), "{:?}", seen.state);
        }
    }
    if let (Some(sum), true) = (tables.sum, seen.terminal) {
        assert!(seen.goals.iter().all(|goals| goals.len() == 1), "{sum}");
    }
}

/// Panics if a step is as the facts say it cannot be.
fn check_step(facts: &Facts, before: &Seen, after: &Seen) {
    for Literal { proposition, value } in facts.latches.iter().map(|latch| latch.what) {
        let is_lost = before.state.contains(proposition) == value
            && after.state.contains(proposition) != value;
        assert!(!is_lost, "{proposition} is no latch");
    }
    for composite in facts
        .composites
        .iter()
        .filter(|fact| fact.method != ProofMethod::Unproved)
    {
        let is_lost = composite.what.holds(&before.state) && !composite.what.holds(&after.state);
        assert!(!is_lost, "{composite:?}");
    }
    for latch in facts.latched_goals.iter().map(|latch| latch.what) {
        let has = |seen: &Seen| seen.goals[latch.role.index()].contains(&latch.goal) == latch.value;
        assert!(!has(before) || has(after), "{latch:?}");
    }
    for pair in facts.inhibitors.iter().map(|fact| fact.what) {
        let both = before.state.contains(pair.inhibitor) && after.state.contains(pair.inhibited);
        assert!(!both, "{pair:?}");
    }
}

/// The literals that no step between these states loses, of propositions that vary, and
/// that hold in a state that is not terminal.
struct Kept {
    literals: HashSet<Literal>,
    seen: HashSet<Literal>,
    going_on: HashSet<Literal>,
}

/// Checks the facts in all states that can be reached, or in as many. The literals that
/// are latched in truth, unless there are more states.
fn check_all(game: &Game, facts: &Facts, most: usize) -> Option<HashSet<Literal>> {
    let ground = game.ground_game().unwrap();
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let propositions = ground.propnet().bases.len();
    let mut kept = Kept {
        literals: Literal::all(propositions).collect(),
        seen: HashSet::new(),
        going_on: HashSet::new(),
    };
    let start = ground.initial().clone();
    let mut known: HashSet<State> = HashSet::from([start.clone()]);
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        let before = Seen::new(&mut *machine, ground, state);
        check_state(facts, &before);
        let holding = Literal::all(propositions).filter(|literal| literal.holds(&before.state));
        kept.seen.extend(holding.clone());
        if before.terminal {
            continue;
        }
        kept.going_on.extend(holding);
        for joint in joints(&mut *machine, &before.state) {
            let mut next = State::new();
            machine
                .next_state_unchecked(&before.state, &joint, &mut next)
                .unwrap();
            kept.literals
                .retain(|literal| !literal.holds(&before.state) || literal.holds(&next));
            let after = Seen::new(&mut *machine, ground, next);
            check_step(facts, &before, &after);
            if known.len() < most && known.insert(after.state.clone()) {
                open.push(after.state);
            }
        }
    }
    let varies = |literal: &Literal| kept.seen.contains(literal) && kept.seen.contains(&!*literal);
    let latched = kept.literals.iter().copied();
    let latched = latched.filter(|literal| varies(literal) && kept.going_on.contains(literal));
    (known.len() < most).then(|| latched.collect())
}

/// All legal joint moves.
fn joints(machine: &mut dyn StateMachine, state: &State) -> Vec<Vec<Move>> {
    let mut joints = vec![Vec::new()];
    let mut legal = Vec::new();
    for role in RoleId::first(machine.roles().len()) {
        machine.legal_moves(state, role, &mut legal).unwrap();
        let extended = joints.iter().flat_map(|joint| {
            legal.iter().map(move |&chosen| {
                let mut joint: Vec<Move> = joint.clone();
                joint.push(chosen);
                joint
            })
        });
        joints = extended.collect();
    }
    joints
}

#[test]
fn facts_hold_in_all_states_of_small_games() {
    for name in ["ticTacToe", "untwistyCorridor", "pegTriangle"] {
        let game = common::own_game(name);
        let facts = facts(&game);
        let latched =
            check_all(&game, &facts, 100_000).unwrap_or_else(|| panic!("{name} is not small"));
        let found: HashSet<Literal> = facts.latches.iter().map(|latch| latch.what).collect();
        let ground = game.ground_game().unwrap();
        let missing = latched
            .difference(&found)
            .map(|literal| literal.text(ground));
        assert_eq!(missing.collect::<Vec<_>>(), [""; 0], "{name}");
    }
}

#[test]
fn facts_hold_in_many_states_of_larger_games() {
    for (name, path) in common::own_games() {
        let game = common::load(&path);
        let config = config().with_time(Duration::from_secs(1));
        let facts = facts::find(game.engines().unwrap(), &config, &Stop::new());
        check_all(&game, &facts, 500);
        check_random(&game, &facts, 20_000);
        assert!(facts.steps > 0, "{name}");
    }
}

/// Checks latches in `steps` steps of random matches, and other facts where these end.
fn check_random(game: &Game, facts: &Facts, steps: usize) {
    let ground = game.ground_game().unwrap();
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let engines = game.engines().unwrap();
    engines.wait();
    let batch = Batch::new(ground.clone(), engines.best());
    let words = batch.state_words();
    let of_value = |value: bool| -> State {
        let latches = facts.latches.iter().map(|latch| latch.what);
        latches
            .filter(|l| l.value == value)
            .map(|l| l.proposition)
            .collect()
    };
    let [positive, negative] = [true, false].map(|value| padded(&of_value(value), words));
    let rng = propjit::support::rng::streams(7).next().unwrap();
    let mut matches = RandomBatch::new(batch, rng);
    let mut done = 0;
    let mut check = |step: BatchStep<'_>| {
        let states = step.before.iter().zip(step.after.chunks_exact(words));
        for (lane, (before, after)) in states.enumerate() {
            if step.stuck.contains(lane) {
                continue;
            }
            let before = padded(before, words);
            for at in 0..words {
                let lost = before[at] & !after[at] & positive[at];
                let gained = !before[at] & after[at] & negative[at];
                assert!(lost | gained == 0, "a latch broke in word {at}");
            }
            if step.terminal.contains(lane) {
                let mut state = State::new();
                state.assign(after);
                check_state(facts, &Seen::new(&mut *machine, ground, state));
            }
            done += 1;
        }
        done
    };
    let mut is_enough = false;
    while !is_enough && matches.step(|step| is_enough = check(step) >= steps) {}
}

/// Latches and goals in `steps` steps of random matches, or as many as there are in a minute,
/// without leaving the lanes: a latch that breaks once in millions of steps is found, too.
/// Returns how many steps there were.
fn check_lanes(game: &Game, facts: &Facts, steps: u64) -> u64 {
    let begun = Instant::now();
    let ground = game.ground_game().unwrap();
    let layout = ground.layout();
    let code = game.engines().unwrap().programs().playout_code().unwrap();
    let mut lanes = RandomLanes::new(ground, Engine::Code(code));
    let all = lanes.all();
    let mut done = 0;
    while done < steps && begun.elapsed() < Duration::from_secs(60) {
        let step = lanes.evaluate();
        let Step { terminal, going } = step;
        let evaluator = &lanes.evaluator;
        let holds = |row: &[u64], literal: Literal| match literal.value {
            true => LaneMask::from_words(row),
            false => all.and_not(LaneMask::from_words(row)),
        };
        let here = |literal: Literal| holds(evaluator.input(literal.proposition), literal);
        for latch in facts.latches.iter().map(|latch| latch.what) {
            let next = evaluator.output(layout.next.start + latch.proposition);
            let lost = here(latch).and(going).and_not(holds(next, latch));
            assert!(lost.is_empty(), "{latch:?} is no latch");
        }
        for &literal in &facts.finals {
            let early = here(literal).and_not(terminal);
            assert!(early.is_empty(), "{literal:?} is not final");
        }
        let has = |role: RoleId, goal: usize| {
            let output = layout.goals[role.index()].start + goal;
            LaneMask::from_words(evaluator.output(output)).and(terminal)
        };
        for latch in facts.goal_latches.entries() {
            for &goal in &latch.excluded {
                let wrong = here(latch.literal).and(has(latch.role, goal));
                assert!(wrong.is_empty(), "{latch:?} excludes no goal");
            }
        }
        for forced in &facts.forced_goals {
            let ends = here(forced.literal).and(terminal);
            let wrong = ends.and_not(has(forced.role, forced.goal));
            assert!(wrong.is_empty(), "{forced:?} ensures no goal");
        }
        if going.is_empty() && done == 0 {
            break;
        }
        done += going.count();
        lanes.advance(&step);
    }
    done
}

fn padded(state: &State, words: usize) -> Vec<u64> {
    let mut padded = state.words().to_vec();
    padded.resize(words, 0);
    padded
}

/// `PROPJIT_SOAK=1`: ten million steps of each public rulesheet.
#[test]
fn facts_hold_in_random_matches_of_public_games() {
    let Some(shared) = common::shared() else {
        return;
    };
    let (steps, stride) = if common::soak() {
        (10_000_000, 1)
    } else {
        (100_000, 24)
    };
    let games = common::rulesheets(&shared.join("games"));
    for (name, path) in games.into_iter().step_by(stride) {
        let game = common::load(&path);
        let Some(engines) = game.engines() else {
            eprintln!("{name} cannot be grounded");
            continue;
        };
        let config = config().with_time(Duration::from_secs(if common::soak() { 5 } else { 2 }));
        let facts = facts::find(engines, &config, &Stop::new());
        check_random(&game, &facts, 10_000);
        let steps = check_lanes(&game, &facts, steps);
        let latches = facts.latches.len();
        assert!(steps > 0, "{name}: nothing was checked");
        eprintln!("{name}: {latches} latches hold in {steps} steps");
    }
}

#[test]
fn a_proposition_true_for_one_turn_is_not_a_latch() {
    // Both have the form `not X and c`, once printed as that of a negative latch.
    let game = common::game(
        "(role p) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
         (legal p press) (legal p wait)
         (<= (next lit) (not (true lit)) (does p press))
         (<= (next blink) (not (true blink)))
         (<= (next seen) (true lit))
         (<= (next seen) (true seen))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= terminal (true (step 4)))
         (<= (goal p 100) (true seen)) (<= (goal p 0) (not (true seen)))",
    );
    let facts = facts(&game);
    check_all(&game, &facts, 10_000).unwrap();
    assert_eq!(literals(&game, &facts), ["(not (step 0))", "seen"]);
    let forced: Vec<_> = facts
        .forced_goals
        .iter()
        .map(|forced| forced.goal)
        .collect();
    assert_eq!(forced, [1]);
}

#[test]
fn legality_and_invariants_make_latches_that_have_no_form() {
    // A cell that is marked is not blank, only blank cells may be marked, and marking makes a
    // cell what it becomes: nothing of this is in the rule that says what `red` is next.
    let game = common::game(
        "(role p) (cell 1) (cell 2) (cell 3) (colour red) (colour blue)
         (<= (init (is ?c blank)) (cell ?c))
         (<= (legal p (paint ?c ?k)) (true (is ?c blank)) (colour ?k))
         (<= (next (is ?c ?k)) (does p (paint ?c ?k)))
         (<= (next (is ?c ?k)) (true (is ?c ?k)) (not (painted ?c)))
         (<= (painted ?c) (does p (paint ?c ?k)))
         (<= terminal (not blank))
         (<= blank (true (is ?c blank)))
         (<= (goal p 100) (true (is 1 red)) (true (is 2 blue)))
         (<= (goal p 50) (not win))
         (<= win (true (is 1 red)) (true (is 2 blue)))",
    );
    let facts = facts(&game);
    let latched = check_all(&game, &facts, 10_000).unwrap();
    let found: HashSet<Literal> = facts.latches.iter().map(|latch| latch.what).collect();
    assert_eq!(found, latched);
    assert_eq!(found.len(), 9);
    let ground = game.ground_game().unwrap();
    let entries = facts.goal_latches.entries().iter();
    let mut spoilt: Vec<_> = entries
        .filter(|entry| entry.excluded == [1])
        .map(|entry| entry.literal.text(ground))
        .collect();
    spoilt.sort();
    assert_eq!(spoilt, ["(is 1 blue)", "(is 2 red)"]);
}

/// The composite latches that are proved, as texts.
fn proved_composites(game: &Game) -> Vec<String> {
    let facts = facts(game);
    check_all(game, &facts, 10_000).unwrap();
    let ground = game.ground_game().unwrap();
    let proved = facts
        .composites
        .iter()
        .filter(|fact| fact.method != ProofMethod::Unproved);
    let text = |fact: &Fact<Composite>| {
        let (kind, literals) = match &fact.what {
            Composite::Any(literals) => ("any", literals),
            Composite::All(literals) => ("all", literals),
        };
        let mut texts: Vec<_> = literals.iter().map(|l| l.text(ground)).collect();
        texts.sort();
        format!("{kind} {}", texts.join(" "))
    };
    let mut found: Vec<String> = proved.map(text).collect();
    found.sort();
    found
}

/// One of `p` and `q` is true from the start on, sometimes both; neither stays so by itself.
#[test]
fn one_of_two_may_hold_from_the_start_on() {
    let game = common::game(
        "(role r) (init p) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
         (legal r swap) (legal r both) (legal r wait)
         (<= (next p) (true q) (does r swap)) (<= (next q) (true p) (does r swap))
         (<= (next p) (does r both)) (<= (next q) (does r both))
         (<= (next p) (true p) (does r wait)) (<= (next q) (true q) (does r wait))
         (<= (next p) (true p) (true q) (does r swap))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= terminal (true (step 5))) (<= (goal r 100) (true p)) (<= (goal r 0) (not (true p)))",
    );
    let found = proved_composites(&game);
    assert!(found.contains(&"any p q".to_string()), "{found:?}");
}

#[test]
fn pairs_and_groups_are_latched_though_no_member_is() {
    // A lamp that is switched on stays on in one of three colours, which change; two
    // switches, once both are set, stay so, and one of them alone need not.
    let game = common::game(
        "(role p) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
         (colour red) (colour green) (colour blue)
         (<= (legal p (light ?k)) (colour ?k))
         (legal p (set a)) (legal p (set b)) (legal p wait)
         (<= (next (lamp ?k)) (does p (light ?k)))
         (<= (next (lamp ?k)) (true (lamp ?k)) (not lights))
         (<= lights (does p (light ?k)))
         (<= (next (on ?s)) (does p (set ?s)))
         (<= (next (on ?s)) (true (on a)) (true (on b)) (true (on ?s)))
         (<= (next (on ?s)) (true (on ?s)) (does p (set ?t)))
         (<= (next (on ?s)) (true (on ?s)) (does p wait))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= terminal (true (step 6)))
         (<= (goal p 100) (true (on a)) (true (on b)))
         (<= (goal p 0) (not (true (on a))))
         (<= (goal p 50) (true (on a)) (not (true (on b))))",
    );
    let found = proved_composites(&game);
    assert!(
        found.contains(&"all (on a) (on b)".to_string()),
        "{found:?}"
    );
    assert!(
        found.contains(&"any (lamp blue) (lamp green) (lamp red)".to_string()),
        "{found:?}"
    );
}

#[test]
fn the_corridor_is_dead_after_a_wrong_step() {
    let game = common::own_game("untwistyCorridor");
    let facts = facts(&game);
    let ground = game.ground_game().unwrap();
    let entries = facts.goal_latches.entries();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].literal.text(ground), "p");
    let goals = &ground.propnet().roles[0].goals;
    let excluded = entries[0].excluded.iter().map(|&goal| goals[goal].value);
    assert_eq!(excluded.collect::<Vec<_>>(), [100]);
}

#[test]
fn a_fallen_king_excludes_goals() {
    let game = common::own_game("escortLatchBreakthrough");
    let facts = facts(&game);
    let ground = game.ground_game().unwrap();
    let excluded = |fluent: &str| {
        let state = ground.parse_state(&[fluent]).unwrap();
        let only = |entry: &&facts::GoalLatch| {
            entry.literal.value && state.contains(entry.literal.proposition)
        };
        let entries = facts.goal_latches.entries().iter().filter(only);
        let mut excluded: Vec<(usize, i32)> = entries
            .flat_map(|entry| {
                let role = entry.role.index();
                let goals = &ground.propnet().roles[role].goals;
                entry
                    .excluded
                    .iter()
                    .map(move |&goal| (role, goals[goal].value))
            })
            .collect();
        excluded.sort_unstable();
        excluded
    };
    assert_eq!(excluded("(fallen white)"), [(0, 100), (1, 0)]);
    assert_eq!(excluded("(fallen black)"), [(0, 0), (1, 100)]);
}

#[test]
fn within_limits_little_is_known_and_nothing_wrong() {
    let game = common::own_game("reversi");
    let engines = game.engines().unwrap();
    for (milliseconds, variables) in [(0, 1_000_000), (20, 1_000_000), (100, 0), (500, 3000)] {
        let config = config()
            .with_time(Duration::from_millis(milliseconds))
            .with_variables(variables);
        let facts = facts::find(engines, &config, &Stop::new());
        check_all(&game, &facts, 300);
    }
    let stop = Stop::new();
    stop.set();
    let facts = facts::find(engines, &config(), &stop);
    assert!(facts.invariants.is_empty());
}

#[test]
fn odd_games_have_facts() {
    // One that is over at once; one in which no role can move; one without propositions.
    for rules in [
        "(role p) (init on) (<= (legal p wait) (true on)) (<= (next on) (true on)) terminal (goal p 100)",
        "(role p) (init on) (<= (legal p wait) (true off)) (<= (next off) (true off)) (<= terminal (true off)) (goal p 0)",
        "(role p) (legal p wait) (goal p 50) (<= terminal (not (role p)))",
    ] {
        let game = common::game(rules);
        let config = config().with_time(Duration::from_millis(300));
        let facts = facts::find(game.engines().unwrap(), &config, &Stop::new());
        check_all(&game, &facts, 100);
    }
}

/// Facts for which there was no time are reported as such, and not as absent.
#[test]
fn stages_that_are_cut_off_say_so() {
    let game = common::own_game("ticTacToe");
    let cut = |time| {
        let config = config().with_time(time);
        let facts = facts::find(game.engines().unwrap(), &config, &Stop::new());
        assert_eq!(facts.time_limit, time);
        facts.cut().map(|stage| stage.name).collect::<Vec<_>>()
    };
    assert_eq!(cut(Duration::from_secs(1000)), [""; 0]);
    let at_once = cut(Duration::ZERO);
    for stage in [
        "random matches",
        "invariants",
        "latches",
        "goal tables",
        "decided states",
        "goal latches",
        "composites",
    ] {
        assert!(at_once.contains(&stage), "{stage}: {at_once:?}");
    }
}
