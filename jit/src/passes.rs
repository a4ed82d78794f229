//! An optimiser of circuits: passes over and-inverter graphs that make them smaller.
//!
//! Each pass is a function from circuits to circuits in a file of its own, and
//! takes time about linear in the number of gates. [`optimize`] runs them in rounds for
//! as long as that pays.
//!
//! | pass | what it does |
//! |---|---|
//! | `sweep` | dead logic, evaluation order, loops as small as possible |
//! | `absorption` | operands that the gates around them make redundant |
//! | `subsumption` | operands that imply another operand |
//! | `legality` | operands that the legality of a move makes redundant |
//! | `choice` | operands that the choice of one move, which excludes the others, makes redundant |
//! | `selection` | values that one move selects, selected once for all places that need them |
//! | `indirection` | values that such values select, likewise |
//! | `factor` | common operands of the gates inside a gate |
//! | `share` | common operands of gates anywhere |
//!
//! [`fold()`] makes inputs constants, for which there is no need to run anything else first.
//!
//! Constants, structural hashing and local rules need no pass: the
//! [`Builder`](crate::circuit::Builder) applies them whenever a gate is made.

mod absorption;
mod choice;
mod context;
mod factor;
mod feedback;
mod fold;
mod known;
mod legality;
pub(crate) mod rebuild;
mod selection;
mod share;
mod subsumption;
mod sweep;
mod wide;

use std::time::{Duration, Instant};

use crate::assumptions::Assumptions;
use crate::circuit::Circuit;
use crate::setters::setters;
pub use fold::{fold, fold_without};
use propjit_stop::Stop;
pub use rebuild::{connect, rebuild_known};

/// The choice of passes to run, and the time for them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PassConfig {
    /// Drop operands that the gates around them make redundant.
    pub absorption: bool,
    /// Drop operands of a gate that another of its operands makes redundant.
    pub subsumption: bool,
    /// Drop conditions that the legality of a move implies.
    pub legality: bool,
    /// Use that exactly one input of a group is true.
    pub choice: bool,
    /// Select values that depend on the move once for all gates that need them.
    pub selection: bool,
    /// Take common operands out of the gates inside a gate.
    pub factor: bool,
    /// Make common operands of gates only once.
    pub share: bool,
    /// The most rounds of passes; they end as soon as one gains little.
    pub rounds: usize,
    /// The time for all passes together. When it is used up, passes stop
    /// simplifying and finish the circuit as it is; that takes about
    /// as long as copying the circuit.
    pub budget: Duration,
    /// Once it is set, the rest of the time counts as used up, and the result of the current pass is dropped.
    pub stop: Stop,
}

impl Default for PassConfig {
    /// All passes, for ten seconds at most.
    fn default() -> PassConfig {
        PassConfig {
            absorption: true,
            subsumption: true,
            legality: true,
            choice: true,
            selection: true,
            factor: true,
            share: true,
            rounds: 3,
            budget: Duration::from_secs(10),
            stop: Stop::new(),
        }
    }
}

impl PassConfig {
    /// All that the optimised circuit depends on, as text for the keys of caches. Time and
    /// the stop token do not count: they only end the work early.
    pub fn cache_text(&self) -> String {
        // Named one by one, so that a new field is not forgotten.
        let PassConfig {
            absorption,
            subsumption,
            legality,
            choice,
            selection,
            factor,
            share,
            rounds,
            budget: _,
            stop: _,
        } = self;
        let passes = [
            absorption,
            subsumption,
            legality,
            choice,
            selection,
            factor,
            share,
        ];
        let passes: String = passes
            .map(|&pass| if pass { '1' } else { '0' })
            .iter()
            .collect();
        format!("{passes} {rounds}")
    }

    setters! {
        with_absorption(absorption: bool);
        with_subsumption(subsumption: bool);
        with_legality(legality: bool);
        with_choice(choice: bool);
        with_selection(selection: bool);
        with_factor(factor: bool);
        with_share(share: bool);
        with_rounds(rounds: usize);
        with_budget(budget: Duration);
        with_stop(stop: Stop);
    }
}

/// The report of one run of a pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PassReport {
    /// The pass.
    pub name: &'static str,
    /// The number of gates before.
    pub gates_before: usize,
    /// The number of gates after. Never more: a pass that makes the circuit larger is undone.
    pub gates_after: usize,
    /// The time that it took.
    pub time: Duration,
    /// Whether it was cut off, or left out, because its time was up or a stop came: there may be more gates than it
    /// would have left.
    pub is_cut: bool,
}

