#!/usr/bin/env python3
"""Checks values against the fields of a form; exit code 1 when something is wrong."""

import json
import sys


def faults(fields, values):
    known = {field["name"]: field for field in fields}
    for name in values:
        if name not in known:
            yield f"{name}: the form has no such field"
    for name, field in known.items():
        value = values.get(name)
        if value in (None, ""):
            if field["required"] and not field["read_only"]:
                yield f"{name}: required and empty"
            continue
        if not isinstance(value, str):
            yield f"{name}: {value!r} is not text"
            continue
        if field["read_only"]:
            yield f"{name}: read-only, and the form fills it itself"
        if field["max_length"] and len(value) > field["max_length"]:
            yield f"{name}: {len(value)} characters, and at most {field['max_length']} fit"
        if field["options"] and value != "Off" and value not in field["options"]:
            yield f"{name}: {value!r} is none of {', '.join(field['options'])}"


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: check_values.py FIELDS.JSON VALUES.JSON")
    with open(sys.argv[1], encoding="utf-8") as file:
        fields = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        values = json.load(file)
    found = list(faults(fields, values))
    for fault in found:
        print(fault)
    print(f"{len(found)} faults in {len(values)} values", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
