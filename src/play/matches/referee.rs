//! The referee, which plays a match between players.
//!
//! It holds the clocks, asks all players of a turn at the same time, and plays the role `random`
//! itself. As with `ggp-base`, a player that is late or unreachable or plays an illegal move gets a
//! random legal move instead, and the match goes on; the [record](MatchRecord) shows it. That is
//! for occasional mistakes: a remote player that does not take the match, or any that fails several
//! times in a row, ends it (see [`MatchConfig::forgiving`]). A clock is a second (see
//! [`MatchConfig::grace`]) longer for the referee than for the player, which allows for the
//! transmission of messages.

use std::time::{Duration, Instant};

use rand::RngExt;

use propjit_stop::Stop;

use super::observed::Observed;
use super::opening::Opening;
use super::player::{Ending, PlayerFactory, Seat};
use super::player_error::PlayerError;
use super::record::{ErrorRecord, MatchEnd, MatchRecord, MoveRecord, PlayerErrorKind};
use super::rulesheet::Rulesheet;
use super::shared_position::SharedPosition;
use super::worker::{Chosen, TimedChoice, Worker};
use crate::game::machine::{MachineError, Move, RoleId};
use crate::game::position::{NamedMoves, Position};
use crate::support::background::Background;
use crate::support::error_text::with_causes;
use crate::support::rng::{GameRng, streams};
use crate::support::setters::setters;

/// How matches are played.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MatchConfig {
    /// Time to prepare.
    pub start_clock: Duration,
    /// Time for each move.
    pub play_clock: Duration,
    /// How much later than the player's own deadline an answer may come.
    pub grace: Duration,
    /// A match is cut off after this many joint moves.
    pub max_steps: usize,
    /// Whether a player may fail as often as it likes, and random moves are played for it.
    pub forgiving: bool,
}

impl MatchConfig {
    setters! {
        with_grace(grace: Duration);
        with_max_steps(max_steps: usize);
        with_forgiving(forgiving: bool);
    }

    /// With these clocks, a second of grace, and at most 10,000 joint moves, not forgiving.
    pub fn new(start_clock: Duration, play_clock: Duration) -> MatchConfig {
        MatchConfig {
            start_clock,
            play_clock,
            grace: Duration::from_secs(1),
            max_steps: 10_000,
            forgiving: false,
        }
    }

    /// How long players may take to acknowledge that a match is over: a play clock, as with
    /// `ggp-base`.
    fn farewell(&self) -> Duration {
        self.play_clock.max(SHORT_FAREWELL) + self.grace
    }
}

/// How long players may take to acknowledge that a match is over when the referee is in a hurry.
const SHORT_FAREWELL: Duration = Duration::from_secs(2);

/// A match is given up when a player fails this many times in a row.
const MAX_FAILURES: u32 = 3;

/// The interval of checks whether the referee is to stop.
const SLICE: Duration = Duration::from_millis(20);

/// The progress of a match.
#[derive(Debug)]
pub struct MatchPosition<'a> {
    /// The record so far.
    pub record: &'a MatchRecord,
    /// The current state.
    pub position: &'a Position,
}

/// A match that is being played.
struct RunningMatch<'a> {
    config: &'a MatchConfig,
    position: SharedPosition,
    rng: GameRng,
    /// For each role its player; none for the role that the referee plays.
    workers: Vec<Option<Worker>>,
    /// How often each player has failed in a row.
    failures: Vec<u32>,
    stop: &'a Stop,
    record: MatchRecord,
    disclosed: Disclosed,
    /// What each role observed of the last joint move; none before the first.
    observed: Option<Vec<Observed>>,
}

/// What the referee discloses of a joint move to players.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Disclosed {
    /// All moves: the game has no `sees` rules.
    Moves,
    /// All moves, and the percepts that tell as much.
    MovesAndPercepts,
    /// Their own moves and percepts alone.
    Percepts,
}

impl Disclosed {
    /// What is disclosed in a game.
    fn of(rulesheet: &Rulesheet) -> Disclosed {
        if !rulesheet.rules().has_percepts() {
            return Disclosed::Moves;
        }
        match rulesheet.game() {
            Ok(game) if !game.hides_information() => Disclosed::MovesAndPercepts,
            _ => Disclosed::Percepts,
        }
    }
}

