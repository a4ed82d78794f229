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
//! is answered `busy` and does not touch it; a `PLAY` that comes again while it is thought
//! about waits for the same answer. Thinking goes on elsewhere
//! ([`Worker`], [`Clerk`]); here threads only wait, each until its own deadline.
//!
//! What is answered to `PLAY`, in this order: the player's move, if it is legal and in
//! time; the first legal move that the [`Clerk`] has found; the first legal
//! move of an earlier turn; `nil`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::clerk::{Clerk, Legal};
use super::log::Log;
use super::message::{Reply, Request, Start};
use crate::game::Setup;
use crate::player::board::find_text;
use crate::player::rulesheet::Rulesheet;
use crate::player::spec::Spec;
use crate::player::worker::{Answer, Chosen, Prepared, Timed, Worker};
use crate::player::{Choice, Ending, PlayerError, Seat};
use crate::rng::random_seed;

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
    game: Option<Arc<Match>>,
    /// How many matches there were.
    started: u64,
}

/// A match that is being played.
struct Match {
    id: String,
    play_clock: Duration,
    log: Log,
    table: Mutex<Table>,
}

/// What changes from turn to turn.
struct Table {
    worker: Worker,
    clerk: Clerk,
    turn: Turn,
    /// The clock of the last request ends here.
    last_deadline: Instant,
}

/// What is asked of the player.
#[derive(Clone)]
struct Turn {
    /// The joint move before.
    joint: Option<Vec<String>>,
    /// None before the first PLAY.
    chosen: Option<Answer<Chosen>>,
    legal: Answer<Legal>,
    answered: bool,
}

/// When an answer is due.
struct Due {
    /// When the player is to be done.
    think: Instant,
    /// When the answer is sent, whoever gives it.
    answer: Instant,
    /// When the clock ends.
    end: Instant,
}

impl Due {
    fn new(received: Instant, clock: Duration, margin: Duration) -> Due {
        let margin = margin.min(clock / 2);
        let end = received + clock;
        Due {
            think: end - margin,
            answer: end - margin / 2,
            end,
        }
    }
}

