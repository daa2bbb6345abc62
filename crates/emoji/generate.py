#!/usr/bin/env python3
"""Writes src/table.rs and data/code_to_names.json, the emoji names this crate serves.

Run by hand when one of the packages below gets a new release; the results are committed:

    pip install --ignore-requires-python --no-deps --target DIR/terminal zulip-term==0.7.0
    npm pack emoji-datasource-google@16.0.0   # unpack package/emoji.json to DIR/emoji.json
    npm pack cldr-annotations-full@44.1.0     # annotations/en/annotations.json to DIR/
    npm pack cldr-annotations-derived-full@44.1.0  # the same file to DIR/derived.json
    npm pack emojibase-data@17.0.0            # unpack package/en/data.json to DIR/data.json
    python3 generate.py DIR && rustfmt --edition 2024 src/table.rs

Sources and licences:
- zulip-term 0.7.0 (Apache-2.0): the hand-made names and aliases of 1051 codes;
- emoji-datasource-google 16.0.0 (MIT): which codes exist, and their usual presentation;
- cldr-annotations-full and -derived-full 44.1.0 (Unicode-3.0): CLDR name and keywords of every
  code without a hand-made name; later releases have several times as many keywords;
- emojibase-data 17.0.0 (MIT): the same for the eight codes newer than that.

The rules are those of the specification (docs/protocol/emoji.md#names,
docs/protocol/emoji.md#codes): codes are lower-case hex without U+FE0F; the CLDR name, cleaned, is
canonical; cleaned keywords are aliases as long as no other emoji has a claim to them.
"""

import collections
import hashlib
import json
import pathlib
import re
import sys
import unicodedata

CLOCK_FACES = {f"{code:x}" for code in range(0x1F550, 0x1F568)}
SKIN_TONES = {f"{code:x}" for code in range(0x1F3FB, 0x1F400)}
# Renamed in April 2025, after that release of zulip-term.
RENAMED = {"1f604": ["smile", "big_smile"], "1f642": ["slight_smile"]}
DROPPED = str.maketrans("", "", "\"'`:.,()“”‘’")
USABLE_NAME = re.compile(r"[\w+-]+")


def clean(name):
    """The name as it is written between colons."""
    name = name.lower().translate(DROPPED).replace("&", "and")
    return re.sub(r"_+", "_", re.sub(r"[ \-–]", "_", name)).strip("_")


def ascii_form(name):
    decomposed = unicodedata.normalize("NFKD", name)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def code_of(sequence):
    return sequence.lower().replace("-fe0f", "")


def usable(name):
    return USABLE_NAME.fullmatch(name) is not None


def with_ascii_alias(names):
    result = []
    for name in names:
        for form in (name, ascii_form(name)):
            if usable(form) and form not in result:
                result.append(form)
    return result


def hand_made_names(directory):
    sys.path.insert(0, str(directory / "terminal"))
    from zulipterminal.unicode_emojis import EMOJI_DATA

    # One alias of the package belongs to two emoji; a canonical name or the first claim wins.
    owner = {name: name for name in EMOJI_DATA}
    for name, entry in EMOJI_DATA.items():
        for alias in entry["aliases"]:
            owner.setdefault(alias, name)
    return {
        code_of(entry["code"]): [name, *(a for a in entry["aliases"] if owner[a] == name)]
        for name, entry in EMOJI_DATA.items()
    }


def load_cldr(directory):
    """Code -> (name, keywords)."""
    cldr = {}
    for entry in json.loads((directory / "data.json").read_text()):
        cldr[code_of(entry["hexcode"])] = (entry["label"], entry.get("tags", []))
    for file, key in (("annotations", "annotations"), ("derived", "annotationsDerived")):
        content = json.loads((directory / f"{file}.json").read_text())
        for text, entry in content[key]["annotations"].items():
            code = code_of("-".join(f"{ord(character):04x}" for character in text))
            if "tts" in entry:
                cldr[code] = (entry["tts"][0], entry.get("default", []))
    return cldr


def cleaned(cldr, code):
    name, keywords = cldr[code]
    return clean(name), [clean(keyword) for keyword in keywords]


