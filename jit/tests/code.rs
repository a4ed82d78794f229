//! Machine code against the reference evaluator, on random circuits.

use std::sync::Arc;

use propjit_jit::circuit::Circuit;
use propjit_jit::code::{Code, Config, Section};
use propjit_jit::lanes::LaneEvaluator;
use proptest::prelude::*;
use support::{all_outputs, circuits};

mod support;

/// Every configuration that this CPU can run.
fn configs() -> Vec<Config> {
    Config::supported().collect()
}

/// Evaluates sections in this order for random inputs and compares some lanes.
fn check(
    circuit: &Circuit,
    sections: &[Section],
    order: &[usize],
    config: &Config,
    seed: u64,
) -> Result<(), TestCaseError> {
    let code = Code::compile(circuit, sections, config).expect("the CPU is supported");
    let mut lanes = LaneEvaluator::compiled(Arc::new(code));
    let mut random = seed | 1;
    for _ in 0..3 {
        for word in lanes.inputs_mut(0..circuit.inputs().len()) {
            random = random
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            *word = random ^ random >> 29;
        }
        for &section in order {
            lanes.evaluate(section);
        }
        for lane in [0, 63, config.width.lanes() / 2, config.width.lanes() - 1] {
            let bit = |row: &[u64]| row[lane / 64] >> (lane % 64) & 1 == 1;
            let inputs: Vec<bool> = (0..circuit.inputs().len())
                .map(|i| bit(lanes.input(i)))
                .collect();
            let outputs: Vec<bool> = (0..circuit.outputs().len())
                .map(|i| bit(lanes.output(i)))
                .collect();
            prop_assert_eq!(
                outputs,
                circuit.evaluate(&inputs),
                "lane {}, {:?}",
                lane,
                config
            );
        }
    }
    Ok(())
}

proptest! {
    /// However outputs are cut into sections, sections into functions, and whichever
    /// sections build on which.
    #[test]
    fn code_evaluates_each_lane(
        circuit in circuits(),
        config in prop::sample::select(configs()),
        cut in any::<Vec<u32>>(),
        after in any::<[bool; 2]>(),
        function_size in prop::sample::select(&[1, 7, 10_000][..]),
        seed in any::<u64>(),
    ) {
        let section = |after| Section { outputs: Vec::new(), after };
        let mut sections = [
            section(None),
            section(after[0].then_some(0)),
            section(after[1].then_some(1)),
        ];
        for output in all_outputs(&circuit) {
            let section = cut.get(output.index()).map_or(0, |cut| *cut as usize % 3);
            sections[section].outputs.push(output);
        }
        let config = Config { function_size, ..config };
        check(&circuit, &sections, &[0, 1, 2, 1], &config, seed)?;
    }
}
