//! A player of one's own: it takes the move after which it wins most of a few random matches, and
//! plays a series against the player that moves at random.
//!
//! `cargo run --release --example player`

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit::game::machine::Move;
use propjit::game::playout::{self, RunLimits};
use propjit::game::position::Position;
use propjit::play::matches::{
    Choice, MatchConfig, Observed, Player, PlayerError, PlayerFactory, Rulesheet, Seat, Series,
    SharedPosition,
};
use propjit::support::rng;
use propjit::{Backend, PlayoutRunner, RoleId, Setup, Stop, gdl};

/// How many random matches are played after each move.
const PLAYOUTS: u64 = 100;

/// A player that looks one move ahead.
struct Greedy {
    position: Position,
    role: RoleId,
    runner: Box<dyn PlayoutRunner>,
}

impl Greedy {
    fn new(seat: &Seat) -> Result<Greedy, PlayerError> {
        let game = seat.rulesheet.game()?;
        let rng = rng::streams(seat.seed).next().expect("streams do not end");
        Ok(Greedy {
            position: game.start()?,
            role: seat.role,
            runner: playout::runner(&game, Backend::Lanes, 1000, rng)?,
        })
    }

    /// The goal that the role gets on average in random matches after a move; others move first
    /// what is legal first.
    fn value(&mut self, played: Move, stop: &Stop) -> Result<f64, PlayerError> {
        let mut joint = Vec::new();
        for role in RoleId::first(self.position.roles().len()) {
            let legal = self.position.legal_moves(role)?;
            joint.push(match role == self.role {
                true => played,
                false => *legal.first().ok_or(PlayerError::NoMove)?,
            });
        }
        let mut next = self.position.clone();
        next.play(&joint)?;
        self.runner.clear();
        let job = self.runner.queue_mut().add(next.state(), Some(PLAYOUTS));
        self.runner
            .play(&RunLimits::default().with_stop(stop.clone()))?;
        let tally = self.runner.queue().tally(job);
        Ok(tally.goals[self.role.index()].values.mean().unwrap_or(0.0))
    }
}

impl Player for Greedy {
    fn prepare(&mut self, _: Instant, _: &Stop) -> Result<(), PlayerError> {
        Ok(())
    }

    fn choose(&mut self, _: Instant, stop: &Stop) -> Result<Choice, PlayerError> {
        let mut best = None;
        for played in self.position.legal_moves(self.role)? {
            let value = self.value(played, stop)?;
            if best.is_none_or(|(_, other)| value > other) {
                best = Some((played, value));
            }
        }
        let (played, _) = best.ok_or(PlayerError::NoMove)?;
        Ok(Choice::new(self.position.move_text(self.role, played)))
    }

    fn advance(
        &mut self,
        observed: &Observed,
        _: Option<&SharedPosition>,
    ) -> Result<(), PlayerError> {
        Ok(self.position.play_texts(observed.moves()?)?)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let rules = gdl::games::text("ticTacToe").ok_or("there is no such game")?;
    let rulesheet = Rulesheet::parse("ticTacToe.kif", rules, Setup::default())?;
    let players = vec![
        PlayerFactory::new("greedy", |seat| Ok(Box::new(Greedy::new(seat)?))),
        "random".parse()?,
    ];
    let config = MatchConfig::new(Duration::from_secs(10), Duration::from_secs(10));
    let series = Series::new(players, config)
        .with_matches(10)
        .with_swap(true);
    let results = series.play(&Arc::new(rulesheet), &Stop::new(), &|_, _| {})?;
    for standing in &results.standings {
        println!(
            "{:<8} wins {:>2}, draws {:>2}, losses {:>2}",
            standing.player, standing.wins, standing.draws, standing.losses
        );
    }
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
