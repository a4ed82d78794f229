//! The interpreters against the reference evaluator, on random circuits.

use std::sync::Arc;

use crate::support::{all_outputs, circuits};
use propjit_jit::Stop;
use propjit_jit::circuit::{Builder, Circuit, Edge, OutputId};
use propjit_jit::code::{Code, CodeConfig, CompileError, Guards};
use propjit_jit::evaluator::{Engine, LaneEvaluator};
use propjit_jit::lanes::{LaneProgram, Width};
use propjit_jit::scalar::ScalarInterpreter;
use propjit_jit::section::Section;
use proptest::prelude::*;

fn scalar_outputs(scalar: &ScalarInterpreter, circuit: &Circuit) -> Vec<bool> {
    let outputs = all_outputs(circuit);
    outputs
        .into_iter()
        .map(|output| scalar.output(output))
        .collect()
}

proptest! {
    /// Whatever changes between settlings, the outputs are those of the inputs.
    #[test]
    fn scalar_follows_changes(
        circuit in circuits(),
        changes in prop::collection::vec(any::<(u32, bool, bool)>(), 0..200),
    ) {
        let count = circuit.inputs().len();
        let mut inputs = vec![false; count];
        let mut scalar = ScalarInterpreter::new(&circuit);
        prop_assert_eq!(scalar_outputs(&scalar, &circuit), circuit.evaluate(&inputs));
        for (input, value, settle) in changes {
            if count > 0 {
                let input = input as usize % count;
                inputs[input] = value;
                scalar.set_input(input, value);
            }
            if settle {
                scalar.settle();
                let expected = circuit.evaluate(&inputs);
                prop_assert_eq!(scalar_outputs(&scalar, &circuit), expected);
            }
        }
    }

    /// Setting inputs in bulk is setting them one by one, and clones are independent.
    #[test]
    fn scalar_sets_inputs_in_bulk(
        circuit in circuits(),
        words in prop::collection::vec(any::<[u64; 2]>(), 1..10),
        count in any::<usize>(),
    ) {
        let count = count % (circuit.inputs().len() + 1);
        let fresh = ScalarInterpreter::new(&circuit);
        let mut inputs = vec![false; circuit.inputs().len()];
        let mut scalar = fresh.clone();
        for words in words {
            for (i, input) in inputs[..count].iter_mut().enumerate() {
                *input = words[i / 64] >> (i % 64) & 1 == 1;
            }
            scalar.set_inputs(count, &words);
            scalar.settle();
            prop_assert_eq!(scalar_outputs(&scalar, &circuit), circuit.evaluate(&inputs));
        }
        let unchanged = circuit.evaluate(&vec![false; circuit.inputs().len()]);
        prop_assert_eq!(scalar_outputs(&fresh, &circuit), unchanged);
    }

    /// Every lane is right, at every width, however outputs are cut into sections
    /// and however often sections are evaluated.
    #[test]
    fn lanes_evaluate_each_lane(
        circuit in circuits(),
        width in prop::sample::select(&Width::ALL[..]),
        cut in any::<Vec<u32>>(),
        after in any::<[bool; 2]>(),
        seed in any::<u64>(),
    ) {
        let section = |after| Section { after, ..Section::alone(Vec::new()) };
        let mut sections = [
            section(None),
            section(after[0].then_some(0)),
            section(after[1].then_some(1)),
        ];
        for output in all_outputs(&circuit) {
            let section = cut.get(output.index()).map_or(0, |cut| *cut as usize % 3);
            sections[section].outputs.push(output);
        }
        let program = Arc::new(LaneProgram::new(&circuit, &sections));
        let mut lanes = LaneEvaluator::new(Engine::Interpreter(program, width));
        let mut random = seed | 1;
        for _ in 0..3 {
            for word in lanes.inputs_mut(0..circuit.inputs().len()) {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                *word = random ^ random >> 29;
            }
            for section in [0, 1, 2, 1] {
                lanes.evaluate(section);
            }
            for lane in [0, 63, width.lanes() / 2, width.lanes() - 1] {
                let bit = |row: &[u64]| row[lane / 64] >> (lane % 64) & 1 == 1;
                let inputs: Vec<bool> =
                    (0..circuit.inputs().len()).map(|i| bit(lanes.input(i))).collect();
                let outputs: Vec<bool> =
                    (0..circuit.outputs().len()).map(|i| bit(lanes.output(i))).collect();
                prop_assert_eq!(outputs, circuit.evaluate(&inputs), "lane {}", lane);
            }
        }
    }
}

