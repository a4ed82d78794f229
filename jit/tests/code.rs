//! Machine code against the reference evaluator, on random circuits.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crate::support::{all_outputs, circuits};
use propjit_jit::circuit::{Builder, Circuit, Edge, InputId, Node};
use propjit_jit::code::{Code, CodeConfig, CompileError, Effort, Generator, Guards, Order};
use propjit_jit::evaluator::{Engine, LaneEvaluator};
use propjit_jit::lanes::Width;
use propjit_jit::passes::fold;
use propjit_jit::section::Section;
use propjit_stop::Stop;
use proptest::prelude::*;

/// Every configuration that this CPU can run.
fn configs() -> Vec<CodeConfig> {
    CodeConfig::supported().collect()
}

/// Random words.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        self.0 ^ self.0 >> 29
    }
}

/// Compares all outputs in some lanes with the reference evaluator's.
fn check(
    circuit: &Circuit,
    lanes: &LaneEvaluator,
    config: &CodeConfig,
) -> Result<(), TestCaseError> {
    for lane in [0, 63, config.width.lanes() / 2, config.width.lanes() - 1] {
        let bit = |row: &[u64]| row[lane / 64] >> (lane % 64) & 1 == 1;
        let inputs = 0..circuit.inputs().len();
        let inputs: Vec<bool> = inputs.map(|i| bit(lanes.input(i))).collect();
        let outputs = 0..circuit.outputs().len();
        let outputs: Vec<bool> = outputs.map(|i| bit(lanes.output(i))).collect();
        prop_assert_eq!(
            outputs,
            circuit.evaluate(&inputs),
            "lane {}, {:?}",
            lane,
            config
        );
    }
    Ok(())
}

