//! Determinised search: a player for games that hide information, which draws states that are possible, takes each for
//! known, and plays the move that tree search tries most in all of them (Ginsberg, "GIB: Imperfect Information in a
//! Computationally Challenging Game", 2001). It plays a series against `mcts`, which searches information sets.
//!
//! `cargo run --release --example determinised -- phantomConnectFour 20 0.2`

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit::game::load::Game;
use propjit::game::machine::Move;
use propjit::game::position::Position;
use propjit::play::matches::{
    Choice, MatchConfig, Observed, Player, PlayerError, PlayerFactory, Rulesheet, Seat, Series,
    SharedPosition,
};
use propjit::search::SearchBudget;
use propjit::search::beliefs::{Belief, BeliefConfig, Observation};
use propjit::search::chooser::{Search, SearchConfig};
use propjit::support::rng::{GameRng, streams};
use propjit::{RoleId, Setup, Stop, gdl};
use rand::RngExt;

/// How many states are drawn for a move.
const STATES: u32 = 8;

/// How much of the time a belief may take.
const BELIEF_PART: f64 = 0.3;

/// A player that knows no better than to guess the state.
struct Determinised {
    game: Arc<Game>,
    role: RoleId,
    start: Position,
    belief: Belief,
    /// What was observed and is not part of the belief yet.
    news: Vec<Observation>,
    search: Search,
    /// How long it may think.
    time: Duration,
    rng: GameRng,
}

impl Determinised {
    fn new(seat: &Seat, time: Duration) -> Result<Determinised, PlayerError> {
        let game = seat.rulesheet.game()?;
        let engines = game.engines().ok_or(PlayerError::NotGround)?;
        let config = BeliefConfig::default().with_seed(seat.seed);
        Ok(Determinised {
            role: seat.role,
            start: game.start()?,
            belief: Belief::new(engines, seat.role, config),
            news: Vec::new(),
            search: Search::new(&game, game.bulk_backend(), SearchConfig::plain())?,
            time,
            rng: streams(seat.seed).next().expect("streams do not end"),
            game,
        })
    }

    /// How often tree search tries each move, in states that are drawn.
    fn visits(&mut self, stop: &Stop) -> Result<BTreeMap<Move, u64>, PlayerError> {
        let depth = self.belief.observed() as u32;
        let mut visits = BTreeMap::new();
        for _ in 0..STATES {
            let population = self.belief.population();
            let drawn = self.rng.random_range(0..population.len());
            let state = propjit::State::from_words(population.state(drawn));
            self.search
                .set_position(&self.start.with_state(state), depth)?;
            let budget = SearchBudget::default().with_stop(stop.within(self.time / STATES));
            self.search.run(&budget)?;
            for of in self.search.report(self.role).moves {
                // A move that is proved may have been tried seldom.
                *visits.entry(of.played).or_default() += of.visits;
            }
        }
        Ok(visits)
    }
}

impl Player for Determinised {
    fn prepare(&mut self, deadline: Instant, stop: &Stop) -> Result<(), PlayerError> {
        if let Some(engines) = self.game.engines() {
            engines.wait_or_stop(&stop.by(deadline));
        }
        Ok(())
    }

    fn choose(&mut self, deadline: Instant, stop: &Stop) -> Result<Choice, PlayerError> {
        let stop = stop.by(deadline).within(self.time);
        for observation in self.news.drain(..) {
            let part = stop.within(self.time.mul_f64(BELIEF_PART));
            // After a surprise, all counts as possible.
            let _ = self.belief.observe(&observation, &part);
        }
        let legal = self.belief.legal_moves();
        let best = match &legal[..] {
            [] => return Err(PlayerError::NoMove),
            [only] => *only,
            [first, ..] => {
                let visits = self.visits(&stop)?.into_iter();
                let best = visits.filter(|(played, _)| legal.contains(played));
                best.max_by_key(|(_, visits)| *visits)
                    .map_or(*first, |(played, _)| played)
            }
        };
        Ok(Choice::new(self.start.move_text(self.role, best)))
    }

    fn advance(
        &mut self,
        observed: &Observed,
        _: Option<&SharedPosition>,
    ) -> Result<(), PlayerError> {
        let Observed::Percepts { own, percepts, .. } = observed else {
            return Err(PlayerError::Failed(
                "only games with `sees` are played".into(),
            ));
        };
        let ground = self.game.ground_game().ok_or(PlayerError::NotGround)?;
        let failed =
            |error: propjit::game::machine::UnknownName| PlayerError::Failed(error.to_string());
        let observation = Observation::parse(ground, self.role, own, percepts);
        self.news.push(observation.map_err(failed)?);
        Ok(())
    }
}

/// Plays a series against a player, and prints the standings.
fn compare(name: &str, matches: u64, seconds: f64, player: &str) -> Result<(), Box<dyn Error>> {
    let rules = gdl::games::text(name).ok_or("there is no such game")?;
    let rulesheet = Rulesheet::parse(name, rules, Setup::default())?;
    let time = Duration::try_from_secs_f64(seconds)?;
    let separator = if player.contains(':') { ',' } else { ':' };
    let players = vec![
        format!("{player}{separator}seconds={seconds}").parse()?,
        PlayerFactory::new("determinised", move |seat| {
            Ok(Box::new(Determinised::new(seat, time)?))
        }),
    ];
    let clock = Duration::from_secs(5) + time;
    let series = Series::new(players, MatchConfig::new(clock, clock))
        .with_matches(matches)
        .with_swap(true);
    let results = series.play(&Arc::new(rulesheet), &Stop::new(), &|_, _| {})?;
    for standing in &results.standings {
        println!(
            "{:<20} wins {:>3}, draws {:>3}, losses {:>3}",
            standing.player, standing.wins, standing.draws, standing.losses
        );
    }
    Ok(())
}

// A test has other arguments.
#[cfg(not(test))]
fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_else(|| "kriegTicTacToe".to_string());
    let matches = args.next().map_or(Ok(10), |count| count.parse())?;
    let seconds = args.next().map_or(Ok(0.2), |time| time.parse())?;
    let player = args.next().unwrap_or_else(|| "mcts".to_string());
    compare(&name, matches, seconds, &player)
}

#[test]
fn runs() {
    compare("kriegTicTacToe", 2, 0.05, "mcts").unwrap();
}
