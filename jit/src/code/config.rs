//! The configuration of code generation.

use propjit_stop::Stop;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::perf_map::PerfMap;
use crate::rows::Width;
use crate::setters::setters;

/// A generator of machine code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Generator {
    /// Cranelift: rows of 64 or 128 lanes, on all of its targets.
    Cranelift,
    /// The crate's own assembler for AVX2: rows of 128 or 256 lanes, on x86-64.
    Avx2,
    /// The crate's own assembler for AVX-512, with operations of three operands: rows of 256 or 512 lanes.
    Avx512,
}

/// The effort that Cranelift makes to optimise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// `opt_level=none`
    Least,
    /// `opt_level=speed`
    Full,
}

/// The order in which gates are computed.
///
/// It decides how long values have to be kept in registers, and so how often memory is
/// read and written instead.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Output after output, each with its cone: all gates that it needs and that are not
    /// computed yet, depth first.
    Cone,
    /// As the circuit numbers its gates.
    Circuit,
    /// By the length of the longest path to the inputs: neighbours do not wait for each
    /// other, but values wait long to be read.
    Level,
}

/// The way to generate code, and limits of its cost.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CodeConfig {
    /// The generator of the machine code.
    pub generator: Generator,
    /// The number of lanes in a row.
    pub width: Width,
    /// The effort to optimise, if the generator is Cranelift.
    pub effort: Effort,
    /// The order in which gates are computed.
    pub order: Order,
    /// The most operations in a function of machine code.
    pub function_size: usize,
    /// The least number of gates whose work a guard must save to be used; with a negative
    /// number, all guards are used.
    pub guarded: i32,
    /// The time that compiling may take.
    pub time: Duration,
    /// The most bytes of code.
    pub bytes: usize,
    /// Ends compiling early when it is set.
    pub stop: Stop,
    /// The name that symbols of the code begin with: `propjit` unless it is given. A symbol is
    /// `NAME::SECTION_NUMBER`, with the number of the routine in all sections, from 0.
    pub name: String,
    /// The file for profilers that symbols are written to, if any.
    pub perf_map: Option<PerfMap>,
}

impl Default for CodeConfig {
    /// The [best](CodeConfig::best) configuration.
    fn default() -> CodeConfig {
        CodeConfig::best()
    }
}

impl CodeConfig {
    setters! {
        with_effort(effort: Effort);
        with_order(order: Order);
        with_function_size(function_size: usize);
        with_guarded(guarded: i32);
        with_time(time: Duration);
        with_bytes(bytes: usize);
        with_stop(stop: Stop);
        with_name(name: String);
        with_perf_map(perf_map: Option<PerfMap>);
    }

    /// The configuration that is usually fastest for a width.
    pub fn new(generator: Generator, width: Width) -> CodeConfig {
        CodeConfig {
            generator,
            width,
            effort: Effort::Full,
            order: Order::Cone,
            function_size: match generator {
                Generator::Cranelift => 2000,
                Generator::Avx2 | Generator::Avx512 => 1 << 20,
            },
            guarded: 32,
            time: Duration::from_secs(10),
            bytes: 64 << 20,
            stop: Stop::new(),
            name: "propjit".to_string(),
            perf_map: None,
        }
    }

    /// The configuration that usually evaluates most lanes per second on this CPU.
    pub fn best() -> CodeConfig {
        let (generator, width) = if Generator::Avx512.is_supported() {
            (Generator::Avx512, Width::X512)
        } else if Generator::Avx2.is_supported() {
            (Generator::Avx2, Width::X256)
        } else {
            (Generator::Cranelift, Width::X128)
        };
        CodeConfig::new(generator, width)
    }

    /// Returns the configuration reduced to at most 256 lanes: for rows of 256 lanes the
    /// instructions of AVX2 are as fast as those of AVX-512, and code is made sooner.
    #[must_use]
    pub fn at_most_256_lanes(self) -> CodeConfig {
        match self.width {
            Width::X512 => CodeConfig {
                generator: Generator::Avx2,
                width: Width::X256,
                ..self
            },
            _ => self,
        }
    }

    /// Returns all options that the code depends on, as text for the keys of caches. Neither limits
    /// nor symbols count: code that is within the limits is the same with others.
    pub(super) fn cache_text(&self) -> String {
        // Named one by one, so that a new field is not forgotten.
        let CodeConfig {
            generator,
            width,
            effort,
            order,
            function_size,
            guarded,
            time: _,
            bytes: _,
            stop: _,
            name: _,
            perf_map: _,
        } = self;
        let (generator, lanes) = (generator.name(), width.lanes());
        let effort = match effort {
            Effort::Least => "least",
            Effort::Full => "full",
        };
        let order = match order {
            Order::Cone => "cone",
            Order::Circuit => "circuit",
            Order::Level => "level",
        };
        format!("{generator} {lanes} {effort} {order} {function_size} {guarded}")
    }

    /// Returns whether the CPU that this runs on can run such code.
    pub fn is_supported(&self) -> bool {
        self.generator.is_supported()
    }

    /// The usual configurations of every generator and width that this CPU can run,
    /// narrow to wide.
    pub fn supported() -> impl Iterator<Item = CodeConfig> {
        let generators = Generator::ALL.into_iter();
        let supported = generators.filter(|generator| generator.is_supported());
        supported.flat_map(|generator| {
            let widths = generator.widths().iter();
            widths.map(move |&width| CodeConfig::new(generator, width))
        })
    }
}

impl Order {
    /// All orders.
    pub const ALL: [Order; 3] = [Order::Cone, Order::Circuit, Order::Level];

    /// The order's name in profiles.
    pub fn name(self) -> &'static str {
        match self {
            Order::Cone => "cone",
            Order::Circuit => "circuit",
            Order::Level => "level",
        }
    }
}

impl Effort {
    /// All efforts, small to large.
    pub const ALL: [Effort; 2] = [Effort::Least, Effort::Full];

    /// The effort's name in profiles.
    pub fn name(self) -> &'static str {
        match self {
            Effort::Least => "least",
            Effort::Full => "full",
        }
    }
}

impl Generator {
    /// All generators.
    pub const ALL: [Generator; 3] = [Generator::Cranelift, Generator::Avx2, Generator::Avx512];

    /// The generator's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Generator::Cranelift => "cranelift",
            Generator::Avx2 => "avx2",
            Generator::Avx512 => "avx512",
        }
    }

    /// The rows that it makes code for, narrow to wide.
    pub fn widths(self) -> &'static [Width] {
        match self {
            Generator::Cranelift => &[Width::X64, Width::X128],
            Generator::Avx2 => &[Width::X128, Width::X256],
            Generator::Avx512 => &[Width::X256, Width::X512],
        }
    }

    /// Returns whether the CPU that this runs on can run its code.
    pub fn is_supported(self) -> bool {
        match self {
            // Miri interprets programs, and runs no machine code.
            _ if cfg!(miri) => false,
            Generator::Cranelift => cranelift_native::builder().is_ok(),
            #[cfg(target_arch = "x86_64")]
            Generator::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Generator::Avx512 => {
                is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Generator::Avx2 | Generator::Avx512 => false,
        }
    }
}
