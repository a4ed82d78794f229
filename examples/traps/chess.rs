//! Chess from its rules, with names of moves, and game trees in which these are labels.

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;

use propjit::game::ground::GroundGame;
use propjit::game::machine::batch::Batch;
use propjit::lab::similarity::{Branch, GameTree, Sequences, continuations, structural};
use propjit::{Game, Move, RoleId, Setup, State, gdl};

/// What moves are called, and so which moves are the same.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// By both squares, as in the rules: `g1f3`.
    Squares,
    /// By the square they go to: `f3`.
    Target,
    /// As the source prints them, by the piece and the square, with a mark for check or mate: `Nf3`,
    /// `Ngf3`, `ef7#`.
    Piece,
}

/// What is on the squares, row by row from a1: letters, those of white's pieces being capital.
pub(crate) type Board = [char; 64];

/// A move, and what follows.
pub(crate) struct Played {
    pub(crate) name: String,
    is_capture: bool,
    pub(crate) state: State,
    /// The goals of both if the match is over.
    pub(crate) goals: Option<Vec<Option<i32>>>,
}

/// Where a move goes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Squares {
    from: usize,
    to: usize,
    promoted: Option<char>,
}

/// Plays chess.
pub(crate) struct Chess {
    ground: Arc<GroundGame>,
    batch: Batch,
    /// What each proposition says of a square.
    pieces: Vec<Option<(usize, char)>>,
    /// The moves of each role, other than to wait.
    squares: Vec<Vec<Option<Squares>>>,
    labels: HashMap<String, u32>,
}

impl Chess {
    pub(crate) fn new() -> Result<Chess, Box<dyn Error>> {
        let rules = gdl::games::text("chess").ok_or("there is no such game")?;
        let game = Game::from_text("chess.kif", rules, &Setup::default())?;
        let engines = game.engines().ok_or("the game could not be grounded")?;
        engines.start();
        engines.wait();
        let ground = engines.game().clone();
        let layout = ground.layout();
        let of = |base: usize| ground.fluents(&[base].into_iter().collect());
        let pieces =
            (0..layout.bases.len()).map(|base| of(base).first().and_then(|text| piece(text)));
        let squares = RoleId::first(2).map(|role| {
            let moves = (0..layout.does[role.index()].len() as u32).map(Move);
            moves
                .map(|played| squares(&ground.move_text(role, played)))
                .collect()
        });
        Ok(Chess {
            batch: Batch::new(ground.clone(), engines.best()),
            pieces: pieces.collect(),
            squares: squares.collect(),
            labels: HashMap::new(),
            ground,
        })
    }

    /// The position after moves from the start, such as `e2e4`.
    pub(crate) fn after(&mut self, moves: &str) -> Result<State, Box<dyn Error>> {
        let mut state = self.ground.initial().clone();
        for text in moves.split_whitespace() {
            let next = self.by(&state, text);
            state = next.ok_or_else(|| format!("{text} is not legal"))?.state;
        }
        Ok(state)
    }

    /// What follows by a move such as `e2e4`, if it is legal.
    pub(crate) fn by(&mut self, state: &State, text: &str) -> Option<Played> {
        let mut all = self.moves(state, Naming::Squares).into_iter();
        all.find(|played| played.name == text)
    }

    /// All moves in a position.
    pub(crate) fn moves(&mut self, state: &State, naming: Naming) -> Vec<Played> {
        let legal = self.batch.legal_moves(state);
        let known = |role: usize, played: &Move| self.squares[role][played.index()];
        let mover = usize::from(known(0, &legal[0][0]).is_none());
        let waits = legal[1 - mover][0];
        let joint = |&played: &Move| match mover {
            0 => [played, waits],
            _ => [waits, played],
        };
        let joints: Vec<Move> = legal[mover].iter().flat_map(joint).collect();
        let all: Vec<Squares> = (legal[mover].iter())
            .filter_map(|played| known(mover, played))
            .collect();
        let before = self.board(state);
        let children = self.batch.children(state, &joints);
        let moves = children.into_iter().zip(&all).map(|(child, &squares)| {
            let Squares { from, to, .. } = squares;
            let is_pawn = before[from].eq_ignore_ascii_case(&'p');
            let name = match naming {
                Naming::Squares => squares.text(),
                Naming::Target => square(to),
                Naming::Piece => {
                    let board = self.board(&child.state);
                    let mark = match child.goals {
                        Some(ref goals) if goals[mover] == Some(100) => "#",
                        _ if is_in_check(&board, mover == 1) => "+",
                        _ => "",
                    };
                    format!("{}{mark}", squares.notation(&before, &all))
                }
            };
            Played {
                name,
                is_capture: before[to] != '.' || is_pawn && from % 8 != to % 8,
                state: child.state,
                goals: child.goals,
            }
        });
        moves.collect()
    }

