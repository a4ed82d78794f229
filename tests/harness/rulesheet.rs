//! Rulesheets: whatever they say, the answer is a game or an error, within the limits, and
//! the backends agree about the game.

use std::time::Duration;

use propjit::Stop;
use propjit::game::load::{Game, Setup};
use propjit::game::machine::Backend;
use propjit::game::playout::{self, PlayoutConfig, PlayoutProgress};
use propjit::lab::verify::against;
use propjit::support::rng::{GameRng, streams};
use propjit_gdl::ground::GroundLimits;
use propjit_gdl::prover::ProverLimits;
use propjit_gdl::source::{Notation, Source};
use propjit_gdl::syntax::convert;

/// Small budgets: what is tested is that they hold.
fn setup() -> Setup {
    Setup::default()
        .with_ground(
            GroundLimits::default()
                .with_time(Duration::from_secs(2))
                .with_bytes(256 << 20)
                .with_ground_rules(200_000),
        )
        .with_prover(
            ProverLimits::default()
                .with_steps(300_000)
                .with_cells(10_000_000)
                .with_terms(1_000_000),
        )
}

/// What came of a rulesheet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Trial {
    /// It is wrong, and the error says why.
    Refused,
    /// It cannot be grounded.
    ProverOnly,
    /// All backends have played it.
    Played,
}

/// Tries the bytes as the text of a rulesheet.
pub(crate) fn check(bytes: &[u8]) {
    let mut rng = streams(1).next().expect("there are streams without end");
    try_rulesheet(&String::from_utf8_lossy(bytes), &mut rng);
}

/// Converts a text, whatever its notation is, and back again.
fn try_conversion(text: &str) {
    let notations = [Notation::Prefix, Notation::Infix];
    for (from, to) in [notations, [Notation::Infix, Notation::Prefix]].map(Into::into) {
        let source = Source::new("damaged", text).with_notation(from);
        if let Ok(converted) = convert(&source, to) {
            let source = Source::new("converted", &converted).with_notation(to);
            convert(&source, from).expect("what was converted can be converted back");
        }
    }
}

/// Loads a rulesheet and plays it on every backend that can.
pub(crate) fn try_rulesheet(text: &str, rng: &mut GameRng) -> Trial {
    try_conversion(text);
    let game = match Game::from_text("damaged.kif", text, &setup()) {
        Ok(game) => game,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return Trial::Refused;
        }
    };
    let config = PlayoutConfig::default()
        .with_seed(1)
        .with_max_steps(20)
        .with_time(Some(Duration::from_millis(20)))
        .with_rollouts(Some(20));
    let stop = Stop::new();
    let outcome = playout::run(
        &game,
        game.bulk_backend(),
        &config,
        &stop,
        &PlayoutProgress::default(),
    );
    if game.ground_game().is_none() {
        // An error is an answer, too: the prover hits its limits.
        return Trial::ProverOnly;
    }
    outcome.expect("what is grounded can be played");
    for backend in [Backend::Scalar, Backend::Lanes, Backend::Compiled] {
        let mut machine = game.machine(backend).expect("the game is grounded");
        let mut prover = game.machine(Backend::Prover).expect("it is always there");
        if let Ok(compared) = against(&mut *machine, &mut *prover, 2, 15, rng, &stop) {
            let difference = compared.difference;
            assert_eq!(difference, None, "{backend} differs from prover on\n{text}");
        }
    }
    Trial::Played
}
