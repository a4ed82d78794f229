//! Boards that are inferred from rules: which, what is on them, and what survives other names.

use std::collections::HashMap;

use propjit::Stop;
use propjit::game::boards::{GridKind, Grids};
use propjit::game::load::{Game, Setup};
use propjit::game::position::History;
use propjit::play::matches::Script;
use propjit_gdl::games;
use propjit_gdl::rules::Keyword;
use propjit_gdl::syntax::{Lexer, TokenKind};

use crate::common::{game, load, own_game, own_games, rulesheets, shared, soak};

fn grids(game: &Game) -> Grids {
    Grids::find(game, &Stop::new()).unwrap()
}

/// The kind of a position, and how many columns and rows it has.
type Size = (GridKind, usize, usize);

/// A game, and its boards.
type Known = (&'static str, &'static [Size]);

/// The kind and the size of each position.
fn sizes(game: &Game) -> Vec<Size> {
    let grids = grids(game);
    let size = |grid: &propjit::game::boards::Grid| {
        let (columns, rows) = grid.size();
        (grid.kind, columns, rows)
    };
    grids.grids().iter().map(size).collect()
}

/// What is on the only position after these joint moves: for each row from the top the symbols, with a
/// point where nothing is.
fn rows(game: &Game, moves: &str) -> (Vec<String>, Vec<String>) {
    let grids = grids(game);
    let mut history = History::new(game.follow().unwrap());
    history.follow(&Script::inline(moves)).unwrap();
    let picture = grids.picture(&history.fluents());
    let [grid] = grids.grids() else {
        panic!("there are {} boards", grids.grids().len());
    };
    let mut rows: Vec<String> = Vec::new();
    let mut top = None;
    for (site, contents) in grid.sites.iter().zip(&picture.contents[0]) {
        if top.replace(site.top) != Some(site.top) {
            rows.push(String::new());
        }
        let symbols: String = contents
            .iter()
            .map(|c| grid.contents[c].symbol.as_str())
            .collect();
        *rows.last_mut().unwrap() += if symbols.is_empty() { "." } else { &symbols };
    }
    (rows, picture.rest)
}

/// The names of the places that a move speaks of.
fn places(grids: &Grids, played: &str) -> Vec<Vec<String>> {
    let name = |place: &propjit::game::boards::Place| {
        grids.grids()[place.grid].sites[place.site].name.clone()
    };
    let parts = grids.places(played).into_iter();
    parts.map(|part| part.iter().map(name).collect()).collect()
}

const OWN: [Known; 35] = [
    ("battleships", &[]),
    ("breakthrough", &[(GridKind::Rectangle, 8, 8)]),
    ("breakthroughSmall", &[(GridKind::Rectangle, 6, 6)]),
    ("captureGo", &[(GridKind::Rectangle, 7, 7)]),
    ("chess", &[(GridKind::Rectangle, 8, 8)]),
    ("connectFour", &[(GridKind::Rectangle, 7, 6)]),
    ("darkBreakthrough", &[(GridKind::Rectangle, 6, 6)]),
    ("darkBreakthroughSmall", &[(GridKind::Rectangle, 3, 4)]),
    ("diceRace", &[]),
    ("dotsAndBoxes", &[(GridKind::Rectangle, 5, 5)]),
    ("escortLatchBreakthrough", &[(GridKind::Rectangle, 8, 8)]),
    ("fourPlayerHalma", &[(GridKind::Rectangle, 6, 6)]),
    ("hexPie", &[(GridKind::Hexagonal, 9, 9)]),
    ("kalah", &[(GridKind::Row, 14, 1)]),
    (
        "kriegTicTacToe",
        &[(GridKind::Rectangle, 3, 3), (GridKind::Rectangle, 3, 3)],
    ),
    ("kuhnPoker", &[(GridKind::Row, 3, 1)]),
    ("leducPoker", &[(GridKind::Row, 6, 1)]),
    ("liarsDice", &[]),
    ("mastermind", &[(GridKind::Row, 3, 1)]),
    ("minesweeper", &[(GridKind::Rectangle, 4, 4)]),
    ("montyHall", &[]),
    ("nineBoardTicTacToe", &[(GridKind::Rectangle, 9, 9)]),
    ("nineBoardTicTacToePie", &[(GridKind::Rectangle, 9, 9)]),
    ("pegTriangle", &[(GridKind::Hexagonal, 5, 5)]),
    ("phantomConnectFour", &[(GridKind::Rectangle, 7, 6)]),
    ("piglet", &[]),
    ("pipes", &[(GridKind::Rectangle, 4, 4)]),
    ("reversi", &[(GridKind::Rectangle, 8, 8)]),
    ("shortTables", &[]),
    ("sudoku", &[(GridKind::Rectangle, 9, 9)]),
    ("threePlayerTicTacToe", &[(GridKind::Rectangle, 5, 5)]),
    ("ticTacToe", &[(GridKind::Rectangle, 3, 3)]),
    ("tron", &[(GridKind::Rectangle, 7, 7)]),
    ("twistyCorridor", &[(GridKind::Row, 11, 1)]),
    ("untwistyCorridor", &[]),
];

