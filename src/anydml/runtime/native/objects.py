"""Checks of object files before LLVM loads them: it ends the process when one is not what it expects.

Everything that LLVM follows is checked: where sections, symbols, names and relocations lie, and that nothing is
needed from outside that cannot be found. What the instructions do cannot be checked.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

LARGEST_SECTION = 1 << 24
LARGEST_ALIGNMENT = 4096


@dataclass(frozen=True)
class Symbols:
    exported: frozenset[str]
    needed: frozenset[str]
    """What must be found elsewhere in the process."""


def read_symbols(data: bytes, triple: str) -> Symbols:
    """The symbols of an object file for a machine; ValueError unless it is one that LLVM can load."""
    architecture, _, system = triple.partition("-")
    try:
        return _reader(system)(data, architecture).read()
    except KeyError as error:  # no such architecture
        raise ValueError(f"object file: {error!r}") from error


def _reader(system: str) -> type[_Elf] | type[_MachO] | type[_Coff]:
    if any(name in system for name in ("apple", "darwin", "macho")):
        return _MachO
    is_coff = any(name in system for name in ("windows", "cygwin")) and not system.endswith("elf")
    return _Coff if is_coff else _Elf


def _expect(condition: bool, problem: str) -> None:
    if not condition:
        raise ValueError(f"object file: {problem}")


class _Reader:
    def __init__(self, data: bytes, architecture: str) -> None:
        self.data = data
        self.architecture = {"amd64": "x86_64", "arm64": "aarch64"}.get(architecture, architecture)

    def unpack(self, layout: str, offset: int) -> tuple[int, ...]:
        self.inside(offset, struct.calcsize("<" + layout), "a number")
        return struct.unpack_from("<" + layout, self.data, offset)

    def inside(self, offset: int, size: int, what: str) -> None:
        _expect(offset >= 0 and size >= 0 and offset + size <= len(self.data), f"{what} lies outside the file")

    def name(self, table: tuple[int, int], offset: int) -> str:
        """The text at an offset of a table of strings, given by its own offset and size."""
        _expect(0 <= offset < table[1], "a name lies outside the table of names")
        start = table[0] + offset
        end = self.data.find(b"\0", start, table[0] + table[1])
        _expect(end >= 0, "a name has no end")
        return self.data[start:end].decode("ascii", "replace")


_AARCH64_WORDS = (273, 274, 275, 277, 278, 279, 280, 282, 283, 284, 285, 286, 299)


class _Elf(_Reader):
    """Linux and most other systems."""

    MACHINES = {"x86_64": 62, "aarch64": 183}
    RELOCATIONS = {
        "x86_64": {1: 8, 2: 4, 4: 4, 10: 4, 11: 4, 24: 8, 29: 8},
        "aarch64": {257: 8, 260: 8, **dict.fromkeys((258, 261, *range(263, 270), *_AARCH64_WORDS), 4)},
    }
    """Those that machine code of one module needs, and how many bytes each changes."""
    PROGBITS, SYMTAB, STRTAB, RELA, NOBITS = 1, 2, 3, 4, 8
    TYPES = {0, PROGBITS, SYMTAB, STRTAB, RELA, NOBITS, 7, 14, 15, 0x70000001, 0x6FFF4C03}
    """Besides the ones above: none, notes, arrays of initializers, tables for unwinding, marks of addresses."""
    UNLOADABLE_FLAGS = 0x400 | 0x800
    """Thread-local and compressed sections."""
    CODE = 0x2 | 0x4
    """Sections that are given memory, and may be executed there."""
    ABSOLUTE = 0xFFF1
    FUNCTION, FILE = 2, 4
    GLOBAL = 1

    def read(self) -> Symbols:
        _expect(self.data[:7] == b"\x7fELF\x02\x01\x01", "it is not a 64-bit ELF file")
        header = self.unpack("HHIQQQIHHHHHH", 16)
        _expect(header[0] == 1 and header[2] == 1, "it is not relocatable")
        _expect(header[1] == self.MACHINES[self.architecture], f"machine {header[1]}")
        start, entry, count, names = header[5], header[10], header[11], header[12]
        _expect(entry == 64 and 0 < names < count, "its table of sections is broken")
        self.sections = [self.unpack("IIQQQQIIQQ", start + 64 * number) for number in range(count)]
        for section in self.sections:
            self._check_section(section, names)
        tables = [number for number, section in enumerate(self.sections) if section[1] == self.SYMTAB]
        _expect(len(tables) == 1, f"it has {len(tables)} tables of symbols")
        symbols = self._symbols(self.sections[tables[0]])
        for section in self.sections:
            if section[1] == self.RELA:
                self._check_relocations(section, tables[0])
        return symbols

    def _check_section(self, section: tuple[int, ...], names: int) -> None:
        name, kind, flags, _, offset, size, _, _, alignment, _ = section
        self._string(names, name)
        _expect(kind in self.TYPES, f"type {kind} of a section")
        _expect(not flags & self.UNLOADABLE_FLAGS, f"flags {flags} of a section")
        _expect(size <= LARGEST_SECTION, f"a section of {size} bytes")
        _expect(alignment & (alignment - 1) == 0 and alignment <= LARGEST_ALIGNMENT, f"alignment {alignment}")
        if kind not in (0, self.NOBITS):
            self.inside(offset, size, "a section")

    def _string(self, table: int, offset: int) -> str:
        _expect(0 <= table < len(self.sections), f"section {table}")
        section = self.sections[table]
        _expect(section[1] == self.STRTAB, "names lie in no table of names")
        return self.name((section[4], section[5]), offset)

    def _check_relocations(self, section: tuple[int, ...], table: int) -> None:
        _, _, _, _, offset, size, link, target, _, entry = section
        _expect(entry == 24 and size % 24 == 0 and link == table, "a table of relocations is broken")
        _expect(0 < target < len(self.sections), f"relocations of section {target}")
        changed = self.sections[target]
        _expect(changed[1] not in (0, self.NOBITS), "relocations of an empty section")
        for place in range(offset, offset + size, 24):
            where, info, _ = self.unpack("QQq", place)
            kind = info & 0xFFFFFFFF
            width = self.RELOCATIONS[self.architecture].get(kind)
            _expect(width is not None, f"relocation {kind}")
            _expect(where + (width or 0) <= changed[5], "a relocation lies outside its section")
            _expect(info >> 32 in self.places, "a relocation has no symbol")

    def _symbols(self, table: tuple[int, ...]) -> Symbols:
        _expect(table[9] == 24 and table[5] % 24 == 0, "its table of symbols is broken")
        exported: set[str] = set()
        needed: set[str] = set()
        self.places: set[int] = set()
        """Numbers of the symbols that have an address."""
        for number in range(table[5] // 24):
            name_at, info, _, section, value, _ = self.unpack("IBBHQQ", table[4] + 24 * number)
            name, kind, binding = self._string(table[6], name_at), info & 15, info >> 4
            _expect(kind <= self.FILE and binding <= self.GLOBAL, f"type {kind} of symbol {name!r}")
            if section == self.ABSOLUTE and kind == self.FILE:
                continue
            _expect(section < len(self.sections) and kind != self.FILE, f"section {section} of symbol {name!r}")
            if number:
                self.places.add(number)
            if section:
                _expect(value <= self.sections[section][5], f"symbol {name!r} lies outside its section")
                is_code = self.sections[section][2] & self.CODE == self.CODE
                if kind == self.FUNCTION and binding == self.GLOBAL and is_code:
                    exported.add(name)
            elif number:
                needed.add(name)
        return Symbols(frozenset(exported), frozenset(needed))


class _MachO(_Reader):
    """macOS. Names have an underscore in front."""

    MACHINES = {"x86_64": 0x01000007, "aarch64": 0x0100000C}
    SEGMENT, SYMTAB = 0x19, 0x2
    EXTERNAL = 0x01
    LARGEST_RELOCATION = 10

    def read(self) -> Symbols:
        magic, machine, _, kind, count, size, _, _ = self.unpack("8I", 0)
        _expect(magic == 0xFEEDFACF and kind == 1, "it is not a 64-bit Mach-O object file")
        _expect(machine == self.MACHINES[self.architecture], f"machine {machine:#x}")
        self.inside(32, size, "the list of commands")
        self.section_sizes: list[int] = []
        self.relocations: list[tuple[int, int, int]] = []
        tables = []
        place = 32
        for _ in range(count):
            command, length = self.unpack("II", place)
            _expect(length >= 8 and length % 8 == 0 and place + length <= 32 + size, "a command is broken")
            if command == self.SEGMENT:
                self._read_segment(place, length)
            elif command == self.SYMTAB:
                tables.append(self.unpack("4I", place + 8))
            place += length
        _expect(len(tables) == 1, f"it has {len(tables)} tables of symbols")
        self._check_relocations(tables[0][1])
        return self._symbols(*tables[0])

    def _read_segment(self, place: int, length: int) -> None:
        (count,) = self.unpack("I", place + 64)
        _expect(72 + 80 * count <= length, "a segment is broken")
        for number in range(count):
            fields = self.unpack("QQIIIII", place + 72 + 80 * number + 32)
            _, size, offset, alignment, relocations, relocation_count, flags = fields
            _expect(size <= LARGEST_SECTION and alignment <= 12, "a section is too large")
            if flags & 0xFF != 1:  # one that is not zeros
                self.inside(offset, size, "a section")
            self.inside(relocations, 8 * relocation_count, "a table of relocations")
            self.section_sizes.append(size)
            self.relocations.append((relocations, relocation_count, size))

    def _check_relocations(self, symbol_count: int) -> None:
        for start, count, size in self.relocations:
            for place in range(start, start + 8 * count, 8):
                where, info = self.unpack("iI", place)
                number, is_symbol, kind = info & 0xFFFFFF, info >> 27 & 1, info >> 28
                _expect(where >= 0 and where + 4 <= size, "a relocation lies outside its section")
                limit = symbol_count if is_symbol else len(self.section_sizes) + 1
                # What is added to the address is written in the place of the number.
                is_addend = self.architecture == "aarch64" and kind == self.LARGEST_RELOCATION
                _expect(is_addend or number < limit, "a relocation has no symbol")
                _expect(kind <= self.LARGEST_RELOCATION, f"relocation {kind}")

    def _symbols(self, start: int, count: int, names: int, names_size: int) -> Symbols:
        self.inside(names, names_size, "the table of names")
        self.inside(start, 16 * count, "the table of symbols")
        exported: set[str] = set()
        needed: set[str] = set()
        for number in range(count):
            name_at, kind, section, _, value = self.unpack("IBBHQ", start + 16 * number)
            name = self.name((names, names_size), name_at).removeprefix("_")
            _expect(kind & 0xE0 == 0 and kind & 0x0E in (0, 0x0E), f"type {kind} of symbol {name!r}")
            if kind & 0x0E:
                _expect(0 < section <= len(self.section_sizes), f"section {section} of symbol {name!r}")
                if kind & self.EXTERNAL:
                    exported.add(name)
            else:
                _expect(value == 0, f"symbol {name!r} is common")
                needed.add(name)
        return Symbols(frozenset(exported), frozenset(needed))


class _Coff(_Reader):
    """Windows."""

    MACHINES = {"x86_64": 0x8664, "aarch64": 0xAA64}
    LARGEST_RELOCATION = 0x11
    UNINITIALIZED = 0x80
    EXTERNAL = 2

    def read(self) -> Symbols:
        machine, count, _, symbols, symbol_count, optional, _ = self.unpack("HHIIIHH", 0)
        _expect(machine == self.MACHINES[self.architecture], f"machine {machine:#x}")
        _expect(optional == 0, "it is not an object file")
        self.inside(symbols, 18 * symbol_count, "the table of symbols")
        self.section_count = count
        for number in range(count):
            self._check_section(20 + 40 * number, symbol_count)
        return self._symbols(symbols, symbol_count)

    def _check_section(self, place: int, symbol_count: int) -> None:
        size, offset, relocations, _, count, _, flags = self.unpack("IIIIHHI", place + 16)
        _expect(size <= LARGEST_SECTION, f"a section of {size} bytes")
        if not flags & self.UNINITIALIZED:
            self.inside(offset, size, "a section")
        for number in range(count):
            where, symbol, kind = self.unpack("IIH", relocations + 10 * number)
            _expect(where + 4 <= size, "a relocation lies outside its section")
            _expect(symbol < symbol_count, "a relocation has no symbol")
            _expect(kind <= self.LARGEST_RELOCATION, f"relocation {kind}")

    def _symbols(self, start: int, count: int) -> Symbols:
        names = start + 18 * count
        (names_size,) = self.unpack("I", names)
        self.inside(names, names_size, "the table of names")
        exported: set[str] = set()
        needed: set[str] = set()
        number = 0
        while number < count:
            place = start + 18 * number
            value, section, _, storage, more = self.unpack("IhHBB", place + 8)
            name = self._name(place, (names, names_size))
            _expect(-2 <= section <= self.section_count, f"section {section} of symbol {name!r}")
            if section == 0:
                _expect(storage == self.EXTERNAL and value == 0, f"symbol {name!r} is common")
                needed.add(name)
            elif storage == self.EXTERNAL:
                exported.add(name)
            number += 1 + more
        return Symbols(frozenset(exported), frozenset(needed))

    def _name(self, place: int, table: tuple[int, int]) -> str:
        short, offset = self.unpack("II", place)
        if short == 0:
            return self.name(table, offset)
        return self.data[place : place + 8].rstrip(b"\0").decode("ascii", "replace")
