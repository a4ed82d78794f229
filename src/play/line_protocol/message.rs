//! The messages of the line protocol, as data and as lines.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version that is described in `docs/engines.md`.
pub const VERSION: u32 = 1;

/// A request or a reply with its number, which distinguishes a reply from a late one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Numbered<T> {
    /// The number of the request, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The content.
    #[serde(flatten)]
    pub said: T,
}

impl<T: Serialize> Numbered<T> {
    /// The message as a line.
    pub(super) fn line(&self) -> String {
        let text = serde_json::to_string(self).expect("a message is plain data");
        format!("{text}\n")
    }
}

/// The number of a message, if it has one.
///
/// # Errors
/// If it is no number of a request.
pub(super) fn number(message: &Value) -> Result<Option<u64>, String> {
    match message.get("id") {
        None | Some(Value::Null) => Ok(None),
        Some(id) => match id.as_u64() {
            Some(number) => Ok(Some(number)),
            None => Err(format!(
                "`id` is {id}, not a whole number from 0 to {}",
                u64::MAX
            )),
        },
    }
}

/// Reads the content of a message, which is its only field with one of these names that is not
/// null.
///
/// # Errors
/// The problem with it.
pub(super) fn said<T: DeserializeOwned>(message: Value, names: &[&str]) -> Result<T, String> {
    let fields = match message {
        Value::Object(fields) => fields,
        _ => serde_json::Map::new(),
    };
    let is_said =
        |(name, content): &(String, Value)| names.contains(&name.as_str()) && !content.is_null();
    let mut said = fields.into_iter().filter(is_said);
    let (name, content) =
        (said.next()).ok_or_else(|| format!("it has none of the fields {}", names.join(", ")))?;
    if let Some((other, _)) = said.next() {
        return Err(format!("it has both `{name}` and `{other}`"));
    }
    // By itself, so that an error is about the content.
    let said = serde_json::Map::from_iter([(name.clone(), content)]);
    serde_json::from_value(Value::Object(said)).map_err(|error| format!("`{name}`: {error}"))
}

/// A request to a program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineRequest {
    /// Load a game, and go to its initial state.
    Load(Load),
    /// Go to the position after these joint moves from the initial state.
    Position(JointMoves),
    /// Make a joint move.
    Apply(Apply),
    /// Take up what a role observes of a joint move, in a game that hides information.
    Observe(Observe),
    /// List legal moves.
    Legal(Question),
    /// Choose a move.
    Go(Go),
    /// End the choice of a move. It has no reply of its own.
    Stop(Stopping),
}

impl LineRequest {
    /// The fields by which requests are known.
    pub(super) const NAMES: [&'static str; 7] = [
        "load", "position", "apply", "observe", "legal", "go", "stop",
    ];
}

/// A game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Load {
    /// The version of the protocol.
    pub version: u32,
    /// The name of the rulesheet, for messages.
    pub name: String,
    /// The text of the rulesheet.
    pub rules: String,
}

/// A position, given by the moves that lead to it.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct JointMoves {
    /// The joint moves from the initial state on, each with one move for each role in the order of
    /// the rulesheet.
    #[serde(default)]
    pub moves: Vec<Vec<String>>,
}

/// A joint move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Apply {
    /// One move for each role in the order of the rulesheet.
    pub moves: Vec<String>,
}

/// What a role observes of a joint move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Observe {
    /// The role.
    pub role: String,
    /// Its own move.
    #[serde(rename = "move")]
    pub own: String,
    /// What it perceives by `sees` rules.
    #[serde(default)]
    pub percepts: Vec<String>,
}

/// The role or roles for which moves are requested.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Question {
    /// The role; all of them if it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

/// A choice, and its budget.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Go {
    /// The role to choose for.
    pub role: String,
    /// The most time, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The most nodes to add to a search tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The most playouts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playouts: Option<u64>,
    /// A random number for programs that want one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The legal moves of the role, for programs that do not read rules. May be missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<Vec<String>>,
}

/// The request to end a choice.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Stopping {}

/// A reply of a program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineReply {
    /// The game is loaded.
    Loaded(Loaded),
    /// The position, after `position` and `apply`.
    State(StateReply),
    /// What is believed, after `observe`.
    Belief(BeliefReply),
    /// Legal moves.
    Legal(LegalMoves),
    /// The move that was chosen.
    Move(Said),
    /// The request cannot be served. Nothing has changed.
    Error(Failed),
}

impl LineReply {
    /// The fields by which replies are known.
    pub(super) const NAMES: [&'static str; 6] =
        ["loaded", "state", "belief", "legal", "move", "error"];
}

/// A game that is loaded.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Loaded {
    /// The name of the program.
    #[serde(default)]
    pub engine: String,
    /// The roles in the order of the rulesheet.
    #[serde(default)]
    pub roles: Vec<String>,
}

/// A position, given by the moves that lead to it.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct StateReply {
    /// The number of joint moves that lead there.
    #[serde(default)]
    pub depth: usize,
    /// Whether the match is over.
    #[serde(default)]
    pub terminal: bool,
    /// The goal of each role if the match is over; null where it does not have exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goals: Option<Vec<Option<i32>>>,
    /// The propositions that hold.
    #[serde(default)]
    pub propositions: Vec<String>,
}

/// What a role believes.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct BeliefReply {
    /// The number of joint moves that were observed.
    #[serde(default)]
    pub depth: usize,
    /// The number of different states that are held possible.
    #[serde(default)]
    pub states: usize,
    /// Whether these are all.
    #[serde(default)]
    pub exact: bool,
}

/// Legal moves.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct LegalMoves {
    /// Those of each role that was asked about.
    pub roles: Vec<RoleMoves>,
}

/// The legal moves of a role.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct RoleMoves {
    /// The role.
    pub role: String,
    /// Its moves.
    pub moves: Vec<String>,
}

/// A move that was chosen, and why.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Said {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// Statistics to be recorded with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistics: Option<Value>,
}

/// Why a request cannot be served.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failed {
    /// The reason.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_lines() {
        for (request, line) in [
            (
                LineRequest::Go(Go {
                    role: "x".to_string(),
                    seconds: Some(1.5),
                    ..Go::default()
                }),
                r#"{"id":7,"go":{"role":"x","seconds":1.5}}"#,
            ),
            (LineRequest::Stop(Stopping {}), r#"{"id":7,"stop":{}}"#),
            (
                LineRequest::Position(JointMoves::default()),
                r#"{"id":7,"position":{"moves":[]}}"#,
            ),
        ] {
            let numbered = Numbered {
                id: Some(7),
                said: request,
            };
            assert_eq!(numbered.line(), format!("{line}\n"));
            assert_eq!(
                serde_json::from_str::<Numbered<LineRequest>>(line).unwrap(),
                numbered
            );
        }
        // Numbers and unknown values may be missing.
        let reply: Numbered<LineReply> = serde_json::from_str(r#"{"state":{"more":1}}"#).unwrap();
        assert_eq!(
            (reply.id, reply.said),
            (None, LineReply::State(StateReply::default()))
        );
        let bare =
            serde_json::from_str::<Numbered<LineReply>>(r#"{"id":1,"move":{"move":"noop"}}"#);
        assert!(matches!(bare.unwrap().said, LineReply::Move(said) if said.text == "noop"));
    }
}
