//! Networks from files: what they compute, how they are played, and files that do not fit.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::common;
use crate::common::command::{json, own, propjit, stderr};
use propjit::search::batched::{BatchSearch, BatchSearchConfig};
use propjit::search::network::Network;
use propjit::{Game, Stop};
use safetensors::serialize_to_file;
use safetensors::tensor::{Dtype, TensorView};
use tempfile::TempDir;

/// A file to be written: metadata, and tensors with their shapes.
struct File {
    metadata: HashMap<String, String>,
    tensors: Vec<(String, Vec<usize>, Vec<f32>)>,
}

impl File {
    /// A network of a game with these layers, without tensors.
    fn new(game: &Game, observation: &str, layers: &str) -> File {
        let hash = game.ground_game().unwrap().vocabulary_hash().to_string();
        let entries = [
            ("format", "propjit-network"),
            ("version", "1"),
            ("game", &hash),
            ("observation", observation),
            ("rewards", "zero-sum"),
            ("layers", layers),
        ];
        let entries = entries.map(|(key, value)| (key.to_string(), value.to_string()));
        File {
            metadata: entries.into_iter().collect(),
            tensors: Vec::new(),
        }
    }

    fn with(mut self, key: &str, value: &str) -> File {
        self.metadata.insert(key.to_string(), value.to_string());
        self
    }

    fn tensor(mut self, name: &str, shape: &[usize], of: impl Fn(usize) -> f32) -> File {
        let elements = (0..shape.iter().product()).map(of).collect();
        self.tensors
            .push((name.to_string(), shape.to_vec(), elements));
        self
    }

    fn write(self, folder: &TempDir) -> PathBuf {
        let path = folder.path().join("network.safetensors");
        let bytes = self.tensors.iter().map(|(name, shape, elements)| {
            let bytes = elements.iter().flat_map(|element| element.to_le_bytes());
            (name, shape.clone(), bytes.collect::<Vec<u8>>())
        });
        let bytes: Vec<_> = bytes.collect();
        let views = bytes.iter().map(|(name, shape, bytes)| {
            let view = TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap();
            (name.as_str(), view)
        });
        serialize_to_file(views, Some(self.metadata), &path).unwrap();
        path
    }
}

const LINEAR: &str =
    r#"{"body": [], "policy": [{"linear": "policy"}], "value": [{"linear": "value"}, "tanh"]}"#;

/// A network for tic-tac-toe without weights: logits are the numbers of actions, and the value of the player with a choice
/// is that of `bias`.
fn constant(game: &Game, bias: f32) -> File {
    let fluents = game.ground_game().unwrap().layout().bases.len();
    File::new(game, "fluents", LINEAR)
        .tensor("policy.weight", &[9, fluents], |_| 0.0)
        .tensor("policy.bias", &[9], |action| action as f32 / 4.0)
        .tensor("value.weight", &[1, fluents], |_| 0.0)
        .tensor("value.bias", &[1], |_| bias)
}

fn search(game: &Game, path: &Path) -> BatchSearch {
    let network = Network::read(path).unwrap();
    let evaluator = network.evaluator(game, &Stop::new()).unwrap();
    let config = BatchSearchConfig::default()
        .with_observed(evaluator.shape().observed.clone())
        .with_rewards(Some(evaluator.rewards().kind()));
    let initial = game.ground_game().unwrap().initial().clone();
    let mut search = BatchSearch::new(game, &[initial.clone(), initial], config).unwrap();
    search.advance(&[4, 0]).unwrap();
    search.run(0, &evaluator, &Stop::new()).unwrap();
    search
}

#[test]
fn logits_and_values_are_those_of_the_layers() {
    let (folder, game) = (tempfile::tempdir().unwrap(), common::own_game("ticTacToe"));
    let search = search(&game, &constant(&game, 0.5).write(&folder));
    // The second player has the choice.
    let value = 0.5f32.tanh();
    for found in search.values().chunks_exact(2) {
        assert!(
            (found[0] + value).abs() < 1e-6 && (found[1] - value).abs() < 1e-6,
            "{found:?}"
        );
    }
    let policy = search.policy(1.0);
    let ratio = policy[8] / policy[0];
    assert!(
        (ratio - 2f32.exp()).abs() < 1e-4 && policy[4] == 0.0,
        "{policy:?}"
    );
}

