"""The adapters to other packages, with these packages' own tests where they are installed."""

import numpy as np
import pytest

import propjit

# In turn, at the same time, with chance, for three players.
GAMES = ["ticTacToe", "tron", "piglet", "threePlayerTicTacToe"]


@pytest.mark.parametrize("name", GAMES)
def test_pettingzoo(name):
    pytest.importorskip("pettingzoo")
    from pettingzoo.test import api_test, parallel_api_test, seed_test

    from propjit.pettingzoo import AECEnv, ParallelEnv

    game = propjit.Game.named(name)
    api_test(AECEnv(game), num_cycles=300)
    seed_test(lambda: AECEnv(game), num_cycles=30)
    parallel_api_test(ParallelEnv(game), num_cycles=300)


def test_pettingzoo_rewards_and_limits():
    pytest.importorskip("pettingzoo")
    from propjit.pettingzoo import AECEnv, ParallelEnv

    game = propjit.Game.named("ticTacToe")
    env = AECEnv(game, render_mode="ansi")
    env.reset()
    for move in ["(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)"]:
        assert env.agent_selection == env._state.to_move[0]
        env.step(game.actions.index(move))
    assert env.rewards == {"x": 100, "o": 0} and all(env.terminations.values())
    assert "(cell 1 3 x)" in env.render()
    with pytest.raises(ValueError, match="not legal"):
        env.reset()
        env.step(game.actions.index("noop"))

    short = ParallelEnv(game, max_steps=2)
    observations, _ = short.reset()
    for step in range(2):
        actions = {agent: int(seen["action_mask"].argmax()) for agent, seen in observations.items()}
        observations, rewards, ends, truncations, _ = short.step(actions)
    assert all(truncations.values()) and not any(ends.values()) and short.agents == []
    assert rewards == {"x": 0, "o": 0}


# Two joint moves without a choice, then goals.
FORCED = """(role a) (role b) (succ 0 1) (succ 1 2) (init (step 0))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (legal a go) (legal b go)
(<= terminal (true (step 2))) (goal a 100) (goal b 25)"""

# Who takes the bait has no move any more.
TRAP = """(role p) (init free) (<= (legal p bait) (true free)) (<= (legal p wait) (true free))
(<= (next free) (does p wait)) (<= (next caught) (does p bait)) (<= terminal (true never))
(<= (next never) (true never)) (goal p 50)"""


def test_matches_without_a_choice_have_rewards():
    pytest.importorskip("pettingzoo")
    from propjit.pettingzoo import AECEnv

    env = AECEnv(propjit.Game.load(text=FORCED))
    env.reset()
    rewards = {agent: env.last()[1] for agent in env.agent_iter(1)}
    assert rewards == {"a": 100}
    env.reset()
    total = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        assert terminated and not truncated
        total[agent] += reward
        env.step(None)
    assert total == {"a": 100, "b": 25}


def test_matches_that_are_stuck_end():
    from propjit.openspiel import Game

    game = propjit.Game.load(text=TRAP)
    wait, bait = game.actions.index("wait"), game.actions.index("bait")
    state = Game(game).new_initial_state()
    state.apply_action(wait)
    assert not state.is_terminal()
    state.apply_action(bait)
    assert state.is_terminal() and state.returns() == [0]

    pytest.importorskip("pettingzoo")
    from propjit.gymnasium import Env
    from propjit.pettingzoo import AECEnv, ParallelEnv

    env = Env(game)
    env.reset()
    assert env.step(wait)[2:4] == (False, False)
    assert env.step(bait)[2:4] == (False, True)
    env = ParallelEnv(game)
    env.reset()
    assert env.step({"p": bait})[2:4] == ({"p": False}, {"p": True}) and env.agents == []
    env = AECEnv(game)
    env.reset()
    env.step(bait)
    assert env.truncations == {"p": True} and env.terminations == {"p": False}


def test_actions_that_are_none():
    pytest.importorskip("pettingzoo")
    from propjit.gymnasium import Env
    from propjit.pettingzoo import AECEnv, ParallelEnv

    game = propjit.Game.load(text=TRAP)
    for env in [Env(game), AECEnv(game), ParallelEnv(game)]:
        env.reset()
        for action in [-1, 2, None]:
            with pytest.raises(ValueError, match="not legal"):
                env.step({"p": action} if isinstance(env, ParallelEnv) else action)


def test_gymnasium():
    pytest.importorskip("gymnasium")
    from propjit.gymnasium import Env

    env = Env(propjit.Game.named("pegTriangle"))
    env.action_space.seed(1)
    rewards = []
    for seed in range(20):
        observation, info = env.reset(seed=seed)
        assert env.observation_space.contains(observation)
        total, ended = 0.0, False
        while not ended:
            action = env.action_space.sample(info["action_mask"])
            observation, reward, terminated, truncated, info = env.step(action)
            assert env.observation_space.contains(observation)
            total, ended = total + reward, terminated or truncated
        assert terminated and total == reward and not info["action_mask"].any()
        rewards.append(reward)
    # A random match may be worth nothing; twenty, with a fixed seed, are not.
    assert all(0 <= reward <= 100 for reward in rewards) and max(rewards) > 0
    with pytest.raises(ValueError, match="PettingZoo"):
        Env(propjit.Game.named("ticTacToe"))


@pytest.mark.parametrize("name", GAMES)
def test_openspiel_facade(name):
    from propjit.openspiel import Game

    game = Game(propjit.Game.named(name))
    rng = np.random.default_rng(1)
    for _ in range(5):
        state = game.new_initial_state()
        chance = 0
        while not state.is_terminal():
            player, legal = state.current_player(), state.legal_actions()
            if state.is_chance_node():
                chance += 1
                assert sum(share for _, share in state.chance_outcomes()) == pytest.approx(1)
            else:
                mask = state.legal_actions_mask()
                assert np.flatnonzero(mask).tolist() == sorted(legal)
                assert state.legal_actions((player + 1) % game.num_players()) == []
            before, action = str(state), int(rng.choice(legal))
            assert state.action_to_string(action) == state.action_to_string(player, action)
            child = state.child(action)
            assert str(state) == before and len(child.history()) == len(state.history()) + 1
            state = child
        assert state.current_player() == -4 and state.legal_actions() == []
        assert all(-1 <= utility <= 1 for utility in state.returns())
        assert len(state.observation_tensor()) == game.observation_tensor_size()
        assert (chance > 0) == (name == "piglet")


def test_openspiel_search():
    pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import mcts

    from propjit.openspiel import Game

    game = Game(propjit.Game.named("ticTacToe"))
    state = game.new_initial_state()
    # x has two in a row, and o has to answer.
    for move in ["(mark 1 1)", "(mark 3 3)", "(mark 1 2)"]:
        actions = {state.action_to_string(action): action for action in state.legal_actions()}
        state.apply_action(actions[move])
    random = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    bot = mcts.MCTSBot(game, 1.0, 800, evaluator, solve=False, random_state=random)
    assert state.action_to_string(bot.step(state)) == "(mark 1 3)"
