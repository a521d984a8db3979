"""What can go wrong with the engine, each with its remedy."""

from bgrating import BgratingError


class EngineError(BgratingError):
    """Base class of everything that can go wrong between us and GNU Backgammon."""


class EngineNotFoundError(EngineError):
    """There is no gnubg on this machine, or not where the setting `engine` says."""


class ClockNotFoundError(EngineError):
    """There is no faketime on this machine, so noise could not be repeated."""


class EngineVersionError(EngineError):
    """The gnubg found is another version than the one asked for, or lacks a part that changes its play."""


class EngineCrashedError(EngineError):
    """The gnubg process was ended by a signal of its own making, such as SIGSEGV."""


class EngineKilledError(EngineError):
    """The gnubg process was ended from outside: by a person, the system's memory guard or a batch system."""


class EngineTimeoutError(EngineError):
    """The gnubg process did not finish within its time limit and was ended."""


class EngineFailedError(EngineError):
    """The gnubg process ended by itself without doing what it was asked to do."""
