//! Values of all states that follow from one, and how to play there: for games that have few.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit_stop::Stop;

use crate::game::engine::Engines;
use crate::game::ground::GroundGame;
use crate::game::machine::expansion::team::ExpanderTeam;
use crate::game::machine::{RoleId, State};

use super::bounds::{goals, has_too_many_goals, players, valued};
use super::expectation::{self, Expectations};
use super::graph::{Edge, Graph};
use super::outlook::{Outlook, RoleOutlook};
use super::split::{Side, Split};

/// The part of the time in which all states have to be found. The rest is to find out what they are worth.
const FINDING: f64 = 0.6;

/// A layer of states indicates how fast others will be found if it took at least this.
const MIN_MEASURED: Duration = Duration::from_millis(10);

/// How much faster than the last layer those to come may be at most, as when machine code becomes
/// ready.
const MAX_HASTE: f64 = 4.0;

/// All states that follow from one, with what each is worth to all roles.
pub(crate) struct StateValues {
    graph: Graph,
    /// The goals with which matches end: see [`Graph::ends`].
    ends: Vec<Box<[i32]>>,
    /// The outlook of each role but chance.
    roles: Vec<(RoleId, RoleOutlook)>,
    /// For each of these roles and each of its goals, the greatest goal of every role in all ends
    /// in which it gets at least that.
    ceilings: Vec<Vec<Box<[i32]>>>,
    /// The greatest goal of every role in all ends.
    greatest: Box<[i32]>,
    /// Whether no role does better with chances than with what can be forced: if there are none, as roles
    /// move in turns, or if the goals of two players have the same sum in all ends.
    is_sure: bool,
    /// Whether there is one role only.
    is_alone: bool,
    /// What roles expect, if chance plays.
    chance: Option<ChanceValues>,
}

/// What roles expect in the states of a game in which chance plays, and one other role at most decides at a time.
enum ChanceValues {
    /// The value for each role but chance: there is one, or there are two with opposed goals.
    Exact(Vec<(RoleId, Expectations)>),
    /// What they expect depends on what others want.
    Open,
}

/// The value of a move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct MoveValue {
    /// The place of the move among those that are legal, ascending.
    pub(crate) place: usize,
    /// The least and the greatest goal that the role may get then, or expect to if chance plays, if all roles play well.
    pub(crate) range: (f64, f64),
    /// After how many joint moves a win or a loss is there, this one included, if it is one: the
    /// role or the others cannot force it sooner. These are the greatest and the least goal with
    /// which matches end from where the states begin.
    pub(crate) distance: Option<u32>,
}

impl StateValues {
    /// Finds all states that follow from one, within about `memory` bytes, and their values. Gives up as
    /// soon as it is seen that there is not room or time enough, and where the match is over; and if some
    /// end has not exactly one goal for each role, or some match cannot go on.
    pub(crate) fn find(
        engines: &Arc<Engines>,
        root: &State,
        memory: usize,
        stop: &Stop,
    ) -> Option<StateValues> {
        let game = engines.game();
        let mut expanders = ExpanderTeam::new(engines, 1);
        let mut graph = Graph::new(engines, expanders.words(), root);
        if expanders.goals_at_end(graph.state(0)).is_some() || has_too_many_goals(game) {
            return None;
        }
        let finding = stop.for_part(FINDING);
        while !graph.is_complete() {
            let layer = graph.len() - graph.expanded();
            let start = Instant::now();
            let limits = (memory, usize::MAX);
            let grown = graph.grow_layer(&mut expanders, limits, &finding, |_| ());
            grown.ok()?;
            if !fits(&graph, layer, start.elapsed(), memory, &finding) {
                tracing::debug!(states = graph.len(), "too many states");
                return None;
            }
        }
        if let Some(undefined) = graph.undefined(valued(game)) {
            tracing::debug!(?undefined, "not all states have a value");
            return None;
        }
        // Those of others are all alike.
        let counted = |end: &[Option<i32>]| end.iter().map(|goal| goal.unwrap_or(0)).collect();
        let ends: Vec<Box<[i32]>> = graph.ends().iter().map(|end| counted(end)).collect();
        let count = game.roles().len();
        let mut roles = Vec::new();
        for role in players(game) {
            roles.push((role, outlook(game, (&graph, &ends), role, stop)?));
        }
        let ceilings = roles.iter().map(|(role, outlook)| {
            let goals = outlook.goals.iter();
            let ceilings =
                goals.map(|&goal| greatest_of(count, &ends, |end| end[role.index()] >= goal));
            ceilings.collect()
        });
        let ceilings = ceilings.collect();
        let is_opposed = has_same_sums(game, &ends);
        let chance = match expectation::has_chance(game, &graph) {
            true => Some(ChanceValues::find(game, &graph, is_opposed, stop)?),
            false => None,
        };
        tracing::debug!(states = graph.len(), "all states are known");
        Some(StateValues {
            chance,
            ceilings,
            greatest: greatest_of(count, &ends, |_| true),
            is_sure: is_opposed || has_no_chances(game, &graph),
            is_alone: game.roles().len() == 1,
            roles,
            graph,
            ends,
        })
    }

