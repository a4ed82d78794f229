//! Identification of the CPU that this runs on.

use serde::{Deserialize, Serialize};

use crate::support::fnv::Fnv64;

/// A CPU, with the properties that affect the speed of code.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cpu {
    /// The vendor's name, with the numbers of its generation.
    pub model: String,
    /// The relevant instruction sets that it has.
    pub features: Vec<String>,
}

impl Cpu {
    /// Identifies the CPU that this runs on.
    pub fn this() -> Cpu {
        Cpu {
            model: model(),
            features: features(),
        }
    }

    /// Returns a name for files: readable, and different for different CPUs.
    pub fn file_stem(&self) -> String {
        let words = self.model.split(|c: char| !c.is_ascii_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let features = self.features.iter().map(String::as_str);
        let hash = Fnv64::of_lines([self.model.as_str()].into_iter().chain(features));
        let name = words.join("-").to_ascii_lowercase();
        format!("{}-{hash}", &name[..name.len().min(MAX_NAME)])
    }
}

/// The maximum length of file names, within the limits of all systems.
const MAX_NAME: usize = 60;

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn model() -> String {
    let cpuid = raw_cpuid::CpuId::new();
    let brand = cpuid.get_processor_brand_string();
    // The host of a virtual machine may shorten the brand.
    let brand = brand.as_ref().map_or("unknown", |brand| brand.as_str());
    let brand = brand.trim();
    match cpuid.get_feature_info() {
        Some(info) => format!(
            "{brand}, family {} model {}",
            info.family_id(),
            info.model_id()
        ),
        None => brand.to_string(),
    }
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn features() -> Vec<String> {
    let features = [
        ("sse4.1", is_x86_feature_detected!("sse4.1")),
        ("avx", is_x86_feature_detected!("avx")),
        ("bmi2", is_x86_feature_detected!("bmi2")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
    ];
    let present = features.into_iter().filter(|&(_, present)| present);
    present.map(|(name, _)| name.to_string()).collect()
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn model() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    describe(&text).unwrap_or_else(|| std::env::consts::ARCH.to_string())
}

/// Returns no features, because none is relevant so far.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn features() -> Vec<String> {
    Vec::new()
}

/// Returns Linux's description of the first CPU, where no instruction identifies it.
#[cfg(any(test, not(any(target_arch = "x86", target_arch = "x86_64"))))]
fn describe(cpuinfo: &str) -> Option<String> {
    let first = cpuinfo.split("\n\n").next()?;
    let lines = first.lines().filter_map(|line| line.split_once(':'));
    let telling = lines.filter(|(key, _)| {
        let key = key.trim();
        key == "model name" || (key.starts_with("CPU ") && key != "CPU architecture")
    });
    let texts: Vec<String> = telling
        .map(|(key, value)| format!("{} {}", key.trim(), value.trim()))
        .collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_cpu_is_always_the_same() {
        assert_eq!(Cpu::this(), Cpu::this());
        assert!(!Cpu::this().model.is_empty());
    }

    #[test]
    fn file_names_tell_cpus_apart() {
        let cpu = |model: &str, features: &[&str]| Cpu {
            model: model.to_string(),
            features: features.iter().map(|text| text.to_string()).collect(),
        };
        let plain = cpu("A/B (R) ../ é CPU", &["avx2"]);
        let stem = plain.file_stem();
        assert!(stem.starts_with("a-b-r-cpu-"), "{stem}");
        assert_ne!(stem, cpu(&plain.model, &[]).file_stem());
        assert_ne!(stem, cpu("A/B (R) ../ é CPU ", &["avx2"]).file_stem());
        assert!(cpu(&"x".repeat(1000), &[]).file_stem().len() < 100);
    }

    #[test]
    fn linux_tells_the_model() {
        let arm = "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd\n\
            CPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd0c\n\nprocessor\t: 1\n\
            CPU part\t: 0xfff\n";
        let model = "CPU implementer 0x41, CPU part 0xd0c";
        assert_eq!(describe(arm).as_deref(), Some(model));
        assert_eq!(describe(""), None);
    }
}
