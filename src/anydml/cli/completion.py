"""`anydml completion`: a script that lets a shell complete commands, options and data types."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from importlib import import_module
from typing import TYPE_CHECKING

from anydml.cli.messages import write
from anydml.core.datatype import DataType

if TYPE_CHECKING:
    from argparse import _SubParsersAction

SHELLS = ("bash", "zsh", "fish", "powershell")
_EPILOG = """\
to use it now, and in every new shell:
  bash        eval "$(anydml completion bash)"             in ~/.bashrc
  zsh         eval "$(anydml completion zsh)"              in ~/.zshrc, after compinit
  fish        anydml completion fish | source              in ~/.config/fish/config.fish
  powershell  anydml completion powershell | Out-String | Invoke-Expression
"""
_TYPED = ("explain", "size")
"""Commands whose first argument is a data type."""


def add_parser(subparsers: _SubParsersAction[ArgumentParser]) -> None:
    from argparse import RawDescriptionHelpFormatter

    parser = subparsers.add_parser(
        "completion",
        help="a script for completion in a shell",
        description="Print a script that makes a shell complete anydml's commands, options and data types.",
        epilog=_EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=SHELLS, help="bash, zsh, fish or powershell")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    write(_WRITERS[args.shell](words_by_command()))
    return 0


def words_by_command() -> dict[str, list[str]]:
    """What may follow each command: its options, and the first arguments that are known."""
    from anydml.cli.main import SUBCOMMANDS

    parser = ArgumentParser(prog="anydml")
    subparsers = parser.add_subparsers()
    for name in SUBCOMMANDS:
        import_module(f"anydml.cli.{name}").add_parser(subparsers)
    found = {}
    for name in SUBCOMMANDS:
        actions = subparsers.choices[name]._actions
        options = [option for action in actions for option in action.option_strings if option.startswith("--")]
        choices = [str(choice) for action in actions if action.choices for choice in action.choices]
        types = [member.name for member in DataType] if name in _TYPED else []
        found[name] = [*types, *choices, *options]
    return found


def _bash(words: dict[str, list[str]]) -> str:
    cases = "\n".join(f'        {name}) words="{" ".join(known)}" ;;' for name, known in words.items())
    return f"""\
_anydml() {{
    local words current="${{COMP_WORDS[COMP_CWORD]}}"
    case "${{COMP_WORDS[1]}}" in
{cases}
        *) words="{" ".join(words)} --help --version" ;;
    esac
    [ "$COMP_CWORD" -eq 1 ] && words="{" ".join(words)} --help --version"
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    [ ${{#COMPREPLY[@]}} -eq 0 ] && COMPREPLY=($(compgen -f -- "$current"))
    return 0
}}
complete -o filenames -F _anydml anydml
"""


def _zsh(words: dict[str, list[str]]) -> str:
    return "autoload -Uz bashcompinit && bashcompinit\n" + _bash(words)


def _fish(words: dict[str, list[str]]) -> str:
    lines = [f"complete -c anydml -n __fish_use_subcommand -a '{' '.join(words)}'"]
    for name, known in words.items():
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        lines += [f"complete -c anydml {seen} -l {word[2:]}" for word in known if word.startswith("--")]
        plain = [word for word in known if not word.startswith("--")]
        lines += [f"complete -c anydml {seen} -a '{' '.join(plain)}'"] if plain else []
    return "\n".join(lines) + "\n"


def _powershell(words: dict[str, list[str]]) -> str:
    rows = "\n".join(f"        '{name}' = {_array(known)}" for name, known in words.items())
    return f"""\
Register-ArgumentCompleter -Native -CommandName anydml -ScriptBlock {{
    param($word, $line, $position)
    $known = @{{
{rows}
    }}
    $typed = $line.CommandElements | ForEach-Object {{ $_.ToString() }}
    $choices = if ($typed.Count -gt 1 -and $known.ContainsKey($typed[1])) {{ $known[$typed[1]] }} else {{ $known.Keys }}
    $choices | Where-Object {{ $_ -like "$word*" }} | ForEach-Object {{
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
    }}
}}
"""


def _array(words: list[str]) -> str:
    return "@(" + ", ".join(f"'{word}'" for word in words) + ")"


_WRITERS = {"bash": _bash, "zsh": _zsh, "fish": _fish, "powershell": _powershell}
