//! The server of the line protocol: tree search on request.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, unbounded};
use parking_lot::Mutex;
use propjit_stop::Stop;
use serde_json::{Value, json};

use super::message::{
    BeliefReply, Failed, Go, LegalMoves, LineReply, LineRequest, Loaded, Numbered, Observe,
    Question, RoleMoves, Said, StateReply, VERSION, number, said,
};
use super::process::LONGEST;
use crate::game::load::Game;
use crate::game::machine::{Backend, MachineError, RoleId};
use crate::game::position::History;
use crate::play::matches::{Choice, HiddenRoles, PlayerError};
use crate::search::SearchBudget;
use crate::search::chooser::{Search, SearchConfig, learning_time};
use crate::search::mcts::wait_for_engines;
use crate::support::line_io::{LineWriter, read_line};
use crate::support::setters::setters;

/// How often the stop token is checked.
const INTERVAL: Duration = Duration::from_millis(20);

/// How positions are searched.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LineServerConfig {
    /// The search for a move in limited time.
    pub search: SearchConfig,
    /// The search for a move with a counted budget.
    pub counted_search: SearchConfig,
    /// The backend; by default the fastest there is.
    pub backend: Option<Backend>,
    /// The most time for a move, unless the request names a limit.
    pub time: Option<Duration>,
    /// The most nodes for a move, unless the request names a limit.
    pub nodes: Option<u64>,
    /// The most playouts for a move, unless the request names a limit.
    pub playouts: Option<u64>,
}

impl Default for LineServerConfig {
    /// The search that suits the game; and with a counted budget tree search alone, so that moves do not depend on time.
    fn default() -> LineServerConfig {
        LineServerConfig {
            search: SearchConfig::default(),
            counted_search: SearchConfig::plain(),
            backend: None,
            time: None,
            nodes: None,
            playouts: None,
        }
    }
}

impl LineServerConfig {
    setters! {
        with_search(search: SearchConfig);
        with_counted_search(counted_search: SearchConfig);
        with_backend(backend: Option<Backend>);
        with_time(time: Option<Duration>);
        with_nodes(nodes: Option<u64>);
        with_playouts(playouts: Option<u64>);
    }

    /// The budget of a choice that was requested at `start`.
    fn budget(&self, go: &Go, start: Instant, stop: &Stop) -> Result<SearchBudget, String> {
        let asked = go.seconds.map(Duration::try_from_secs_f64).transpose();
        let asked = asked.map_err(|error| format!("`seconds`: {error}"))?;
        let time = asked.or(self.time);
        Ok(SearchBudget::default()
            .with_nodes(go.nodes.or(self.nodes))
            .with_playouts(go.playouts.or(self.playouts))
            .with_stop(stop.by(time.and_then(|time| start.checked_add(time)))))
    }
}

/// Makes a game of a name and a rulesheet's text, or says why it cannot.
pub type LoadLineGame<'a> = dyn FnMut(&str, &str) -> Result<Game, String> + 'a;

/// A line that was read: a request, with the token that ends it, or why it is none.
type Heard = Result<(Numbered<LineRequest>, Stop), NoRequest>;

/// A line that is no request: its number, if it has one, and why.
struct NoRequest {
    id: Option<u64>,
    why: String,
}