def give_way(hand_made, cldr, claimed):
    """Takes from hand-made entries the names that are CLDR names of other emoji."""
    for code, names in hand_made.items():
        kept = [name for name in names if name not in claimed]
        if names[0] in claimed:
            kept.insert(0, cleaned(cldr, code)[0])
        hand_made[code] = list(dict.fromkeys(kept))


def cldr_names(codes, cldr, taken):
    """Names of the codes nobody named by hand: the CLDR name, then keywords only it has."""
    entries = {code: cleaned(cldr, code) for code in codes}
    claims = collections.Counter(
        keyword for _, keywords in entries.values() for keyword in set(keywords)
    )
    reserved = taken | {name for name, _ in entries.values()}
    names = {}
    for code, (name, keywords) in entries.items():
        aliases = [k for k in keywords if claims[k] == 1 and k not in reserved]
        names[code] = with_ascii_alias([name, *dict.fromkeys(aliases)])
    return names


def build(directory):
    source = json.loads((directory / "emoji.json").read_text())
    cldr = load_cldr(directory)
    table = {**hand_made_names(directory), **RENAMED}
    left_out = SKIN_TONES | (CLOCK_FACES - set(table))
    codes = {code_of(entry["unified"]): entry for entry in source}
    unnamed = [c for c in codes if c not in table and c not in left_out]
    give_way(table, cldr, {cleaned(cldr, code)[0] for code in unnamed})
    taken = {name for names in table.values() for name in names}
    table.update(cldr_names(unnamed, cldr, taken))
    text_style = sorted(
        int(code, 16)
        for code, entry in codes.items()
        if code in table and "-" not in code and entry["unified"].endswith("-FE0F")
    )
    seen = collections.Counter(name for names in table.values() for name in names)
    assert all(count == 1 for count in seen.values()), [n for n in seen if seen[n] > 1]
    assert set(table) <= set(codes), set(table) - set(codes)
    return dict(sorted(table.items())), text_style


def write_rust(table, text_style, digest, path):
    codes = list(table)
    names = sorted(
        (name.encode(), index)
        for index, code in enumerate(codes)
        for name in table[code]
    )
    out = [
        "//! Emoji codes and names. Written by `generate.py`, which says where they come from;",
        "//! do not edit. Both tables are sorted for binary search, so that an instance has",
        "//! nothing to build when it starts.",
        "",
        "/// Every code with its names, canonical name first; sorted by code.",
        "pub(crate) static EMOJI: &[(&str, &[&str])] = &[",
    ]
    for code, entry in table.items():
        listed = ", ".join(f'"{name}"' for name in entry)
        out.append(f'    ("{code}", &[{listed}]),')
    out += ["];", "", "/// Every name with the index of its emoji in [`EMOJI`]; sorted by bytes."]
    out.append("pub(crate) static NAMES: &[(&str, u16)] = &[")
    out += [f'    ("{name.decode()}", {index}),' for name, index in names]
    out += ["];", "", "/// Single characters that show as text unless U+FE0F follows; sorted."]
    out.append("pub(crate) static TEXT_STYLE: &[char] = &[")
    out += [f"    '\\u{{{code:x}}}'," for code in text_style]
    out += ["];", "", "/// First 16 hex digits of the SHA-256 of `data/code_to_names.json`."]
    out += [f'pub(crate) const DIGEST: &str = "{digest}";', ""]
    path.write_text("\n".join(out))


def main():
    here = pathlib.Path(__file__).parent
    table, text_style = build(pathlib.Path(sys.argv[1]))
    body = json.dumps({"code_to_names": table}, ensure_ascii=False, separators=(",", ":"))
    (here / "data").mkdir(exist_ok=True)
    (here / "data" / "code_to_names.json").write_text(body)
    digest = hashlib.sha256(body.encode()).hexdigest()[:16]
    write_rust(table, text_style, digest, here / "src" / "table.rs")
    print(len(table), "codes", sum(map(len, table.values())), "names", len(body), "bytes")


if __name__ == "__main__":
    main()
