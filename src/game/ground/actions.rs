//! Actions: the moves of a game, numbered for learners.
//!
//! The same text is the same action, whatever role plays it, so that what is learned of a move for one
//! role can serve the others; [`Move`]s are numbered for each role by itself.

use std::cmp::Ordering;

use propjit_gdl::propnet::Propnet;
use propjit_gdl::term::TermId;
use rustc_hash::FxHashMap;

use super::choices;
use super::lowered_game::LoweredGame;
use super::phases::Phases;
use crate::game::vocabulary::moves::{Move, RANDOM_ROLE, RoleId};
use crate::game::vocabulary::natural_order;

/// The moves of a game, numbered for learners: the same text is the same action for all roles.
///
/// Actions are numbered from 0, in three parts:
///
/// 1. moves of players that may be a choice: that may be legal beside another move of the same player;
/// 2. moves of players that are forced whenever they are legal, such as that of passing where players
///    take turns;
/// 3. moves that only the role `random` has.
///
/// Each part is in natural order: terms are compared by functor, and then by arguments from left to
/// right; a term that ends comes before one with more arguments. Of names, integers come first, by value
/// (`(mark 2 1)` before `(mark 10 1)`). Other names are compared by runs of digits, which count by value
/// and come before other characters, and runs of other characters, which are compared by their bytes
/// (`b2` before `b10`).
///
/// A move is in the second part only if it is proved, for each player that has it, that it is never
/// legal beside another one: of each phase by itself, from the structure of the circuit; or by a SAT
/// solver for all states in which small groups such as `(control x)` and `(control o)`, of which this
/// is proved by induction, have one true member at most. The second is tried for moves that are seen to
/// be forced, and never to be a choice, in a fixed number of random joint moves. Limits are counts, never
/// times, and the random numbers are fixed: the actions of a rulesheet are the same on any machine, with
/// any seed, backend and number of threads.
///
/// ```
/// # use propjit::game::load::{Game, Setup};
/// use propjit::game::machine::RoleId;
///
/// # let rules = propjit::gdl::games::text("ticTacToe").unwrap();
/// # let game = Game::from_text("ticTacToe.kif", rules, &Setup::default())?;
/// let game = game.ground_game().unwrap();
/// let actions = game.actions();
/// assert_eq!((actions.choices(), actions.of_players()), (9, 10));
/// assert_eq!(game.action_text(3), "(mark 2 1)");
/// assert_eq!(game.action_text(9), "noop");
/// let noop = game.parse_move(RoleId(1), "noop")?;
/// assert_eq!(actions.of(RoleId(1), noop), 9);
/// assert_eq!(actions.played(RoleId(1), 9), Some(noop));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Actions {
    names: Vec<TermId>,
    choices: usize,
    of_players: usize,
    /// For each role, the action of each of its moves.
    by_move: Vec<Vec<u32>>,
    /// For each role, the move of each action, if the role has it.
    by_action: Vec<Vec<Option<Move>>>,
}

/// The parts of the numbering, in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Choices,
    Forced,
    Random,
}

impl Actions {
    /// Numbers the moves of a game.
    pub(super) fn find(game: &LoweredGame, phases: &Phases) -> Actions {
        let net = game.propnet();
        let parts = parts(net, &choices::find(game, phases));
        let mut names: Vec<(Part, TermId)> =
            parts.iter().map(|(&name, &part)| (part, name)).collect();
        names.sort_unstable_by(|a, b| match a.0.cmp(&b.0) {
            Ordering::Equal => natural_order::compare(&net.terms, a.1, b.1),
            parts => parts,
        });
        let numbers: FxHashMap<TermId, u32> =
            names.iter().map(|&(_, name)| name).zip(0..).collect();
        let by_move = net.roles.iter().map(|role| {
            let moves = role.moves.iter();
            moves.map(|played| numbers[&played.name]).collect()
        });
        let by_move: Vec<Vec<u32>> = by_move.collect();
        let by_action = by_move.iter().map(|actions| {
            let mut moves = vec![None; names.len()];
            for (&action, number) in actions.iter().zip(0..) {
                moves[action as usize] = Some(Move(number));
            }
            moves
        });
        let before = |part: Part| names.partition_point(|(of, _)| *of < part);
        Actions {
            choices: before(Part::Forced),
            of_players: before(Part::Random),
            by_action: by_action.collect(),
            by_move,
            names: names.into_iter().map(|(_, name)| name).collect(),
        }
    }

    /// Returns the number of actions, with those that only the role `random` has.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns whether no role has a move.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the number of actions that players have, which come first: all roles but `random` are
    /// players.
    pub fn of_players(&self) -> usize {
        self.of_players
    }

    /// Returns the number of actions that may be a player's choice, which come first of all.
    pub fn choices(&self) -> usize {
        self.choices
    }

    /// Returns the name of each action, in the terms of the network.
    pub fn names(&self) -> &[TermId] {
        &self.names
    }

    /// Returns the action that a move of a role is.
    ///
    /// # Panics
    /// If the role does not have the move.
    pub fn of(&self, role: RoleId, played: Move) -> usize {
        self.by_move[role.index()][played.index()] as usize
    }

    /// Returns the actions of all moves of a role, in the order of the moves.
    pub fn of_moves(&self, role: RoleId) -> &[u32] {
        &self.by_move[role.index()]
    }

    /// Returns the move of a role that an action is, if the role has it.
    pub fn played(&self, role: RoleId, action: usize) -> Option<Move> {
        self.by_action[role.index()].get(action).copied().flatten()
    }

    /// Returns the moves of a role, in the order of their actions.
    pub fn moves(&self, role: RoleId) -> impl Iterator<Item = Move> {
        self.by_action[role.index()].iter().copied().flatten()
    }
}

