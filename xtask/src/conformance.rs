//! Checks the list of the specification's statements (`docs/conformance/`) against the tests.
//!
//! Each statement is one line with a unique id and the tests that prove it, or a reason. Owns the format of
//! those lines and their checks: ids are unique, named tests exist and, after a run, have passed, and the
//! counts of the index are correct. People judge the content of a statement.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::run::Outcome;
use crate::subjects::Subjects;
use crate::{sources, suites, tested};

const FOLDER: &str = "docs/conformance";
const INDEX: &str = "docs/CONFORMANCE.md";

/// `cargo xtask conformance [--ran]`.
pub(crate) fn conformance(arguments: &[String]) -> Outcome {
    match arguments {
        [] => check(),
        [flag] if flag == "--ran" => check().and_then(|()| check_ran(&Subjects::all())),
        _ => Err("`conformance` knows only the flag --ran".to_owned()),
    }
}

/// The checks that need no test run.
pub(crate) fn check() -> Outcome {
    let chapters = read()?;
    let mut problems: Vec<String> = chapters
        .iter()
        .flat_map(|chapter| chapter.problems.iter().cloned())
        .collect();
    problems.extend(repeated_ids(&chapters));
    let known = sources::tests()?;
    for (id, test) in named_tests(&chapters) {
        if !known.holds(test) {
            problems.push(format!("{id} names {test}, which is no test"));
        }
    }
    let index =
        fs::read_to_string(INDEX).map_err(|error| format!("cannot read {INDEX}: {error}"))?;
    for row in counts(&chapters) {
        if !index.lines().any(|line| line == row) {
            problems.push(format!("{INDEX} lacks the row {row}"));
        }
    }
    verdict(&problems)?;
    let count: usize = chapters
        .iter()
        .map(|chapter| chapter.statements.len())
        .sum();
    println!("{count} statements of the specification are accounted for");
    Ok(())
}

/// Checks that every named test has passed in the last run, unless its program belongs to a subject that the run left out.
pub(crate) fn check_ran(subjects: &Subjects) -> Outcome {
    let passed = tested::passed()?;
    let chapters = read()?;
    let missing: Vec<String> = named_tests(&chapters)
        .into_iter()
        .filter(|(_, test)| subjects.include(suites::subject_of(test)) && !passed.contains(*test))
        .map(|(id, test)| format!("{id}: {test} did not pass in this run"))
        .collect();
    verdict(&missing)
}

fn verdict(problems: &[String]) -> Outcome {
    if problems.is_empty() {
        return Ok(());
    }
    let count = problems.len();
    Err(format!("{count} problems\n  {}", problems.join("\n  ")))
}

/// The kind of proof of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// The tests prove it.
    Tests,
    /// It is not fulfilled; the reason says why, tests show the actual behaviour.
    NotFulfilled,
    /// It is fulfilled or does not apply, but cannot be tested.
    NoTest,
}

#[derive(Debug, PartialEq, Eq)]
struct Statement {
    id: String,
    proof: Proof,
    tests: Vec<String>,
}

/// One file of the list.
struct Chapter {
    file: String,
    title: String,
    statements: Vec<Statement>,
    problems: Vec<String>,
}

fn read() -> Outcome<Vec<Chapter>> {
    let mut chapters = Vec::new();
    let entries = fs::read_dir(FOLDER).map_err(|error| format!("cannot list {FOLDER}: {error}"))?;
    for entry in entries {
        let path = entry
            .map_err(|error| format!("cannot list {FOLDER}: {error}"))?
            .path();
        let text = fs::read_to_string(&path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        chapters.push(parse(&path, &text));
    }
    chapters.sort_by(|one, other| one.file.cmp(&other.file));
    Ok(chapters)
}

fn parse(path: &Path, text: &str) -> Chapter {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut chapter = Chapter {
        file: name.into_owned(),
        title: String::new(),
        statements: Vec::new(),
        problems: Vec::new(),
    };
    for (index, line) in text.lines().enumerate() {
        if let Some(title) = line.strip_prefix("# ") {
            chapter.title = title.to_owned();
        } else if line.starts_with("- ") {
            match statement(line) {
                Ok(statement) => chapter.statements.push(statement),
                Err(problem) => {
                    let place = format!("{FOLDER}/{}:{}", chapter.file, index + 1);
                    chapter.problems.push(format!("{place}: {problem}"));
                }
            }
        }
    }
    chapter
}

/// Parses `- **ID** text — proof`, where the proof is a list of tests in backticks, or
/// `*not fulfilled:* reason` or `*no test:* reason`, followed by tests in parentheses.
fn statement(line: &str) -> Result<Statement, String> {
    let malformed = || "no `- **ID** text — tests or reason`".to_owned();
    let (id, rest) = line
        .strip_prefix("- **")
        .and_then(|rest| rest.split_once("** "))
        .ok_or_else(malformed)?;
    let (text, proof) = rest.split_once(" — ").ok_or_else(malformed)?;
    if id.is_empty() || text.trim().is_empty() {
        return Err(malformed());
    }
    let reasons = [
        (Proof::NotFulfilled, "*not fulfilled:* "),
        (Proof::NoTest, "*no test:* "),
    ];
    let reason = reasons
        .iter()
        .find_map(|(kind, mark)| Some((*kind, proof.strip_prefix(mark)?)));
    let tests = tests_in(proof);
    let kind = match reason {
        Some((kind, reason)) if reason.split_whitespace().count() > 3 => kind,
        Some(_) => return Err(format!("{id} has no reason")),
        None if tests.is_empty() => return Err(format!("{id} has neither test nor reason")),
        None => Proof::Tests,
    };
    Ok(Statement {
        id: id.to_owned(),
        proof: kind,
        tests,
    })
}

/// The paths in backticks.
fn tests_in(proof: &str) -> Vec<String> {
    proof
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|quoted| quoted.contains("::"))
        .map(str::to_owned)
        .collect()
}

