//! Tournaments: matches between the pairs (or larger groups, if games have more roles) of several
//! players, in several games, some matches at a time.
//!
//! A *round* has for each game and each group of players one opening, which is played as often as the game has roles,
//! so that each player has each role; in groups of three and more, the order of the players changes from round to
//! round. Matches are numbered round by round. A match depends on its number and the seed, not on the matches before
//! it or beside it.

mod cores;
mod pairing;
mod scores;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, Sender, unbounded};
use parking_lot::Mutex;
use propjit_jit::parallel;
use propjit_stop::Stop;

use super::fixture::{Fixture, Seating, player_roles, seating, wait_until_free};
use super::opening::{GameOpenings, OpeningError, Openings};
use super::player::PlayerFactory;
use super::record::{MatchEnd, MatchRecord};
use super::referee::{MatchConfig, MatchPosition};
use super::rulesheet::Rulesheet;
use super::series_error::SeriesError;
use super::sprt::Sprt;
pub use cores::CoresError;
pub use pairing::{Pairing, UnknownPairing};
pub use scores::TournamentTable;

use cores::Cores;
use pairing::groups;
use scores::Scores;

use crate::game::machine::RoleId;
use crate::support::error_text::with_causes;
use crate::support::rng::{GameRng, streams};
use crate::support::setters::setters;
use crate::support::threads::{self, ThreadError};

/// A game of a tournament.
#[derive(Clone, Debug)]
pub struct TournamentGame {
    /// Its name.
    pub name: String,
    /// Its rules.
    pub rulesheet: Arc<Rulesheet>,
}

/// The matches to be played.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Tournament {
    /// The players.
    pub players: Vec<PlayerFactory>,
    /// The games.
    pub games: Vec<TournamentGame>,
    /// The pairing: which players meet.
    pub pairing: Pairing,
    /// The number of rounds.
    pub rounds: u64,
    /// The source of the openings.
    pub openings: Openings,
    /// The number of matches that are played at a time.
    pub jobs: usize,
    /// The number of processors that each job has to itself, for all threads and programs of its
    /// players; none if jobs share them.
    pub cores: Option<usize>,
    /// The test that ends the tournament early, for two players.
    pub sprt: Option<Sprt>,
    /// The name of the matches, to which their numbers are added; a KIF name.
    pub name: String,
    /// The [seed](crate::support::rng) of openings and matches.
    pub seed: u64,
    /// Clocks and limits.
    pub config: MatchConfig,
}

/// The results of a tournament.
#[derive(Clone, PartialEq, Debug)]
pub struct TournamentResults {
    /// The table.
    pub table: TournamentTable,
    /// The matches by their numbers, from 0.
    pub records: BTreeMap<u64, MatchRecord>,
    /// Whether it was stopped before the last match was over.
    pub interrupted: bool,
    /// Why it could not go on because of a player.
    pub failure: Option<String>,
    /// Why it could not go on otherwise, after some matches.
    pub error: Option<String>,
}

/// The progress of a tournament.
#[derive(Debug)]
pub struct TournamentProgress<'a> {
    /// The number of matches that are over.
    pub ended: u64,
    /// The number of all matches.
    pub of: u64,
    /// The matches that are being played, by number from 0, with their joint moves so far.
    pub running: &'a BTreeMap<u64, usize>,
    /// The table, which may be a second old.
    pub table: &'a TournamentTable,
}

/// A match of each round.
#[derive(Clone, PartialEq, Eq, Debug)]
struct RoundMatch {
    /// The number of its game.
    game: usize,
    /// The roles that are played, and those of all.
    roles: Vec<RoleId>,
    all_roles: usize,
    /// The players.
    group: Vec<usize>,
    /// How many matches of the game this group plays in the round before it.
    turn: u64,
}

impl RoundMatch {
    /// Assigns the players to the roles in the round of this number, from 0.
    fn seating(&self, round: u64) -> Seating {
        let number = round * self.group.len() as u64 + self.turn;
        seating(self.all_roles, &self.roles, &self.group, number)
    }
}

/// An event that a playing thread reports.
enum Event {
    Moved(u64, usize),
    Ended(u64, Box<MatchRecord>),
    Failed(TournamentError),
}

