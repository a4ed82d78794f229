//! The referee and series, with players of this process that behave and players that do not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::players::{crasher, parrot, scripted, thinker};
use crate::common::series::{own_sheet, play, series, sheet, spec};
use crate::common::{COUNTER, ENDLESS, own_game};
use propjit::Stop;
use propjit::game::load::Setup;
use propjit::game::machine::{Backend, Move, RoleId};
use propjit::game::position::Position;
use propjit::play::matches::{
    Choice, Ending, MatchEnd, MatchRecord, Observed, Player, PlayerError, PlayerErrorKind,
    PlayerFactory, Rulesheet, SeriesError, SeriesResults, SharedPosition,
};
use propjit_gdl::prover::ProverLimits;

/// The record without what depends on time.
fn timeless(results: &SeriesResults) -> Vec<MatchRecord> {
    let mut records = results.records.clone();
    for record in &mut records {
        for played in record.steps.iter_mut().flatten() {
            played.seconds = None;
        }
        record.start_seconds.clear();
        record.stop_seconds.clear();
    }
    records
}

#[test]
fn what_was_played_counts_where_a_series_ends_early() {
    let sheet = own_sheet("ticTacToe");
    let series = series(&[spec("random"), spec("legal")], 5);
    let played = play(&series, &sheet).records.into_iter();
    let some = (0..)
        .zip(played)
        .filter(|(number, _)| [0, 3].contains(number));
    let stop = Stop::new();
    stop.set();
    let mut ended = |_, _: &MatchRecord| ();
    let results = series.play_rest(&sheet, some.collect(), &stop, &|_, _| {}, &mut ended);
    assert_eq!(results.unwrap().records.len(), 2);
}

#[test]
fn matches_follow_the_rules() {
    let sheet = own_sheet("ticTacToe");
    let mut series = series(&[spec("random"), spec("legal")], 10);
    series.swap = true;
    let results = play(&series, &sheet);
    let game = own_game("ticTacToe");
    let mut machine = game.machine(game.backend()).unwrap();
    for (number, record) in results.records.iter().enumerate() {
        assert_eq!(record.end, MatchEnd::Terminal);
        assert!(record.errors.is_empty());
        let mut names = vec![Some("random".to_string()), Some("legal".to_string())];
        names.rotate_left(number % 2);
        assert_eq!(record.players, names);
        let mut state = machine.initial_state().unwrap();
        for step in &record.steps {
            let moves = RoleId::first(2).zip(step);
            let joint: Vec<Move> = moves
                .map(|(role, played)| machine.parse_move(role, &played.text).unwrap())
                .collect();
            state = machine.next_state(&state, &joint).unwrap();
            assert!(step.iter().all(|played| played.seconds.is_some()));
        }
        assert!(machine.is_terminal(&state).unwrap());
        let goals = RoleId::first(2).map(|role| machine.goal(&state, role).ok());
        assert_eq!(record.goals, goals.collect::<Vec<_>>());
    }
    // The seed decides everything.
    assert_eq!(timeless(&results), timeless(&play(&series, &sheet)));
    // Matches of one seed differ.
    let moves = |record: &MatchRecord| {
        format!("{:?}", record.steps.len()) + &format!("{:?}", record.last_moves())
    };
    let first = moves(&results.records[0]);
    assert!(results.records.iter().any(|record| moves(record) != first));
    let text = serde_json::to_string(&results.records).unwrap();
    let read: Vec<MatchRecord> = serde_json::from_str(&text).unwrap();
    assert_eq!(timeless(&results).len(), read.len());
}

#[test]
fn chance_is_played_by_the_referee() {
    let sheet = own_sheet("piglet");
    let roles = sheet.roles();
    let others = roles.iter().filter(|role| *role != "random").count();
    assert!(others < roles.len());
    let results = play(&series(&vec![spec("legal"); others], 1), &sheet);
    let record = &results.records[0];
    for (role, player) in roles.iter().zip(&record.players) {
        assert_eq!(player.is_none(), role == "random");
    }
    let wrong = series(&vec![spec("legal"); roles.len()], 1);
    let error = wrong.play(&sheet, &Stop::new(), &|_, _| {}).unwrap_err();
    assert!(matches!(error, SeriesError::Players { .. }), "{error}");
}

