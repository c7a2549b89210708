"""The examples in docstrings of providers and tools are true."""

import doctest
import importlib
import pkgutil

import pytest

import chatsite.providers
import chatsite.tools

MODULES = [
    module.name
    for package in (chatsite.providers, chatsite.tools)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
