//! Emoji names: the table behind `:name:`, reactions, statuses and `server_emoji_data_url`.
//!
//! Owns the mapping between codes (lower-case hex, joined by `-`, without U+FE0F) and names (canonical name first, then
//! aliases), and the recognition of emoji characters in text. Custom emoji belong to an organization and are not known
//! here. Nothing is built at start-up: the tables are sorted and searched in place.
//!
//! The names of 1051 codes are those of the clients' own table (PyPI `zulip-term` 0.7.0); no
//! package publishes the rest, which follows the same rules from CLDR (see `generate.py`). So
//! every code that clients know has its canonical form, but some of the rarer ones have other
//! aliases here than elsewhere.
//! (docs/protocol/markdown.md#emoji, docs/protocol/emoji.md#names, docs/protocol/emoji.md#data-url,
//! docs/protocol/emoji.md#codes)

mod sequence;
mod short_names;
mod table;

pub use sequence::{Match, longest_match, may_begin};

/// Names that another emoji has taken over, with the code that they had before. Terminal clients still
/// send the first pair.
const FORMER_NAMES: [(&str, &str); 3] = [
    ("smile", "1f642"),
    ("smile", "263a"),
    ("stuck_out_tongue", "1f61d"),
];

/// The code of the emoji called `name`, whether that is its canonical name or an alias.
///
/// Names are case-sensitive: `+1`, `thumbs_up` and `like` give `1f44d`, `Like` gives nothing.
pub fn code_for_name(name: &str) -> Option<&'static str> {
    let row = table::NAMES
        .binary_search_by(|(known, _)| known.cmp(&name))
        .ok()?;
    let (_, index) = table::NAMES.get(row)?;
    table::EMOJI.get(usize::from(*index)).map(|(code, _)| *code)
}

/// The code of the emoji that is called `name` in Slack and Mattermost; some of their names mean another
/// emoji here (`smile`, `cat`), so use this only for imported texts.
///
/// A skin tone, which follows `::` in a name, is ignored.
pub fn code_for_short_name(name: &str) -> Option<&'static str> {
    let name = name.split_once("::").map_or(name, |(name, _)| name);
    let row = short_names::SHORT_NAMES
        .binary_search_by(|(known, _)| known.cmp(&name))
        .ok()?;
    short_names::SHORT_NAMES.get(row).map(|(_, code)| *code)
}

/// Every name of the emoji with this code, canonical name first.
///
/// The code must be in its one accepted form: `2764` is known, `2764-fe0f` is not.
pub fn names_for_code(code: &str) -> Option<&'static [&'static str]> {
    let row = table::EMOJI
        .binary_search_by(|(known, _)| known.cmp(&code))
        .ok()?;
    table::EMOJI.get(row).map(|(_, names)| *names)
}

/// Whether clients that are older than a renaming still send this name with this code.
pub fn was_name_of(name: &str, code: &str) -> bool {
    FORMER_NAMES.contains(&(name, code))
}

/// The name under which the emoji with this code is shown.
pub fn canonical_name(code: &str) -> Option<&'static str> {
    names_for_code(code)?.first().copied()
}

/// Every code with its names, sorted by code.
pub fn all() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    table::EMOJI.iter().copied()
}

/// The document behind `server_emoji_data_url`: `{"code_to_names": {code: [names]}}`.
pub fn code_to_names_json() -> &'static str {
    include_str!("../data/code_to_names.json")
}

