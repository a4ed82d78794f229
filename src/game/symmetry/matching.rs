//! What becomes of moves and percepts when propositions and roles are renamed, and whether that is a symmetry.

use std::cell::OnceCell;
use std::hash::Hash;
use std::time::Duration;

use propjit_gdl::propnet::{Gate, GateId, Propnet, Wire};
use propjit_stop::Stop;
use rustc_hash::FxHashMap;

use super::bisimulation::Functions;
use super::colours::{Colours, Labels, WireColour, hash};
use super::counted_goals::CountedGoals;
use super::renaming::Renaming;
use crate::game::ground::GroundGame;
use crate::game::vocabulary::moves::{Move, RoleId};

/// How often moves are told apart by what else is known of other moves.
const ROUNDS: usize = 2;

/// For each role, a value for each of its moves or percepts.
type ByRole<T> = Vec<Vec<T>>;

/// The time for tables of goals that count.
const COUNTING: Duration = Duration::from_secs(10);

/// Proves renamings of a network to be symmetries.
pub(super) struct Prover<'a> {
    game: &'a GroundGame,
    stop: &'a Stop,
    net: &'a Propnet,
    /// The characteristics of moves, by which the images of moves are found.
    moves: ByRole<u64>,
    colours: Colours<'a, Named<'a>>,
    functions: Functions,
    /// Found when they are needed.
    counted: OnceCell<Option<CountedGoals>>,
}

/// What a port is for, besides moves.
#[derive(Hash)]
enum Port {
    Next(usize),
    Legal(usize),
    Terminal,
    Goal(usize, i32),
    Percept(usize),
}

/// Labels of inputs after a renaming, if there is one.
struct Named<'a> {
    renaming: Option<&'a Renaming>,
    /// The label of each move.
    moves: ByRole<u64>,
}

impl Named<'_> {
    fn role(&self, role: usize) -> usize {
        self.renaming
            .map_or(role, |renaming| renaming.role(RoleId(role as u32)).index())
    }
}

impl Labels for Named<'_> {
    fn base(&self, base: usize) -> usize {
        self.renaming.map_or(base, |renaming| renaming.base(base))
    }

    fn does(&self, role: usize, number: usize) -> (usize, u64) {
        (self.role(role), self.moves[role][number])
    }
}

impl<'a> Prover<'a> {
    /// Creates it; none if colours happen to be the same for different functions.
    pub(super) fn new(game: &'a GroundGame, stop: &'a Stop) -> Option<Prover<'a>> {
        let net = game.propnet();
        let moves = characteristics(net, None);
        let numbers = net
            .roles
            .iter()
            .map(|role| (0..role.moves.len() as u64).collect());
        let named = Named {
            renaming: None,
            moves: numbers.collect(),
        };
        let colours = Colours::new(net, named);
        let mut functions = Functions::default();
        functions.add(&colours).then_some(Prover {
            game,
            stop,
            net,
            moves,
            colours,
            functions,
            counted: OnceCell::new(),
        })
    }

    /// Returns what becomes of moves and percepts, if the renaming is proved to be a symmetry with that.
    pub(super) fn prove(&self, renaming: &Renaming) -> Option<(ByRole<Move>, ByRole<u32>)> {
        let moves = self.moves_after(renaming)?;
        let images = moves
            .iter()
            .map(|of_role| of_role.iter().map(|&image| image.into()).collect());
        let named = Named {
            renaming: Some(renaming),
            moves: images.collect(),
        };
        let renamed = Colours::new(self.net, named);
        let is_same = |after: Wire, image: Wire| renamed.wire(after) == self.colours.wire(image);
        let net = self.net;
        let mut bases = net.bases.iter().enumerate();
        let holds = is_same(net.terminal, net.terminal)
            && bases.all(|(base, port)| is_same(port.next, net.bases[renaming.base(base)].next));
        if !holds {
            return None;
        }
        let mut percepts = Vec::new();
        for ((role, port), moves) in RoleId::first(net.roles.len()).zip(&net.roles).zip(&moves) {
            let image = &net.roles[renaming.role(role).index()];
            let mut legal = port.moves.iter().zip(moves);
            let mut goals = port.goals.iter().zip(&image.goals).enumerate();
            let holds = port.goals.len() == image.goals.len()
                && goals.all(|(at, (goal, image))| {
                    let is_counted = || self.is_counted(renaming, role, at);
                    goal.value == image.value && (is_same(goal.wire, image.wire) || is_counted())
                })
                && legal.all(|(one, &at)| is_same(one.legal, image.moves[at as usize].legal));
            if !holds {
                return None;
            }
            let seen = port
                .percepts
                .iter()
                .map(|percept| renamed.wire(percept.wire));
            let of_image = image
                .percepts
                .iter()
                .map(|percept| self.colours.wire(percept.wire));
            percepts.push(matched(
                seen.collect::<Vec<WireColour>>(),
                of_image.collect(),
            )?);
        }
        let moves = moves
            .into_iter()
            .map(|of_role| of_role.into_iter().map(Move).collect());
        self.functions
            .agree(&renamed)
            .then(|| (moves.collect(), percepts))
    }

    /// Returns whether the goal of a role with this number is had by its image in the image of a state, by counts.
    fn is_counted(&self, renaming: &Renaming, role: RoleId, goal: usize) -> bool {
        let find = || CountedGoals::find(self.game, &self.stop.within(COUNTING));
        let counted = self.counted.get_or_init(find).as_ref();
        let image = (renaming.role(role), goal);
        counted.is_some_and(|counted| {
            counted.are_kept(renaming) && counted.is_image(renaming, (role, goal), image)
        })
    }

    /// Returns moves that have the characteristics of moves after a renaming, if there are any.
    fn moves_after(&self, renaming: &Renaming) -> Option<ByRole<u32>> {
        let renamed = characteristics(self.net, Some(renaming));
        let pairs = RoleId::first(renamed.len()).zip(renamed);
        pairs
            .map(|(role, of_role)| {
                matched(of_role, self.moves[renaming.role(role).index()].clone())
            })
            .collect()
    }
}

