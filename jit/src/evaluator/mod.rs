//! Evaluation in lanes by either engine: the interpreter or machine code.
//!
//! An [`Engine`] is shared by all threads; each thread has a [`LaneEvaluator`] with the
//! rows of its own lanes.

mod memory;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::code::Code;
use crate::lanes::LaneProgram;
use crate::rows::{Constants, Layout, Width};
use memory::Rows;

/// The rows of one thread, with the engine that evaluates them: a circuit for all lanes of
/// its [`Width`].
///
/// The rows of consecutive inputs, and of consecutive outputs, are adjacent in
/// memory: a range of them is a matrix with [`Width::words`] words per row. Outputs
/// [in place](crate::circuit::Circuit::in_place) of inputs have the same rows.
#[derive(Clone)]
pub struct LaneEvaluator {
    engine: Engine,
    layout: Layout,
    width: Width,
    rows: Rows,
    /// For each section of machine code, whether each of its steps was left out at its last evaluation, if that is
    /// remembered.
    idle: Vec<Vec<bool>>,
}

/// The evaluator of a circuit, shared by all threads.
#[derive(Clone, Debug)]
pub enum Engine {
    /// A program, interpreted with rows of this width.
    Interpreter(Arc<LaneProgram>, Width),
    /// Machine code.
    Code(Arc<Code>),
}

impl Engine {
    /// The number of lanes in a row.
    pub fn width(&self) -> Width {
        match self {
            Engine::Interpreter(_, width) => *width,
            Engine::Code(code) => code.width(),
        }
    }

    /// The number of rows that an evaluator needs.
    pub fn rows(&self) -> usize {
        match self {
            Engine::Interpreter(program, _) => program.rows(),
            Engine::Code(code) => code.rows(),
        }
    }

    fn layout(&self) -> Layout {
        match self {
            Engine::Interpreter(program, _) => program.layout(),
            Engine::Code(code) => code.layout(),
        }
    }

    fn constants(&self) -> &Constants {
        match self {
            Engine::Interpreter(program, _) => program.constants(),
            Engine::Code(code) => code.constants(),
        }
    }
}

impl fmt::Debug for LaneEvaluator {
    /// Without the program and the rows, which would be long.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LaneEvaluator")
            .field("width", &self.width)
            .field("layout", &self.layout)
            .finish_non_exhaustive()
    }
}

impl LaneEvaluator {
    /// Creates an evaluator with all inputs false and nothing evaluated yet. Only outputs that
    /// are always true are so from the start.
    pub fn new(engine: Engine) -> LaneEvaluator {
        let words = engine.width().words();
        let mut rows = Rows::new(engine.rows() * words);
        let first = engine.layout().outputs().start;
        let truths = engine.constants().truths().map(|output| first + output);
        for truth in truths.chain([Layout::TRUE as usize]) {
            rows.words_mut()[truth * words..][..words].fill(!0);
        }
        let idle = match &engine {
            Engine::Interpreter(..) => Vec::new(),
            Engine::Code(code) => code.idle_steps(),
        };
        LaneEvaluator {
            layout: engine.layout(),
            width: engine.width(),
            engine,
            rows,
            idle,
        }
    }

    /// The engine that evaluates.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The number of lanes in a row.
    #[inline]
    pub fn width(&self) -> Width {
        self.width
    }

    /// The row of input `index`, in [`Width::words`] words.
    ///
    /// # Panics
    /// If there is no such input; likewise in the following.
    #[inline]
    pub fn input(&self, index: usize) -> &[u64] {
        self.inputs(index..index + 1)
    }

    /// The row of input `index`, to be changed.
    #[inline]
    pub fn input_mut(&mut self, index: usize) -> &mut [u64] {
        self.inputs_mut(index..index + 1)
    }

    /// Returns whether an input is false in all lanes.
    #[inline]
    pub fn is_false(&self, index: usize) -> bool {
        self.input(index).iter().all(|&word| word == 0)
    }

    /// The rows of consecutive inputs.
    #[inline]
    pub fn inputs(&self, range: Range<usize>) -> &[u64] {
        let range = self.span(self.layout.inputs(), range);
        &self.rows.words()[range]
    }

    /// The rows of consecutive inputs, to be changed.
    #[inline]
    pub fn inputs_mut(&mut self, range: Range<usize>) -> &mut [u64] {
        let range = self.span(self.layout.inputs(), range);
        &mut self.rows.words_mut()[range]
    }

    /// The row of output `index`, as of the last evaluation of its section.
    #[inline]
    pub fn output(&self, index: usize) -> &[u64] {
        self.outputs(index..index + 1)
    }

    /// Returns the outputs in a range that are not false for all inputs, as positions counted
    /// from the start of the range, ascending.
    pub fn live_outputs(&self, range: Range<usize>) -> Vec<u32> {
        self.engine.constants().live(range)
    }

    /// Returns runs of outputs in a range, ascending, as positions counted from the start of the range, each with an
    /// input: if that was false in all lanes when their section was evaluated, all outputs of the run are false.
    pub fn guarded_outputs(&self, range: Range<usize>) -> Vec<(usize, Range<u32>)> {
        match &self.engine {
            Engine::Interpreter(..) => Vec::new(),
            Engine::Code(code) => code.guarded_outputs(range),
        }
    }

    /// Returns whether an output is true for all inputs.
    pub fn is_always_true(&self, output: usize) -> bool {
        self.engine.constants().is_true(output)
    }

    /// The rows of consecutive outputs.
    #[inline]
    pub fn outputs(&self, range: Range<usize>) -> &[u64] {
        let range = self.span(self.layout.outputs(), range);
        &self.rows.words()[range]
    }