/// Why a tournament cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum TournamentError {
    /// A game needs more players.
    #[error("{game} needs {needed} players; given: {given}")]
    Players {
        /// The game.
        game: String,
        /// How many it needs.
        needed: usize,
        /// How many there are.
        given: usize,
    },
    /// A game has no role for players.
    #[error("{0} needs no player: every role is played by chance")]
    NoRole(String),
    /// A test is for two players in games of two roles.
    #[error("a test needs two players and games of two roles")]
    Sprt,
    /// A player takes one match at a time.
    #[error("{0} plays one match at a time: use --jobs 1")]
    Single(String),
    /// Two games have the same name, which distinguishes their records.
    #[error("two games have the name {0}")]
    SameName(String),
    /// A match cannot be played.
    #[error(transparent)]
    Match(#[from] SeriesError),
    /// Jobs cannot have processors of their own.
    #[error(transparent)]
    Cores(#[from] CoresError),
    /// A job has no thread.
    #[error(transparent)]
    Thread(#[from] ThreadError),
    /// There is no opening.
    #[error(transparent)]
    Opening(#[from] OpeningError),
}

/// The interval of checks for something to report.
const TICK: Duration = Duration::from_millis(200);

/// The least time between two tables.
const TABLE_AGE: Duration = Duration::from_secs(1);

impl Tournament {
    setters! {
        with_pairing(pairing: Pairing);
        with_rounds(rounds: u64);
        with_openings(openings: Openings);
        with_jobs(jobs: usize);
        with_cores(cores: Option<usize>);
        with_sprt(sprt: Option<Sprt>);
        with_name(name: String);
        with_seed(seed: u64);
    }

    /// One round between these players, each against each other, one match at a time, from the
    /// initial states, with the seed 0.
    pub fn new(
        players: Vec<PlayerFactory>,
        games: Vec<TournamentGame>,
        config: MatchConfig,
    ) -> Tournament {
        Tournament {
            players,
            games,
            pairing: Pairing::default(),
            rounds: 1,
            openings: Openings::None,
            jobs: 1,
            cores: None,
            sprt: None,
            name: "tournament".to_string(),
            seed: 0,
            config,
        }
    }

    /// The number of matches.
    ///
    /// # Errors
    /// When players, games and options do not go together.
    pub fn matches(&self) -> Result<u64, TournamentError> {
        Ok(self.round()?.len() as u64 * self.rounds)
    }

    /// The matches of a round.
    fn round(&self) -> Result<Vec<RoundMatch>, TournamentError> {
        let single = self.players.iter().find(|player| player.is_single());
        if let Some(player) = single.filter(|_| self.jobs > 1) {
            return Err(TournamentError::Single(player.to_string()));
        }
        let mut round = Vec::new();
        for (number, game) in self.games.iter().enumerate() {
            if self.games[..number]
                .iter()
                .any(|other| other.name == game.name)
            {
                return Err(TournamentError::SameName(game.name.clone()));
            }
            let roles = player_roles(&game.rulesheet);
            if roles.is_empty() {
                return Err(TournamentError::NoRole(game.name.clone()));
            }
            if roles.len() > self.players.len() {
                return Err(TournamentError::Players {
                    game: game.name.clone(),
                    needed: roles.len(),
                    given: self.players.len(),
                });
            }
            if self.sprt.is_some() && (roles.len(), self.players.len()) != (2, 2) {
                return Err(TournamentError::Sprt);
            }
            // A game of one role has no opponents, so that there is no gauntlet.
            let is_gauntlet = self.pairing == Pairing::Gauntlet && roles.len() > 1;
            for group in groups(self.players.len(), roles.len()) {
                if is_gauntlet && !group.contains(&0) {
                    continue;
                }
                for turn in 0..roles.len() as u64 {
                    round.push(RoundMatch {
                        game: number,
                        roles: roles.clone(),
                        all_roles: game.rulesheet.roles().len(),
                        group: group.clone(),
                        turn,
                    });
                }
            }
        }
        Ok(round)
    }

    /// Plays the matches that are not `played` yet (by their numbers, from 0), until the test accepts
    /// a hypothesis, `stop` is set, or a player fails that must not.
    ///
    /// `watch` is called now and then with the progress, and `ended` with each match that is over: its
    /// number, that of its game, and the record. Matches that a decided test cuts short are dropped. So
    /// that long matches count as much as short ones, the test takes pairs of matches in their order,
    /// and waits for the first one that is not over.
    ///
    /// # Errors
    /// When players, games and options do not go together, or a game cannot be evaluated.
    pub fn play(
        &self,
        played: BTreeMap<u64, MatchRecord>,
        stop: &Stop,
        watch: &mut dyn FnMut(&TournamentProgress<'_>),
        ended: &mut dyn FnMut(u64, usize, &MatchRecord),
    ) -> Result<TournamentResults, TournamentError> {
        let round = self.round()?;
        let of = round.len() as u64 * self.rounds;
        let mut openings = Vec::new();
        for game in &self.games {
            let named = (game.name.as_str(), &game.rulesheet);
            let alone = self.games.len() == 1;
            openings.push(GameOpenings::new(&self.openings, named, alone, self.seed)?);
        }
        let records = played
            .into_iter()
            .filter(|(number, _)| *number < of)
            .collect();
        let mut state = Scores::new(self, &round, records);
        state.count_pairs();
        let played: BTreeSet<u64> = state.records.keys().copied().collect();
        let rest = (0..of).filter(move |number| !played.contains(number));
        // Ends the matches that are being played, when they are not needed any more.
        let inner = stop.by(None);
        if state.is_decided() {
            inner.set();
        }
        let queue = Mutex::new(Queue {
            rest: Box::new(rest),
            streams: Box::new(streams(self.seed)),
            next: 0,
        });
        let cores = match self.cores {
            Some(each) => {
                self.start_shared_threads();
                Cores::divide(self.jobs.max(1), each)?
            }
            None => Cores::default(),
        };
        let mut failure = None;
        let mut error = None;
        thread::scope(|scope| {
            let (tell, events) = unbounded();
            for job in 0..self.jobs.max(1) {
                let (tell, queue, round) = (tell.clone(), &queue, &round);
                let (openings, inner, cores) = (&openings, &inner, &cores);
                let failed = tell.clone();
                let started = threads::start_scoped(scope, "job", move || {
                    cores.bind(job);
                    self.work(queue, round, openings, inner, &tell);
                });
                if let Err(why) = started {
                    // The receiver is still there.
                    let _ = failed.send(Event::Failed(why.into()));
                }
            }
            drop(tell);
            let mut table = state.table();
            let mut made = Instant::now();
            let mut is_new = false;
            let mut shown = None;
            let mut running = BTreeMap::new();
            loop {
                if is_new && made.elapsed() > TABLE_AGE {
                    table = state.table();
                    made = Instant::now();
                    is_new = false;
                }
                if shown.is_none_or(|shown: Instant| shown.elapsed() >= TICK / 2) {
                    shown = Some(Instant::now());
                    watch(&TournamentProgress {
                        ended: state.records.len() as u64,
                        of,
                        running: &running,
                        table: &table,
                    });
                }
                match events.recv_timeout(TICK) {
                    Ok(Event::Moved(number, steps)) => _ = running.insert(number, steps),
                    Ok(Event::Ended(number, record)) => {
                        running.remove(&number);
                        let is_cut = record.end == MatchEnd::Interrupted && !stop.is_set();
                        if is_cut {
                            continue;
                        }
                        let game = round[(number % round.len() as u64) as usize].game;
                        ended(number, game, &record);
                        if record.end == MatchEnd::Abandoned && failure.is_none() {
                            failure = record.failure.clone();
                            inner.set();
                        }
                        state.records.insert(number, *record);
                        is_new = true;
                        state.count_pairs();
                        if state.is_decided() {
                            inner.set();
                        }
                    }
                    Ok(Event::Failed(why)) => {
                        if error.is_none() {
                            error = Some(why);
                        }
                        inner.set();
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
        });
        let error = match error {
            Some(TournamentError::Match(SeriesError::Absent(why))) => {
                failure = Some(why);
                None
            }
            Some(error) if state.records.is_empty() => return Err(error),
            // The matches played so far count.
            error => error.map(|error| with_causes(&error)),
        };
        Ok(TournamentResults {
            table: state.table(),
            interrupted: stop.is_set(),
            failure,
            error,
            records: state.records,
        })
    }

    /// Starts the threads that all matches share before any thread is bound: threads begin on the
    /// processors of the one that starts them.
    fn start_shared_threads(&self) {
        parallel::pool();
        for game in &self.games {
            game.rulesheet.prepare();
        }
    }

    /// Plays matches from the queue.
    fn work(
        &self,
        queue: &Mutex<Queue>,
        round: &[RoundMatch],
        openings: &[GameOpenings],
        stop: &Stop,
        tell: &Sender<Event>,
    ) {
        while !stop.is_set() {
            let Some((number, rng)) = queue.lock().take() else {
                return;
            };
            let played = self.play_match(number, rng, round, openings, stop, tell);
            let event = match played {
                Ok(record) => Event::Ended(number, Box::new(record)),
                // Failures after a stop are ignored.
                Err(_) if stop.is_set() => return,
                Err(error) => Event::Failed(error),
            };
            if tell.send(event).is_err() {
                return;
            }
        }
    }

    fn play_match(
        &self,
        number: u64,
        rng: GameRng,
        round: &[RoundMatch],
        openings: &[GameOpenings],
        stop: &Stop,
        tell: &Sender<Event>,
    ) -> Result<MatchRecord, TournamentError> {
        let matches = round.len() as u64;
        let (of_round, round) = (&round[(number % matches) as usize], number / matches);
        let game = of_round.game;
        let opening = openings[game].get(round, stop)?;
        if let Some(why) = wait_until_free(&self.players, &self.config, stop) {
            return Err(SeriesError::Absent(why).into());
        }
        let fixture = Fixture {
            number,
            name: &self.name,
            rulesheet: &self.games[game].rulesheet,
            players: &self.players,
            seating: &of_round.seating(round),
            opening,
            config: &self.config,
        };
        let told = |at: &MatchPosition<'_>| {
            // If the receiver is gone, this match will be stopped.
            let _ = tell.send(Event::Moved(number, at.record.steps.len()));
        };
        Ok(fixture.play(rng, stop, &told)?)
    }
}

/// The matches to be played, each with its random numbers.
struct Queue {
    rest: Box<dyn Iterator<Item = u64> + Send>,
    streams: Box<dyn Iterator<Item = GameRng> + Send>,
    /// The number of the next stream.
    next: u64,
}

impl Queue {
    fn take(&mut self) -> Option<(u64, GameRng)> {
        let number = self.rest.next()?;
        let skipped = (number - self.next) as usize;
        self.next = number + 1;
        Some((number, self.streams.nth(skipped)?))
    }
}
