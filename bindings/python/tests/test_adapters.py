"""The adapters to other packages, with these packages' own tests where they are installed."""

import numpy as np
import pytest

import propjit

# In turn, at the same time, with chance, for three players, with hidden information and chance, hidden at the same time.
GAMES = ["ticTacToe", "tron", "piglet", "threePlayerTicTacToe", "kuhnPoker", "battleships"]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", GAMES)
def test_pettingzoo(name):
    pytest.importorskip("pettingzoo")
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

    from propjit.pettingzoo import AECEnv, ParallelEnv

    game = propjit.Game.named(name)
    api_test(AECEnv(game), num_cycles=300)
    seed_test(lambda: AECEnv(game), num_cycles=30)
    parallel_api_test(ParallelEnv(game), num_cycles=300)
    parallel_seed_test(lambda: ParallelEnv(game), num_cycles=30)


def test_pettingzoo_planes():
    pytest.importorskip("pettingzoo")
    from pettingzoo.test import api_test

    from propjit.pettingzoo import AECEnv

    game = propjit.Game.named("connectFour")
    env = AECEnv(game, observation="planes")
    api_test(env, num_cycles=100)
    env.reset()
    env.step(3)
    # Each agent sees the piece as its own or as the other's, whoever is to move.
    own, other = (env.observe(agent)["observation"][:2].sum(axis=(1, 2)).tolist() for agent in ["red", "yellow"])
    assert own == other[::-1] == [1, 0]


def test_pettingzoo_masks():
    pytest.importorskip("pettingzoo")
    from propjit.pettingzoo import AECEnv

    for name in ["ticTacToe", "tron", "kuhnPoker"]:
        env = AECEnv(propjit.Game.named(name))
        env.reset(seed=1)
        for agent in env.agent_iter(200):
            over = env.terminations[agent]
            for other in env.agents:
                mask = env.observe(other)["action_mask"]
                # Only who is to act has a choice, and it is one.
                assert mask.sum() > 1 if other == agent and not over else not mask.any()
            env.step(None if over else env.action_space(agent).sample())
            if not env.agents:
                break


def test_pettingzoo_hides_what_agents_do_not_know():
    pytest.importorskip("pettingzoo")
    from propjit.pettingzoo import AECEnv

    game = propjit.Game.named("kuhnPoker")
    env = AECEnv(game)
    seen, states = set(), set()
    for seed in range(100):
        env.reset(seed=seed)
        seen.add(env.last()[0]["observation"].tobytes())
        states.add(env.state().tobytes())
    # Six deals look like three to an agent.
    assert (len(seen), len(states)) == (3, 6)
    with pytest.raises(ValueError, match="hides information"):
        AECEnv(game, observation="fluents")


def test_pettingzoo_rewards_and_limits():
    pytest.importorskip("pettingzoo")
    from propjit.pettingzoo import AECEnv, ParallelEnv

    game = propjit.Game.named("ticTacToe")
    env = AECEnv(game, render_mode="ansi")
    env.reset()
    for move in ["(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)"]:
        assert env.agent_selection == env._state.to_move[0]
        env.step(game.actions.index(move))
    assert env.rewards == {"x": 1, "o": -1} and all(env.terminations.values())
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
    pytest.importorskip("pettingzoo")
    from propjit.gymnasium import Env
    from propjit.pettingzoo import AECEnv, ParallelEnv

    game = propjit.Game.load(text=TRAP)
    wait, bait = game.actions.index("wait"), game.actions.index("bait")
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
    for env in [AECEnv(game), ParallelEnv(game)]:
        env.reset()
        for action in [-1, 2, None]:
            with pytest.raises(ValueError, match="not legal"):
                env.step({"p": action} if isinstance(env, ParallelEnv) else action)
    env = Env(game)
    env.reset()
    for action in [-1, 2]:
        with pytest.raises(propjit.IllegalMoveError, match="not legal"):
            env.step(action)
    for wrong in [0, -1]:
        for kind in [Env, AECEnv, ParallelEnv]:
            with pytest.raises(ValueError, match="`max_steps` must be at least 1"):
                kind(game, max_steps=wrong)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", [*GAMES, "pegTriangle", "connectFour", "reversi"])
