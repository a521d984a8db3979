"""Modules of .ci, which is no package."""

from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

from repository_files import PROJECT


def ci_module(name: str) -> ModuleType:
    spec = spec_from_file_location(name, PROJECT / ".ci" / f"{name}.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
