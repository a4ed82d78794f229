//! The figures of the source, and where they are misprints.
//!
//! Source: S. Evans and P. Turrini, "Improving Strategic Decisions in Sequential Games by
//! Exploiting Positional Similarity", Games 14 (2023), 36.

use propjit::lab::similarity::{
    Branch, GameTree, Measure, Sequences, assign, continuations, structural, tree_edit,
};

use super::{assert_near, comparison, state};
use crate::common::own_game;

/// A tree in words: a move, and what can be played after it.
fn tree(branches: &[(char, &str)]) -> GameTree {
    let leaf = |label: char| Branch {
        label: label.into(),
        branches: Vec::new(),
    };
    let branches = branches.iter().map(|&(first, next)| Branch {
        branches: next.chars().map(leaf).collect(),
        ..leaf(first)
    });
    GameTree::new(&branches.collect::<Vec<_>>())
}

/// The trees of Figure 1, as the example says of them. It has the line `ag` in the second one; by the
/// similarities of its branches, which are a fifth, a fifth and none, that is `bg`.
fn figure_1() -> [GameTree; 2] {
    [
        tree(&[('a', "cdef"), ('b', "cd"), ('c', "ab")]),
        tree(&[('a', "cde"), ('b', "cdg"), ('c', "h")]),
    ]
}

fn moves(text: &str) -> Vec<u32> {
    text.chars().map(u32::from).collect()
}

#[test]
fn the_example_of_figure_1_is_as_printed() {
    let [a, b] = figure_1();
    assert_eq!(
        (a.moves(), b.moves()),
        (&moves("abcdef")[..], &moves("abcdegh")[..])
    );
    assert_near(continuations(a.moves(), b.moves()), 0.625);

    let lines = [Sequences::new(&a), Sequences::new(&b)];
    let of_a = lines[0].multiplicities();
    let of_a: Vec<_> = of_a
        .iter()
        .map(|&(line, count)| (line.to_vec(), count))
        .collect();
    let expected = ["ac", "ad", "ae", "af", "bc", "bd"].map(moves);
    let expected: Vec<_> = expected.into_iter().zip([2, 1, 1, 1, 2, 1]).collect();
    assert_eq!(of_a, expected);
    assert_near(lines[0].similarity(&lines[1]), 0.8);

    assert_eq!((a.size(), b.size()), (11, 10));
    assert_near(tree_edit((&a, &lines[0]), (&b, &lines[1])), 0.556);
}

#[test]
fn the_structural_example_of_figure_1_is_as_printed() {
    let similar = |next: &str| continuations(&moves("abc"), &moves(next)).unwrap();
    let a = ["cdef", "cd", "ab"].map(similar);
    let b = ["cde", "cdg", "h"].map(similar);
    assert_eq!(a, [1.0 / 6.0, 1.0 / 4.0, 2.0 / 3.0]);
    assert_eq!(b, [1.0 / 5.0, 1.0 / 5.0, 0.0]);
    assert_near(Some(assign(&a, &b).total), 0.683);
    let (similarity, assignment) = structural(&a, &b).unwrap();
    assert_near(Some(similarity), 0.772);
    // Two assignments are as cheap.
    let pairs = assignment.pairs;
    assert!(
        [[(0, 2), (1, 0), (2, 1)], [(0, 2), (1, 1), (2, 0)]]
            .contains(&[pairs[0], pairs[1], pairs[2]]),
        "{pairs:?}"
    );
}

/// A tree of two plies with the same moves after each move.
fn bushy(breadth: u32) -> Vec<Branch> {
    let leaf = |label| Branch {
        label,
        branches: Vec::new(),
    };
    (0..breadth)
        .map(|label| Branch {
            label,
            branches: (0..breadth).map(leaf).collect(),
        })
        .collect()
}

/// All three measures of two trees.
fn measures(a: &[Branch], b: &[Branch]) -> [f64; 3] {
    let [a, b] = [a, b].map(GameTree::new);
    let (a_lines, b_lines) = (Sequences::new(&a), Sequences::new(&b));
    [
        continuations(a.moves(), b.moves()).unwrap(),
        a_lines.similarity(&b_lines).unwrap(),
        tree_edit((&a, &a_lines), (&b, &b_lines)).unwrap(),
    ]
}