def test_gymnasium(name):
    """One player among others that play at random, by Gymnasium's own checker."""
    gymnasium = pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    import propjit.gymnasium

    propjit.gymnasium.register_envs()
    check_env(gymnasium.make(f"propjit/{name}-v0", render_mode="ansi", illegal="random").unwrapped)
    players = [role for role in propjit.Game.named(name).roles if role != "random"]
    for player in players[:2]:
        env = gymnasium.make(f"propjit/{name}-v0", player=player)
        rewards = []
        for seed in range(20):
            observation, info = env.reset(seed=seed)
            ended = False
            while not ended:
                assert env.observation_space.contains(observation) and info["action_mask"].sum() > 1
                observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
                ended = terminated or truncated
                assert ended or reward == 0
            assert terminated and not info["action_mask"].any()
            rewards.append(reward)
        assert len(set(rewards)) > 1
    with pytest.raises(ValueError, match="there is no player 'nobody'"):
        gymnasium.make(f"propjit/{name}-v0", player="nobody")


def test_gymnasium_tells_of_losses():
    """Whoever ends the match, the player learns how."""
    pytest.importorskip("gymnasium")
    from propjit.gymnasium import Env

    game = propjit.Game.named("ticTacToe")

    def perfect(env, rng):
        search = propjit.Search(env.state(0), seed=1)
        search.run(playouts=20_000)
        best = search.report(env.players[env.current_player[0]]).best
        return np.array([game.actions.index(best)])

    env = Env(game, player="o", opponent=perfect)
    rewards = []
    for seed in range(5):
        env.reset(seed=seed)
        ended = False
        while not ended:
            _, reward, terminated, truncated, info = env.step(int(env.action_space.mask.argmax()))
            ended = terminated or truncated
        rewards.append(reward)
    assert rewards == [-1] * 5


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("name", GAMES)
def test_gymnasium_batches(name, mode):
    """Batches are what single environments are; the three ways to go on after a match."""
    gymnasium = pytest.importorskip("gymnasium")
    import propjit.gymnasium

    propjit.gymnasium.register_envs()
    envs = gymnasium.make_vec(f"propjit/{name}-v0", num_envs=50, autoreset_mode=mode, player=1)
    assert isinstance(envs, gymnasium.vector.VectorEnv) and envs.metadata["autoreset_mode"].value == mode
    observations, infos = envs.reset(seed=1)
    again, _ = envs.reset(seed=1)
    assert (observations == again).all() and not np.shares_memory(observations, again)
    assert envs.observation_space.contains(observations)
    envs.action_space.seed(1)
    over = np.zeros(50, dtype=bool)
    ends = 0
    for _ in range(60):
        assert ((infos["action_mask"].sum(axis=1) > 1) != over).all() or mode == "SameStep"
        if mode == "Disabled" and over.any():
            with pytest.raises(ValueError, match="are over: reset these"):
                envs.step(envs.action_space.sample())
            before = observations
            observations, infos = envs.reset(options={"reset_mask": over})
            assert (observations[~over] == before[~over]).all()
            over[:] = False
        actions = envs.action_space.sample()
        assert envs.action_space.contains(actions)
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        assert envs.observation_space.contains(observations) and rewards.shape == (50,)
        ended = terminations | truncations
        assert not ended[over].any() and not rewards[~ended].any()
        if mode == "SameStep":
            assert (infos["action_mask"].sum(axis=1) > 1).all()
            assert ("final_obs" in infos) == ended.any()
            if ended.any():
                assert (infos["_final_obs"] == ended).all()
                assert all((seen is not None) == end for seen, end in zip(infos["final_obs"], ended))
                assert not infos["final_info"]["action_mask"][terminations].any()
        else:
            over = ended
        ends += ended.sum()
    assert ends > 50
