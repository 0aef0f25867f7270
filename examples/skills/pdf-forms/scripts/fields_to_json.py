#!/usr/bin/env python3
"""Turns the output of `pdftk FORM dump_data_fields_utf8` into JSON."""

import json
import sys

READ_ONLY = 1
REQUIRED = 2


def records(lines):
    """Yields one dict per field; keys that may repeat become lists."""
    record = {}
    for line in lines:
        line = line.rstrip("\n")
        if line == "---":
            if record:
                yield record
            record = {}
            continue
        key, separator, value = line.partition(":")
        if not separator:
            continue
        if key == "FieldStateOption":
            record.setdefault(key, []).append(value.strip())
        else:
            record[key] = value.strip()
    if record:
        yield record


def main():
    if len(sys.argv) > 2:
        sys.exit("usage: fields_to_json.py [FIELDS.TXT]")
    source = open(sys.argv[1], encoding="utf-8") if len(sys.argv) == 2 else sys.stdin
    fields = []
    for record in records(source):
        if "FieldName" not in record:
            continue
        flags = int(record.get("FieldFlags", "0"))
        fields.append(
            {
                "name": record["FieldName"],
                "type": record.get("FieldType", "Text"),
                "label": record.get("FieldNameAlt"),
                "value": record.get("FieldValue"),
                "options": record.get("FieldStateOption", []),
                "max_length": int(record["FieldMaxLength"]) if "FieldMaxLength" in record else None,
                "required": bool(flags & REQUIRED),
                "read_only": bool(flags & READ_ONLY),
            }
        )
    json.dump(fields, sys.stdout, indent=2, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
