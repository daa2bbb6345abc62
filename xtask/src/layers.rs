//! Which module may use which: the layers of `crates/actions`, in one list, and the circles of the host's crates.
//!
//! A module of the actions uses modules of lower layers only, so that the modules form no cycle and each can be
//! understood, and later built, without the modules above it. In every folder of the host's crates, no two modules
//! use each other, directly or through others. Reads sources as text: it looks at what follows `crate::` and `super::`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::files;
use crate::run::Outcome;

const ROOT: &str = "crates/actions/src";

/// The modules at the top of the crate, the lowest layer first.
const LAYERS: &[&str] = &[
    // What every change and every read needs: no operation among them.
    "error",
    "json_list",
    "settings",
    "text",
    "stored_text",
    "json_record",
    "change",
    "actor",
    "quota",
    "tries",
    "notifications",
    "audience",
    "audit",
    // What users see, and what they may do.
    "access",
    "account",
    "app_events",
    // Operations, by the kind of object.
    "permissions",
    "files",
    "organization",
    "presence",
    "push",
    "messages",
    "channels",
    "user_groups",
    "bots",
    "invitations",
    "users",
    "identity",
    "exports",
    "personal",
    "scheduled",
    "queues",
    "mail",
    "apps",
    "identity",
    // Operations on a whole organization.
    "create_realm",
    "import",
];

/// Names at the root of the crate that every module may use; they come from the lowest layers.
const SHARED: &[&str] = &[
    "ActionError",
    "Actor",
    "EMPTY_TOPIC_DISPLAY_NAME",
    "RealmSettings",
    "Settings",
    "UserSettings",
    "fold",
    "fold_name",
];

/// The folders whose crates have no circles of modules.
const FOLDERS_OF_CRATES: [&str; 2] = ["crates", "host"];

/// Ends of the names of modules that may use everything: roots and tests.
const NOT_COMPARED: [&str; 5] = ["lib", "main", "tests", "testing", "hostile"];
const UNIT_TESTS: &str = "#[cfg(test)]\nmod tests {";

/// Looks at every module of the actions and of the host; lists each use that points upward, and each circle.
///
/// # Errors
/// One line for each of them.
pub(crate) fn check() -> Outcome {
    let mut problems = circles_of(Path::new("host/src"))?;
    for folder in FOLDERS_OF_CRATES {
        let crates =
            fs::read_dir(folder).map_err(|error| format!("cannot list {folder}: {error}"))?;
        for entry in crates {
            let sources = entry.map_err(|error| format!("cannot list {folder}: {error}"))?;
            let sources = sources.path().join("src");
            if sources.is_dir() {
                problems.extend(circles_of(&sources)?);
            }
        }
    }
    for file in files::sources_below(Path::new(ROOT))? {
        let inner = file.strip_prefix(ROOT).unwrap_or(&file);
        let module = inner.iter().next().unwrap_or_default().to_string_lossy();
        let module = module.trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let source = fs::read_to_string(&file)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        let shown = file.display();
        problems.extend(
            judge(module, &source)
                .into_iter()
                .map(|problem| format!("{shown}: {problem}")),
        );
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems.join("\n  "))
    }
}

fn judge(module: &str, source: &str) -> Vec<String> {
    let Some(own) = layer(module) else {
        return vec![format!("{module} is in no layer: name it in {}", file!())];
    };
    let mut problems = Vec::new();
    for name in names_after("crate::", source) {
        match layer(&name) {
            Some(used) if used > own => {
                problems.push(format!("{module} must not use {name}, which is above it"));
            }
            None if !SHARED.contains(&name.as_str()) => {
                problems.push(format!("name the module that {name} comes from"));
            }
            _ => {}
        }
    }
    problems.sort();
    problems.dedup();
    problems
}

