//! Requests and replies, as data and as text.
//!
//! Requests are read as tolerantly as `ggp-base` reads them: keywords in any case, `nil` or `()` for no moves, moves
//! that are terms of any depth, blanks and comments anywhere. Text after the known arguments is ignored, and so are
//! surplus `)`, since later versions and other managers add things. Clocks may be fractions of seconds.
//!
//! In games with hidden information, `PLAY` and `STOP` have other arguments: the number of the turn, the move that was made
//! for the player, and its percepts, as in `(PLAY match 3 (mark 1 2) ((ok) (hidden 2 2)))`. An older form has a list of percepts
//! alone, and looks like one of moves.

use std::fmt;
use std::time::Duration;

use propjit_gdl::diagnostic::{Code, Diagnostics};
use propjit_gdl::source::Source;
use propjit_gdl::syntax::{Form, Forms, parse};
use thiserror::Error;

/// A request of a manager to a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// A question for the name of the player, and whether it is free.
    Info,
    /// A match may come of this game.
    Preview {
        /// The rules.
        rules: String,
        /// The time to look at them.
        clock: Duration,
    },
    /// A match starts.
    Start(Start),
    /// It is your turn.
    Play {
        /// The match.
        match_id: String,
        /// The last turn.
        last: LastTurn,
    },
    /// The match is complete.
    Stop {
        /// The match.
        match_id: String,
        /// The last turn.
        last: LastTurn,
    },
    /// The match is given up.
    Abort {
        /// The match.
        match_id: String,
    },
}

/// What a manager says of the last turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LastTurn {
    /// Nothing: there was none.
    None,
    /// The moves of all roles, in role order; or percepts in the older form for hidden information.
    List(Vec<String>),
    /// What the player knows of it where information is hidden.
    Percepts {
        /// The number of the turn that begins, from 0.
        turn: u64,
        /// The move that was made for the player; none at first.
        own: Option<String>,
        /// What it perceives.
        percepts: Vec<String>,
    },
}

/// The start of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Start {
    /// The name of the match from now on.
    pub match_id: String,
    /// The role to play.
    pub role: String,
    /// The rules. [`Request::parse`] reads them into one rule a line.
    pub rules: String,
    /// Time to prepare.
    pub start_clock: Duration,
    /// Time for each move.
    pub play_clock: Duration,
}

/// The reply of a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// To [`Request::Info`].
    Info {
        /// The player's name.
        name: String,
        /// Whether it would take a match.
        available: bool,
    },
    /// The match can start.
    Ready,
    /// Another match is running, or the request makes no sense in this one.
    Busy,
    /// A move, in KIF.
    Move(String),
    /// The match cannot be played, and why. The protocol has no such answer: it goes with an HTTP
    /// status that says so.
    Refused(String),
    /// The end of the match has been acknowledged.
    Done,
    /// The match has been given up.
    Aborted,
}

/// Why a text is not a request.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MessageError {
    /// A list in it is not closed.
    #[error("the message ends within a list: a `)` is missing")]
    Unclosed,
    /// There is no list in it.
    #[error("the message is not a list like (PLAY match nil)")]
    NoList,
    /// The first word is not a request.
    #[error("`{0}` is not a request; requests are INFO, PREVIEW, START, PLAY, STOP and ABORT")]
    Unknown(String),
    /// An argument is missing, or of the wrong form.
    #[error("{request} needs {wanted} as argument {number}")]
    Argument {
        /// The request.
        request: &'static str,
        /// The number of the argument, from 1.
        number: usize,
        /// The form that it should have.
        wanted: &'static str,
    },
}

/// The longest clock: eleven days. A request for a longer one gets this.
pub const LONGEST_CLOCK: Duration = Duration::from_secs(1_000_000);

impl Request {
    /// Reads a request.
    ///
    /// ```
    /// use propjit::play::ggp::Request;
    /// let request = Request::parse("( play match.1 ( noop (mark 1 2) ) )")?;
    /// assert_eq!(request.to_string(), "(PLAY match.1 (noop (mark 1 2)))");
    /// # Ok::<(), propjit::play::ggp::MessageError>(())
    /// ```
    ///
    /// # Errors
    /// What is missing.
    pub fn parse(text: &str) -> Result<Request, MessageError> {
        let source = Source::new("message", text);
        let mut diagnostics = Diagnostics::new(source.clone());
        let tree = parse(&source, &mut diagnostics);
        let mut errors = diagnostics.errors();
        let is_unclosed = errors.any(|error| error.code == Code::UnclosedParenthesis);
        let list = tree.forms().next().ok_or(match is_unclosed {
            true => MessageError::Unclosed,
            false => MessageError::NoList,
        })?;
        let mut items = list.items();
        let keyword = items.next().and_then(|form| form.name());
        let keyword = keyword.ok_or(MessageError::NoList)?;
        let mut known = NAMES.into_iter();
        let request = known
            .find(|name| name.eq_ignore_ascii_case(keyword))
            .ok_or_else(|| MessageError::Unknown(keyword.to_string()))?;
        let mut arguments = Arguments {
            request,
            items,
            number: 0,
        };
        Ok(match request {
            "INFO" => Request::Info,
            "PREVIEW" => Request::Preview {
                rules: arguments.rules()?,
                clock: arguments.clock()?,
            },
            "START" => Request::Start(Start {
                match_id: arguments.name("the match's name")?,
                role: arguments.name("a role")?,
                rules: arguments.rules()?,
                start_clock: arguments.clock()?,
                play_clock: arguments.clock()?,
            }),
            "PLAY" => Request::Play {
                match_id: arguments.name("the match's name")?,
                last: arguments.last_turn()?,
            },
            "STOP" => Request::Stop {
                match_id: arguments.name("the match's name")?,
                // A match has to end, even if the last moves are missing.
                last: match arguments.are_there() {
                    true => arguments.last_turn()?,
                    false => LastTurn::None,
                },
            },
            _ => Request::Abort {
                match_id: arguments.name("the match's name")?,
            },
        })
    }
}

