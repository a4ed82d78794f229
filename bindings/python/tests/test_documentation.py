"""The examples in the documentation are right, and all that is public is in the stubs."""

import ast
import doctest
import importlib
from pathlib import Path

import pytest

import propjit

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", ["propjit", *propjit.__all__])
def test_docstrings(name):
    documented = propjit if name == "propjit" else getattr(propjit, name)
    finder = doctest.DocTestFinder(recurse=name != "propjit")
    examples = [test for test in finder.find(documented, name) if test.examples]
    if name in ["propjit", "BatchSearch", "Game", "Knowledge", "Planes", "Search", "State", "VectorEnv"]:
        assert examples
    for test in examples:
        runner = doctest.DocTestRunner()
        runner.run(test)
        assert runner.failures == 0, test.name


@pytest.mark.parametrize("name", ["pettingzoo", "gymnasium", "openspiel", "selfplay", "network", "matches", "drawing"])
def test_adapters(name):
    needed = {"pettingzoo": "pettingzoo", "gymnasium": "gymnasium", "openspiel": "pyspiel"}
    if name in needed:
        pytest.importorskip(needed[name])
    module = importlib.import_module(f"propjit.{name}")
    failures, examples = doctest.testmod(module)
    assert examples > 0 and failures == 0


@pytest.mark.parametrize("page, least", [("README.md", 5), ("docs/python.md", 20)])
def test_guide(page, least):
    failures, examples = doctest.testfile(str(ROOT / page), module_relative=False)
    assert examples > least and failures == 0


def test_stubs():
    tree = ast.parse((ROOT / "bindings" / "python" / "propjit" / "_native.pyi").read_text())
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            native = getattr(propjit, node.name)
            stubs = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
            public = {name for name in vars(native) if not name.startswith("_")}
            assert public == {name for name in stubs if not name.startswith("_")}
            assert all(getattr(native, name).__doc__ for name in public), node.name
