//! Joint moves as text, from a file or the command line, that a [`History`] follows.
//!
//! A file may also be one of records: see [`RecordFile`](super::RecordFile).

use std::path::Path;

use propjit_gdl::syntax::{Lexer, TokenKind};

use super::record_lines::{RecordLine, parse_records};
use super::script_error::{ScriptError, ScriptPlace};
use crate::game::position::History;
use crate::game::position::find_text;
use crate::support::input::read_text;

/// Joint moves as text, and where each was written.
///
/// A joint move is one move for each role in rulesheet order, separated by `|` or as a list:
/// `(mark 1 1) | noop` or `((mark 1 1) noop)`. In a game with one role it may be just that
/// role's move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Script {
    joints: Vec<(ScriptPlace, String)>,
}

impl Script {
    /// The joint moves in a file, or on standard input if it is called `-`: see
    /// [`parse`](Script::parse).
    ///
    /// # Errors
    /// [`ScriptError::Read`], and as for [`parse`](Script::parse).
    pub fn read(path: &Path, number: Option<u64>) -> Result<Script, ScriptError> {
        let text = read_text(path).map_err(|source| {
            let path = path.to_path_buf();
            ScriptError::Read { path, source }
        })?;
        Script::parse(path, &text, number)
    }

    /// The joint moves in a text: one a line, see [`lines`](Script::lines), or those of a match in
    /// records: the only one, or that of this number. `file` is for messages.
    ///
    /// # Errors
    /// When it is not clear which match is meant, or the records are damaged.
    pub fn parse(file: &Path, text: &str, number: Option<u64>) -> Result<Script, ScriptError> {
        // No move starts like this.
        let is_records = text.trim_start().starts_with('{');
        if !is_records {
            return match number {
                None => Ok(Script::lines(&file.to_string_lossy(), text)),
                Some(_) => Err(ScriptError::NoRecords {
                    file: file.to_path_buf(),
                }),
            };
        }
        let records = parse_records(file, text)?;
        let found = match (number, &records[..]) {
            (None, [only]) => Some(only),
            (number, all) => all.iter().find(|line| Some(line.number) == number),
        };
        let found = found.ok_or_else(|| ScriptError::Match {
            file: file.to_path_buf(),
            number,
            numbers: records.iter().map(|line| line.number).collect(),
        })?;
        Ok(Script::of_record(&file.to_string_lossy(), found))
    }

    /// The joint moves of a match in a file of records.
    fn of_record(file: &str, line: &RecordLine) -> Script {
        let joints = line.record.steps.iter().zip(1..).map(|(step, number)| {
            let place = ScriptPlace::Record {
                file: file.to_string(),
                number: line.number,
                step: number,
            };
            let moves: Vec<&str> = step.iter().map(|played| played.text.as_str()).collect();
            (place, format!("({})", moves.join(" ")))
        });
        Script {
            joints: joints.collect(),
        }
    }

    /// Only the first joint moves, this many.
    ///
    /// # Errors
    /// [`ScriptError::First`] if there are fewer.
    pub fn first(mut self, count: usize) -> Result<Script, ScriptError> {
        let there = self.joints.len();
        if count > there {
            return Err(ScriptError::First { count, there });
        }
        self.joints.truncate(count);
        Ok(self)
    }

    /// One joint move a line. Comments start with `;`; empty lines do not count.
    /// `file` is for messages.
    pub fn lines(file: &str, text: &str) -> Script {
        let lines = text.lines().zip(1..).map(|(line, number)| {
            let joint = line.split(';').next().unwrap_or_default();
            let file = file.to_string();
            (ScriptPlace::Line { file, line: number }, joint)
        });
        Script::new(lines)
    }

    /// Joint moves separated by `;`.
    pub fn inline(text: &str) -> Script {
        Script::new((1..).map(ScriptPlace::Item).zip(text.split(';')))
    }

    fn new<'a>(joints: impl Iterator<Item = (ScriptPlace, &'a str)>) -> Script {
        let joints = joints.map(|(place, joint)| (place, joint.trim().to_string()));
        Script {
            joints: joints.filter(|(_, joint)| !joint.is_empty()).collect(),
        }
    }
}

impl History {
    /// Plays all joint moves of a script.
    ///
    /// ```
    /// # use propjit::game::load::{Game, Setup};
    /// use propjit::game::position::History;
    /// use propjit::play::matches::Script;
    ///
    /// # let rules = "(role player) (init (step 0)) (succ 0 1) (succ 1 2)
    /// #     (legal player wait) (legal player go)
    /// #     (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
    /// #     (<= terminal (true (step 2))) (goal player 100)";
    /// # let game = Game::from_text("steps.kif", rules, &Setup::default())?;
    /// let mut history = History::new(game.follow()?);
    /// history.follow(&Script::inline("wait; go"))?;
    /// assert!(history.is_over()?);
    /// history.go_back(1);
    /// let error = history.follow(&Script::inline("stay")).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "joint move 1: player may not play `stay` here; legal: wait, go",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the script cannot be followed; the joint moves before the error have been played.
    pub fn follow(&mut self, script: &Script) -> Result<(), ScriptError> {
        let mut joints = script.joints.iter();
        joints.try_for_each(|(place, joint)| play(self, place, joint))
    }
}

