"""Feature levels: what each brought to tensors, besides operators."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from anydml.core.datatype import DataType
from anydml.core.errors import InvalidDescriptionError, shown
from anydml.core.fixes import Use
from anydml.core.members import Members
from anydml.core.outside import as_integer, as_text
from anydml.core.rules import rule

UNKNOWN_LEVEL = rule("feature-level.known", "A feature level is one of DirectML's, from 1.0 to 6.4.")
RELEASE = rule("feature-level.release", "A release of DirectML is two or three numbers, from 1.0 on.")
PREFIX = "DML_FEATURE_LEVEL_"
_VERSION = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})(?:\.([0-9]{1,4}))?")


class FeatureLevel(IntEnum, metaclass=Members):
    """A DirectML feature level; each is a superset of the ones below it."""

    LEVEL_1_0 = 0x1000
    LEVEL_2_0 = 0x2000
    LEVEL_2_1 = 0x2100
    LEVEL_3_0 = 0x3000
    LEVEL_3_1 = 0x3100
    LEVEL_4_0 = 0x4000
    LEVEL_4_1 = 0x4100
    LEVEL_5_0 = 0x5000
    LEVEL_5_1 = 0x5100
    LEVEL_5_2 = 0x5200
    LEVEL_6_0 = 0x6000
    LEVEL_6_1 = 0x6100
    LEVEL_6_2 = 0x6200
    LEVEL_6_3 = 0x6300
    LEVEL_6_4 = 0x6400

    @property
    def text(self) -> str:
        """The level as text: `6.4`."""
        return ".".join(map(str, self.version))

    def __str__(self) -> str:
        return self.text

    @property
    def directml_version(self) -> str:
        """The release of DirectML that brought it: `1.15.0`."""
        return LEVELS[self].directml_version

    @classmethod
    def of_directml(cls, version: str) -> FeatureLevel:
        """The highest level that a release of DirectML has: `FeatureLevel.of_directml("1.4")` is 3.0."""
        numbers = _VERSION.fullmatch((as_text(version) or "").strip())
        release = tuple(int(number or 0) for number in numbers.groups()) if numbers else (0, 0, 0)
        found = [level for level in cls if tuple(map(int, level.directml_version.split("."))) <= release]
        if not found:
            raise InvalidDescriptionError(
                RELEASE("version", shown(version), "a release from 1.0 on, such as '1.4.0'", "'1.15.0'")
            )
        return max(found)

    @classmethod
    def parse(cls, value: FeatureLevelLike, path: str = "feature_level") -> FeatureLevel:
        """A level from `"6.4"`, `"6_4"`, `"DML_FEATURE_LEVEL_6_4"`, `6.4` or `0x6400`."""
        if isinstance(value, FeatureLevel):
            return value
        number = as_integer(value)
        if number is not None and number in cls._value2member_map_:
            return cls(number)
        if isinstance(value, float):
            text = float.__repr__(value)
        else:
            text = as_text(value) or (str(number) if number is not None and abs(number) < 1 << 32 else "")
        text = text.upper().removeprefix(PREFIX).replace("_", ".")
        if text in _LEVELS_BY_TEXT:
            return _LEVELS_BY_TEXT[text]
        near = cls._at_most(text[:16])
        raise InvalidDescriptionError(UNKNOWN_LEVEL(path, shown(value), "1.0 to 6.4", Use(near.text)))

    @classmethod
    def _at_most(cls, text: str) -> FeatureLevel:
        """The highest level that is not above this number; what is no number asks for the highest of all."""
        try:
            wanted = tuple(int(part) for part in text.split(".")[:2])
        except ValueError:
            return max(cls)
        return max((level for level in cls if level.version <= wanted), default=min(cls))

    @property
    def version(self) -> tuple[int, int]:
        """The level as two numbers: `(6, 4)`."""
        return self.value >> 12, (self.value >> 8) & 0xF


_LEVELS_BY_TEXT = {level.text: level for level in FeatureLevel}
FeatureLevelLike: TypeAlias = FeatureLevel | str | int | float

LOWEST_LEVEL = min(FeatureLevel)
HIGHEST_LEVEL = max(FeatureLevel)


@dataclass(frozen=True)
class LevelFacts:
    """What a level allows of every tensor, whatever the operator."""

    directml_version: str
    maximum_rank: int
    data_types: frozenset[DataType]


_TYPES_1_0 = frozenset(member for member in DataType if member.bits in (8, 16, 32))
_TYPES_3_0 = _TYPES_1_0 | {member for member in DataType if member.bits == 64}
_VERSIONS = "1.0.0 1.1.0 1.2.0 1.4.0 1.5.0 1.6.0 1.7.0 1.8.0 1.9.0 1.10.0 1.11.0 1.12.0 1.13.0 1.15.0 1.15.0"


def _facts(level: FeatureLevel, version: str) -> LevelFacts:
    if level >= FeatureLevel.LEVEL_6_3:
        return LevelFacts(version, 8, frozenset(DataType))
    if level >= FeatureLevel.LEVEL_3_0:
        return LevelFacts(version, 8, _TYPES_3_0)
    return LevelFacts(version, 5, _TYPES_1_0)


LEVELS = {level: _facts(level, version) for level, version in zip(FeatureLevel, _VERSIONS.split(), strict=True)}