/// Plays a match from `position`, the start of the game of the seats' rulesheet, with these joint moves before the first
/// choice. `seats` has for each role the player and its seat, the opening and the position of which are set here; or nothing
/// where the referee plays at random, with the seed. Players share the referee's positions if the game is ground and hides
/// nothing. Ends early when `stop` is set.
/// `progress` is called with each position.
/// Errors of players are in the record.
pub fn play_match(
    config: &MatchConfig,
    position: Position,
    opening: &Opening,
    mut seats: Vec<Option<(PlayerFactory, Seat)>>,
    seed: u64,
    stop: &Stop,
    progress: &dyn Fn(&MatchPosition<'_>),
) -> MatchRecord {
    let record = unplayed(config, &position, &seats, seed);
    let first = seats.iter().flatten().next();
    let mut running = RunningMatch {
        config,
        position: SharedPosition::new(position, 0),
        rng: streams(seed).next().expect("streams do not end"),
        workers: Vec::new(),
        failures: vec![0; seats.len()],
        stop,
        record,
        disclosed: first.map_or(Disclosed::Moves, |(_, seat)| Disclosed::of(&seat.rulesheet)),
        observed: None,
    };
    let opened = running.open(opening, &mut seats);
    let start = running.shared().filter(|_| opened.is_ok());
    running.prepare(seats, start, opening.len());
    let opened = opened.map_err(|error| format!("cannot play the opening: {error}"));
    let is_ready = running.record.failure.is_none();
    let played = opened.and_then(|()| match is_ready {
        true => running.play(progress).map_err(|error| error.to_string()),
        false => Ok(()),
    });
    // A match that was stopped has not failed.
    if let Err(why) = played
        && !stop.is_set()
    {
        running.record.end = MatchEnd::Failed;
        running.record.failure = Some(why);
    }
    running.end();
    running.record
}

/// The record of a match that has not started yet.
fn unplayed(
    config: &MatchConfig,
    position: &Position,
    seats: &[Option<(PlayerFactory, Seat)>],
    seed: u64,
) -> MatchRecord {
    let first = seats.iter().flatten().next();
    let names = seats.iter().map(|seat| {
        let (factory, _) = seat.as_ref()?;
        Some(factory.to_string())
    });
    let seeds = seats.iter().map(|seat| {
        let (_, seat) = seat.as_ref()?;
        Some(seat.seed)
    });
    MatchRecord {
        id: first.map_or(String::new(), |(_, seat)| seat.match_id.clone()),
        roles: position.roles().to_vec(),
        players: names.collect(),
        seeds: seeds.collect(),
        referee_seed: seed,
        start_clock: config.start_clock.as_secs_f64(),
        play_clock: config.play_clock.as_secs_f64(),
        start_seconds: Vec::new(),
        opening: 0,
        steps: Vec::new(),
        errors: Vec::new(),
        end: MatchEnd::Interrupted,
        failure: None,
        goals: Vec::new(),
        stop_seconds: Vec::new(),
    }
}

impl RunningMatch<'_> {
    /// Makes the joint moves of the opening.
    fn open(
        &mut self,
        opening: &[Vec<String>],
        seats: &mut [Option<(PlayerFactory, Seat)>],
    ) -> Result<(), MachineError> {
        let mut observed: Vec<Vec<Observed>> = seats.iter().map(|_| Vec::new()).collect();
        for joint in opening {
            let moves = self.position.position().find_joint_move(joint)?;
            let step = joint.iter().cloned().map(MoveRecord::new);
            self.make(&moves, step.collect())?;
            self.record.opening += 1;
            let of_roles = self.observed.iter().flatten();
            for (all, of_role) in observed.iter_mut().zip(of_roles) {
                all.push(of_role.clone());
            }
        }
        for (seat, observed) in seats.iter_mut().zip(observed) {
            if let Some((_, seat)) = seat {
                seat.opening = observed.into();
            }
        }
        Ok(())
    }

    /// Makes a joint move, with its record.
    fn make(&mut self, moves: &[Move], mut step: Vec<MoveRecord>) -> Result<(), MachineError> {
        let here = self.position.position();
        if self.disclosed != Disclosed::Moves {
            for (role, record) in RoleId::first(step.len()).zip(&mut step) {
                record.percepts = here.percepts(moves, role)?;
            }
        }
        let mut next = here.clone();
        next.play_found(moves)?;
        self.position = SharedPosition::new(next, self.position.depth() + 1);
        let all = || step.iter().map(|made| made.text.clone()).collect();
        let observed = step.iter().map(|made| match self.disclosed {
            Disclosed::Moves => Observed::Moves(all()),
            disclosed => Observed::Percepts {
                own: made.text.clone(),
                percepts: made.percepts.clone(),
                moves: (disclosed == Disclosed::MovesAndPercepts).then(all),
            },
        });
        self.observed = Some(observed.collect());
        self.record.steps.push(step);
        Ok(())
    }

    /// Returns the position for players in this process, if it may be known. A prover answers one query at a time, so that
    /// players of games that are not ground have their own.
    fn shared(&self) -> Option<SharedPosition> {
        let is_ground = self.position.position().ground_state().is_some();
        let is_known = is_ground && self.disclosed != Disclosed::Percepts;
        is_known.then(|| self.position.clone())
    }

    /// Starts the players, from a position that they share if there is one, and waits until they are
    /// prepared. Remote players may need a play clock for each joint move of the opening.
    fn prepare(
        &mut self,
        seats: Vec<Option<(PlayerFactory, Seat)>>,
        start: Option<SharedPosition>,
        opening: usize,
    ) {
        let deadline = Instant::now() + self.config.start_clock;
        let patience = self.config.play_clock * opening as u32;
        let mut prepared = Vec::new();
        for seat in seats {
            let (worker, answer) = match seat {
                Some((factory, mut seat)) => {
                    seat.position.clone_from(&start);
                    let (worker, answer) = Worker::start(move || factory.make(&seat), deadline);
                    (Some(worker), Some(answer))
                }
                None => (None, None),
            };
            self.workers.push(worker);
            prepared.push(answer);
        }
        for (role, answer) in prepared.into_iter().enumerate() {
            let end = deadline + patience;
            let result = answer.map(|answer| self.wait(role, end, &answer));
            let taken = result.as_ref().and_then(|result| result.as_ref().ok());
            let seconds = taken.map(Duration::as_secs_f64);
            self.record.start_seconds.push(seconds);
            if let Some(Err(error)) = result {
                let is_absent = matches!(
                    error,
                    PlayerError::Connection(_) | PlayerError::Answer(_) | PlayerError::Failed(_)
                );
                let blame = Blame::from(error);
                if is_absent {
                    self.abandon(
                        role,
                        format!(
                            "did not accept the match: {}",
                            blame.kind.describe(&blame.text, false)
                        ),
                    );
                }
                self.blame(role, None, blame);
            }
        }
    }

    /// Gives the match up because of a player, unless that is forgiven.
    fn abandon(&mut self, role: usize, why: String) {
        if self.config.forgiving || self.stop.is_set() {
            return;
        }
        let player = self.record.players[role].as_deref().unwrap_or_default();
        let role = &self.record.roles[role];
        self.record.end = MatchEnd::Abandoned;
        self.record.failure = Some(format!("{player} as {role} {why}"));
    }

    /// Notifies the players that the match is over. Until they have been informed, remote players
    /// take no other match.
    fn end(&mut self) {
        let is_complete = self.record.end == MatchEnd::Terminal;
        let last = self.observed.as_ref();
        let end = |(role, worker): (usize, &mut Option<Worker>)| {
            let ending = match is_complete {
                true => Ending::Complete(last.map(|last| last[role].clone())),
                false => Ending::Aborted,
            };
            Some(worker.as_mut()?.end(ending))
        };
        let heard: Vec<_> = self.workers.iter_mut().enumerate().map(end).collect();
        let start = Instant::now();
        let (soon, late) = (start + SHORT_FAREWELL, start + self.config.farewell());
        let wait = |answer: &Background<Option<Duration>>| {
            loop {
                let end = if self.stop.is_set() { soon } else { late };
                let now = Instant::now();
                if let Some(&heard) = answer.wait_until(end.min(now + SLICE)) {
                    return heard;
                }
                if now >= end {
                    return None;
                }
            }
        };
        let heard = heard.iter().map(|answer| answer.as_ref().and_then(wait));
        let seconds = heard.map(|heard| Some(heard?.as_secs_f64())).collect();
        self.record.stop_seconds = seconds;
    }

    /// Plays to the end.
    fn play(&mut self, progress: &dyn Fn(&MatchPosition<'_>)) -> Result<(), MachineError> {
        loop {
            let steps = self.record.steps.len();
            let here = self.position.clone();
            let position = here.position();
            progress(&MatchPosition {
                record: &self.record,
                position,
            });
            let roles = RoleId::first(self.workers.len());
            if position.is_over()? {
                let goals = roles.map(|role| position.goal(role));
                self.record.goals = goals.collect::<Result<_, _>>()?;
                self.record.end = MatchEnd::Terminal;
                return Ok(());
            }
            if steps >= self.config.max_steps {
                self.record.end = MatchEnd::Truncated;
                return Ok(());
            }
            let legal: Vec<&NamedMoves> = roles
                .map(|role| here.legal(role, position.stop()))
                .collect::<Result<_, _>>()?;
            if legal.iter().any(|legal| legal.moves().is_empty()) {
                self.record.end = MatchEnd::Stuck;
                return Ok(());
            }
            let (moves, step) = self.turn(&legal);
            if self.stop.is_set() {
                self.record.end = MatchEnd::Interrupted;
                return Ok(());
            }
            if self.record.failure.is_some() {
                return Ok(());
            }
            self.make(&moves, step)?;
        }
    }

    /// Asks all players for their moves. Returns them, and their records.
    fn turn(&mut self, legal: &[&NamedMoves]) -> (Vec<Move>, Vec<MoveRecord>) {
        let deadline = Instant::now() + self.config.play_clock;
        let here = self.shared();
        // The seats of players have the opening already.
        let is_first = self.record.steps.len() == self.record.opening;
        let last = self.observed.as_ref().filter(|_| !is_first);
        let ask = |(role, worker): (usize, &mut Option<Worker>)| {
            let worker = worker.as_mut()?;
            let observed = last.map(|last| last[role].clone());
            Some(worker.play(observed, here.clone(), deadline))
        };
        let answers: Vec<_> = self.workers.iter_mut().enumerate().map(ask).collect();
        let answers = answers.into_iter().zip(legal).enumerate();
        let step = answers.map(|(role, (answer, legal))| {
            let random = self.rng.random_range(0..legal.moves().len());
            let (place, record) = match answer {
                None => (random, MoveRecord::new(legal.texts()[random].clone())),
                Some(answer) => {
                    let chosen = self.wait(role, deadline, &answer);
                    self.judge(role, chosen, legal, random)
                }
            };
            (legal.moves()[place], record)
        });
        step.unzip()
    }

    /// Returns the place and the record of a player's move, or of the one at the place `instead`.
    fn judge(
        &mut self,
        role: usize,
        chosen: Chosen,
        legal: &NamedMoves,
        instead: usize,
    ) -> (usize, MoveRecord) {
        let blame = match chosen {
            Ok(TimedChoice { choice, time }) => match legal.find(&choice.text) {
                Some(at) => {
                    self.failures[role] = 0;
                    let record = MoveRecord {
                        text: legal.texts()[at].clone(),
                        seconds: Some(time.as_secs_f64()),
                        statistics: choice.statistics,
                        percepts: Vec::new(),
                    };
                    return (at, record);
                }
                None => Blame {
                    kind: PlayerErrorKind::Illegal,
                    text: choice.text,
                },
            },
            Err(error) => error.into(),
        };
        self.failed(role, blame);
        (instead, MoveRecord::new(legal.texts()[instead].clone()))
    }

    /// Records that a player has no move. The match is given up if that is too often.
    fn failed(&mut self, role: usize, blame: Blame) {
        self.failures[role] += 1;
        let count = self.failures[role];
        if count >= MAX_FAILURES {
            let what = blame.kind.describe(&blame.text, true);
            self.abandon(role, format!("failed {count} times in a row: {what}"));
        }
        let step = Some(self.record.steps.len());
        self.blame(role, step, blame);
    }

    /// Waits for a player a little longer than its deadline, but not when the match is stopped.
    fn wait<T: Clone>(
        &self,
        role: usize,
        deadline: Instant,
        answer: &Background<Result<T, PlayerError>>,
    ) -> Result<T, PlayerError> {
        let end = deadline + self.config.grace;
        loop {
            let now = Instant::now();
            if let Some(result) = answer.wait_until(end.min(now + SLICE)) {
                return result.clone();
            }
            let error = match (self.stop.is_set(), now >= end) {
                (true, _) => PlayerError::Stopped,
                (_, true) => PlayerError::TimedOut,
                _ => continue,
            };
            if let Some(worker) = &self.workers[role] {
                worker.stop();
            }
            return Err(error);
        }
    }

    fn blame(&mut self, role: usize, step: Option<usize>, blame: Blame) {
        if self.stop.is_set() {
            return;
        }
        let role = self.record.roles[role].clone();
        let Blame { kind, text } = blame;
        tracing::info!(role, ?step, ?kind, text, "substituting a random move");
        self.record.errors.push(ErrorRecord {
            step,
            role,
            kind,
            text,
        });
    }
}

/// An error of a player.
struct Blame {
    kind: PlayerErrorKind,
    text: String,
}

impl From<PlayerError> for Blame {
    fn from(error: PlayerError) -> Blame {
        let kind = match &error {
            PlayerError::TimedOut => PlayerErrorKind::Timeout,
            // By its deadline: what stops a match is not blamed on players.
            PlayerError::Machine(error) if error.is_stopped() => PlayerErrorKind::Timeout,
            PlayerError::Connection(_) => PlayerErrorKind::Connection,
            PlayerError::Answer(_) => PlayerErrorKind::Illegal,
            _ => PlayerErrorKind::Failure,
        };
        let text = match error {
            PlayerError::Answer(answer) => answer,
            error => with_causes(&error),
        };
        Blame { kind, text }
    }
}