/// Answers requests until the input ends or `stop` is set, whether or not the answers are read then.
///
/// # Errors
/// When a reply cannot be written.
pub fn serve_lines(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    config: &LineServerConfig,
    load: &mut LoadLineGame<'_>,
    stop: &Stop,
) -> io::Result<()> {
    let (say, lines) = unbounded::<Heard>();
    // The tokens that end the unanswered requests, in their order, and whether each is a choice without a budget.
    let unanswered = Arc::new(Mutex::new(VecDeque::<(Stop, bool)>::new()));
    let has_budget = config.time.is_some() || config.nodes.is_some() || config.playouts.is_some();
    // This thread is not joined; it ends with its input.
    thread::Builder::new().spawn({
        let (stop, unanswered) = (stop.clone(), unanswered.clone());
        move || {
            let mut input = io::BufReader::new(input);
            let mut line = Vec::new();
            while let Ok(true) = read_line(&mut input, LONGEST, &mut line) {
                let heard = match request(&line) {
                    Err(_) if line.trim_ascii().is_empty() => continue,
                    Ok(request) if matches!(request.said, LineRequest::Stop(_)) => {
                        unanswered.lock().iter().for_each(|(own, _)| own.set());
                        continue;
                    }
                    Ok(request) => {
                        let is_endless = !has_budget && is_open(&request.said);
                        let own = stop.by(None);
                        unanswered.lock().push_back((own.clone(), is_endless));
                        Ok((request, own))
                    }
                    Err(error) => Err(error),
                };
                if say.send(heard).is_err() {
                    return;
                }
            }
            // No `stop` can come for these any more.
            let unanswered = unanswered.lock();
            let endless = unanswered.iter().filter(|(_, is_endless)| *is_endless);
            endless.for_each(|(own, _)| own.set());
        }
    })?;
    let mut server = LineServer {
        config,
        position: None,
    };
    let output = LineWriter::start(output)?;
    while !stop.is_set() && !output.has_failed() {
        let heard = match lines.recv_timeout(INTERVAL) {
            Ok(heard) => heard,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        let (id, answer) = match heard {
            Ok((request, own)) => {
                let answer = server.answer(&request.said, load, &own);
                unanswered.lock().pop_front();
                (request.id, answer)
            }
            Err(NoRequest { id, why }) => (id, Err(format!("not a request: {why}"))),
        };
        let said = answer.unwrap_or_else(|message| LineReply::Error(Failed { message }));
        if !output.write(Numbered { id, said }.line(), stop) {
            break;
        }
    }
    output.finish(stop)
}

/// The request in a line.
fn request(line: &[u8]) -> Result<Numbered<LineRequest>, NoRequest> {
    let no_request = |id, why: String| NoRequest { id, why };
    let line: Value =
        serde_json::from_slice(line).map_err(|error| no_request(None, error.to_string()))?;
    let id = number(&line).map_err(|why| no_request(None, why))?;
    match said(line, &LineRequest::NAMES) {
        Ok(said) => Ok(Numbered { id, said }),
        Err(why) => Err(no_request(id, why)),
    }
}

/// Returns whether a request is a choice without a budget.
fn is_open(request: &LineRequest) -> bool {
    match request {
        LineRequest::Go(go) => go.seconds.is_none() && go.nodes.is_none() && go.playouts.is_none(),
        _ => false,
    }
}

/// Why a request is refused when only a role's observations are known.
const AFTER_OBSERVE: &str = "needs the moves of all roles, and after `observe` they are not known: use `legal` and `go` for the role, or begin anew by `position`";

struct LineServer<'a> {
    config: &'a LineServerConfig,
    position: Option<Searched>,
}

/// A position of a game that was loaded.
struct Searched {
    game: Arc<Game>,
    history: History,
    /// How to search where time is the limit.
    config: SearchConfig,
    /// The roles, if the game hides information.
    hidden: Option<HiddenRoles>,
    /// Whether the history is incomplete: something was observed only.
    is_observed: bool,
    /// The searches, made when a move is first to be chosen.
    timed: Option<CurrentSearch>,
    counted: Option<CurrentSearch>,
}

/// A search.
struct CurrentSearch {
    search: Search,
    /// Whether it starts from the position.
    is_current: bool,
}

impl LineServer<'_> {
    fn answer(
        &mut self,
        request: &LineRequest,
        load: &mut LoadLineGame<'_>,
        stop: &Stop,
    ) -> Result<LineReply, String> {
        if let LineRequest::Load(wanted) = request {
            if wanted.version != VERSION {
                let version = wanted.version;
                return Err(format!(
                    "version {version} is not supported; use version {VERSION}"
                ));
            }
            let game = load(&wanted.name, &wanted.rules)?;
            let text = |error: MachineError| error.to_string();
            let history = History::new(game.follow().map_err(text)?);
            let roles = history.roles().to_vec();
            self.position = Some(Searched {
                config: self.config.search.clone(),
                hidden: None,
                is_observed: false,
                game: Arc::new(game),
                history,
                timed: None,
                counted: None,
            });
            let engine = concat!("propjit ", env!("CARGO_PKG_VERSION")).to_string();
            return Ok(LineReply::Loaded(Loaded { engine, roles }));
        }
        let Some(position) = &mut self.position else {
            return Err("no game is loaded".to_string());
        };
        let answer = match request {
            LineRequest::Position(wanted) => position.set(&wanted.moves),
            LineRequest::Observe(observed) => return position.observe(observed, stop),
            LineRequest::Apply(_) if position.is_observed => {
                return Err(format!("`apply` {AFTER_OBSERVE}"));
            }
            LineRequest::Apply(joint) => {
                let applied = position.history.play(&joint.moves);
                if applied.is_ok() {
                    position.has_changed();
                }
                applied.and_then(|()| position.reply())
            }
            LineRequest::Legal(question) => return position.legal(question),
            LineRequest::Go(go) => return position.go(go, self.config, stop),
            LineRequest::Load(_) | LineRequest::Stop(_) => return Err("not here".to_string()),
        };
        answer.map_err(|error| error.to_string())
    }
}