/// Returns the part in which each move belongs, given which moves of each role may be a choice.
fn parts(net: &Propnet, choices: &[Vec<bool>]) -> FxHashMap<TermId, Part> {
    let mut parts = FxHashMap::default();
    for (role, choices) in net.roles.iter().zip(choices) {
        let is_random = net.terms.text(role.name) == RANDOM_ROLE;
        for (played, &is_choice) in role.moves.iter().zip(choices) {
            let part = match (is_random, is_choice) {
                (true, _) => Part::Random,
                (false, true) => Part::Choices,
                (false, false) => Part::Forced,
            };
            let known = parts.entry(played.name).or_insert(part);
            *known = part.min(*known);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use crate::game::ground::GroundGame;
    use crate::game::load::{Game, Setup};
    use crate::game::machine::RoleId;

    fn game(text: &str) -> Game {
        Game::from_text("test.kif", text, &Setup::default()).unwrap()
    }

    /// Returns the texts of the three parts.
    fn parts(ground: &GroundGame) -> [Vec<String>; 3] {
        let actions = ground.actions();
        let (choices, players) = (actions.choices(), actions.of_players());
        [0..choices, choices..players, players..actions.len()]
            .map(|part| part.map(|action| ground.action_text(action)).collect())
    }

    /// Two players who put a stone in turn, on cells that are numbered from `first`; chance draws.
    fn stones(first: usize, more: &str) -> String {
        let cells = (first..12).map(|cell| format!("(cell {cell})"));
        format!(
            "(role x) (role random) (role o) (init (control x)) {}
             (<= (legal ?p (put ?c)) (true (control ?p)) (distinct ?p random) (cell ?c)
                 (not (true (stone ?c))))
             (<= (legal random (draw ?c)) (cell ?c))
             (<= (next (stone ?c)) (does ?p (put ?c)))
             (<= (next (stone ?c)) (true (stone ?c)))
             (<= (next (control x)) (true (control o)))
             (<= (next (control o)) (true (control x)))
             (<= terminal (true (stone 2)) (true (stone 10)))
             (<= (goal ?p 50) (role ?p)) {more}",
            cells.collect::<String>()
        )
    }

    const WAITS: &str =
        "(<= (legal ?p noop) (role ?p) (distinct ?p random) (not (true (control ?p))))";

    #[test]
    fn choices_come_before_forced_moves_and_those_of_chance() {
        let game = game(&stones(9, WAITS));
        let [choices, forced, chance] = parts(game.ground_game().unwrap());
        assert_eq!(choices, ["(put 9)", "(put 10)", "(put 11)"]);
        assert_eq!(forced, ["noop"]);
        assert_eq!(chance, ["(draw 9)", "(draw 10)", "(draw 11)"]);
    }

    #[test]
    fn a_move_is_one_action_for_all_roles() {
        let game = game(&stones(2, WAITS));
        let ground = game.ground_game().unwrap();
        let actions = ground.actions();
        for role in ground.layout().roles() {
            let mut last = None;
            for played in actions.moves(role) {
                let action = actions.of(role, played);
                assert_eq!(ground.action_text(action), ground.move_text(role, played));
                assert_eq!(actions.played(role, action), Some(played));
                assert!(last.replace(action) < Some(action));
            }
        }
        let stone = |role| ground.parse_move(RoleId(role), "(put 10)").unwrap();
        assert_eq!(actions.of(RoleId(0), stone(0)), 8);
        assert_eq!(actions.of(RoleId(2), stone(2)), 8);
        assert_eq!(actions.played(RoleId(1), 8), None);
        assert_eq!(actions.played(RoleId(0), 1000), None);
    }

    #[test]
    fn what_one_player_may_choose_is_a_choice() {
        // `o` may also wait where it is to move.
        let rules = stones(
            9,
            &format!("{WAITS} (<= (legal o noop) (true (control o)))"),
        );
        let [choices, forced, _] = parts(game(&rules).ground_game().unwrap());
        assert_eq!(choices, ["noop", "(put 9)", "(put 10)", "(put 11)"]);
        assert_eq!(forced, [""; 0]);
    }

    /// Whoever puts a stone on an even cell moves again, so that turns are no phases.
    #[test]
    fn turns_that_depend_on_moves_exclude_each_other() {
        let rules = stones(9, WAITS)
            .replace("(<= (next (control x)) (true (control o)))", "")
            .replace("(<= (next (control o)) (true (control x)))", "");
        let rules = format!(
            "{rules} (even 10) (other x o) (other o x)
             (<= (next (control ?p)) (does ?p (put ?c)) (even ?c))
             (<= (next (control ?q)) (does ?p (put ?c)) (not (even ?c)) (other ?p ?q))"
        );
        let game = game(&rules);
        let ground = game.ground_game().unwrap();
        assert_eq!(ground.phases().period(), 1);
        let [choices, forced, _] = parts(ground);
        assert_eq!((choices.len(), forced), (3, vec!["noop".to_string()]));
    }

    /// By its name, passing is nothing special: here it is what is done only where nothing else can be.
    #[test]
    fn what_excludes_all_else_is_forced() {
        let rules = "(role r) (init (left 2)) (cell 1) (cell 2)
            (<= (legal r (take ?c)) (true (stone ?c))) (init (stone 1)) (init (stone 2))
            (<= some (true (stone ?c)))
            (<= (legal r give_up) (not some))
            (<= (next (stone ?c)) (true (stone ?c)) (not (does r (take ?c))))
            (<= (next over) (does r give_up))
            (<= terminal (true over)) (goal r 50)";
        let [choices, forced, _] = parts(game(rules).ground_game().unwrap());
        assert_eq!(choices, ["(take 1)", "(take 2)"]);
        assert_eq!(forced, ["give_up"]);
    }
}