/// The inputs that each output depends on, by way of any gates and feedback.
fn supports(circuit: &Circuit) -> Vec<BTreeSet<usize>> {
    let mut sources = BTreeMap::new();
    for (node, source) in circuit.loops().iter().flat_map(|lp| &lp.feedback) {
        sources.insert(*node, *source);
    }
    let support = |output: &Edge| {
        let (mut inputs, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut open = vec![output.node()];
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            match circuit.node(node) {
                Node::And(a, b) => open.extend([a.node(), b.node()]),
                Node::Feedback => open.push(sources[&node].node()),
                Node::Input(input) => {
                    inputs.insert(input.index());
                }
                Node::False => {}
            }
        }
        inputs
    };
    circuit.outputs().iter().map(support).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// However outputs are cut into sections, sections into functions, whichever sections
    /// build on which, and in whichever order.
    #[test]
    fn code_evaluates_each_lane(
        circuit in circuits(),
        config in prop::sample::select(configs()),
        cut in any::<Vec<u32>>(),
        after in any::<[bool; 2]>(),
        order in prop::sample::select(&Order::ALL[..]),
        function_size in prop::sample::select(&[1, 7, 10_000][..]),
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
        let config = config.with_order(order).with_function_size(function_size);
        let code = Code::compile(&circuit, &sections, &Guards::default(), &config).unwrap();
        let mut lanes = LaneEvaluator::new(Engine::Code(Arc::new(code)));
        let mut words = Words(seed);
        for _ in 0..3 {
            lanes.inputs_mut(0..circuit.inputs().len()).fill_with(|| words.next());
            for section in [0, 1, 2, 1] {
                lanes.evaluate(section);
            }
            check(&circuit, &lanes, &config)?;
        }
    }

    /// What is left out while guards are false is not missed: neither by outputs, nor
    /// where a guard is false in some lanes only, nor where moves imply legality.
    #[test]
    fn guards_change_nothing(
        circuit in circuits(),
        config in prop::sample::select(configs()),
        guards in prop::collection::vec(any::<u32>(), 1..6),
        moves in prop::collection::vec(any::<[u32; 2]>(), 0..20),
        builds_on_state in any::<bool>(),
        order in prop::sample::select(&Order::ALL[..]),
        function_size in prop::sample::select(&[3, 10_000][..]),
        seed in any::<u64>(),
    ) {
        let count = circuit.inputs().len();
        prop_assume!(count > 0);
        let pick = |code: u32, of: usize| code as usize % of;
        let moved: BTreeSet<usize> = moves.iter().map(|code| pick(code[0], count)).collect();
        // The state's outputs do not depend on moves.
        let (mut state, mut rest) = (Vec::new(), Vec::new());
        for (output, support) in all_outputs(&circuit).into_iter().zip(supports(&circuit)) {
            match support.is_disjoint(&moved) {
                true => state.push(output),
                false => rest.push(output),
            }
        }
        let implies: Vec<_> = moves
            .iter()
            .filter(|_| !state.is_empty())
            .map(|code| (InputId(pick(code[0], count) as u32), state[pick(code[1], state.len())]))
            .collect();
        let guards = Guards {
            inputs: guards.iter().map(|&code| InputId(pick(code, count) as u32)).collect(),
            implies: implies.clone(),
        };
        let after = builds_on_state.then_some(0);
        let sections =
            [Section::alone(state), Section { after, ..Section::alone(rest) }];
        let config = config.with_order(order).with_function_size(function_size).with_guarded(i32::MIN);
        let code = Code::compile(&circuit, &sections, &guards, &config).unwrap();
        let mut lanes = LaneEvaluator::new(Engine::Code(Arc::new(code)));
        let guarded = lanes.guarded_outputs(0..circuit.outputs().len());
        let mut words = Words(seed);
        for _ in 0..6 {
            lanes.inputs_mut(0..count).fill_with(|| words.next());
            for guard in &guards.inputs {
                let sparse = words.next() & words.next() & words.next();
                match words.next() % 4 {
                    0 => {}
                    1 => lanes.input_mut(guard.index()).fill(sparse),
                    _ => lanes.input_mut(guard.index()).fill(0),
                }
            }
            let idle = guarded.iter().filter(|(guard, _)| lanes.is_false(*guard));
            let idle: Vec<_> = idle.collect();
            lanes.evaluate(0);
            for &(input, output) in &implies {
                let legal = lanes.output(output.index()).to_vec();
                for (word, legal) in lanes.input_mut(input.index()).iter_mut().zip(legal) {
                    *word &= legal;
                }
            }
            lanes.evaluate(1);
            check(&circuit, &lanes, &config)?;
            for (_, run) in idle {
                let run = run.start as usize..run.end as usize;
                prop_assert!(lanes.outputs(run).iter().all(|&word| word == 0));
            }
        }
    }
}

/// A circuit of this many gates in a chain.
fn chain(gates: usize) -> Circuit {
    let mut builder = Builder::new(gates + 1);
    let chain = (0..gates).fold(builder.input(gates), |value, i| {
        let input = builder.input(i);
        !builder.and(value, input)
    });
    builder.finish(vec![chain])
}

fn compile(circuit: &Circuit, config: &CodeConfig) -> Result<Code, CompileError> {
    let section = Section::alone(all_outputs(circuit));
    Code::compile(circuit, &[section], &Guards::default(), config)
}

/// Threads may share code, and it goes when the last of them is done with it.
#[test]
fn dropped_code_is_freed() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Code>();
    is_shared::<LaneEvaluator>();
    let Ok(maps) = std::fs::read_to_string("/proc/self/maps") else {
        return propjit_test_support::skipped("there is no /proc/self/maps to count code in");
    };
    let executable = |maps: &str| {
        maps.lines()
            .filter(|line| line.contains("r-xp 00000000 00:00"))
            .count()
    };
    let before = executable(&maps);
    let circuit = chain(20);
    for config in configs() {
        let kept = Arc::new(compile(&circuit, &config).unwrap());
        for _ in 0..2000 {
            let code = Arc::new(compile(&circuit, &config).unwrap());
            let mut lanes = LaneEvaluator::new(Engine::Code(code.clone()));
            drop(code);
            std::thread::scope(|scope| {
                scope.spawn(|| lanes.evaluate(0));
            });
        }
        drop(kept);
    }
    let after = executable(&std::fs::read_to_string("/proc/self/maps").unwrap());
    // Other tests of this process may be at work.
    assert!(
        after <= before + 16,
        "{before} pieces of code, then {after}"
    );
}