impl Searched {
    /// Goes to the position after these joint moves. If one is not legal, nothing changes.
    fn set(&mut self, moves: &[Vec<String>]) -> Result<LineReply, MachineError> {
        let mut history = History::new(self.game.follow()?);
        moves.iter().try_for_each(|joint| history.play(joint))?;
        self.history = history;
        self.hidden = None;
        self.is_observed = false;
        self.has_changed();
        self.reply()
    }

    /// Returns the roles if the game hides information.
    fn hidden(&mut self) -> Option<&mut HiddenRoles> {
        if self.hidden.is_none() && self.game.hides_information() {
            self.hidden = Some(HiddenRoles::new(self.game.clone(), self.config.clone()));
        }
        self.hidden.as_mut()
    }

    /// Takes up what a role observes of the next joint move.
    fn observe(&mut self, observed: &Observe, stop: &Stop) -> Result<LineReply, String> {
        let role = self.role(&observed.role)?;
        if self.history.depth() > 0 {
            return Err(
                "`observe` is for a match from its start: go there by `position` without moves"
                    .to_string(),
            );
        }
        let Some(hidden) = self.hidden() else {
            return Err(
                "this game hides nothing: use `apply` with the moves of all roles".to_string(),
            );
        };
        let belief = hidden.observe(role, &observed.own, &observed.percepts, stop);
        let belief = belief.map_err(|error| error.to_string())?;
        let reply = BeliefReply {
            depth: belief.observed(),
            states: belief.population().states(),
            exact: belief.is_exact(),
        };
        self.is_observed = true;
        Ok(LineReply::Belief(reply))
    }

    /// Searches are from another position now.
    fn has_changed(&mut self) {
        let searches = self.timed.iter_mut().chain(&mut self.counted);
        searches.for_each(|search| search.is_current = false);
    }

    fn reply(&mut self) -> Result<LineReply, MachineError> {
        let terminal = self.history.is_over()?;
        let goals = match terminal {
            true => Some(self.history.goals()?),
            false => None,
        };
        Ok(LineReply::State(StateReply {
            depth: self.history.depth(),
            terminal,
            goals,
            propositions: self.history.fluents(),
        }))
    }

    fn role(&self, name: &str) -> Result<RoleId, String> {
        let roles = self.history.roles();
        let found = roles.iter().position(|role| role == name);
        let found = found.map(|at| RoleId(at as u32));
        found.ok_or_else(|| format!("`{name}` is not a role; there are {}", roles.join(", ")))
    }

    fn legal(&mut self, question: &Question) -> Result<LineReply, String> {
        let wanted = match &question.role {
            Some(name) => Some(self.role(name)?),
            None => None,
        };
        let roles = self.history.roles().to_vec();
        if self.is_observed {
            let Some(role) = wanted else {
                return Err(format!("`legal` of all roles {AFTER_OBSERVE}"));
            };
            let moves = self.hidden().map(|hidden| hidden.legal(role));
            let moves = moves.transpose().map_err(|error| error.to_string())?;
            let moves = RoleMoves {
                role: roles[role.index()].clone(),
                moves: moves.unwrap_or_default(),
            };
            return Ok(LineReply::Legal(LegalMoves { roles: vec![moves] }));
        }
        let legal = self.history.legal().map_err(|error| error.to_string())?;
        let numbered = RoleId::first(roles.len()).zip(roles.into_iter().zip(legal));
        let moves = numbered
            .filter(|(id, _)| wanted.is_none_or(|wanted| wanted == *id))
            .map(|(_, (role, moves))| RoleMoves { role, moves });
        Ok(LineReply::Legal(LegalMoves {
            roles: moves.collect(),
        }))
    }