/// The first words of requests.
const NAMES: [&str; 6] = ["INFO", "PREVIEW", "START", "PLAY", "STOP", "ABORT"];

/// The arguments that are left.
struct Arguments<'a> {
    request: &'static str,
    items: Forms<'a>,
    /// How many were taken.
    number: usize,
}

impl<'a> Arguments<'a> {
    /// Reads the next argument with `read`, if it is `wanted`.
    fn next<T>(
        &mut self,
        wanted: &'static str,
        read: impl FnOnce(Form<'a>) -> Option<T>,
    ) -> Result<T, MessageError> {
        self.number += 1;
        let value = self.items.next().and_then(read);
        value.ok_or(MessageError::Argument {
            request: self.request,
            number: self.number,
            wanted,
        })
    }

    /// Whether there are any left.
    fn are_there(&self) -> bool {
        self.items.clone().next().is_some()
    }

    fn name(&mut self, wanted: &'static str) -> Result<String, MessageError> {
        self.next(wanted, |form| form.name().map(str::to_string))
    }

    fn rules(&mut self) -> Result<String, MessageError> {
        self.next("a list of rules", |form| {
            let lines = form.items().map(|rule| format!("{rule}\n"));
            form.name().is_none().then(|| lines.collect())
        })
    }

    fn clock(&mut self) -> Result<Duration, MessageError> {
        self.next("a time in seconds", |form| {
            let seconds: f64 = form.name()?.parse().ok()?;
            let is_time = seconds >= 0.0;
            is_time.then(|| {
                Duration::try_from_secs_f64(seconds)
                    .unwrap_or(LONGEST_CLOCK)
                    .min(LONGEST_CLOCK)
            })
        })
    }

    fn last_turn(&mut self) -> Result<LastTurn, MessageError> {
        let turn = self.items.clone().next();
        let turn = turn.and_then(|form| form.name()?.parse().ok());
        let Some(turn) = turn else {
            let list = self.list("a list of moves, nil, or the number of the turn")?;
            return Ok(match list.is_empty() {
                true => LastTurn::None,
                false => LastTurn::List(list),
            });
        };
        self.next("the number of the turn", |_| Some(()))?;
        Ok(LastTurn::Percepts {
            turn,
            own: self.next("the last move of the player or nil", |form| {
                let is_none = match form.name() {
                    Some(name) => name.eq_ignore_ascii_case("nil"),
                    None => form.items().next().is_none(),
                };
                Some((!is_none).then(|| form.to_string()))
            })?,
            percepts: self.list("a list of percepts or nil")?,
        })
    }

    /// Reads a list of terms; `nil` is an empty one.
    fn list(&mut self, wanted: &'static str) -> Result<Vec<String>, MessageError> {
        self.next(wanted, |form| match form.name() {
            Some(name) => name.eq_ignore_ascii_case("nil").then(Vec::new),
            None => Some(form.items().map(|term| term.to_string()).collect()),
        })
    }
}

/// The text of a request, in one line if rules are.
impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Request::Info => f.write_str("(INFO)"),
            Request::Preview { rules, clock } => {
                write!(f, "(PREVIEW ({}) {})", Rules(rules), clock.as_secs_f64())
            }
            Request::Start(start) => write!(
                f,
                "(START {} {} ({}) {} {})",
                start.match_id,
                start.role,
                Rules(&start.rules),
                start.start_clock.as_secs_f64(),
                start.play_clock.as_secs_f64()
            ),
            Request::Play { match_id, last } => write!(f, "(PLAY {match_id} {last})"),
            Request::Stop { match_id, last } => write!(f, "(STOP {match_id} {last})"),
            Request::Abort { match_id } => write!(f, "(ABORT {match_id})"),
        }
    }
}

/// Rules in one line, without comments.
struct Rules<'a>(&'a str);

impl fmt::Display for Rules<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = Source::new("rules", self.0);
        let tree = parse(&source, &mut Diagnostics::new(source.clone()));
        for (number, form) in tree.forms().enumerate() {
            let blank = if number > 0 { " " } else { "" };
            write!(f, "{blank}{form}")?;
        }
        Ok(())
    }
}

impl fmt::Display for LastTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LastTurn::None => f.write_str("NIL"),
            LastTurn::List(moves) => write!(f, "({})", moves.join(" ")),
            LastTurn::Percepts {
                turn,
                own,
                percepts,
            } => {
                let own = own.as_deref().unwrap_or("NIL");
                match percepts.is_empty() {
                    true => write!(f, "{turn} {own} NIL"),
                    false => write!(f, "{turn} {own} ({})", percepts.join(" ")),
                }
            }
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Info { name, available } => {
                let status = if *available { "available" } else { "busy" };
                write!(f, "((name {name}) (status {status}))")
            }
            Reply::Ready => f.write_str("ready"),
            Reply::Busy => f.write_str("busy"),
            Reply::Move(text) | Reply::Refused(text) => f.write_str(text),
            Reply::Done => f.write_str("done"),
            Reply::Aborted => f.write_str("aborted"),
        }
    }
}