/// A digest of [`code_to_names_json`] for its URL; it changes only with the document.
pub fn content_hash() -> &'static str {
    table::DIGEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_covers_unicode_16() {
        assert_eq!(all().count(), 1883);
        assert!(all().map(|(_, names)| names.len()).sum::<usize>() >= 2960);
    }

    #[test]
    fn both_tables_are_strictly_sorted_and_agree() {
        assert!(table::EMOJI.is_sorted_by(|a, b| a.0 < b.0));
        assert!(table::NAMES.is_sorted_by(|a, b| a.0 < b.0));
        assert!(table::TEXT_STYLE.is_sorted_by(|a, b| a < b));
        for (code, names) in all() {
            assert!(!names.is_empty(), "{code}");
            for name in names {
                assert_eq!(code_for_name(name), Some(code), "{name}");
            }
        }
        let listed: usize = all().map(|(_, names)| names.len()).sum();
        assert_eq!(listed, table::NAMES.len());
    }

    #[test]
    fn names_of_everyday_emoji() {
        for (name, code) in [
            ("smile", "1f604"),
            ("big_smile", "1f604"),
            ("slight_smile", "1f642"),
            ("+1", "1f44d"),
            ("thumbs_up", "1f44d"),
            ("like", "1f44d"),
            ("tada", "1f389"),
            ("heart", "2764"),
            ("frown", "1f641"),
            ("neutral", "1f610"),
            ("confused", "1f615"),
            ("wink", "1f609"),
            ("grinning", "1f600"),
            ("open_mouth", "1f62e"),
            ("stuck_out_tongue", "1f61b"),
            ("zero", "0030-20e3"),
            ("nine", "0039-20e3"),
            ("flag_germany", "1f1e9-1f1ea"),
            ("copyright", "00a9"),
            ("man_technologist", "1f468-200d-1f4bb"),
        ] {
            assert_eq!(code_for_name(name), Some(code), "{name}");
        }
        assert_eq!(canonical_name("1f44d"), Some("+1"));
        assert_eq!(canonical_name("1f604"), Some("smile"));
        assert_eq!(code_for_name("Smile"), None);
        assert_eq!(code_for_name("zulip"), None);
    }

    #[test]
    fn former_names_belong_to_known_codes_and_not_to_current_ones() {
        for (name, code) in FORMER_NAMES {
            assert!(names_for_code(code).is_some_and(|names| !names.contains(&name)));
        }
        assert!(was_name_of("smile", "1f642"));
        assert!(!was_name_of("slight_smile", "1f604"));
    }

    #[test]
    fn short_names_are_sorted_and_mean_known_codes() {
        assert!(short_names::SHORT_NAMES.is_sorted_by(|a, b| a.0 < b.0));
        for (name, code) in short_names::SHORT_NAMES {
            assert!(canonical_name(code).is_some(), "{name}");
        }
        for (name, code) in [
            ("+1", Some("1f44d")),
            ("thumbsup::skin-tone-3", Some("1f44d")),
            ("smile", Some("1f604")),
            ("simple_smile", Some("1f642")),
            ("cat", Some("1f431")),
            ("flag-de", Some("1f1e9-1f1ea")),
            ("big_smile", None),
            ("party_parrot", None),
        ] {
            assert_eq!(code_for_short_name(name), code, "{name}");
        }
    }

    #[test]
    fn codes_have_one_form_and_names_are_writable() {
        for (code, names) in all() {
            assert!(!code.contains("fe0f"), "{code}");
            assert!(code.split('-').all(|part| {
                part.len() >= 4
                    && part
                        .bytes()
                        .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
            }));
            for name in names {
                assert!(
                    name.chars()
                        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '+')),
                    "{name}"
                );
            }
        }
        assert_eq!(names_for_code("2764-fe0f"), None);
        assert_eq!(names_for_code("1F44D"), None);
    }

    #[test]
    fn skin_tones_and_all_clock_faces_but_one_are_left_out() {
        assert!(names_for_code("1f3fd").is_none());
        let clocks = (0x1f550..0x1f568).filter(|c| names_for_code(&format!("{c:x}")).is_some());
        assert_eq!(clocks.count(), 1);
    }

    #[test]
    fn the_document_says_the_same_as_the_table() {
        let json: serde_json::Value = serde_json::from_str(code_to_names_json()).unwrap();
        let object = json.as_object().unwrap();
        assert_eq!(object.len(), 1);
        let codes = object["code_to_names"].as_object().unwrap();
        assert_eq!(codes.len(), all().count());
        for (code, names) in all() {
            assert_eq!(codes[code], serde_json::json!(names));
        }
        assert_eq!(content_hash().len(), 16);
    }
}
