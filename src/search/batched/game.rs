//! One of the games of a batched search: its tree, and how it goes on.

use super::config::BatchSearchConfig;
use super::gumbel::{self, Halving};
use super::puct;
use super::tree::{NewNode, ROOT, Reached, Step, Tree, Turn};
use crate::support::rng::GameRng;

/// A game with its tree.
#[derive(Debug)]
pub(super) struct Game {
    pub(super) tree: Tree,
    pub(super) rng: GameRng,
    /// How the match ended, if it is over.
    pub(super) end: Option<End>,
    /// The number of simulations that are still to be made.
    pub(super) left: u32,
    /// The way from the root to the node where the descent goes on.
    path: Vec<Step>,
    from: u32,
    halving: Halving,
    is_noised: bool,
}

/// The end of a match.
#[derive(Clone, Debug)]
pub(super) struct End {
    /// The reward of each player.
    pub(super) rewards: Vec<f32>,
    /// Whether the match was given up.
    pub(super) truncated: bool,
}

impl Game {
    pub(super) fn new(tree: Tree, rng: GameRng) -> Game {
        Game {
            tree,
            rng,
            end: None,
            left: 0,
            path: Vec::new(),
            from: ROOT,
            halving: Halving::default(),
            is_noised: false,
        }
    }

    /// Begins anew at a node.
    pub(super) fn restart(&mut self, root: NewNode<'_>, end: Option<End>) {
        self.tree.clear();
        self.tree.add(&[], root, &mut self.rng);
        self.end = end;
        self.go_to_root();
        self.forget_noise();
    }

    /// Goes on from a node of the tree, and forgets all others.
    pub(super) fn keep(&mut self, root: u32) {
        self.tree.keep(root);
        self.go_to_root();
        self.forget_noise();
    }

    fn forget_noise(&mut self) {
        self.halving.clear();
        self.is_noised = false;
    }

    fn go_to_root(&mut self) {
        self.path.clear();
        self.from = ROOT;
    }

    /// Begins this number of simulations. The root has been evaluated.
    pub(super) fn begin(&mut self, simulations: u32, config: &BatchSearchConfig) {
        self.left = simulations;
        if let Some(considered) = config.gumbel {
            let (tree, rng) = (&self.tree, &mut self.rng);
            self.halving.start(tree, considered, simulations, rng);
        }
        if let (Some(noise), false) = (config.noise, self.is_noised) {
            puct::add_noise(&mut self.tree, noise, &mut self.rng);
            self.is_noised = true;
        }
    }

    /// Gives up what is left of the simulations, and forgets a node that was to be evaluated.
    pub(super) fn give_up(&mut self) {
        self.left = 0;
        self.tree.unlink(&self.path);
        self.go_to_root();
    }

    /// Descends to a node that there is not yet, and returns its parent and the place of the edge there. None if all
    /// simulations end before.
    pub(super) fn descend(&mut self, config: &BatchSearchConfig) -> Option<(u32, usize)> {
        while self.left > 0 {
            let Game {
                tree,
                rng,
                path,
                halving,
                ..
            } = self;
            let reached = tree.descend(self.from, path, rng, |tree, node| match config.gumbel {
                None => puct::select(tree, node, config.exploration),
                Some(_) if node == ROOT => halving.next(tree),
                Some(_) => gumbel::select(tree, node),
            });
            match reached {
                Reached::New => return self.tree.last(&self.path),
                Reached::Over(node) => {
                    let visits = self.tree.nodes[node as usize].visits as f32;
                    let totals = self.tree.totals(node).iter();
                    let values: Vec<f32> = totals.map(|total| total / visits).collect();
                    self.count(node, &values);
                }
            }
        }
        None
    }

    /// Adds the node at the end of the path, from which the descent goes on if it is one of chance.
    pub(super) fn add(&mut self, node: NewNode<'_>) -> u32 {
        self.from = self.tree.add(&self.path, node, &mut self.rng);
        self.from
    }

    /// Counts a simulation that ends with the node at the end of the path, with a value for each player.
    pub(super) fn count(&mut self, node: u32, values: &[f32]) {
        self.tree.visit(&self.path, node, values);
        self.left -= 1;
        self.go_to_root();
    }

    /// Enters the evaluation of a node: a value for each player, and the logits of all actions.
    pub(super) fn evaluate(&mut self, node: u32, values: &[f32], logits: &[f32]) {
        if let Turn::Player(player) = self.tree.nodes[node as usize].turn {
            self.tree.details[node as usize].value = values[player as usize];
        }
        self.tree.set_priors(node, logits);
        match node {
            ROOT => self.tree.visit(&[], ROOT, values),
            node => self.count(node, values),
        }
    }

    /// Whether the root lacks an evaluation.
    pub(super) fn is_fresh(&self) -> bool {
        self.end.is_none() && self.tree.root().visits == 0
    }

    /// Returns the probabilities of the root's edges: see [`BatchSearch::policy`](super::BatchSearch::policy).
    pub(super) fn policy(&self, temperature: f32, config: &BatchSearchConfig) -> Vec<f32> {
        match (temperature == 0.0, config.gumbel) {
            (true, _) => {
                let best = self.best(config);
                let places = 0..self.tree.edges(ROOT).len();
                let is_best = |place| Some(place) == best;
                places
                    .map(|place| f32::from(u8::from(is_best(place))))
                    .collect()
            }
            (false, Some(_)) => gumbel::policy(&self.tree, temperature),
            (false, None) => puct::policy(self.tree.edges(ROOT), temperature),
        }
    }

    /// Returns the place of the edge to play.
    pub(super) fn best(&self, config: &BatchSearchConfig) -> Option<usize> {
        let winner = config.gumbel.and_then(|_| self.halving.winner(&self.tree));
        winner.or_else(|| puct::most_visited(self.tree.edges(ROOT)))
    }
}
