//! The messages between page and server, as JSON.

use serde::{Deserialize, Serialize};

use super::ViewConfig;
use super::scene::Scene;
use crate::game::boards::{Grid, Grids, Place, Site};
use crate::game::load::Game;

/// The constant data of the game.
#[derive(Serialize)]
pub(super) struct GameMessage {
    name: String,
    roles: Vec<String>,
    /// The number of the role that plays by chance, if there is one.
    random: Option<usize>,
    grids: Vec<GridMessage>,
    players: Vec<Option<String>>,
    expected: Vec<Vec<Option<f64>>>,
}

#[derive(Serialize)]
struct GridMessage {
    name: String,
    kind: &'static str,
    sites: Vec<SiteMessage>,
    columns: Vec<(u32, String)>,
    rows: Vec<(u32, String)>,
    contents: Vec<ContentMessage>,
}

#[derive(Serialize)]
struct SiteMessage {
    name: String,
    left: u32,
    top: u32,
}

#[derive(Serialize)]
struct ContentMessage {
    text: String,
    symbol: String,
    /// The number of the role to which it belongs.
    owner: Option<usize>,
}

impl GameMessage {
    pub(super) fn new(game: &Game, grids: &Grids, config: &ViewConfig) -> GameMessage {
        let rules = game.rules();
        GameMessage {
            name: config.name.clone(),
            roles: rules
                .roles
                .iter()
                .map(|&role| rules.terms.text(role))
                .collect(),
            random: game.random_role().map(|role| role.index()),
            grids: grids.grids().iter().map(GridMessage::new).collect(),
            players: config.players.clone(),
            expected: config.expected.clone(),
        }
    }
}

impl GridMessage {
    fn new(grid: &Grid) -> GridMessage {
        let site = |site: &Site| SiteMessage {
            name: site.name.clone(),
            left: site.left,
            top: site.top,
        };
        let contents = grid
            .contents
            .iter()
            .filter(|(_, content)| !content.is_empty);
        let contents = contents.map(|(text, content)| ContentMessage {
            text: text.clone(),
            symbol: content.symbol.clone(),
            owner: content.owner.map(|role| role.index()),
        });
        GridMessage {
            name: grid.names.join(", "),
            kind: grid.kind.name(),
            sites: grid.sites.iter().map(site).collect(),
            columns: grid.columns.clone(),
            rows: grid.rows.clone(),
            contents: contents.collect(),
        }
    }
}

/// A place as the numbers of a board and of a place on it.
type PlaceMessage = (usize, usize);

/// A move, and the places that it refers to.
#[derive(Serialize)]
pub(super) struct MoveMessage {
    text: String,
    places: Vec<Vec<PlaceMessage>>,
}

impl MoveMessage {
    pub(super) fn new(grids: &Grids, text: &str) -> MoveMessage {
        let numbers = |place: Place| (place.grid, place.site);
        let part = |places: Vec<Place>| places.into_iter().map(numbers).collect();
        MoveMessage {
            text: text.to_string(),
            places: grids.places(text).into_iter().map(part).collect(),
        }
    }
}

/// The position that is shown.
#[derive(Serialize)]
pub(super) struct SceneMessage {
    version: u64,
    depth: usize,
    line: Vec<Vec<String>>,
    /// The content of each place on each board.
    contents: Vec<Vec<Vec<String>>>,
    /// For each board the places between which there are lines.
    lines: Vec<Vec<(usize, usize)>>,
    /// The propositions that are on no board.
    rest: Vec<String>,
    /// For each role its legal moves.
    legal: Vec<Vec<MoveMessage>>,
    chosen: Vec<Option<String>>,
    machines: Vec<bool>,
    /// For each role its goal, if the match is over.
    goals: Option<Vec<Option<i32>>>,
}

/// A move that the person does not see.
const HIDDEN: &str = "?";

