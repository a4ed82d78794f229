//! `propjit play`: a person against the search, in the terminal.

mod completion;
mod hidden;
mod input;
mod view;

use std::time::Duration;

use propjit::Stop;
use propjit::game::machine::{RANDOM_ROLE, RoleId};
use propjit::game::position::{History, find_text};
use propjit::play::matches::excerpt;
use propjit::search::chooser::Search;
use propjit::support::rng::{GameRng, streams};
use rand::RngExt;

use super::output::{Failure, Output, message, show_progress};
use super::picture::Pictures;
use super::ranking::{Goals, Table, advised, ranking};
use super::search_args::{BudgetArgs, SearchArgs, find_role, think};
use hidden::Hidden;
use input::{Entry, Input};

/// Play against the search; enter `help` at the prompt for a list of commands
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    search: SearchArgs,

    /// Role that you play [default: the first]
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,

    #[command(flatten)]
    budget: BudgetArgs,

    /// Show the whole state and all moves in a game that hides information, too
    #[arg(long)]
    show_all: bool,
}

/// For how long to think about a move or a hint by default.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// How long an evaluation is learned at the start, beside the person.
const LEARNING: Duration = Duration::from_secs(3);

/// The number of moves that are listed unasked.
const LISTED: usize = 60;

/// After this many joint moves without a choice, the person is asked for the only move there
/// is: the match may never end.
const FORCED: usize = 500;

/// The number of moves that a hint shows.
const HINTED: usize = 3;

/// Plays until the match is over or the person ends it.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    if args.search.reads_standard_input() {
        let why =
            "standard input is used to enter moves; read the rules and the history from files";
        return Err(Failure::Usage(why.to_string()));
    }
    let position = args.search.load(&Stop::new())?;
    let person = find_role(position.history.roles(), args.role.as_deref())?;
    let is_counted = args.budget.playouts.is_some();
    let (search, seed) = args.search.search(&position, is_counted, LEARNING)?;
    message(&format!("seed {seed}"));
    let is_hidden = position.game.hides_information();
    let config = args.search.config(is_counted)?.with_seed(seed);
    let config = config.with_learning_within(LEARNING, false);
    let mut table = Playing {
        hidden: is_hidden.then(|| Hidden::new(position.game.clone(), config)),
        show_all: args.show_all,
        pictures: position.pictures(&Stop::new()),
        asked_at: Vec::new(),
        budget: &args.budget,
        // A stream that differs from the search's.
        rng: streams(seed.wrapping_add(1))
            .next()
            .expect("there are streams without end"),
        history: position.history,
        search,
        person,
        input: Input::new()?,
        output,
    };
    table.greet()?;
    table.play()
}

/// A match between a person and the machine.
struct Playing<'a> {
    history: History,
    search: Search,
    /// What roles know, if the game hides information.
    hidden: Option<Hidden>,
    /// Whether the person sees all the same.
    show_all: bool,
    person: RoleId,
    pictures: Pictures,
    /// How many joint moves were played before each choice of the person.
    asked_at: Vec<usize>,
    /// How long the machine may think.
    budget: &'a BudgetArgs,
    /// Chooses for the role that plays by chance.
    rng: GameRng,
    input: Input,
    output: &'a mut Output,
}

/// The answer of the person.
enum Asked {
    /// They play this.
    Chosen(String),
    /// They have taken a move back.
    Back,
    /// They want to end.
    End,
}

