//! Rulesheets written for this project, for programs that need a game at hand.
//!
//! These are some of them; all are in the folder `gdl/games`.

/// The names and texts of five games, sorted by the size of their circuits: from a hundred
/// gates to some ten thousand.
pub const GAMES: [(&str, &str); 5] = [
    ("ticTacToe", include_str!("../games/ticTacToe.kif")),
    ("connectFour", include_str!("../games/connectFour.kif")),
    ("breakthrough", include_str!("../games/breakthrough.kif")),
    ("reversi", include_str!("../games/reversi.kif")),
    ("kalah", include_str!("../games/kalah.kif")),
];