impl SceneMessage {
    pub(super) fn new(grids: &Grids, scene: &Scene) -> SceneMessage {
        let seen = scene.seen();
        let mut picture = match seen {
            Some(seen) => grids.picture(&seen.certain),
            None => grids.picture(&scene.fluents()),
        };
        picture
            .rest
            .extend(seen.iter().flat_map(|seen| seen.possible.clone()));
        let is_hidden = |role: usize| seen.is_some_and(|seen| seen.role.index() != role);
        let hidden = || HIDDEN.to_string();
        let moves = |(role, legal): (usize, &Vec<String>)| match is_hidden(role) {
            true => vec![MoveMessage::new(grids, HIDDEN)],
            false => {
                let moves = legal.iter().map(|text| MoveMessage::new(grids, text));
                moves.collect()
            }
        };
        let joint = |joint: &Vec<String>| {
            let moves = joint.iter().enumerate();
            let moves = moves.map(|(role, text)| match is_hidden(role) {
                true => hidden(),
                false => text.clone(),
            });
            moves.collect()
        };
        let chosen = scene.chosen().iter().enumerate();
        let chosen = chosen.map(|(role, chosen)| match (chosen, is_hidden(role)) {
            (Some(_), true) => Some(hidden()),
            _ => chosen.clone(),
        });
        SceneMessage {
            version: scene.version(),
            depth: scene.depth(),
            line: scene.line().iter().map(joint).collect(),
            contents: picture.contents,
            lines: picture.lines,
            rest: picture.rest,
            legal: scene.legal().iter().enumerate().map(moves).collect(),
            chosen: chosen.collect(),
            machines: scene.machines().to_vec(),
            goals: scene.goals().map(<[_]>::to_vec),
        }
    }
}

/// The search results so far.
#[derive(Clone, Default, Serialize)]
pub(super) struct SearchMessage {
    /// The position that was searched.
    pub(super) version: u64,
    pub(super) seconds: f64,
    pub(super) nodes: usize,
    pub(super) playouts: u64,
    /// The depth of a minimax search, if that searches.
    pub(super) depth: Option<u32>,
    /// The results for each role that has a choice.
    pub(super) roles: Vec<RoleMessage>,
    /// The reason if there are no more results.
    pub(super) failure: Option<String>,
}

/// The search results for a role.
#[derive(Clone, Serialize)]
pub(super) struct RoleMessage {
    pub(super) role: usize,
    pub(super) value: Option<f64>,
    pub(super) solved: bool,
    pub(super) moves: Vec<RankedMessage>,
}

/// The search results for a move.
#[derive(Clone, Serialize)]
pub(super) struct RankedMessage {
    pub(super) text: String,
    pub(super) visits: u64,
    pub(super) value: Option<f64>,
    pub(super) solved: bool,
    /// The expected line of play: roles and their moves.
    pub(super) line: Vec<(usize, String)>,
}

/// Propositions and goals that can never change again.
#[derive(Clone, Default, Serialize)]
pub(super) struct KnowledgeMessage {
    /// The position that it is about.
    pub(super) version: u64,
    pub(super) dark: Option<DarkMessage>,
    /// The literals that never change again because they hold, as soon as these are known.
    pub(super) latches: Option<Vec<String>>,
    /// For each role the goals that are not excluded by latches.
    pub(super) goals: Vec<Vec<i32>>,
}

/// Gates and places that are constant from a position on.
#[derive(Clone, Serialize)]
pub(super) struct DarkMessage {
    pub(super) bases: (usize, usize),
    pub(super) moves: (usize, usize),
    /// The gates that are left, and the number of all gates.
    pub(super) gates: (usize, usize),
    /// The places where nothing changes any more.
    pub(super) places: Vec<PlaceMessage>,
}

/// All data that changes without the position.
#[derive(Serialize)]
pub(super) struct ThinkingMessage<'a> {
    pub(super) version: u64,
    pub(super) search: &'a SearchMessage,
    pub(super) knowledge: &'a KnowledgeMessage,
    pub(super) values: &'a [Vec<Option<f64>>],
}

/// A request to play: a move for each role, or null.
#[derive(Deserialize)]
pub(super) struct PlayRequest {
    pub(super) version: u64,
    pub(super) moves: Vec<Option<String>>,
}

/// A request to show another position.
#[derive(Deserialize)]
pub(super) struct GoRequest {
    pub(super) depth: usize,
}

/// A request to play some roles by the machine.
#[derive(Deserialize)]
pub(super) struct MachinesRequest {
    pub(super) machines: Vec<bool>,
}
