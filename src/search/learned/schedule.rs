//! The learning schedule: differences at its beginning and at its end.

/// The part of the result, rather than of the expectation after each decision, in the learning target of a
/// state: the λ of temporal differences (Sutton, "Learning to Predict by the Methods of Temporal
/// Differences", 1988). This is its value in the end; at the beginning expectations do not help.
const TRACE: f32 = 0.8;

/// The part of the time after which that is so. From then on, decisions made at random say nothing about
/// what came before; until then, the result counts wherever it comes from, so that it is known in a few
/// rounds, however long matches are.
const RESULTS_PART: f32 = 0.5;

/// The part of the time at the end in which steps become shorter, in proportion to what is left, and the least
/// length of them, as there is still something to learn.
const SETTLING_PART: f32 = 0.5;
const MIN_LENGTH: f32 = 0.2;

/// How far what came of a decision counts for what was before it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Traces {
    /// If the best was chosen.
    pub best: f32,
    /// If the choice was made at random.
    pub random: f32,
}

impl Traces {
    /// After this part of the time.
    pub(super) fn at(progress: f32) -> Traces {
        let left = (1.0 - progress / RESULTS_PART).clamp(0.0, 1.0);
        Traces {
            best: TRACE + left * (1.0 - TRACE),
            random: left,
        }
    }
}

/// The length of the steps after this part of the time, as a share of that at the beginning.
pub(super) fn step_length(progress: f32) -> f32 {
    ((1.0 - progress) / SETTLING_PART).clamp(MIN_LENGTH, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_count_first_and_steps_shrink_last() {
        assert_eq!(
            Traces::at(0.0),
            Traces {
                best: 1.0,
                random: 1.0
            }
        );
        let late = Traces {
            best: TRACE,
            random: 0.0,
        };
        for progress in [RESULTS_PART, 1.0, 1.5] {
            assert_eq!(Traces::at(progress), late);
        }
        let early = Traces::at(RESULTS_PART / 2.0);
        assert_eq!(early.random, 0.5);
        assert!(TRACE < early.best && early.best < 1.0);
        assert_eq!(step_length(0.0), 1.0);
        assert_eq!(step_length(1.0 - SETTLING_PART), 1.0);
        assert_eq!(step_length(1.0 - SETTLING_PART / 4.0), 0.25);
        assert_eq!(step_length(1.5), MIN_LENGTH);
    }
}
