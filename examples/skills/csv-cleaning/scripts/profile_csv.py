#!/usr/bin/env python3
"""Shows what a CSV file really holds, without changing it."""

import collections
import csv
import re
import sys

KINDS = [
    ("integer", re.compile(r"[-+]?\d+")),
    ("decimal", re.compile(r"[-+]?\d*[.,]\d+|[-+]?\d{1,3}(?:[.,]\d{3})+(?:[.,]\d+)?")),
    ("iso date", re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?")),
    ("other date", re.compile(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}")),
]


def decode(data):
    for encoding in ("utf-8-sig", "utf-8", "cp1252"):
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1"), "latin-1"


def delimiter(text):
    lines = [line for line in text.splitlines()[:50] if line]
    scores = {mark: sum(line.count(mark) for line in lines) for mark in ",;\t|"}
    return max(scores, key=scores.get)


def kind(value):
    for name, pattern in KINDS:
        if pattern.fullmatch(value):
            return name
    return "text"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: profile_csv.py FILE.CSV")
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    text, encoding = decode(data)
    if encoding == "utf-8-sig" and not data.startswith(b"\xef\xbb\xbf"):
        encoding = "utf-8"
    mark = delimiter(text)
    rows = list(csv.reader(text.splitlines(keepends=True), delimiter=mark))
    if not rows:
        sys.exit("the file is empty")
    header, body = rows[0], rows[1:]
    odd = [number for number, row in enumerate(body, 2) if len(row) != len(header)]

    print(f"encoding {encoding}, delimiter {mark!r}, {len(body)} rows, {len(header)} columns")
    if odd:
        shown = ", ".join(map(str, odd[:10])) + (", …" if len(odd) > 10 else "")
        print(f"rows with another number of cells: {len(odd)} (rows {shown})")
    for index, name in enumerate(header):
        cells = [row[index].strip() for row in body if index < len(row)]
        filled = [cell for cell in cells if cell]
        kinds = collections.Counter(map(kind, filled)).most_common()
        common = collections.Counter(filled).most_common(3)
        print(f"\n{name.strip() or '(no name)'}")
        print(f"  empty {len(cells) - len(filled)}, different {len(set(filled))}")
        print("  looks like " + (", ".join(f"{k} ({n})" for k, n in kinds) or "nothing"))
        print("  most often " + (", ".join(f"{v!r} ({n})" for v, n in common) or "nothing"))


if __name__ == "__main__":
    main()
