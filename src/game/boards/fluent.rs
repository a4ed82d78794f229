//! Interpretation of fluents: the constants that give the place, and those that give its contents.

use super::infer::Layer;
use super::relation::Relation;

/// The interpretation of fluents of one shape.
#[derive(Debug)]
pub(super) struct Fluent {
    pub(super) board: usize,
    coordinates: Vec<usize>,
    pub(super) contents: Vec<usize>,
    /// Whether it lies between two places, the second of which is given by the contents.
    pub(super) is_edges: bool,
    /// The text where there are no contents, or before them.
    name: Option<String>,
}

impl Fluent {
    pub(super) fn new(board: usize, number: usize, layer: &Layer, relation: &Relation) -> Fluent {
        let is_number = |&at: &usize| {
            let mut values = relation.domains[at].values.iter();
            values.all(|value| value.parse::<i64>().is_ok())
        };
        // A number is meaningless unless it is the only content.
        let is_named =
            layer.contents.is_empty() || number > 0 && layer.contents.iter().any(is_number);
        Fluent {
            board,
            coordinates: layer.coordinates.clone(),
            contents: layer.contents.clone(),
            is_edges: layer.is_edges,
            name: is_named.then(|| relation.name().to_string()),
        }
    }

    /// Returns the place.
    pub(super) fn place(&self, constants: &[&str]) -> String {
        select(constants, &self.coordinates)
    }

    /// Returns the contents, in words.
    pub(super) fn content(&self, constants: &[&str]) -> String {
        let contents = select(constants, &self.contents);
        match &self.name {
            Some(name) => format!("{name} {contents}").trim_end().to_string(),
            None => contents,
        }
    }
}

/// Joins some of the constants, separated by blanks.
fn select(constants: &[&str], which: &[usize]) -> String {
    let selected: Vec<&str> = which.iter().map(|&at| constants[at]).collect();
    selected.join(" ")
}
