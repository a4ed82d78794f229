//! Local search: the findings of [provers](crate::proof::forced) beside the search about positions of the
//! tree.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use propjit_stop::Stop;

use crate::game::engine::Engines;
use crate::game::ground::GroundGame;
use crate::game::load::Game;
use crate::game::machine::{RoleId, State};
use crate::proof::forced::{
    Finding, KnownWins, ProofAnswer, ProofClient, ProofPosition, ProofWorkers, TargetStatus,
};
use crate::search::mcts::config::MctsConfig;
use crate::search::mcts::local_report::{Forced, LocalReport, LocalTarget};
use crate::search::mcts::report::{ProvedBy, SearchReport};
use crate::search::mcts::tree::Tree;
use crate::search::mcts::tree::arena::AllocationBuffer;
use crate::search::mcts::tree::decision::Edge;
use crate::search::mcts::tree::node::{Decider, NodeId};

/// The numbers of moves that are considered by level, starting with the most visited ones.
const WIDTHS: [usize; 4] = [3, 2, 1, 1];

/// How long to wait for the last reports of workers, after they were sent to rest.
const LAST_WORDS: Duration = Duration::from_millis(10);

/// Provers, and the nodes that they work on.
#[derive(Debug)]
pub(in crate::search::mcts) struct LocalSearch {
    game: Arc<GroundGame>,
    workers: ProofWorkers,
    /// The nodes of the last request.
    nodes: Vec<NodeId>,
    /// The proofs about nodes since this root.
    proofs: Vec<(NodeId, ProofAnswer)>,
}

/// Proofs about the positions of a tree.
struct AboutTree<'a> {
    local: &'a mut LocalSearch,
    tree: &'a Tree,
    buffer: AllocationBuffer,
}

impl ProofClient for AboutTree<'_> {
    fn workers(&mut self) -> &mut ProofWorkers {
        &mut self.local.workers
    }

    fn query(&mut self) {
        self.local.query(self.tree);
    }

    fn hear(&mut self, found: Finding) -> bool {
        self.local.hear(self.tree, found, &mut self.buffer)
    }
}

impl LocalSearch {
    /// Starts the workers, if any are wanted.
    pub(in crate::search::mcts) fn start(
        game: &Game,
        engines: &Arc<Engines>,
        config: &MctsConfig,
        threads: usize,
    ) -> Option<LocalSearch> {
        if !config.helpers.local && config.helpers.provers.is_empty() {
            return None;
        }
        let share = config
            .helpers
            .local
            .then(|| config.prover_share(threads, false));
        let rules = game.rules();
        let rulesheet = (rules.source.name(), rules.prefix_text());
        Some(LocalSearch {
            game: engines.game().clone(),
            workers: ProofWorkers::start(engines, rulesheet, &config.helpers.provers, share),
            nodes: Vec::new(),
            proofs: Vec::new(),
        })
    }

    /// Sets the share of the time that the prover of this process has.
    pub(in crate::search::mcts) fn set_share(&mut self, share: f64) {
        self.workers.set_share(share);
    }

    /// Nothing is known of the game yet.
    pub(in crate::search::mcts) fn no_wins(&self) -> KnownWins {
        KnownWins::new(self.game.clone())
    }

    /// Forgets the nodes, which may be gone.
    pub(in crate::search::mcts) fn forget(&mut self) {
        self.nodes.clear();
        self.proofs.clear();
        self.workers.forget();
    }

    /// Forgets the nodes except the root, which is another one now.
    pub(in crate::search::mcts) fn renew(&mut self, before: NodeId, root: NodeId) {
        self.nodes.clear();
        self.workers.forget();
        self.proofs.retain_mut(|(id, _)| {
            let is_root = *id == before;
            *id = root;
            is_root
        });
    }

    /// Requests proofs about positions of the tree, and takes over what is proved, until a stop comes.
    pub(in crate::search::mcts) fn run(&mut self, tree: &Tree, stop: &Stop) {
        let mut client = AboutTree {
            local: self,
            tree,
            buffer: AllocationBuffer::default(),
        };
        client.run_until(stop, LAST_WORDS);
        tree.give_back(client.buffer);
    }

