//! Trials of a learned evaluation: whether it helps, which a small loss alone does not show.

use std::sync::Arc;
use std::time::Duration;

use propjit_stop::Stop;

use super::evaluation::{Evaluation, Scorer, logistic};
use super::loss::{SCALES, best_scale, loss, means};
use super::policy::Policy;
use super::samples::Samples;
use super::search_matches::BetweenSearches;
use super::self_play::{Chance, NoOutcome, SelfPlay};
use super::team::Team;
use super::trust::Trust;
use super::verdict::HeuristicVerdict;
use crate::game::machine::State;
use crate::support::statistics::Moments;

/// How many decisions the matches against random decisions have, about.
const TEST_DECISIONS: u64 = 5000;

/// By how many standard errors what is admitted has to be better.
const SIGMAS: f64 = 2.0;

/// By how much the loss has to be less than without features, in nats, in its own matches or in those
/// against playouts; and below this larger gain, what an evaluation has to get against random decisions, by
/// one standard error. If playouts predict worse than nothing, anything helps, so that it has to predict
/// that much more than its share of what they do: in skirmish their gain is -0.1. In quad, where it does
/// harm, what is learned in ten seconds has 0.01 to 0.02, and 0.82 to 0.95; in speedChess, where it wins,
/// 0.01 to 0.04, and 0.96 or more.
const MIN_GAIN: f64 = 0.005;
const SURE_GAIN: f64 = 0.02;
const NEARLY_ALL: f64 = 0.94;

/// How much an evaluation has to predict relative to playouts, to be more than a hint, by one standard
/// error. In amazons, where it does harm, it is a seventh.
const MIN_SHARE: f64 = 0.75;

/// The least score in matches against decisions by playouts, by one standard error, for a hint. In
/// nineBoardTicTacToe, where a hint helps, it gets 0.20 to 0.29, with an error of 0.03; in amazons 0.08 to
/// 0.13, and in hex next to nothing.
const MIN_AGAINST: f64 = 0.2;

/// The least score there for more than a hint, by one standard error: equal players get that. In reversi,
/// where it is far better to trust it fully, what is learned in five seconds gets 0.45 to 0.55.
const EQUAL: f64 = 0.5;

/// How much it has to predict of these matches, as a gain in nats, by one standard error. Where it helps,
/// that is 0.02 to 0.4, and -0.02 to -0.04 in nineBoardTicTacToe. In connectFour, connectFourLarge and
/// connectFourLarger, where as a hint it scores 44, 34 and 33% against none, it is -0.03 to -0.15: there
/// the other one wins by what a state does not show.
const MIN_TOLD: f64 = -0.03;

/// The least number of these matches that is informative: in speedChess, where there is time for six to
/// nine, it got between 0.11 and 0.88, and wins.
const TELLING_MATCHES: u64 = 10;

/// In how many of these matches, at least, and by how many standard errors it has to get more than that if
/// nothing else is to matter. In quad, where it does harm, it got 11 of 14 points.
const MIN_MATCHES: u64 = 20;
const SIGMAS_ALONE: f64 = 3.0;

/// How many states are compared, how many decisions matches against playouts have, about, how many
/// playouts there are for each state.
const COMPARED: usize = 3000;
const COMPARED_DECISIONS: u64 = 6000;
const PLAYOUTS: u64 = 16;

/// From how many states there are playouts at a time.
const COMPARED_AT_A_TIME: usize = 100;

/// The share of the time for the states that are compared, and for matches against random decisions. Those
/// against playouts, which are most informative, have what is left.
const SHARE: f64 = 0.25;

/// The least score of an evaluation against random decisions that see the ends of matches.
const MIN_SCORE: f64 = 0.75;

/// Chance in matches that determine what is better.
pub(super) const TESTING: Chance = Chance {
    noise: 0.02,
    opening: 4,
};

