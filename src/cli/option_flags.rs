//! Flags that set options of the player `mcts`: name, values, help and default come from the table of these options.

use std::marker::PhantomData;

use clap::{Arg, ArgAction, ArgMatches, Command};
use propjit::play::players::{
    MctsOptions, MctsPlayerConfig, PlayerOption, SpecError, mcts_options,
};
use propjit::search::chooser::SearchConfig;
use propjit::support::rng::random_seed;

use super::output::Failure;

/// Which options a command has flags for.
pub(super) trait OptionFlags {
    /// The flags, in the order of the table.
    const FLAGS: &'static [Flag];
}

/// A flag for an option: `--option VALUE`, or for an option that is true or false, `--option` or `--no-option`.
pub(super) struct Flag {
    name: &'static str,
    /// The default if it differs from that of the player.
    default: Option<&'static str>,
}

impl Flag {
    /// A flag of this name, with the default of the player.
    pub(super) const fn new(name: &'static str) -> Flag {
        let default = None;
        Flag { name, default }
    }

    /// The same with another default.
    pub(super) const fn with_default(self, default: &'static str) -> Flag {
        let default = Some(default);
        Flag { default, ..self }
    }

    /// Whether it switches its option off.
    fn is_negated(&self) -> bool {
        self.name.starts_with("no-")
    }

    fn option(&self) -> &'static PlayerOption {
        let name = self.name.strip_prefix("no-").unwrap_or(self.name);
        let mut options = mcts_options().iter();
        let option = options.find(|option| option.name == name);
        option.expect("flags are for options in the table")
    }

    /// The argument of the command.
    fn arg(&self) -> Arg {
        let option = self.option();
        let arg = Arg::new(self.name).long(self.name);
        if option.is_flag() {
            let about = option.about;
            let help = match (self.is_negated(), about.split_at(1)) {
                (false, _) => about.to_string(),
                (true, (initial, rest)) => format!("Do not {}{rest}", initial.to_lowercase()),
            };
            return arg.action(ArgAction::SetTrue).help(help);
        }
        let default = self.default.or(option.default);
        let default = default.map(|default| format!(" [default: {default}]"));
        let check = |text: &str| {
            let checked = option.set(&mut MctsOptions::default(), text);
            checked.map(|()| text.to_string()).map_err(reason)
        };
        arg.value_name(option.value_name)
            .value_parser(check)
            .help(format!("{}{}", option.about, default.unwrap_or_default()))
    }

    /// The value that was given for the option.
    fn value(&self, matches: &ArgMatches) -> Option<String> {
        match self.option().is_flag() {
            true => (matches.get_flag(self.name)).then(|| (!self.is_negated()).to_string()),
            false => matches.get_one(self.name).cloned(),
        }
    }
}

/// Returns why a value was refused; the option is named by its flag.
fn reason(error: SpecError) -> String {
    match error {
        SpecError::Value { wanted, .. } => format!("must be {wanted}"),
        error => error.to_string(),
    }
}

/// The options that were given by flags of a command.
pub(super) struct OptionArgs<F> {
    given: Vec<(&'static PlayerOption, String)>,
    flags: PhantomData<F>,
}

impl<F> OptionArgs<F> {
    /// The options with their values.
    pub(super) fn given(&self) -> impl Iterator<Item = (&'static PlayerOption, &str)> {
        let given = self.given.iter();
        given.map(|(option, value)| (*option, value.as_str()))
    }

    /// Whether this option is given.
    pub(super) fn is_given(&self, name: &str) -> bool {
        self.given().any(|(option, _)| option.name == name)
    }

    /// Changes the configuration of a search as given, with a new seed if none was given.
    pub(super) fn search(&self, search: SearchConfig) -> Result<SearchConfig, Failure> {
        let config = MctsPlayerConfig::default()
            .with_search(search.mcts)
            .with_kind(search.kind);
        let mut options = MctsOptions::new(config);
        for (option, value) in self.given() {
            let set = option.set(&mut options, value);
            set.map_err(|error| Failure::Usage(error.to_string()))?;
        }
        let seed = options.seed.unwrap_or_else(random_seed);
        let config = options.config;
        Ok(SearchConfig::default()
            .with_mcts(config.search.with_seed(seed))
            .with_kind(config.kind))
    }
}

impl<F: OptionFlags> clap::FromArgMatches for OptionArgs<F> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = F::FLAGS.iter().filter_map(|flag| {
            let value = flag.value(matches)?;
            Some((flag.option(), value))
        });
        Ok(OptionArgs {
            given: given.collect(),
            flags: PhantomData,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = OptionArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<F: OptionFlags> clap::Args for OptionArgs<F> {
    fn augment_args(command: Command) -> Command {
        command.args(F::FLAGS.iter().map(Flag::arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        OptionArgs::<F>::augment_args(command)
    }
}