    /// The number of states.
    pub(crate) fn states(&self) -> usize {
        self.graph.len()
    }

    /// Returns the least and the greatest goal that a role may get from a state on if all roles play well,
    /// by what each can force, or what it expects if chance plays; `None` if that is not known, the state is not there, or the
    /// role is played by chance.
    pub(crate) fn range(&self, state: &State, role: RoleId) -> Option<(f64, f64)> {
        self.outlook(role)?;
        let at = self.graph.find(state)?;
        let expected = self.chance.as_ref().and_then(|chance| chance.of(role));
        if let Some(expected) = expected {
            let value = expected.of_state(at);
            return Some((value, value));
        }
        let (low, high) = self.range_of(at, role)?;
        Some((low.into(), high.into()))
    }

    /// Returns what each legal move of a role brings in a state, the best first; `None` if the state is not
    /// there, or no role can move.
    pub(crate) fn moves(&self, state: &State, role: RoleId) -> Option<Vec<MoveValue>> {
        let outlook = self.outlook(role)?;
        let at = self.graph.find(state)?;
        if let Some(chance) = &self.chance {
            let values = chance.of(role)?.of_choices(&self.graph, at).into_iter();
            let mut moves: Vec<MoveValue> = values
                .enumerate()
                .map(|(place, value)| MoveValue {
                    place,
                    range: (value, value),
                    distance: None,
                })
                .collect();
            moves.sort_by(|a, b| b.range.0.total_cmp(&a.range.0));
            return (!moves.is_empty()).then_some(moves);
        }
        let mut choices = Vec::new();
        outlook.choices(&self.graph, at, &mut choices);
        let mut order: Vec<usize> = (0..choices.len()).collect();
        order.sort_by(|&a, &b| outlook.compare(&choices[b], &choices[a]));
        let greatest = self.greatest_goals(at, role, outlook.split(&self.graph, at));
        let value = |place: usize| {
            let Outlook { level, .. } = choices[place];
            let low = outlook.goals[usize::from(level)];
            let range = (low, greatest[place].max(low));
            let distance = choices[place].distance();
            MoveValue {
                place,
                range: (range.0.into(), range.1.into()),
                distance: distance.filter(|_| outlook.is_decided(level) && range.0 == range.1),
            }
        };
        (!choices.is_empty()).then(|| order.into_iter().map(value).collect())
    }

    /// For each choice of a role in a state, the greatest goal that it may get then.
    fn greatest_goals(&self, at: usize, role: RoleId, split: &Split) -> Vec<i32> {
        let mut greatest = vec![i32::MIN; split.choices()];
        for (joint, edge) in self.graph.edges(at).enumerate() {
            let goal = match edge {
                Edge::End(end) => self.ends[end][role.index()],
                Edge::State(state) => self
                    .range_of(state, role)
                    .map_or(i32::MAX, |(_, high)| high),
            };
            let greatest = &mut greatest[split.choice(joint)];
            *greatest = goal.max(*greatest);
        }
        greatest
    }

