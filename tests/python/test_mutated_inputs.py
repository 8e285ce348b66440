"""A few hundred mutated inputs for every parser; `make test-suites` runs many more (tools/mutation-suite)."""

import mutated_inputs
import pytest


@pytest.mark.parametrize("seed", [1])
def test_every_input_ends_in_a_result_or_an_error(seed):
    assert mutated_inputs.run(mutated_inputs.NAMES, 100, seed) == []


def test_an_input_is_made_again_from_its_number(tmp_path):
    made = mutated_inputs.Parser([b"torus:4x4", b"mesh:3"], lambda data, path: None)
    inputs = [mutated_inputs.make(made, "machine-spec", 7, number) for number in range(200)]
    assert inputs == [mutated_inputs.make(made, "machine-spec", 7, number) for number in range(200)]
    assert len(set(inputs)) > 150


def test_what_a_child_does_is_found(monkeypatch):
    """A child that dies, or raises what no caller expects, at one input: that one is told, the others are tried."""
    source = (
        "import os, sys\n"
        "sys.argv[0] = {file!r}\n"
        "sys.path.insert(0, {folder!r})\n"
        "import mutated_inputs as m\n"
        "def poor(data, path):\n"
        "    if b'x' in data: os.abort()\n"
        "    if b'z' in data: raise KeyError('z')\n"
        "m.parsers = lambda folder: {{'sizes': m.Parser([b'a'], poor)}}\n"
        "m.make = lambda parser, name, seed, number: [b'a', b'x', b'z', b'b', b'x'][number]\n"
        "sys.exit(m.main())\n"
    )
    folder = str(mutated_inputs.Path(mutated_inputs.__file__).parent)
    program = source.format(file=mutated_inputs.__file__, folder=folder)
    monkeypatch.setattr(mutated_inputs, "PROGRAM", ["-c", program])
    found = mutated_inputs.run(["sizes"], 5, 1)
    assert [line.split()[1] for line in found] == ["1", "2", "4"], found
    assert "SIGABRT" in found[0] and "KeyError" in found[1] and "SIGABRT" in found[2], found
