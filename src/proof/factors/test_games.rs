//! Small games that fall into parts, for tests.

/// Two wheels of five places, one of which is turned in each step, or none if one `may_wait`. After `steps`
/// steps, 100 for the places 3 and 4, and 50 for the first of these only.
pub(crate) fn wheels(steps: usize, may_wait: bool) -> String {
    let succ: String = (0..steps)
        .map(|n| format!("(succ {n} {})", n + 1))
        .collect();
    let wait = match may_wait {
        true => "(legal r wait)",
        false => "",
    };
    format!(
        "(role r) {succ} {wait} (wheel a) (wheel b) (init (at a 0)) (init (at b 0)) (init (step 0))
         (after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 0)
         (<= (legal r (turn ?w)) (wheel ?w))
         (<= (next (at ?w ?m)) (does r (turn ?w)) (true (at ?w ?n)) (after ?n ?m))
         (<= (next (at ?w ?n)) (true (at ?w ?n)) (not (does r (turn ?w))))
         (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
         (<= terminal (true (step {steps})))
         (<= (goal r 100) (true (at a 3)) (true (at b 4)))
         (<= (goal r 50) (true (at a 3)) (not (true (at b 4))))
         (<= (goal r 0) (not (true (at a 3))))"
    )
}

/// Two walkers on lines of five places that move at the same time: back, or on, or neither, except what is
/// `forbidden`. The match is over when one is at the end of its line; 100 if both are then.
pub(crate) fn walkers(forbidden: &str) -> String {
    format!(
        "(role r) (init (a 2)) (init (b 1)) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
         (succ 4 5) (succ 5 6) (to 0 on 1) (to 1 on 2) (to 2 on 3) (to 3 on 4) (to 4 on 4)
         (to 0 back 0) (to 1 back 0) (to 2 back 1) (to 3 back 2) (to 4 back 3) (way on) (way back) (way stay)
         (<= (to ?n stay ?n) (place ?n)) (place 0) (place 1) (place 2) (place 3) (place 4)
         (<= (legal r (go ?v ?w)) (way ?v) (way ?w) (not (forbidden ?v ?w))) (forbidden {forbidden})
         (<= (next (a ?m)) (does r (go ?v ?w)) (true (a ?n)) (to ?n ?v ?m))
         (<= (next (b ?m)) (does r (go ?v ?w)) (true (b ?n)) (to ?n ?w ?m))
         (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
         (<= terminal (true (a 4))) (<= terminal (true (b 4))) (<= terminal (true (step 6)))
         (<= (goal r 100) (true (a 4)) (true (b 4)))
         (<= (goal r 30) (true (a 4)) (not (true (b 4))))
         (<= (goal r 10) (not (true (a 4))) (true (b 4)))
         (<= (goal r 0) (not (true (a 4))) (not (true (b 4))))"
    )
}

/// Piles of Nim. A role that cannot move has lost, or has won if the game is `misere`.
pub(crate) fn nim(piles: &[usize], misere: bool) -> String {
    let most = piles.iter().copied().max().unwrap_or(0);
    let succ: String = (0..most).map(|n| format!("(succ {n} {})", n + 1)).collect();
    let names = ["a", "b", "c", "d"];
    let named = || names.iter().zip(piles);
    let init: String = named()
        .map(|(name, size)| format!("(init (pile {name} {size}))"))
        .collect();
    let empty: String = named()
        .map(|(name, _)| format!("(true (pile {name} 0))"))
        .collect();
    let (stuck, other) = if misere { (100, 0) } else { (0, 100) };
    format!(
        "(role x) (role o) {succ} {init} (init (control x))
         (<= (less ?a ?b) (succ ?a ?b)) (<= (less ?a ?c) (succ ?a ?b) (less ?b ?c))
         (<= (legal ?r (leave ?p ?n)) (true (control ?r)) (true (pile ?p ?m)) (less ?n ?m))
         (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
         (<= (next (pile ?p ?n)) (does ?r (leave ?p ?n)))
         (<= (next (pile ?p ?n)) (true (pile ?p ?n)) (does ?r (leave ?q ?m)) (distinct ?p ?q))
         (<= (next (control x)) (true (control o))) (<= (next (control o)) (true (control x)))
         (<= terminal {empty})
         (<= (goal ?r {stuck}) (true (control ?r)))
         (<= (goal ?r {other}) (role ?r) (not (true (control ?r))))"
    )
}

/// Two boards with four cells. The first role to have the first two cells wins a board; on the first board,
/// if there is a `fork`, the first and the third win, too. Both boards are played at the same time, or one
/// of them in each turn if `in_turns`.
pub(crate) fn pairs(in_turns: bool, fork: bool) -> String {
    let fork = match fork {
        true => "(<= (won one ?r) (true (has one 1 ?r)) (true (has one 3 ?r)))",
        false => "",
    };
    let dynamics = match in_turns {
        true => {
            "(init (control x)) (<= (next (control x)) (true (control o)))
             (<= (next (control o)) (true (control x)))
             (<= (turn ?b ?r) (board ?b) (true (control ?r)))
             (<= (legal ?r noop) (role ?r) (not (true (control ?r))))"
        }
        false => {
            "(init (control one x)) (init (control two o))
             (<= (next (control ?b x)) (true (control ?b o)))
             (<= (next (control ?b o)) (true (control ?b x)))
             (<= (turn ?b ?r) (true (control ?b ?r)))
             (<= (legal ?r noop) (true (control ?b ?r)) (closed ?b))"
        }
    };
    let scores: String = [("x", "o"), ("o", "x")]
        .map(|(own, other)| {
            format!(
                "(<= (goal {own} 100) (won one {own}) (won two {own}))
                 (<= (goal {own} 75) (won one {own}) (not (won two {own})) (not (won two {other})))
                 (<= (goal {own} 75) (won two {own}) (not (won one {own})) (not (won one {other})))
                 (<= (goal {own} 50) (won one {own}) (won two {other}))
                 (<= (goal {own} 50) (won two {own}) (won one {other}))
                 (<= (goal {own} 50) (not (someone one)) (not (someone two)))
                 (<= (goal {own} 25) (won one {other}) (not (someone two)))
                 (<= (goal {own} 25) (won two {other}) (not (someone one)))
                 (<= (goal {own} 0) (won one {other}) (won two {other}))"
            )
        })
        .concat();
    format!(
        "(role x) (role o) (board one) (board two) (cell 1) (cell 2) (cell 3) (cell 4)
         (<= (init (free ?b ?c)) (board ?b) (cell ?c)) {dynamics}
         (<= (legal ?r (mark ?b ?c)) (turn ?b ?r) (true (free ?b ?c)) (not (someone ?b)))
         (<= (next (has ?b ?c ?r)) (does ?r (mark ?b ?c)))
         (<= (next (has ?b ?c ?r)) (true (has ?b ?c ?r)))
         (<= (next (free ?b ?c)) (true (free ?b ?c)) (not (marked ?b ?c)))
         (<= (marked ?b ?c) (does ?r (mark ?b ?c)))
         (<= (open ?b) (true (free ?b ?c)))
         (<= (won ?b ?r) (true (has ?b 1 ?r)) (true (has ?b 2 ?r))) {fork}
         (<= (someone ?b) (won ?b ?r)) (<= (closed ?b) (someone ?b))
         (<= (closed ?b) (board ?b) (not (open ?b)))
         (<= terminal (closed one) (closed two)) {scores}"
    )
}

/// Two strips of three cells, on both of which a cell is marked in each step, and none twice; it is
/// over when all are marked; 100 if the first cells were marked first.
pub(crate) fn strips() -> &'static str {
    "(role r) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (cell 1) (cell 2) (cell 3)
     (<= (init (free ?s ?c)) (strip ?s) (cell ?c)) (strip a) (strip b)
     (<= (legal r (mark ?c ?d)) (true (free a ?c)) (true (free b ?d)))
     (<= (next (free a ?c)) (true (free a ?c)) (does r (mark ?x ?y)) (distinct ?c ?x))
     (<= (next (free b ?d)) (true (free b ?d)) (does r (mark ?x ?y)) (distinct ?d ?y))
     (<= (next (first ?s)) (true (step 0)) (true (free ?s 1)) (marked ?s 1))
     (<= (next (first ?s)) (true (first ?s)))
     (<= (marked a ?c) (does r (mark ?c ?d))) (<= (marked b ?d) (does r (mark ?c ?d)))
     (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
     (<= terminal (true (step 3)))
     (<= (goal r 100) (true (first a)) (true (first b)))
     (<= (goal r 40) (true (first a)) (not (true (first b))))
     (<= (goal r 30) (not (true (first a))) (true (first b)))
     (<= (goal r 0) (not (true (first a))) (not (true (first b))))"
}