/// Reachability along a chain of switches: true from one end to the other only
/// through the recursion, and false again when a switch in the middle opens.
#[test]
fn loops_have_least_fixpoint_meaning() {
    const LENGTH: usize = 100;
    let mut builder = Builder::new(LENGTH);
    let switches: Vec<Edge> = (0..LENGTH).map(|i| builder.input(i)).collect();
    let reached = builder.begin_loop(LENGTH);
    let sources: Vec<Edge> = (0..LENGTH)
        .map(|i| {
            let left = if i == 0 { Edge::TRUE } else { reached[i - 1] };
            let right = if i + 1 == LENGTH {
                Edge::FALSE
            } else {
                reached[i + 1]
            };
            let near = builder.or(left, right);
            builder.and(near, switches[i])
        })
        .collect();
    builder.end_loop(&sources);
    let circuit = builder.finish(reached);

    let mut scalar = ScalarInterpreter::new(&circuit);
    let program = LaneProgram::new(&circuit, &[Section::alone(all_outputs(&circuit))]);
    let mut lanes = LaneEvaluator::new(Engine::Interpreter(Arc::new(program), Width::X64));
    for open in [LENGTH, 50, LENGTH, 0, 99] {
        for i in 0..LENGTH {
            scalar.set_input(i, i != open);
            // The other lanes have all switches closed.
            lanes.input_mut(i)[0] = !u64::from(i == open);
        }
        scalar.settle();
        lanes.evaluate(0);
        for i in 0..LENGTH {
            assert_eq!(scalar.output(OutputId(i as u32)), i < open);
            assert_eq!(lanes.output(i)[0], if i < open { !0 } else { !1 });
        }
    }
}

/// A gate outside the loop is read by an output and by feedback, and by nothing else.
#[test]
fn feedback_from_outside() {
    let mut builder = Builder::new(2);
    let (a, b) = (builder.input(0), builder.input(1));
    let both = builder.and(a, b);
    let feedback = builder.begin_loop(1)[0];
    builder.end_loop(&[both]);
    let circuit = builder.finish(vec![both, feedback]);
    let mut scalar = ScalarInterpreter::new(&circuit);
    for inputs in [[false, true], [true, true], [true, false], [true, true]] {
        scalar.set_input(0, inputs[0]);
        scalar.set_input(1, inputs[1]);
        scalar.settle();
        assert_eq!(scalar_outputs(&scalar, &circuit), circuit.evaluate(&inputs));
    }
}

/// A conjunction of more inputs than a byte counts.
#[test]
fn very_wide_gates() {
    let mut builder = Builder::new(1000);
    let inputs: Vec<Edge> = (0..1000).map(|i| builder.input(i)).collect();
    let all = builder.and_all(&inputs);
    let any = builder.or_all(&inputs);
    let circuit = builder.finish(vec![all, any, Edge::TRUE, Edge::FALSE, !inputs[7]]);
    let mut scalar = ScalarInterpreter::new(&circuit);
    assert_eq!(scalar.outputs(), [0b10100]);
    for i in 0..1000 {
        scalar.set_input(i, true);
        scalar.settle();
        let mut expected = 0b00110 | u64::from(i == 999) | u64::from(i < 7) << 4;
        assert_eq!(scalar.outputs(), [expected]);
        scalar.set_input(i, false);
        scalar.settle();
        expected = 0b00100 | u64::from(i > 0) << 1 | u64::from(i <= 7) << 4;
        assert_eq!(scalar.outputs(), [expected]);
        scalar.set_input(i, true);
    }
}

/// No program is made when it is no longer needed.
#[test]
fn a_stop_ends_the_making_of_programs() {
    let mut builder = Builder::new(2);
    let both = builder.and(builder.input(0), builder.input(1));
    let circuit = builder.finish(vec![both]);
    let sections = [Section::alone(vec![OutputId(0)])];
    let stop = Stop::new();
    assert!(LaneProgram::unless(&circuit, &sections, &stop).is_some());
    stop.set();
    assert!(LaneProgram::unless(&circuit, &sections, &stop).is_none());
}

/// Neither is code, whose time counts while it is planned, too.
#[test]
fn a_stop_ends_the_planning_of_code() {
    let mut builder = Builder::new(2);
    let both = builder.and(builder.input(0), builder.input(1));
    let circuit = builder.finish(vec![both]);
    let sections = [Section::alone(vec![OutputId(0)])];
    let config = CodeConfig::best().with_time(std::time::Duration::ZERO);
    let error = Code::compile(&circuit, &sections, &Guards::default(), &config).unwrap_err();
    assert!(matches!(error, CompileError::Time(_)), "{error}");
    config.stop.set();
    let error = Code::compile(&circuit, &sections, &Guards::default(), &config).unwrap_err();
    assert!(matches!(error, CompileError::Stopped), "{error}");
}
