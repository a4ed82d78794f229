//! Circuits: passes, interpreters and machine code against the reference evaluator.

use std::sync::Arc;

use propjit_jit::assumptions::Assumptions;
use propjit_jit::circuit::{Builder, Circuit, Edge, InputId, OutputId};
use propjit_jit::code::{Code, CodeConfig, Guards, Order};
use propjit_jit::evaluator::{Engine, LaneEvaluator};
use propjit_jit::lanes::{LaneProgram, Width};
use propjit_jit::passes::{PassConfig, optimize};
use propjit_jit::scalar::ScalarInterpreter;
use propjit_jit::section::Section;

use super::bytes::Bytes;

/// How many steps a circuit is made in, at most.
const MAX_STEPS: usize = 120;

/// How often inputs are set.
const ROUNDS: usize = 3;

/// Makes a circuit of the bytes, and evaluates it as it is or with what passes made of it.
pub(crate) fn check(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let passes = bytes.below(3);
    let configs: Vec<CodeConfig> = CodeConfig::supported().collect();
    // Compiling takes by far the longest: one configuration at a time.
    let config = configs.get(bytes.below(configs.len()));
    let case = Case::new(&mut bytes);
    let assumptions = match passes {
        0 => None,
        // Passes may not rely on anything when there is nothing to rely on.
        1 => Some(&Assumptions::default()),
        _ => Some(&case.assumptions),
    };
    let circuit = match assumptions {
        None => case.circuit.clone(),
        Some(assumptions) => optimize(&case.circuit, assumptions, &PassConfig::default()).0,
    };
    case.check_scalar(&circuit);
    let program = Arc::new(LaneProgram::new(&circuit, &case.sections));
    for width in Width::ALL {
        case.check_lanes(Engine::Interpreter(program.clone(), width));
    }
    if let Some(config) = config {
        let config = config
            .clone()
            .with_order(case.order)
            .with_function_size(case.function_size)
            .with_guarded(i32::MIN);
        let code = Code::compile(&circuit, &case.sections, &case.guards, &config);
        case.check_lanes(Engine::Code(Arc::new(code.expect("it is small"))));
    }
}

struct Case {
    circuit: Circuit,
    assumptions: Assumptions,
    sections: Vec<Section>,
    guards: Guards,
    order: Order,
    function_size: usize,
    /// What the inputs are made of.
    seed: u64,
}

impl Case {
    fn new(bytes: &mut Bytes<'_>) -> Case {
        let inputs = bytes.below(20);
        let choices = bytes.below(5).min(inputs);
        let group: Vec<InputId> = (0..choices as u32).map(InputId).collect();
        let exactly_one = if group.is_empty() {
            vec![]
        } else {
            vec![group]
        };
        let guards = (0..bytes.below(3).min(inputs)).map(|_| InputId(bytes.below(inputs) as u32));
        let guards = Guards {
            inputs: guards.collect(),
            implies: vec![],
        };
        let order = Order::ALL[bytes.below(3)];
        let function_size = [1, 7, 10_000][bytes.below(3)];
        let seed = u64::from(bytes.short());
        let after = [bytes.below(2) == 1, bytes.below(2) == 1];
        let section = |after: Option<usize>| Section {
            after,
            ..Section::alone(vec![])
        };
        let mut sections = vec![
            section(None),
            section(after[0].then_some(0)),
            section(after[1].then_some(1)),
        ];
        let outputs: Vec<(u16, usize)> = (0..bytes.below(40))
            .map(|_| (bytes.short(), bytes.below(3)))
            .collect();
        let mut builder = Builder::new(inputs);
        let mut edges = vec![Edge::FALSE];
        edges.extend((0..inputs).map(|input| builder.input(input)));
        for _ in 0..MAX_STEPS {
            if bytes.is_empty() {
                break;
            }
            step(bytes, &mut builder, &mut edges);
        }
        for (&(_, section), output) in outputs.iter().zip(0..) {
            sections[section].outputs.push(OutputId(output));
        }
        let outputs = outputs.iter().map(|&(code, _)| pick(&edges, code));
        Case {
            circuit: builder.finish(outputs.collect()),
            assumptions: Assumptions {
                exactly_one,
                implies: vec![],
            },
            sections,
            guards,
            order,
            function_size,
            seed,
        }
    }

