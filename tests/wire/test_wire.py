"""What travels arrives the same to the last bit, by its exact type; what does not travel is refused in plain words."""

from __future__ import annotations

import collections
import enum
import math
import struct
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from workbook.wire import arrays
from workbook.wire.arrays import ITEM_SIZES, TENSOR_ITEM_SIZES, CannotTravel, encode_array
from workbook.wire.codec import MAX_VALUES, Handle, decode, encode, normalise

quick = settings(max_examples=150)


def alike(a: Any, b: Any) -> bool:
    """Equal in type, structure, order and bits."""
    if type(a) is not type(b):
        return False
    if type(a) in (list, tuple):
        return len(a) == len(b) and all(map(alike, a, b))
    if type(a) is dict:
        return len(a) == len(b) and all(alike(x, y) for x, y in zip(a.items(), b.items(), strict=True))
    if type(a) is float:
        return struct.pack("d", a) == struct.pack("d", b)
    if type(a) is complex:
        return alike((a.real, a.imag), (b.real, b.imag))
    if type(a) is np.ndarray:
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if type(a) is torch.Tensor:
        facts = [(x.dtype, x.shape, x.requires_grad, x.device) for x in (a, b)]
        return facts[0] == facts[1] and (a.is_meta or bits(a) == bits(b))
    return bool(a == b)


def bits(tensor: torch.Tensor) -> bytes:
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def there_and_back(value: Any) -> Any:
    return decode(encode(value))


def strides(value: Any) -> list[int]:
    """The strides that mean something: not those of a dimension of one element."""
    steps = value.strides if isinstance(value, np.ndarray) else value.stride()
    return [step for step, size in zip(steps, value.shape, strict=True) if size > 1] if 0 not in value.shape else []


texts = st.text(st.characters(exclude_categories=()), max_size=20)  # lone surrogates included
keys = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | texts | st.binary(max_size=20)
shapes = st.lists(st.integers(0, 4), max_size=5)


@st.composite
def stored_bytes(draw: st.DrawFn, item_sizes: dict[str, int]) -> tuple[str, list[int], list[int], bytes]:
    """A dtype, a shape, an order of the dimensions and random elements (bits of any kind, NaNs included)."""
    name = draw(st.sampled_from(sorted(item_sizes)))
    shape = draw(shapes)
    size = math.prod(shape) * item_sizes[name]
    raw = draw(st.randoms(use_true_random=False)).randbytes(size)
    return (
        name,
        shape,
        draw(st.permutations(range(len(shape)))),
        raw.translate(b"\0\1" * 128) if name == "bool" else raw,
    )


@st.composite
def ndarrays(draw: st.DrawFn) -> np.ndarray[Any, Any]:
    name, shape, order, raw = draw(stored_bytes(ITEM_SIZES))
    return np.ndarray(shape, name, buffer=bytearray(raw or b"\0")).transpose(order)


@st.composite
def tensors(draw: st.DrawFn) -> torch.Tensor:
    name, shape, order, raw = draw(stored_bytes(TENSOR_ITEM_SIZES))
    flat = torch.frombuffer(bytearray(raw), dtype=torch.uint8) if raw else torch.empty(0, dtype=torch.uint8)
    tensor = flat.view(getattr(torch, name)).reshape(shape).permute(order).detach()
    return tensor.requires_grad_((tensor.is_floating_point() or tensor.is_complex()) and draw(st.booleans()))


scalars = keys | st.integers(-(2**4096) + 1, 2**4096 - 1) | st.complex_numbers()
leaves = scalars | st.builds(Handle, st.integers(0, 2**64 - 1), texts) | ndarrays() | tensors()
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4) | st.lists(inner, max_size=4).map(tuple) | st.dictionaries(keys, inner, max_size=4)
    ),
    max_leaves=12,
)


@quick
@given(values)
def test_every_value_comes_back_the_same(value: Any) -> None:
    assert alike(there_and_back(value), value)


@quick
@given(values)
def test_the_worker_s_plain_values_are_left_as_they_are(value: Any) -> None:
    assert alike(normalise(value), value)