/// Returns a smaller circuit with the same outputs for all inputs that the assumptions
/// allow, and a report of each pass, in the order in which they ran.
///
/// ```
/// use propjit_jit::assumptions::Assumptions;
/// use propjit_jit::circuit::{Builder, InputId};
/// use propjit_jit::passes::{PassConfig, optimize};
/// let mut builder = Builder::new(3);
/// let (a, b, c) = (builder.input(0), builder.input(1), builder.input(2));
/// let both = builder.and(a, b);
/// let output = builder.or(both, c);
/// let circuit = builder.finish(vec![output]);
///
/// // If exactly one input is true, `a` and `b` are not both.
/// let assumptions = Assumptions {
///     exactly_one: vec![vec![InputId(0), InputId(1), InputId(2)]],
///     implies: vec![],
/// };
/// let (optimized, _) = optimize(&circuit, &assumptions, &PassConfig::default());
/// assert_eq!(optimized.gates(), 0);
/// assert_eq!(optimized.evaluate(&[false, false, true]), [true]);
/// ```
pub fn optimize(
    circuit: &Circuit,
    assumptions: &Assumptions,
    config: &PassConfig,
) -> (Circuit, Vec<PassReport>) {
    let end = config.stop.within(config.budget);
    let mut run = Run {
        circuit: circuit.clone(),
        reports: Vec::new(),
        end: end.clone(),
        stop: &config.stop,
    };
    match end.is_set() {
        true => run.leave_out("sweep"),
        false => drop(run.pass("sweep", |circuit, _| circuit.clone())),
    }
    let has_moves = !assumptions.implies.is_empty();
    let has_groups = !assumptions.exactly_one.is_empty();
    let passes: [(&'static str, bool, Pass); 8] = [
        ("absorption", config.absorption, &absorption::absorption),
        ("subsumption", config.subsumption, &subsumption::subsumption),
        (
            "legality",
            config.legality && has_moves,
            &|circuit, stop| legality::legality(circuit, assumptions, stop),
        ),
        ("choice", config.choice && has_groups, &|circuit, stop| {
            choice::choice(circuit, assumptions, stop)
        }),
        (
            "selection",
            config.selection && has_groups && has_moves,
            &|circuit, stop| selection::selection(circuit, assumptions, stop),
        ),
        (
            "indirection",
            config.selection && has_groups && has_moves,
            &|circuit, stop| selection::indirection(circuit, assumptions, stop),
        ),
        ("factor", config.factor, &factor::factor),
        ("share", config.share, &share::share),
    ];
    let mut useful = passes.map(|(_, enabled, _)| enabled);
    for round in 0..config.rounds {
        let before = run.circuit.gates();
        for ((name, _, pass), useful) in passes.iter().zip(&mut useful) {
            if *useful && !end.is_set() {
                let gained = run.pass(name, pass);
                // From the second round on, passes that gain nothing are left out.
                *useful = gained || round == 0;
            } else if *useful {
                run.leave_out(name);
            }
        }
        let gained = before - run.circuit.gates();
        if gained <= before / 100 {
            break;
        }
    }
    (run.circuit, run.reports)
}

/// A pass with its assumptions.
type Pass<'a> = &'a dyn Fn(&Circuit, &Stop) -> Circuit;

struct Run<'a> {
    circuit: Circuit,
    reports: Vec<PassReport>,
    /// Set when the time for all passes is up.
    end: Stop,
    /// When it is set, the result is no longer needed.
    stop: &'a Stop,
}

impl Run<'_> {
    /// Runs a pass, sweeps its result, and keeps it if it is no larger, and no stop comes
    /// meanwhile. Returns whether it is smaller.
    fn pass(&mut self, name: &'static str, pass: impl Fn(&Circuit, &Stop) -> Circuit) -> bool {
        let end = self.end.by(None);
        let start = Instant::now();
        let gates_before = self.circuit.gates();
        let result = sweep::sweep_until(&pass(&self.circuit, &end), self.stop);
        if let Some(result) = result.filter(|result| result.gates() <= gates_before) {
            self.circuit = result;
        }
        self.reports.push(PassReport {
            name,
            gates_before,
            gates_after: self.circuit.gates(),
            time: start.elapsed(),
            is_cut: end.was_noticed(),
        });
        self.circuit.gates() < gates_before
    }

    /// Reports a pass for which there was no time.
    fn leave_out(&mut self, name: &'static str) {
        let gates = self.circuit.gates();
        self.reports.push(PassReport {
            name,
            gates_before: gates,
            gates_after: gates,
            time: Duration::ZERO,
            is_cut: true,
        });
    }
}

