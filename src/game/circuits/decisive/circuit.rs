//! Circuits that restrict roles to decisive moves, where they have any.

use std::ops::Range;

use propjit_jit::circuit::{Builder, Circuit, Edge};
use propjit_jit::passes::{PassConfig, optimize};

use super::lookahead::{Lookahead, TooMuch};
use super::losses::{gained, with_losses};
use crate::game::ground::GoalBounds;
use crate::game::ground::GroundGame;
use crate::game::ground::step_cost::choice_gates;
use crate::game::vocabulary::moves::{RANDOM_ROLE, RoleId};
use propjit_stop::Stop;

/// The factor by which the circuit may have more gates than the game's own, together with those
/// that it takes to choose a move.
const MAX_GROWTH: usize = 6;

/// A game's circuit, optimised, with the same inputs and the same outputs, and one more output for
/// each role after them: whether some of its moves are left out, or would be if it had others. In
/// states that are not terminal,
///
/// - a role that can win at once has only moves that do so;
/// - a role that cannot, but can exclude the greatest goal that its only rival can still have,
///   and not the greatest that it can still have itself, has only moves that do so;
/// - otherwise, and if the circuit [`avoids_losing`], a role that has moves which do not exclude
///   the greatest goal that it can still have, and after which the match is over or no other role
///   can do one of the above, has only these.
///
/// [`avoids_losing`]: DecisiveCircuit::avoids_losing
#[derive(Debug)]
pub struct DecisiveCircuit {
    /// The circuit.
    pub circuit: Circuit,
    /// Whether roles also avoid moves that lose. If not, finding these was too expensive.
    pub avoids_losing: bool,
}

impl DecisiveCircuit {
    /// Creates the circuit for a game, in which latches leave these goals to the roles.
    ///
    /// `None` if no role ever has decisive moves, or if finding that out is too expensive, or if
    /// `stop` is set. This takes a while.
    pub fn new(
        game: &GroundGame,
        left: Option<&GoalBounds>,
        stop: &Stop,
    ) -> Option<DecisiveCircuit> {
        let circuit = &game.min_gates().circuit;
        let layout = game.layout();
        let moves = layout.legal.iter().map(Range::len).sum();
        let choice = choice_gates(moves, layout.legal.len());
        let most = MAX_GROWTH * (circuit.gates() + choice);
        let passes = PassConfig::default().with_stop(stop.clone());
        let fitting = |circuit: Circuit| {
            let optimised = optimize(&circuit, &layout.assumptions(), &passes).0;
            Some(optimised).filter(|circuit| circuit.gates() + choice <= most)
        };
        let is_any = |circuit: &Circuit| {
            let mut decisive = circuit.outputs()[layout.decisive()].iter();
            decisive.any(|&edge| edge != Edge::FALSE)
        };
        let roles = RoleId::first(game.roles().len());
        let is_deciding = |role: &RoleId| game.roles()[role.index()] != RANDOM_ROLE;
        let maker = Maker {
            game,
            left,
            deciding: roles.filter(is_deciding).collect(),
            passes: &passes,
        };
        let winning = maker.winning(circuit).ok()?;
        if !is_any(&winning) && left.is_none() {
            return None;
        }
        let winning = fitting(winning)?;
        let safe = maker.safe(&winning).ok().and_then(fitting);
        let decisive = DecisiveCircuit {
            avoids_losing: safe.is_some(),
            circuit: safe.unwrap_or(winning),
        };
        Some(decisive).filter(|decisive| is_any(&decisive.circuit))
    }
}

/// The data that the circuits are made from.
struct Maker<'a> {
    game: &'a GroundGame,
    left: Option<&'a GoalBounds>,
    /// The roles that choose.
    deciding: Vec<RoleId>,
    passes: &'a PassConfig,
}