@quick
@given(ndarrays())
def test_an_array_keeps_its_layout_and_owns_writable_memory(array: np.ndarray[Any, Any]) -> None:
    array.flags.writeable = False
    message = encode(array)
    arrived, again = decode(message), decode(message)
    assert strides(arrived) == strides(array)
    arrived[...] = 1
    assert alike(again, array)


@quick
@given(tensors())
def test_a_tensor_keeps_its_layout_and_is_a_leaf_with_its_own_memory(tensor: torch.Tensor) -> None:
    message = encode(tensor)
    arrived, again = decode(message), decode(message)
    assert arrived.is_leaf
    assert not arrived._is_view()
    assert strides(arrived) == strides(tensor)
    arrived.detach().fill_(1)
    assert alike(again, tensor)


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="a long double is a double on this machine")
def test_long_doubles_are_refused() -> None:
    with pytest.raises(CannotTravel, match="an array of dtype float"):
        encode(np.zeros(2, np.longdouble))


@pytest.mark.parametrize("index", ["[::2]", "[:, ::-1]", "[1:, :, 2:3]", "[..., 0]", "[None, :, 1]"])
def test_a_slice_of_an_array_comes_back_with_its_own_elements_only(index: str) -> None:
    array = eval(f"array{index}", {"array": np.arange(60.0).reshape(3, 4, 5)})
    arrived = there_and_back(array)
    assert alike(arrived, array)
    assert len(encode(array)) < 100 + array.nbytes


def test_an_expanded_tensor_comes_back_dense() -> None:
    tensor = torch.arange(3.0).expand(2, 3)
    assert alike(there_and_back(tensor), tensor)


def test_a_byte_order_of_another_machine_arrives_in_this_one_s() -> None:
    arrived = there_and_back(np.array([[1.5, -2.0]], ">f8"))
    assert alike(arrived, np.array([[1.5, -2.0]]))


def test_a_bool_made_from_other_bytes_arrives_as_true() -> None:
    assert alike(there_and_back(np.array([0, 1, 2, 255], np.uint8).view(bool)), np.array([False, True, True, True]))
    odd = torch.tensor([0, 1, 2, 255], dtype=torch.uint8).view(torch.bool)
    assert alike(there_and_back(odd), torch.tensor([False, True, True, True]))


def test_conjugate_and_negative_views_arrive_resolved() -> None:
    z = torch.tensor([1 + 2j, 3 - 4j])
    for view in (z.conj(), z.conj().imag):
        arrived = there_and_back(view)
        assert not arrived.is_conj()
        assert not arrived.is_neg()
        assert torch.equal(arrived, view.resolve_conj().resolve_neg())


def test_a_result_that_requires_gradients_arrives_as_a_leaf() -> None:
    result = torch.ones(3, requires_grad=True) * 2
    arrived = there_and_back(result)
    assert arrived.is_leaf
    assert arrived.requires_grad
    assert torch.equal(arrived, result)


def test_a_meta_tensor_travels_as_its_shape() -> None:
    tensor = torch.empty(2**20, 2**19, device="meta", dtype=torch.complex128).T
    arrived = there_and_back(tensor)
    assert len(encode(tensor)) < 100
    assert (arrived.device, arrived.shape, arrived.stride()) == (tensor.device, tensor.shape, tensor.stride())


@pytest.mark.parametrize("pattern", ["7ff8000000000000", "fff8000000000123", "7ff4000000000001", "8000000000000000"])
def test_a_float_keeps_its_bits(pattern: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(pattern))
    assert struct.pack(">d", there_and_back(number)).hex() == pattern


Text = type("Text", (str,), {})
Items = type("Items", (list,), {})
Array = type("Array", (np.ndarray,), {})
Weights = type("Weights", (torch.Tensor,), {})
Plain = type("Plain", (), {})
Colour = enum.IntEnum("Colour", ["RED"])