/// An evaluation to be tried.
pub(super) struct Trial<'a> {
    pub evaluation: &'a Arc<Evaluation>,
    /// States of matches that it has not learned from.
    pub held_out: &'a Samples,
    /// How long it may take. If that is too short, fewer states are compared, and matches that are not over
    /// do not count.
    pub time: Duration,
    pub stop: &'a Stop,
}

/// The worth of an evaluation beside playouts, and in matches. Scores are shares of the range of goals.
#[derive(Clone, Debug)]
pub struct TrialResult {
    /// By how much the mean logarithmic loss in some states of matches that it has not seen is less
    /// than if every state had the mean value.
    pub gain: f64,
    /// The same by the mean of some playouts from the state instead.
    pub gain_by_playouts: f64,
    /// By how much the gain in a state is more than what it should be at least, three quarters of that by playouts.
    pub surplus: Moments<f64>,
    /// The score against decisions that are random unless they end the match.
    pub against_random: Moments<f64>,
    /// How it did against decisions for the state with the best mean of some playouts, if there was
    /// time for such matches.
    pub against_playouts: Option<AgainstPlayouts>,
    /// The scores of searches with it against those without, if matches between these were to be played;
    /// there may have been no time for any.
    pub between_searches: Option<BetweenSearches>,
}

/// How an evaluation did in matches against decisions by playouts.
#[derive(Clone, Copy, Debug)]
pub struct AgainstPlayouts {
    /// The score, as a share of the range of goals.
    pub score: Moments<f64>,
    /// The gain in the states of these matches, on the scale that suits them best. If it is less than
    /// nothing, the evaluation is the more mistaken the better it thinks a state is: there are ways to win
    /// that it does not see, and playouts do.
    pub gain: Moments<f64>,
}

impl TrialResult {
    /// Returns the verdict, with the gain of the loss in all those matches. If matches between searches are
    /// conclusive, nothing else counts.
    pub(super) fn verdict(&self, gain: &Moments<f64>) -> HeuristicVerdict {
        let alone = self.verdict_alone(gain);
        let trust = alone.trust();
        let Some(between_searches) = &self.between_searches else {
            return alone;
        };
        match between_searches.trust(trust) {
            told if told == trust => alone,
            Some(Trust::Full) => HeuristicVerdict::Admitted,
            Some(Trust::Hint) => HeuristicVerdict::Hint,
            None if between_searches.is_decided() => HeuristicVerdict::NoUse,
            None => HeuristicVerdict::Untried,
        }
    }

    /// The same without matches between searches.
    fn verdict_alone(&self, gain: &Moments<f64>) -> HeuristicVerdict {
        // Without samples or an error there is none, which is less than any number.
        let bound = |moments: &Moments<f64>, sigmas: f64| {
            let known = moments.mean().zip(moments.standard_error());
            known.map(|(mean, error)| mean + sigmas * error)
        };
        let is_above_by =
            |sigmas: f64, moments: &Moments<f64>, least: f64| bound(moments, -sigmas) > Some(least);
        let is_above = |moments: &Moments<f64>, least| is_above_by(SIGMAS, moments, least);
        let plays_well = |score: &Moments<f64>| {
            score.count >= MIN_MATCHES && is_above_by(SIGMAS_ALONE, score, EQUAL)
        };
        let is_below = |moments: &Moments<f64>, most: f64| bound(moments, 1.0) < Some(most);
        let against_playouts = self.against_playouts.as_ref();
        let against_playouts = against_playouts.filter(|one| one.score.count >= TELLING_MATCHES);
        let tells_enough = is_above(gain, SURE_GAIN)
            || is_above(gain, MIN_GAIN) && is_above_by(1.0, &self.against_random, NEARLY_ALL)
            || is_above(gain, 0.0) && is_above(&self.surplus, SURE_GAIN)
            || against_playouts.is_some_and(|one| is_above(&one.gain, SURE_GAIN));
        let tells_little = is_below(&self.surplus, 0.0);
        let told = against_playouts.and_then(|one| bound(&one.gain, 1.0));
        let misleads = told.is_some_and(|most| most < MIN_TOLD);
        let against_playouts = against_playouts.map(|one| &one.score);
        if against_playouts.is_some_and(plays_well) {
            // This holds however little the results show, in which most matches are alike.
            HeuristicVerdict::Admitted
        } else if !tells_enough {
            HeuristicVerdict::NoGain
        } else if misleads
            || against_playouts.map_or(tells_little, |score| is_below(score, MIN_AGAINST))
        {
            HeuristicVerdict::WorseThanPlayouts
        } else if !is_above(&self.against_random, MIN_SCORE) {
            HeuristicVerdict::NoWins
        } else if tells_little || against_playouts.is_some_and(|score| is_below(score, EQUAL)) {
            HeuristicVerdict::Hint
        } else {
            HeuristicVerdict::Admitted
        }
    }
}