impl Maker<'_> {
    /// Returns the only other role with a choice, if the sum of goals is fixed: it loses what this
    /// one gains.
    fn rival(&self, role: RoleId) -> Option<RoleId> {
        let is_fixed = self.left.is_some_and(GoalBounds::has_fixed_sum);
        let mut others = (self.deciding.iter().copied()).filter(|&other| other != role);
        others
            .next()
            .filter(|_| is_fixed && self.deciding.len() == 2)
    }

    /// Returns the circuit in which a role that can win at once must do so, and one that can
    /// exclude goals of its rival otherwise, with outputs that say whether there are such moves.
    fn winning(&self, circuit: &Circuit) -> Result<Circuit, TooMuch> {
        let layout = self.game.layout();
        let (circuit, losses) = &with_losses(circuit, layout, self.left);
        let mut lookahead = Lookahead::new(circuit, layout, &self.passes.stop);
        let mut outputs = circuit.outputs().to_vec();
        outputs.resize(layout.decisive().end, Edge::FALSE);
        for holding in self.game.phases().each() {
            let here = lookahead.phase(self.game.phases(), holding);
            for &role in &self.deciding {
                let goals = &layout.goals[role.index()];
                let rival = self.rival(role);
                let rival = rival.map_or(&[][..], |rival| &losses[rival.index()]);
                if goals.len() < 2 {
                    continue;
                }
                let goal = circuit.outputs()[goals.end - 1];
                let own = &losses[role.index()];
                let mut wanted = vec![circuit.outputs()[layout.terminal], goal];
                wanted.extend(own);
                wanted.extend(rival);
                let Some(after) = lookahead.after(&here, role, &wanted)? else {
                    continue;
                };
                let builder = &mut lookahead.builder;
                let legal = layout.legal[role.index()].clone();
                let moves = legal.clone().map(|at| circuit.outputs()[at]);
                let (wins, gains): (Vec<Edge>, Vec<Edge>) = moves
                    .zip(after)
                    .map(|(legal, after)| match after.as_deref() {
                        Some([over, goal, after @ ..]) => {
                            let wins = builder.and_all(&[legal, *over, *goal]);
                            let (lost, taken) = after.split_at(own.len());
                            let lost = gained(builder, own, lost);
                            let taken = gained(builder, rival, taken);
                            (wins, builder.and_all(&[legal, taken, !lost]))
                        }
                        _ => (Edge::FALSE, Edge::FALSE),
                    })
                    .unzip();
                let [win, gain] = [&wins, &gains].map(|some| builder.or_all(some));
                let preferred = wins.iter().zip(&gains);
                let preferred: Vec<Edge> = preferred
                    .map(|(&wins, &gains)| {
                        let gains = builder.and(gains, !win);
                        builder.or(wins, gains)
                    })
                    .collect();
                let some = builder.or(win, gain);
                let some = builder.and(here.is_here, some);
                prefer(builder, &preferred, some, &mut outputs[legal]);
                let decisive = &mut outputs[layout.decisive()][role.index()];
                *decisive = builder.or(*decisive, some);
            }
        }
        Ok(lookahead.builder.finish(outputs))
    }

    /// Returns the circuit, made from the one of [`winning`](Maker::winning), in which a role
    /// without decisive moves must not lose by its move, nor let another role have decisive moves
    /// next, where it can avoid that.
    fn safe(&self, circuit: &Circuit) -> Result<Circuit, TooMuch> {
        let layout = self.game.layout();
        let (circuit, losses) = &with_losses(circuit, layout, self.left);
        let mut lookahead = Lookahead::new(circuit, layout, &self.passes.stop);
        let mut outputs = circuit.outputs().to_vec();
        let decisive = &circuit.outputs()[layout.decisive()];
        for holding in self.game.phases().each() {
            let here = lookahead.phase(self.game.phases(), holding);
            for &role in &self.deciding {
                let own = &losses[role.index()];
                let mut wanted = vec![!circuit.outputs()[layout.terminal]];
                wanted.extend(own);
                let others = layout.roles().filter(|&other| other != role);
                wanted.extend(others.map(|other| decisive[other.index()]));
                let Some(after) = lookahead.after(&here, role, &wanted)? else {
                    continue;
                };
                let builder = &mut lookahead.builder;
                let legal = layout.legal[role.index()].clone();
                let moves = legal.clone().map(|at| circuit.outputs()[at]);
                let (safe, losing): (Vec<Edge>, Vec<Edge>) = moves
                    .zip(after)
                    .map(|(legal, after)| match after.as_deref() {
                        Some([goes_on, after @ ..]) => {
                            let (lost, others) = after.split_at(own.len());
                            let others = builder.or_all(others);
                            let others = builder.and(others, *goes_on);
                            let lost = gained(builder, own, lost);
                            let loses = builder.or(others, lost);
                            (builder.and(legal, !loses), builder.and(legal, loses))
                        }
                        _ => (Edge::FALSE, Edge::FALSE),
                    })
                    .unzip();
                let some = builder.or_all(&safe);
                let matters = builder.and_all(&[here.is_here, some, !decisive[role.index()]]);
                prefer(builder, &safe, matters, &mut outputs[legal]);
                let losing = builder.or_all(&losing);
                let left_out = builder.and(matters, losing);
                let decisive = &mut outputs[layout.decisive()][role.index()];
                *decisive = builder.or(*decisive, left_out);
            }
        }
        Ok(lookahead.builder.finish(outputs))
    }
}

/// Keeps only the preferred legal moves where `matters` is true.
fn prefer(builder: &mut Builder, preferred: &[Edge], matters: Edge, legal: &mut [Edge]) {
    for (legal, &preferred) in legal.iter_mut().zip(preferred) {
        let kept = builder.or(preferred, !matters);
        *legal = builder.and(*legal, kept);
    }
}