#[test]
fn errors_of_players_are_recorded_and_their_moves_replaced() {
    let sheet = sheet(COUNTER);
    for (player, kind, text) in [
        (
            crasher(),
            PlayerErrorKind::Failure,
            "the player crashed: on purpose",
        ),
        (parrot("three"), PlayerErrorKind::Illegal, "three"),
        (parrot(")"), PlayerErrorKind::Illegal, ")"),
        (parrot("wait"), PlayerErrorKind::Illegal, "wait"),
        (
            thinker("one"),
            PlayerErrorKind::Timeout,
            "no answer in time",
        ),
    ] {
        let mut series = series(&[player, spec("legal")], 2);
        if kind == PlayerErrorKind::Timeout {
            series.config.play_clock = Duration::from_millis(20);
            series.config.grace = Duration::from_millis(20);
        }
        let results = play(&series, &sheet);
        for record in &results.records {
            assert_eq!(record.end, MatchEnd::Terminal);
            let of_first = || record.errors.iter().filter(|error| error.role == "up");
            assert_eq!(of_first().count(), record.steps.len());
            for (step, error) in of_first().enumerate() {
                assert_eq!(
                    (error.step, error.kind, &*error.text),
                    (Some(step), kind, text)
                );
                assert!(["one", "two"].contains(&&*record.steps[step][0].text));
            }
        }
    }
}

#[test]
fn a_player_that_cannot_be_made_is_replaced_in_every_step() {
    let sheet = sheet(COUNTER);
    let spec = PlayerFactory::new("none", |_| panic!("no player"));
    let results = play(&series(&[spec, self::spec("legal")], 1), &sheet);
    let record = &results.records[0];
    assert_eq!(record.errors.len(), 1 + record.steps.len());
    assert_eq!(record.errors[0].step, None);
    assert_eq!(results.standings[0].failures, record.errors.len() as u64);
}

#[test]
fn odd_ends_are_recorded() {
    let counter = play(
        &series(&[spec("random"), spec("legal")], 20),
        &sheet(COUNTER),
    );
    // At four it has no goal, at five it has two.
    let up = &counter.standings[0];
    assert_eq!((up.undefined, up.losses, up.mean_goal), (20, 20, None));
    assert_eq!(counter.standings[1].wins, 20);
    let mut walks = series(&[spec("random")], 40);
    walks.config.max_steps = 3;
    let ends: Vec<MatchEnd> = play(&walks, &sheet(ENDLESS))
        .records
        .iter()
        .map(|record| record.end)
        .collect();
    // Each misses with a probability of less than 0.01 (stuck: 7/8 of the walks).
    assert!(ends.contains(&MatchEnd::Stuck) && ends.contains(&MatchEnd::Truncated));
}

#[test]
fn a_game_that_becomes_too_hard_ends_the_match() {
    let numbers: String = (0..40).map(|number| format!("(d {number})")).collect();
    let rules = format!(
        "(role r) (init (at a)) {numbers}
        (<= (next (at b)) (true (at a))) (<= (next (at b)) (true (at b)))
        (<= (same ?x ?y ?z) (true (at b)) (d ?x) (d ?y) (d ?z) (not (at-most ?x ?y ?z)))
        (<= (at-most ?x ?y ?z) (true (at b)) (d ?x) (d ?y) (d ?z))
        (<= (legal r go) (true (at a))) (<= (legal r go) (same ?x ?y ?z))
        (<= terminal (true (at c))) (goal r 0) (<= (next (at c)) (true (at c)))"
    );
    let setup = Setup::default()
        .with_backend(Some(Backend::Prover))
        .with_prover(ProverLimits::default().with_steps(10_000));
    let sheet = Arc::new(Rulesheet::parse("hard.kif", &rules, setup).unwrap());
    let record = play(&series(&[spec("random")], 1), &sheet)
        .records
        .remove(0);
    assert_eq!(record.end, MatchEnd::Failed);
    assert_eq!(record.steps.len(), 1);
    assert!(
        record
            .failure
            .unwrap()
            .contains("limit of 10000 evaluation steps")
    );
}

#[test]
fn a_stopped_series_has_the_matches_played_so_far() {
    let stop = Stop::new();
    let mut series = series(&[thinker("one"), spec("legal")], 5);
    series.config.play_clock = Duration::from_secs(100_000);
    let results = series
        .play(&sheet(COUNTER), &stop, &|number, _| {
            if number == 0 {
                stop.set();
            }
        })
        .unwrap();
    assert!(results.interrupted);
    assert_eq!(results.records.len(), 1);
    assert_eq!(results.records[0].end, MatchEnd::Interrupted);
    assert_eq!(results.standings[0].timeouts, 0);
}