#[cfg(test)]
pub(crate) mod testing;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::testing::{assert_same, circuits};
    use super::*;

    type AnyPass = fn(&Circuit, &Assumptions, &Stop) -> Circuit;

    /// Every pass on its own, with the assumptions that it may use.
    const PASSES: [(&str, AnyPass); 9] = [
        ("sweep", |circuit, _, _| sweep::sweep(circuit)),
        ("absorption", |circuit, _, stop| {
            absorption::absorption(circuit, stop)
        }),
        ("subsumption", |circuit, _, stop| {
            subsumption::subsumption(circuit, stop)
        }),
        ("legality", legality::legality),
        ("choice", choice::choice),
        ("selection", selection::selection),
        ("indirection", selection::indirection),
        ("factor", |circuit, _, stop| factor::factor(circuit, stop)),
        ("share", |circuit, _, stop| share::share(circuit, stop)),
    ];

    #[test]
    fn passes_that_are_cut_off_say_so() {
        let mut builder = crate::circuit::Builder::new(3);
        let [a, b, c] = [0, 1, 2].map(|input| builder.input(input));
        let both = builder.and(a, b);
        let output = builder.or(both, c);
        let circuit = builder.finish(vec![output]);
        let cut = |config: &PassConfig| -> Vec<&str> {
            let (_, reports) = optimize(&circuit, &Assumptions::default(), config);
            let cut = reports.iter().filter(|report| report.is_cut);
            cut.map(|report| report.name).collect()
        };
        assert_eq!(cut(&PassConfig::default()), [""; 0]);
        let none = PassConfig::default().with_budget(Duration::ZERO);
        assert_eq!(
            cut(&none),
            ["sweep", "absorption", "subsumption", "factor", "share"]
        );
    }

    #[test]
    fn cache_texts_leave_out_when_to_stop() {
        let text =
            |change: fn(PassConfig) -> PassConfig| change(PassConfig::default()).cache_text();
        let usual = text(|config| config);
        let same: [fn(PassConfig) -> PassConfig; 2] = [
            |config| config.with_budget(Duration::ZERO),
            |config| config.with_stop(Stop::new().within(Duration::ZERO)),
        ];
        assert!(same.into_iter().all(|change| text(change) == usual));
        let other: [fn(PassConfig) -> PassConfig; 8] = [
            |config| config.with_absorption(false),
            |config| config.with_subsumption(false),
            |config| config.with_legality(false),
            |config| config.with_choice(false),
            |config| config.with_selection(false),
            |config| config.with_factor(false),
            |config| config.with_share(false),
            |config| config.with_rounds(1),
        ];
        let mut texts: Vec<String> = other.into_iter().map(text).chain([usual]).collect();
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), 9);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn each_pass_keeps_the_outputs((circuit, assumptions) in circuits()) {
            for (name, pass) in PASSES {
                let none = Assumptions::default();
                let allowed = match name {
                    "legality" | "choice" | "selection" | "indirection" => &assumptions,
                    _ => &none,
                };
                let after = pass(&circuit, allowed, &Stop::new());
                assert_same(&circuit, &after, allowed);
            }
        }

        #[test]
        fn passes_stop_at_the_deadline((circuit, assumptions) in circuits()) {
            let past = Stop::new().within(Duration::ZERO);
            let stopped = Stop::new();
            stopped.set();
            for (_, pass) in PASSES {
                for stop in [&past, &stopped] {
                    let after = pass(&circuit, &assumptions, stop);
                    assert_same(&circuit, &after, &assumptions);
                }
            }
        }

        #[test]
        fn nothing_is_done_after_a_stop((circuit, assumptions) in circuits()) {
            let config = PassConfig::default();
            config.stop.set();
            let (after, reports) = optimize(&circuit, &assumptions, &config);
            assert_same(&circuit, &after, &assumptions);
            prop_assert_eq!(after.gates(), circuit.gates());
            prop_assert!(reports.iter().all(|report| report.is_cut));
            prop_assert!(sweep::sweep_until(&circuit, &config.stop).is_none());
        }

        #[test]
        fn all_passes_together_keep_the_outputs((circuit, assumptions) in circuits()) {
            let (after, reports) = optimize(&circuit, &assumptions, &PassConfig::default());
            assert_same(&circuit, &after, &assumptions);
            prop_assert!(after.gates() <= circuit.gates());
            prop_assert!(reports.iter().all(|r| r.gates_after <= r.gates_before));
        }
    }
}