/// How long a move of the player waits to be checked.
const CHECK_TIME: Duration = Duration::from_millis(50);

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
                Some(game) => self.play(&game, moves, request, received),
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
            game.end(Ending::Aborted);
        }
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        // Each write is complete in itself.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The running match, if this is its name.
    fn find(&self, match_id: &str) -> Option<Arc<Match>> {
        let game = self.running().game.clone();
        game.filter(|game| game.id == match_id)
    }

    /// Whether a match can start; ends one that was left by its manager.
    fn is_free(&self, running: &mut Running) -> bool {
        let Some(game) = &running.game else {
            return true;
        };
        let patience = self.config.patience + 3 * game.play_clock;
        if Instant::now() < game.table().last_deadline + patience {
            return false;
        }
        tracing::warn!(id = game.id, "the manager has left this match");
        game.end(Ending::Aborted);
        running.game = None;
        true
    }

    fn start(&self, start: &Start, request: &Request, received: Instant) -> Reply {
        if !self.is_free(&mut self.running()) {
            return Reply::Busy;
        }
        // Reading the rules takes a while: others are not kept waiting.
        let setup = self.config.setup.clone();
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
        let (game, prepared) = {
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
            let (game, prepared) = self.begin(seat, &due, received);
            running.started += 1;
            running.game = Some(game.clone());
            (game, prepared)
        };
        let error = match prepared.wait(due.answer) {
            Some(Ok(())) => None,
            Some(Err(error)) => Some(error),
            None => Some(PlayerError::TimedOut),
        };
        if let Some(error) = &error {
            tracing::warn!(%error, "the player is not prepared");
        }
        let error = error.map(|error| error.to_string());
        game.log.write(
            received,
            request.to_string(),
            Reply::Ready.to_string(),
            error,
            None,
        );
        Reply::Ready
    }

    /// Sets a player to work.
    fn begin(&self, seat: Seat, due: &Due, received: Instant) -> (Arc<Match>, Answer<Prepared>) {
        let id = seat.match_id.clone();
        let log = Log::create(self.config.log.as_deref(), &id, received);
        let log = log.unwrap_or_else(|error| {
            tracing::error!(%error, "the match is not logged");
            Log::nowhere(received)
        });
        let clerk = Clerk::start(seat.rulesheet.clone(), seat.role);
        let turn = Turn {
            joint: None,
            chosen: None,
            legal: clerk.turn(None),
            answered: true,
        };
        let play_clock = seat.play_clock;
        let spec = self.config.player.clone();
        let (worker, prepared) = Worker::start(move || spec.player(&seat), due.think);
        let table = Mutex::new(Table {
            worker,
            clerk,
            turn,
            last_deadline: due.end,
        });
        let game = Arc::new(Match {
            id,
            play_clock,
            log,
            table,
        });
        (game, prepared)
    }

    fn play(
        &self,
        game: &Match,
        moves: &Option<Vec<String>>,
        request: &Request,
        received: Instant,
    ) -> Reply {
        let due = Due::new(received, game.play_clock, self.config.margin);
        let (turn, before) = game.turn(moves, &due);
        let chosen = match turn.chosen.and_then(|chosen| chosen.wait(due.answer)) {
            Some(chosen) => chosen,
            None => {
                game.table().worker.stop();
                Err(PlayerError::TimedOut)
            }
        };
        // A move of the player is not held up for long by the check.
        let patience = match chosen {
            Ok(_) => due.answer.min(Instant::now() + CHECK_TIME),
            Err(_) => due.answer,
        };
        let legal = turn.legal.wait(patience);
        let (choice, error) = choose(chosen, legal.as_deref(), before.as_deref());
        if let Some(error) = &error {
            tracing::error!(id = game.id, %error, played = choice.text, "the player has no move");
        }
        game.table().turn.answered = true;
        let reply = Reply::Move(choice.text);
        let error = error.map(|error| error.to_string());
        let text = reply.to_string();
        game.log.write(
            received,
            request.to_string(),
            text,
            error,
            choice.statistics,
        );
        reply
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
            running.game.take_if(|game| game.id == match_id)
        };
        let Some(game) = game else {
            return Reply::Busy;
        };
        game.end(ending);
        game.log
            .write(received, request.to_string(), reply.to_string(), None, None);
        reply
    }
}

impl Match {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The turn that follows `joint`, with the legal moves of the turn before if they are
    /// known by now. It starts unless it is being thought about already.
    fn turn(&self, joint: &Option<Vec<String>>, due: &Due) -> (Turn, Option<Legal>) {
        let mut table = self.table();
        let before = table.turn.legal.wait(Instant::now());
        let is_repeated = !table.turn.answered && table.turn.joint == *joint;
        if !is_repeated {
            table.last_deadline = due.end;
            table.turn = Turn {
                joint: joint.clone(),
                chosen: Some(table.worker.play(joint.clone(), due.think)),
                legal: table.clerk.turn(joint.clone()),
                answered: false,
            };
        }
        (table.turn.clone(), before)
    }

    fn end(&self, ending: Ending) {
        self.table().worker.end(ending);
    }
}

/// The answer to `PLAY`, and why it is not the player's if it is not.
fn choose(
    chosen: Chosen,
    legal: Option<&[String]>,
    before: Option<&[String]>,
) -> (Choice, Option<PlayerError>) {
    let known = legal.filter(|legal| !legal.is_empty());
    let error = match (chosen, known) {
        (Ok(Timed { choice, .. }), Some(legal)) => match find_text(legal, &choice.text) {
            Some(at) => {
                let text = legal[at].clone();
                return (Choice { text, ..choice }, None);
            }
            None => PlayerError::Answer(choice.text),
        },
        (Ok(Timed { choice, .. }), None) => return (choice, None),
        (Err(error), _) => error,
    };
    let fallback = known.or(before).and_then(|legal| legal.first());
    let text = fallback.map_or("nil", |text| text.as_str());
    (Choice::new(text), Some(error))
}