    pub(crate) fn board(&self, state: &State) -> Board {
        let mut board = ['.'; 64];
        for (square, piece) in state.iter().filter_map(|base| self.pieces[base]) {
            board[square] = piece;
        }
        board
    }

    fn label(&mut self, name: &str) -> u32 {
        let next = self.labels.len() as u32;
        match self.labels.get(name) {
            Some(&label) => label,
            None => *self.labels.entry(name.to_string()).or_insert(next),
        }
    }

    /// The set of moves in a position.
    pub(crate) fn set(&mut self, state: &State, naming: Naming) -> Vec<u32> {
        let moves = self.moves(state, naming);
        let mut labels: Vec<u32> = moves.iter().map(|one| self.label(&one.name)).collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    /// How similar what follows from each of the moves is to the position, by the similarity of
    /// continuations: what structural similarity compares.
    pub(crate) fn child_similarities(
        &mut self,
        state: &State,
        moves: &[Played],
        naming: Naming,
    ) -> Vec<f64> {
        let parent = self.set(state, naming);
        let similarity = |one: &Played| match one.goals {
            Some(_) => 0.0,
            None => continuations(&parent, &self.set(&one.state, naming)).unwrap_or(0.0),
        };
        moves.iter().map(similarity).collect()
    }

    /// The game tree and its simplified sequences. Captures are other moves than the same moves that
    /// are none.
    pub(crate) fn lines(
        &mut self,
        state: &State,
        depth: usize,
        naming: Naming,
    ) -> (GameTree, Sequences) {
        let tree = GameTree::new(&self.branches(state, depth, naming));
        let lines = Sequences::new(&tree);
        (tree, lines)
    }

    fn branches(&mut self, state: &State, depth: usize, naming: Naming) -> Vec<Branch> {
        let moves = self.moves(state, naming).into_iter();
        let branch = |one: Played| Branch {
            label: self.label(&one.name) << 1 | u32::from(one.is_capture),
            branches: match one.goals.is_none() && depth > 1 {
                true => self.branches(&one.state, depth - 1, naming),
                false => Vec::new(),
            },
        };
        moves.map(branch).collect()
    }

    /// The moves of the second ply that are paired most often: see
    /// [`MatchedMoves`](propjit::lab::similarity::MatchedMoves).
    pub(crate) fn frequent_pairs(&mut self, a: &State, b: &State) -> Vec<(String, String, u32)> {
        let mut counts: HashMap<(String, String), u32> = HashMap::new();
        let [of_a, of_b] = [a, b].map(|state| self.moves(state, Naming::Piece));
        for (i, j) in self.pairs((a, &of_a), (b, &of_b)) {
            let (next_a, next_b) = (&of_a[i], &of_b[j]);
            if next_a.goals.is_some() || next_b.goals.is_some() {
                continue;
            }
            let [a, b] = [next_a, next_b].map(|one| &one.state);
            let [seconds_a, seconds_b] = [a, b].map(|state| self.moves(state, Naming::Piece));
            for (i, j) in self.pairs((a, &seconds_a), (b, &seconds_b)) {
                let names = (seconds_a[i].name.clone(), seconds_b[j].name.clone());
                *counts.entry(names).or_default() += 1;
            }
        }
        let mut pairs: Vec<_> = (counts.into_iter())
            .map(|((a, b), count)| (a, b, count))
            .collect();
        pairs.sort_by(|x, y| y.2.cmp(&x.2).then_with(|| (&x.0, &x.1).cmp(&(&y.0, &y.1))));
        pairs
    }

    /// The moves that structural similarity pairs.
    fn pairs(&mut self, a: (&State, &[Played]), b: (&State, &[Played])) -> Vec<(usize, usize)> {
        let [a, b] =
            [a, b].map(|(state, moves)| self.child_similarities(state, moves, Naming::Piece));
        structural(&a, &b).map_or(Vec::new(), |(_, assignment)| assignment.pairs)
    }
}

/// What a fluent such as `(cell e 2 wp)` says of a square.
fn piece(fluent: &str) -> Option<(usize, char)> {
    let words = fluent.strip_prefix("(cell ")?.strip_suffix(')')?;
    let words: Vec<&str> = words.split(' ').collect();
    let [file, rank, contents] = words[..] else {
        return None;
    };
    let piece = match contents.split_at_checked(1)? {
        ("w", kind) => kind.to_ascii_uppercase().chars().next()?,
        ("b", kind) => kind.chars().next()?,
        _ => return None,
    };
    Some((number(file, rank)?, piece))
}

/// The squares of a move such as `(move e 2 e 4)` or `(promote e 7 d 8 queen)`.
fn squares(text: &str) -> Option<Squares> {
    let words: Vec<&str> = text.trim_matches(['(', ')']).split(' ').collect();
    let (&[_, from, from_rank, to, to_rank], rest) = words.split_first_chunk()?;
    let promoted = rest.first().map(|piece| match *piece {
        "knight" => 'n',
        piece => piece.chars().next().unwrap_or('q'),
    });
    Some(Squares {
        from: number(from, from_rank)?,
        to: number(to, to_rank)?,
        promoted,
    })
}

/// The number of a square.
fn number(file: &str, rank: &str) -> Option<usize> {
    let file = "abcdefgh".find(file)?;
    let rank: usize = rank.parse().ok()?;
    Some(8 * (rank - 1) + file)
}

fn file(square: usize) -> char {
    char::from(b'a' + (square % 8) as u8)
}

fn square(number: usize) -> String {
    format!("{}{}", file(number), number / 8 + 1)
}

impl Squares {
    fn text(self) -> String {
        let promoted = self.promoted.map(String::from).unwrap_or_default();
        format!("{}{}{promoted}", square(self.from), square(self.to))
    }