def list_around(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = [value]
    return value


many_dimensions = torch.zeros([1] * 33)

REFUSED = {
    "an object": (Plain(), "a value of type Plain"),
    "a class": (Plain, "a value of type type"),
    "a set": ({1}, "a value of type set"),
    "a bytearray": (bytearray(2), "a value of type bytearray"),
    "a str subclass": (Text("a"), "a value of type Text"),
    "an int subclass": ([Colour.RED], "a value of type Colour"),
    "a list subclass": (Items([1]), "a value of type Items"),
    "a numpy scalar": (np.float64(1), "a value of type float64"),
    "an array subclass": (np.zeros(2).view(Array), "a value of type Array"),
    "a tensor subclass": (torch.zeros(2).as_subclass(Weights), "a value of type Weights"),
    "a tuple as a key": ({(1, 2): 3}, "a dict key of type tuple"),
    "a str subclass as a key": ({Text("a"): 3}, "a dict key of type Text"),
    "a huge int as a key": ({2**64: 3}, "a dict key that is an int of more than 64 bits"),
    "a huge int": (2**4096, "an int of more than 4096 bits"),
    "a deep list": (list_around(0, 33), "a list nested more than 32 deep"),
    "a deep tuple": (list_around((), 32), "a tuple nested more than 32 deep"),
    "a deep dict": ({"a": list_around({}, 31)}, "a dict nested more than 32 deep"),
    "a large dict": (dict.fromkeys(range(4097)), "a dict of more than 4096 entries"),
    "many values": ([0] * MAX_VALUES, "more than 200000 values"),
    "many arrays": ([np.zeros(())] * 12_501, "more than 200000 values"),
    "a long str": ("a" * 2**26, "more than 64 MB"),
    "long bytes": ([bytes(2**25), bytes(2**25)], "more than 64 MB"),
    "a large array": (np.broadcast_to(np.zeros(()), (2**38,)), "more than 64 MB"),
    "a large tensor": (torch.zeros(()).expand(2**38), "more than 64 MB"),
    "an array that no memory holds": (np.broadcast_to(0.0, (0, 2**20, 2**20)), "too large"),
    "an array of objects": (np.array([None]), "an array of dtype object"),
    "an array of text": (np.array(["ab"]), "an array of dtype str64"),
    "records": (np.zeros(2, "i4,f8"), "an array of dtype void96"),
    "dates": (np.zeros(2, "M8[s]"), "an array of dtype datetime64[s]"),
    "many dimensions": (many_dimensions, "a tensor of more than 32 dimensions"),
    "many dimensions of an array": (many_dimensions.numpy(), "an array of more than 32 dimensions"),
    "a sparse tensor": (torch.eye(2).to_sparse(), "a sparse tensor (call .to_dense() first)"),
    "8-bit floats": (torch.zeros(2, dtype=torch.float8_e5m2), "a tensor of dtype float8_e5m2"),
    "a long type name": (Handle(1, "a" * 1001), "an object whose type has a name of more than 1000 bytes"),
    "a negative handle": (Handle(-1), "a handle without a number or a name"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_travel_is_refused_in_plain_words(name: str) -> None:
    value, message = REFUSED[name]
    with pytest.raises(CannotTravel) as refusal:
        encode(value)
    assert message in str(refusal.value)


def test_the_caps_themselves_still_travel() -> None:
    for value in (list_around(0, 32), dict.fromkeys(range(4096)), [0] * (MAX_VALUES - 1), -(2**4096) + 1):
        assert alike(there_and_back(value), value)
    size = 2**26 - len(encode(bytes(2**16))) + 2**16
    assert there_and_back(bytes(size)) == bytes(size)
    with pytest.raises(CannotTravel, match="more than 64 MB"):
        encode(bytes(size + 1))


def test_a_tensor_inside_vmap_is_refused_in_plain_words() -> None:
    with pytest.raises(CannotTravel, match="is it still inside vmap or grad"):
        torch.vmap(lambda row: encode(row))(torch.ones(2, 3))


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor", "ignore:The PyTorch API of nested tensors")
def test_quantised_and_nested_tensors_are_refused() -> None:
    with pytest.raises(CannotTravel, match="a nested tensor"):
        encode(torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]))
    with pytest.raises(CannotTravel, match="a quantised tensor"):
        encode(torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8))


class Pair(NamedTuple):
    left: Any
    right: Any


class Liar(dict):  # type: ignore[type-arg]
    """A dict that shows other things than it holds."""

    def items(self) -> Any:
        return [("secret", 1)]

    def __iter__(self) -> Any:
        raise RuntimeError

    def __getitem__(self, key: Any) -> Any:
        return 0


