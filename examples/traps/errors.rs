//! What a measure of similarity gets wrong about positions that keep a trap or not.

/// The part of false negatives, of the positions that keep the trap, and that of false positives, of
/// the others.
pub(crate) fn errors(similarities: &[f64], kept: &[bool]) -> [f64; 2] {
    let mean = similarities.iter().sum::<f64>() / similarities.len() as f64;
    let part = |of: bool, is_wrong: &dyn Fn(f64) -> bool| {
        let all = similarities
            .iter()
            .zip(kept)
            .filter(|(_, kept)| **kept == of);
        let wrong = all.clone().filter(|(similarity, _)| is_wrong(**similarity));
        wrong.count() as f64 / all.count().max(1) as f64
    };
    [
        part(true, &|one| one < mean),
        part(false, &|one| one > mean),
    ]
}

/// The means of several pairs.
pub(crate) fn mean(all: &[[f64; 2]]) -> [f64; 2] {
    [0, 1].map(|at| all.iter().map(|pair| pair[at]).sum::<f64>() / all.len() as f64)
}
