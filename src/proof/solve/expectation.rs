//! Expected goals where chance plays: what a role can expect against all others, when each move of chance is equally
//! probable.
//!
//! The roles but chance choose as [`Side`] says, and chance last: it knows nothing of what they choose, nor they of what it
//! does at the same time. Values rise from the least goal, or fall from the greatest, by sweeps (value iteration: Bellman,
//! "A Markovian Decision Process", 1957). In between they are bounds; on a graph without cycles the first sweep ends it.
//! A match that goes on for ever is worth the least goal.

use propjit_stop::Stop;

use crate::game::ground::GroundGame;
use crate::game::machine::RoleId;

use super::bounds::goals;
use super::graph::{Edge, Graph};
use super::split::{Side, places};

/// Sweeps end when no value changes by more than this.
const ENOUGH: f64 = 1e-10;

/// What a role can expect in the initial state of a game with chance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ExpectedValue {
    /// The role.
    pub role: RoleId,
    /// The least goal that it can expect, however the others play.
    pub low: f64,
    /// The greatest goal that it can expect if the others play well.
    pub high: f64,
}

/// Bounds that differ by less than this, which rounding may bring, are the same.
const SAME: f64 = 1e-6;

impl ExpectedValue {
    /// Whether that is the value.
    pub fn is_exact(&self) -> bool {
        self.high - self.low < SAME
    }

    /// Finds out what a role can expect in the first state of a graph, until a stop comes.
    pub(super) fn of(game: &GroundGame, graph: &Graph, role: RoleId, stop: &Stop) -> ExpectedValue {
        let [low, high] = [Side::Role, Side::Others].map(|side| {
            let values = Expectations::of(game, graph, (role, side), stop);
            values.of_state(0)
        });
        ExpectedValue { role, low, high }
    }
}

/// Whether chance decides in some state of a graph.
pub(super) fn has_chance(game: &GroundGame, graph: &Graph) -> bool {
    let chance = game.random_role();
    chance.is_some_and(|role| graph.shapes().iter().any(|counts| counts[role.index()] > 1))
}

/// Whether one role at a time decides at most, but for chance.
pub(super) fn is_in_turns(game: &GroundGame, graph: &Graph) -> bool {
    let chance = game.random_role().map(RoleId::index);
    graph.shapes().iter().all(|counts| {
        let decide = counts.iter().enumerate();
        decide
            .filter(|&(role, &count)| count > 1 && Some(role) != chance)
            .count()
            <= 1
    })
}

/// What a role can expect in each state of a graph: at least that if it chooses first, or at most that if the others do.
pub(super) struct Expectations {
    values: Vec<f64>,
    /// By end of the graph.
    ends: Vec<f64>,
    /// By shape.
    splits: Vec<ChanceSplit>,
    is_final: bool,
}

impl Expectations {
    /// Finds these values, or bounds of them if a stop comes. States of the frontier, those in which a role has no legal move,
    /// and ends in which the role has not exactly one goal have the worst value for the side.
    pub(super) fn of(
        game: &GroundGame,
        graph: &Graph,
        (role, side): (RoleId, Side),
        stop: &Stop,
    ) -> Expectations {
        let goals = goals(game, role);
        let start = match side {
            Side::Role => goals[0],
            Side::Others => goals[goals.len() - 1],
        };
        let chance = game.random_role();
        let group = side.group(role, chance, game.roles().len());
        let splits = graph.shapes().iter();
        let splits = splits
            .map(|counts| ChanceSplit::new(side, (&group, chance), counts, graph.edge_count()));
        let ends = graph.ends().iter();
        let ends = ends.map(|end| f64::from(end[role.index()].unwrap_or(start)));
        let mut all = Expectations {
            values: vec![f64::from(start); graph.len()],
            ends: ends.collect(),
            splits: splits.collect(),
            is_final: false,
        };
        let mut ticker = stop.ticker();
        let mut space = Vec::new();
        while !all.is_final {
            let mut greatest_change: f64 = 0.0;
            for at in (0..graph.expanded()).rev() {
                if ticker.is_set() {
                    return all;
                }
                if graph.is_stuck(at) {
                    continue;
                }
                let edges = graph.edges(at).map(|edge| all.value(edge));
                let value = all.splits[graph.shape(at)].reduce(edges, &mut space);
                greatest_change = greatest_change.max((value - all.values[at]).abs());
                all.values[at] = value;
            }
            all.is_final = greatest_change <= ENOUGH;
        }
        all
    }

    /// Whether values do not change any more.
    pub(super) fn is_final(&self) -> bool {
        self.is_final
    }

    /// What can be expected in a state.
    pub(super) fn of_state(&self, at: usize) -> f64 {
        self.values[at]
    }