/// A tower that adds up the stones of the player with a choice, in each neighbourhood.
#[test]
fn towers_of_convolutions_see_planes() {
    let (folder, game) = (tempfile::tempdir().unwrap(), common::own_game("ticTacToe"));
    let layers = r#"{
        "body": [{"convolution": "first"}, {"residual": ["relu", {"convolution": "second"}]}, "relu"],
        "policy": ["flatten", {"linear": "policy"}],
        "value": ["flatten", {"linear": "value"}]
    }"#;
    let path = File::new(&game, "planes", layers)
        .tensor("first.weight", &[1, 6, 3, 3], |at| {
            f32::from(u8::from((0..9).contains(&at)))
        })
        .tensor("first.bias", &[1], |_| 0.0)
        .tensor("second.weight", &[1, 1, 1, 1], |_| 2.0)
        .tensor("second.bias", &[1], |_| 1.0)
        .tensor("policy.weight", &[9, 9], |at| {
            f32::from(u8::from(at % 10 == 0))
        })
        .tensor("policy.bias", &[9], |_| 0.0)
        .tensor(
            "value.weight",
            &[2, 9],
            |at| if at < 9 { 0.01 } else { 0.0 },
        )
        .tensor("value.bias", &[2], |_| 0.0)
        .write(&folder);
    let search = search(&game, &path);
    let planes = propjit::game::boards::Planes::find(&game, true, &Stop::new());
    assert_eq!(planes.unwrap().unwrap().names()[0], "cell o | cell x");
    // Channel 0 has the stones of the other player where `o` has the choice: one in the centre, seen from 9 places, or in
    // a corner, seen from 4; each is 3 times that, and 1.
    let values = search.values();
    let expected = [0.01 * (9.0 * 3.0 + 9.0), 0.0, 0.01 * (4.0 * 3.0 + 9.0), 0.0];
    let are_near = |(one, other): (&f32, &f32)| (one - other).abs() < 1e-5;
    assert!(values.iter().zip(&expected).all(are_near), "{values:?}");
    // Logits are those of places: near the corner, and elsewhere.
    let policy = search.policy(1.0);
    let corner = &policy[search.shape().actions..];
    let greatest = corner.iter().copied().fold(0.0, f32::max);
    let positive = corner.iter().copied().filter(|&share| share > 0.0);
    let least = positive.fold(1.0, f32::min);
    assert!((greatest / least - 3f32.exp()).abs() < 0.01, "{corner:?}");
}

#[test]
fn networks_are_played() {
    let (folder, game) = (tempfile::tempdir().unwrap(), common::own_game("ticTacToe"));
    let path = constant(&game, 0.0).write(&folder);
    let player = format!("mcts:network={},total-playouts=200", path.display());
    let tic_tac_toe = own("ticTacToe");
    let args = [
        "match",
        &tic_tac_toe,
        "--player",
        &player,
        "--player",
        "random:seed=1",
    ];
    let result = json(&[&args[..], &["--games", "4", "--swap", "--seed", "1"]].concat());
    assert!(
        result["standings"][0]["mean_goal"]
            .as_f64()
            .unwrap_or(100.0)
            >= 50.0,
        "{result}"
    );
    assert_eq!(result["matches"], 4);
    // It is for another game.
    let connect_four = own("connectFour");
    let args = [
        "match",
        &connect_four,
        "--player",
        &player,
        "--player",
        "random",
    ];
    let text = stderr(propjit(&args));
    assert!(text.contains("is for another game"), "{text}");
}

#[test]
fn files_that_do_not_fit_are_refused() {
    let (folder, game) = (tempfile::tempdir().unwrap(), common::own_game("ticTacToe"));
    let refused = |file: File| {
        let path = file.write(&folder);
        let read = Network::read(&path);
        let fits = read.and_then(|network| network.evaluator(&game, &Stop::new()));
        fits.unwrap_err().to_string()
    };
    let layers = |layers: &str| constant(&game, 0.0).with("layers", layers);
    let with = |key: &str, value: &str| constant(&game, 0.0).with(key, value);
    let fluents = game.ground_game().unwrap().layout().bases.len();
    for (file, expected) in [
        (
            with("format", "other"),
            "its `format` is not `propjit-network`",
        ),
        (
            with("version", "2"),
            "has version 2 of the format, and this program reads version 1",
        ),
        (with("game", "0123456789abcdef"), "is for another game"),
        (with("observation", "smell"), "it observes `smell`"),
        (with("rewards", "money"), "its rewards are `money`"),
        (with("rewards", "goals"), "its value must be 2 numbers"),
        (
            with("observation", "planes"),
            "`flatten` is missing before `policy`",
        ),
        (layers("{}"), "its layers cannot be read"),
        (
            layers(&LINEAR.replace("tanh", "sigmoid")),
            "unknown variant `sigmoid`",
        ),
        (
            layers(&LINEAR.replace("[]", r#"[{"linear": "body"}]"#)),
            "it has no tensor `body.weight`",
        ),
        (
            layers(&LINEAR.replace("[]", r#"[{"linear": "policy"}]"#)),
            "`policy` takes 20 numbers, and there are 9",
        ),
        (
            File::new(&game, "fluents", LINEAR)
                .tensor("policy.weight", &[3, fluents], |_| 0.0)
                .tensor("policy.bias", &[3], |_| 0.0)
                .tensor("value.weight", &[1, fluents], |_| 0.0)
                .tensor("value.bias", &[1], |_| 0.0),
            "its policy must be 9 logits, one for each choice, or 10",
        ),
        (
            File::new(&game, "fluents", LINEAR)
                .tensor("policy.weight", &[9, fluents], |_| f32::NAN)
                .tensor("policy.bias", &[9], |_| 0.0),
            "has elements that are not finite",
        ),
    ] {
        let text = refused(file);
        assert!(text.contains(expected), "{text}");
    }
    let path = folder.path().join("text");
    std::fs::write(&path, "no network at all").unwrap();
    let text = Network::read(&path).unwrap_err().to_string();
    assert!(
        text.contains("it is not in the safetensors format"),
        "{text}"
    );
    let missing = [
        "match",
        &own("ticTacToe"),
        "--player",
        "mcts:network=missing",
        "--player",
        "random",
    ];
    let text = stderr(propjit(&missing).code(2));
    assert!(text.contains("cannot read the network missing"), "{text}");
}
