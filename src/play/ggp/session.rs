//! The session of a player, which answers requests and plays one match at a time.
//!
//! ```text
//!          START                 STOP, ABORT
//!  free -----------> in a match -------------> free
//!                      | PLAY ^
//!                      +------+
//! ```
//!
//! Requests come from many threads at once. A request that is not for the running match is answered `busy` and does
//! not touch it; a `START` that comes again is answered as the first one. Rules that are wrong, or lack the role,
//! are refused with the reason. The player thinks on another thread; the threads of requests only wait, each until
//! its own deadline.
//!
//! While it is free, a session prepares the game of the last `PREVIEW`. A match of this game takes
//! over the result, finished or not.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::live::{Due, LiveMatch};
use super::log::Log;
use super::message::{LastTurn, Reply, Request, Start};
use crate::game::load::Setup;
use crate::play::matches::{PlayerFactory, Rulesheet, Seat};
use crate::support::rng::random_seed;
use crate::support::setters::setters;
use propjit_gdl::diagnostic::Diagnostics;
use propjit_stop::Stop;

/// How long a player may take to acknowledge that its match is given up because the session ends.
const FAREWELL: Duration = Duration::from_secs(2);

/// How a session plays.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SessionConfig {
    /// The player.
    pub player: PlayerFactory,
    /// The name in the answer to `INFO`, a KIF name.
    pub name: String,
    /// How long before the end of a clock the player is to be done; half of a clock
    /// that is shorter than two of these.
    pub margin: Duration,
    /// How games are loaded.
    pub setup: Setup,
    /// The folder for logs of matches.
    pub log: Option<PathBuf>,
    /// How long, on top of three play clocks, a manager may be silent before a new match may take
    /// the place of its match.
    pub patience: Duration,
}

impl SessionConfig {
    setters! {
        with_name(name: String);
        with_margin(margin: Duration);
        with_setup(setup: Setup);
        with_log(log: Option<PathBuf>);
        with_patience(patience: Duration);
    }

    /// Half a second of margin, a minute of patience, no log.
    pub fn new(player: PlayerFactory) -> SessionConfig {
        SessionConfig {
            player,
            name: "propjit".to_string(),
            margin: Duration::from_millis(500),
            setup: Setup::default(),
            log: None,
            patience: Duration::from_secs(60),
        }
    }
}

impl Running {
    /// Whether the game with these rules is being prepared.
    fn has_preview(&self, rules: &str) -> bool {
        let text = |preview: &Arc<Rulesheet>| preview.rules().source.text() == rules;
        self.preview.as_ref().is_some_and(text)
    }

    /// The game with these rules, if it is the one that is being prepared.
    fn take_preview(&mut self, rules: &str) -> Option<Arc<Rulesheet>> {
        let is_it = self.has_preview(rules);
        self.preview.take_if(|_| is_it)
    }

    /// Stops the preparation of a game.
    fn end_preview(&mut self) {
        if let Some(preview) = self.preview.take() {
            preview.stop();
        }
    }
}

/// A player's side of the protocol, for any match that a manager starts.
pub struct Session {
    config: SessionConfig,
    running: Mutex<Running>,
}

#[derive(Default)]
struct Running {
    game: Option<Arc<LiveMatch>>,
    /// The game of the last preview since the last match.
    preview: Option<Arc<Rulesheet>>,
    /// How many matches there were.
    started: u64,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// Makes a session that is free.
    pub fn new(config: SessionConfig) -> Session {
        Session {
            config,
            running: Mutex::default(),
        }
    }

    /// Answers a request that came at `received`, from which clocks count. Returns when
    /// the answer is due at the latest.
    pub fn answer(&self, request: &Request, received: Instant) -> Reply {
        self.answer_to(request, received, &|| false)
    }

