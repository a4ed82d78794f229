//! Boards inferred from relations over the same places.
//!
//! A relation with fluents that have a place in each state, given by some of their constants, is a
//! layer of a board. Layers that range over the same places are one board (walls, and the pieces
//! between them), unless they have the same contents at the same places, or fill them in different
//! phases of the match: then there are several boards.

use rustc_hash::FxHashSet;

use super::cell_names::is_plane;
use super::order::Domain;
use super::relation::{Key, Relation};

/// A board: the coordinates of its places, and the relations that give their contents.
pub(super) struct Board {
    /// The range of each coordinate.
    pub(super) axes: Vec<Domain>,
    /// The first one is the largest.
    pub(super) layers: Vec<Layer>,
    /// The places of its fluents, each as coordinates separated by blanks.
    pub(super) places: FxHashSet<String>,
    /// The occupied places, in each sampled state.
    occupied: Vec<FxHashSet<String>>,
}

/// A relation on a board.
#[derive(Clone)]
pub(super) struct Layer {
    /// Its number among all relations.
    pub(super) relation: usize,
    /// The arguments that give the place.
    pub(super) coordinates: Key,
    /// The arguments that give the contents.
    pub(super) contents: Key,
    /// Whether fluents lie between two places, the second of which is given by the contents.
    pub(super) is_edges: bool,
}

/// Finds the boards. Rows of places count where there is no board in two dimensions.
pub(super) fn boards(relations: &[Relation], roles: &Domain) -> Vec<Board> {
    let mut layers: Vec<Layer> = (0..relations.len())
        .filter_map(|relation| layer(relations, relation, roles))
        .collect();
    let size = |layer: &Layer| {
        let coordinates = layer.coordinates.iter();
        let places = coordinates.map(|&at| relations[layer.relation].domains[at].len());
        places.product::<usize>()
    };
    // A board is made for the largest layer; single tokens and edges come last.
    layers.sort_by_key(|layer| {
        let relation = &relations[layer.relation];
        let dimensions = match layer.coordinates[..] {
            [names] if is_plane(&relation.domains[names]) => 2,
            _ => layer.coordinates.len().min(2),
        };
        let is_extra = relation.is_single() || layer.is_edges;
        (is_extra, std::cmp::Reverse((dimensions, size(layer))))
    });
    let mut boards: Vec<Board> = Vec::new();
    for layer in layers {
        let relation = &relations[layer.relation];
        let added = Board::new(layer, relation);
        let is_row = added.is_row();
        let is_open = |board: &&mut Board| board.takes(&added, relations);
        if let Some(board) = boards.iter_mut().find(is_open) {
            board.merge(added);
        } else if (!is_row || boards.iter().all(Board::is_row))
            && (!relation.is_single() || boards.is_empty())
        {
            boards.push(added);
        }
    }
    boards.iter_mut().for_each(Board::trim);
    boards
}

/// Returns the relation as a layer of a board, if it has places.
fn layer(relations: &[Relation], number: usize, roles: &Domain) -> Option<Layer> {
    let relation = &relations[number];
    if relation.is_edges() {
        return Some(Layer {
            relation: number,
            coordinates: vec![0, 1],
            contents: vec![2, 3],
            is_edges: true,
        });
    }
    let is_token = || match &relation.domains[..] {
        [a, b] => relation.is_single() && [a, b].iter().all(|d| d.is_ordered && d.len() > 2),
        _ => false,
    };
    let coordinates = match relation.key(roles) {
        None if is_token() => vec![0, 1],
        key => key?,
    };
    Some(Layer {
        relation: number,
        contents: relation.others(&coordinates),
        coordinates,
        is_edges: false,
    })
}

impl Layer {
    /// Returns the place of a fluent.
    pub(super) fn place(&self, relation: &Relation, tuple: usize) -> String {
        relation.text(tuple, &self.coordinates)
    }

    /// Returns both ends of a fluent, if it is between two places.
    fn places(&self, relation: &Relation, tuple: usize) -> impl Iterator<Item = String> {
        let end = (self.is_edges).then(|| relation.text(tuple, &self.contents));
        [self.place(relation, tuple)].into_iter().chain(end)
    }

