//! Profiles: the settings that suit the user's CPU best, kept from one run to the next.
//!
//! The `tune` tool finds them and writes a [`Profile`]; programs [`load`] it when they
//! start. A profile is a file of its own for each [`Cpu`], in `propjit` in the user's directory
//! for configuration (`$XDG_CONFIG_HOME` or `~/.config`), so that a home directory may be shared
//! by different machines. The environment variable [`VARIABLE`] names another directory, or
//! switches profiles off if it is `off`. Deleting a profile brings back the defaults.
//!
//! Profiles affect the speed of play, and never the results. One that is damaged, made for another
//! CPU, or impossible on this one is rejected.

mod cpu;
mod settings;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use cpu::Cpu;
pub use settings::{ImpossibleSettings, MAX_THREADS, Settings};

use crate::support::directory::{self, DirectoryError, write_whole};

/// The environment variable with the directory of profiles, or `off`.
pub const VARIABLE: &str = directory::CONFIGURATION;

/// The settings that suit a CPU best.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The CPU.
    pub cpu: Cpu,
    /// The settings that suit it.
    pub settings: Settings,
}

/// The reason why a profile cannot be used or kept.
#[derive(Debug, Error)]
pub enum ProfileError {
    /// No directory for profiles is known.
    #[error("no directory for profiles")]
    Directory(#[from] DirectoryError),
    /// The file cannot be written.
    #[error("cannot write the profile {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file cannot be read or removed.
    #[error("cannot use the profile {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// It is not a profile.
    #[error("the profile {} is damaged; run `propjit tune` to write a new one", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The cause, with its position.
        source: Box<toml::de::Error>,
    },
    /// It was made for another CPU.
    #[error(
        "the profile {} is for another CPU ({model}); run `propjit tune` to write one for this CPU",
        path.display()
    )]
    OtherCpu {
        /// The file.
        path: PathBuf,
        /// The other CPU.
        model: String,
    },
    /// It cannot be used on this CPU.
    #[error("the profile {} has invalid settings; run `propjit tune` to write a new one", path.display())]
    Impossible {
        /// The file.
        path: PathBuf,
        /// The setting that is impossible.
        source: ImpossibleSettings,
    },
}

/// Returns the file for this CPU's profile, which need not exist; `None` if profiles are switched
/// off.
///
/// # Errors
/// When neither the environment nor the user has a directory for it.
pub fn path() -> Result<Option<PathBuf>, ProfileError> {
    let directory = directory::configuration()?;
    let name = || format!("{}.toml", Cpu::this().file_stem());
    Ok(directory.map(|directory| directory.join(name())))
}

/// Loads this CPU's profile, if there is one and profiles are not switched off.
///
/// # Errors
/// When it cannot be read, or is rejected.
pub fn load() -> Result<Option<Profile>, ProfileError> {
    match path()? {
        Some(path) => Profile::read(&path),
        None => Ok(None),
    }
}

impl Profile {
    /// Creates a profile for the CPU that this runs on.
    pub fn new(settings: Settings) -> Profile {
        Profile {
            cpu: Cpu::this(),
            settings,
        }
    }

