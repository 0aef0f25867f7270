#!/usr/bin/env python3
"""Writes an FDF file from a flat JSON object of field names and texts."""

import json
import sys


def text(value):
    """A PDF string: UTF-16 with a byte order mark, in hex, so that no character needs escaping."""
    return "<FEFF" + value.encode("utf-16-be").hex().upper() + ">"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: values_to_fdf.py VALUES.JSON > VALUES.FDF")
    with open(sys.argv[1], encoding="utf-8") as file:
        values = json.load(file)
    print("%FDF-1.2\n1 0 obj\n<< /FDF << /Fields [")
    for name, value in values.items():
        print(f"<< /T {text(name)} /V {text(value)} >>")
    print("] >> >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF")


if __name__ == "__main__":
    main()