    /// Rows of outputs to be read together with rows of inputs to be changed, of which none
    /// may be replaced by outputs.
    #[inline]
    pub fn outputs_and_inputs_mut(
        &mut self,
        outputs: Range<usize>,
        inputs: Range<usize>,
    ) -> (&[u64], &mut [u64]) {
        let layout = self.layout;
        let outputs = self.span(layout.outputs(), outputs);
        let inputs = self.span(layout.inputs(), inputs);
        let middle = layout.outputs().start * self.width.words();
        let (before, after) = self.rows.words_mut().split_at_mut(middle);
        let outputs = outputs.start - middle..outputs.end - middle;
        (&after[outputs], &mut before[inputs])
    }

    /// Computes the outputs of a section from the inputs and from the last results of the
    /// sections before it.
    ///
    /// # Panics
    /// If the program has no such section.
    #[inline]
    pub fn evaluate(&mut self, section: usize) {
        let rows = self.rows.words_mut().as_mut_ptr();
        match &self.engine {
            // SAFETY: the rows are those of the program, allocated for this width, and
            // borrowed mutably meanwhile.
            Engine::Interpreter(program, _) => unsafe {
                program.evaluate(section, self.width, rows);
            },
            Engine::Code(code) => {
                let are_idle = self
                    .idle
                    .get_mut(section)
                    .map_or(&mut [][..], |steps| steps);
                // SAFETY: the rows are those of the code, and borrowed mutably meanwhile.
                unsafe { code.evaluate(section, rows, are_idle) }
            }
        }
    }

    /// Returns the location in memory of the rows `range` of a group of rows.
    #[inline]
    fn span(&self, group: Range<usize>, range: Range<usize>) -> Range<usize> {
        assert!(
            range.end <= group.len(),
            "no row {range:?} of {}",
            group.len()
        );
        let words = self.width.words();
        (group.start + range.start) * words..(group.start + range.end) * words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::{Builder, Circuit, Edge, OutputId};
    use crate::code::{CodeConfig, Guards};
    use crate::section::Section;

    /// An interpreter of the circuit, and its code in all ways that this CPU can run.
    fn engines(circuit: &Circuit, sections: &[Section]) -> Vec<Engine> {
        let program = LaneProgram::new(circuit, sections);
        let mut engines = vec![Engine::Interpreter(Arc::new(program), Width::X64)];
        for config in CodeConfig::supported() {
            let code = Code::compile(circuit, sections, &Guards::default(), &config);
            engines.push(Engine::Code(Arc::new(code.unwrap())));
        }
        engines
    }

    #[test]
    fn constants_are_there_before_anything_is_evaluated() {
        let builder = Builder::new(1);
        let input = builder.input(0);
        let outputs = vec![
            Edge::FALSE,
            Edge::TRUE,
            input,
            Edge::FALSE,
            Edge::FALSE,
            !input,
        ];
        let circuit = builder.finish(outputs);
        let sections = [Section::alone((0..6).map(OutputId).collect())];
        assert_eq!(LaneProgram::new(&circuit, &sections).operations(), 2);
        for engine in engines(&circuit, &sections) {
            let mut lanes = LaneEvaluator::new(engine);
            assert_eq!(lanes.output(1)[0], !0);
            assert_eq!(lanes.live_outputs(0..6), [1, 2, 5]);
            assert_eq!(lanes.live_outputs(4..6), [1]);
            let truths = (0..6).filter(|&output| lanes.is_always_true(output));
            assert!(truths.eq([1]));
            lanes.evaluate(0);
            let first: Vec<u64> = (0..6).map(|output| lanes.output(output)[0]).collect();
            assert_eq!(first, [0, !0, 0, 0, 0, !0]);
        }
    }

    /// A circuit with two states of two bits, each computed from the other one, in place.
    fn two_states() -> (Circuit, [Section; 2]) {
        let mut builder = Builder::new(5);
        let [free, a, b, _, d] = std::array::from_fn(|input| builder.input(input));
        let [chosen, both] = [free, b].map(|other| builder.and(a, other));
        let outputs = vec![!d, Edge::TRUE, chosen, b, both];
        let numbers = |numbers: &[u32]| numbers.iter().copied().map(OutputId).collect();
        let sections = [numbers(&[2, 3, 4]), numbers(&[0, 1])].map(Section::alone);
        (builder.finish(outputs).with_in_place(4), sections)
    }

    #[test]
    fn outputs_take_the_place_of_inputs() {
        let (circuit, sections) = two_states();
        for engine in engines(&circuit, &sections) {
            let mut lanes = LaneEvaluator::new(engine);
            for (input, row) in [0b0011, 0b0101, 0b0110].into_iter().enumerate() {
                lanes.input_mut(input)[0] = row;
            }
            lanes.evaluate(0);
            let rows = |lanes: &LaneEvaluator, inputs: Range<usize>| -> Vec<u64> {
                inputs.map(|input| lanes.input(input)[0]).collect()
            };
            assert_eq!(rows(&lanes, 1..5), [0b0101, 0b0110, 0b0001, 0b0110]);
            assert_eq!((lanes.output(2)[0], lanes.output(4)[0]), (0b0001, 0b0100));
            lanes.evaluate(1);
            assert_eq!(rows(&lanes, 1..5), [!0b0110, !0, 0b0001, 0b0110]);
            // A constant is written again, whatever the row held.
            lanes.input_mut(2)[0] = 0;
            lanes.evaluate(1);
            assert_eq!(lanes.output(1)[0], !0);
        }
    }

    #[test]
    #[should_panic(expected = "reads what it writes")]
    fn sections_do_not_read_what_they_write() {
        let (circuit, [mut first, second]) = two_states();
        first.outputs.extend(second.outputs);
        LaneProgram::new(&circuit, &[first]);
    }
}
