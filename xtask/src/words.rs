//! Words that the glossary replaces, counted: their number in a folder may only fall.
//!
//! Comments and documents count, code and quoted names do not. `docs/GLOSSARY.md` says what to write
//! instead; `xtask/words.txt` holds the numbers. Whether a sentence is good is for people to judge.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::citations::without_code;
use crate::files;
use crate::run::Outcome;

const TABLE: &str = "xtask/words.txt";
/// Writes the table again instead of comparing.
const WRITE: &str = "SPINDLE_WRITE";
const FOLDERS: [&str; 10] = [
    "apps",
    "bench",
    "components",
    "crates",
    "docs",
    "fuzz",
    "host",
    "packer",
    "tests",
    "xtask",
];
const WORDS: [&str; 9] = [
    "whoever", "whomever", "somebody", "nobody", "told", "door", "doorway", "founder", "workshop",
];
const PHRASE: [&str; 3] = ["what", "there", "is"];
/// The glossary names them all.
const GLOSSARY: &str = "docs/GLOSSARY.md";

/// Compares the numbers with the table.
pub(crate) fn check() -> Outcome {
    let mut counts = BTreeMap::new();
    for folder in FOLDERS {
        count_in(Path::new(folder), &mut counts)?;
    }
    if std::env::var_os(WRITE).is_some() {
        return fs::write(TABLE, table(&counts))
            .map_err(|error| format!("cannot write {TABLE}: {error}"));
    }
    let text =
        fs::read_to_string(TABLE).map_err(|error| format!("cannot read {TABLE}: {error}"))?;
    let allowed = parse(&text);
    let problems = compare(&counts, &allowed);
    if !problems.is_empty() {
        return Err(format!(
            "{GLOSSARY} has other words for these:\n  {}",
            problems.join("\n  ")
        ));
    }
    let (now, before): (usize, usize) = (counts.values().sum(), allowed.values().sum());
    if now < before {
        println!(
            "{now} words that the glossary replaces, {before} in {TABLE}: {WRITE}=1 cargo xtask prose notes it"
        );
    }
    Ok(())
}

fn compare(counts: &BTreeMap<String, usize>, allowed: &BTreeMap<String, usize>) -> Vec<String> {
    counts
        .iter()
        .filter_map(|(area, count)| {
            let most = allowed.get(area).copied().unwrap_or_default();
            (*count > most).then(|| format!("{area}: {count}, at most {most} ({TABLE})"))
        })
        .collect()
}

fn table(counts: &BTreeMap<String, usize>) -> String {
    let mut text = String::new();
    for (area, count) in counts.iter().filter(|(_, count)| **count > 0) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{area} {count}");
    }
    text
}

fn parse(table: &str) -> BTreeMap<String, usize> {
    table
        .lines()
        .filter_map(|line| line.rsplit_once(' '))
        .filter_map(|(area, count)| Some((area.to_owned(), count.parse().ok()?)))
        .collect()
}

fn count_in(folder: &Path, counts: &mut BTreeMap<String, usize>) -> Outcome {
    for path in files::below(folder)? {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        if !["rs", "js", "md"].contains(&extension.as_ref()) || path == Path::new(GLOSSARY) {
            continue;
        }
        // Files that are not valid UTF-8 hold no prose.
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        *counts.entry(area(&path)).or_default() += count(&prose(&extension, &text));
    }
    Ok(())
}

/// The part of the repository that a number is kept for: a crate, a component, or a folder.
fn area(path: &Path) -> String {
    let depth = if path.starts_with("crates") || path.starts_with("components") {
        2
    } else {
        1
    };
    let parts: Vec<_> = path
        .iter()
        .take(depth)
        .map(|part| part.to_string_lossy())
        .collect();
    parts.join("/")
}

/// Text written for people: a document, or the comments of a source.
fn prose(extension: &str, text: &str) -> String {
    if extension == "md" {
        return without_code(text);
    }
    let mut comments = String::new();
    for line in text.lines() {
        let trimmed = line.trim_start();
        let is_block = extension == "js" && trimmed.starts_with(['*', '/']);
        let comment = if trimmed.starts_with("//") || is_block {
            Some(trimmed)
        } else {
            line.split_once(" // ").map(|(_, comment)| comment)
        };
        comments.push_str(comment.unwrap_or_default());
        comments.push('\n');
    }
    without_code(&comments)
}

fn count(prose: &str) -> usize {
    let words: Vec<String> = prose
        .split_whitespace()
        .flat_map(|word| {
            // `role:nobody` is a name.
            let is_name = word.contains("role:");
            word.split(|part: char| !part.is_alphanumeric() && part != '_')
                .filter(move |part| !part.is_empty() && !is_name)
        })
        .map(str::to_lowercase)
        .collect();
    let single = words
        .iter()
        .filter(|word| WORDS.contains(&word.as_str()))
        .count();
    let phrases = words.windows(PHRASE.len()).filter(|part| *part == PHRASE);
    single + phrases.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_in_comments_and_not_in_code() {
        let source = "//! Whoever is told. `nobody` and role:nobody are names.\n\
                      let told = door(); // somebody\nlet x = \"told\";\n/// What\n/// there is.\n";
        assert_eq!(count(&prose("rs", source)), 4);
        assert_eq!(
            count(&prose("md", "Nobody. `nobody`\n\n```sh\ntold\n```\n")),
            1
        );
        assert_eq!(
            count(&prose("js", "/**\n * Told.\n */\nconst told = 1;\n")),
            1
        );
    }

    #[test]
    fn a_number_may_fall_and_not_rise() {
        let numbers = |text: &str| parse(text);
        assert!(compare(&numbers("host 3"), &numbers("host 3\ntests 1")).is_empty());
        assert!(compare(&numbers("host 2"), &numbers("host 3")).is_empty());
        assert_eq!(compare(&numbers("host 4"), &numbers("host 3")).len(), 1);
        assert_eq!(compare(&numbers("new 1"), &numbers("host 3")).len(), 1);
    }

    #[test]
    fn the_table_reads_back() {
        let counts = parse("crates/store 7\nhost 3\n");
        assert_eq!(table(&counts), "crates/store 7\nhost 3\n");
    }

    #[test]
    fn crates_and_components_count_for_themselves() {
        assert_eq!(area(Path::new("crates/store/src/lib.rs")), "crates/store");
        assert_eq!(area(Path::new("host/src/main.rs")), "host");
        assert_eq!(area(Path::new("docs/adr/README.md")), "docs");
    }
}