impl Trial<'_> {
    /// Finds out what the evaluation is worth.
    pub(super) fn run(&self, team: &mut Team<'_>) -> Result<TrialResult, NoOutcome> {
        let stop = self.stop.within(self.time);
        let part = || stop.within(self.time.mul_f64(SHARE));
        let (gain, gain_by_playouts, surplus) = self.gains(team.first(), &part())?;
        let policies = [Policy::Evaluation(self.evaluation), Policy::Random];
        let against_random = team.play(policies, TEST_DECISIONS, TESTING, None, &part())?;
        Ok(TrialResult {
            gain,
            gain_by_playouts,
            surplus,
            against_random: against_random.score,
            against_playouts: self.against_playouts(team, &stop)?,
            between_searches: None,
        })
    }

    /// By how much the loss in some states that were not learned from is less than if every state
    /// had the mean value: with the evaluation, and with the mean of some playouts from the state; and the surplus.
    fn gains(
        &self,
        play: &mut SelfPlay<'_>,
        stop: &Stop,
    ) -> Result<(f64, f64, Moments<f64>), NoOutcome> {
        let step = self.held_out.len().div_ceil(COMPARED).max(1);
        let mut places: Vec<usize> = (0..self.held_out.len()).step_by(step).collect();
        let mut values = Vec::with_capacity(places.len());
        // In an order in which the first ones are of all matches.
        places.sort_by_key(|at| (at / step).reverse_bits());
        for places in places.chunks(COMPARED_AT_A_TIME) {
            let states = places.iter().map(|&at| {
                let state = State::from_words(self.held_out.get(at).state);
                (state, PLAYOUTS)
            });
            let states: Vec<_> = states.collect();
            match play.playout_values(&states, stop)? {
                Some(more) => values.extend(more),
                None => break,
            }
        }
        places.truncate(values.len());
        if places.is_empty() {
            return Err(NoOutcome::Stopped);
        }
        let chosen = || places.iter().map(|&at| self.held_out.get(at));
        let first = self.evaluation.roles().first();
        let log_odds = values.into_iter().map(|values| {
            let value = values[first.index()];
            // Not all or nothing, however few playouts there were.
            let value = (value * PLAYOUTS as f32 + 0.5) / (PLAYOUTS + 1) as f32;
            (value / (1.0 - value)).ln()
        });
        let mut scorer = Scorer::new(self.evaluation.clone());
        let means = means(first, chosen());
        // In each state, by the evaluation and by playouts on each scale.
        let gains = chosen().zip(log_odds).map(|(sample, log_odds)| {
            let result = sample.results[first.index()];
            let values = scorer.values(sample.state.iter().copied(), sample.to_move);
            let value = values[first.index()];
            let without = loss(means[sample.to_move.index()], result);
            let by_playouts =
                SCALES.map(|scale| without - loss(logistic(scale * log_odds), result));
            (without - loss(value, result), by_playouts)
        });
        let (gains, by_playouts): (Vec<f64>, Vec<_>) = gains.unzip();
        let count = gains.len() as f64;
        let by_scale = (0..SCALES.len()).map(|scale| {
            let gains = by_playouts.iter().map(|gains| gains[scale]);
            (gains.sum::<f64>() / count, scale)
        });
        let best = by_scale.max_by(|a, b| a.0.total_cmp(&b.0));
        let (gain_by_playouts, scale) = best.expect("there are scales");
        let mut surplus = Moments::default();
        for (gain, by_playouts) in gains.iter().zip(&by_playouts) {
            surplus.add(gain - MIN_SHARE * by_playouts[scale], 1);
        }
        let gain = gains.iter().sum::<f64>() / count;
        Ok((gain, gain_by_playouts, surplus))
    }

    /// Returns the results of an evaluation against decisions by playouts, if there is time for that.
    fn against_playouts(
        &self,
        team: &mut Team<'_>,
        stop: &Stop,
    ) -> Result<Option<AgainstPlayouts>, NoOutcome> {
        let policies = [
            Policy::Evaluation(self.evaluation),
            Policy::Playouts(PLAYOUTS),
        ];
        let mut states = Samples::new(self.held_out.words());
        match team.play(
            policies,
            COMPARED_DECISIONS,
            TESTING,
            Some(&mut states),
            stop,
        ) {
            Ok(outcome) => Ok(Some(AgainstPlayouts {
                score: outcome.score,
                gain: best_scale(&states, self.evaluation).2,
            })),
            Err(NoOutcome::Stopped) if !self.stop.is_set() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the moments of `count` matches, of which `won` were won.
    fn matches(won: u64, count: u64) -> Moments<f64> {
        let mut score = Moments::default();
        score.add(1.0, won);
        score.add(0.0, count - won);
        score
    }

    /// A gain of the mean, with this standard error.
    fn gain(mean: f64, error: f64) -> Moments<f64> {
        let mut gain = Moments::default();
        let deviation = error * 99f64.sqrt();
        gain.add(mean - deviation, 50);
        gain.add(mean + deviation, 50);
        gain
    }

    fn verdict(
        gain_and_error: (f64, f64),
        surplus_and_error: (f64, f64),
        against_random: (u64, u64),
        against_playouts: Option<(u64, u64)>,
    ) -> HeuristicVerdict {
        let against_playouts = against_playouts.map(|(won, count)| AgainstPlayouts {
            score: matches(won, count),
            gain: gain(0.0, 0.01),
        });
        verdict_with(
            gain_and_error,
            surplus_and_error,
            against_random,
            against_playouts,
        )
    }

    fn verdict_with(
        gain_and_error: (f64, f64),
        surplus_and_error: (f64, f64),
        against_random: (u64, u64),
        against_playouts: Option<AgainstPlayouts>,
    ) -> HeuristicVerdict {
        let result = TrialResult {
            gain: gain_and_error.0,
            gain_by_playouts: gain_and_error.0,
            surplus: gain(surplus_and_error.0, surplus_and_error.1),
            against_random: matches(against_random.0, against_random.1),
            against_playouts,
            between_searches: None,
        };
        result.verdict(&gain(gain_and_error.0, gain_and_error.1))
    }

    /// These were measured in games in which matches have shown whether the evaluation helps.
    #[test]
    fn verdicts_are_those_of_matches() {
        use HeuristicVerdict::{Admitted, Hint, NoGain, NoWins, WorseThanPlayouts};
        for (game, gain, surplus, against_random, against_playouts, expected) in [
            (
                "breakthrough",
                (0.069, 0.006),
                (0.02, 0.01),
                (150, 150),
                Some((97, 100)),
                Admitted,
            ),
            (
                "reversi",
                (0.144, 0.012),
                (0.05, 0.01),
                (126, 130),
                Some((45, 62)),
                Admitted,
            ),
            (
                "reversi",
                (0.078, 0.008),
                (0.01, 0.01),
                (128, 130),
                Some((60, 128)),
                Admitted,
            ),
            (
                "speedChess",
                (0.016, 0.004),
                (-0.007, 0.01),
                (175, 177),
                None,
                Admitted,
            ),
            (
                "speedChess",
                (0.048, 0.010),
                (0.01, 0.01),
                (82, 83),
                Some((3, 9)),
                Admitted,
            ),
            (
                "skirmish",
                (0.001, 0.003),
                (0.0, 0.01),
                (100, 100),
                Some((20, 24)),
                Admitted,
            ),
            (
                "skirmish",
                (0.009, 0.003),
                (0.098, 0.004),
                (93, 102),
                Some((6, 7)),
                Admitted,
            ),
            (
                "pentago",
                (0.011, 0.002),
                (0.280, 0.008),
                (150, 250),
                Some((56, 112)),
                NoWins,
            ),
            (
                "connectFour",
                (0.134, 0.006),
                (0.08, 0.01),
                (215, 220),
                Some((49, 132)),
                Hint,
            ),
            (
                "connectFour",
                (0.141, 0.007),
                (0.10, 0.01),
                (215, 220),
                Some((36, 132)),
                Hint,
            ),
            (
                "amazons_8x8",
                (0.030, 0.003),
                (-0.08, 0.01),
                (95, 100),
                None,
                WorseThanPlayouts,
            ),
            (
                "quad",
                (0.017, 0.006),
                (0.01, 0.01),
                (166, 180),
                Some((9, 15)),
                NoGain,
            ),
            (
                "quad",
                (0.014, 0.006),
                (0.01, 0.01),
                (172, 190),
                Some((10, 14)),
                NoGain,
            ),
        ] {
            let found = verdict(gain, surplus, against_random, against_playouts);
            assert_eq!(found, expected, "{game}");
        }
    }

    /// An evaluation that plays badly is not admitted, however well it predicts results; but a few matches
    /// do not show bad play.
    #[test]
    fn few_matches_do_not_count() {
        let with = |score| verdict((0.05, 0.005), (0.02, 0.01), (100, 100), Some(score));
        assert_eq!(with((0, 10)), HeuristicVerdict::WorseThanPlayouts);
        assert_eq!(with((0, 9)), HeuristicVerdict::Admitted);
        assert_eq!(
            verdict((0.05, 0.005), (0.02, 0.01), (100, 100), None),
            with((0, 9))
        );
    }

    /// An evaluation that predicts matches against playouts worse than nothing is not admitted, however
    /// well it predicts its own, unless it wins them; if it predicts them well, it need not predict its
    /// own.
    #[test]
    fn what_it_tells_of_matches_against_playouts_counts() {
        use HeuristicVerdict::{Admitted, Hint, NoGain, WorseThanPlayouts};
        let (much, little) = ((0.176, 0.005), (0.017, 0.007));
        for (game, gain_and_error, won, there, expected) in [
            (
                "connectFourLarger",
                much,
                33,
                (-0.148, 0.04),
                WorseThanPlayouts,
            ),
            (
                "connectFourLarger",
                much,
                43,
                (-0.073, 0.03),
                WorseThanPlayouts,
            ),
            (
                "connectFourLarge",
                much,
                39,
                (-0.048, 0.012),
                WorseThanPlayouts,
            ),
            ("nineBoardTicTacToe", much, 21, (-0.021, 0.012), Hint),
            ("speedChess", much, 57, (-0.012, 0.105), Admitted),
            ("skirmish", much, 74, (-0.069, 0.002), Admitted),
            ("breakthrough", little, 55, (0.206, 0.071), Admitted),
            ("quad", little, 55, (0.012, 0.075), NoGain),
        ] {
            let found = verdict_with(
                gain_and_error,
                (0.01, 0.01),
                (90, 100),
                Some(AgainstPlayouts {
                    score: matches(won, 100),
                    gain: gain(there.0, there.1),
                }),
            );
            assert_eq!(found, expected, "{game}");
        }
    }
}
