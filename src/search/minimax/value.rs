//! Values of states: logarithms of odds, and wins that are proved.

/// The value of a state for one of the sides; for the other one it is the opposite.
///
/// Values that are estimated are logarithms of the odds of winning, in units of [`LOGIT`]. A proved win is worth
/// [`WIN`] less the plies to it.
pub(in crate::search) type Value = i32;

/// The units of estimated values: one for each factor of e in the odds.
pub(in crate::search) const LOGIT: Value = 1024;

/// The value of a match that is won.
pub(super) const WIN: Value = 1_000_000;

/// More than any value.
pub(super) const INFINITE: Value = WIN + 1;

/// No estimate and no end that is neither won nor lost is above this, or below its opposite.
pub(super) const MAX_ESTIMATE: Value = 30_000;

/// Returns whether a win or a loss is proved.
pub(super) fn is_decided(value: Value) -> bool {
    value.abs() > WIN / 2
}

/// The share of a range of goals that a goal is.
pub(in crate::search) fn share_of_range((low, high): (i32, i32), goal: i32) -> f32 {
    let [low, high, goal] = [low, high, goal].map(i64::from);
    (goal - low) as f32 / (high - low).max(1) as f32
}

/// The value for the first side of the end of a match with these shares of the ranges of their goals.
pub(super) fn of_end(first: f32, second: f32) -> Value {
    let difference = first - second;
    if difference.abs() >= 0.999 {
        return if difference > 0.0 { WIN } else { -WIN };
    }
    of_share(f64::from(1.0 + difference) / 2.0)
}

/// The value of a share, which is not a proved win or loss.
pub(super) fn of_share(share: f64) -> Value {
    let odds = (share / (1.0 - share)).ln() * f64::from(LOGIT);
    (odds.round() as Value).clamp(-MAX_ESTIMATE, MAX_ESTIMATE)
}

/// The share of the range of its goals that a side can expect with this value.
pub(super) fn share(value: Value) -> f64 {
    match is_decided(value) {
        true => f64::from(u8::from(value > 0)),
        false => 1.0 / (1.0 + (-f64::from(value) / f64::from(LOGIT)).exp()),
    }
}

/// A value at a node `plies` below another one, as it is seen from there: wins are farther away.
pub(super) fn from_below(value: Value, plies: usize) -> Value {
    match is_decided(value) {
        true => value - value.signum() * plies as Value,
        false => value,
    }
}

/// The opposite of [`from_below`].
pub(super) fn to_below(value: Value, plies: usize) -> Value {
    match is_decided(value) {
        true => value + value.signum() * plies as Value,
        false => value,
    }
}

/// The value for a side, of one for the first side; or the other way round.
pub(super) fn for_side(value: Value, side: u8) -> Value {
    match side {
        0 => value,
        _ => -value,
    }
}
