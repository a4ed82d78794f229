//! Pictures of states in the terminal: boards, and the propositions that are on none of them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;

use propjit::Stop;
use propjit::game::boards::{Grid, GridKind, Grids, Picture, Place};
use propjit::game::load::Game;

use super::output::column_width;

/// The width of lines, if words allow that.
const WIDTH: usize = 80;

/// The symbol of an empty place.
const EMPTY: &str = ".";

/// The boards of a game, and how they are drawn.
pub(super) struct Pictures {
    grids: Grids,
    roles: Vec<String>,
    /// Whether the pieces of different roles have different colours.
    has_colours: bool,
}

impl Pictures {
    /// Finds the boards of a game. There are colours if they are shown `on` a terminal, unless the
    /// variable `NO_COLOR` is set (<https://no-color.org>).
    pub(super) fn new(game: &Game, on: &impl IsTerminal, stop: &Stop) -> Pictures {
        let rules = game.rules();
        let is_refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let grids = Grids::find(game, stop).unwrap_or_else(|error| {
            tracing::info!(%error, "no boards were found");
            Grids::default()
        });
        Pictures {
            grids,
            roles: (rules.roles.iter().map(|&role| rules.terms.text(role))).collect(),
            has_colours: on.is_terminal() && !is_refused,
        }
    }

    /// The boards.
    pub(super) fn grids(&self) -> &Grids {
        &self.grids
    }

    /// Draws the state in which these fluents hold.
    pub(super) fn draw(&self, fluents: &[String]) -> String {
        let picture = self.grids.picture(fluents);
        let mut text = String::new();
        for number in 0..self.grids.grids().len() {
            text += &self.board(number, &picture);
            text.push('\n');
        }
        text + &wrap(&picture.rest, 1)
    }

    /// Draws a part of a board: places, each with the text of a proposition about it, and of the one that holds there. None if
    /// they are not on one board.
    pub(super) fn part(&self, places: &[(String, Option<String>)]) -> Option<String> {
        let found = places.iter().map(|(any, _)| self.grids.place(any));
        let found: Vec<Place> = found.collect::<Option<_>>()?;
        let number = found.first()?.grid;
        let is_one_board = found.iter().all(|place| place.grid == number);
        let sites: Vec<usize> = found.iter().map(|place| place.site).collect();
        let held: Vec<String> = places.iter().filter_map(|(_, held)| held.clone()).collect();
        let contents = &self.grids.picture(&held).contents[number];
        let (part, numbers) = self.grids.grids()[number].part(&sites);
        let shown = numbers.iter().map(|site| match sites.contains(site) {
            true => contents[*site].clone(),
            // It does not matter what is there.
            false => vec![" ".to_string()],
        });
        let shown: Vec<Vec<String>> = shown.collect();
        let canvas = Canvas::new(&part, &shown);
        is_one_board.then(|| match part.kind {
            GridKind::Row => canvas.row(),
            _ => canvas.draw(&[], |content| self.colour(&part, content)),
        })
    }

    fn board(&self, number: usize, picture: &Picture) -> String {
        let grid = &self.grids.grids()[number];
        let canvas = Canvas::new(grid, &picture.contents[number]);
        if grid.kind == GridKind::Row {
            return canvas.row();
        }
        let name = match self.grids.grids().len() {
            1 => String::new(),
            _ => format!("  {}:\n", grid.names[0]),
        };
        let mut text =
            name + &canvas.draw(&picture.lines[number], |content| self.colour(grid, content));
        let lines = picture.lines[number].iter();
        let others = lines.filter(|&&(from, to)| !canvas.has_room(from, to));
        let name = |site: usize| &grid.sites[site].name;
        let others = others.map(|&(from, to)| format!("{} - {}", name(from), name(to)));
        let others: Vec<String> = others.collect();
        if !others.is_empty() {
            text += &format!("  lines:\n{}", wrap(&others, 2));
        }
        text + &canvas.legend()
    }

    /// The code that begins the colour of something on a board.
    fn colour(&self, grid: &Grid, content: &str) -> Option<u8> {
        let owner = grid.contents.get(content)?.owner?;
        let codes = [31, 34, 32, 33, 35, 36];
        let named = [
            ("red", 31),
            ("green", 32),
            ("yellow", 33),
            ("blue", 34),
            ("magenta", 35),
            ("cyan", 36),
        ];
        let name = &self.roles[owner.index()];
        let named = named.iter().find(|(colour, _)| colour == name);
        let code = named.map_or(codes[owner.index() % codes.len()], |&(_, code)| code);
        self.has_colours.then_some(code)
    }
}

/// A board as characters.
struct Canvas<'a> {
    grid: &'a Grid,
    contents: &'a [Vec<String>],
    /// The width of a cell in characters.
    cell: usize,
    /// The width of half a cell in characters, if rows are shifted.
    half: usize,
    /// The width of the names of rows in characters.
    margin: usize,
}