/// Returns hashes that tell moves apart by what they lead to and when they are legal, whatever their numbers.
fn characteristics(net: &Propnet, renaming: Option<&Renaming>) -> ByRole<u64> {
    let moves = net.roles.iter().map(|role| vec![0; role.moves.len()]);
    let mut moves: ByRole<u64> = moves.collect();
    for _ in 0..ROUNDS {
        let named = Named { renaming, moves };
        let role = |number: usize| named.role(number);
        let base = |number: usize| named.base(number);
        let next = net.bases.iter().enumerate();
        let mut ports: Vec<(Wire, Port)> = next
            .map(|(at, one)| (one.next, Port::Next(base(at))))
            .collect();
        ports.push((net.terminal, Port::Terminal));
        for (number, ports_of) in net.roles.iter().enumerate() {
            let legal = ports_of
                .moves
                .iter()
                .map(|one| (one.legal, Port::Legal(role(number))));
            ports.extend(legal);
            let goals = ports_of.goals.iter();
            ports.extend(goals.map(|goal| (goal.wire, Port::Goal(role(number), goal.value))));
            let percepts = ports_of.percepts.iter();
            ports.extend(percepts.map(|percept| (percept.wire, Port::Percept(role(number)))));
        }
        let colours = Colours::new(net, named);
        let ports = ports.into_iter().map(|(wire, port)| (wire, hash(port)));
        let contexts = colours.contexts(ports);
        let mut found: ByRole<u64> = net
            .roles
            .iter()
            .map(|role| vec![0; role.moves.len()])
            .collect();
        for (gate, context) in (0..).map(GateId).zip(contexts) {
            if let Gate::Does { role, index } = net.gate(gate) {
                found[role as usize][index as usize] = context;
            }
        }
        for (role, of_role) in net.roles.iter().zip(&mut found) {
            for (one, number) in role.moves.iter().zip(of_role) {
                *number = hash((*number, colours.wire(one.legal)));
            }
        }
        moves = found;
    }
    moves
}

/// Returns for each value the place of an equal one among others, each of which is taken once; none unless all are.
fn matched<T: Eq + Hash>(values: Vec<T>, others: Vec<T>) -> Option<Vec<u32>> {
    if values.len() != others.len() {
        return None;
    }
    let mut places: FxHashMap<T, Vec<u32>> = FxHashMap::default();
    for (at, other) in others.into_iter().enumerate().rev() {
        places.entry(other).or_default().push(at as u32);
    }
    values
        .iter()
        .map(|value| places.get_mut(value)?.pop())
        .collect()
}
