//! Tests that a comparison finds backends with wrong results of any kind.

use std::time::Duration;

use super::*;
use crate::game::load::Setup;
use crate::game::machine::{Backend, Move, RoleId, State, StateMachine};

/// The kind of wrong result of a machine.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Wrong {
    Terminal,
    Legal,
    Goals,
    Next,
}

/// A machine that is right for the first few queries.
struct Broken {
    inner: Box<dyn StateMachine>,
    wrong: Wrong,
    right: usize,
}

impl Broken {
    fn is_wrong(&mut self, about: Wrong) -> bool {
        let asked = about == self.wrong;
        let wrong = asked && self.right == 0;
        self.right = self.right.saturating_sub(usize::from(asked));
        wrong
    }
}

impl StateMachine for Broken {
    fn roles(&self) -> &[String] {
        self.inner.roles()
    }

    fn initial_state(&mut self) -> Result<State, MachineError> {
        self.inner.initial_state()
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, MachineError> {
        Ok(self.inner.is_terminal(state)? ^ self.is_wrong(Wrong::Terminal))
    }

    fn legal_moves_unchecked(
        &mut self,
        state: &State,
        role: RoleId,
        moves: &mut Vec<Move>,
    ) -> Result<(), MachineError> {
        self.inner.legal_moves_unchecked(state, role, moves)?;
        if self.is_wrong(Wrong::Legal) {
            moves.pop();
        }
        Ok(())
    }

    fn goals(
        &mut self,
        state: &State,
        role: RoleId,
        values: &mut Vec<i32>,
    ) -> Result<(), MachineError> {
        self.inner.goals(state, role, values)?;
        if self.is_wrong(Wrong::Goals) {
            values.push(101);
        }
        Ok(())
    }

    fn next_state_unchecked(
        &mut self,
        state: &State,
        joint: &[Move],
        next: &mut State,
    ) -> Result<(), MachineError> {
        self.inner.next_state_unchecked(state, joint, next)?;
        if self.is_wrong(Wrong::Next) {
            next.clone_from(state);
        }
        Ok(())
    }

    fn move_count(&self, role: RoleId) -> usize {
        self.inner.move_count(role)
    }

    fn fluent_count(&self) -> usize {
        self.inner.fluent_count()
    }

    fn move_text(&self, role: RoleId, played: Move) -> String {
        self.inner.move_text(role, played)
    }

    fn parse_move(&mut self, role: RoleId, text: &str) -> Result<Move, MachineError> {
        self.inner.parse_move(role, text)
    }

    fn fluents(&self, state: &State) -> Vec<String> {
        self.inner.fluents(state)
    }

    fn parse_state(&mut self, fluents: &[&str]) -> Result<State, MachineError> {
        self.inner.parse_state(fluents)
    }
}

/// Players take turns to add one or two to a count that ends at five.
const COUNTING: &str = "
    (role a) (role b) (init (count 0)) (init (turn a))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
    (other a b) (other b a)
    (<= (legal ?r one) (true (turn ?r)))
    (<= (legal ?r two) (true (turn ?r)))
    (<= (legal ?r wait) (true (turn ?s)) (other ?s ?r))
    (<= (next (turn ?s)) (true (turn ?r)) (other ?r ?s))
    (<= (next (count ?n)) (does ?r one) (true (count ?m)) (succ ?m ?n))
    (<= (next (count 5)) (does ?r two) (true (count 4)))
    (<= (next (count ?n)) (does ?r two) (true (count ?k)) (succ ?k ?m) (succ ?m ?n))
    (<= terminal (true (count 5)))
    (<= (goal ?r 100) (true (turn ?r)))
    (<= (goal ?r 0) (true (turn ?s)) (other ?s ?r))
";

fn counting() -> Game {
    Game::from_text("counting.kif", COUNTING, &Setup::default()).unwrap()
}

fn quick() -> CompareConfig {
    CompareConfig::default()
        .with_time(Duration::from_millis(20))
        .with_seed(1)
}

fn record(game: &Game, config: &CompareConfig) -> Recording {
    let mut machine = game.machine(game.backend()).unwrap();
    let rng = streams(config.seed).next().unwrap();
    // However slow this machine is, enough is to be recorded.
    let config = config.clone().with_time(Duration::from_secs(3600));
    Recording::new(&mut *machine, &config, rng, &Stop::new()).unwrap()
}

#[test]
fn wrong_backends_are_found() {
    let (game, config) = (counting(), quick());
    let recording = record(&game, &config);
    assert_eq!(recording.states(), config.states);
    let later = Instant::now() + Duration::from_secs(3600);
    for wrong in [Wrong::Terminal, Wrong::Legal, Wrong::Goals, Wrong::Next] {
        for right in [0, 1, 30] {
            let mut broken = Broken {
                inner: game.machine(Backend::Scalar).unwrap(),
                wrong,
                right,
            };
            let replay = recording.replay(&mut broken, later, &Stop::new()).unwrap();
            assert!(replay.difference.is_some(), "{wrong:?} after {right}");
        }
    }
    let mut sound = game.machine(Backend::Lanes).unwrap();
    let replay = recording.replay(&mut *sound, later, &Stop::new()).unwrap();
    assert_eq!((replay.difference, replay.compared), (None, config.states));
    assert_eq!(replay.positions.len(), config.states);
}

#[test]
fn a_backend_that_is_wrong_has_no_figures() {
    let (game, config) = (counting(), quick());
    let recording = record(&game, &config);
    let contender = Contender::Backend(Backend::Scalar);
    let broken = |game: &Game| {
        Box::new(Broken {
            inner: game.machine(Backend::Scalar).unwrap(),
            wrong: Wrong::Goals,
            right: 0,
        })
    };
    // In the code for single states, and in that for playouts.
    for in_playouts in [false, true] {
        let mut ready = Ready::new(&game, &contender).unwrap();
        match in_playouts {
            true => ready.playing_machine = Some(broken(&game)),
            false => ready.machine = broken(&game),
        }
        let outcome = measure(&game, ready, &recording, &config, &Stop::new()).unwrap();
        let CompareOutcome::Differs(difference) = &outcome else {
            panic!("{outcome:?}");
        };
        assert_eq!(difference.what, "goals");
        let table = CompareTable {
            reference: contender.to_string(),
            states: recording.states(),
            rows: vec![CompareRow {
                backend: "broken".to_string(),
                outcome,
            }],
            interrupted: false,
        };
        assert_eq!(table.agrees(), Some(false));
    }
}

#[test]
fn every_backend_has_a_row() {
    let game = counting();
    let mut told = Vec::new();
    let now = |what: &str| told.push(what.to_string());
    let table = compare(&game, &quick(), &Stop::new(), now).unwrap();
    assert_eq!((table.agrees(), table.interrupted), (Some(true), false));
    let names: Vec<String> = Contender::all().map(|c| c.to_string()).collect();
    assert_eq!(told[1..], names);
    let rows = table.rows.iter().map(|row| &row.backend);
    assert!(rows.eq(&names));
    for (row, contender) in table.rows.iter().zip(Contender::all()) {
        match row.figures() {
            Some(figures) => {
                assert!(figures.playouts.state_changes_per_second > 0.0, "{row:?}");
                assert!(figures.ratio_to_scalar.is_some(), "{row:?}");
            }
            // Some CPUs have no AVX2, more have no AVX-512.
            None => {
                let Contender::Code(generator, _) = contender else {
                    panic!("{row:?}");
                };
                assert!(!generator.is_supported(), "{row:?}");
            }
        }
    }
}

#[test]
fn a_stop_leaves_the_rows_there_are() {
    let game = counting();
    let stop = Stop::new();
    let mut turns = 0;
    let now = |_: &str| {
        turns += 1;
        if turns == 4 {
            stop.set();
        }
    };
    let mut table = compare(&game, &quick(), &stop, now).unwrap();
    assert!(table.interrupted);
    assert_eq!(table.rows.len(), 2);
    assert_eq!(table.agrees(), Some(true));
    // With the reference alone, there is no agreement.
    table.rows.retain(|row| row.backend == table.reference);
    assert_eq!((table.rows.len(), table.agrees()), (1, None));
}

#[test]
fn games_that_start_terminal_can_be_compared() {
    let rules = "(role r) (init over) (<= terminal (true over)) (legal r go) (goal r 7)
        (<= (next over) (does r go))";
    let game = Game::from_text("over.kif", rules, &Setup::default()).unwrap();
    let table = compare(&game, &quick(), &Stop::new(), |_| ()).unwrap();
    assert_eq!(table.agrees(), Some(true));
    let scalar = table.rows[1].figures().unwrap();
    assert_eq!(scalar.latency.next_seconds, None);
    assert!(scalar.latency.goal_seconds.is_some());
    assert_eq!(scalar.playouts.state_changes_per_second, 0.0);
    assert_eq!(scalar.ratio_to_scalar, None);
}