    /// Like [`answer`](Session::answer), for a caller that may be gone before the answer is there.
    /// A match that no caller waits for any more when it starts is given up.
    pub fn answer_to(
        &self,
        request: &Request,
        received: Instant,
        is_gone: &dyn Fn() -> bool,
    ) -> Reply {
        match request {
            Request::Info => Reply::Info {
                name: self.config.name.clone(),
                available: self.is_free(&mut self.running.lock()),
            },
            Request::Preview { rules, .. } => self.preview(rules),
            Request::Start(start) => match self.start(start, request, received, is_gone) {
                Ok(reply) => reply,
                Err(why) => self.refuse(start, request, received, why),
            },
            Request::Play { match_id, last } => match self.find(match_id) {
                Some(game) => {
                    let due = Due::new(received, game.play_clock(), self.config.margin);
                    game.play(last, request, &due)
                }
                None => Reply::Busy,
            },
            Request::Stop { match_id, last } => {
                self.end(match_id, Some(last), request, received, Reply::Done)
            }
            Request::Abort { match_id } => {
                self.end(match_id, None, request, received, Reply::Aborted)
            }
        }
    }

    /// Gives up the match that is being played, or the game that is being prepared, if there is
    /// one. Returns when the player has been informed, or after two seconds.
    pub fn abort(&self) {
        let game = {
            let mut running = self.running.lock();
            running.end_preview();
            running.game.take()
        };
        if let Some(game) = game {
            let deadline = Instant::now() + FAREWELL;
            let _ = game.abandon().wait_until(deadline);
        }
    }

    /// Ends the match that is being played if its manager has left it, so that it does not think for ever.
    pub fn reap_abandoned(&self) {
        self.is_free(&mut self.running.lock());
    }

    /// The running match, if this is its name.
    fn find(&self, match_id: &str) -> Option<Arc<LiveMatch>> {
        let game = self.running.lock().game.clone();
        game.filter(|game| game.id() == match_id)
    }

    /// Whether a match can start; ends one that was left by its manager.
    fn is_free(&self, running: &mut Running) -> bool {
        let Some(game) = &running.game else {
            return true;
        };
        let patience = self.config.patience + 3 * game.play_clock();
        if Instant::now() < game.last_deadline() + patience {
            return false;
        }
        tracing::warn!(id = game.id(), "the manager left this match");
        game.abandon();
        running.game = None;
        true
    }

    /// Reads rules; `name` is for messages.
    fn read(&self, name: &str, rules: &str) -> Result<Arc<Rulesheet>, Diagnostics> {
        let setup = self.config.setup.clone().with_stop(Stop::new());
        let rulesheet = Rulesheet::parse(name, rules, setup)?;
        for accepted in rulesheet.warnings().lenient() {
            tracing::warn!("{}, which the specification forbids", accepted.message);
        }
        Ok(Arc::new(rulesheet))
    }

    /// Begins to prepare the game with these rules.
    fn preview(&self, rules: &str) -> Reply {
        {
            let mut running = self.running.lock();
            if !self.is_free(&mut running) {
                return Reply::Busy;
            }
            if running.has_preview(rules) {
                return Reply::Ready;
            }
        }
        let rulesheet = match self.read("a preview", rules) {
            Ok(rulesheet) => rulesheet,
            Err(diagnostics) => {
                tracing::error!("cannot play the rules of the preview: {diagnostics}");
                return Reply::Ready;
            }
        };
        let mut running = self.running.lock();
        if !self.is_free(&mut running) {
            return Reply::Busy;
        }
        running.end_preview();
        let thread = thread::Builder::new().name("preview".to_string());
        let spawned = thread.spawn({
            let rulesheet = rulesheet.clone();
            move || rulesheet.prepare()
        });
        match spawned {
            Ok(_) => running.preview = Some(rulesheet),
            Err(error) => tracing::warn!(%error, "no thread to prepare a game"),
        }
        Reply::Ready
    }

