//! Fluents as planes: channels of a board, as convolutional networks take them.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use propjit_stop::Stop;
use rustc_hash::FxHashMap;

use super::{GridKind, Grids, Site};
use crate::game::environment::{Features, Source};
use crate::game::ground::GroundGame;
use crate::game::load::Game;
use crate::game::machine::{MachineError, RANDOM_ROLE};
use crate::game::vocabulary::natural_order::{compare, compare_names};
use crate::game::vocabulary::shape::Shaped;

/// An arrangement of a game's fluents in channels of height times width. Each fluent has a place of its own.
///
/// - Each kind of contents of a [board](Grids) is a channel, and so are lines between its places, by their direction.
///   Boards of several sizes begin at the top left.
/// - Of the other fluents, those of a relation are one channel or more, in which they follow each other row by row. If
///   there are boards and four of them at most, each fills a channel of its own.
/// - In a game without boards, the height is 1 and the width is that of the greatest relation.
///
/// Relative planes show each player the fluents of the other players in the channels in which those see their own.
/// Contents belong to a player if its name is among their words, or if its moves were seen to place them; they
/// correspond to each other in their order. What belongs to nobody stays in its channel. Last, there is a channel for
/// each player, filled with ones for that player and with zeros for others. Boards are not turned around.
#[derive(Clone, Debug)]
pub struct Planes {
    names: Vec<String>,
    height: usize,
    width: usize,
    features: Arc<Features>,
    /// For each action, the places that it mentions: see [`Grids::places`].
    places: Vec<Vec<Vec<Cell>>>,
}

/// A place of a board in planes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell {
    /// The number of the board.
    pub board: usize,
    /// The row, from the top.
    pub row: usize,
    /// The column, from the left.
    pub column: usize,
}

/// What a channel has.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Channel {
    /// Contents of a board.
    Contents { board: usize, text: String },
    /// Lines between places of a board: how far down and to the right they lead.
    Lines {
        board: usize,
        down: isize,
        right: isize,
    },
    /// One fluent, everywhere.
    Everywhere { text: String },
    /// Fluents of a relation one after the other, from one on.
    List { shape: String, from: usize },
}

/// The number of fluents of a relation that fill a channel each.
const FEW: usize = 4;

impl Planes {
    /// Arranges the fluents of a game, as all players see them or relative to each of them. None if only the prover can
    /// play the game.
    ///
    /// # Errors
    /// When the game cannot be evaluated.
    pub fn find(
        game: &Game,
        is_relative: bool,
        stop: &Stop,
    ) -> Result<Option<Planes>, MachineError> {
        let Some(ground) = game.ground_game() else {
            return Ok(None);
        };
        let grids = Grids::find(game, stop)?;
        let cells: Vec<Vec<[usize; 2]>> = (grids.grids().iter())
            .map(|grid| cells(&grid.sites, grid.kind))
            .collect();
        let mut drawing = Drawing::new(ground, &grids, &cells);
        drawing.place_all();
        Ok(Some(drawing.planes(is_relative)))
    }

    /// Returns a name for each channel: its contents, or its fluent. Where these depend on the player, all are named.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the number of channels, the height and the width.
    pub fn shape(&self) -> [usize; 3] {
        [self.names.len(), self.height, self.width]
    }

    /// Returns the arrangement, channel by channel, each row by row.
    pub fn features(&self) -> &Arc<Features> {
        &self.features
    }

    /// Returns the number of actions that players have.
    pub fn actions(&self) -> usize {
        self.places.len()
    }

    /// Returns the places that an action mentions, in the order in which it does: a column, for example, if it names
    /// only one coordinate.
    ///
    /// # Panics
    /// If players have fewer actions.
    pub fn places(&self, action: usize) -> &[Vec<Cell>] {
        &self.places[action]
    }
}

/// Fluents on the way to their places.
struct Drawing<'a> {
    game: &'a GroundGame,
    grids: &'a Grids,
    cells: &'a [Vec<[usize; 2]>],
    players: Vec<String>,
    texts: Vec<String>,
    height: usize,
    width: usize,
    /// The channels, each with the fluents that have a place in it.
    channels: Vec<(Channel, BTreeMap<usize, usize>)>,
}