#[test]
fn boards_of_our_games() {
    let known: HashMap<&str, &[Size]> = OWN.into_iter().collect();
    for (name, path) in own_games() {
        assert_eq!(sizes(&load(&path)), known[name.as_str()], "{name}");
    }
}

#[test]
fn contents_of_boards() {
    let (position, rest) = rows(
        &own_game("ticTacToe"),
        "(mark 1 2) | noop; noop | (mark 3 3)",
    );
    // The first coordinate goes to the right, the second one up.
    assert_eq!(position, ["..o", "x..", "..."]);
    assert_eq!(rest, ["(control x)"]);
    let (position, _) = rows(&own_game("connectFour"), "(drop 1) | noop; noop | (drop 1)");
    assert_eq!(position[3..], [".......", "y......", "r......"]);
    let (position, _) = rows(&own_game("reversi"), "");
    assert_eq!(position[3..5], ["...bw...", "...wb..."]);
}

#[test]
fn places_that_moves_speak_of() {
    let grids_of = |name| grids(&own_game(name));
    let one = |name: &str| vec![name.to_string()];
    assert_eq!(places(&grids_of("ticTacToe"), "(mark 1 2)"), [one("1 2")]);
    assert_eq!(
        places(&grids_of("ticTacToe"), "noop"),
        Vec::<Vec<String>>::new()
    );
    let grids = grids_of("breakthrough");
    assert_eq!(places(&grids, "(move 8 2 8 3)"), [one("8 2"), one("8 3")]);
    let column: Vec<String> = (1..=6).rev().map(|row| format!("4 {row}")).collect();
    assert_eq!(places(&grids_of("connectFour"), "(drop 4)"), [column]);
    assert!(places(&grids_of("tron"), "north").is_empty());
}

#[test]
fn pieces_belong_to_those_who_play_them() {
    for name in [
        "ticTacToe",
        "connectFour",
        "breakthrough",
        "threePlayerTicTacToe",
    ] {
        let game = own_game(name);
        let grids = grids(&game);
        let contents = &grids.grids()[0].contents;
        let mut owners: Vec<u32> = (contents.values())
            .filter_map(|content| Some(content.owner?.0))
            .collect();
        owners.sort_unstable();
        let all: Vec<u32> = (0..game.rules().roles.len() as u32).collect();
        assert_eq!(owners, all, "{name}: {contents:?}");
    }
}

/// The rules with other names for all that has no meaning of its own.
fn scrambled(text: &str) -> String {
    let is_kept = |name: &str| {
        let keywords = Keyword::ALL.iter().map(|keyword| keyword.name());
        let others = ["<=", "distinct", "not", "or", "0", "50", "100"];
        keywords.chain(others).any(|kept| kept == name) || name.starts_with('?')
    };
    let mut names: HashMap<&str, String> = HashMap::new();
    let mut all = String::new();
    for token in Lexer::new(text) {
        let name = &text[token.span.start as usize..token.span.end as usize];
        if token.kind != TokenKind::Name || is_kept(name) {
            all += &format!(" {name}");
            continue;
        }
        // Names whose order says nothing.
        let number = (names.len() + 1) * 7919 % 1009;
        all += &format!(" {}", names.entry(name).or_insert(format!("w{number}x")));
    }
    all
}

#[test]
fn boards_do_not_depend_on_names() {
    for name in [
        "ticTacToe",
        "connectFour",
        "breakthrough",
        "hexPie",
        "reversi",
        "sudoku",
        "tron",
    ] {
        let text = scrambled(games::text(name).unwrap());
        let other = Game::from_text(name, &text, &Setup::default()).unwrap();
        assert_eq!(sizes(&other), sizes(&own_game(name)), "{name}");
    }
    // What is on them is where it was, too.
    let text = scrambled(games::text("reversi").unwrap());
    let other = Game::from_text("reversi", &text, &Setup::default()).unwrap();
    let occupied = |game: &Game| -> Vec<Vec<bool>> {
        let picture = grids(game).picture(&History::new(game.follow().unwrap()).fluents());
        let places = picture.contents.into_iter();
        places
            .map(|position| position.iter().map(Vec::is_empty).collect())
            .collect()
    };
    assert_eq!(occupied(&other), occupied(&own_game("reversi")));
}

