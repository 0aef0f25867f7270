#!/usr/bin/env python3
"""Turns baker's percentages into grams for a wanted dough weight."""

import argparse


def share(text):
    name, separator, percent = text.partition("=")
    try:
        value = float(percent)
    except ValueError:
        value = -1.0
    if not (name and separator) or value < 0:
        raise argparse.ArgumentTypeError(f"write `name=percent`, not `{text}`")
    return name, value


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dough", type=float, help="dough weight in grams")
    parser.add_argument("--pieces", type=int, help="number of pieces")
    parser.add_argument("--weight", type=float, help="grams of a piece")
    parser.add_argument("--loss", type=float, default=2.0, help="percent left in the bowl (2)")
    parser.add_argument("shares", nargs="+", type=share, metavar="name=percent")
    options = parser.parse_args()

    if options.dough is None and (options.pieces is None or options.weight is None):
        parser.error("give --dough, or --pieces and --weight")
    wanted = options.dough or options.pieces * options.weight
    dough = wanted * (1 + options.loss / 100)

    flour_share = sum(percent for name, percent in options.shares if "flour" in name)
    if abs(flour_share - 100) > 0.01:
        parser.error(f"the flours add up to {flour_share:g} %, and they must be 100 %")
    flour = dough / (sum(percent for _, percent in options.shares) / 100)

    width = max(len(name) for name, _ in options.shares)
    for name, percent in options.shares:
        grams = flour * percent / 100
        # Below ten grams a whole gram is too coarse: yeast and salt decide the bread.
        shown = f"{grams:.1f}" if grams < 10 else f"{grams:.0f}"
        print(f"{name:<{width}}  {percent:6.1f} %  {shown:>7} g")
    print(f"{'dough':<{width}}  {'':8}  {dough:7.0f} g")


if __name__ == "__main__":
    main()
