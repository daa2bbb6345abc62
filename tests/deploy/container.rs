//! Checks the text of the Containerfile: known instructions, existing files, a user other than
//! root, and options that the program knows. `compose.rs` builds the image and starts it.

use std::collections::BTreeSet;
use std::process::Command;

use spindle_tests::server::{binary, repository};

use crate::{deploy, package, read, run, said, version};

/// An instruction and its words, with continued lines joined.
fn instructions() -> Vec<(String, String)> {
    let mut instructions = Vec::new();
    let mut joined = String::new();
    for line in read(&deploy("container/Containerfile")).lines() {
        if line.trim_start().starts_with('#') || (line.is_empty() && joined.is_empty()) {
            continue;
        }
        match line.strip_suffix('\\') {
            Some(part) => joined.push_str(part),
            None => {
                joined.push_str(line);
                let (name, words) = joined.split_once(' ').expect("an instruction with words");
                instructions.push((name.to_owned(), words.trim().to_owned()));
                joined.clear();
            }
        }
    }
    assert!(joined.is_empty(), "the last line is not finished: {joined}");
    instructions
}

fn all<'a>(instructions: &'a [(String, String)], name: &str) -> Vec<&'a str> {
    let found = instructions.iter().filter(|(found, _)| found == name);
    found.map(|(_, words)| words.as_str()).collect()
}

/// The default value of an argument; every declaration has the same one.
fn default_of(instructions: &[(String, String)], name: &str) -> String {
    let args = all(instructions, "ARG").into_iter();
    let values = args.filter_map(|words| words.strip_prefix(name)?.strip_prefix('='));
    let values: BTreeSet<&str> = values.collect();
    assert_eq!(values.len(), 1, "ARG {name}: {values:?}");
    values.into_iter().collect()
}

#[test]
fn every_instruction_is_known_and_lists_are_json() {
    let known = [
        "ARG",
        "FROM",
        "ADD",
        "COPY",
        "LABEL",
        "USER",
        "WORKDIR",
        "ENV",
        "VOLUME",
        "EXPOSE",
        "STOPSIGNAL",
        "HEALTHCHECK",
        "ENTRYPOINT",
        "CMD",
    ];
    let instructions = instructions();
    for (name, words) in &instructions {
        assert!(known.contains(&name.as_str()), "{name}");
        if matches!(name.as_str(), "ENTRYPOINT" | "CMD" | "VOLUME") {
            // Without the list form, a shell would be between the server and its signals.
            let list: Vec<String> = serde_json::from_str(words).expect("a list");
            assert!(!list.is_empty(), "{name}");
        }
    }
    let first = instructions
        .iter()
        .find(|(name, _)| name != "ARG")
        .expect("it");
    assert_eq!(first.0, "FROM");
}

/// Base images have a version, copied stages exist, and the image does not run as root.
#[test]
fn stages_and_users_are_valid() {
    let instructions = instructions();
    let mut stages = BTreeSet::new();
    for from in all(&instructions, "FROM") {
        let mut words = from.split(' ');
        let image = match words.next().expect("an image") {
            "${BASE}" => default_of(&instructions, "BASE"),
            image => image.to_owned(),
        };
        assert!(
            image == "scratch" || (image.contains(':') && !image.ends_with(":latest")),
            "{image}"
        );
        if words.next() == Some("AS") {
            stages.insert(words.next().expect("a name").to_owned());
        }
    }
    for copy in all(&instructions, "COPY") {
        let from = copy
            .split(' ')
            .find_map(|word| word.strip_prefix("--from="));
        assert!(from.is_none_or(|stage| stages.contains(stage)), "{copy}");
    }
    let last = instructions
        .iter()
        .rposition(|(name, _)| name == "FROM")
        .expect("FROM");
    let user = all(&instructions[last..], "USER");
    let id: Vec<u32> = user[0]
        .split(':')
        .map(|id| id.parse().expect("a number"))
        .collect();
    assert!(
        user.len() == 1 && id.iter().all(|id| *id >= 1000),
        "{user:?}"
    );
}

/// It copies what `cargo xtask package` makes.
#[test]
fn the_image_is_made_from_the_tarball() {
    let instructions = instructions();
    let default = |name: &str| default_of(&instructions, name);
    assert_eq!(default("VERSION"), version());
    let copied = all(&instructions, "ADD")
        .into_iter()
        .find(|words| words.contains("target/package/"))
        .expect("the tarball");
    let name = copied.split(' ').next().expect("a source");
    let name = name
        .trim_start_matches("target/package/")
        .replace("${VERSION}", &default("VERSION"))
        .replace("${ARCHITECTURE}", std::env::consts::ARCH);
    let Some(path) = package(".tar.gz") else {
        return;
    };
    assert!(path.ends_with(&name), "{name} is not {}", path.display());
}

/// The environment sets existing options to accepted values; the image declares the same ports and
/// directory.
#[test]
fn the_environment_of_the_image_sets_known_options() {
    let instructions = instructions();
    let environment: Vec<(&str, &str)> = all(&instructions, "ENV")
        .into_iter()
        .flat_map(str::split_whitespace)
        .map(|pair| pair.split_once('=').expect("a value"))
        .collect();
    let example = run(Command::new(binary()).args(["config", "example"]));
    for (name, _) in &environment {
        assert!(
            example.contains(&format!("# Environment: {name}\n")),
            "{name}"
        );
    }
    let checked = Command::new(binary())
        .args(["config", "check"])
        .current_dir(repository())
        .envs(environment.iter().copied())
        .output()
        .expect("it runs");
    assert!(checked.status.success(), "{}", said(&checked));
    // The check also reports when a program on this machine uses one of the ports.
    let checked = String::from_utf8_lossy(&checked.stdout);
    let config: toml::Table = checked.parse().expect("TOML");
    let value = |name: &str| config[name].as_str().expect("text").to_owned();
    let volume: Vec<String> =
        serde_json::from_str(all(&instructions, "VOLUME")[0]).expect("a list");
    assert_eq!(volume, [value("data_dir")]);
    let ports: Vec<&str> = all(&instructions, "EXPOSE")[0].split(' ').collect();
    for (option, port) in ["listen", "ops_listen"].iter().zip(ports) {
        assert_eq!(value(option), format!("0.0.0.0:{port}"));
    }
}
