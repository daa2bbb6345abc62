#!/usr/bin/env python3
"""Writes emoji-groups.js of the web client: the emoji of each group, in the order in which pickers show them.

Run by hand when the package below gets a new release; the result is committed:

    npm pack emojibase-data@17.0.0            # unpack package/en/data.json to DIR/data.json
    python3 generate_groups.py DIR

Source and licence: emojibase-data 17.0.0 (MIT), which has groups and order from Unicode's emoji-test.txt (Unicode-3.0).
Codes that `data/code_to_names.json` does not know (skin tones, clock faces) are left out.
"""

import json
import pathlib
import sys
import textwrap

# The numbers of the package; 2 are parts of other emoji.
GROUPS = {
    0: "smileys",
    1: "people",
    3: "nature",
    4: "food",
    6: "activities",
    5: "places",
    7: "objects",
    8: "symbols",
    9: "flags",
}
WIDTH = 110


def main():
    here = pathlib.Path(__file__).parent
    known = json.loads((here / "data" / "code_to_names.json").read_text())["code_to_names"]
    entries = json.loads((pathlib.Path(sys.argv[1]) / "data.json").read_text())
    groups = {name: [] for name in GROUPS.values()}
    for entry in sorted(entries, key=lambda entry: entry.get("order", 0)):
        code = entry["hexcode"].lower().replace("-fe0f", "")
        if entry.get("group") in GROUPS and code in known:
            groups[GROUPS[entry["group"]]].append(code)
    missing = set(known) - {code for codes in groups.values() for code in codes}
    assert not missing, sorted(missing)
    out = [
        "// The emoji of each group, in order. Written by `crates/emoji/generate_groups.py`, which says where they come",
        "// from; do not edit.",
        "",
        "/** Codes with a blank between them. */",
        "export const GROUPS = /** @type {const} */ ({",
    ]
    for name, codes in groups.items():
        lines = textwrap.wrap(" ".join(codes), WIDTH, break_on_hyphens=False)
        out.append(f"  {name}: [")
        out += [f'    "{line}",' for line in lines]
        out.append("  ],")
    out += ["});", ""]
    target = here.parents[1] / "components" / "page" / "web" / "emoji" / "emoji-groups.js"
    target.write_text("\n".join(out))


if __name__ == "__main__":
    main()