    fn range_of(&self, at: usize, role: RoleId) -> Option<(i32, i32)> {
        let own = self.outlook(role)?;
        let low = own.goal_of_state(at);
        if self.is_alone {
            return Some((low, low));
        }
        let all = self.roles.iter().zip(&self.ceilings);
        // A role that would get less for certain than from a gamble may gamble. It is none for a role that
        // gets the most there is.
        let is_heeded = |other: RoleId, outlook: &RoleOutlook| {
            self.is_sure || outlook.goal_of_state(at) >= self.greatest[other.index()]
        };
        let others =
            all.filter(|((other, outlook), _)| *other != role && is_heeded(*other, outlook));
        let ceilings = others.map(|((_, other), ceilings)| {
            ceilings[usize::from(other.of_state(at).level)][role.index()]
        });
        let most = own.goals[own.goals.len() - 1];
        Some((low, ceilings.fold(most, i32::min).max(low)))
    }

    fn outlook(&self, role: RoleId) -> Option<&RoleOutlook> {
        let found = self.roles.iter().find(|(other, _)| *other == role);
        found.map(|(_, outlook)| outlook)
    }
}

impl ChanceValues {
    /// Finds what each role expects, unless a stop comes. Two players may have opposed goals.
    fn find(
        game: &GroundGame,
        graph: &Graph,
        is_opposed: bool,
        stop: &Stop,
    ) -> Option<ChanceValues> {
        let has_value = is_opposed || players(game).count() == 1;
        if !has_value || !expectation::is_in_turns(game, graph) {
            return Some(ChanceValues::Open);
        }
        let all = players(game).map(|role| {
            let values = Expectations::of(game, graph, (role, Side::Role), stop);
            values.is_final().then_some((role, values))
        });
        all.collect::<Option<_>>().map(ChanceValues::Exact)
    }

    /// What a role expects, if that is known.
    fn of(&self, role: RoleId) -> Option<&Expectations> {
        match self {
            ChanceValues::Exact(all) => {
                let found = all.iter().find(|(other, _)| *other == role);
                found.map(|(_, values)| values)
            }
            ChanceValues::Open => None,
        }
    }
}

impl fmt::Debug for StateValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateValues")
            .field("states", &self.states())
            .finish_non_exhaustive()
    }
}

/// Returns whether there seems to be room and time for what is left, after a layer of `layer` states took
/// this time. The frontier is still to come, and as much again while layers still grow.
fn fits(graph: &Graph, layer: usize, took: Duration, memory: usize, finding: &Stop) -> bool {
    let frontier = graph.len() - graph.expanded();
    let coming = match frontier > layer {
        true => frontier,
        false => 0,
    };
    let bytes = graph.bytes() as f64 / graph.len() as f64 * (graph.len() + coming) as f64;
    let left = finding.remaining().unwrap_or(Duration::MAX).as_secs_f64();
    let needed = took.as_secs_f64() / layer as f64 * (frontier + coming) as f64;
    bytes <= memory as f64 && (took < MIN_MEASURED || needed <= MAX_HASTE * left)
}

/// Returns the outlook of a role in each state of a complete graph, unless a stop comes.
fn outlook(
    game: &GroundGame,
    (graph, ends): (&Graph, &[Box<[i32]>]),
    role: RoleId,
    stop: &Stop,
) -> Option<RoleOutlook> {
    let goals = goals(game, role);
    let group = Side::Role.group(role, game.random_role(), game.roles().len());
    let shapes = graph.shapes().iter();
    let splits = shapes.map(|counts| Split::new(Side::Role, &group, counts, graph.edge_count()));
    let place = |end: &[i32]| goals.partition_point(|&goal| goal < end[role.index()]) as u16;
    let ends = ends.iter().map(|end| place(end)).collect();
    let splits = splits.collect();
    RoleOutlook::new(graph, goals, ends, splits, stop)
}

/// Whether roles move in turns and nothing is left to chance, so that a role that plays well gets what it can force at least.
fn has_no_chances(game: &GroundGame, graph: &Graph) -> bool {
    let takes_turns = |counts: &[usize]| counts.iter().filter(|&&count| count > 1).count() <= 1;
    game.random_role().is_none() && graph.shapes().iter().all(|counts| takes_turns(counts))
}

