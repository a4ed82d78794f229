//! Answering for a player: one match at a time.
//!
//! ```text
//!          START                 STOP, ABORT
//!  free -----------> in a match -------------> free
//!                      | PLAY ^
//!                      +------+
//! ```
//!
//! Requests come from many threads at once. What is no request for the running match
//! is answered `busy` and does not touch it. Thinking goes on elsewhere; the threads
//! that bring requests only wait, each until its own deadline.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::live::{Due, LiveMatch};
use super::message::{Reply, Request, Start};
use crate::game::Setup;
use crate::player::rulesheet::Rulesheet;
use crate::player::spec::Spec;
use crate::player::{Ending, Seat};
use crate::rng::random_seed;
use crate::stop::Stop;

/// How a session plays.
#[derive(Clone, Debug)]
pub struct Config {
    /// The player.
    pub player: Spec,
    /// What `INFO` calls it, a KIF name.
    pub name: String,
    /// How long before the end of a clock the player is to be done; half of a clock
    /// that is shorter than two of these.
    pub margin: Duration,
    /// How games are loaded.
    pub setup: Setup,
    /// The folder for logs of matches.
    pub log: Option<PathBuf>,
    /// A manager that has not been heard of for three play clocks and this time is gone, and a
    /// new match takes the place of its match.
    pub patience: Duration,
}

impl Config {
    /// Half a second of margin, a minute of patience, no log.
    pub fn new(player: Spec) -> Config {
        Config {
            player,
            name: "propjit".to_string(),
            margin: Duration::from_millis(500),
            setup: Setup::default(),
            log: None,
            patience: Duration::from_secs(60),
        }
    }
}

/// Plays whatever match it is asked to play.
pub struct Session {
    config: Config,
    running: Mutex<Running>,
}

#[derive(Default)]
struct Running {
    game: Option<Arc<LiveMatch>>,
    /// How many matches there were.
    started: u64,
}

impl Session {
    /// A session that is free.
    pub fn new(config: Config) -> Session {
        Session {
            config,
            running: Mutex::default(),
        }
    }

    /// Answers a request that came at `received`, from which clocks count. Returns when
    /// the answer is due at the latest.
    pub fn answer(&self, request: &Request, received: Instant) -> Reply {
        match request {
            Request::Info => Reply::Info {
                name: self.config.name.clone(),
                available: self.running().game.is_none(),
            },
            Request::Preview { .. } => match self.running().game {
                Some(_) => Reply::Busy,
                None => Reply::Ready,
            },
            Request::Start(start) => self.start(start, request, received),
            Request::Play { match_id, moves } => match self.find(match_id) {
                Some(game) => {
                    let due = Due::new(received, game.play_clock(), self.config.margin);
                    game.play(moves.as_ref(), request, &due)
                }
                None => Reply::Busy,
            },
            Request::Stop { match_id, moves } => {
                let ending = Ending::Complete(moves.clone());
                self.end(match_id, ending, request, received, Reply::Done)
            }
            Request::Abort { match_id } => {
                let ending = Ending::Aborted;
                self.end(match_id, ending, request, received, Reply::Aborted)
            }
        }
    }

    /// Gives up the match that is being played, if there is one.
    pub fn abort(&self) {
        if let Some(game) = self.running().game.take() {
            game.abandon();
        }
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        // Each write is complete in itself.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The running match, if this is its name.
    fn find(&self, match_id: &str) -> Option<Arc<LiveMatch>> {
        let game = self.running().game.clone();
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
        tracing::warn!(id = game.id(), "the manager has left this match");
        game.abandon();
        running.game = None;
        true
    }

    fn start(&self, start: &Start, request: &Request, received: Instant) -> Reply {
        if !self.is_free(&mut self.running()) {
            return Reply::Busy;
        }
        // Reading the rules takes a while: others are not kept waiting.
        let setup = Setup {
            // Of this match alone.
            stop: Stop::new(),
            ..self.config.setup.clone()
        };
        let rulesheet = match Rulesheet::parse(&start.match_id, &start.rules, setup) {
            Ok(rulesheet) => Arc::new(rulesheet),
            Err(diagnostics) => {
                tracing::error!("the rules cannot be played: {diagnostics}");
                return Reply::Busy;
            }
        };
        let Some(role) = rulesheet.role(&start.role) else {
            tracing::error!(role = start.role, "there is no such role");
            return Reply::Busy;
        };
        let due = Due::new(received, start.start_clock, self.config.margin);
        let game = {
            let mut running = self.running();
            if !self.is_free(&mut running) {
                return Reply::Busy;
            }
            let seat = Seat {
                match_id: start.match_id.clone(),
                number: running.started,
                rulesheet,
                role,
                start_clock: start.start_clock,
                play_clock: start.play_clock,
                seed: random_seed(),
            };
            let game = LiveMatch::start(&self.config, seat, &due);
            let game = Arc::new(game);
            running.started += 1;
            running.game = Some(game.clone());
            game
        };
        game.prepare(request, &due);
        Reply::Ready
    }

    fn end(
        &self,
        match_id: &str,
        ending: Ending,
        request: &Request,
        received: Instant,
        reply: Reply,
    ) -> Reply {
        let game = {
            let mut running = self.running();
            running.game.take_if(|game| game.id() == match_id)
        };
        let Some(game) = game else {
            return Reply::Busy;
        };
        game.end(ending, request, received, &reply);
        reply
    }
}