    /// What can be expected after each choice of those that choose first in a state.
    pub(super) fn of_choices(&self, graph: &Graph, at: usize) -> Vec<f64> {
        let edges = graph.edges(at).map(|edge| self.value(edge));
        let mut means = Vec::new();
        let split = &self.splits[graph.shape(at)];
        split.means(edges, &mut means);
        split.answered(&means).collect()
    }

    fn value(&self, edge: Edge) -> f64 {
        match edge {
            Edge::State(state) => self.values[state],
            Edge::End(end) => self.ends[end],
        }
    }
}

/// The joint moves of a state with given numbers of legal moves, by the choices of the roles that choose first, of those that
/// answer, and of chance.
struct ChanceSplit {
    side: Side,
    /// The number of answers to each choice.
    answers: usize,
    /// The number of moves of chance.
    chances: f64,
    /// By joint move, the choice times the number of answers, plus the answer.
    pairs: Vec<u32>,
    /// The number of those.
    count: usize,
}

impl ChanceSplit {
    /// The joint moves of states with these numbers of legal moves; none if there are more than `most`.
    fn new(
        side: Side,
        (group, chance): (&[RoleId], Option<RoleId>),
        counts: &[usize],
        most: usize,
    ) -> ChanceSplit {
        let total = counts
            .iter()
            .try_fold(1usize, |total, &count| total.checked_mul(count));
        let total = total.filter(|&total| total <= most).unwrap_or(0);
        let is_chance = |role: RoleId| Some(role) == chance;
        let (first, others): (Vec<RoleId>, Vec<RoleId>) = RoleId::first(counts.len())
            .filter(|&role| !is_chance(role))
            .partition(|role| group.contains(role));
        let product = |roles: &[RoleId]| roles.iter().map(|role| counts[role.index()]).product();
        let answers: usize = product(&others);
        let choices: usize = product(&first);
        let mut strides = vec![0; counts.len()];
        let mut stride = 1;
        for role in first.iter().chain(&others).rev() {
            strides[role.index()] = stride;
            stride *= counts[role.index()];
        }
        let pairs = (0..total).map(|joint| {
            let parts = places(joint, counts).zip(strides.iter().rev());
            parts.map(|(place, stride)| place * stride).sum::<usize>() as u32
        });
        ChanceSplit {
            side,
            answers,
            chances: chance.map_or(1.0, |role| counts[role.index()] as f64),
            pairs: pairs.collect(),
            count: if total == 0 { 0 } else { choices * answers },
        }
    }

    /// The means over the moves of chance.
    fn means(&self, values: impl Iterator<Item = f64>, means: &mut Vec<f64>) {
        means.clear();
        means.resize(self.count, 0.0);
        for (value, &pair) in values.zip(&self.pairs) {
            means[pair as usize] += value;
        }
        means.iter_mut().for_each(|sum| *sum /= self.chances);
    }

