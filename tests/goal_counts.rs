//! Goals resynthesised as counters, against the goals of the rules' own circuit.

use std::sync::Arc;
use std::time::Duration;

use crate::common;
use crate::common::random_lanes::RandomLanes;
use propjit::Stop;
use propjit::game::facts::{self, AnalysisConfig};
use propjit::game::ground::sections::playout_sections;
use propjit::game::ground::{GoalTables, section};
use propjit::game::load::Game;
use propjit_jit::counts::Quantity;
use propjit_jit::evaluator::{Engine, LaneEvaluator};
use propjit_jit::lanes::LaneProgram;

/// Games in which goals are resynthesised. The last one's own circuit takes long to interpret.
const PUBLIC: [&str; 3] = ["reversi", "battlebrushes", "othelloSuicide"];

fn is_counted(game: &Game) -> bool {
    let passes = &game.ground_game().unwrap().min_gates().passes;
    passes.iter().any(|pass| pass.name == "counts")
}

/// Plays random matches until this many have ended, and compares all goals in each state with
/// those that the circuit before any pass has. How many ended.
fn compare(game: &Game, ends: u64) -> u64 {
    let ground = game.ground_game().unwrap();
    let layout = ground.layout();
    let sections = playout_sections(layout);
    let program = |circuit| Arc::new(LaneProgram::new(circuit, &sections));
    let restated = program(&ground.min_gates().circuit);
    let width = restated.best_width();
    let mut lanes = RandomLanes::new(ground, Engine::Interpreter(restated, width));
    let lowered = Engine::Interpreter(program(ground.lowered()), width);
    let mut reference = LaneEvaluator::new(lowered);
    let mut done = 0;
    while done < ends {
        let step = lanes.evaluate();
        for base in layout.bases.clone() {
            let row = lanes.evaluator.input(base).to_vec();
            reference.input_mut(base).copy_from_slice(&row);
        }
        reference.evaluate(section::STATE);
        reference.evaluate(section::GOALS);
        for goal in layout.goals.iter().cloned().flatten() {
            assert_eq!(
                lanes.evaluator.output(goal),
                reference.output(goal),
                "goal {goal}"
            );
        }
        done += lanes.all().and_not(step.going).count();
        lanes.advance(&step);
    }
    done
}

#[test]
fn reversi_counts_with_adders() {
    let game = common::own_game("reversi");
    assert!(is_counted(&game));
    let ground = game.ground_game().unwrap();
    assert!(ground.min_gates().circuit.gates() < 6700);
    compare(&game, 2000);
}

fn tables(game: &Game) -> GoalTables {
    let engines = game.engines().unwrap();
    let config = AnalysisConfig::default()
        .with_seed(1)
        .with_time(Duration::from_secs(1_000_000));
    let facts = facts::find(engines, &config, &Stop::new());
    facts.goal_tables.unwrap()
}

#[test]
fn goals_of_reversi_are_tables_of_counts() {
    let tables = tables(&common::own_game("reversi"));
    let counts = tables
        .quantities
        .iter()
        .filter_map(|quantity| match quantity {
            Quantity::Count(terms) => Some(terms.len()),
            _ => None,
        });
    assert_eq!(counts.collect::<Vec<_>>(), [64, 64]);
    assert_eq!(tables.goals.len(), 6);
    for goal in &tables.goals {
        let holds = |values: [usize; 2]| tables.value(goal, &values);
        assert_eq!(holds([33, 32]), None);
        let possible = [[33, 31], [31, 33], [32, 32]].map(holds);
        assert!(possible.iter().all(Option::is_some));
    }
}

#[test]
fn sums_of_goals_are_proved_by_tables_of_counters() {
    let rules = |draw: u32| {
        format!(
            "(role a) (role b) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
             (<= (init (score ?r 0)) (role ?r)) (init (step 0))
             (<= (legal ?r take) (role ?r)) (<= (legal ?r wait) (role ?r))
             (<= (next (score ?r ?m)) (does ?r take) (true (score ?r ?n)) (succ ?n ?m))
             (<= (next (score ?r 4)) (does ?r take) (true (score ?r 4)))
             (<= (next (score ?r ?n)) (does ?r wait) (true (score ?r ?n)))
             (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
             (<= terminal (true (step 4)))
             (<= (more ?m ?n) (succ ?n ?m)) (<= (more ?m ?n) (succ ?n ?k) (more ?m ?k))
             (<= (leads ?r ?o) (true (score ?r ?m)) (true (score ?o ?n)) (more ?m ?n))
             (<= (goal ?r 100) (leads ?r ?o)) (<= (goal ?r 0) (role ?r) (leads ?o ?r))
             (<= (goal ?r {draw}) (role ?r) (not (leads a b)) (not (leads b a)))"
        )
    };
    for (draw, sum) in [(50, Some(100)), (40, None)] {
        let tables = tables(&common::game(&rules(draw)));
        assert_eq!(tables.goals.len(), 6);
        assert_eq!(tables.sum, sum);
        let is_choice = |quantity: &Quantity| matches!(quantity, Quantity::Choice(_));
        assert!(tables.quantities.iter().all(is_choice));
    }
}

/// `PROPJIT_SOAK=1`: ten million ends of matches, and all of these games.
#[test]
fn goals_made_anew_are_those_of_the_rules() {
    let Some(shared) = common::shared() else {
        return;
    };
    let (games, ends) = match common::soak() {
        true => (PUBLIC.len(), 10_000_000),
        false => (PUBLIC.len() - 1, 512),
    };
    for name in &PUBLIC[..games] {
        let game = common::load(&shared.join("games").join(name).with_extension("kif"));
        // Whether there is time for the proof depends on the machine.
        let counted = is_counted(&game);
        let ends = compare(&game, ends);
        eprintln!("{name}: counted {counted}, no difference in {ends} matches");
    }
}