    fn go(&mut self, go: &Go, config: &LineServerConfig, stop: &Stop) -> Result<LineReply, String> {
        let start = Instant::now();
        let role = self.role(&go.role)?;
        let text = |error: MachineError| error.to_string();
        if self.history.is_over().map_err(text)? {
            return Err(text(MachineError::MatchOver));
        }
        if self.hidden().is_some() {
            let choice = self.choose_by_belief(role, &config.budget(go, start, stop)?);
            let Choice { text, statistics } = choice.map_err(|error| error.to_string())?;
            return Ok(LineReply::Move(Said { text, statistics }));
        }
        let legal = self.history.legal().map_err(text)?;
        let legal = &legal[role.index()];
        let first = legal.first();
        let first = first.ok_or_else(|| format!("{} has no legal move here", go.role))?;
        if legal.len() == 1 {
            let text = first.clone();
            return Ok(LineReply::Move(Said {
                text,
                statistics: None,
            }));
        }
        let budget = config.budget(go, start, stop)?;
        let (search, searched) = self.search(config, &budget).map_err(text)?;
        if let Err(error) = searched {
            // There may still be a result from before.
            tracing::warn!(%error, "the search failed");
        }
        let report = search.report(role);
        let best = report.best.map(|best| search.move_text(role, best));
        let mut statistics = json!({
            "value": report.value,
            "solved": report.solved,
            "nodes": report.nodes,
            "playouts": report.playouts,
            "seconds": start.elapsed().as_secs_f64(),
        });
        if let Some(minimax) = &report.minimax {
            statistics["minimax"] = json!(minimax);
        }
        if !report.unproved.is_empty() {
            statistics["unproved"] = json!(report.unproved);
        }
        Ok(LineReply::Move(Said {
            text: best.unwrap_or_else(|| first.clone()),
            statistics: Some(statistics),
        }))
    }

    /// Chooses a move of a role by what it observed, or by what it would have of the moves that are known.
    fn choose_by_belief(
        &mut self,
        role: RoleId,
        budget: &SearchBudget,
    ) -> Result<Choice, PlayerError> {
        let hidden = self.hidden.as_mut().ok_or(PlayerError::NotGround)?;
        if !self.is_observed {
            hidden.follow(role, &self.history, &budget.stop)?;
        }
        hidden.choose(role, budget)
    }

    /// Searches from the position; returns the search and how it ended.
    fn search(
        &mut self,
        config: &LineServerConfig,
        budget: &SearchBudget,
    ) -> Result<(&mut Search, Result<(), MachineError>), MachineError> {
        let backend = config.backend.unwrap_or(self.game.bulk_backend());
        let left = budget.stop.remaining();
        let is_counted = budget.is_counted();
        let (current, wanted) = match is_counted {
            true => (&mut self.counted, &config.counted_search),
            false => (&mut self.timed, &config.search),
        };
        let current = match current {
            Some(current) => current,
            None => {
                let wanted = wanted.clone();
                let wanted = match left {
                    Some(left) => wanted.with_learning_within(learning_time(left), true),
                    None => wanted,
                };
                current.insert(CurrentSearch {
                    search: Search::new(&self.game, backend, wanted)?,
                    is_current: self.history.depth() == 0,
                })
            }
        };
        let search = &mut current.search;
        if is_counted {
            // If time is limited, too, half of it is for the search.
            let waiting = match left {
                Some(left) => budget.stop.within(left / 2),
                None => budget.stop.clone(),
            };
            wait_for_engines(&self.game, backend, &config.counted_search.mcts, &waiting);
        } else if let Some(left) = left {
            search.wait_until(&budget.stop.within(learning_time(left)));
        }
        if !current.is_current {
            search.set_stop(&budget.stop);
            search.set_position(self.history.position(), self.history.depth() as u32)?;
            current.is_current = true;
        }
        let searched = search.run(budget);
        Ok((search, searched))
    }
}