/// Whether there are two players, and their goals have the same sum in all ends.
fn has_same_sums(game: &GroundGame, ends: &[Box<[i32]>]) -> bool {
    let players: Vec<RoleId> = players(game).collect();
    let sum = |end: &[i32]| {
        let goals = players.iter().map(|role| i64::from(end[role.index()]));
        goals.sum::<i64>()
    };
    let mut sums = ends.iter().map(|end| sum(end));
    let first = sums.next();
    players.len() == 2 && sums.all(|sum| Some(sum) == first)
}

/// Returns the greatest goal of each of `roles` roles in all ends that count.
fn greatest_of(roles: usize, ends: &[Box<[i32]>], is_one: impl Fn(&[i32]) -> bool) -> Box<[i32]> {
    let ends = ends.iter().filter(|end| is_one(end));
    let greatest = ends.cloned().reduce(|mut greatest, end| {
        let both = greatest.iter_mut().zip(&end);
        both.for_each(|(most, &goal)| *most = goal.max(*most));
        greatest
    });
    // If there is no such end, nothing follows.
    greatest.unwrap_or_else(|| vec![i32::MAX; roles].into())
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashMap;

    use super::*;
    use crate::game::load::{Game, Setup};
    use crate::game::machine::{Backend, Move, StateMachine};

    const ROLES: [RoleId; 2] = [RoleId(0), RoleId(1)];

    fn game(rules: &str) -> Game {
        Game::from_text("test.kif", rules, &Setup::default()).unwrap()
    }

    /// The least and the greatest goal that a role may get.
    fn range(values: &StateValues, state: &State, role: RoleId) -> Option<(i32, i32)> {
        let (low, high) = values.range(state, role)?;
        Some((low as i32, high as i32))
    }

    fn find(game: &Game) -> StateValues {
        let engines = game.engines().unwrap();
        let values = StateValues::find(engines, engines.game().initial(), 1 << 28, &Stop::new());
        values.unwrap()
    }

    /// A goal of the first role, and the joint moves until it comes.
    type Worth = (i32, u32);

    /// The goal of the first role with best play in a game in turns in which the second gets the
    /// rest of 100, and the joint moves until the end, of which a winner wants few and a loser many.
    struct Minimax<'a> {
        machine: &'a mut dyn StateMachine,
        /// The goal of the loser.
        loss: i32,
        known: FxHashMap<State, Worth>,
    }

    impl Minimax<'_> {
        fn value(&mut self, state: &State) -> Worth {
            if self.machine.is_terminal(state).unwrap() {
                return (self.machine.goal(state, ROLES[0]).unwrap(), 0);
            }
            if let Some(&known) = self.known.get(state) {
                return known;
            }
            let (decider, after) = self.after(state);
            let worth = |&(_, (goal, steps)): &(Move, Worth)| {
                let own = if decider == 0 { goal } else { 100 - goal };
                let late = if own == self.loss {
                    i64::from(steps)
                } else {
                    -i64::from(steps)
                };
                (own, late)
            };
            let (_, (goal, steps)) = after.into_iter().max_by_key(worth).unwrap();
            self.known.insert(state.clone(), (goal, steps + 1));
            (goal, steps + 1)
        }

        /// The role that decides in a state, and the values after its moves.
        fn after(&mut self, state: &State) -> (usize, Vec<(Move, Worth)>) {
            let legal = ROLES.map(|role| {
                let mut legal = Vec::new();
                self.machine.legal_moves(state, role, &mut legal).unwrap();
                legal
            });
            let decider = usize::from(legal[0].len() == 1);
            let after = legal[decider].clone().into_iter().map(|played| {
                let mut joint = [legal[0][0], legal[1][0]];
                joint[decider] = played;
                let next = self.machine.next_state(state, &joint).unwrap();
                (played, self.value(&next))
            });
            (decider, after.collect())
        }
    }

    /// A role that can have 40 for certain may prefer half of 100 on average, by chance or by a move that
    /// the others cannot foresee.
    #[test]
    fn gambles_may_be_better_than_what_can_be_forced() {
        let rules = |more: &str| {
            format!(
                "(role x) (role y) (init start) (<= (legal x enter) (true start))
                 (<= (legal x leave) (true start)) (<= (legal y wait) (true start))
                 (<= (next left) (does x leave)) (<= (next inside) (does x enter))
                 (<= (legal y safe) (true inside)) (<= (next saved) (does y safe))
                 (<= terminal (true left)) (<= terminal (true saved)) (<= terminal (true mine))
                 (<= terminal (true yours)) (<= (goal x 10) (true left)) (<= (goal y 10) (true left))
                 (<= (goal x 0) (true saved)) (<= (goal y 40) (true saved))
                 (<= (goal x 100) (true mine)) (<= (goal y 0) (true mine))
                 (<= (goal x 0) (true yours)) (<= (goal y 100) (true yours)) {more}"
            )
        };
        let coin = "(role random) (legal random heads) (legal random tails)
            (<= (legal y gamble) (true inside)) (<= (legal x wait) (true inside))
            (<= (next mine) (does y gamble) (does random heads))
            (<= (next yours) (does y gamble) (does random tails))";
        let pennies = "(side heads) (side tails) (<= (legal y ?s) (true inside) (side ?s))
            (<= (legal x ?s) (true inside) (side ?s)) (<= same (does x ?s) (does y ?s))
            (<= gambles (does y ?s) (side ?s)) (<= (next mine) (true inside) same)
            (<= (next yours) (true inside) gambles (not same))";
        // In turns, it is known what will come of it.
        let turns = "(<= (legal y gamble) (true inside)) (<= (legal x wait) (true inside))
            (<= (next yours) (does y gamble)) (<= (next mine) (true never)) (<= (next never) (true never))";
        for (more, expected) in [(coin, (10, 100)), (pennies, (10, 100)), (turns, (10, 10))] {
            let game = game(&rules(more));
            let values = find(&game);
            let initial = game.ground_game().unwrap().initial();
            assert_eq!(range(&values, initial, ROLES[0]), Some(expected), "{more}");
        }
    }

    #[test]
    fn tic_tac_toe_is_played_as_by_minimax() {
        is_played_as_by_minimax(propjit_gdl::games::text("ticTacToe").unwrap(), 0);
    }

    #[test]
    fn wins_and_losses_are_the_goals_that_occur() {
        let rules = propjit_gdl::games::text("ticTacToe").unwrap();
        let rules = rules.replace("goal ?player 100", "goal ?player 75");
        let rules = rules.replace("goal ?player 0", "goal ?player 25");
        // That never happens.
        let others = [0, 100]
            .map(|goal| format!("(<= (goal ?player {goal}) (role ?player) (line x) (line o))"));
        let rules = rules + &others.concat();
        let all = goals(game(&rules).ground_game().unwrap(), ROLES[0]);
        assert_eq!(all, [0, 25, 50, 75, 100]);
        is_played_as_by_minimax(&rules, 25);
    }

    /// Asserts that all states of a form of tic-tac-toe in which the loser gets this goal have the right
    /// values.
    fn is_played_as_by_minimax(rules: &str, loss: i32) {
        let game = game(rules);
        let values = find(&game);
        let mut machine = game.machine(Backend::Scalar).unwrap();
        let start = machine.initial_state().unwrap();
        let mut minimax = Minimax {
            machine: &mut *machine,
            loss,
            known: FxHashMap::default(),
        };
        assert_eq!(minimax.value(&start).0, 50);
        let states: Vec<State> = minimax.known.keys().cloned().collect();
        assert_eq!(values.states(), states.len());
        for state in states {
            let (decider, after) = minimax.after(&state);
            let (goal, steps) = minimax.known[&state];
            for (role, goal) in ROLES.into_iter().zip([goal, 100 - goal]) {
                assert_eq!(range(&values, &state, role), Some((goal, goal)));
            }
            let moves = values.moves(&state, ROLES[decider]).unwrap();
            assert_eq!(moves.len(), after.len());
            let own = |goal: i32| if decider == 0 { goal } else { 100 - goal };
            assert!(moves.is_sorted_by_key(|of| -of.range.0));
            for of in &moves {
                let (_, (goal, steps)) = after[of.place];
                assert_eq!(of.range, (own(goal).into(), own(goal).into()));
                let is_decided = goal != 50;
                assert_eq!(of.distance, is_decided.then_some(steps + 1));
            }
            // A win as soon as it can be, a loss as late.
            let is_decided = goal != 50;
            assert_eq!(moves[0].distance, is_decided.then_some(steps));
        }
        assert_eq!(range(&values, &State::new(), ROLES[0]), None);
    }

    #[test]
    fn a_goal_is_not_put_off_for_ever() {
        // A role that waits may hope for more than 50, but the other one need not ever give it.
        let rules = "(role a) (role b) (init (turn a)) (other a b) (other b a)
            (<= (legal a wait) (true (turn a))) (<= (legal a take) (true (turn a)))
            (<= (legal b wait) (true (turn b))) (<= (legal b give) (true (turn b)))
            (<= (legal ?r noop) (true (turn ?s)) (other ?r ?s))
            (<= (next (turn ?s)) (true (turn ?r)) (other ?r ?s))
            (<= (next taken) (does a take)) (<= (next given) (does b give))
            (<= terminal (true taken)) (<= terminal (true given))
            (<= (goal a 50) (true taken)) (<= (goal a 100) (true given))
            (<= (goal b 50) (true taken)) (<= (goal b 0) (true given))";
        let game = game(rules);
        let values = find(&game);
        let start = game.ground_game().unwrap().initial();
        let take = game
            .ground_game()
            .unwrap()
            .parse_move(ROLES[0], "take")
            .unwrap();
        let moves = values.moves(start, ROLES[0]).unwrap();
        let mut machine = game.machine(Backend::Scalar).unwrap();
        let mut legal = Vec::new();
        machine.legal_moves(start, ROLES[0], &mut legal).unwrap();
        legal.sort_unstable();
        assert_eq!(legal[moves[0].place], take);
        // That is what each can force; but the first may get more.
        assert_eq!(range(&values, start, ROLES[0]), Some((50, 100)));
        // The other one gets nothing that it could force.
        assert_eq!(range(&values, start, ROLES[1]), Some((0, 50)));
    }

    #[test]
    fn choices_at_the_same_time_have_what_is_sure_of_them() {
        let rules = |table: &str| {
            format!(
                "(role a) (role b) (init start) {table}
                 (legal a x) (legal a y) (legal b x) (legal b y)
                 (<= (next (did ?r ?m)) (does ?r ?m)) (<= terminal (true (did a ?m)))
                 (<= (goal a ?v) (true (did a ?m)) (true (did b ?n)) (worth ?m ?n ?v ?w))
                 (<= (goal b ?w) (true (did a ?m)) (true (did b ?n)) (worth ?m ?n ?v ?w))"
            )
        };
        // With y, the first is never worse off; the second is not with x.
        let dominant = "(worth x x 0 100) (worth x y 50 50) (worth y x 50 50) (worth y y 100 0)";
        let pennies = "(worth x x 100 0) (worth y y 100 0) (worth x y 0 100) (worth y x 0 100)";
        for (table, expected) in [(dominant, (50, 50)), (pennies, (0, 100))] {
            let game = game(&rules(table));
            let values = find(&game);
            let start = game.ground_game().unwrap().initial();
            for role in ROLES {
                assert_eq!(range(&values, start, role), Some(expected), "{table}");
            }
            if table == dominant {
                let [first, second] = ROLES.map(|role| values.moves(start, role).unwrap()[0]);
                assert_eq!((first.place, second.place), (1, 0));
                assert_eq!((first.range, second.range), ((50.0, 100.0), (50.0, 100.0)));
            }
        }
    }

    #[test]
    fn a_game_with_many_states_is_given_up() {
        let game = game(propjit_gdl::games::text("connectFour").unwrap());
        let engines = game.engines().unwrap();
        let start = engines.game().initial();
        assert!(StateValues::find(engines, start, 1 << 20, &Stop::new()).is_none());
        let stop = Stop::new();
        stop.set();
        assert!(StateValues::find(engines, start, 1 << 30, &stop).is_none());
    }
}