/// Example 1. Its first pair of trees differs in one line, its second one in that one tree ends after
/// one ply. Differences are of second order in `1 / b`, except in the last formula: the printed one
/// leaves out the first ply of the larger tree.
#[test]
fn example_1_has_the_asymptotics_that_are_printed() {
    for breadth in [10, 20, 40] {
        let b = f64::from(breadth);
        let tree = bushy(breadth);
        let mut other = tree.clone();
        let [one, another] = [1000, 1001];
        other[3].branches[5].label = another;
        let mut first = tree.clone();
        first[3].branches[5].label = one;
        let [cont, seq, edit] = measures(&first, &other);
        assert!((cont - (b - 2.0) / b).abs() < 4.0 / (b * b), "{cont}");
        assert!(
            (seq - (b * b - 2.0) / (b * b)).abs() < 2.0 / (b * b),
            "{seq}"
        );
        let printed = (2.0 * b * b - 1.0) / (2.0 * b * b + 1.0);
        assert!((edit - printed).abs() < 2.0 / (b * b * b), "{edit}");
        assert!(cont < seq && seq < edit);

        let mut ended = tree.clone();
        ended.iter_mut().for_each(|branch| branch.branches.clear());
        let [cont, seq, edit] = measures(&ended, &tree);
        assert!(cont >= (b - 2.0) / b);
        assert!((seq - 2.0 / (b + 2.0)).abs() < 1e-9, "{seq}");
        assert!(edit < seq && seq < cont);
        assert!(
            edit > 1.0 / (2.0 * b + 1.0) && edit < 3.0 / (2.0 * b + 1.0),
            "{edit}"
        );
    }
}

/// Table 1. The position is the only one with these four moves in which C2 wins. It prints 5/6 where
/// the formula gives 7/9: three children, of which one ends the match in one position only, with a
/// similarity of 0 for 2/3.
#[test]
fn table_1_is_as_printed_but_for_its_fraction() {
    let game = own_game("ticTacToe");
    let before = [
        "(cell 1 1 x)",
        "(cell 1 3 x)",
        "(cell 2 2 x)",
        "(cell 3 1 o)",
        "(cell 3 3 o)",
    ];
    // In the order of the table: B1, A2, C2, B3.
    let branches = [
        "(cell 2 1 o)",
        "(cell 1 2 o)",
        "(cell 3 2 o)",
        "(cell 2 3 o)",
    ]
    .map(|marked| {
        let mut fluents = before.to_vec();
        fluents.extend([marked, "(control x)"]);
        state(&game, &fluents)
    });
    let mut comparison = comparison(&game, Measure::Continuations, 1);
    let part = 7.0 / 9.0;
    let expected = [
        [1.0, part, 0.0, 1.0],
        [part, 1.0, 0.0, part],
        [0.0, 0.0, 1.0, 0.0],
        [1.0, part, 0.0, 1.0],
    ];
    for (a, row) in branches.iter().zip(expected) {
        for (b, expected) in branches.iter().zip(row) {
            assert_near(Some(comparison.structural(a, b).unwrap()), expected);
        }
    }
}

/// The fraction that Table 1 prints comes out if children are compared not with their parent, but with
/// the position before all branches, in which four moves can be played: the two that are left are a
/// half of them.
#[test]
fn table_1_is_as_printed_if_children_are_compared_with_the_root() {
    let root = moves("abcd");
    let similar = |next: &str| continuations(&root, &moves(next)).unwrap();
    // The children that remain after each branch; nothing where the match is over.
    let winning = ["", "bc", "bd"].map(similar);
    let other = ["bc", "bd", "cd"].map(similar);
    assert_near(structural(&winning, &other).map(|found| found.0), 5.0 / 6.0);
    assert_near(structural(&winning, &winning).map(|found| found.0), 1.0);
}
