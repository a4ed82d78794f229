//! Small games with values that are known, and their values as they are found.

use propjit::Stop;
use propjit::game::load::Game;
use propjit::proof::solve::{SolveConfig, SolveProgress, Solved, solve};

/// Heaps of coins, from one of which a role takes some in turn; the role that takes the last one wins.
pub(crate) fn nim(heaps: [u32; 3]) -> String {
    let heaps = (1..).zip(heaps);
    let init: String = heaps
        .map(|(heap, n)| format!("(init (heap {heap} {n}))"))
        .collect();
    format!(
        "(role first) (role second) (other first second) (other second first)
         {init} (init (turn first))
         (greater 3 2) (greater 3 1) (greater 3 0) (greater 2 1) (greater 2 0) (greater 1 0)
         (<= (legal ?r (leave ?h ?m)) (true (turn ?r)) (true (heap ?h ?n)) (greater ?n ?m))
         (<= (legal ?r wait) (true (turn ?s)) (other ?s ?r))
         (<= (next (turn ?s)) (true (turn ?r)) (other ?r ?s))
         (<= (next (heap ?h ?m)) (does ?r (leave ?h ?m)))
         (<= (next (heap ?h ?n)) (true (heap ?h ?n)) (does ?r (leave ?g ?m)) (distinct ?g ?h))
         (<= some (true (heap ?h ?n)) (distinct ?n 0))
         (<= terminal (not some))
         (<= (goal ?s 100) (true (turn ?r)) (other ?r ?s))
         (<= (goal ?r 0) (true (turn ?r)))"
    )
}

/// Both choose a side of a coin at the same time, and one wins if they agree.
pub(crate) const PENNIES: &str = "
    (role even) (role odd) (init start) (side heads) (side tails)
    (<= (legal ?r ?s) (role ?r) (side ?s))
    (<= (next same) (does even ?s) (does odd ?s))
    (<= (next done) (does even ?s))
    (<= terminal (true done))
    (<= (goal even 100) (true same)) (<= (goal even 0) (not (true same)))
    (<= (goal odd 0) (true same)) (<= (goal odd 100) (not (true same)))
";

/// A role that confesses alone goes free: to confess is best against everything.
pub(crate) const PRISONERS: &str = "
    (role a) (role b) (init start)
    (legal a silent) (legal a confess) (legal b silent) (legal b confess)
    (<= (next (did ?r ?m)) (does ?r ?m))
    (<= terminal (true (did a ?m)))
    (other a b) (other b a)
    (<= (goal ?r ?v) (other ?r ?s) (true (did ?r ?m)) (true (did ?s ?n)) (worth ?m ?n ?v))
    (worth silent silent 60) (worth silent confess 0) (worth confess silent 100) (worth confess confess 20)
";

/// A role wins as soon as a die shows six; it may stop before that for less.
pub(crate) const DIE: &str = "
    (role player) (role random) (init start)
    (legal player go) (<= (legal player stop) (true start))
    (legal random one) (legal random six)
    (<= (next (shown ?d)) (does random ?d) (does player go))
    (<= (next stopped) (does player stop))
    (<= terminal (true (shown ?d))) (<= terminal (true stopped))
    (<= (goal player 100) (true (shown six))) (<= (goal player 10) (true (shown one)))
    (<= (goal player 30) (true stopped)) (goal random 0)
";

/// A role that is behind a door knocks until the other one opens it, which that need not do. Both
/// may also leave, but only if the door is open.
pub(crate) const DOOR: &str = "
    (role guest) (role host) (init (door shut)) (init (turn guest)) (other guest host) (other host guest)
    (<= (legal guest knock) (true (turn guest)) (true (door shut)))
    (<= (legal guest enter) (true (turn guest)) (true (door open)))
    (<= (legal guest leave) (true (turn guest)) (true (door open)))
    (<= (legal host open) (true (turn host))) (<= (legal host sleep) (true (turn host)))
    (<= (legal ?r noop) (true (turn ?s)) (other ?r ?s))
    (<= (next (turn ?s)) (true (turn ?r)) (other ?r ?s))
    (<= (next (door open)) (does host open)) (<= (next (door open)) (true (door open)))
    (<= (next (door shut)) (true (door shut)) (not (does host open)))
    (<= (next inside) (does guest enter)) (<= (next gone) (does guest leave))
    (<= terminal (true inside)) (<= terminal (true gone))
    (<= (goal guest 100) (true inside)) (<= (goal guest 40) (true gone))
    (<= (goal host 0) (true inside)) (<= (goal host 70) (true gone))
";

/// Connect four on four columns and four rows.
pub(crate) fn small_connect_four() -> String {
    let mut rules = propjit_gdl::games::text("connectFour").unwrap().to_string();
    for fact in [
        "(nextColumn 4 5)",
        "(nextColumn 5 6)",
        "(nextColumn 6 7)",
        "(nextRow 4 5)",
        "(nextRow 5 6)",
    ] {
        assert!(rules.contains(fact));
        rules = rules.replace(fact, "");
    }
    rules.replace("(filled ?c 6)", "(filled ?c 4)")
}

/// Enumerates first, and searches for proofs if that is not enough.
pub(crate) fn on_one_thread(game: &Game) -> Solved<'_> {
    let config = SolveConfig::default().with_threads(1);
    solve(game, &config, &Stop::new(), &SolveProgress::default()).unwrap()
}

/// The least and the greatest value of each role.
pub(crate) fn values(solved: &Solved<'_>) -> Vec<(i32, i32)> {
    let values = solved.bounds.iter();
    values.map(|bounds| (bounds.low.0, bounds.high.0)).collect()
}
