#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual page and the completion of bash, from what the program says of itself.

    manual.py PROGRAM FOLDER     FOLDER/man/man1/limber.1.gz, FOLDER/bash-completion/completions/limber
"""
import gzip
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass, field


COLUMN = 30  # where the meanings stand


@dataclass
class Option:
    names: list  # ["-o", "--out"], or of a positional ["scene"]
    value: str   # "DIR"; empty: none
    meaning: str


@dataclass
class Command:
    words: list  # ["sweep", "run"]
    about: str = ""
    usage: str = ""
    positionals: list = field(default_factory=list)
    options: list = field(default_factory=list)
    example: str = ""
    commands: list = field(default_factory=list)


def read(program, words):
    text = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout
    command, part = Command(words), None
    lines = text.splitlines()
    for line, below in zip(lines, [*lines[1:], ""]):
        if line.startswith("Usage: "):
            command.usage = line[len("Usage: "):]
        elif line in ("Positionals:", "Options:", "Subcommands:"):
            part = line[:-1]
        elif line.startswith("Example: "):
            command.example, part = line[len("Example: "):], None
        elif part and line.startswith(" " * COLUMN):
            (command.options if part == "Options" else command.positionals)[-1].meaning = line.strip()
        elif part and line.startswith("  "):
            # Names that reach into the column of meanings have theirs on the next line.
            names, meaning = (line, "") if below.startswith(" " * COLUMN) else (line[:COLUMN], line[COLUMN:])
            if part == "Subcommands":
                command.commands.append(read(program, [*words, names.strip()]))
                continue
            names, _, value = names.strip().partition(" ")
            if names.startswith("-h,") and words:
                continue  # as of the program itself
            option = Option(names.split(","), value, meaning)
            (command.options if part == "Options" else command.positionals).append(option)
        elif not part and line and not command.usage:
            command.about = line
    return command


def all_of(command):
    yield command
    for sub in command.commands:
        yield from all_of(sub)


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"([,|/=])(?=\S)", r"\1\\:", text)  # long lists may go on in the next line
    return "\\&" + text if text[:1] in ".'" else text


def manual(root, version):
    out = [f'.TH LIMBER 1 "" "limber {version}" "User Commands"', ".nh", ".ad l", ".SH NAME", f"limber \\- {roff(root.about.split(': ', 1)[-1])}",
           ".SH SYNOPSIS", f".B {roff(root.usage)}", ".SH DESCRIPTION",
           "Scene files in, moving bodies out. Each command has", ".B \\-\\-help", "with an example."]
    for command in all_of(root):
        title = " ".join(["limber", *command.words])
        out += [".SH OPTIONS" if command is root else ".SH " + roff(title.upper().replace("LIMBER ", "COMMAND "))]
        if command is not root:
            out += [roff(command.about[:1].upper() + command.about[1:]) + ".", ".PP", ".B " + roff(command.usage)]
        for option in [*command.positionals, *command.options]:
            out += [".TP", ".B " + roff(", ".join(option.names)) + (" \\fI" + roff(option.value) + "\\fR" if option.value else ""),
                    roff(option.meaning)]
        if command.example and command is not root:
            out += [".PP", "Example:", ".PP", ".nf", roff(command.example), ".fi"]
    out += [".SH EXIT STATUS", "0 done, 1 the simulation failed, 2 bad usage or input, 3 a bug of limber, 4 the system refused.",
            ".SH ENVIRONMENT", ".TP", ".B LIMBER_THREADS", "number of threads", ".TP", ".B LIMBER_MEMORY_LIMIT",
            "bytes that a body may need at most", ".TP", ".B LIMBER_MESH_CACHE", "folder where filled surfaces are kept", ".TP",
            ".B LIMBER_SCENES", "folder of the scenes"]
    return "\n".join(out) + "\n"


def completion(root):
    lines = ["# bash completion for limber, made by tools/manual.py", "_limber() {", '  local word=${COMP_WORDS[COMP_CWORD]} path= k',
             '  for ((k = 1; k < COMP_CWORD; ++k)); do', '    case "$path ${COMP_WORDS[k]}" in']
    for command in all_of(root):
        if command is not root:
            lines.append(f'      " {" ".join(command.words)}") path=" {" ".join(command.words)}" ;;')
    lines += ["    esac", "  done", '  local words=', '  case "$path" in']
    for command in all_of(root):
        words = [sub.words[-1] for sub in command.commands]
        words += [name for option in command.options for name in option.names if name.startswith("--")]
        for option in command.positionals:  # {a,b,c}: one of these
            if found := re.search(r"\{([\w,]+)\}", option.value):
                words += found.group(1).split(",")
        path = "".join(" " + word for word in command.words)
        lines.append(f'    "{path}") words="{" ".join(words)}" ;;')
    lines += ["  esac", '  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")',
              '  # Files where nothing of this fits.', '  [ ${#COMPREPLY[@]} -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- "$word")', "}",
              "complete -o filenames -F _limber limber"]
    return "\n".join(lines) + "\n"


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    root = read(program, [])
    page = folder / "man" / "man1" / "limber.1.gz"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_bytes(gzip.compress(manual(root, version).encode(), 9, mtime=0))
    # limber-bench is what `limber bench` runs.
    (page.parent / "limber-bench.1.gz").write_bytes(gzip.compress(b".so man1/limber.1\n", 9, mtime=0))
    words = folder / "bash-completion" / "completions" / "limber"
    words.parent.mkdir(parents=True, exist_ok=True)
    words.write_text(completion(root))


if __name__ == "__main__":
    main()
