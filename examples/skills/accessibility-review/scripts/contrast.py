#!/usr/bin/env python3
"""Contrast ratio of two colours, by the formula of WCAG 2."""

import re
import sys


def channels(text):
    digits = text.lstrip("#")
    if len(digits) == 3:
        digits = "".join(digit * 2 for digit in digits)
    if not re.fullmatch(r"[0-9a-fA-F]{6}", digits):
        sys.exit(f"error: `{text}` is not a colour such as #1a2b3c or #abc")
    return [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]


def luminance(text):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels(text)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: contrast.py FOREGROUND BACKGROUND")
    light, dark = sorted((luminance(sys.argv[1]), luminance(sys.argv[2])), reverse=True)
    ratio = (light + 0.05) / (dark + 0.05)
    # Cut, not rounded: 4.499 does not meet 4.5.
    print(f"{int(ratio * 100) / 100:.2f}:1")
    for what, least in (("text", 4.5), ("large text and controls", 3.0), ("text, level AAA", 7.0)):
        print(f"  {what}: {'yes' if ratio >= least else 'no'} (needs {least}:1)")


if __name__ == "__main__":
    main()
