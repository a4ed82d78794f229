"""Learns a game from nothing by self-play, as AlphaZero does, with torch on a processor (`pip install torch`).

All games are searched at once (`BatchSearch`, with Gumbel noise), their positions are learned, and after some time the
network plays against tree search with 1,000 playouts. Everything is in the folder `--folder`: a checkpoint, from which
`--resume` goes on, the learning curve as table and picture, and the network as `network.safetensors`, which the command line plays:

    propjit match connectFour.kif --player mcts:network=network.safetensors,total-playouts=200 --player mcts:total-playouts=1000
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from propjit import BatchSearch, Game, Search, drawing, network


class Residual(nn.Module):
    """Adds what goes in to what two convolutions make of it."""

    def __init__(self, channels):
        super().__init__()
        self.residual = nn.Sequential(
            convolution(channels, channels), nn.ReLU(), convolution(channels, channels)
        )

    def forward(self, planes):
        return planes + self.residual(planes)


def convolution(inputs, outputs, size=3):
    layer = nn.Conv2d(inputs, outputs, size, padding=size // 2, bias=False)
    return nn.Sequential(layer, nn.BatchNorm2d(outputs))


class Network(nn.Module):
    """A residual tower with a head for logits and one for the value of the player with a choice."""

    def __init__(self, shape, choices, channels, blocks):
        super().__init__()
        planes, height, width = shape
        tower = [convolution(planes, channels), nn.ReLU()]
        for _ in range(blocks):
            tower += [Residual(channels), nn.ReLU()]
        self.body = nn.Sequential(*tower)
        cells = height * width
        self.policy = nn.Sequential(
            convolution(channels, 16, 1), nn.ReLU(), nn.Flatten(), nn.Linear(16 * cells, choices)
        )
        self.value = nn.Sequential(
            convolution(channels, 8, 1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(8 * cells, 32),
            nn.ReLU(),
            nn.Linear(32, 1),
            nn.Tanh(),
        )

    def forward(self, planes):
        body = self.body(planes)
        return self.policy(body), self.value(body)[:, 0]

    def save(self, path, game):
        parts = {name: network.from_torch(getattr(self, name)) for name in ("body", "policy", "value")}
        network.save(path, game, **parts)


def evaluation(net, actions):
    """The network as a search calls it."""

    def evaluate(observation, mask, player):
        with torch.inference_mode():
            logits, value = net(torch.from_numpy(observation))
        values = np.where(player == 0, 1, -1)[:, None] * np.outer(value.numpy(), [1, -1])
        padded = np.zeros((len(observation), actions), dtype=np.float32)
        padded[:, : logits.shape[1]] = logits.numpy()
        return values, padded

    return evaluate


class Buffer:
    """The last positions of self-play, with the policy and the value to be learned."""

    def __init__(self, size, shape, choices):
        self.observations = np.zeros((size, *shape), dtype=bool)
        self.policies = np.zeros((size, choices), dtype=np.float32)
        self.values = np.zeros(size, dtype=np.float32)
        self.added = 0

    def add(self, observations, policies, values):
        places = (self.added + np.arange(len(values))) % len(self.values)
        self.observations[places] = observations
        self.policies[places] = policies
        self.values[places] = values
        self.added += len(values)

    def sample(self, count, images, rng):
        places = rng.integers(min(self.added, len(self.values)), size=count)
        observations = self.observations[places].astype(np.float32)
        policies = self.policies[places]
        which = rng.integers(len(images) + 1, size=count)
        for number, (elements, actions) in enumerate(images):
            chosen = which == number
            flat = observations[chosen].reshape(chosen.sum(), -1)
            observations[chosen] = moved(flat, elements).reshape(-1, *observations.shape[1:])
            policies[chosen] = moved(policies[chosen], actions)
        return observations, policies, self.values[places]


def moved(rows, images):
    """The rows, with each of their numbers at its image."""
    result = np.empty_like(rows)
    result[:, images] = rows
    return result


def images(game, planes):
    """What elements of planes, and choices, become by symmetries in which players stay who they are."""
    found = []
    for symmetry in game.symmetries():
        elements, actions = symmetry.planes(planes), symmetry.actions[:, : game.num_choices]
        stays = (symmetry.players == [0, 1]).all() and symmetry.keeps_initial
        if stays and (elements == elements[0]).all() and (actions == actions[0]).all():
            found.append((elements[0], actions[0]))
    return found


class SelfPlay:
    """Games that are played at the same time, with what is to be remembered until they end."""

    def __init__(self, game, net, options, seed):
        self.choices = game.num_choices
        self.search = BatchSearch(
            [game.initial] * options.games,
            evaluation(net, game.num_actions),
            options.simulations,
            gumbel=True,
            observation="planes",
            dtype="float32",
            rewards="zero-sum",
            seed=seed,
        )
        self.moves = [[] for _ in range(options.games)]
        self.rng = np.random.default_rng(seed)
        self.opening = options.opening
        self.finished = 0

    def step(self, buffer):
        """Makes a move in all games. Those that end are added to the buffer, and begin anew."""
        search = self.search
        observations, players = search.observation, search.current_player
        search.run()
        policies, best = search.policy()[:, : self.choices], search.best_actions.copy()
        values = search.values[np.arange(len(players)), players]
        for number, moves in enumerate(self.moves):
            moves.append((observations[number] != 0, policies[number], players[number], values[number]))
            if len(moves) <= self.opening:
                share = policies[number] / policies[number].sum()
                best[number] = self.rng.choice(self.choices, p=share)
        search.advance(best)
        over = search.terminated | search.truncated
        for number in over.nonzero()[0]:
            moves, self.moves[number] = self.moves[number], []
            observed, policies, players, searched = map(np.array, zip(*moves))
            # The result, and what the search expected, both for the player with the choice.
            buffer.add(observed, policies, (search.rewards[number][players] + searched) / 2)
        self.finished += int(over.sum())
        search.reset(over)


def learn(net, optimizer, buffer, options, rng):
    """Learns some positions of the buffer. Returns the loss."""
    net.train()
    observations, policies, values = buffer.sample(options.batch, options.images, rng)
    logits, found = net(torch.from_numpy(observations))
    policy_loss = -(torch.from_numpy(policies) * torch.log_softmax(logits, 1)).sum(1).mean()
    loss = policy_loss + (torch.from_numpy(values) - found).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    net.eval()
    return loss.item()


def score(game, net, options, seed):
    """The share of points against tree search, half of the matches as each player."""
    count = options.matches
    search = BatchSearch(
        [game.initial] * count,
        evaluation(net, game.num_actions),
        options.searched,
        observation="planes",
        dtype="float32",
        rewards="zero-sum",
        seed=seed,
    )
    opponents = [Search(game, seed=seed + number) for number in range(count)]
    own = np.arange(count) % 2
    depth = 0
    while not (over := search.terminated | search.truncated).all():
        players = search.current_player
        actions = np.full(count, -1, dtype=np.int32)
        if (players == own).any():
            search.run()
            actions = search.best_actions
        for number in (~over & (players != own)).nonzero()[0]:
            opponents[number].set_root(search.state(number), depth)
            opponents[number].run(playouts=options.playouts)
            best = opponents[number].report(int(players[number])).best
            actions[number] = game.actions.index(best)
        search.advance(actions)
        depth += 1
    return (search.rewards[np.arange(count), own].mean() + 1) / 2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="connectFour", help="a game of two players that comes with propjit")
    parser.add_argument("--minutes", type=float, default=30, help="time of self-play and learning")
    parser.add_argument("--games", type=int, default=256, help="games at a time")
    parser.add_argument("--simulations", type=int, default=24, help="simulations of a move of self-play")
    parser.add_argument("--opening", type=int, default=8, help="moves of a game that are drawn at random")
    parser.add_argument("--channels", type=int, default=32)
    parser.add_argument("--blocks", type=int, default=2)
    parser.add_argument("--rate", type=float, default=2e-3, help="the learning rate at first; it falls to a tenth")
    parser.add_argument("--batch", type=int, default=512, help="positions of a learning step")
    parser.add_argument("--steps", type=int, default=2, help="learning steps for a move of all games")
    parser.add_argument("--buffer", type=int, default=200_000, help="positions that are remembered")
    parser.add_argument("--every", type=float, default=4, help="minutes between two measurements")
    parser.add_argument("--matches", type=int, default=40, help="matches of a measurement")
    parser.add_argument("--searched", type=int, default=200, help="simulations of a move there")
    parser.add_argument("--playouts", type=int, default=1000, help="playouts of a move of the opponent")
    parser.add_argument("--threads", type=int, default=1, help="threads of torch")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("alphazero"))
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    game = Game.named(options.game)
    planes = game.planes()
    shape = planes.shape
    # Left and right in connect four, for example: from each position, its images are learned, too.
    options.images = images(game, planes)
    net = Network(shape, game.num_choices, options.channels, options.blocks).eval()
    optimizer = torch.optim.AdamW(net.parameters(), lr=options.rate, weight_decay=1e-4)
    options.folder.mkdir(parents=True, exist_ok=True)
    checkpoint, curve = options.folder / "checkpoint.pt", options.folder / "curve.csv"
    rows = []
    if options.resume:
        stored = torch.load(checkpoint)
        net.load_state_dict(stored["network"])
        optimizer.load_state_dict(stored["optimizer"])
        rows = stored["rows"]
    spent = rows[-1]["minutes"] if rows else 0
    game.wait()
    play = SelfPlay(game, net, options, options.seed + len(rows))
    buffer = Buffer(options.buffer, shape, game.num_choices)
    begin = rows[-1] if rows else {"games": 0, "positions": 0}
    due, losses, end = spent + options.every, [], spent + options.minutes
    while spent < end:
        start = time.monotonic()
        play.step(buffer)
        if buffer.added >= 2 * options.batch:
            for group in optimizer.param_groups:
                group["lr"] = options.rate * (1 - 0.9 * min(spent / end, 1))
            losses += [learn(net, optimizer, buffer, options, rng) for _ in range(options.steps)]
        spent += (time.monotonic() - start) / 60
        if spent < min(due, end):
            continue
        due += options.every
        row = {
            "minutes": round(spent, 2),
            "games": begin["games"] + play.finished,
            "positions": begin["positions"] + buffer.added,
            "loss": round(float(np.mean(losses)), 4) if losses else None,
            "score": round(float(score(game, net, options, 1000 * len(rows))), 4),
        }
        rows.append(row)
        losses = []
        print(*(f"{name} {value}" for name, value in row.items()), sep=", ", flush=True)
        stored = {"network": net.state_dict(), "optimizer": optimizer.state_dict(), "rows": rows}
        torch.save(stored, checkpoint)
        net.save(options.folder / "network.safetensors", game)
        with curve.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        picture = drawing.curve(columns["minutes"], {"score": columns["score"]}, x="minutes", limits=(0, 1))
        curve.with_suffix(".svg").write_text(picture)


if __name__ == "__main__":
    main()
