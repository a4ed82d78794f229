//! Misbehaving players, and one that follows a script.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use propjit::Stop;
use propjit::game::position::Position;
use propjit::play::matches::{
    Choice, Observed, Player, PlayerError, PlayerFactory, Seat, SharedPosition,
};

/// A player that says what a function says.
struct Scripted<F>(F);

impl<F: FnMut(&Stop) -> Result<Choice, PlayerError> + Send> Player for Scripted<F> {
    fn prepare(&mut self, _: Instant, _: &Stop) -> Result<(), PlayerError> {
        Ok(())
    }

    fn choose(&mut self, _: Instant, stop: &Stop) -> Result<Choice, PlayerError> {
        (self.0)(stop)
    }

    fn advance(&mut self, _: &Observed, _: Option<&SharedPosition>) -> Result<(), PlayerError> {
        Ok(())
    }
}

/// A player that says what `choose` says.
pub(crate) fn scripted(
    name: &str,
    choose: impl FnMut(&Stop) -> Result<Choice, PlayerError> + Clone + Send + Sync + 'static,
) -> PlayerFactory {
    let make = move |_: &Seat| -> Result<Box<dyn Player>, PlayerError> {
        Ok(Box::new(Scripted(choose.clone())))
    };
    PlayerFactory::new(name, make)
}

/// Always says the same.
pub(crate) fn parrot(text: &'static str) -> PlayerFactory {
    scripted("parrot", move |_| Ok(Choice::new(text)))
}

/// Panics when it is asked for a move.
pub(crate) fn crasher() -> PlayerFactory {
    scripted("crasher", |_| panic!("on purpose"))
}

/// Thinks until it is stopped, and then says `text`.
pub(crate) fn thinker(text: &'static str) -> PlayerFactory {
    scripted("thinker", move |stop| {
        while !stop.is_set() {
            thread::sleep(Duration::from_millis(1));
        }
        Ok(Choice::new(text))
    })
}

/// Cannot even be made before `gate` is dropped; plays the first legal move then.
pub(crate) fn latecomer(gate: Receiver<()>) -> PlayerFactory {
    let make = move |seat: &Seat| {
        let _ = gate.recv();
        "legal".parse::<PlayerFactory>().unwrap().make(seat)
    };
    PlayerFactory::new("latecomer", make)
}

/// Plays as another player does, and sends what comes of preparing.
pub(crate) fn watched(spec: &str, seen: Sender<Result<(), PlayerError>>) -> PlayerFactory {
    struct Watched {
        player: Box<dyn Player>,
        seen: Sender<Result<(), PlayerError>>,
    }
    impl Player for Watched {
        fn prepare(&mut self, deadline: Instant, stop: &Stop) -> Result<(), PlayerError> {
            let prepared = self.player.prepare(deadline, stop);
            let _ = self.seen.send(prepared.clone());
            prepared
        }
        fn choose(&mut self, deadline: Instant, stop: &Stop) -> Result<Choice, PlayerError> {
            self.player.choose(deadline, stop)
        }
        fn advance(
            &mut self,
            observed: &Observed,
            next: Option<&SharedPosition>,
        ) -> Result<(), PlayerError> {
            self.player.advance(observed, next)
        }
    }
    let inner: PlayerFactory = spec.parse().unwrap();
    let make = move |seat: &Seat| -> Result<Box<dyn Player>, PlayerError> {
        let (player, seen) = (inner.make(seat)?, seen.clone());
        Ok(Box::new(Watched { player, seen }))
    };
    PlayerFactory::new("watched", make)
}

/// Waits for a message before each move, then plays the first legal move but as many as
/// it has played before; also the number of times it was asked.
pub(crate) fn patient() -> (PlayerFactory, Sender<()>, Arc<AtomicUsize>) {
    struct Patient {
        position: Position,
        seat: Seat,
        gate: Receiver<()>,
        asked: Arc<AtomicUsize>,
    }
    impl Player for Patient {
        fn prepare(&mut self, _: Instant, _: &Stop) -> Result<(), PlayerError> {
            Ok(())
        }
        fn choose(&mut self, _: Instant, stop: &Stop) -> Result<Choice, PlayerError> {
            let count = self.asked.fetch_add(1, Ordering::SeqCst);
            while self.gate.recv_timeout(Duration::from_millis(1)).is_err() {
                if stop.is_set() {
                    return Err(PlayerError::Stopped);
                }
            }
            let legal = self.position.legal_texts(self.seat.role)?;
            Ok(Choice::new(legal[count % legal.len()].clone()))
        }
        fn advance(
            &mut self,
            observed: &Observed,
            _: Option<&SharedPosition>,
        ) -> Result<(), PlayerError> {
            Ok(self.position.play_texts(observed.moves()?)?)
        }
    }
    let (open, gate) = unbounded();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let make = move |seat: &Seat| -> Result<Box<dyn Player>, PlayerError> {
        Ok(Box::new(Patient {
            position: seat.rulesheet.prover_position()?,
            seat: seat.clone(),
            gate: gate.clone(),
            asked: asked.clone(),
        }))
    };
    (PlayerFactory::new("patient", make), open, count)
}