    /// Takes over what was found out. Returns whether it is about a node.
    fn hear(&mut self, tree: &Tree, found: Finding, buffer: &mut AllocationBuffer) -> bool {
        match found {
            Finding::Answer(answer) => {
                self.take_over(tree, answer, buffer);
                true
            }
            Finding::Wins(wins) => {
                tree.learn(&wins);
                false
            }
        }
    }

    /// Requests proofs about the positions that matter now, if these are not the requested ones already.
    fn query(&mut self, tree: &Tree) {
        let nodes = positions(tree);
        if nodes == self.nodes && !self.workers.rests() {
            return;
        }
        let positions = nodes.iter().map(|&id| {
            let node = tree.node(id);
            let mut state = State::new();
            state.assign_from(node.state());
            // The goals that others can force are seen where they decide; but whether all is lost has to be
            // known at once.
            let role = match node.meta().decider() {
                Decider::One(role) if id != tree.root() => Some(role),
                _ => None,
            };
            ProofPosition { state, role }
        });
        self.workers.query(positions.collect());
        self.nodes = nodes;
    }

    /// Narrows what roles can get by a proof.
    fn take_over(&mut self, tree: &Tree, answer: ProofAnswer, buffer: &mut AllocationBuffer) {
        let id = self.nodes[answer.position];
        let role = answer.target.role;
        let (position, depth) = (answer.position, answer.depth);
        tracing::debug!(role = role.0, position, depth, "a forced win");
        if id == tree.root() && is_lost(tree, &answer) {
            tree.ignore_proofs();
        } else {
            // A node that is won must know by which move, for it may be the root one day.
            let Some(won) = winning_child(tree, id, role, &answer, buffer) else {
                return;
            };
            if tree.uses_proofs() {
                tree.take_over(won, answer.target, &answer.ceilings);
                // Nodes between are refreshed when a descent comes through them.
                tree.refresh(id);
                tree.refresh(tree.root());
            }
        }
        let is_known = |(node, known): &(NodeId, ProofAnswer)| {
            *node == id && known.target == answer.target && known.depth <= answer.depth
        };
        if !self.proofs.iter().any(is_known) {
            self.proofs.push((id, answer));
        }
    }

    /// Adds to the report about a state after `depth` joint moves what was proved about its moves.
    pub(in crate::search::mcts) fn explain(
        &self,
        tree: &Tree,
        depth: u32,
        report: &mut SearchReport,
    ) {
        let mut proved: Vec<NodeId> = self.proofs.iter().map(|&(id, _)| id).collect();
        proved.sort_unstable_by_key(|id| id.0);
        proved.dedup();
        let [ready, workers] = self.workers.count();
        let target = |of: TargetStatus| LocalTarget {
            role: self.game.roles()[of.target.role.index()].clone(),
            goal: of.target.value,
            on: of.is_on,
            nodes: of.nodes,
            spared: of.spared(),
            threat_nodes: of.threat_nodes,
            proofs: of.proofs,
        };
        report.local = Some(LocalReport {
            proofs: proved.len(),
            ready,
            workers,
            targets: self.workers.status().into_iter().map(target).collect(),
        });
        let Some((_, decision)) = tree.decision_of_one(tree.root()) else {
            return;
        };
        let root = tree.root();
        for (id, answer) in &self.proofs {
            let before = tree.node(*id).meta().depth().saturating_sub(depth);
            let forced = Forced {
                target: answer.target,
                depth: before + answer.depth,
                by: answer.joint[answer.target.role.index()],
            };
            if *id == root && is_lost(tree, answer) {
                let unknown = report.moves.iter_mut().filter(|of| of.forced.is_none());
                unknown.for_each(|of| of.forced = Some(forced));
                continue;
            }
            let edge = || decision.each().find(|edge| edge.node() == Some(*id));
            let played = match *id == root {
                true => Some(forced.by),
                false => edge().map(Edge::played),
            };
            let mut moves = report.moves.iter_mut();
            let Some(of) = moves.find(|of| Some(of.played) == played) else {
                continue;
            };
            if of.forced.is_none_or(|known| forced.depth < known.depth) {
                of.forced = Some(forced);
            }
        }
        let best = report.moves.first();
        if report.solved && best.is_some_and(|best| best.forced.is_some()) {
            report.proved_by = Some(ProvedBy::Proof);
        }
    }
}

