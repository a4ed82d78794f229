//! Proofs: what follows for a node from what is known of those below.
//!
//! This is the solver of Winands, Björnsson and Saito, "Monte-Carlo Tree Search Solver"
//! (2008), for ranges of goals of any number of roles. Who can choose among moves that are
//! equally good for itself is thought to choose the worst for the others.

use super::node::{Bounds, Inside, NodeId};
use super::tree::Tree;
use crate::machine::RoleId;
use crate::search::successor::Turn;

impl Tree {
    /// Computes anew what each role can still get in a node. Returns whether that changed.
    pub fn refresh(&mut self, id: NodeId) -> bool {
        let tree = &*self;
        let node = tree.node(id);
        let (Turn::One(decider), Inside::Decision(decision)) = (&node.turn, &node.inside) else {
            // Where several roles decide at once, nothing is proved.
            return false;
        };
        let (decider, edges) = (*decider, &decision.edges);
        let behind = &|role: RoleId| edges.iter().map(move |edge| tree.bounds(edge, role));
        let roles = RoleId::first(self.ranges().len());
        let bounds: Box<[Bounds]> = if self.random() == Some(decider) {
            let count = edges.len() as f64;
            let mean = |role| Bounds {
                low: behind(role).map(|bounds| bounds.low).sum::<f64>() / count,
                high: behind(role).map(|bounds| bounds.high).sum::<f64>() / count,
            };
            roles.map(mean).collect()
        } else {
            let own: Vec<Bounds> = behind(decider).collect();
            let low = greatest(own.iter().map(|own| own.low));
            let high = greatest(own.iter().map(|own| own.high));
            let range = |role| {
                if role == decider {
                    return Bounds { low, high };
                }
                // Nobody plays a move that another one is better than, whatever comes.
                let pairs = behind(role).zip(&own);
                let played = pairs.filter(|(_, own)| own.high >= low);
                // Of moves that are equally good for it, a role plays the worst for others.
                let sure = played.clone().filter(|(_, own)| own.low >= low);
                let most = match low == high {
                    true => least(sure.map(|(bounds, _)| bounds.high)),
                    false => greatest(played.clone().map(|(bounds, _)| bounds.high)),
                };
                Bounds {
                    low: least(played.map(|(bounds, _)| bounds.low)).min(most),
                    high: most,
                }
            };
            roles.map(range).collect()
        };
        let node = self.node_mut(id);
        let changed = node.bounds != bounds;
        node.bounds = bounds;
        changed
    }
}

fn greatest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::NEG_INFINITY, f64::max)
}

fn least(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::INFINITY, f64::min)
}