    /// Reads the profile in a file, if there is such a file.
    ///
    /// # Errors
    /// When it cannot be read, is for another CPU, or is impossible on this one.
    pub fn read(path: &Path) -> Result<Option<Profile>, ProfileError> {
        let path = || path.to_path_buf();
        let text = match std::fs::read_to_string(path()) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                let path = path();
                return Err(ProfileError::Io { path, source });
            }
        };
        let profile: Profile = toml::from_str(&text).map_err(|source| ProfileError::Damaged {
            path: path(),
            source: Box::new(source),
        })?;
        if profile.cpu != Cpu::this() {
            let (path, model) = (path(), profile.cpu.model);
            return Err(ProfileError::OtherCpu { path, model });
        }
        let possible = profile.settings.check();
        possible.map_err(|source| {
            let path = path();
            ProfileError::Impossible { path, source }
        })?;
        Ok(Some(profile))
    }

    /// Writes the profile to a file atomically, and creates the directory if that is missing.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), ProfileError> {
        let written = write_whole(path, &format!("{HEADER}{self}"));
        written.map_err(|source| not_written(path, source))
    }

    /// Checks whether a profile can be written to a file; creates the directory if that is missing.
    ///
    /// # Errors
    /// When it cannot.
    pub fn can_write(path: &Path) -> Result<(), ProfileError> {
        let directory = path.parent().unwrap_or(path);
        let made = std::fs::create_dir_all(directory)
            .and_then(|()| tempfile::NamedTempFile::new_in(directory));
        made.map(drop).map_err(|source| not_written(path, source))
    }
}

fn not_written(path: &Path, source: io::Error) -> ProfileError {
    let path = path.to_path_buf();
    ProfileError::Write { path, source }
}

impl fmt::Display for Profile {
    /// Formats it as in the profile's file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&toml::to_string(self).map_err(|_| fmt::Error)?)
    }
}

/// The comment at the top of the file.
const HEADER: &str = "# Written by `propjit tune`. Delete this file to restore the defaults.\n\n";

#[cfg(test)]
mod tests {
    use propjit_jit::lanes::Width;

    use super::*;

    fn text(edit: impl FnOnce(&mut Profile)) -> String {
        let mut profile = Profile::new(Settings::default());
        edit(&mut profile);
        toml::to_string(&profile).unwrap()
    }

    /// Returns the result of reading a file with this text.
    fn read(text: &str) -> Result<Option<Profile>, ProfileError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("profile.toml");
        std::fs::write(&path, text).unwrap();
        Profile::read(&path)
    }

    #[test]
    fn a_written_profile_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("profile.toml");
        assert!(Profile::read(&path).unwrap().is_none());
        for config in propjit_jit::code::CodeConfig::supported() {
            let profile = Profile::new(Settings {
                guarded: i32::MAX,
                threads: 3,
                ..Settings::new(&config)
            });
            profile.write(&path).unwrap();
            assert_eq!(Profile::read(&path).unwrap(), Some(profile));
        }
    }

    #[test]
    fn settings_are_those_of_the_code() {
        let config = Settings::default().code();
        assert_eq!(
            format!("{config:?}"),
            format!("{:?}", propjit_jit::code::CodeConfig::best())
        );
    }

    #[test]
    fn wrong_profiles_are_refused() {
        let other = text(|profile| profile.cpu.features.push("wings".to_string()));
        assert!(matches!(read(&other), Err(ProfileError::OtherCpu { .. })));
        let idle = text(|profile| profile.settings.threads = 0);
        assert!(matches!(read(&idle), Err(ProfileError::Impossible { .. })));
        let endless = text(|profile| profile.settings.function_size = usize::MAX >> 1);
        assert!(matches!(
            read(&endless),
            Err(ProfileError::Impossible { .. })
        ));
        let other = text(|profile| {
            let widths = profile.settings.generator.widths();
            let mut others = Width::ALL
                .into_iter()
                .filter(|width| !widths.contains(width));
            profile.settings.width = others.next().unwrap();
        });
        assert!(matches!(read(&other), Err(ProfileError::Impossible { .. })));
        let whole = text(|_| {});
        let lanes = Settings::default().width.lanes();
        let odd = whole.replace(&format!("lanes = {lanes}"), "lanes = 100");
        let error = read(&odd).unwrap_err();
        assert!(matches!(error, ProfileError::Damaged { .. }));
        for damaged in [
            &whole[..whole.len() / 2],
            "",
            "threads = 2",
            "\0",
            &format!("{whole}x = 1"),
        ] {
            assert!(
                matches!(read(damaged), Err(ProfileError::Damaged { .. })),
                "{damaged}"
            );
        }
    }
}
