"""The errors of an engine."""

from bgrating import BgratingError


class EngineError(BgratingError):
    """Base class of the errors of an engine."""


class EngineNotFoundError(EngineError):
    """There is no gnubg on this machine, or not at the path of the setting `engine`."""


class ClockNotFoundError(EngineError):
    """There is no faketime on this machine, so noise would not be repeatable."""


class EngineVersionError(EngineError):
    """The gnubg has another version than the settings name, or lacks a part that it plays by."""


class EngineCrashedError(EngineError):
    """The gnubg process crashed, for example with SIGSEGV."""


class EngineKilledError(EngineError):
    """The gnubg process was killed by a person, the system's memory guard or a batch system."""


class EngineTimeoutError(EngineError):
    """The gnubg process did not finish within its time limit and was killed."""


class EngineFailedError(EngineError):
    """The gnubg process ended without finishing its job."""
