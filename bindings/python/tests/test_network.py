"""Networks in files."""

import json

import numpy as np
import pytest

from propjit import Game, network


def layers(rng, channels=4):
    """A residual tower for tic-tac-toe."""

    def weights(*shape):
        return rng.normal(size=shape).astype(np.float32), rng.normal(size=shape[0]).astype(np.float32)

    body = [
        ("convolution", *weights(channels, 6, 3, 3)),
        "relu",
        ("residual", [("convolution", *weights(channels, channels, 3, 3)), "relu"]),
    ]
    policy = ["flatten", ("linear", *weights(9, 9 * channels))]
    value = [("convolution", *weights(1, channels, 1, 1)), "flatten", ("linear", *weights(1, 9)), "tanh"]
    return {"body": body, "policy": policy, "value": value}


def test_what_is_written_is_read(tmp_path):
    game, path = Game.named("ticTacToe"), tmp_path / "network.safetensors"
    given = layers(np.random.default_rng(1))
    network.save(path, game, **given, metadata={"author": "me"})
    metadata, tensors = network.read(path)
    assert metadata["game"] == game.vocabulary_hash and len(game.vocabulary_hash) == 16
    assert metadata["author"] == "me" and metadata["observation"] == "planes"
    specs = json.loads(metadata["layers"])
    assert specs["body"][1:] == ["relu", {"residual": [{"convolution": "body.2.0"}, "relu"]}]
    np.testing.assert_array_equal(tensors["body.2.0.weight"], given["body"][2][1][0][1])
    assert not list(tmp_path.glob("*.partial"))


def test_errors_name_the_remedy(tmp_path):
    game, path = Game.named("ticTacToe"), tmp_path / "network.safetensors"
    given = layers(np.random.default_rng(1))
    for wrong, text in [
        ({"observation": "smell"}, "`observation` is one of"),
        ({"rewards": "money"}, "`rewards` is one of"),
        ({"metadata": {"version": "2"}}, "belong to the format: version"),
        ({"body": ["sigmoid"]}, "no layer 'sigmoid'"),
        ({"body": [("linear", np.zeros((2, 3)), np.zeros(3))]}, "a bias for each of the first"),
    ]:
        with pytest.raises(ValueError, match=text):
            network.save(path, game, **{**given, **wrong})
    assert not path.exists()


def test_modules_of_torch_become_layers():
    torch = pytest.importorskip("torch")
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.residual = nn.Sequential(nn.Conv2d(2, 2, 3, padding=1, bias=False), nn.BatchNorm2d(2))

        def forward(self, planes):
            return planes + self.residual(planes)

    module = nn.Sequential(nn.Conv2d(6, 2, 3, padding="same"), Block(), nn.ReLU(), nn.Flatten(), nn.Linear(18, 3))
    for _ in range(3):
        module(torch.randn(8, 6, 3, 3))
    convolution, (kind, (folded,)), relu, flatten, linear = network.from_torch(module)
    assert (convolution[0], kind, relu, flatten, linear[0]) == ("convolution", "residual", "relu", "flatten", "linear")
    planes = torch.randn(2, 2, 3, 3)
    expected = module.eval()[1](planes) - planes
    found = nn.functional.conv2d(planes, *map(torch.from_numpy, folded[1:]), padding=1)
    assert torch.allclose(found, expected, atol=1e-5)
    with pytest.raises(ValueError, match="the kind GELU"):
        network.from_torch(nn.GELU())
    with pytest.raises(ValueError, match="keep the size"):
        network.from_torch(nn.Conv2d(1, 1, 3))
