//! Certificates of values: right ones, and others.

use propjit::Stop;
use propjit::game::load::Game;
use propjit::proof::certificate::{Certificate, CheckProgress, Checked, Position, Refusal, check};

use crate::common::solvable::{DIE, DOOR, PENNIES, PRISONERS, nim, on_one_thread, values};
use crate::common::{COUNTER, ENDLESS, game};

fn checked(game: &Game, certificate: &Certificate) -> Result<Checked, Refusal> {
    check(
        game.rules(),
        certificate,
        &Stop::new(),
        &CheckProgress::default(),
    )
}

fn certified(game: &Game) -> Certificate {
    let (certificate, missing) = on_one_thread(game).certificate("test", &Stop::new());
    assert!(missing.is_empty(), "{missing:?}");
    certificate
}

#[test]
fn certificates_of_all_kinds_are_right() {
    let peg = propjit_gdl::games::text("pegTriangle").unwrap();
    let stuck = "(role r) (init a) (legal r stay) (<= (legal r go) (true a))
        (<= (next a) (does r stay) (true a)) (<= (next b) (does r go)) (<= (next b) (true b))
        (<= terminal (true b)) (<= (goal r 60) (true b)) (<= (goal r 90) (true a))";
    let tic_tac_toe = propjit_gdl::games::text("ticTacToe").unwrap();
    let (won, over) = (nim([3, 1, 3]), nim([0, 0, 0]));
    for rules in [
        DIE,
        DOOR,
        ENDLESS,
        COUNTER,
        PENNIES,
        PRISONERS,
        peg,
        stuck,
        tic_tac_toe,
        &won,
        &over,
    ] {
        let game = game(rules);
        let certificate = certified(&game);
        let proved =
            checked(&game, &certificate).unwrap_or_else(|refusal| panic!("{rules}: {refusal}"));
        let proved = proved.values.iter().map(|value| (value.least, value.most));
        assert_eq!(
            proved.collect::<Vec<_>>(),
            values(&on_one_thread(&game)),
            "{rules}"
        );
    }
}

#[test]
fn certificates_that_were_tampered_with_are_refused() {
    let game = game(&nim([1, 2, 2]));
    let right = certified(&game);
    assert!(checked(&game, &right).is_ok());
    let refused = |change: &dyn Fn(&mut Certificate)| {
        let mut certificate = right.clone();
        change(&mut certificate);
        assert_ne!(certificate, right);
        checked(&game, &certificate).unwrap_err()
    };
    assert!(matches!(
        refused(&|c| c.format = 7),
        Refusal::Format { found: 7 }
    ));
    // Values that the claims do not have.
    assert!(matches!(
        refused(&|c| c.values[1].least = 100),
        Refusal::Value { .. }
    ));
    assert!(matches!(
        refused(&|c| c.claims.clear()),
        Refusal::Value { .. }
    ));
    assert!(matches!(
        refused(&|c| drop(c.values.pop())),
        Refusal::Value { .. }
    ));
    // A claim of another role.
    let swap = |c: &mut Certificate| {
        c.claims
            .iter_mut()
            .for_each(|claim| claim.by = vec!["second".to_string()])
    };
    refused(&swap);
    assert!(matches!(
        refused(&|c| c.claims[0].by.push("third".to_string())),
        Refusal::Role(_)
    ));
    // Another goal than there is.
    let promise = |c: &mut Certificate| c.claims[0].goals[1].least = 50;
    assert!(matches!(refused(&promise), Refusal::Goal { .. }));
    // States without moves, and moves that are not there.
    let forget = |c: &mut Certificate| drop(c.claims[0].positions.pop());
    assert!(matches!(refused(&forget), Refusal::Missing { .. }));
    let far = |c: &mut Certificate| c.claims[0].positions[0].1 = vec![1 << 20];
    assert!(matches!(refused(&far), Refusal::Malformed(..)));
    let garbage = |c: &mut Certificate| c.fluents[0] = "(heap".to_string();
    assert!(matches!(refused(&garbage), Refusal::Malformed(..)));

    // In each state but few, all other moves lose; so a change of one is seen, whatever it is.
    let claim = &right.claims[0];
    let mut wrong = 0;
    for (at, Position(_, moves)) in claim.positions.iter().enumerate() {
        for other in 0..right.moves.len() as u32 {
            let mut certificate = right.clone();
            certificate.claims[0].positions[at].1 = vec![other];
            let is_right = checked(&game, &certificate).is_ok();
            assert!(is_right || moves[0] != other);
            wrong += usize::from(!is_right);
        }
    }
    assert!(wrong > claim.positions.len());
}

#[test]
fn matches_that_never_end_are_worth_the_least_goal() {
    let game = game(
        "(role r) (init (p 0)) (other 0 1) (other 1 0) (legal r go)
         (<= (next (p ?y)) (true (p ?x)) (other ?x ?y))
         (<= (next done) (true done)) (<= terminal (true done)) (goal r 50)",
    );
    let right = certified(&game);
    assert!(checked(&game, &right).is_ok());
    let mut less = right.clone();
    let values = less.values.iter_mut();
    let claimed = less.claims.iter_mut().flat_map(|claim| &mut claim.goals);
    values.chain(claimed).for_each(|range| range.most = -7);
    assert!(matches!(
        checked(&game, &less),
        Err(Refusal::Value { most: 0, .. })
    ));
}

#[test]
fn a_strategy_that_goes_round_in_circles_is_refused() {
    // The role may stay as long as it likes.
    let game = game(
        "(role r) (init a) (legal r stay) (legal r go)
         (<= (next a) (does r stay)) (<= (next b) (does r go))
         (<= terminal (true b)) (<= (goal r 60) (true b)) (<= (goal r 0) (not (true b)))",
    );
    let right = certified(&game);
    let mut circles = right.clone();
    let stay = circles.moves.len() as u32;
    circles.moves.push("stay".to_string());
    circles.claims[0].positions[0].1 = vec![stay];
    assert!(matches!(
        checked(&game, &circles),
        Err(Refusal::Endless { .. })
    ));
    // That matches need not end is no proof that they end well.
    circles.claims[0].ends = false;
    assert!(matches!(
        checked(&game, &circles),
        Err(Refusal::Value { .. })
    ));
}
