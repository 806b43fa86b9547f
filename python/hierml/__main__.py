"""Prints the label of each line of standard input, or the decision of the model's rule.

python -m hierml MODEL < TEXTS
"""

from __future__ import annotations

import argparse
import io
import sys
import warnings
from typing import Optional, Sequence

from . import load
from ._errors import UnknownTextWarning, visible


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the command and returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m hierml", description="Prints the label of each line of standard input, with the nodes above it. If the model has a rule, prints the nodes that the rule decides for instead, separated by tabs.")
    parser.add_argument("model", help="a file that pipeline.Save wrote")
    parser.add_argument("-k", type=int, default=0, help="print the K best labels, without a rule, and their scores, separated by tabs")
    options = parser.parse_args(arguments)
    output = sys.stdout
    if isinstance(output, io.TextIOWrapper):
        output.reconfigure(encoding="utf-8")
    try:
        model = load(options.model)
        texts = unknown = 0
        warnings.simplefilter("ignore", UnknownTextWarning)  # of each text by itself
        for line in sys.stdin.buffer:
            text = line.rstrip(b"\r\n").decode("utf-8", "surrogateescape")
            texts, unknown = texts + 1, unknown + (not model.knows(text))
            if options.k > 0:
                print(*(part for name, score in model.rank([text], options.k)[0] for part in (visible(name), f"{score:.6g}")), sep="\t", file=output)
            elif model.has_rule:
                print(*map(visible, model.decide([text])[0][0]), sep="\t", file=output)
            else:
                print(*map(visible, model.predict_paths([text])[0]), sep=" > ", file=output)
        if unknown:
            print(f"hierml: the model knows nothing of {unknown} of {texts} texts: their labels are meaningless", file=sys.stderr)
    except (ValueError, OSError) as error:  # also of a text that the model has no features of
        print(f"hierml: {visible(str(error))}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