/// Whether an answer about the root says that the role that decides there gets no more than the
/// least that it can get in any match.
fn is_lost(tree: &Tree, answer: &ProofAnswer) -> bool {
    match tree.node(tree.root()).meta().decider() {
        Decider::One(decider) => {
            let low = tree.ranges()[decider.index()].low;
            let mut ceilings = answer.ceilings.iter();
            ceilings.any(|&(role, most)| role == decider && most as f32 <= low)
        }
        _ => false,
    }
}

/// The node after the move by which a role wins, if it is the one that decides in a node.
fn winning_child(
    tree: &Tree,
    id: NodeId,
    role: RoleId,
    answer: &ProofAnswer,
    buffer: &mut AllocationBuffer,
) -> Option<NodeId> {
    let (decider, decision) = tree.decision_of_one(id)?;
    let played = |edge: Edge<'_>| edge.played() == answer.joint[role.index()];
    let place = decision.each().position(played)?;
    if decider != role || decision.edge(place).is_over() {
        return None;
    }
    tree.follow(decision, place, &mut State::new(), buffer)
}

/// Returns the nodes that are worth a proof: the root, and those that follow by the most visited moves.
fn positions(tree: &Tree) -> Vec<NodeId> {
    let mut nodes = vec![tree.root()];
    let mut best = tree.root();
    for width in WIDTHS {
        let Some((_, decision)) = tree.decision_of_one(best) else {
            break;
        };
        let mut edges: Vec<Edge<'_>> = decision.each().filter(|edge| !edge.is_closed()).collect();
        // Once for each: searching threads go on counting, and an order that changes is none.
        edges.sort_by_cached_key(|edge| Reverse(edge.visits()));
        let children: Vec<NodeId> = edges.iter().filter_map(|edge| edge.node()).collect();
        nodes.extend(children.iter().take(width));
        match children.first() {
            Some(&first) => best = first,
            None => break,
        }
    }
    nodes.retain(|&id| !tree.node(id).is_solved());
    nodes
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::game::machine::expansion::legal::LegalMoves;
    use crate::game::machine::expansion::successor::{
        Expansions, NodeInfo, Successor, Successors, Turn,
    };
    use crate::game::machine::{Move, RoleId};
    use crate::search::mcts::tree::node::Bounds;

    #[test]
    fn nodes_are_chosen_while_other_threads_count_visits() {
        let state_with = |number: u64, depth: u32| {
            let state = State::from_words(&[number]);
            let turn = Turn::One(RoleId(depth));
            let info = NodeInfo { depth, turn };
            Successor { state, info }
        };
        let moves: Vec<Move> = (0..300).map(Move).collect();
        let mut legal = LegalMoves::new(2);
        legal.push(&moves);
        legal.push(&moves[..1]);
        let after: Successors = (1..=300).map(|number| state_with(number, 1)).collect();
        let found = Expansions::new(legal, after, vec![300]);
        let range = Bounds {
            low: 0.0,
            high: 100.0,
        };
        let tree = Tree::new(&state_with(0, 0), Box::new([range; 2]), None, 1 << 20);
        tree.node(tree.root()).claim();
        tree.expand(tree.root(), found.get(0), &mut AllocationBuffer::default());
        let (_, decision) = tree.decision_of_one(tree.root()).unwrap();
        // The counts differ from those of their neighbours, so that there is something to sort.
        let count = |place: usize| {
            let edge = decision.edge(place);
            edge.begin(1);
            edge.end(1, 0.5);
        };
        for place in 0..300 {
            (0..place * 77 % 300).for_each(|_| count(place));
        }
        let before = decision.edge(0).visits();
        let is_done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            // Not for ever, lest a failure be none.
            scope.spawn(|| {
                let places = (0..300).cycle().step_by(7).take(20_000_000);
                let going_on = places.take_while(|_| !is_done.load(Ordering::Relaxed));
                going_on.for_each(count);
            });
            while decision.edge(0).visits() == before {
                std::thread::yield_now();
            }
            for _ in 0..20_000 {
                assert_eq!(positions(&tree), [tree.root()]);
            }
            is_done.store(true, Ordering::Relaxed);
        });
    }
}