    /// Says why a match cannot be played, also in the log.
    fn refuse(&self, start: &Start, request: &Request, received: Instant, why: String) -> Reply {
        tracing::error!(id = start.match_id, "cannot play the match: {why}");
        let reply = Reply::Refused(why.clone());
        match Log::create(self.config.log.as_deref(), &start.match_id, received) {
            Ok(log) => log.write(
                received,
                request.to_string(),
                reply.to_string(),
                Some(why),
                None,
            ),
            Err(error) => tracing::error!(%error, "the match is not logged"),
        }
        reply
    }

    /// Starts a match, or says why it cannot be played.
    fn start(
        &self,
        start: &Start,
        request: &Request,
        received: Instant,
        is_gone: &dyn Fn() -> bool,
    ) -> Result<Reply, String> {
        let due = Due::new(received, start.start_clock, self.config.margin);
        let previewed = {
            let mut running = self.running.lock();
            let running_game = running.game.as_ref();
            let same = running_game.filter(|game| game.is_started_by(start));
            if let Some(game) = same.cloned() {
                drop(running);
                return Ok(self.prepare(&game, request, &due, is_gone));
            }
            if !self.is_free(&mut running) {
                return Ok(Reply::Busy);
            }
            running.take_preview(&start.rules)
        };
        // Reading the rules takes a while: other requests are not kept waiting.
        let rulesheet = match previewed {
            Some(rulesheet) => rulesheet,
            None => self
                .read(&start.match_id, &start.rules)
                .map_err(|diagnostics| format!("cannot play the rules: {diagnostics}"))?,
        };
        let Some(role) = rulesheet.role(&start.role) else {
            rulesheet.stop();
            let roles = rulesheet.roles().join(", ");
            let Start { role, .. } = start;
            return Err(format!(
                "there is no role `{role}` in these rules; the roles are {roles}"
            ));
        };
        let game = {
            let mut running = self.running.lock();
            if !self.is_free(&mut running) {
                rulesheet.stop();
                let same = running.game.clone();
                drop(running);
                // The same request may have come twice meanwhile.
                return Ok(match same.filter(|game| game.is_started_by(start)) {
                    Some(game) => self.prepare(&game, request, &due, is_gone),
                    None => Reply::Busy,
                });
            }
            running.end_preview();
            let seed = random_seed();
            tracing::info!(
                id = start.match_id,
                role = start.role,
                seed,
                "match started"
            );
            let seat = Seat {
                match_id: start.match_id.clone(),
                number: running.started,
                rulesheet,
                role,
                start_clock: start.start_clock,
                play_clock: start.play_clock,
                seed,
                opening: Arc::default(),
                position: None,
            };
            let SessionConfig { player, log, .. } = &self.config;
            let game = LiveMatch::start(player.clone(), seat, log.as_deref(), &due);
            let game = Arc::new(game);
            running.started += 1;
            running.game = Some(game.clone());
            game
        };
        Ok(self.prepare(&game, request, &due, is_gone))
    }

    /// Waits until the player is prepared for a match that has just started. The match is given up
    /// if no request waits for it.
    fn prepare(
        &self,
        game: &Arc<LiveMatch>,
        request: &Request,
        due: &Due,
        is_gone: &dyn Fn() -> bool,
    ) -> Reply {
        if game.prepare(request, due, is_gone) {
            return Reply::Ready;
        }
        tracing::warn!(
            id = game.id(),
            "the manager left while this match was starting"
        );
        let mut running = self.running.lock();
        if running
            .game
            .take_if(|running| Arc::ptr_eq(running, game))
            .is_some()
        {
            game.abandon();
        }
        Reply::Aborted
    }

    /// Ends a match: after this last turn, or none if it is given up.
    fn end(
        &self,
        match_id: &str,
        last: Option<&LastTurn>,
        request: &Request,
        received: Instant,
        reply: Reply,
    ) -> Reply {
        let game = {
            let mut running = self.running.lock();
            running.game.take_if(|game| game.id() == match_id)
        };
        let Some(game) = game else {
            return Reply::Busy;
        };
        game.end(last, request, received, &reply);
        reply
    }
}