fn play(history: &mut History, place: &ScriptPlace, joint: &str) -> Result<(), ScriptError> {
    let failed = |source| ScriptError::Machine {
        place: place.clone(),
        source,
    };
    if history.is_over().map_err(failed)? {
        let place = place.clone();
        return Err(ScriptError::Over { place });
    }
    let roles = history.roles().len();
    let texts = split(joint, roles).filter(|texts| texts.len() == roles);
    let texts = texts.ok_or_else(|| ScriptError::NoJointMove {
        place: place.clone(),
        text: joint.to_string(),
        roles: history.roles().to_vec(),
    })?;
    let legal = history.legal().map_err(failed)?;
    for ((role, legal), text) in history.roles().iter().zip(legal).zip(&texts) {
        if find_text(&legal, text).is_none() {
            return Err(ScriptError::Illegal {
                place: place.clone(),
                role: role.clone(),
                text: text.to_string(),
                legal,
            });
        }
    }
    history.play(&texts).map_err(failed)
}

/// The moves in a joint move; `None` if it is neither separated moves nor a list.
fn split(joint: &str, roles: usize) -> Option<Vec<&str>> {
    // Names of moves may have bars, too.
    match (roles, elements(joint)) {
        (_, Some(elements)) if elements.len() == roles => Some(elements),
        _ if joint.contains('|') => Some(joint.split('|').map(str::trim).collect()),
        // The list contains the parts of the only role's move.
        (1, _) => Some(vec![joint]),
        (_, elements) => elements,
    }
}

/// The forms in a list; `None` if the text is not one list.
fn elements(list: &str) -> Option<Vec<&str>> {
    let mut elements = Vec::new();
    let mut tokens = Lexer::new(list);
    tokens
        .next()
        .filter(|token| token.kind == TokenKind::Open)?;
    let (mut depth, mut start) = (0, 0);
    for token in tokens.by_ref() {
        let span = token.span.start as usize..token.span.end as usize;
        if depth == 0 {
            start = span.start;
        }
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close if depth == 0 => {
                // Nothing may come after the list.
                return tokens.next().is_none().then_some(elements);
            }
            TokenKind::Close => depth -= 1,
            TokenKind::Name => {}
        }
        if depth == 0 {
            elements.push(&list[start..span.end]);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn joint_moves_are_split() {
        for (joint, roles, moves) in [
            ("(mark 1 1)|noop", 2, Some(vec!["(mark 1 1)", "noop"])),
            (" a | b | c ", 3, Some(vec!["a", "b", "c"])),
            ("((mark 1 1) noop)", 2, Some(vec!["(mark 1 1)", "noop"])),
            ("( a(b (c))(d) )", 3, Some(vec!["a", "(b (c))", "(d)"])),
            ("()", 2, Some(vec![])),
            ("a b", 2, None),
            ("(a b", 2, None),
            ("(a b))", 2, None),
            ("(a) (b)", 2, None),
            ("", 2, None),
            ("(mark 1 1)", 1, Some(vec!["(mark 1 1)"])),
            ("((mark 1 1))", 1, Some(vec!["(mark 1 1)"])),
            ("(noop)", 1, Some(vec!["noop"])),
            ("noop", 1, Some(vec!["noop"])),
        ] {
            assert_eq!(split(joint, roles), moves, "{joint}");
        }
    }

    #[test]
    fn depth_is_not_limited() {
        let deep = format!("{}0{}", "(s ".repeat(100_000), ")".repeat(100_000));
        let joint = format!("({deep} b)");
        assert_eq!(split(&joint, 2), Some(vec![deep.as_str(), "b"]));
    }

    #[test]
    fn lines_are_counted_as_in_the_file() {
        let script = Script::lines("m.txt", "; a match\r\n\na | b ; first\n  (c d)\n");
        let places = script.joints.iter().map(|(place, _)| place.to_string());
        assert_eq!(places.collect::<Vec<_>>(), ["m.txt:3", "m.txt:4"]);
        assert_eq!(script.joints[0].1, "a | b");
        let script = Script::inline("a | b;; (c d);");
        let places = script.joints.iter().map(|(place, _)| place.to_string());
        assert_eq!(places.collect::<Vec<_>>(), ["joint move 1", "joint move 3"]);
    }

    proptest! {
        /// A written list or separated text is read back, and no text causes a panic.
        #[test]
        fn moves_are_read_as_written(moves in prop::collection::vec("[a-z]{1,3}|\\([a-z] [a-z]\\)", 2..5), noise in "[a(|) ]*") {
            let written = moves.iter().map(String::as_str).collect::<Vec<_>>();
            let list = format!("({})", moves.join(" "));
            prop_assert_eq!(split(&list, moves.len()), Some(written.clone()));
            let separated = moves.join(" | ");
            prop_assert_eq!(split(&separated, moves.len()), Some(written));
            split(&noise, 2);
        }
    }
}
