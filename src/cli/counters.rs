//! Counters in the words of a rulesheet.

use propjit::game::facts::{CountBounds, Counter, Literal};
use propjit::game::ground::GroundGame;
use propjit::game::machine::State;

/// Returns the common pattern of propositions: `(owns red ? ?)`, with `?` for arguments in which
/// they differ; all of their names if they have nothing in common.
pub(super) fn pattern(game: &GroundGame, bases: &[usize]) -> String {
    let net = game.propnet();
    let names: Vec<_> = bases.iter().map(|&base| net.bases[base].name).collect();
    let arity = |name| net.terms.args(name).len();
    let first = names[0];
    let is_alike = |&name: &_| {
        net.terms.functor(name) == net.terms.functor(first) && arity(name) == arity(first)
    };
    if !names.iter().all(is_alike) || arity(first) == 0 {
        let texts = names.iter().map(|&name| net.terms.text(name));
        return texts.collect::<Vec<_>>().join(" ");
    }
    let mut text = format!("({}", net.terms.name(net.terms.functor(first)));
    for (place, &argument) in net.terms.args(first).iter().enumerate() {
        let is_same = names
            .iter()
            .all(|&name| net.terms.args(name)[place] == argument);
        text.push(' ');
        match is_same {
            true => text.push_str(&net.terms.text(argument)),
            false => text.push('?'),
        }
    }
    text.push(')');
    text
}

/// The value of a counter: `9 of 16 (owns red ? ?)`, or the proposition that is the value.
pub(super) fn value_text(game: &GroundGame, counter: &Counter, value: usize) -> String {
    match counter {
        Counter::Count(bases) => format!("{value} of {} {}", bases.len(), pattern(game, bases)),
        Counter::Choice(order) => match value.checked_sub(1) {
            Some(place) => Literal::new(order[place], true).text(game),
            None => format!("no {}", pattern(game, order)),
        },
    }
}

/// Returns the values of those counters in a state that exclude goals there.
pub(super) fn reached(game: &GroundGame, bounds: &CountBounds, state: &State) -> Vec<String> {
    let values = bounds.values(state);
    let counters = bounds.counters.iter().zip(&values).enumerate();
    let counters = counters.filter(|&(number, (_, value))| {
        let mut cases = bounds.exclusions.iter().flat_map(|exclusion| {
            (exclusion.cases.iter())
                .filter(|case| case.iter().zip(&values).all(|(case, value)| value >= case))
        });
        *value > 0 && cases.any(|case| case[number] > 0)
    });
    counters
        .map(|(_, (counter, &value))| value_text(game, counter, value))
        .collect()
}