fn repeated_ids(chapters: &[Chapter]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let ids = chapters.iter().flat_map(|chapter| &chapter.statements);
    ids.filter(|statement| !seen.insert(&statement.id))
        .map(|statement| format!("{} is there twice", statement.id))
        .collect()
}

/// Every named test, with the first statement that names it.
fn named_tests(chapters: &[Chapter]) -> Vec<(&str, &str)> {
    let mut named = BTreeMap::new();
    for statement in chapters.iter().flat_map(|chapter| &chapter.statements) {
        for test in &statement.tests {
            named.entry(test.as_str()).or_insert(statement.id.as_str());
        }
    }
    named.into_iter().map(|(test, id)| (id, test)).collect()
}

/// The rows of the index: a chapter, the number of its statements, and the number for each kind of proof.
fn counts(chapters: &[Chapter]) -> Vec<String> {
    let columns = |statements: &[&Statement]| {
        let of = |proof| {
            let found = statements.iter().filter(|one| one.proof == proof);
            found.count()
        };
        format!(
            "{} | {} | {} | {}",
            statements.len(),
            of(Proof::Tests),
            of(Proof::NotFulfilled),
            of(Proof::NoTest)
        )
    };
    let mut rows: Vec<String> = chapters
        .iter()
        .map(|chapter| {
            let numbers = columns(&chapter.statements.iter().collect::<Vec<_>>());
            let Chapter { title, file, .. } = chapter;
            format!("| [{title}](conformance/{file}) | {numbers} |")
        })
        .collect();
    let all: Vec<&Statement> = chapters
        .iter()
        .flat_map(|chapter| &chapter.statements)
        .collect();
    rows.push(format!("| all | {} |", columns(&all)));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chapter(text: &str) -> Chapter {
        parse(Path::new("docs/conformance/limits.md"), text)
    }

    #[test]
    fn a_statement_has_tests_or_a_reason() {
        let found = statement("- **A-1** `x` is so — `one::two`, `three::four::five`").unwrap();
        assert_eq!((found.id.as_str(), found.proof), ("A-1", Proof::Tests));
        assert_eq!(found.tests, ["one::two", "three::four::five"]);
        let found =
            statement("- **A-2** y — *not fulfilled:* because `z` is not there (`one::two`)");
        let found = found.unwrap();
        assert_eq!(found.proof, Proof::NotFulfilled);
        assert_eq!(found.tests, ["one::two"]);
        let found = statement("- **A-3** y — *no test:* nothing can show that").unwrap();
        assert_eq!((found.proof, found.tests.len()), (Proof::NoTest, 0));
        for wrong in [
            "- A-1 x — `one::two`",
            "- **A-1** x",
            "- **A-1** x — ",
            "- **A-1** x — later",
            "- **A-1** x — `no_path`",
            "- **A-1**  — `one::two`",
            "- **A-1** x — *not fulfilled:* ",
            "- **A-1** x — *no test:* (`one::two`)",
        ] {
            assert!(statement(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn chapters_are_counted_and_ids_are_there_once() {
        let text = "# Limits\n\n## All\n\n- **L-1** x — `a::b`\n- **L-2** y — `a::b`, `c::d`\n\
                    - **L-2** z — *no test:* nothing can show that\n- broken\n";
        let chapters = [chapter(text)];
        assert_eq!(chapters[0].problems.len(), 1);
        assert!(chapters[0].problems[0].contains("limits.md:8"));
        assert_eq!(repeated_ids(&chapters), ["L-2 is there twice"]);
        assert_eq!(named_tests(&chapters), [("L-1", "a::b"), ("L-2", "c::d")]);
        assert_eq!(
            counts(&chapters),
            [
                "| [Limits](conformance/limits.md) | 3 | 2 | 0 | 1 |",
                "| all | 3 | 2 | 0 | 1 |"
            ]
        );
    }
}
