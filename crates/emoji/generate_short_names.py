#!/usr/bin/env python3
"""Writes src/short_names.rs: the names by which Slack and Mattermost call emoji.

Run by hand when the package below gets a new release; the result is committed:

    npm pack emoji-datasource-google@16.0.0   # unpack package/emoji.json to DIR/emoji.json
    python3 generate_short_names.py DIR && rustfmt --edition 2024 src/short_names.rs

Source and licence: emoji-datasource-google 16.0.0 (MIT), the table that both products take their
names from. Codes that `data/code_to_names.json` does not know (skin tones, clock faces) are left out.
"""

import json
import pathlib
import sys

# Names that Slack knows beside those of the package.
EXTRA = {"simple_smile": "1f642"}


def main():
    here = pathlib.Path(__file__).parent
    known = json.loads((here / "data" / "code_to_names.json").read_text())["code_to_names"]
    names = dict(EXTRA)
    for emoji in json.loads((pathlib.Path(sys.argv[1]) / "emoji.json").read_text()):
        code = emoji["unified"].lower().replace("-fe0f", "")
        if code in known:
            for name in emoji["short_names"]:
                names.setdefault(name, code)
    out = [
        "//! The names of emoji in Slack and Mattermost. Written by `generate_short_names.py`, which says",
        "//! where they come from; do not edit. Sorted by bytes for binary search.",
        "",
        "/// Every name with its code.",
        "pub(crate) static SHORT_NAMES: &[(&str, &str)] = &[",
    ]
    for name in sorted(names, key=lambda name: name.encode()):
        out.append(f"    ({json.dumps(name)}, {json.dumps(names[name])}),")
    out += ["];", ""]
    (here / "src" / "short_names.rs").write_text("\n".join(out))
    print(len(names), "names")


if __name__ == "__main__":
    main()
