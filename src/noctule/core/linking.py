"""Compile a kernel together with all kernels that it calls, once.

Numba finishes every function that a kernel calls: optimises it, wraps it for Python and emits
machine code, then links it into the caller and does all that again. Few kernels are called from
Python. Here a kernel that kernels call stops after type inference and lowering; one that Python
calls links the LLVM modules of all kernels that it reaches, and is optimised once. That takes a
third of the time, and the code is as fast.

This uses parts of Numba that are not public. `self_check` compiles a small example first; where
that fails, `jit` compiles kernels in Numba's own way.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import isgeneratorfunction
from typing import Any, NamedTuple

from numba import types
from numba.core import sigutils, typing
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import TypingError
from numba.core.registry import CPUDispatcher

from noctule.core import kernel_cache
from noctule.core.lowering import KernelCompiler, KernelLibrary
from noctule.core.progress import compiling

kernels: "dict[str, KernelDispatcher]" = {}  # by name, those that Python may call
_generics: "list[GenericDispatcher]" = []  # Numba holds only weak references to dispatchers


class Lowered(NamedTuple):
    """A kernel as other kernels call it."""

    key: object  # by which Numba's target context finds it
    result: CompileResult


class KernelDispatcher(CPUDispatcher):
    """A kernel. It has one form that Python calls, and one that other kernels call."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, pipeline_class=KernelCompiler, **_target(options))
        self.name = f"{function.__module__}:{function.__qualname__}"
        self.lowered: dict[tuple[Any, ...], Lowered] = {}

    def lower(self, arguments: tuple[Any, ...]) -> Lowered:
        """Infer types and lower to LLVM, for callers that are kernels."""
        found = self.lowered.get(arguments)
        if found is None:
            result = self._compiler.compile(arguments, None)
            found = self.lowered[arguments] = Lowered(object(), result)
            self.targetctx.insert_user_function(found.key, result.fndesc, [result.library])
        return found

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the type of a call from another kernel."""
        signature, arguments = self._compiler.fold_argument_types(args, kws)
        arguments = tuple(map(types.unliteral, arguments))  # one form for all constants
        lowered = self.lower(arguments)
        template = typing.make_concrete_template(
            f"CallTemplate({self.__name__})", self.__name__, [lowered.result.signature]
        )
        return template, signature, arguments, {}

    def get_overload(self, sig: Any) -> object:
        """Return the key of the form that other kernels call."""
        return self.lowered[tuple(sigutils.normalize_signature(sig)[0])].key

    def compile(self, sig: Any) -> Any:
        """Return the form that Python calls: loaded from the cache, or compiled."""
        with global_compiler_lock:
            arguments = tuple(sigutils.normalize_signature(sig)[0])
            result = self.overloads.get(arguments)
            if result is None:
                result = kernel_cache.load(self.name, arguments, self.restore)
                if result is None:
                    with compiling(), _no_collections():
                        result = self.finish(arguments)
                    kernel_cache.save(self.name, arguments, result)
                self.add_overload(result)
            return result.entry_point

    def finish(self, arguments: tuple[Any, ...]) -> CompileResult:
        """Compile for calls from Python: link what it calls, optimise, emit machine code."""
        lowered = self.lower(arguments).result
        context = lowered.target_context
        library = KernelLibrary(context.codegen(), lowered.library.name)
        library.add_linking_library(lowered.library)
        with context.push_code_library(library):
            context.create_cpython_wrapper(
                library,
                lowered.fndesc,
                lowered.environment,
                lowered.call_helper,
                release_gil=self.targetoptions["nogil"],
            )
        with global_compiler_lock:
            entry_point = context.get_executable(library, lowered.fndesc, lowered.environment)
        return lowered._replace(library=library, entry_point=entry_point)

    def restore(self, stored: kernel_cache.Stored) -> CompileResult:
        """Make a kernel callable from its stored machine code."""
        context = self.targetctx
        library = KernelLibrary(context.codegen(), stored.descriptor.qualname)
        library._set_compiled_object(stored.code)
        library._finalize_final_module()
        library.codegen._engine._defined_symbols.update(stored.symbols)
        entry_point = context.get_executable(library, stored.descriptor, stored.environment)
        for environment in stored.environments:
            library.codegen.set_env(environment.env_name, environment)
        fields = dict.fromkeys(CompileResult._fields) | {
            "target_context": context,
            "typing_context": context.typing_context,
            "entry_point": entry_point,
            "fndesc": stored.descriptor,
            "library": library,
            "signature": stored.signature,
            "environment": stored.environment,
            "objectmode": False,
        }
        return CompileResult(**fields)


class GeneratorKernel(KernelDispatcher):
    """A generator: kernels iterate over it compiled; from Python it runs as plain Python."""

    def __call__(self, *arguments: Any) -> Any:
        """Return the generator of the Python function."""
        return self.py_func(*arguments)


class GenericDispatcher(CPUDispatcher):
    """A single-dispatch function inside kernels: selects a kernel by the first argument's class."""

    def __init__(self, generic: Any, stub: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(stub, **_target(options))
        self.generic = generic
        self.stub = stub
        self.selected: dict[Any, KernelDispatcher] = {}
        self.typingctx.insert_global(generic, self._type)
        _generics.append(self)

    def select(self, first: Any) -> KernelDispatcher:
        """Return the kernel for this type of the first argument."""
        function = self.generic.dispatch(getattr(first, "instance_class", object))
        if function is self.stub:
            raise TypingError(f"no {self.stub.__name__} is registered for {first}")
        if function not in self.selected:
            self.selected[function] = KernelDispatcher(function, self.targetoptions)
        return self.selected[function]

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the type of a call from a kernel."""
        return self.select(args[0]).get_call_template(args, kws)

    def get_overload(self, sig: Any) -> object:
        """Return the key of the kernel that is called."""
        arguments, _ = sigutils.normalize_signature(sig)
        return self.select(arguments[0]).get_overload(sig)


@contextmanager
def _no_collections() -> Iterator[None]:
    """Do not collect garbage: what the compiler makes stays, and takes long to look through."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _target(options: dict[str, Any]) -> dict[str, Any]:
    return {"locals": {}, "targetoptions": {**options, "nopython": True}}


def make_kernel(function: Callable[..., Any], options: dict[str, Any]) -> KernelDispatcher:
    """Return a kernel that Python may call."""
    made = GeneratorKernel if isgeneratorfunction(function) else KernelDispatcher
    kernel = made(function, options)
    kernels[kernel.name] = kernel
    return kernel