impl<'a> Drawing<'a> {
    fn new(game: &'a GroundGame, grids: &'a Grids, cells: &'a [Vec<[usize; 2]>]) -> Drawing<'a> {
        let net = game.propnet();
        let bases = net.bases.iter();
        let players = game.roles().iter().filter(|role| *role != RANDOM_ROLE);
        let all = || cells.iter().flatten();
        Drawing {
            players: players.cloned().collect(),
            texts: bases.map(|base| net.terms.text(base.name)).collect(),
            height: all().map(|cell| cell[0] + 1).max().unwrap_or(1),
            width: all().map(|cell| cell[1] + 1).max().unwrap_or(0),
            channels: Vec::new(),
            game,
            grids,
            cells,
        }
    }

    /// Gives each fluent a place.
    fn place_all(&mut self) {
        let net = self.game.propnet();
        let mut order: Vec<usize> = (0..self.texts.len()).collect();
        order.sort_unstable_by(|&a, &b| compare(&net.terms, net.bases[a].name, net.bases[b].name));
        let mut on_boards: Vec<(Channel, BTreeMap<usize, usize>)> = Vec::new();
        let mut rest: Vec<(String, Vec<usize>)> = Vec::new();
        for &base in &order {
            if let Some((channel, place)) = self.on_board(base) {
                let found = on_boards.iter().position(|(other, _)| *other == channel);
                let found = found.unwrap_or_else(|| {
                    on_boards.push((channel, BTreeMap::new()));
                    on_boards.len() - 1
                });
                let taken = &mut on_boards[found].1;
                if let Entry::Vacant(free) = taken.entry(place) {
                    free.insert(base);
                    continue;
                }
            }
            let shape = Shaped::of(&self.texts[base]).shape;
            match rest.iter_mut().find(|(other, _)| *other == shape) {
                Some((_, members)) => members.push(base),
                None => rest.push((shape, vec![base])),
            }
        }
        on_boards.sort_by(|(a, _), (b, _)| a.compare(b));
        if on_boards.is_empty() {
            let longest = rest.iter().map(|(_, members)| members.len()).max();
            (self.height, self.width) = (1, longest.unwrap_or(0));
        }
        let area = self.height * self.width;
        self.channels = on_boards;
        let has_boards = !self.channels.is_empty();
        for (shape, members) in rest {
            if has_boards && members.len() <= FEW {
                for base in members {
                    let text = self.texts[base].clone();
                    let everywhere = (0..area).map(|place| (place, base)).collect();
                    self.channels
                        .push((Channel::Everywhere { text }, everywhere));
                }
                continue;
            }
            for (number, members) in members.chunks(area).enumerate() {
                let (shape, from) = (shape.clone(), number * area);
                let list = members.iter().copied().enumerate().collect();
                self.channels.push((Channel::List { shape, from }, list));
            }
        }
    }

    /// Returns the channel of a fluent on a board, and its place there.
    fn on_board(&self, base: usize) -> Option<(Channel, usize)> {
        let (fluent, place, content) = self.grids.read(&self.texts[base])?;
        let (board, grid) = (fluent.board, &self.grids.grids()[fluent.board]);
        let [row, column] = self.cells[board][*grid.numbers.get(&place)?];
        let channel = match fluent.is_edges {
            true => {
                let [to_row, to_column] = self.cells[board][*grid.numbers.get(&content)?];
                Channel::Lines {
                    board,
                    down: to_row as isize - row as isize,
                    right: to_column as isize - column as isize,
                }
            }
            false => Channel::Contents {
                board,
                text: content,
            },
        };
        Some((channel, row * self.width + column))
    }

    /// Puts everything together.
    fn planes(&self, is_relative: bool) -> Planes {
        let area = self.height * self.width;
        let views = if is_relative { self.players.len() } else { 1 };
        let mut of_players = Vec::new();
        let mut names: Vec<Vec<String>> = vec![Vec::new(); self.channels.len()];
        for player in 0..views {
            let mut sources = Vec::new();
            let seen = self.seen_as(player);
            for (at, names) in names.iter_mut().enumerate() {
                let (channel, bases) = &self.channels[seen[at]];
                let name = self.name(channel);
                if !names.contains(&name) {
                    names.push(name);
                }
                let renamed = self.renamed(channel, bases, player);
                let source = |place| match renamed.get(&place) {
                    Some(&base) => Source::Base(base),
                    None => Source::Zero,
                };
                sources.extend((0..area).map(source));
            }
            if is_relative && views > 1 {
                for other in 0..views {
                    let all = if other == player {
                        Source::One
                    } else {
                        Source::Zero
                    };
                    sources.extend(std::iter::repeat_n(all, area));
                }
            }
            of_players.push(sources);
        }
        // All players see the same.
        while of_players.len() < self.players.len() {
            of_players.push(of_players[0].clone());
        }
        let mut names: Vec<String> = names.iter().map(|names| names.join(" | ")).collect();
        if is_relative && views > 1 {
            names.extend(self.players.iter().map(|player| format!("for {player}")));
        }
        let actions = 0..self.game.actions().of_players();
        Planes {
            names,
            height: self.height,
            width: self.width,
            features: Arc::new(Features::new(&of_players)),
            places: actions.map(|action| self.places(action)).collect(),
        }
    }

    fn places(&self, action: usize) -> Vec<Vec<Cell>> {
        let found = self.grids.places(&self.game.action_text(action));
        let cell = |place: super::Place| {
            let [row, column] = self.cells[place.grid][place.site];
            let board = place.grid;
            Cell { board, row, column }
        };
        let found = found.into_iter();
        found
            .map(|places| places.into_iter().map(cell).collect())
            .collect()
    }

    fn name(&self, channel: &Channel) -> String {
        let board = |board: usize| {
            let names = &self.grids.grids()[board].names;
            names.first().cloned().unwrap_or_default()
        };
        match channel {
            Channel::Contents { board: of, text } => {
                format!("{} {text}", board(*of)).trim_end().to_string()
            }
            Channel::Lines {
                board: of,
                down,
                right,
            } => format!("{} {down} down {right} right", board(*of)),
            Channel::Everywhere { text } => text.clone(),
            Channel::List { shape, from: 0 } => shape.clone(),
            Channel::List { shape, from } => format!("{shape} from {from}"),
        }
    }

    /// Returns, for each channel, the one that a player sees in its place.
    fn seen_as(&self, player: usize) -> Vec<usize> {
        let mut seen: Vec<usize> = (0..self.channels.len()).collect();
        if player == 0 {
            return seen;
        }
        let find = |wanted: &Channel| self.channels.iter().position(|(one, _)| one == wanted);
        for (at, to) in seen.iter_mut().enumerate() {
            let found = match &self.channels[at].0 {
                Channel::Everywhere { text } => find(&Channel::Everywhere {
                    text: self.exchanged(text, player),
                }),
                Channel::Contents { board, text } => {
                    self.counterpart(*board, text, player).and_then(|text| {
                        find(&Channel::Contents {
                            board: *board,
                            text,
                        })
                    })
                }
                Channel::Lines { .. } | Channel::List { .. } => None,
            };
            *to = found.unwrap_or(at);
        }
        // Nothing may be lost.
        let mut all = seen.clone();
        all.sort_unstable();
        all.dedup();
        match all.len() == seen.len() {
            true => seen,
            false => (0..seen.len()).collect(),
        }
    }

    /// Returns the contents that mean to a player what some mean to the first player.
    fn counterpart(&self, board: usize, text: &str, player: usize) -> Option<String> {
        let exchanged = self.exchanged(text, player);
        if exchanged != text {
            return Some(exchanged);
        }
        let contents = &self.grids.grids()[board].contents;
        let players = &self.players;
        let owner = |text: &str| {
            let role = contents.get(text)?.owner?;
            players
                .iter()
                .position(|name| *name == self.game.roles()[role.index()])
        };
        let owned = |of: usize| {
            let mut owned: Vec<&str> = (contents.keys().map(String::as_str))
                .filter(|text| owner(text) == Some(of))
                .collect();
            owned.sort_by(|a, b| compare_words(a, b));
            owned
        };
        let of = owner(text)?;
        let (mine, theirs) = (owned(of), owned((of + player) % players.len()));
        let at = mine.iter().position(|one| *one == text)?;
        (mine.len() == theirs.len()).then(|| theirs[at].to_string())
    }

    /// Returns a text in which the names of players are those of others, as a player sees it.
    fn exchanged(&self, text: &str, player: usize) -> String {
        let is_part = |c: char| c == ' ' || c == '(' || c == ')';
        let mut exchanged = String::new();
        for token in text.split_inclusive(is_part) {
            let word = token.trim_end_matches(is_part);
            match self.players.iter().position(|name| name == word) {
                Some(at) => {
                    exchanged.push_str(&self.players[(at + player) % self.players.len()]);
                    exchanged.push_str(&token[word.len()..]);
                }
                None => exchanged.push_str(token),
            }
        }
        exchanged
    }

    /// Returns the fluents of a channel by their places, as a player sees them: in a list, those that name players
    /// change places.
    fn renamed(
        &self,
        channel: &Channel,
        bases: &BTreeMap<usize, usize>,
        player: usize,
    ) -> BTreeMap<usize, usize> {
        if player == 0 || !matches!(channel, Channel::List { .. }) {
            return bases.clone();
        }
        let numbers: FxHashMap<&str, usize> = (bases.values())
            .map(|&base| (&*self.texts[base], base))
            .collect();
        let image = |&base: &usize| {
            let text = self.exchanged(&self.texts[base], player);
            numbers.get(&*text).copied()
        };
        let images: Option<BTreeMap<usize, usize>> = (bases.iter())
            .map(|(&place, base)| Some((place, image(base)?)))
            .collect();
        images.unwrap_or_else(|| bases.clone())
    }
}

impl Channel {
    fn compare(&self, other: &Channel) -> Ordering {
        match (self, other) {
            (
                Channel::Contents {
                    board: a,
                    text: one,
                },
                Channel::Contents {
                    board: b,
                    text: two,
                },
            ) => a.cmp(b).then_with(|| compare_words(one, two)),
            (
                Channel::Lines {
                    board: a,
                    down,
                    right,
                },
                Channel::Lines {
                    board: b,
                    down: other_down,
                    right: other_right,
                },
            ) => (a, down, right).cmp(&(b, other_down, other_right)),
            (Channel::Contents { .. }, _) => Ordering::Less,
            (_, Channel::Contents { .. }) => Ordering::Greater,
            _ => Ordering::Equal,
        }
    }
}

fn compare_words(one: &str, two: &str) -> Ordering {
    let mut words = one.split(' ').zip(two.split(' '));
    let differ = words.find_map(|(a, b)| Some(compare_names(a, b)).filter(|order| order.is_ne()));
    differ.unwrap_or_else(|| one.len().cmp(&two.len()))
}

/// Returns the row and column of each place, so that neighbours are neighbours: rows of hexagonal boards that are
/// shifted against each other are shifted back.
fn cells(sites: &[Site], kind: GridKind) -> Vec<[usize; 2]> {
    let mut tops: Vec<u32> = sites.iter().map(|site| site.top).collect();
    tops.dedup();
    let row = |site: &Site| tops.binary_search(&site.top).unwrap_or(0);
    let shifts: &[i64] = if kind == GridKind::Hexagonal {
        &[-1, 1]
    } else {
        &[0, -1, 1]
    };
    let columns = shifts.iter().filter_map(|shift| {
        let left = |site: &Site| i64::from(site.left) + shift * row(site) as i64;
        let lefts: Vec<i64> = sites.iter().map(left).collect();
        let mut distinct = lefts.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let least = *distinct.first()?;
        if distinct.iter().any(|left| (left - least) % 2 != 0) {
            return None;
        }
        let column = |left: &i64| match shift {
            0 => distinct.binary_search(left).unwrap_or(0),
            _ => ((left - least) / 2) as usize,
        };
        Some(lefts.iter().map(column).collect::<Vec<usize>>())
    });
    let narrowest = columns.min_by_key(|columns| columns.iter().copied().max());
    let mut columns = narrowest.unwrap_or_default().into_iter();
    let mut last = (None, 0);
    (sites.iter().map(|site| {
        let row = row(site);
        // Without a grid, places of a row follow each other.
        last = (Some(row), if last.0 == Some(row) { last.1 + 1 } else { 0 });
        [row, columns.next().unwrap_or(last.1)]
    }))
    .collect()
}
