"""What a worker can be asked to do: load the submission, call its functions, hold its objects.

Objects stay here and travel as handles. Beyond a plain call there are: the vector-Jacobian product of a call, a count
of a method's calls during it, views of a tensor kept here, and the models of graders/support, whose source arrives
with the request.
"""

from __future__ import annotations

import difflib
import importlib.util
import inspect
import linecache
import sys
import types
from collections.abc import Callable
from typing import Any

from workbook.errors import WireError
from workbook.seeding import settle
from workbook.wire.arrays import CannotTravel
from workbook.wire.codec import Handle, encode, normalise
from workbook.worker.counter import Counter
from workbook.worker.faults import Refusal, Source


class Operations:
    """The state of one worker: the loaded submission, the support module, the objects held for the grader."""

    def __init__(self) -> None:
        self.source = Source()
        self.module: types.ModuleType | None = None
        self.support: types.ModuleType | None = None
        self.held: dict[int, Any] = {}

    def afresh(self) -> Operations:
        """The same modules, without any object held."""
        other = Operations()
        other.source, other.module, other.support = self.source, self.module, self.support
        return other

    def carry_out(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one request. Whatever the learner's code raises passes through."""
        operation: Callable[[dict[str, Any]], dict[str, Any]] = getattr(self, f"do_{request['op']}")
        return operation(request)

    def do_load(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run the submission's source as a module under its real path."""
        path, name = request["path"], request["name"]
        try:
            text = importlib.util.decode_source(request["source"])
        except (UnicodeDecodeError, SyntaxError) as error:
            raise Refusal("syntax", f"the file is not valid UTF-8 text: {error}") from None
        except LookupError as error:
            raise Refusal("syntax", f"the file declares an encoding that Python does not know: {error}") from None
        self.source = Source(path, request["folder"], tuple(text.splitlines()))
        linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
        if request["folder"]:
            sys.path.insert(0, request["folder"])
        module = types.ModuleType(name)
        module.__file__ = path
        sys.modules[name] = module
        settle(request["seed"])
        try:
            code = compile(text, path, "exec", dont_inherit=True)
        except ValueError as error:  # null bytes, on some versions of Python
            raise Refusal("syntax", str(error)) from None
        exec(code, module.__dict__)
        self.module = module
        return {}

    def do_call(self, request: dict[str, Any]) -> dict[str, Any]:
        function = self._target(request["target"])
        arguments, keywords = self._resolve(request["args"]), self._resolve(request["kwargs"])
        _check_parameters(function, arguments, keywords, request["target"])
        before = [_fingerprint(value) for value in (*arguments, *keywords.values())]
        reply: dict[str, Any] = {}
        settle(request["seed"])
        if request.get("count"):
            owner, method = self._object(request["target"]), request["count"]
            if not hasattr(owner, method):
                raise Refusal("missing", _missing(owner, method, is_module=False))
            counter = Counter(owner, method)
            with counter.counting():
                value = function(*arguments, **keywords)
            reply["calls"] = counter.calls
        else:
            value = function(*arguments, **keywords)
        after = [_fingerprint(value) for value in (*arguments, *keywords.values())]
        reply["changed"] = [place for place, same in enumerate(map(_equal, before, after)) if not same]
        reply["value"] = self._hold(value) if request["keep"] else _plain(value)
        return reply

    def do_vjp(self, request: dict[str, Any]) -> dict[str, Any]:
        """Value of a call and the gradients of <value, cotangent> in its float tensor arguments and held tensors."""
        import torch

        function = self._target(request["target"])
        leaves: list[Any] = []

        def as_leaf(value: Any) -> Any:
            if type(value) is torch.Tensor and (value.is_floating_point() or value.is_complex()):
                value = value.detach().clone().requires_grad_()
                leaves.append(value)
            return value

        arguments = [as_leaf(value) for value in self._resolve(request["args"])]
        keywords = {name: as_leaf(value) for name, value in self._resolve(request["kwargs"]).items()}
        leaves += [self.held[handle.id] for handle in request["wrt"]]
        _check_parameters(function, arguments, keywords, request["target"])
        settle(request["seed"])
        value = function(*arguments, **keywords)
        cotangent = request["cotangent"]
        gradients: list[Any] = [None] * len(leaves)
        fits = type(value) in (torch.Tensor, torch.nn.Parameter) and value.shape == cotangent.shape
        if fits and value.requires_grad:
            # The same as passing the cotangent along, which imports sympy to check one shape against the other.
            product = (value * cotangent).sum() if not value.is_complex() else (value * cotangent.conj()).sum().real
            found = torch.autograd.grad(product, leaves, allow_unused=True)
            gradients = [None if gradient is None else gradient.detach() for gradient in found]
        return {"value": _plain(value), "gradients": _plain(gradients), "attached": bool(fits and value.requires_grad)}

    def do_put(self, request: dict[str, Any]) -> dict[str, Any]:
        value = request["value"]
        return {"value": self._hold(value.requires_grad_() if request["requires_grad"] else value)}

    def do_view(self, request: dict[str, Any]) -> dict[str, Any]:
        index = tuple(slice(*item) if type(item) is list else item for item in request["index"])
        value = self.held[request["handle"].id]
        if not hasattr(value, "shape"):
            raise Refusal("wrong_type", f"expected a tensor or an array, got a value of type {type(value).__name__}")
        return {"value": self._hold(value[index])}

    def do_get(self, request: dict[str, Any]) -> dict[str, Any]:
        return {"value": _plain(self.held[request["handle"].id])}

    def do_attr(self, request: dict[str, Any]) -> dict[str, Any]:
        return {"value": _plain(getattr(self.held[request["handle"].id], request["name"]))}

    def do_parameters(self, request: dict[str, Any]) -> dict[str, Any]:
        import torch

        model = self.held[request["handle"].id]
        if not isinstance(model, torch.nn.Module):
            raise Refusal(
                "travel", f"{type(model).__name__} is not a torch.nn.Module, so it has no parameters to count"
            )
        return {"value": sum(item.numel() for item in torch.nn.Module.parameters(model))}

    def do_support(self, request: dict[str, Any]) -> dict[str, Any]:
        """Load the grader's own small models into this process, from source that came with the request."""
        module = types.ModuleType("support")
        module.__file__ = request["path"]
        exec(compile(request["source"], request["path"], "exec", dont_inherit=True), module.__dict__)
        self.support = module
        return {}

    def _target(self, target: list[Any]) -> Callable[..., Any]:
        kind, name = target[0], target[-1]
        if kind == "support":
            return getattr(self.support, name)  # type: ignore[no-any-return]
        owner = self.module if kind == "name" else self._object(target)
        found = inspect.getattr_static(owner, name, None) if kind == "name" else getattr(owner, name, None)
        if found is None:
            raise Refusal("missing", _missing(owner, name, is_module=kind == "name"))
        if not callable(found):
            raise Refusal(
                "missing", f"`{name}` is not something that can be called: it is of type {type(found).__name__}"
            )
        return found  # type: ignore[no-any-return]

    def _object(self, target: list[Any]) -> Any:
        return self.held[target[1].id]

    def _hold(self, value: Any) -> Handle:
        number = len(self.held) + 1
        self.held[number] = value
        return Handle(number, str(type(value).__name__)[:100])

    def _resolve(self, value: Any) -> Any:
        """Put held objects in place of their handles."""
        if type(value) is Handle:
            return self.held[value.id]
        if type(value) in (list, tuple):
            return type(value)(self._resolve(item) for item in value)
        if type(value) is dict:
            return {key: self._resolve(item) for key, item in value.items()}
        return value


def _plain(value: Any) -> Any:
    try:
        return normalise(value)
    except CannotTravel as error:
        raise Refusal("travel", str(error)) from None


def _fingerprint(value: Any) -> bytes | None:
    """The bytes an argument would travel as, to see whether a call changed it; None for what cannot travel."""
    try:
        return encode(value)
    except (CannotTravel, WireError):
        return None


def _equal(before: bytes | None, after: bytes | None) -> bool:
    return before == after


def _check_parameters(
    function: Callable[..., Any], arguments: Any, keywords: dict[str, Any], target: list[Any]
) -> None:
    """Refuse a call that the parameters do not fit, in words that say what was to be passed."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # some callables have none; the call itself will tell
    try:
        signature.bind(*arguments, **keywords)
    except TypeError as error:
        passed = [f"{len(arguments)} by position"] if arguments else []
        passed += [f"{name} by name" for name in keywords]
        raise Refusal(
            "signature",
            f"`{target[-1]}{signature}` does not take the arguments of the task ({', '.join(passed) or 'none'}): {error}",
        ) from None


def _missing(owner: Any, name: str, *, is_module: bool) -> str:
    """A sentence about a name that is not there, with the nearest name that is."""
    if is_module:
        names = [key for key, value in vars(owner).items() if callable(value) and not key.startswith("__")]
        text = f"the file defines no {name}"
    else:
        names = [key for key in dir(owner) if not key.startswith("__")]
        text = f"{type(owner).__name__} has no method {name}"
    folded = {key.casefold().replace("_", ""): key for key in names}
    near = difflib.get_close_matches(name.casefold().replace("_", ""), list(folded), n=1, cutoff=0.6)
    return f"{text}; did you mean to rename {folded[near[0]]}?" if near else text
