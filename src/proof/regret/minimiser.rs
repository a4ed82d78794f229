//! The minimiser: CFR+ on a sequence form.
//!
//! In turns, a player adds to each move's regret what the move would have gained over the current strategy against the
//! other's current strategy; sums below zero are set to zero (regret matching+). The next strategy has probabilities in proportion
//! to the regrets. What converges is the average over the iterations, in which iteration *t* has the weight *t*.

use super::response::best_response;
use super::sequence_form::{Player, SequenceForm};

/// The minimiser.
pub(super) struct Minimiser<'a> {
    form: &'a SequenceForm,
    learners: Vec<Learner>,
    iterations: u64,
}

/// The state of learning of a player. Of each list, an element belongs to each sequence.
struct Learner {
    /// Sums of regrets, not negative.
    regrets: Vec<f64>,
    /// The probability of its last move in the current strategy.
    strategy: Vec<f64>,
    /// The probability of the sequence by the player's own moves in the current strategy.
    plan: Vec<f64>,
    /// The weighted sum of those of all iterations.
    sum: Vec<f64>,
}

/// The average strategies, and what they are worth to the first player.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The probability of each sequence by its player's own moves.
    pub(super) plans: Vec<Vec<f64>>,
    /// The expected goal if both follow them.
    pub(super) value: f64,
    /// The bounds of the value of the game: what the best responses of the second and the first player leave.
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Outcome {
    /// What these strategies of all players are worth, by the probability of each sequence.
    pub(super) fn of(form: &SequenceForm, plans: Vec<Vec<f64>>) -> Outcome {
        let worth = |gains: Vec<f64>| gains.iter().zip(&plans[0]).map(|(gain, p)| gain * p).sum();
        match &plans[..] {
            [_] => {
                let value = worth(form.gains(0, &[1.0]));
                Outcome {
                    value,
                    low: value,
                    high: best_response(form, 0, &[1.0]).value,
                    plans,
                }
            }
            _ => Outcome {
                value: worth(form.gains(0, &plans[1])),
                low: -best_response(form, 1, &plans[0]).value,
                high: best_response(form, 0, &plans[1]).value,
                plans,
            },
        }
    }

    /// What a player can gain on average by a best response.
    pub(super) fn exploitability(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

impl Learner {
    /// All moves are equally probable.
    fn new(player: &Player) -> Learner {
        let mut learner = Learner {
            regrets: vec![0.0; player.sequences()],
            strategy: vec![1.0; player.sequences()],
            plan: Vec::new(),
            sum: vec![0.0; player.sequences()],
        };
        learner.match_regrets(player);
        learner
    }

    /// Changes the strategy by what each sequence gains.
    fn learn(&mut self, player: &Player, mut gains: Vec<f64>, weight: f64) {
        for set in player.sets.iter().rev() {
            let sequences = set.sequences();
            let gain: f64 = (sequences.clone())
                .map(|sequence| self.strategy[sequence] * gains[sequence])
                .sum();
            for sequence in sequences {
                let regret = &mut self.regrets[sequence];
                *regret = (*regret + gains[sequence] - gain).max(0.0);
            }
            gains[set.parent as usize] += gain;
        }
        self.match_regrets(player);
        for (sum, probability) in self.sum.iter_mut().zip(&self.plan) {
            *sum += weight * probability;
        }
    }

    /// Makes moves as probable as their regrets are great.
    fn match_regrets(&mut self, player: &Player) {
        for set in &player.sets {
            let sequences = set.sequences();
            let total: f64 = self.regrets[sequences.clone()].iter().sum();
            for sequence in sequences {
                self.strategy[sequence] = match total > 0.0 {
                    true => self.regrets[sequence] / total,
                    false => 1.0 / f64::from(set.count),
                };
            }
        }
        self.plan = player.plan(&self.strategy);
    }

    /// The average strategy; before the first iteration, the current one.
    fn average(&self) -> Vec<f64> {
        match self.sum[0] {
            0.0 => self.plan.clone(),
            total => self.sum.iter().map(|sum| sum / total).collect(),
        }
    }
}

impl Minimiser<'_> {
    pub(super) fn new(form: &SequenceForm) -> Minimiser<'_> {
        Minimiser {
            form,
            learners: form.players.iter().map(Learner::new).collect(),
            iterations: 0,
        }
    }

    /// The number of iterations so far.
    pub(super) fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Both players learn, one after the other.
    pub(super) fn iterate(&mut self) {
        self.iterations += 1;
        for (at, player) in self.form.players.iter().enumerate() {
            let other = self.learners.len() - 1 - at;
            let gains = self.form.gains(at, &self.learners[other].plan);
            self.learners[at].learn(player, gains, self.iterations as f64);
        }
    }

    /// The average strategies. A single player's best strategy needs no iterations.
    pub(super) fn outcome(&self) -> Outcome {
        let form = self.form;
        if let [_] = self.learners[..] {
            return Outcome::of(form, vec![best_response(form, 0, &[1.0]).plan]);
        }
        Outcome::of(form, self.learners.iter().map(Learner::average).collect())
    }
}
