//! Circuits are small: measured against the component counts of another engine.

use crate::common;

/// Of the games with counts, those with larger ones take longer and are left
/// out but for a soak.
const MAX_COMPONENTS: usize = 4000;

#[test]
fn gates_are_no_more_than_sanchos_components_in_the_median() {
    let Some(shared) = common::shared() else {
        return;
    };
    let table = std::fs::read_to_string(shared.join("peers.csv")).unwrap();
    let mut rows = table
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let column = |name| header.iter().position(|&h| h == name).unwrap();
    let (game, components) = (column("game"), column("sancho_components"));
    let mut ratios = Vec::new();
    for row in rows {
        let Ok(components) = row[components].parse::<usize>() else {
            continue;
        };
        if components > MAX_COMPONENTS && !common::soak() {
            continue;
        }
        let path = shared.join("games").join(row[game]).with_extension("kif");
        let loaded = common::load(&path);
        let gates = loaded.ground_game().unwrap().min_gates().circuit.gates();
        ratios.push(gates as f64 / components as f64);
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    assert!(median <= 0.9, "the median ratio is {median} of {ratios:?}");
}
