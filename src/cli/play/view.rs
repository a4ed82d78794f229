//! The view of a match in the terminal.

use propjit::game::boards::Grids;
use propjit::game::position::History;

use crate::cli::output::counted;
use crate::cli::picture::{Pictures, wrap};

/// The boards and the other propositions that hold.
pub(super) fn state(history: &History, pictures: &Pictures) -> String {
    let state = pictures.draw(&history.fluents());
    let moves = counted(history.depth(), "joint move", "joint moves");
    format!("\nafter {moves}:\n{state}")
}

/// Lists the first moves with their numbers; by place, if there are many and the boards show one.
pub(super) fn moves(moves: &[String], most: usize, grids: &Grids) -> String {
    let groups = groups(moves, grids);
    if moves.len() > GROUPED && groups.len() < moves.len() {
        return grouped(moves, most, &groups);
    }
    let shown: Vec<usize> = (0..moves.len().min(most)).collect();
    let text = format!("your moves:\n{}", numbered(moves, &shown));
    match moves.len() <= most {
        true => text,
        false => format!("{text}  ... `moves` lists all {}\n", moves.len()),
    }
}

/// Lists the moves that begin at the place of this name, if there are any.
pub(super) fn moves_at(place: &str, moves: &[String], grids: &Grids) -> Option<String> {
    let groups = groups(moves, grids);
    let (_, at) = groups.iter().find(|(name, _)| name == place)?;
    Some(numbered(moves, at))
}

/// The names of the places at which moves begin.
pub(super) fn places(moves: &[String], grids: &Grids) -> Vec<String> {
    let mut groups = groups(moves, grids);
    groups.retain(|(name, _)| name != ELSEWHERE);
    groups.into_iter().map(|(name, _)| name).collect()
}

/// The name of the group of moves that begin at no place.
const ELSEWHERE: &str = "elsewhere";

/// Up to this number, moves are listed one after the other.
const GROUPED: usize = 20;

/// Returns the places at which moves begin, and the numbers of the moves; those that refer to no
/// place or to many come last.
fn groups(moves: &[String], grids: &Grids) -> Vec<(String, Vec<usize>)> {
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    let mut others = Vec::new();
    for (number, played) in moves.iter().enumerate() {
        let places = grids.places(played);
        let Some([place]) = places.first().map(Vec::as_slice) else {
            others.push(number);
            continue;
        };
        let name = &grids.grids()[place.grid].sites[place.site].name;
        match groups.iter_mut().find(|(other, _)| other == name) {
            Some((_, numbers)) => numbers.push(number),
            None => groups.push((name.clone(), vec![number])),
        }
    }
    if !others.is_empty() {
        groups.push((ELSEWHERE.to_string(), others));
    }
    groups
}

fn grouped(moves: &[String], most: usize, groups: &[(String, Vec<usize>)]) -> String {
    if moves.len() > most {
        let counts = groups.iter();
        let counts = counts.map(|(name, numbers)| format!("{name}: {}", numbers.len()));
        let counts = wrap(&counts.collect::<Vec<_>>(), 3);
        return format!(
            "your {} moves, by the place where they begin; enter one to list them, or `moves`:\n{counts}",
            moves.len()
        );
    }
    let lists = groups.iter();
    let lists = lists.map(|(name, numbers)| format!("at {name}\n{}", numbered(moves, numbers)));
    format!("your moves:\n{}", lists.collect::<String>())
}

/// Some of the moves, with their numbers from 1.
fn numbered(moves: &[String], which: &[usize]) -> String {
    let numbered = which
        .iter()
        .map(|&at| format!("{:>3} {}", at + 1, moves[at]));
    wrap(&numbered.collect::<Vec<_>>(), 2)
}