/// A proof that goes on for ever ends when the series is stopped, and not only at its own limits.
#[test]
fn a_proof_without_end_is_stopped() {
    let rules = "(role up) (init (at 0)) (nat z) (<= (nat (s ?x)) (nat ?x))
        (<= (legal up (count ?x)) (nat ?x)) (<= (next (at 1)) (does up (count ?x)))
        (<= terminal (true (at 1))) (goal up 100)";
    let limits = ProverLimits::default().with_steps(u64::MAX);
    let limits = limits.with_cells(usize::MAX).with_terms(usize::MAX);
    let stop = Stop::new();
    let setup = Setup::default()
        .with_backend(Some(Backend::Prover))
        .with_prover(limits)
        .with_stop(stop.clone());
    let sheet = Arc::new(Rulesheet::parse("numbers.kif", rules, setup).unwrap());
    let mut series = series(&[spec("random")], 5);
    series.config.start_clock = Duration::from_millis(20);
    series.config.grace = Duration::ZERO;
    let results = series.play(&sheet, &stop, &|_, _| stop.set()).unwrap();
    assert!(results.interrupted);
    assert_eq!(results.records.len(), 1);
    assert_eq!(results.records[0].end, MatchEnd::Interrupted);
}

/// Without forgiveness, a player that does not come, or fails again and again, ends the series.
#[test]
fn a_player_that_fails_too_often_ends_the_series() {
    let strict = |players: &[PlayerFactory], matches| {
        let mut series = series(players, matches);
        series.config.forgiving = false;
        play(&series, &sheet(LONG))
    };
    for player in [crasher(), parrot("three")] {
        let results = strict(&[player.clone(), spec("legal")], 5);
        let record = &results.records[0];
        assert_eq!(results.records.len(), 1);
        assert_eq!((record.end, record.steps.len()), (MatchEnd::Abandoned, 2));
        assert_eq!(record.errors.len(), 3);
        let failure = results.failure.unwrap();
        assert_eq!(record.failure.as_ref(), Some(&failure));
        let said = format!("{player} as up failed 3 times in a row: ");
        assert!(failure.starts_with(&said), "{failure}");
    }
    // A mistake now and then is none.
    let mut count = 0;
    let sometimes = scripted("sometimes", move |_| {
        count += 1;
        Ok(Choice::new(if count % 3 == 0 { "one" } else { "three" }))
    });
    let results = strict(&[sometimes, spec("legal")], 2);
    assert_eq!((results.failure, results.records.len()), (None, 2));
}

/// A player elsewhere that takes long to hear of the end of a match is waited for.
#[test]
fn the_next_match_waits_for_the_end_of_the_last() {
    struct SlowEnd(Position, Arc<AtomicUsize>);
    impl Player for SlowEnd {
        fn prepare(&mut self, _: Instant, _: &Stop) -> Result<(), PlayerError> {
            assert_eq!(
                self.1.fetch_add(1, Ordering::SeqCst),
                0,
                "two matches at a time"
            );
            Ok(())
        }
        fn choose(&mut self, _: Instant, _: &Stop) -> Result<Choice, PlayerError> {
            Ok(Choice::new(self.0.legal_texts(RoleId(0))?[0].clone()))
        }
        fn advance(
            &mut self,
            observed: &Observed,
            _: Option<&SharedPosition>,
        ) -> Result<(), PlayerError> {
            Ok(self.0.play_texts(observed.moves()?)?)
        }
        fn end(&mut self, _: &Ending) -> Result<(), PlayerError> {
            // Longer than the referee would wait in a hurry.
            thread::sleep(Duration::from_millis(2500));
            self.1.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        }
    }
    let active = Arc::new(AtomicUsize::new(0));
    let slow = PlayerFactory::new("slow", move |seat| {
        let position = seat.rulesheet.prover_position()?;
        Ok(Box::new(SlowEnd(position, active.clone())))
    });
    let results = play(&series(&[slow, spec("legal")], 2), &sheet(COUNTER));
    for record in &results.records {
        assert_eq!(record.errors, []);
        assert!(record.stop_seconds[0].unwrap() >= 2.5);
    }
}

/// A counter up to nine.
const LONG: &str = "
    (role up) (role idle) (init (at 0)) (legal idle wait) (legal up one) (legal up two)
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
    (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
    (<= terminal (true (at 9))) (goal up 100) (goal idle 0)
";
