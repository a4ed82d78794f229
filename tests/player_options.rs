//! The documentation of players' options: it is what the table in the library makes.

use propjit::play::players::mcts_options_as_markdown;

#[test]
fn options_are_documented() {
    let page = include_str!("../docs/players.md");
    let (_, options) = page.split_once("<!-- options -->\n").unwrap();
    let (options, _) = options.split_once("\n<!-- end of options -->").unwrap();
    assert_eq!(
        options,
        mcts_options_as_markdown(),
        "docs/players.md is to have this table"
    );
}