#[test]
fn games_that_cannot_be_grounded_have_boards() {
    let rules = "(role r) (init (at 1 1 stone)) (init (at 2 1 stone)) (init (at 1 2 hole)) (init (at 2 2 hole))
        (init (count 0)) (succ 1 2)
        (<= (legal r (take ?x ?y)) (true (at ?x ?y stone)))
        (<= (next (at ?x ?y hole)) (does r (take ?x ?y)))
        (<= (next (at ?x ?y ?c)) (true (at ?x ?y ?c)) (does r (take ?u ?v)) (distinct ?x ?u))
        (<= (next (at ?x ?y ?c)) (true (at ?x ?y ?c)) (does r (take ?u ?v)) (distinct ?y ?v))
        (<= (next (count (s ?n))) (true (count ?n)))
        (<= terminal (not left)) (<= left (true (at ?x ?y stone))) (goal r 0)";
    let game = game_by_prover(rules);
    assert!(game.ground_game().is_none());
    assert_eq!(sizes(&game), [(GridKind::Rectangle, 2, 2)]);
    let (position, rest) = rows(&game, "(take 2 1)");
    assert_eq!(position.len(), 2);
    assert_eq!(rest, ["(count (s 0))"]);
}

#[test]
fn boards_end_where_nobody_gets() {
    // Grounding does not find that the wall stays where it is, and the successor relation goes on.
    let numbers: String = (0..20).map(|n| format!("(succ {n} {}) ", n + 1)).collect();
    let rules = format!(
        "(role r) (init (at 2 2)) (init (step 0)) {numbers} (init (wall 4)) (<= (next (wall ?x)) (true (wall ?x)))
        (<= (legal r right) (true (at ?x ?y)) (not (true (wall ?x))))
        (<= (legal r up) (true (at ?x ?y)) (not (true (wall ?y))))
        (legal r wait)
        (<= (next (at ?u ?y)) (does r right) (true (at ?x ?y)) (succ ?x ?u))
        (<= (next (at ?x ?v)) (does r up) (true (at ?x ?y)) (succ ?y ?v))
        (<= (next (at ?x ?y)) (does r wait) (true (at ?x ?y)))
        (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
        (<= terminal (true (step 20))) (goal r 0)"
    );
    let game = game(&rules);
    let grids = grids(&game);
    assert_eq!(sizes(&game), [(GridKind::Rectangle, 3, 3)]);
    let rest = grids.picture(&["(at 19 2)".to_string()]).rest;
    assert_eq!(rest, ["(at 19 2)"]);
}

#[test]
fn phases_have_boards_of_their_own() {
    let rules = "(role r) (init (first 1 1 b)) (init (first 1 2 b)) (init (first 2 1 b)) (init (first 2 2 b))
        (number 1) (number 2) (init (phase one))
        (<= (legal r (mark ?x ?y)) (true (first ?x ?y b))) (<= (legal r (put ?x ?y)) (true (second ?x ?y b)))
        (<= full (not (true (first 1 1 b))) (not (true (first 1 2 b))) (not (true (first 2 1 b))) (not (true (first 2 2 b))))
        (<= (legal r change) (true (phase one)) full)
        (<= (next (first ?x ?y r)) (does r (mark ?x ?y)))
        (<= (next (first ?x ?y r)) (true (first ?x ?y r)) (not (does r change)))
        (<= (next (first ?x ?y b)) (true (first ?x ?y b)) (not (does r (mark ?x ?y))))
        (<= (next (second ?x ?y b)) (does r change) (number ?x) (number ?y))
        (<= (next (second ?x ?y r)) (does r (put ?x ?y)))
        (<= (next (second ?x ?y ?c)) (true (second ?x ?y ?c)) (not (does r (put ?x ?y))))
        (<= (next (phase one)) (true (phase one)) (not (does r change))) (<= (next (phase two)) (does r change))
        (<= (next (phase two)) (true (phase two)))
        (<= terminal (true (second 1 1 r)) (true (second 2 2 r))) (goal r 0)";
    let game = game(rules);
    let position = (GridKind::Rectangle, 2, 2);
    assert_eq!(sizes(&game), [position, position]);
}

fn game_by_prover(rules: &str) -> Game {
    let setup = Setup::default().with_backend(Some(propjit::Backend::Prover));
    Game::from_text("test.kif", rules, &setup).unwrap()
}

#[test]
fn lines_between_points() {
    let rules = "(role r) (succ 1 2) (succ 2 3) (point 1) (point 2) (point 3) (init start)
        (<= (legal r (draw ?x ?y ?u ?y)) (succ ?x ?u) (point ?y) (not (true (line ?x ?y ?u ?y))))
        (<= (legal r (draw ?x ?y ?x ?v)) (succ ?y ?v) (point ?x) (not (true (line ?x ?y ?x ?v))))
        (<= (next (line ?x ?y ?u ?v)) (does r (draw ?x ?y ?u ?v)))
        (<= (next (line ?x ?y ?u ?v)) (true (line ?x ?y ?u ?v)))
        (<= terminal (true (line 3 2 3 3))) (goal r 0)";
    let game = game(rules);
    assert_eq!(sizes(&game), [(GridKind::Points, 3, 3)]);
    let grids = grids(&game);
    let picture = grids.picture(&["(line 1 1 2 1)".to_string()]);
    let [(from, to)] = picture.lines[0][..] else {
        panic!("{picture:?}");
    };
    let sites = &grids.grids()[0].sites;
    assert_eq!(
        (sites[from].name.as_str(), sites[to].name.as_str()),
        ("1 1", "2 1")
    );
    let ends = places(&grids, "(draw 2 2 2 3)");
    assert_eq!(ends, [["2 2"], ["2 3"]]);
}

#[test]
fn boards_of_public_games() {
    let Some(folder) = shared() else { return };
    use GridKind::{Boards, Hexagonal, Points, Rectangle, Row};
    let known: [Known; 44] = [
        ("2pffa", &[(Rectangle, 7, 5)]),
        ("3pffa", &[(Rectangle, 7, 6)]),
        ("biddingTicTacToe", &[(Rectangle, 3, 3)]),
        ("blocker", &[(Rectangle, 4, 4)]),
        ("blockerParallel", &[(Rectangle, 4, 4), (Rectangle, 4, 4)]),
        ("breakthrough", &[(Rectangle, 8, 8)]),
        ("breakthroughHoles", &[(Rectangle, 8, 8)]),
        ("breakthroughSmall", &[(Rectangle, 6, 6)]),
        ("breakthroughWalls", &[(Rectangle, 8, 8)]),
        ("checkers", &[(Rectangle, 8, 8)]),
        ("chess_200", &[(Rectangle, 8, 8)]),
        ("chineseCheckers1", &[(Hexagonal, 7, 9)]),
        ("chineseCheckers2", &[(Hexagonal, 7, 9)]),
        ("chineseCheckers4", &[(Hexagonal, 7, 9)]),
        ("chomp", &[(Rectangle, 8, 7)]),
        ("coins", &[(Row, 8, 1)]),
        ("connectFour", &[(Rectangle, 8, 6)]),
        ("dotsAndBoxes", &[(Rectangle, 5, 5), (Points, 6, 6)]),
        ("dualConnect4", &[(Rectangle, 8, 6), (Rectangle, 8, 6)]),
        ("eightPuzzle", &[(Rectangle, 3, 3)]),
        ("futoshiki4", &[(Rectangle, 4, 4)]),
        ("gt_prisoner", &[]),
        ("hex", &[(Hexagonal, 9, 9)]),
        ("hidato19", &[(Hexagonal, 5, 5)]),
        ("kalaha_2009", &[(Row, 12, 1)]),
        ("knightThrough", &[(Rectangle, 8, 8)]),
        ("lightsOut", &[(Rectangle, 5, 5)]),
        ("mummymaze2p", &[(Rectangle, 9, 9)]),
        ("nim1", &[(Row, 4, 1)]),
        ("nineBoardTicTacToe", &[(Boards, 9, 9)]),
        ("pancakes88", &[]),
        ("peg", &[(Rectangle, 7, 7)]),
        ("pentago", &[(Boards, 6, 6)]),
        ("quad", &[(Rectangle, 11, 11)]),
        ("racer", &[]),
        ("reversi", &[(Rectangle, 8, 8)]),
        ("sheepAndWolf", &[(Rectangle, 8, 8)]),
        ("skirmish", &[(Rectangle, 8, 8)]),
        ("sudokuGrade1", &[(Boards, 9, 9)]),
        ("ticTacToe", &[(Rectangle, 3, 3)]),
        ("ticTacToeParallel", &[(Rectangle, 3, 3), (Rectangle, 3, 3)]),
        ("ticblock", &[(Rectangle, 4, 4), (Rectangle, 3, 3)]),
        ("tictactoe_3d_2player", &[(Boards, 8, 8)]),
        ("tron_10x10", &[(Rectangle, 12, 12)]),
    ];
    for (name, expected) in known {
        let path = folder.join("games").join(name).with_extension("kif");
        assert_eq!(sizes(&load(&path)), expected, "{name}");
    }
}

/// Every 24th public game; with `PROPJIT_SOAK=1` all of them. Their boards are printed: the table in
/// `docs/boards.md` was made from that.
#[test]
fn every_public_game_has_boards_or_none() {
    let Some(folder) = shared() else { return };
    let stride = if soak() { 1 } else { 24 };
    let games = rulesheets(&folder.join("games"));
    for (name, path) in games.into_iter().step_by(stride) {
        let game = load(&path);
        let grids = grids(&game);
        let boards = grids.grids().iter().map(|grid| {
            let (columns, rows) = grid.size();
            let fluents = grid.names.join(" ");
            format!("{fluents}: {} {columns} x {rows}", grid.kind.name())
        });
        println!("{name}\t{}", boards.collect::<Vec<_>>().join("; "));
        for grid in grids.grids() {
            assert!(!grid.sites.is_empty() && !grid.names.is_empty(), "{name}");
        }
    }
}

/// Stones of a role are never nothing, not even where they are on half of a full position, or are called as empty places
/// are elsewhere.
#[test]
fn pieces_of_roles_are_no_empty_places() {
    let numbers = "(n 1) (n 2) (n 3) (n 4)";
    let stones = (1..=4).flat_map(|x| (1..=4).map(move |y| (x, y)));
    let stone = |(x, y): (u32, u32)| {
        let colour = ["white", "black"][(x + y) as usize % 2];
        format!("(init (on {x} {y} {colour}))")
    };
    let stones: String = stones.map(stone).collect();
    let taking = format!(
        "(role white) (role black) {numbers} {stones} (init (turn white))
         (other white black) (other black white)
         (<= (legal ?r (take ?x ?y)) (true (turn ?r)) (other ?r ?s) (true (on ?x ?y ?s)))
         (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
         (<= (taken ?x ?y) (does ?r (take ?x ?y)))
         (<= (next (on ?x ?y blank)) (taken ?x ?y))
         (<= (next (on ?x ?y ?c)) (true (on ?x ?y ?c)) (not (taken ?x ?y)))
         (<= (next (turn ?s)) (true (turn ?r)) (other ?r ?s))
         (<= gone (true (on ?x ?y black))) (<= terminal (not gone)) (goal ?r 50)"
    )
    .replace("(goal ?r 50)", "(goal white 50) (goal black 50)");
    let (before, _) = rows(&game(&taking), "");
    assert!(before.iter().all(|row| !row.contains('.')), "{before:?}");
    let (after, _) = rows(&game(&taking), "(take 1 4)|noop");
    assert_eq!(after.concat().matches('.').count(), 1, "{after:?}");
    assert!(after[0].starts_with('.'), "{after:?}");

    // Whatever empty places are called, if all of them are.
    let dropping = "(role white) (role black) (n 1) (n 2) (n 3)
        (<= (init (on ?x ?y z)) (n ?x) (n ?y)) (legal black noop)
        (<= (legal white (put ?x ?y)) (true (on ?x ?y z)))
        (<= (next (on ?x ?y white)) (does white (put ?x ?y)))
        (<= (next (on ?x ?y ?c)) (true (on ?x ?y ?c)) (not (taken ?x ?y)))
        (<= (taken ?x ?y) (does white (put ?x ?y)))
        (<= open (true (on ?x ?y z))) (<= terminal (not open)) (goal white 100) (goal black 0)";
    let (before, _) = rows(&game(dropping), "");
    assert_eq!(before, ["...", "...", "..."]);

    let standing = format!(
        "(role w) (role b) {numbers} (init (on 1 1 w)) (init (on 4 4 b)) (init (on 3 4 b))
         (legal w noop) (<= (legal b (put ?x ?y)) (n ?x) (n ?y))
         (<= (next (on ?x ?y b)) (does b (put ?x ?y)))
         (<= (next (on ?x ?y ?c)) (true (on ?x ?y ?c)))
         (<= terminal (true (on 4 1 b))) (goal w 0) (goal b 100)"
    );
    let (rows, rest) = rows(&game(&standing), "");
    assert_eq!(rows.concat().matches('b').count(), 2, "{rows:?}");
    assert_eq!(rest, Vec::<String>::new());
}