impl Playing<'_> {
    fn name(&self, role: RoleId) -> &str {
        &self.history.roles()[role.index()]
    }

    fn greet(&mut self) -> Result<(), Failure> {
        let roles = RoleId::first(self.history.roles().len());
        let others: Vec<String> = roles
            .filter(|&role| role != self.person)
            .map(|role| match self.name(role) {
                RANDOM_ROLE => "chance is `random`".to_string(),
                name => format!("the machine is {name}"),
            })
            .collect();
        let own = format!("you are {}", self.name(self.person));
        let all = [vec![own], others].concat().join(", ");
        self.output
            .print(&format!("{all}; enter `help` for a list of commands\n"))
    }

    fn play(&mut self) -> Result<(), Failure> {
        let mut forced = 0;
        while !self.history.is_over()? {
            let legal = self.history.legal()?;
            if let Some(stuck) = legal.iter().position(Vec::is_empty) {
                let role = self.name(RoleId(stuck as u32));
                let text = format!("{role} has no legal move, so the match cannot continue\n");
                return self.output.print(&text);
            }
            let own = match &legal[self.person.index()][..] {
                [only] if forced < FORCED => {
                    forced += 1;
                    only.clone()
                }
                moves => {
                    forced = 0;
                    match self.query(moves)? {
                        Asked::Chosen(chosen) => chosen,
                        Asked::Back => continue,
                        Asked::End => return Ok(()),
                    }
                }
            };
            let joint = self.answer(&legal, own)?;
            self.show_joint(&joint)?;
            self.history.play(&joint)?;
        }
        self.output
            .print(&view::state(&self.history, &self.pictures))?;
        let goals = Goals::of(&mut self.history)?;
        self.output.print(&format!("the match is over\n{goals}"))
    }

    /// Asks until the person has chosen one of the moves, or has taken one back.
    fn query(&mut self, moves: &[String]) -> Result<Asked, Failure> {
        self.show_state()?;
        self.show_moves(moves, LISTED)?;
        self.asked_at.push(self.history.depth());
        let prompt = format!("{}> ", self.name(self.person));
        let places = view::places(moves, self.pictures.grids());
        let commands = input::COMMANDS.map(String::from).to_vec();
        let entries = [moves.to_vec(), places, commands].concat();
        loop {
            let line = self.input.read(&prompt, entries.clone(), self.output)?;
            let Some(line) = line else {
                return Ok(Asked::End);
            };
            match Entry::of(&line) {
                Entry::Nothing => {}
                Entry::Number(number) => {
                    let chosen = number.checked_sub(1).and_then(|place| moves.get(place));
                    match chosen {
                        Some(chosen) => return Ok(Asked::Chosen(chosen.clone())),
                        None => {
                            let most = moves.len();
                            self.show(&format!("there is no move {number}: enter 1 to {most}"))?;
                        }
                    }
                }
                Entry::Text(text) => match find(text, moves) {
                    Some(chosen) => return Ok(Asked::Chosen(chosen.clone())),
                    None => {
                        if let Some(list) = view::moves_at(text, moves, self.pictures.grids()) {
                            self.output.print(&list)?;
                            continue;
                        }
                        let text = excerpt(text);
                        self.show(&format!(
                            "`{text}` is neither a legal move nor a command; try `help`"
                        ))?;
                    }
                },
                Entry::Undo if self.take_back() => return Ok(Asked::Back),
                Entry::Undo => self.show("you have no move to take back")?,
                Entry::Hint => self.hint()?,
                Entry::Moves => self.show_moves(moves, usize::MAX)?,
                Entry::State => self.show_state()?,
                Entry::Help => self.output.print(input::HELP)?,
                Entry::Quit => return Ok(Asked::End),
            }
        }
    }

    /// Prints a line.
    fn show(&mut self, line: &str) -> Result<(), Failure> {
        self.output.print(&format!("{line}\n"))
    }

    /// Shows what the person knows of the state.
    fn show_state(&mut self) -> Result<(), Failure> {
        let text = match &mut self.hidden {
            Some(hidden) if !self.show_all => {
                hidden.state(&self.history, self.person, &self.pictures)?
            }
            _ => view::state(&self.history, &self.pictures),
        };
        self.output.print(&text)
    }

    /// Shows what the person observes of a joint move in the current state.
    fn show_joint(&mut self, joint: &[String]) -> Result<(), Failure> {
        if self.hidden.is_none() || self.show_all {
            return self.show(&joint.join(" | "));
        }
        let position = self.history.position();
        let moves = position.find_joint_move(joint)?;
        let seen = position.percepts(&moves, self.person)?;
        let seen = match seen.is_empty() {
            true => "nothing".to_string(),
            false => seen.join(" "),
        };
        let own = &joint[self.person.index()];
        self.show(&format!("you play {own} and see {seen}"))
    }

    fn show_moves(&mut self, moves: &[String], most: usize) -> Result<(), Failure> {
        let list = view::moves(moves, most, self.pictures.grids());
        self.output.print(&list)
    }

    /// Goes back to the person's last choice but the current one, if there is one.
    fn take_back(&mut self) -> bool {
        let [.., before, _] = *self.asked_at else {
            return false;
        };
        // The choice will be asked for again.
        self.asked_at.truncate(self.asked_at.len() - 2);
        self.history.go_back(before);
        true
    }

    /// Returns the moves of all roles, when the person plays this one.
    fn answer(&mut self, legal: &[Vec<String>], own: String) -> Result<Vec<String>, Failure> {
        let roles = RoleId::first(legal.len());
        let thinks: Vec<bool> = roles
            .clone()
            .map(|role| {
                let is_machine = role != self.person && self.name(role) != RANDOM_ROLE;
                is_machine && legal[role.index()].len() > 1
            })
            .collect();
        if self.hidden.is_some() {
            return roles
                .map(|role| match thinks[role.index()] {
                    _ if role == self.person => Ok(own.clone()),
                    true => self.choose_by_belief(role, &legal[role.index()]),
                    false => Ok(self.any(&legal[role.index()])),
                })
                .collect();
        }
        if thinks.contains(&true) {
            self.think();
        }
        let choose = |role: RoleId| {
            let moves = &legal[role.index()];
            if role == self.person {
                return own.clone();
            }
            let best = thinks[role.index()].then(|| self.best(role)).flatten();
            let best = best.filter(|best| moves.contains(best));
            best.unwrap_or_else(|| self.any(moves))
        };
        Ok(roles.map(choose).collect())
    }

    /// Returns a random one of these moves.
    fn any(&mut self, moves: &[String]) -> String {
        moves[self.rng.random_range(0..moves.len())].clone()
    }

    /// Returns the move that a role of the machine chooses among legal ones, by what it knows.
    fn choose_by_belief(&mut self, role: RoleId, legal: &[String]) -> Result<String, Failure> {
        let _shown = show_progress(|| "thinking".to_string());
        let budget = self.budget.start(DEFAULT_TIME, &Stop::new());
        let chosen = match &mut self.hidden {
            Some(hidden) => hidden.choose(&self.history, role, &budget)?,
            None => return Ok(self.any(legal)),
        };
        match legal.contains(&chosen) {
            true => Ok(chosen),
            false => Ok(self.any(legal)),
        }
    }

    /// Returns the best move of a role, according to the last search.
    fn best(&mut self, role: RoleId) -> Option<String> {
        let best = self.search.report(role).best?;
        Some(self.search.move_text(role, best))
    }

    /// Searches from the current state. A failure of the search does not end the match: its results
    /// so far count.
    fn think(&mut self) {
        let shown = show_progress(|| "thinking".to_string());
        let budget = self.budget.start(DEFAULT_TIME, &Stop::new());
        let done = think(&mut self.search, &self.history, &budget);
        drop(shown);
        if let Err(error) = done {
            message(&format!("note: the search ended early: {error}"));
        }
    }

    fn hint(&mut self) -> Result<(), Failure> {
        if let Some(hidden) = &mut self.hidden {
            let shown = show_progress(|| "thinking".to_string());
            let budget = self.budget.start(DEFAULT_TIME, &Stop::new());
            let hint = hidden.hint(&self.history, self.person, &budget, HINTED);
            drop(shown);
            return self.output.print(&hint?);
        }
        self.think();
        let report = self.search.report(self.person);
        if advised(&report).is_none() {
            return self.show("nothing searched yet; allow more time with --seconds");
        }
        let moves = ranking(&report, &mut self.search, self.history.roles());
        let best = &moves[..HINTED.min(moves.len())];
        let table = Table {
            moves: best,
            most: HINTED,
        };
        self.output.print(&table.to_string())
    }
}

/// The move that `text` spells, perhaps without the outer parentheses.
fn find<'a>(text: &str, moves: &'a [String]) -> Option<&'a String> {
    let found = find_text(moves, text).or_else(|| find_text(moves, &format!("({text})")));
    found.map(|place| &moves[place])
}