    /// Returns the possible contents.
    fn all_contents(&self, relation: &Relation) -> FxHashSet<String> {
        let fluents = 0..relation.tuples.len();
        match self.contents[..] {
            [] => FxHashSet::default(),
            _ => fluents
                .map(|tuple| relation.text(tuple, &self.contents))
                .collect(),
        }
    }
}

impl Board {
    /// Creates a board with one layer.
    fn new(layer: Layer, relation: &Relation) -> Board {
        let axis = |(own, other): (&usize, Option<&usize>)| {
            let own = &relation.domains[*own];
            match other.map(|&at| &relation.domains[at]) {
                Some(other) if other.len() > own.len() => other.clone(),
                _ => own.clone(),
            }
        };
        let ends = |at: usize| layer.contents.get(at).filter(|_| layer.is_edges);
        let axes = layer.coordinates.iter().enumerate();
        let axes = axes.map(|(at, own)| axis((own, ends(at)))).collect();
        let tuples = 0..relation.tuples.len();
        let places = tuples.flat_map(|tuple| layer.places(relation, tuple));
        let states = relation.states.iter().map(|state| match layer.is_edges {
            // A fluent between places is in none.
            true => FxHashSet::default(),
            false => {
                let fluents = state.iter();
                fluents.map(|&tuple| layer.place(relation, tuple)).collect()
            }
        });
        Board {
            axes,
            places: places.collect(),
            occupied: states.collect(),
            layers: vec![layer],
        }
    }

    /// Returns whether a layer fits onto this board.
    fn takes(&self, added: &Board, relations: &[Relation]) -> bool {
        let mut axes = self.axes.iter().zip(&added.axes);
        if self.axes.len() != added.axes.len() || !axes.all(|(own, other)| own.covers(other)) {
            return false;
        }
        let states = || self.occupied.iter().zip(&added.occupied);
        let is_other_phase = states().all(|(own, other)| own.is_empty() || other.is_empty());
        if is_other_phase && self.is_filled() && added.is_filled() {
            return false;
        }
        let collisions = states().map(|(own, other)| own.intersection(other).count());
        let most = self.places.len() * self.occupied.len().max(1);
        let share = collisions.sum::<usize>() as f64 / most as f64;
        let contents = |layer: &Layer| layer.all_contents(&relations[layer.relation]);
        let other = contents(&added.layers[0]);
        let is_like = |layer: &Layer| !contents(layer).is_disjoint(&other);
        match self.layers.iter().any(is_like) {
            true => share < 0.02,
            false => share <= 0.5,
        }
    }

    /// Returns whether there was something at every place at the same time.
    fn is_filled(&self) -> bool {
        let mut states = self.occupied.iter();
        states.any(|state| state.len() == self.places.len())
    }

    /// Returns whether its places have no known arrangement.
    pub(super) fn is_row(&self) -> bool {
        matches!(&self.axes[..], [names] if !is_plane(names))
    }

    fn merge(&mut self, added: Board) {
        self.layers.extend(added.layers);
        self.places.extend(added.places);
        for (own, other) in self.occupied.iter_mut().zip(added.occupied) {
            own.extend(other);
        }
    }

    /// Removes the far ends of coordinates where nothing was ever seen, if they are most of the
    /// range: grounding cannot always determine that no piece gets there.
    fn trim(&mut self) {
        if self.axes.len() < 2 {
            return;
        }
        for (at, axis) in self
            .axes
            .iter_mut()
            .enumerate()
            .filter(|(_, axis)| axis.is_ordered)
        {
            let places = self.occupied.iter().flatten();
            let values = places.filter_map(|place| axis.place(place.split(' ').nth(at)?));
            let (first, last) = values.fold((axis.len(), 0), |(first, last), value| {
                (first.min(value), last.max(value))
            });
            if first <= last && 2 * (last + 1 - first) < axis.len() {
                *axis = Domain::new(axis.values[first..=last].to_vec(), axis.is_ordered);
            }
        }
        let is_there = |place: &String| {
            let mut coordinates = self.axes.iter().zip(place.split(' '));
            coordinates.all(|(axis, value)| axis.place(value).is_some())
        };
        self.places.retain(is_there);
    }

    /// Returns whether all its fluents lie between places.
    pub(super) fn has_only_edges(&self) -> bool {
        self.layers.iter().all(|layer| layer.is_edges)
    }
}