    /// The value of each choice when it is answered.
    fn answered<'a>(&self, means: &'a [f64]) -> impl Iterator<Item = f64> + use<'a> {
        let answer: fn(f64, f64) -> f64 = match self.side {
            Side::Role => f64::min,
            Side::Others => f64::max,
        };
        let choices = means.chunks(self.answers.max(1));
        choices.filter_map(move |answers| answers.iter().copied().reduce(answer))
    }

    /// The value of a state of which the joint moves lead to these values.
    fn reduce(&self, values: impl Iterator<Item = f64>, space: &mut Vec<f64>) -> f64 {
        self.means(values, space);
        let choose: fn(f64, f64) -> f64 = match self.side {
            Side::Role => f64::max,
            Side::Others => f64::min,
        };
        self.answered(space).reduce(choose).unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::load::{Game, Setup};
    use crate::game::machine::expansion::team::ExpanderTeam;
    use crate::proof::solve::progress::SolveProgress;

    /// What each role but chance can expect.
    fn expected(rules: &str) -> Vec<ExpectedValue> {
        let game = Game::from_text("test.kif", rules, &Setup::default()).unwrap();
        let engines = game.engines().unwrap();
        let mut expanders = ExpanderTeam::new(engines, 1);
        let (ground, stop) = (engines.game(), Stop::new());
        let mut graph = Graph::new(engines, expanders.words(), ground.initial());
        let limits = (1 << 28, usize::MAX);
        graph.grow(&mut expanders, limits, &stop, &SolveProgress::default());
        assert!(has_chance(ground, &graph));
        ground
            .players()
            .map(|role| ExpectedValue::of(ground, &graph, role, &stop))
            .collect()
    }

    /// A die that may be thrown again up to twice: with three throws left of six sides, 14/3 is expected (a known puzzle).
    #[test]
    fn a_die_may_be_thrown_again() {
        let found = expected(
            "(role p) (role random) (init (throws 3)) (less 3 2) (less 2 1) (less 1 0) (side 1) (side 2) (side 3) (side 4) (side 5)
             (side 6) (<= (legal random ?s) (side ?s))
             (<= (legal p throw) (not (true (throws 0)))) (<= (legal p stay) (true (shows ?s)))
             (<= (next (throws ?m)) (true (throws ?n)) (less ?n ?m) (does p throw))
             (<= (next (shows ?s)) (does p throw) (does random ?s))
             (<= (next done) (does p stay)) (<= (next (shows ?s)) (does p stay) (true (shows ?s)))
             (<= (next (throws ?n)) (does p stay) (true (throws ?n)))
             (<= terminal (true done)) (goal random 0)
             (worth 1 10) (worth 2 20) (worth 3 30) (worth 4 40) (worth 5 50) (worth 6 60)
             (<= (goal p ?v) (true done) (true (shows ?s)) (worth ?s ?v)) (<= (goal p 0) (not (true done)))",
        );
        assert!(found[0].is_exact(), "{found:?}");
        assert!((found[0].low - 140.0 / 3.0).abs() < 1e-9, "{found:?}");
    }

    /// Who may toss a coin until it shows heads expects to win; who has to toss once gets half.
    #[test]
    fn tosses_without_end() {
        let rules = |again: &str| {
            format!(
                "(role p) (role random) (init start) (legal p toss) (legal random heads) (legal random tails)
                 (<= (next won) (does random heads)) (<= (next {again}) (does random tails))
                 (<= terminal (true won)) (<= terminal (true lost))
                 (<= (goal p 100) (true won)) (<= (goal p 0) (not (true won))) (goal random 0)"
            )
        };
        let once = expected(&rules("lost"))[0];
        assert_eq!((once.low, once.high), (50.0, 50.0));
        let again = expected(&rules("start"))[0];
        assert!(again.is_exact() && again.low > 99.999, "{again:?}");
    }

    /// Piglet to two points, a game with cycles: the first player wins with probability 4/7 (Neller and Presser, "Optimal Play of
    /// the Dice Game Pig", 2004).
    #[test]
    fn piglet_has_its_published_value() {
        let found = expected(
            "(role a) (role b) (role random) (opp a b) (opp b a) (init (turn a)) (init (score a 0)) (init (score b 0)) (init (pot 0))
             (succ 0 1) (succ 1 2) (plus 0 1 1) (plus 0 2 2) (plus 1 1 2)
             (<= full (true (turn ?r)) (true (score ?r ?s)) (true (pot ?p)) (plus ?s ?p 2))
             (<= (legal ?r flip) (true (turn ?r)) (not full))
             (<= (legal ?r hold) (true (turn ?r)) (true (pot ?p)) (distinct ?p 0))
             (<= (legal ?r noop) (opp ?r ?o) (true (turn ?o))) (legal random heads) (legal random tails)
             (<= (next (pot ?q)) (does ?r flip) (does random heads) (true (pot ?p)) (succ ?p ?q))
             (<= (next (turn ?r)) (does ?r flip) (does random heads))
             (<= ends (does ?r flip) (does random tails)) (<= ends (does ?r hold))
             (<= (next (pot 0)) ends) (<= (next (turn ?o)) ends (true (turn ?r)) (opp ?r ?o))
             (<= (next (score ?r ?t)) (does ?r hold) (true (score ?r ?s)) (true (pot ?p)) (plus ?s ?p ?t))
             (<= (next (score ?r ?s)) (true (score ?r ?s)) (not (does ?r hold)))
             (<= terminal (true (score ?r 2))) (<= (goal ?r 100) (opp ?r ?o) (true (score ?r 2)))
             (<= (goal ?r 0) (opp ?r ?o) (not (true (score ?r 2)))) (goal random 0)",
        );
        for (expected, value) in found.iter().zip([400.0 / 7.0, 300.0 / 7.0]) {
            assert!(expected.is_exact(), "{expected:?}");
            assert!((expected.low - value).abs() < 1e-6, "{expected:?}");
        }
    }

    /// Choices at the same time are bounds: the role names a side, the other one another, and chance a third.
    #[test]
    fn choices_at_the_same_time_are_bounds() {
        let found = expected(
            "(role a) (role b) (role random) (init start) (side 1) (side 2)
             (<= (legal ?r ?s) (role ?r) (side ?s)) (<= (next (did ?r ?s)) (does ?r ?s))
             (<= terminal (true (did a ?s))) (<= alike (true (did a ?s)) (true (did b ?s)))
             (<= lucky (true (did a ?s)) (true (did random ?s)))
             (<= (goal a 100) alike lucky) (<= (goal a 50) alike (not lucky)) (<= (goal a 0) (not alike))
             (<= (goal b 0) alike lucky) (<= (goal b 50) alike (not lucky)) (<= (goal b 100) (not alike)) (goal random 0)",
        );
        assert_eq!((found[0].low, found[0].high), (0.0, 75.0));
        assert_eq!((found[1].low, found[1].high), (25.0, 100.0));
    }
}