impl<'a> Canvas<'a> {
    fn new(grid: &'a Grid, contents: &'a [Vec<String>]) -> Canvas<'a> {
        let names = grid.rows.iter().map(|(_, name)| name.chars().count());
        let mut canvas = Canvas {
            grid,
            contents,
            cell: 1,
            half: 1,
            margin: column_width(names.max().unwrap_or(0)),
        };
        let cells = (0..grid.sites.len()).map(|site| canvas.symbol(site).chars().count());
        let names = grid.columns.iter().map(|(_, name)| name.chars().count());
        let widest = cells.chain(names).max().unwrap_or(1);
        canvas.half = match grid.kind {
            GridKind::Points => 2,
            _ => (widest + 1).div_ceil(2),
        };
        canvas.cell = widest + 1;
        canvas
    }

    /// The column of characters for a distance from the left.
    fn column(&self, left: u32) -> usize {
        match self.grid.kind {
            GridKind::Hexagonal | GridKind::Points => left as usize * self.half,
            _ => left as usize / 2 * self.cell,
        }
    }

    /// Returns the symbol at a place.
    fn symbol(&self, site: usize) -> String {
        if self.grid.kind == GridKind::Points {
            return "+".to_string();
        }
        let symbol = |content: &String| match self.grid.contents.get(content) {
            Some(known) => known.symbol.clone(),
            None => content.clone(),
        };
        match &self.contents[site][..] {
            [] => EMPTY.to_string(),
            all => all.iter().map(symbol).collect(),
        }
    }

    /// Returns whether a line between two places can be drawn: they are points, one beside or below
    /// the other.
    fn has_room(&self, from: usize, to: usize) -> bool {
        let [from, to] = [from, to].map(|site| &self.grid.sites[site]);
        let distance = (from.left.abs_diff(to.left), from.top.abs_diff(to.top));
        self.grid.kind == GridKind::Points && matches!(distance, (2, 0) | (0, 2))
    }

    fn draw(&self, lines: &[(usize, usize)], colour: impl Fn(&str) -> Option<u8>) -> String {
        let mut rows: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (number, site) in self.grid.sites.iter().enumerate() {
            rows.entry(site.top).or_default().push(number);
        }
        let lines = lines.iter().map(|&(a, b)| (a.min(b), a.max(b)));
        let joined: BTreeSet<(usize, usize)> =
            lines.filter(|&(a, b)| self.has_room(a, b)).collect();
        let mut text = String::new();
        let mut last = None;
        for (&top, row) in &rows {
            if last.is_some_and(|last| top > last + 2) {
                text.push('\n');
            }
            last = Some(top);
            let name = self.grid.rows.iter().find(|(at, _)| *at == top);
            let name = name.map_or("", |(_, name)| name);
            let mut line = Line::new(format!("  {name:>margin$} ", margin = self.margin));
            let mut below = Line::new(" ".repeat(self.margin + 3));
            for (at, &site) in row.iter().enumerate() {
                let column = self.column(self.grid.sites[site].left);
                let first = self.contents[site].first();
                line.put(
                    column,
                    &self.symbol(site),
                    first.and_then(|content| colour(content)),
                );
                let right = row.get(at + 1);
                if right.is_some_and(|&right| joined.contains(&(site, right))) {
                    line.put(column + 1, "---", None);
                }
                let is_below = |&&(a, b): &&(usize, usize)| {
                    a == site && self.grid.sites[b].left == self.grid.sites[site].left
                };
                if joined.iter().find(is_below).is_some() {
                    below.put(column, "|", None);
                }
            }
            text += &line.end();
            if self.grid.kind == GridKind::Points {
                text += &below.end();
            }
        }
        if !self.grid.columns.is_empty() {
            let mut line = Line::new(" ".repeat(self.margin + 3));
            for (left, name) in &self.grid.columns {
                line.put(self.column(*left), name, None);
            }
            text += &line.end();
        }
        text
    }

    /// Places without an arrangement, each with what is there.
    fn row(&self) -> String {
        let sites = self.grid.sites.iter().zip(self.contents);
        let words = sites.map(|(site, contents)| match &contents[..] {
            [] => format!("{}: {EMPTY}", site.name),
            all => format!("{}: {}", site.name, all.join(", ")),
        });
        wrap(&words.collect::<Vec<_>>(), 3)
    }

    /// Explains the symbols on the board.
    fn legend(&self) -> String {
        let shown: BTreeSet<&String> = self.contents.iter().flatten().collect();
        let known = self.grid.contents.iter();
        let shown =
            known.filter(|(text, content)| shown.contains(text) && content.symbol != **text);
        let words = shown.map(|(text, content)| format!("{} = {text}", content.symbol));
        wrap(&words.collect::<Vec<_>>(), 3)
    }
}

/// A line of characters, which are put in from left to right.
struct Line {
    text: String,
    start: usize,
    /// The number of characters, without colour codes.
    length: usize,
}

impl Line {
    fn new(margin: String) -> Line {
        let length = margin.chars().count();
        Line {
            text: margin,
            start: length,
            length,
        }
    }

    /// Puts text in a column, or at the end if that is further on.
    fn put(&mut self, column: usize, text: &str, colour: Option<u8>) {
        let gap = (self.start + column).saturating_sub(self.length);
        self.text += &" ".repeat(gap);
        self.length += gap + text.chars().count();
        match colour {
            Some(code) => self.text += &format!("\u{1b}[1;{code}m{text}\u{1b}[0m"),
            None => self.text += text,
        }
    }

    fn end(&self) -> String {
        format!("{}\n", self.text.trim_end())
    }
}

/// Words in columns at least `gap` blanks apart.
pub(super) fn wrap(words: &[String], gap: usize) -> String {
    let widths = words.iter().map(|word| word.chars().count());
    let column = column_width(widths.max().unwrap_or(0)) + gap;
    let each_line = (WIDTH / column).max(1);
    let lines = words.chunks(each_line).map(|words| {
        let line: String = words.iter().map(|word| format!("{word:column$}")).collect();
        format!("  {}\n", line.trim_end())
    });
    lines.collect()
}
