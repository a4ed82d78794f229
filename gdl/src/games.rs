//! The rulesheets that were written for this project, as sample games for programs.

macro_rules! rulesheets {
    ($($name:literal,)*) => {
        [$(($name, include_str!(concat!("../games/", $name, ".kif"))),)*]
    };
}

/// Names and texts of all of them, by name: the files of the folder `gdl/games`.
pub const GAMES: [(&str, &str); 35] = rulesheets![
    "battleships",
    "breakthrough",
    "breakthroughSmall",
    "captureGo",
    "chess",
    "connectFour",
    "darkBreakthrough",
    "darkBreakthroughSmall",
    "diceRace",
    "dotsAndBoxes",
    "escortLatchBreakthrough",
    "fourPlayerHalma",
    "hexPie",
    "kalah",
    "kriegTicTacToe",
    "kuhnPoker",
    "leducPoker",
    "liarsDice",
    "mastermind",
    "minesweeper",
    "montyHall",
    "nineBoardTicTacToe",
    "nineBoardTicTacToePie",
    "pegTriangle",
    "phantomConnectFour",
    "piglet",
    "pipes",
    "reversi",
    "shortTables",
    "sudoku",
    "threePlayerTicTacToe",
    "ticTacToe",
    "tron",
    "twistyCorridor",
    "untwistyCorridor",
];

/// Some of them, by the size of the games' circuits: from a hundred gates to some ten thousand.
pub const BY_SIZE: [(&str, &str); 5] = rulesheets![
    "ticTacToe",
    "connectFour",
    "breakthrough",
    "reversi",
    "kalah",
];

/// The text of one of them.
///
/// ```
/// assert!(propjit_gdl::games::text("ticTacToe").is_some());
/// ```
pub fn text(name: &str) -> Option<&'static str> {
    let found = GAMES.iter().find(|(known, _)| *known == name)?;
    Some(found.1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_rulesheet_is_forgotten() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/games");
        assert_eq!(
            std::fs::read_dir(folder).unwrap().count(),
            super::GAMES.len()
        );
    }
}
