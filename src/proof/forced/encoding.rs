//! The encoding of messages between a search and a proof worker in another process: JSON Lines.
//!
//! Roles, propositions and moves go by the names that the rulesheet gives them. So two builds, or two
//! machines, understand each other even if they number them differently, and a receiver detects a name that
//! the game does not have. `docs/workers.md` describes the encoding.

use std::io;

use propjit_gdl::propnet::Goal;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::config::MAX_DEPTH;
use super::message::{
    ProofAnswer, ProofMessage, ProofPosition, ProofRequest, ProofStatus, ProofWins, TargetStatus,
    WinCube,
};
use crate::game::circuits::reasons::Target;
use crate::game::ground::{GroundGame, Literal};
use crate::game::machine::State;
use crate::game::vocabulary::moves::{Move, RoleId};
use crate::game::vocabulary::terms::UnknownName;

/// The version of the encoding.
pub const VERSION: u32 = 1;

/// A line to a worker.
#[derive(Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub(super) enum Order {
    /// The game that all further lines are about.
    Game {
        version: u32,
        /// For messages.
        name: String,
        /// The text of the rulesheet.
        rules: String,
    },
    Ask {
        request: u64,
        share: f64,
        positions: Vec<Position>,
    },
}

#[derive(Serialize, Deserialize, Debug)]
pub(super) struct Position {
    /// The propositions that hold.
    state: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    role: Option<String>,
}

/// A line from a worker.
#[derive(Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub(super) enum Reply {
    Status {
        request: u64,
        targets: Vec<Counts>,
    },
    Proof {
        request: u64,
        position: usize,
        role: String,
        goal: i32,
        depth: u32,
        /// A move for each role.
        joint: Vec<String>,
        ceilings: Vec<Ceiling>,
        /// Literals.
        cube: Vec<String>,
        nodes: u64,
    },
    Wins {
        role: String,
        goal: i32,
        ceilings: Vec<Ceiling>,
        cubes: Vec<EncodedCube>,
    },
    /// The worker cannot serve the request.
    Error {
        message: String,
    },
}

#[derive(Serialize, Deserialize, Debug)]
pub(super) struct Counts {
    role: String,
    goal: i32,
    on: bool,
    nodes: u64,
    searched: u64,
    discharged: u64,
    #[serde(default)]
    threat_nodes: u64,
    /// With all moves, and by threats.
    #[serde(default)]
    proofs: [u64; 2],
}

#[derive(Serialize, Deserialize, Debug)]
pub(super) struct Ceiling {
    role: String,
    goal: i32,
}

#[derive(Serialize, Deserialize, Debug)]
pub(super) struct EncodedCube {
    phase: usize,
    depth: u32,
    /// Literals.
    cube: Vec<String>,
}

