//! The parameters that are tuned, and the values of each that are tried.
//!
//! A new parameter is a variant here and a field of [`Settings`].

use std::collections::BTreeSet;

use propjit_jit::code::{CodeConfig, Effort, Generator, Order};

use crate::game::profile::{MAX_THREADS, Settings};

/// A group of settings that is tuned while the others stay fixed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parameter {
    /// The generator of the machine code, and its lanes. All other settings of code go back to the
    /// defaults of the generator.
    Rows,
    /// The least saving of a guard.
    Guards,
    /// The number of operations of a function.
    FunctionSize,
    /// The order in which gates are computed.
    Order,
    /// The optimisation level of Cranelift.
    Effort,
    /// How long lanes may idle before matches are started in them.
    Refill,
    /// The number of threads that play.
    Threads,
}

impl Parameter {
    /// All parameters, in the order in which they are tuned: those that others depend on, and those
    /// that matter most, come first.
    pub const ALL: [Parameter; 7] = [
        Parameter::Rows,
        Parameter::Guards,
        Parameter::FunctionSize,
        Parameter::Order,
        Parameter::Effort,
        Parameter::Refill,
        Parameter::Threads,
    ];

    /// The parameter's name.
    pub fn name(self) -> &'static str {
        match self {
            Parameter::Rows => "rows",
            Parameter::Guards => "guarded",
            Parameter::FunctionSize => "function-size",
            Parameter::Order => "order",
            Parameter::Effort => "effort",
            Parameter::Refill => "refill",
            Parameter::Threads => "threads",
        }
    }

    /// Returns the value that it has in some settings.
    pub fn value(self, settings: &Settings) -> String {
        match self {
            Parameter::Rows => {
                let lanes = settings.width.lanes();
                format!("{} {lanes}", settings.generator.name())
            }
            Parameter::Guards if settings.guarded == i32::MAX => "never".to_string(),
            Parameter::Guards => settings.guarded.to_string(),
            Parameter::FunctionSize => settings.function_size.to_string(),
            Parameter::Order => settings.order.name().to_string(),
            Parameter::Effort => settings.effort.name().to_string(),
            Parameter::Refill => settings.refill.to_string(),
            Parameter::Threads => settings.threads.to_string(),
        }
    }

    /// Returns settings that differ from `settings` in this parameter alone, to be tried on a
    /// machine with `cores` cores.
    pub fn others(self, settings: &Settings, cores: usize) -> Vec<Settings> {
        let all: Vec<Settings> = match self {
            Parameter::Rows => CodeConfig::supported()
                .map(|config| Settings {
                    refill: settings.refill,
                    threads: settings.threads,
                    ..Settings::new(&config)
                })
                .collect(),
            Parameter::Guards => vary(settings, GUARDED, |settings, value| {
                settings.guarded = value;
            }),
            Parameter::FunctionSize => vary(settings, FUNCTION_SIZES, |settings, value| {
                settings.function_size = value;
            }),
            Parameter::Order => vary(settings, Order::ALL, |settings, value| {
                settings.order = value;
            }),
            // The assemblers have no optimisation levels.
            Parameter::Effort if settings.generator != Generator::Cranelift => Vec::new(),
            Parameter::Effort => vary(settings, Effort::ALL, |settings, value| {
                settings.effort = value;
            }),
            Parameter::Refill => vary(settings, REFILLS, |settings, value| {
                settings.refill = value;
            }),
            Parameter::Threads => vary(settings, threads(cores), |settings, value| {
                settings.threads = value;
            }),
        };
        let value = self.value(settings);
        let is_other = |other: &Settings| self.value(other) != value;
        all.into_iter().filter(is_other).collect()
    }
}

const GUARDED: [i32; 4] = [0, 32, 256, i32::MAX];

/// The last one leaves all but the largest circuits whole.
const FUNCTION_SIZES: [usize; 4] = [500, 2000, 8000, 1 << 20];

const REFILLS: [u32; 4] = [0, 1, 2, 4];

fn vary<T>(
    settings: &Settings,
    values: impl IntoIterator<Item = T>,
    set: impl Fn(&mut Settings, T),
) -> Vec<Settings> {
    let with = |value| {
        let mut settings = settings.clone();
        set(&mut settings, value);
        settings
    };
    values.into_iter().map(with).collect()
}

/// One, all cores, and some numbers between.
fn threads(cores: usize) -> BTreeSet<usize> {
    let most = cores.min(MAX_THREADS);
    [1, most / 2, most].into_iter().filter(|&n| n > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_possible_and_differ_in_one_thing() {
        for config in CodeConfig::supported() {
            let settings = Settings::new(&config);
            for parameter in Parameter::ALL {
                let others = parameter.others(&settings, 8);
                let mut values: Vec<String> =
                    others.iter().map(|other| parameter.value(other)).collect();
                values.push(parameter.value(&settings));
                let all = values.len();
                values.sort();
                values.dedup();
                assert_eq!(values.len(), all, "{parameter:?}");
                for other in others {
                    other.check().unwrap();
                    for same in Parameter::ALL
                        .into_iter()
                        .filter(|&same| same != parameter && parameter != Parameter::Rows)
                    {
                        assert_eq!(same.value(&other), same.value(&settings));
                    }
                }
            }
        }
    }

    #[test]
    fn one_core_leaves_nothing_to_choose() {
        assert!(
            Parameter::Threads
                .others(&Settings::default(), 1)
                .is_empty()
        );
    }
}