class LyingTuple(tuple):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        return iter([7, 7])

    def __getitem__(self, key: Any) -> Any:
        return 7


PLAIN = {
    "numpy scalars": (
        [np.float32(0.5), np.int8(-3), np.True_, np.uint64(2**64 - 1), np.longlong(4), np.complex64(1j)],
        [0.5, -3, True, 2**64 - 1, 4, 1j],
    ),
    "numpy text": ([np.str_("a\0"), np.bytes_(b"b\0")], ["a\0", b"b\0"]),
    "a named tuple": (Pair([np.int64(1)], Pair(2, 3)), ([1], (2, 3))),
    "a shape": (torch.zeros(2, 3).shape, (2, 3)),
    "an OrderedDict": (collections.OrderedDict(b=1, a=np.float64(2)), {"b": 1, "a": 2.0}),
    "a defaultdict": (collections.defaultdict(list, {np.int64(3): Pair(1, 2)}), {3: (1, 2)}),
    "a Counter": ([collections.Counter("aab")], [{"a": 2, "b": 1}]),
    "a dict that lies": (Liar(a=1), {"a": 1}),
    "a tuple that lies": (LyingTuple([1, 2, 3]), (1, 2, 3)),
}


@pytest.mark.parametrize("name", PLAIN)
def test_plain_subclasses_become_their_base_types(name: str) -> None:
    value, expected = PLAIN[name]
    assert alike(there_and_back(normalise(value)), expected)


def test_the_named_results_of_torch_become_tuples() -> None:
    found = there_and_back(normalise(torch.tensor([[1.0, 3.0, 2.0]]).max(dim=1)))
    assert alike(found, (torch.tensor([3.0]), torch.tensor([1])))


@pytest.mark.parametrize("requires_grad", [True, False])
def test_a_parameter_becomes_a_tensor(requires_grad: bool) -> None:
    parameter = torch.nn.Parameter(torch.ones(2), requires_grad=requires_grad)
    assert alike(there_and_back(normalise([parameter])), [torch.ones(2, requires_grad=requires_grad)])


@pytest.mark.parametrize(
    "value",
    [Text("a"), Colour.RED, np.zeros(2).view(Array), np.longdouble(1), np.datetime64("2020-01-01"), {1}, Plain()],
)
def test_other_subclasses_are_left_to_be_refused(value: Any) -> None:
    assert normalise([value])[0] is value
    with pytest.raises(CannotTravel):
        encode(normalise(value))


def test_values_that_contain_themselves_or_are_too_large_are_refused() -> None:
    loop: list[Any] = []
    loop.append({"a": (loop,)})
    with pytest.raises(CannotTravel, match="a list that contains itself"):
        normalise(loop)
    with pytest.raises(CannotTravel, match="nested more than 32 deep"):
        encode(loop)
    with pytest.raises(CannotTravel, match="a list nested more than 32 deep"):
        normalise(list_around(0, 33))
    doubled: list[Any] = []
    for _ in range(30):
        doubled = [doubled, doubled]
    for step in (normalise, encode):
        with pytest.raises(CannotTravel, match="more than 200000 values"):
            step(doubled)


def test_a_value_that_occurs_twice_is_not_one_that_contains_itself() -> None:
    row = [1.0]
    assert normalise([row, row, (row, row)]) == [row, row, (row, row)]


def test_a_list_that_changes_meanwhile_cannot_break_the_message(monkeypatch: pytest.MonkeyPatch) -> None:
    shared: list[Any] = [np.zeros(1), 1]
    entries: dict[str, Any] = {"a": np.zeros(1), "b": 1}

    def meanwhile(array: Any, reserve: Any) -> Any:  # what a thread of the learner's may do
        shared.append(2)
        entries.setdefault("c", 3)
        return encode_array(array, reserve)

    monkeypatch.setattr(arrays, "encode_array", meanwhile)
    assert alike(there_and_back(shared), [np.zeros(1), 1])
    entries.pop("c")
    assert alike(there_and_back(entries), {"a": np.zeros(1), "b": 1})