/// The circles in every folder of a crate.
fn circles_of(root: &Path) -> Outcome<Vec<String>> {
    let mut folders: BTreeMap<String, Uses> = BTreeMap::new();
    for file in files::sources_below(root)? {
        let inner = file.strip_prefix(root).unwrap_or(&file).with_extension("");
        let names = inner.iter().map(|name| name.to_string_lossy());
        let path: Vec<_> = names.filter(|name| name != "mod").collect();
        let is_test = |name: &str| NOT_COMPARED.iter().any(|end| name.ends_with(end));
        if path.iter().any(|name| is_test(name)) {
            continue;
        }
        let source = fs::read_to_string(&file)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        let (source, _) = source.split_once(UNIT_TESTS).unwrap_or((&source, ""));
        let mut folder = "crate::".to_owned();
        for (depth, module) in path.iter().enumerate() {
            let uses = folders.entry(folder.clone()).or_default();
            let uses = uses.entry(module.to_string()).or_default();
            uses.extend(names_after(&folder, source));
            uses.extend(names_after(&"super::".repeat(path.len() - depth), source));
            folder = folder + module + "::";
        }
    }
    let root = root.display();
    let text =
        |folder, circle: &[&str]| format!("{root}: a circle of {folder}{{{}}}", circle.join(", "));
    let circles = folders.iter().flat_map(|(folder, uses)| {
        let circles = circles(uses).into_iter();
        circles.map(move |circle| text(folder, &circle))
    });
    Ok(circles.collect())
}

/// What each module of a folder uses; also names that are no modules.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// The modules that use each other, directly or through others.
fn circles(uses: &Uses) -> BTreeSet<Vec<&str>> {
    let of = |module| -> Vec<&str> {
        let below = reached(uses, module).into_iter();
        below
            .filter(|used| reached(uses, used).contains(module))
            .collect()
    };
    let circles = uses.keys().map(|module| of(module));
    circles.filter(|circle| circle.len() > 1).collect()
}

/// What a module uses, directly or through others.
fn reached<'u>(uses: &'u Uses, module: &'u str) -> BTreeSet<&'u str> {
    let (mut reached, mut left) = (BTreeSet::new(), vec![module]);
    while let Some(module) = left.pop() {
        let used = uses.get(module).into_iter().flatten().map(String::as_str);
        left.extend(used.filter(|used| reached.insert(*used)));
    }
    reached
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|known| *known == module)
}

/// The first names of the paths that begin with `prefix`, also of paths in braces.
fn names_after(prefix: &str, source: &str) -> Vec<String> {
    let code: Vec<&str> = source
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect();
    let code = code.join("\n");
    let mut names = Vec::new();
    // Visibility (`pub(in crate::messages)`) names a module above the file, which is its own.
    for rest in code.split(prefix).skip(1) {
        match rest.strip_prefix('{') {
            None => names.push(identifier(rest)),
            Some(list) => names.extend(first_names(list)),
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// The first names of a list of paths, up to the brace that closes it.
fn first_names(list: &str) -> Vec<String> {
    let (mut names, mut depth, mut is_first) = (Vec::new(), 0, true);
    for (at, letter) in list.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => is_first = true,
            letter if is_first && depth == 0 && !letter.is_whitespace() => {
                names.push(identifier(list.get(at..).unwrap_or_default()));
                is_first = false;
            }
            _ => {}
        }
    }
    names
}

fn identifier(text: &str) -> String {
    text.chars()
        .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Uses, circles, judge};

    #[test]
    fn modules_use_what_is_below_them() {
        assert!(judge("users", "use crate::messages::say;").is_empty());
        assert!(judge("users", "use crate::users::bots::added;").is_empty());
        assert!(judge("users", "use crate::{ActionError, Actor, change};").is_empty());
        assert_eq!(judge("messages", "use crate::users::bots::added;").len(), 1);
        assert_eq!(judge("messages", "let x = crate::queues::y();").len(), 1);
        let list = "use crate::{ActionError, account::{self, secrets}, personal};";
        assert_eq!(judge("channels", list).len(), 1);
    }

    #[test]
    fn modules_that_use_each_other_through_others_are_a_circle() {
        let uses = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"), ("e", "e")];
        let mut uses: Uses = uses
            .map(|(module, used)| (module.to_owned(), [used.to_owned()].into()))
            .into();
        assert_eq!(circles(&uses), [vec!["a", "b", "c"]].into());
        uses.remove("c");
        assert!(circles(&uses).is_empty());
    }

    #[test]
    fn comments_may_name_anything() {
        assert!(judge("access", "/// As [`join`](crate::join).").is_empty());
    }

    #[test]
    fn what_the_crate_exports_is_named_by_its_module() {
        assert_eq!(judge("queues", "use crate::bot_domain;").len(), 1);
        assert_eq!(judge("news", "use crate::ActionError;").len(), 1);
    }
}
