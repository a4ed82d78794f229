//! A backend of one's own: subtraction games written in Rust as a state machine, compared with the
//! rulesheet's on random matches.
//!
//! `cargo run --release --example backend`

use std::error::Error;

use propjit::game::machine::{MachineError, Move, UnknownName};
use propjit::lab::verify::against;
use propjit::support::rng;
use propjit::{Backend, Game, RoleId, Setup, State, StateMachine, Stop};

/// How many counters there are at first.
const HEAP: usize = 10;

/// Players take one or two counters in turns; the player that takes the last one wins.
const RULES: &str = "
    (role first) (role second) (init (heap 10)) (init (turn first))
    (less 0 1) (less 1 2) (less 2 3) (less 3 4) (less 4 5) (less 5 6) (less 6 7) (less 7 8)
    (less 8 9) (less 9 10)
    (after first second) (after second first)
    (<= (left ?n 1 ?m) (less ?m ?n)) (<= (left ?n 2 ?k) (less ?m ?n) (less ?k ?m))
    (<= (legal ?r (take ?c)) (true (turn ?r)) (true (heap ?n)) (left ?n ?c ?m))
    (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
    (<= (next (heap ?m)) (does ?r (take ?c)) (true (heap ?n)) (left ?n ?c ?m))
    (<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s))
    (<= terminal (true (heap 0)))
    (<= (goal ?r 100) (role ?r) (not (true (turn ?r)))) (<= (goal ?r 0) (true (turn ?r)))";

/// The same game. A state is the number of counters (propositions 0 to 10), and proposition 11
/// if it is the second role's turn; moves are noop, take 1, take 2.
struct Subtraction {
    roles: Vec<String>,
}

impl Subtraction {
    fn read(state: &State) -> (usize, u32) {
        let heap = state.iter().next().unwrap_or(0);
        (heap, u32::from(state.contains(HEAP + 1)))
    }

    fn write(heap: usize, turn: u32) -> State {
        let second = (turn == 1).then_some(HEAP + 1);
        [heap].into_iter().chain(second).collect()
    }
}

impl StateMachine for Subtraction {
    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn initial_state(&mut self) -> Result<State, MachineError> {
        Ok(Subtraction::write(HEAP, 0))
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, MachineError> {
        Ok(Subtraction::read(state).0 == 0)
    }

    fn legal_moves_unchecked(
        &mut self,
        state: &State,
        role: RoleId,
        moves: &mut Vec<Move>,
    ) -> Result<(), MachineError> {
        let (heap, turn) = Subtraction::read(state);
        moves.clear();
        match turn == role.0 {
            true => moves.extend((1..=heap.min(2) as u32).map(Move)),
            false => moves.push(Move(0)),
        }
        Ok(())
    }

    fn goals(
        &mut self,
        state: &State,
        role: RoleId,
        values: &mut Vec<i32>,
    ) -> Result<(), MachineError> {
        let (_, turn) = Subtraction::read(state);
        values.clear();
        values.push(if turn == role.0 { 0 } else { 100 });
        Ok(())
    }

    fn next_state_unchecked(
        &mut self,
        state: &State,
        joint: &[Move],
        next: &mut State,
    ) -> Result<(), MachineError> {
        let (heap, turn) = Subtraction::read(state);
        let taken = joint[turn as usize].index();
        *next = Subtraction::write(heap.saturating_sub(taken), 1 - turn);
        Ok(())
    }

    fn move_count(&self, _: RoleId) -> usize {
        3
    }

    fn fluent_count(&self) -> usize {
        HEAP + 2
    }

    fn move_text(&self, _: RoleId, played: Move) -> String {
        match played.0 {
            0 => "noop".to_string(),
            count => format!("(take {count})"),
        }
    }

    fn parse_move(&mut self, role: RoleId, text: &str) -> Result<Move, MachineError> {
        let mut moves = (0..3).map(Move);
        let found = moves.find(|&played| self.move_text(role, played) == text);
        let unknown = || UnknownName::Move {
            role: self.roles[role.index()].clone(),
            text: text.to_string(),
        };
        Ok(found.ok_or_else(unknown)?)
    }

    fn fluents(&self, state: &State) -> Vec<String> {
        let (heap, turn) = Subtraction::read(state);
        vec![
            format!("(heap {heap})"),
            format!("(turn {})", self.roles[turn as usize]),
        ]
    }

    fn parse_state(&mut self, fluents: &[&str]) -> Result<State, MachineError> {
        let all = (0..=HEAP).flat_map(|heap| [0, 1].map(|turn| Subtraction::write(heap, turn)));
        let mut matching = all.filter(|state| self.fluents(state) == fluents);
        let unknown = || UnknownName::Fluent(fluents.join(" "));
        Ok(matching.next().ok_or_else(unknown)?)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let game = Game::from_text("subtraction.kif", RULES, &Setup::default())?;
    let mut own = Subtraction {
        roles: vec!["first".to_string(), "second".to_string()],
    };
    let mut reference = game.machine(Backend::Prover)?;
    let mut rng = rng::streams(1).next().ok_or("there is no random number")?;
    let done = against(&mut own, &mut *reference, 100, 100, &mut rng, &Stop::new())?;
    println!("{} states compared", done.steps);
    match done.difference {
        None => Ok(()),
        Some(difference) => Err(difference.to_string().into()),
    }
}

#[test]
fn runs() {
    main().unwrap();
}
