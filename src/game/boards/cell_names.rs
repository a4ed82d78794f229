//! Names of cells that consist of a single coordinate, such as `a1`.

use super::order::Domain;

/// A row: its letter, and its places by number.
pub(super) type NamedRow<'a> = (&'a str, Vec<(usize, &'a String)>);

/// Recognises places with names that give their coordinates, such as `a1` or `c12`: a row for each
/// letter.
pub(super) fn of_names(names: &Domain) -> Option<Vec<NamedRow<'_>>> {
    let mut rows: Vec<NamedRow<'_>> = Vec::new();
    for name in &names.values {
        let start = name.chars().next().filter(char::is_ascii_alphabetic)?;
        let (letter, number) = name.split_at(start.len_utf8());
        let number: usize = number.parse().ok()?;
        match rows.iter_mut().find(|(row, _)| *row == letter) {
            Some((_, row)) => row.push((number, name)),
            None => rows.push((letter, vec![(number, name)])),
        }
    }
    rows.sort_unstable();
    rows.iter_mut().for_each(|(_, row)| row.sort_unstable());
    let numbers = || rows.iter().flat_map(|(_, row)| row.iter().map(|&(n, _)| n));
    let range = numbers().max()? - numbers().min()?;
    (rows.len() > 1 && range > 0 && range < names.len()).then_some(rows)
}

/// Returns whether a single coordinate gives the position of a place in the plane.
pub(super) fn is_plane(names: &Domain) -> bool {
    of_names(names).is_some()
}
