//! The game of breakthrough as a circuit, made by hand to have something realistic
//! to measure: two players, one move per piece and direction, wide alternatives.

use std::ops::Range;

use propjit_jit::circuit::{Builder, Circuit, Edge, OutputId};

/// A circuit with one player's inputs or outputs side by side.
pub struct Breakthrough {
    /// Inputs: state, then one per move. Outputs: next state, terminal, legal moves.
    pub circuit: Circuit,
    /// The state's bits; the inputs of the state, and the outputs of the next one.
    pub state: Range<usize>,
    /// The true bits of the first state.
    pub start: Vec<usize>,
    /// The output that tells the end.
    pub terminal: usize,
    /// Per player, the outputs of the legal moves.
    pub legal: [Range<usize>; 2],
    /// Per player, the inputs of the moves.
    pub does: [Range<usize>; 2],
}

/// From, to, and whether straight ahead, for the player who moves up.
fn moves(size: usize) -> Vec<(usize, usize, bool)> {
    let mut moves = Vec::new();
    for from in 0..size * (size - 1) {
        for to in from + size - 1..=from + size + 1 {
            if to / size == from / size + 1 {
                moves.push((from, to, to == from + size));
            }
        }
    }
    moves
}

impl Breakthrough {
    /// On a square board.
    pub fn new(size: usize) -> Breakthrough {
        let cells = size * size;
        let up = moves(size);
        let flip = |&(from, to, ahead)| (cells - 1 - from, cells - 1 - to, ahead);
        let moves = [up.clone(), up.iter().map(flip).collect::<Vec<_>>()];
        // Per player the cells and a bit for the turn; per player the moves and a pass.
        let state = 0..2 * (cells + 1);
        let does = {
            let count = up.len() + 1;
            [
                state.end..state.end + count,
                state.end + count..state.end + 2 * count,
            ]
        };
        let mut builder = Builder::new(does[1].end);
        let piece = |player: usize, cell: usize| player * cells + cell;
        let turn = |player: usize| 2 * cells + player;
        let mut next = Vec::new();
        for player in 0..2 {
            let (own, other) = (&moves[player], &moves[1 - player]);
            for cell in 0..cells {
                let doing = |moves: &[(usize, usize, bool)],
                             player: usize,
                             is: &dyn Fn(usize, usize) -> bool| {
                    let inputs = moves.iter().zip(does[player].clone());
                    let found = inputs.filter(|&(&(from, to, _), _)| is(from, to));
                    found
                        .map(|(_, input)| {
                            Edge::from(propjit_jit::circuit::NodeId(input as u32 + 1))
                        })
                        .collect::<Vec<_>>()
                };
                let arrives = builder.or_all(&doing(own, player, &|_, to| to == cell));
                let leaves = doing(own, player, &|from, _| from == cell);
                let taken = doing(other, 1 - player, &|_, to| to == cell);
                let gone = builder.or_all(&[leaves, taken].concat());
                let here = builder.input(piece(player, cell));
                let stays = builder.and(here, !gone);
                next.push(builder.or(arrives, stays));
            }
        }
        next.extend([builder.input(turn(1)), builder.input(turn(0))]);
        let mut ends = Vec::new();
        for cell in 0..size {
            ends.push(builder.input(piece(0, cells - 1 - cell)));
            ends.push(builder.input(piece(1, cell)));
        }
        for player in 0..2 {
            let pieces: Vec<Edge> = (0..cells)
                .map(|cell| builder.input(piece(player, cell)))
                .collect();
            ends.push(!builder.or_all(&pieces));
        }
        let terminal = next.len();
        let mut outputs = next;
        outputs.push(builder.or_all(&ends));
        let legal = [0, 1].map(|player| {
            let first = outputs.len();
            for &(from, to, ahead) in &moves[player] {
                let mut conditions = vec![
                    builder.input(turn(player)),
                    builder.input(piece(player, from)),
                    !builder.input(piece(player, to)),
                ];
                if ahead {
                    conditions.push(!builder.input(piece(1 - player, to)));
                }
                outputs.push(builder.and_all(&conditions));
            }
            outputs.push(builder.input(turn(1 - player)));
            first..outputs.len()
        });
        let start = (0..2 * size).map(|cell| piece(0, cell));
        let start = start.chain((cells - 2 * size..cells).map(|cell| piece(1, cell)));
        Breakthrough {
            circuit: builder.finish(outputs),
            start: start.chain([turn(0)]).collect(),
            state,
            terminal,
            legal,
            does,
        }
    }

    /// The outputs that are functions of the state, and those that depend on moves.
    pub fn sections(&self) -> [Vec<OutputId>; 2] {
        let outputs = |range: Range<usize>| range.map(|i| OutputId(i as u32)).collect();
        let end = self.circuit.outputs().len();
        [outputs(self.terminal..end), outputs(self.state.clone())]
    }
}
