"""Networks in files that propjit plays, written from plain arrays or modules of torch.

A network has a body, whose result two heads share: one for the logits of actions, and one for values. Each is a list of
layers:

- `("convolution", weight, bias)`, with the stride 1 and as many zeros around the board as keep its size;
- `("linear", weight, bias)`;
- `"relu"`, `"tanh"`, and `"flatten"`, which comes between convolutions and linear layers;
- `("residual", layers)`: what goes in, added to what these layers make of it.

>>> import numpy as np, tempfile, os
>>> from propjit import Game, network
>>> game = Game.named("ticTacToe")
>>> def linear(inputs, outputs):
...     return ("linear", np.zeros((outputs, inputs), dtype=np.float32), np.zeros(outputs, dtype=np.float32))
>>> path = os.path.join(tempfile.mkdtemp(), "ticTacToe.safetensors")
>>> network.save(
...     path, game, observation="fluents",
...     body=[linear(len(game.fluents), 16), "relu"],
...     policy=[linear(16, game.num_choices)],
...     value=[linear(16, 1), "tanh"],
... )
>>> network.read(path)[0]["format"]
'propjit-network'

The format is described in docs/networks.md.
"""

import json
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._native import Game

Layer = Union[str, Tuple[str, Any], Tuple[str, Any, Any]]

VERSION = "1"

_PLAIN = ("relu", "tanh", "flatten")