    /// The algebraic notation without a sign for captures; `all` are the moves in the position.
    fn notation(self, board: &Board, all: &[Squares]) -> String {
        let Squares { from, to, promoted } = self;
        let target = square(to);
        let piece = board[from].to_ascii_uppercase();
        if piece == 'P' {
            let captures = from % 8 != to % 8;
            let from = captures.then(|| file(from));
            let from = from.map(String::from).unwrap_or_default();
            let promoted = promoted.map(|piece| piece.to_ascii_uppercase());
            let promoted = promoted.map(String::from).unwrap_or_default();
            return format!("{from}{target}{promoted}");
        }
        let is_rival = |other: &&Squares| {
            other.to == to && other.from != from && board[other.from] == board[from]
        };
        let rivals = || all.iter().filter(is_rival).map(|other| other.from);
        let from = match () {
            _ if rivals().next().is_none() => String::new(),
            _ if rivals().all(|other| other % 8 != from % 8) => file(from).to_string(),
            _ if rivals().all(|other| other / 8 != from / 8) => (from / 8 + 1).to_string(),
            _ => square(from),
        };
        format!("{piece}{from}{target}")
    }
}

const LEAPS: [(i32, i32); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

const DIRECTIONS: [(i32, i32); 8] = [
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
];

/// Whether a king is in check.
fn is_in_check(board: &Board, is_white: bool) -> bool {
    let own = |piece: char| match is_white {
        true => piece.to_ascii_uppercase(),
        false => piece,
    };
    let Some(king) = board.iter().position(|&piece| piece == own('k')) else {
        return false;
    };
    let (file, rank) = ((king % 8) as i32, (king / 8) as i32);
    let at = |files: i32, ranks: i32| {
        let (file, rank) = (file + files, rank + ranks);
        let is_on_board = (0..8).contains(&file) && (0..8).contains(&rank);
        is_on_board.then(|| board[(8 * rank + file) as usize])
    };
    let is_enemy = |found: Option<char>, kinds: &str| {
        found.is_some_and(|found| {
            found != own(found.to_ascii_lowercase()) && kinds.contains(found.to_ascii_lowercase())
        })
    };
    let ahead = if is_white { 1 } else { -1 };
    let slides = |&(files, ranks): &(i32, i32)| {
        let kinds = if files == 0 || ranks == 0 { "rq" } else { "bq" };
        let met = (1..8).map(|steps| at(steps * files, steps * ranks));
        let mut met = met.skip_while(|found| *found == Some('.'));
        is_enemy(met.next().flatten(), kinds)
    };
    [-1, 1].iter().any(|&files| is_enemy(at(files, ahead), "p"))
        || (LEAPS.iter()).any(|&(files, ranks)| is_enemy(at(files, ranks), "n"))
        || DIRECTIONS.iter().any(slides)
}