/// Why a line cannot be understood.
#[derive(Debug, Error)]
pub(super) enum DecodeError {
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Read(#[from] io::Error),
    #[error(transparent)]
    Name(#[from] UnknownName),
    #[error("the game has no role `{0}`")]
    Role(String),
    #[error("{role} never has the goal {goal}")]
    Goal { role: String, goal: i32 },
    #[error("the share of the time must be more than 0 and at most 1, not {0}")]
    Share(f64),
    #[error("the proof does not answer the request: {0}")]
    Proof(&'static str),
    #[error("{0}")]
    Refused(String),
}

/// The line with a message.
pub(super) fn line(message: &impl Serialize) -> String {
    let mut line = serde_json::to_string(message).expect("there are no maps with odd keys");
    line.push('\n');
    line
}

impl Order {
    /// The line for a request.
    pub(super) fn query(game: &GroundGame, request: &ProofRequest) -> Order {
        let position = |position: &ProofPosition| Position {
            state: game.fluents(&position.state),
            role: position.role.map(|role| name(game, role)),
        };
        Order::Ask {
            request: request.number,
            share: request.share,
            positions: request.positions.iter().map(position).collect(),
        }
    }
}

impl Position {
    /// The position that is meant.
    pub(super) fn decode(&self, game: &GroundGame) -> Result<ProofPosition, DecodeError> {
        let fluents: Vec<&str> = self.state.iter().map(String::as_str).collect();
        Ok(ProofPosition {
            state: game.parse_state(&fluents)?,
            role: (self.role.as_deref())
                .map(|name| role(game, name))
                .transpose()?,
        })
    }
}

/// The request that is meant.
pub(super) fn request(
    game: &GroundGame,
    number: u64,
    share: f64,
    positions: &[Position],
) -> Result<ProofRequest, DecodeError> {
    if !(share > 0.0 && share <= 1.0) {
        return Err(DecodeError::Share(share));
    }
    let positions = positions.iter().map(|position| position.decode(game));
    Ok(ProofRequest {
        number,
        share,
        positions: positions.collect::<Result<_, _>>()?,
    })
}

impl Reply {
    /// The line for a message.
    pub(super) fn new(game: &GroundGame, message: &ProofMessage) -> Reply {
        match message {
            ProofMessage::Status(status) => {
                let counts = |of: &TargetStatus| Counts {
                    role: name(game, of.target.role),
                    goal: of.target.value,
                    on: of.is_on,
                    nodes: of.nodes,
                    searched: of.searched,
                    discharged: of.discharged,
                    threat_nodes: of.threat_nodes,
                    proofs: of.proofs,
                };
                Reply::Status {
                    request: status.request,
                    targets: status.targets.iter().map(counts).collect(),
                }
            }
            ProofMessage::Proof(answer) => {
                let joint = (0..).map(RoleId).zip(&answer.joint);
                Reply::Proof {
                    request: answer.request,
                    position: answer.position,
                    role: name(game, answer.target.role),
                    goal: answer.target.value,
                    depth: answer.depth,
                    joint: joint.map(|(role, &m)| game.move_text(role, m)).collect(),
                    ceilings: encoded_ceilings(game, &answer.ceilings),
                    cube: answer.cube.iter().map(|l| l.text(game)).collect(),
                    nodes: answer.nodes,
                }
            }
            ProofMessage::Wins(wins) => {
                let cube = |win: &WinCube| EncodedCube {
                    phase: win.phase,
                    depth: win.depth,
                    cube: win.literals.iter().map(|l| l.text(game)).collect(),
                };
                Reply::Wins {
                    role: name(game, wins.target.role),
                    goal: wins.target.value,
                    ceilings: encoded_ceilings(game, &wins.ceilings),
                    cubes: wins.cubes.iter().map(cube).collect(),
                }
            }
        }
    }

    /// The message in a line.
    pub(super) fn decode(line: &[u8], game: &GroundGame) -> Result<ProofMessage, DecodeError> {
        Ok(match serde_json::from_slice(line)? {
            Reply::Error { message } => return Err(DecodeError::Refused(message)),
            Reply::Status { request, targets } => {
                let targets = targets.iter().map(|of| {
                    Ok(TargetStatus {
                        target: target(game, &of.role, of.goal)?,
                        is_on: of.on,
                        nodes: of.nodes,
                        searched: of.searched,
                        discharged: of.discharged,
                        threat_nodes: of.threat_nodes,
                        proofs: of.proofs,
                    })
                });
                let targets = targets.collect::<Result<_, DecodeError>>()?;
                ProofMessage::Status(ProofStatus { request, targets })
            }
            Reply::Proof {
                request,
                position,
                role: name,
                goal,
                depth,
                joint,
                ceilings,
                cube,
                nodes,
            } => {
                if joint.len() != game.roles().len() {
                    return Err(DecodeError::Proof("it does not have a move for each role"));
                }
                let joint = RoleId::first(joint.len())
                    .zip(&joint)
                    .map(|(role, text)| game.parse_move(role, text));
                let cube = cube.iter().map(|text| literal(game, text));
                ProofMessage::Proof(ProofAnswer {
                    request,
                    position,
                    target: target(game, &name, goal)?,
                    depth,
                    joint: joint.collect::<Result<Vec<Move>, _>>()?,
                    ceilings: decoded_ceilings(game, &ceilings)?,
                    cube: cube.collect::<Result<_, _>>()?,
                    nodes,
                })
            }
            Reply::Wins {
                role,
                goal,
                ceilings,
                cubes,
            } => {
                let target = target(game, &role, goal)?;
                let ceilings = decoded_ceilings(game, &ceilings)?;
                if ceilings.iter().any(|&(other, _)| other == target.role) {
                    return Err(DecodeError::Proof(OWN_CEILING));
                }
                let cubes = cubes.iter().map(|win| {
                    if win.phase >= game.phases().period() {
                        return Err(DecodeError::Proof("there is no such phase"));
                    }
                    let literals = win.cube.iter().map(|text| literal(game, text));
                    Ok(WinCube {
                        phase: win.phase,
                        depth: win.depth,
                        literals: literals.collect::<Result<_, _>>()?,
                    })
                });
                ProofMessage::Wins(ProofWins {
                    target,
                    ceilings,
                    cubes: cubes.collect::<Result<_, _>>()?,
                })
            }
        })
    }
}

/// Checks whether an answer can be one about a position, to the extent that this is cheap. The search
/// checks whether the move is legal.
pub(super) fn check(
    answer: &ProofAnswer,
    position: Option<&ProofPosition>,
) -> Result<(), DecodeError> {
    let Some(position) = position else {
        return Err(DecodeError::Proof("there is no such position"));
    };
    let role = answer.target.role;
    let is_stranger = |&(other, _): &(RoleId, i32)| other != role;
    let what = if position.role.is_some_and(|wanted| wanted != role) {
        "its role differs"
    } else if !(1..=MAX_DEPTH).contains(&answer.depth) {
        "there is no such depth"
    } else if !answer.cube.iter().all(|l| l.holds(&position.state)) {
        "the position is not in the cube"
    } else if !answer.ceilings.iter().all(is_stranger) {
        OWN_CEILING
    } else {
        return Ok(());
    };
    Err(DecodeError::Proof(what))
}

const OWN_CEILING: &str = "it bounds the goal of its own role";

fn encoded_ceilings(game: &GroundGame, ceilings: &[(RoleId, i32)]) -> Vec<Ceiling> {
    let ceiling = |&(role, goal): &(RoleId, i32)| Ceiling {
        role: name(game, role),
        goal,
    };
    ceilings.iter().map(ceiling).collect()
}

fn decoded_ceilings(
    game: &GroundGame,
    ceilings: &[Ceiling],
) -> Result<Vec<(RoleId, i32)>, DecodeError> {
    let ceiling = |of: &Ceiling| {
        let other = role(game, &of.role)?;
        Ok((other, has_goal(game, other, of.goal)?))
    };
    ceilings.iter().map(ceiling).collect()
}

fn name(game: &GroundGame, role: RoleId) -> String {
    game.roles()[role.index()].clone()
}

fn role(game: &GroundGame, name: &str) -> Result<RoleId, DecodeError> {
    let at = game.roles().iter().position(|role| role == name);
    let at = at.ok_or_else(|| DecodeError::Role(name.to_string()))?;
    Ok(RoleId(at as u32))
}

/// The target with these names.
fn target(game: &GroundGame, name: &str, goal: i32) -> Result<Target, DecodeError> {
    let role = role(game, name)?;
    let value = has_goal(game, role, goal)?;
    Ok(Target { role, value })
}

/// The goal, if the role can have it.
fn has_goal(game: &GroundGame, role: RoleId, goal: i32) -> Result<i32, DecodeError> {
    let is_it = |of: &Goal| of.value == goal;
    match game.propnet().roles[role.index()].goals.iter().any(is_it) {
        true => Ok(goal),
        false => Err(DecodeError::Goal {
            role: name(game, role),
            goal,
        }),
    }
}

/// The literal that [`Literal::text`] gives this text.
fn literal(game: &GroundGame, text: &str) -> Result<Literal, UnknownName> {
    let negated = text
        .strip_prefix("(not ")
        .and_then(|rest| rest.strip_suffix(')'));
    let state: State = game.parse_state(&[negated.unwrap_or(text)])?;
    let proposition = state.iter().next();
    let proposition = proposition.expect("there is one proposition");
    Ok(Literal::new(proposition, negated.is_none()))
}
