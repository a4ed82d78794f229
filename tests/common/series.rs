//! Series of matches with clocks that are long enough.

use std::sync::Arc;
use std::time::Duration;

use propjit::Stop;
use propjit::game::load::Setup;
use propjit::play::matches::{MatchConfig, PlayerFactory, Rulesheet, Series, SeriesResults};

/// The player of this specification. What it learns is not kept.
pub(crate) fn spec(text: &str) -> PlayerFactory {
    let text = match text.split_once(':') {
        Some(("mcts", options)) => format!("mcts:keep=false,{options}"),
        None if text == "mcts" => "mcts:keep=false".to_owned(),
        _ => text.to_owned(),
    };
    text.parse().unwrap()
}

/// The game with these rules.
pub(crate) fn sheet(rules: &str) -> Arc<Rulesheet> {
    Arc::new(Rulesheet::parse("test.kif", rules, Setup::default()).unwrap())
}

/// One of the project's own games.
pub(crate) fn own_sheet(name: &str) -> Arc<Rulesheet> {
    sheet(super::own_game(name).rules().source.text())
}

/// Matches with clocks that are long enough for players without errors.
pub(crate) fn series(players: &[PlayerFactory], matches: u64) -> Series {
    let clock = Duration::from_secs(20);
    let config = MatchConfig::new(clock, clock).with_forgiving(true);
    Series::new(players.to_vec(), config)
        .with_matches(matches)
        .with_name("test".to_string())
        .with_seed(1)
}

/// Plays the series to its end.
pub(crate) fn play(series: &Series, sheet: &Arc<Rulesheet>) -> SeriesResults {
    series.play(sheet, &Stop::new(), &|_, _| {}).unwrap()
}