#[test]
fn limits_are_kept() {
    let circuit = chain(5000);
    for config in configs() {
        let short = config.clone().with_time(Duration::ZERO);
        assert!(matches!(
            compile(&circuit, &short),
            Err(CompileError::Time(_))
        ));
        let small = config.clone().with_bytes(1000);
        assert!(matches!(
            compile(&circuit, &small),
            Err(CompileError::Size(1000))
        ));
        let stopped = config.clone().with_stop(Stop::new().within(Duration::ZERO));
        assert!(matches!(
            compile(&circuit, &stopped),
            Err(CompileError::Stopped)
        ));
        let widths = config.generator.widths();
        for other in Width::ALL
            .into_iter()
            .filter(|width| !widths.contains(width))
        {
            let refused = compile(&circuit, &CodeConfig::new(config.generator, other));
            assert!(matches!(refused, Err(CompileError::Width(width)) if width == other));
        }
    }
}

/// The effort changes the code, and nothing else.
#[test]
fn efforts_agree() {
    let circuit = chain(300);
    let mut results = Vec::new();
    for effort in [Effort::Least, Effort::Full] {
        let config = CodeConfig::new(Generator::Cranelift, Width::X128).with_effort(effort);
        let mut lanes =
            LaneEvaluator::new(Engine::Code(Arc::new(compile(&circuit, &config).unwrap())));
        let mut words = Words(5);
        lanes.inputs_mut(0..301).fill_with(|| words.next());
        lanes.evaluate(0);
        check(&circuit, &lanes, &config).unwrap();
        results.push(lanes.output(0).to_vec());
    }
    assert_eq!(results[0], results[1]);
}

/// Keys depend on what makes other code, and not on what only ends compiling early.
#[test]
fn keys_leave_out_limits() {
    let circuit = chain(5);
    let sections = [Section::alone(all_outputs(&circuit))];
    let usual = CodeConfig::new(Generator::Cranelift, Width::X64);
    let key = |config: CodeConfig| Code::key(&circuit, &sections, b"", &config).unwrap();
    let expected = key(usual.clone());
    for same in [
        usual.clone().with_time(Duration::ZERO),
        usual.clone().with_bytes(1),
        usual.clone().with_stop(Stop::new().within(Duration::ZERO)),
    ] {
        assert_eq!(key(same), expected);
    }
    for other in [
        CodeConfig::new(Generator::Avx2, Width::X128),
        CodeConfig::new(Generator::Cranelift, Width::X128),
        usual.clone().with_effort(Effort::Least),
        usual.clone().with_order(Order::Level),
        usual.clone().with_function_size(7),
        usual.with_guarded(7),
    ] {
        assert_ne!(key(other), expected);
    }
}

/// What is left of a loop that is none may compare an edge with itself.
#[test]
fn an_edge_differs_from_itself_never() {
    let mut builder = Builder::new(1);
    let input = builder.input(0);
    let feedback = builder.begin_loop(1)[0];
    builder.end_loop(&[input]);
    let differs = builder.xor(feedback, input);
    let looped = builder.finish(vec![differs, !differs]);
    for circuit in [fold(&looped, &[None]), looped] {
        for config in configs() {
            let mut lanes =
                LaneEvaluator::new(Engine::Code(Arc::new(compile(&circuit, &config).unwrap())));
            lanes.input_mut(0)[0] = 0b10;
            lanes.evaluate(0);
            let rows = [0, 1].map(|output| lanes.output(output)[0] & 0b11);
            assert_eq!(rows, [0, 0b11], "{config:?}");
        }
    }
}
