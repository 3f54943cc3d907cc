"""Infer types and lower a kernel to LLVM, for `linking` to put together with its callers.

Like `linking`, this uses parts of Numba that are not public.
"""

from typing import Any

import llvmlite.binding as llvm
from numba import types
from numba.core import typing
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.datamodel.models import OpaqueModel
from numba.core.registry import cpu_target
from numba.extending import register_model

INLINED = 600  # LLVM instructions up to which a kernel is always inlined into its callers

# Passes of Numba for what kernels do not contain: closures, `with`, unrolled tuples of mixed types,
# expressions of arrays, overloads that ask to be inlined.
UNUSED = {"AnnotateTypes", "InlineClosureLikes", "InlineInlinables", "InlineOverloads", "WithLift"}
UNUSED |= {"FindLiterallyCalls", "LiteralUnroll", "LiteralPropagationSubPipelinePass"}
UNUSED |= {"MakeFunctionToJitFunction", "NopythonRewrites", "RewriteDynamicRaises"}


class KernelLibrary(JITCodeLibrary):
    """The LLVM module of one kernel; `finalize` adds the modules of the kernels that it calls."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.enable_object_caching()
        self.callees: list[KernelLibrary] = []
        self.defined: set[str] = set()  # functions of this kernel
        self.may_inline = True
        self.exported = ""  # the function that Python calls

    def add_ir_module(self, ir_module: Any) -> None:
        """Add a module; its small functions are always inlined, its cold ones never."""
        for function in ir_module.functions:
            if function.blocks:
                self.defined.add(function.name)
                size = sum(len(block.instructions) for block in function.blocks)
                if self.may_inline and size <= INLINED:
                    function.attributes.add("alwaysinline")
                elif not self.may_inline:  # one with a single caller would be
                    function.attributes.add("noinline")
        super().add_ir_module(ir_module)

    def add_linking_library(self, library: Any) -> None:
        """Note a library that this one calls; if it is a kernel's, without finishing it."""
        if isinstance(library, KernelLibrary):
            self.callees.append(library)
        else:
            super().add_linking_library(library)

    def reached(self) -> "list[KernelLibrary]":
        """Return the libraries of all kernels that this one calls, directly or not."""
        found: dict[int, KernelLibrary] = {}
        waiting = list(self.callees)
        while waiting:
            library = waiting.pop()
            if id(library) not in found:
                found[id(library)] = library
                waiting += library.callees
        return list(found.values())

    def finalize(self) -> None:
        """Link all that this kernel calls, optimise it as a whole and emit machine code."""
        reached = self.reached()
        for library in reached:
            self._final_module.link_in(library._final_module, preserve=True)
            for other in library._linking_libraries:
                super().add_linking_library(other)
        internal = set[str]().union(*(library.defined for library in reached))
        for function in self._final_module.functions:
            if function.name in internal and not function.is_declaration:
                function.linkage = llvm.Linkage.internal
        super().finalize()


class BuiltIn(types.Function):
    """A built-in function, for example an operator: the signature of a call is looked up once.

    Numba tries all rules of the function at each call: a tenth of the time of a kernel.
    """

    def __init__(self, function: types.Function) -> None:
        super().__init__(function.templates)
        self.signatures: dict[tuple[Any, ...], Any] = {}

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """Return the signature of a call with arguments of these types."""
        if kws:
            return super().get_call_type(context, args, kws)
        found = self.signatures.get(tuple(args))
        if found is None:
            found = super().get_call_type(context, args, kws)
            self.signatures[tuple(args)] = found
        return found


register_model(BuiltIn)(OpaqueModel)


class KernelTyping(typing.Context):
    """Numba's typing context, and what it contains, with `BuiltIn` functions."""

    def __init__(self, original: typing.Context) -> None:
        self.__dict__.update(original.__dict__)
        self.original = original
        self.built_in: dict[types.Function, BuiltIn] = {}

    def refresh(self) -> None:
        """Look for new declarations."""
        self.original.refresh()

    def _lookup_global(self, value: Any) -> Any:
        found = super()._lookup_global(value)
        if type(found) is not types.Function:
            return found
        if found not in self.built_in:
            self.built_in[found] = BuiltIn(found)
        return self.built_in[found]


KERNEL_TYPING = KernelTyping(cpu_target.typing_context)


class KernelCompiler(Compiler):
    """Numba's compiler, up to the LLVM module of one kernel."""

    def define_pipelines(self) -> list[Any]:
        """Stop after lowering: no wrapper for Python, no machine code."""
        state = self.state
        state.typingctx = state.targetctx.typing_context = KERNEL_TYPING
        state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.may_inline = state.flags.forceinline
        state.flags.forceinline = False
        state.flags.no_cpython_wrapper = True
        state.flags.no_cfunc_wrapper = True
        state.flags.no_compile = True
        pipelines: list[Any] = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.passes = [step for step in pipeline.passes if step[0].__name__ not in UNUSED]
        return pipelines
