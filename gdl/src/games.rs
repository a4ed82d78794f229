//! Some of the rulesheets that were written for this project, for programs that need a
//! game at hand; all of them are in the folder `gdl/games`.

/// Names and texts, by the size of the games' circuits: from a hundred gates to
/// some ten thousand.
pub const GAMES: [(&str, &str); 5] = [
    ("ticTacToe", include_str!("../games/ticTacToe.kif")),
    ("connectFour", include_str!("../games/connectFour.kif")),
    ("breakthrough", include_str!("../games/breakthrough.kif")),
    ("reversi", include_str!("../games/reversi.kif")),
    ("kalah", include_str!("../games/kalah.kif")),
];
