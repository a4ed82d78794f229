#!/usr/bin/env python3
"""Learns connect four by REINFORCE, in NumPy and on one processor, from matches that a policy plays against itself.

    pip install ./bindings/python
    examples/reinforce.py

The policy is a neural network with one hidden layer. What a player did is made more likely by how much better its match
ended than others do. The score is that against random players, in half of the matches as each player.
"""

import argparse

import numpy as np

from propjit import Game, VectorEnv
from propjit.selfplay import rollout


class Network:
    """Probabilities of actions, with gradients and Adam (Kingma & Ba 2015)."""

    def __init__(self, inputs, hidden, outputs, rng):
        self.weights = [
            rng.normal(0, (2 / inputs) ** 0.5, (inputs, hidden)).astype(np.float32),
            np.zeros(hidden, np.float32),
            np.zeros((hidden, outputs), np.float32),
        ]
        self.moments = [(np.zeros_like(weight), np.zeros_like(weight)) for weight in self.weights]
        self.updates = 0

    def probabilities(self, observations, masks):
        """Those of legal actions, and the hidden layer."""
        first, bias, second = self.weights
        hidden = np.maximum(observations @ first + bias, 0)
        logits = np.where(masks, hidden @ second, -np.inf)
        likely = np.exp(logits - logits.max(axis=1, keepdims=True))
        return likely / likely.sum(axis=1, keepdims=True), hidden

    def learn(self, observations, masks, actions, advantages, rate, entropy=0.01):
        """Makes actions more likely by their advantages; the entropy keeps the policy from being certain too soon."""
        likely, hidden = self.probabilities(observations, masks)
        wanted = -likely
        wanted[np.arange(len(actions)), actions] += 1
        logarithms = np.log(likely, where=likely > 0, out=np.zeros_like(likely))
        surprise = logarithms - (likely * logarithms).sum(axis=1, keepdims=True)
        by_logits = (wanted * advantages[:, None] - entropy * likely * surprise) / len(actions)
        by_hidden = (by_logits @ self.weights[2].T) * (hidden > 0)
        gradients = [observations.T @ by_hidden, by_hidden.sum(axis=0), hidden.T @ by_logits]
        self.updates += 1
        for weight, gradient, (mean, square) in zip(self.weights, gradients, self.moments):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            step = mean / (1 - 0.9**self.updates)
            weight += rate * step / (np.sqrt(square / (1 - 0.999**self.updates)) + 1e-8)


def sample(network, env, rng):
    """An action for each environment."""
    likely, _ = network.probabilities(env.observation, env.legal_action_mask)
    # The greatest of the logarithms with Gumbel noise is a sample.
    noise = rng.gumbel(size=likely.shape).astype(np.float32)
    logarithms = np.log(likely, where=likely > 0, out=np.full_like(likely, -np.inf))
    return (logarithms + noise).argmax(axis=1)


def against_random(network, env, rng):
    """Actions of the network for the first player in the first half of environments and the second in the others."""
    mine = np.arange(len(env)) * 2 // len(env) == env.current_player
    by_chance = env.nth_legal_action(rng.integers(env.legal_action_counts))
    return np.where(mine, sample(network, env, rng), by_chance)


def score(network, env, steps, seed):
    """The network's score of 100 in whole matches against random players."""
    batch = rollout(env, against_random, network, steps=steps, seed=seed)
    seat = np.arange(len(env)) * 2 // len(env)
    rewards = batch.rewards[:, np.arange(len(env)), seat]
    return 50 + 50 * rewards[batch.terminated].mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updates", type=int, default=150)
    parser.add_argument("--environments", type=int, default=256)
    parser.add_argument("--steps", type=int, default=84, help="of a batch: two of the longest matches (default: 84)")
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--rate", type=float, default=0.003)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    game = Game.named("connectFour")
    env = VectorEnv(game, args.environments, dtype="float32")
    network = Network(len(game.fluents), args.hidden, env.num_actions, np.random.default_rng(args.seed))
    print(f"before: {score(network, env, args.steps, args.seed):.1f} of 100 against random players")
    for update in range(1, args.updates + 1):
        batch = rollout(env, sample, network, steps=args.steps, seed=args.seed + update)
        outcomes = np.take_along_axis(batch.outcomes(), batch.players[..., None], axis=2)[..., 0]
        known = ~np.isnan(outcomes)
        # What the side to move gets on average is no advantage.
        gains = outcomes[known]
        players = batch.players[known]
        mean = np.array([gains[players == player].mean() for player in range(len(env.players))])
        network.learn(
            batch.observations[known], batch.masks[known], batch.actions[known], gains - mean[players], args.rate
        )
        if update % 25 == 0 and update < args.updates:
            print(f"after {update} updates: {score(network, env, args.steps, args.seed):.1f}")
    print(f"after: {score(network, env, args.steps, args.seed):.1f} of 100 against random players")


if __name__ == "__main__":
    main()
