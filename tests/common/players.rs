//! Players that do what players should not, and one that does as it is told.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use propjit::Stop;
use propjit::player::board::Board;
use propjit::player::spec::Spec;
use propjit::player::{Choice, Player, PlayerError, Seat};

/// A player that says what a function says.
struct Scripted<F>(F);

impl<F: FnMut(&Stop) -> Result<Choice, PlayerError> + Send> Player for Scripted<F> {
    fn prepare(&mut self, _: Instant, _: &Stop) -> Result<(), PlayerError> {
        Ok(())
    }

    fn choose(&mut self, _: Instant, stop: &Stop) -> Result<Choice, PlayerError> {
        (self.0)(stop)
    }

    fn advance(&mut self, _: &[String]) -> Result<(), PlayerError> {
        Ok(())
    }
}

/// A player that says what `choose` says.
pub fn scripted(
    name: &str,
    choose: impl FnMut(&Stop) -> Result<Choice, PlayerError> + Clone + Send + Sync + 'static,
) -> Spec {
    let make = move |_: &Seat| -> Result<Box<dyn Player>, PlayerError> {
        Ok(Box::new(Scripted(choose.clone())))
    };
    Spec::new(name, Arc::new(make))
}

/// Always says the same.
pub fn parrot(text: &'static str) -> Spec {
    scripted("parrot", move |_| Ok(Choice::new(text)))
}

/// Panics when it is asked for a move.
pub fn crasher() -> Spec {
    scripted("crasher", |_| panic!("on purpose"))
}

/// Thinks until it is stopped, and then says `text`.
pub fn thinker(text: &'static str) -> Spec {
    scripted("thinker", move |stop| {
        while !stop.is_set() {
            thread::sleep(Duration::from_millis(1));
        }
        Ok(Choice::new(text))
    })
}

/// Cannot even be made before `gate` is dropped; plays the first legal move then.
pub fn latecomer(gate: mpsc::Receiver<()>) -> Spec {
    let gate = Mutex::new(gate);
    let make = move |seat: &Seat| {
        let _ = gate.lock().unwrap().recv();
        "legal".parse::<Spec>().unwrap().player(seat)
    };
    Spec::new("latecomer", Arc::new(make))
}

/// Plays as another player does, and sends what comes of preparing.
pub fn watched(spec: &str, seen: mpsc::Sender<Result<(), PlayerError>>) -> Spec {
    struct Watched {
        player: Box<dyn Player>,
        seen: mpsc::Sender<Result<(), PlayerError>>,
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
        fn advance(&mut self, joint: &[String]) -> Result<(), PlayerError> {
            self.player.advance(joint)
        }
    }
    let inner: Spec = spec.parse().unwrap();
    let seen = Mutex::new(seen);
    let make = move |seat: &Seat| -> Result<Box<dyn Player>, PlayerError> {
        let (player, seen) = (inner.player(seat)?, seen.lock().unwrap().clone());
        Ok(Box::new(Watched { player, seen }))
    };
    Spec::new("watched", Arc::new(make))
}

/// Waits for a message before each move, then plays the first legal move but as many as
/// it has played before; also the number of times it was asked.
pub fn patient() -> (Spec, mpsc::Sender<()>, Arc<AtomicUsize>) {
    struct Patient {
        board: Board,
        seat: Seat,
        gate: Arc<Mutex<mpsc::Receiver<()>>>,
        asked: Arc<AtomicUsize>,
    }
    impl Player for Patient {
        fn prepare(&mut self, _: Instant, _: &Stop) -> Result<(), PlayerError> {
            Ok(())
        }
        fn choose(&mut self, _: Instant, stop: &Stop) -> Result<Choice, PlayerError> {
            let count = self.asked.fetch_add(1, Ordering::SeqCst);
            let gate = self.gate.lock().unwrap();
            while gate.recv_timeout(Duration::from_millis(1)).is_err() {
                if stop.is_set() {
                    return Err(PlayerError::Stopped);
                }
            }
            let legal = self.board.legal_texts(self.seat.role)?;
            Ok(Choice::new(legal[count % legal.len()].clone()))
        }
        fn advance(&mut self, joint: &[String]) -> Result<(), PlayerError> {
            Ok(self.board.advance(joint)?)
        }
    }
    let (open, gate) = mpsc::channel();
    let gate = Arc::new(Mutex::new(gate));
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let make = move |seat: &Seat| -> Result<Box<dyn Player>, PlayerError> {
        Ok(Box::new(Patient {
            board: Board::new(Box::new(seat.rulesheet.prover()?))?,
            seat: seat.clone(),
            gate: gate.clone(),
            asked: asked.clone(),
        }))
    };
    (Spec::new("patient", Arc::new(make)), open, count)
}