    /// The inputs of a lane, in which the assumptions hold.
    fn inputs(&self, round: usize, lane: usize) -> Vec<bool> {
        let mut random = self.seed ^ (round as u64) << 32 ^ (lane as u64) << 48 | 1;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        for _ in 0..4 {
            next();
        }
        let mut inputs: Vec<bool> = self
            .circuit
            .inputs()
            .iter()
            .map(|_| next() & 1 == 1)
            .collect();
        for group in &self.assumptions.exactly_one {
            let chosen = next() as usize % group.len();
            for (place, input) in group.iter().enumerate() {
                inputs[input.index()] = place == chosen;
            }
        }
        // Guards are false in all lanes now and then.
        if round > 0 {
            let moves = self.assumptions.exactly_one.concat();
            for guard in self
                .guards
                .inputs
                .iter()
                .filter(|guard| !moves.contains(guard))
            {
                inputs[guard.index()] &= round == 1 && lane == 0;
            }
        }
        inputs
    }

    fn check_scalar(&self, circuit: &Circuit) {
        let mut scalar = ScalarInterpreter::new(circuit);
        for round in 0..ROUNDS {
            let inputs = self.inputs(round, 0);
            for (index, value) in inputs.iter().enumerate() {
                scalar.set_input(index, *value);
            }
            scalar.settle();
            let outputs = (0..self.circuit.outputs().len() as u32).map(OutputId);
            let outputs: Vec<bool> = outputs.map(|output| scalar.output(output)).collect();
            assert_eq!(outputs, self.circuit.evaluate(&inputs), "scalar");
        }
    }

    fn check_lanes(&self, engine: Engine) {
        let width = engine.width();
        let name = match &engine {
            Engine::Interpreter(..) => "interpreter",
            Engine::Code(_) => "code",
        };
        let mut lanes = LaneEvaluator::new(engine);
        for round in 0..ROUNDS {
            for lane in 0..width.lanes() {
                for (index, value) in self.inputs(round, lane).into_iter().enumerate() {
                    let word = &mut lanes.input_mut(index)[lane / 64];
                    *word = *word & !(1 << (lane % 64)) | u64::from(value) << (lane % 64);
                }
            }
            for section in [0, 1, 2, 1] {
                lanes.evaluate(section);
            }
            for lane in [0, 1, 63, width.lanes() / 2, width.lanes() - 1] {
                let bit = |row: &[u64]| row[lane / 64] >> (lane % 64) & 1 == 1;
                let outputs = 0..self.circuit.outputs().len();
                let outputs: Vec<bool> = outputs.map(|output| bit(lanes.output(output))).collect();
                let expected = self.circuit.evaluate(&self.inputs(round, lane));
                assert_eq!(outputs, expected, "{name}, {width:?}, lane {lane}");
            }
        }
    }
}

/// Adds a gate, a wide gate, or a loop.
fn step(bytes: &mut Bytes<'_>, builder: &mut Builder, edges: &mut Vec<Edge>) {
    match bytes.below(16) {
        0..12 => {
            let (a, b) = (pick(edges, bytes.short()), pick(edges, bytes.short()));
            edges.push(builder.and(a, b));
        }
        kind @ 12..15 => {
            let count = 2 + bytes.below(12);
            let operands: Vec<Edge> = (0..count).map(|_| pick(edges, bytes.short())).collect();
            edges.push(match kind {
                12 => builder.or_all(&operands),
                _ => builder.and_all(&operands),
            });
        }
        _ => {
            // Monotone: members are only read uninverted.
            let feedback = 1 + bytes.below(4);
            let mut members = builder.begin_loop(feedback);
            for _ in 0..bytes.below(24) {
                let a = members[bytes.below(members.len())];
                let b = match bytes.below(3) {
                    0 => members[bytes.below(members.len())],
                    _ => pick(edges, bytes.short()),
                };
                members.push(match bytes.below(2) {
                    0 => builder.and(a, b),
                    _ => builder.or(a, b),
                });
            }
            builder.end_loop(&members[members.len() - feedback..]);
            edges.extend(members);
        }
    }
}

/// An edge, late ones more often, or circuits would be flat.
fn pick(edges: &[Edge], code: u16) -> Edge {
    let (choice, inverted) = (usize::from(code / 4), code & 1 == 1);
    let among = match code & 2 {
        0 => edges.len().min(20),
        _ => edges.len(),
    };
    edges[edges.len() - 1 - choice % among].invert_if(inverted)
}