def save(
    path: Union[str, "os.PathLike[str]"],
    game: Game,
    *,
    body: Sequence[Layer],
    policy: Sequence[Layer],
    value: Sequence[Layer],
    observation: str = "planes",
    rewards: str = "zero-sum",
    metadata: Optional[Mapping[str, str]] = None,
) -> None:
    """Writes a network of a game.

    - `observation` is what the network gets: `planes` (of `game.planes()`), `absolute-planes` (of
      `game.planes(relative=False)`) or `fluents`.
    - The policy has `game.num_choices` logits, or one for each action.
    - The value has a number for each player, the `rewards` that it can expect; or one, for the player with a choice, in
      games of two players with zero-sum rewards.
    - `metadata` are texts of your own, under other names than the format has.
    """
    if observation not in ("planes", "absolute-planes", "fluents"):
        raise ValueError(
            f"`observation` is one of `planes`, `absolute-planes` and `fluents`, not `{observation}`"
        )
    if rewards not in ("zero-sum", "goals"):
        raise ValueError(f"`rewards` is one of `goals` and `zero-sum`, not `{rewards}`")
    tensors: Dict[str, np.ndarray] = {}
    layers = {
        name: _specs(f"{name}.", given, tensors)
        for name, given in (("body", body), ("policy", policy), ("value", value))
    }
    own = {
        "format": "propjit-network",
        "version": VERSION,
        "game": game.vocabulary_hash,
        "observation": observation,
        "rewards": rewards,
        "layers": json.dumps(layers),
    }
    clash = set(metadata or {}) & set(own)
    if clash:
        raise ValueError(f"these names of metadata belong to the format: {', '.join(sorted(clash))}")
    header: Dict[str, Any] = {"__metadata__": {**(metadata or {}), **own}}
    end = 0
    for name, tensor in tensors.items():
        start, end = end, end + tensor.nbytes
        header[name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    partial = f"{os.fspath(path)}.partial"
    with open(partial, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for tensor in tensors.values():
            file.write(tensor.astype("<f4").tobytes())
    os.replace(partial, path)


def read(path: Union[str, "os.PathLike[str]"]) -> Tuple[Dict[str, str], Dict[str, np.ndarray]]:
    """The metadata and the tensors of a file."""
    with open(path, "rb") as file:
        content = file.read()
    start = 8 + int.from_bytes(content[:8], "little")
    if start > len(content):
        raise ValueError(f"{os.fspath(path)} is not in the safetensors format")
    header = json.loads(content[8:start])
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        if entry["dtype"] != "F32":
            raise ValueError(f"`{name}` is not of 32-bit floating-point numbers")
        first, last = entry["data_offsets"]
        numbers = np.frombuffer(content[start + first : start + last], dtype="<f4")
        tensors[name] = numbers.reshape(entry["shape"])
    return metadata, tensors


def from_torch(module: Any) -> List[Layer]:
    """The layers of a module of torch that consists of `Sequential`, `Conv2d`, `BatchNorm2d`, `Linear`, `ReLU`, `Tanh`,
    `Flatten`, `Identity` and `Dropout`. A module with an attribute `residual` is taken for one that adds what goes in to what
    that makes of it. Batch normalisation becomes part of the layer before it, as it is in evaluation mode.
    """
    layers: List[Layer] = []
    _add(module, layers)
    return layers


def _add(module: Any, layers: List[Layer]) -> None:
    kind = type(module).__name__
    if hasattr(module, "residual"):
        layers.append(("residual", from_torch(module.residual)))
    elif kind == "Sequential":
        for part in module:
            _add(part, layers)
    elif kind == "Conv2d":
        size = module.weight.shape[2:]
        same = module.padding == "same" or tuple(module.padding) == tuple(n // 2 for n in size)
        if not same or any(n != 1 for n in (*module.stride, *module.dilation, module.groups)):
            raise ValueError(f"{module} must have the stride 1 and keep the size of the board")
        layers.append(("convolution", _array(module.weight), _bias(module)))
    elif kind == "Linear":
        layers.append(("linear", _array(module.weight), _bias(module)))
    elif kind in ("BatchNorm1d", "BatchNorm2d"):
        if not layers or isinstance(layers[-1], str) or layers[-1][0] == "residual":
            raise ValueError(f"{module} must follow a convolution or a linear layer")
        name, weight, bias = layers[-1]  # type: ignore[misc]
        scale = 1 / np.sqrt(_array(module.running_var) + module.eps)
        shift = -_array(module.running_mean) * scale
        if module.affine:
            scale, shift = scale * _array(module.weight), shift * _array(module.weight)
            shift = shift + _array(module.bias)
        weight = weight * scale.reshape((-1,) + (1,) * (weight.ndim - 1))
        layers[-1] = (name, weight, bias * scale + shift)
    elif kind in ("ReLU", "Tanh", "Flatten"):
        layers.append(kind.lower())
    elif kind not in ("Identity", "Dropout", "Dropout2d"):
        raise ValueError(f"a layer of the kind {kind} cannot be stored")


def _array(tensor: Any) -> np.ndarray:
    return tensor.detach().cpu().numpy().astype(np.float32)


def _bias(module: Any) -> np.ndarray:
    if module.bias is None:
        return np.zeros(module.weight.shape[0], dtype=np.float32)
    return _array(module.bias)


def _specs(prefix: str, layers: Sequence[Layer], tensors: Dict[str, np.ndarray]) -> List[Any]:
    """The layers as the metadata have them; their tensors are added."""
    specs: List[Any] = []
    for number, layer in enumerate(layers):
        name = f"{prefix}{number}"
        if isinstance(layer, str) and layer in _PLAIN:
            specs.append(layer)
        elif layer[0] == "residual":
            specs.append({"residual": _specs(f"{name}.", layer[1], tensors)})
        elif layer[0] in ("convolution", "linear"):
            kind, weight, bias = layer  # type: ignore
            weight, bias = (np.ascontiguousarray(part, dtype=np.float32) for part in (weight, bias))
            needed = 4 if kind == "convolution" else 2
            if weight.ndim != needed or bias.shape != weight.shape[:1]:
                raise ValueError(
                    f"a {kind} has weights of {needed} dimensions and a bias for each of the first, not "
                    f"{weight.shape} and {bias.shape}"
                )
            tensors[f"{name}.weight"], tensors[f"{name}.bias"] = weight, bias
            specs.append({kind: name})
        else:
            raise ValueError(f"there is no layer {layer!r}")
    return specs
