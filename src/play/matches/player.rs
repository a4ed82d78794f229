//! Players as a match sees them: the trait, its inputs and its results.
//!
//! A [`Player`] gets a [`Seat`] and then the information that the GGP protocol passes to players:
//! the clocks, and the joint moves or what it perceives of them. Moves are text, because the numbers of a prover are its own, and
//! because a program at the other end of a connection is a player too. Players in the process of the
//! referee may use its positions instead, if the game is ground.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit_stop::Stop;

use super::observed::Observed;
use super::player_error::PlayerError;
use super::rulesheet::Rulesheet;
use super::shared_position::SharedPosition;
use crate::game::machine::RoleId;

/// The place of a player in a match: all that it knows beforehand.
#[derive(Clone, Debug)]
pub struct Seat {
    /// The match's name, a KIF name.
    pub match_id: String,
    /// The number of the match among those of this process, from 0.
    pub number: u64,
    /// The game.
    pub rulesheet: Arc<Rulesheet>,
    /// The role to play.
    pub role: RoleId,
    /// Time to prepare.
    pub start_clock: Duration,
    /// Time for each move.
    pub play_clock: Duration,
    /// A random number for this seat in this match alone.
    pub seed: u64,
    /// What the player observes of joint moves that were made before the players' first choice; they start from the
    /// resulting position.
    pub opening: Arc<[Observed]>,
    /// That position, if the referee shares it: see [`Player::advance`].
    pub position: Option<SharedPosition>,
}

#[cfg(test)]
impl Seat {
    /// The seat of the first role in a match with a second for each clock.
    pub(crate) fn first(rulesheet: &Arc<Rulesheet>) -> Seat {
        Seat {
            match_id: "m".to_string(),
            number: 0,
            rulesheet: rulesheet.clone(),
            role: RoleId(0),
            start_clock: Duration::from_secs(1),
            play_clock: Duration::from_secs(1),
            seed: 1,
            opening: Arc::default(),
            position: None,
        }
    }
}

/// A move and why it was chosen.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// The move in KIF.
    pub text: String,
    /// Statistics to be recorded with the move.
    pub statistics: Option<serde_json::Value>,
}

impl Choice {
    /// A move without statistics.
    pub fn new(text: impl Into<String>) -> Choice {
        Choice {
            text: text.into(),
            statistics: None,
        }
    }
}

/// How a match ended for a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It was played to its end, with this last joint move if there was one.
    Complete(Option<Observed>),
    /// It was given up.
    Aborted,
}

/// Chooses moves for one role in one match.
///
/// [`prepare`](Player::prepare) comes first, and what the player observes of every joint move is passed once to
/// [`advance`](Player::advance). [`choose`](Player::choose) may be called more than once in a
/// state, or not at all if the answer is not needed any more. Methods that get a [`Stop`] return
/// within some 10 ms after it is set.
pub trait Player: Send {
    /// Uses the start clock, which ends at `deadline`; may return before.
    ///
    /// # Errors
    /// When the player is not fit to play. It is asked for moves all the same.
    fn prepare(&mut self, deadline: Instant, stop: &Stop) -> Result<(), PlayerError>;

    /// Returns a move of its role in the current state, by `deadline` at the latest. When stopped,
    /// returns the best move found by then, or an error.
    ///
    /// # Errors
    /// When it has none.
    fn choose(&mut self, deadline: Instant, stop: &Stop) -> Result<Choice, PlayerError>;

    /// Goes on after a joint move.
    ///
    /// If the referee is in this process, the game is ground and hides nothing, `next` is the position that follows,
    /// of the [game](Rulesheet::game) of the seat's rulesheet. Players that follow by text need not
    /// look at it.
    ///
    /// # Errors
    /// When the player cannot follow. Its state is then unchanged.
    fn advance(
        &mut self,
        observed: &Observed,
        next: Option<&SharedPosition>,
    ) -> Result<(), PlayerError>;

    /// May think until it is stopped, while no answer is needed; may return before.
    fn ponder(&mut self, stop: &Stop) {
        let _ = stop;
    }

    /// Reports that the match is over.
    ///
    /// # Errors
    /// When the player cannot be informed.
    fn end(&mut self, ending: &Ending) -> Result<(), PlayerError> {
        let _ = ending;
        Ok(())
    }
}

/// A named source of players, one for each match.
///
/// The players of propjit are read from text, see [`spec`](crate::play::players::spec). Others are
/// made by a function:
///
/// ```
/// use std::time::Instant;
///
/// use propjit::Stop;
/// use propjit::play::matches::{Choice, Observed, Player, PlayerError, PlayerFactory, SharedPosition};
///
/// struct Noop;
///
/// impl Player for Noop {
///     fn prepare(&mut self, _: Instant, _: &Stop) -> Result<(), PlayerError> {
///         Ok(())
///     }
///     fn choose(&mut self, _: Instant, _: &Stop) -> Result<Choice, PlayerError> {
///         Ok(Choice::new("noop"))
///     }
///     fn advance(&mut self, _: &Observed, _: Option<&SharedPosition>) -> Result<(), PlayerError> {
///         Ok(())
///     }
/// }
///
/// let own = PlayerFactory::new("noop", |_| Ok(Box::new(Noop)));
/// let other: PlayerFactory = "random:seed=5".parse()?;
/// assert_eq!((own.name(), other.name()), ("noop", "random:seed=5"));
/// # Ok::<(), propjit::play::players::SpecError>(())
/// ```
#[derive(Clone)]
pub struct PlayerFactory {
    name: String,
    make: Arc<MakePlayer>,
    wait_until_free: Arc<WaitForPlayer>,
    is_single: bool,
}

type MakePlayer = dyn Fn(&Seat) -> Result<Box<dyn Player>, PlayerError> + Send + Sync;
type WaitForPlayer = dyn Fn(&Stop) -> Result<(), PlayerError> + Send + Sync;

impl PlayerFactory {
    /// Makes players with `make`; they are called `name` in results.
    pub fn new(
        name: impl Into<String>,
        make: impl Fn(&Seat) -> Result<Box<dyn Player>, PlayerError> + Send + Sync + 'static,
    ) -> PlayerFactory {
        PlayerFactory {
            name: name.into(),
            make: Arc::new(make),
            wait_until_free: Arc::new(|_| Ok(())),
            is_single: false,
        }
    }

    /// Adds a function that waits until the player can take a match, as it takes one at a time.
    /// Players that are made on demand always can.
    #[must_use]
    pub fn with_wait(
        mut self,
        wait: impl Fn(&Stop) -> Result<(), PlayerError> + Send + Sync + 'static,
    ) -> PlayerFactory {
        self.wait_until_free = Arc::new(wait);
        self.is_single = true;
        self
    }

    /// Returns whether the player takes one match at a time.
    pub fn is_single(&self) -> bool {
        self.is_single
    }

    /// The player's name in results.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes a player for a seat.
    ///
    /// # Errors
    /// When the player cannot play the game.
    pub fn make(&self, seat: &Seat) -> Result<Box<dyn Player>, PlayerError> {
        (self.make)(seat)
    }

    /// Waits until the player can take a match, or `stop` is set.
    ///
    /// # Errors
    /// Why it still cannot.
    pub fn wait_until_free(&self, stop: &Stop) -> Result<(), PlayerError> {
        (self.wait_until_free)(stop)
    }
}

impl fmt::Display for PlayerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl fmt::Debug for PlayerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PlayerFactory").field(&self.name).finish()
    }
}
