//! The allowed dependencies between crates, in one table.
//!
//! domain <- wire, store, events <- actions <- guest, components, host; in the host, system <- … <- front. A dependency that is not in the
//! table fails the lint, so that a shortcut needs a decision. Dependencies of tests only
//! (`dev-dependencies`) are not checked. Reads manifests as text; must not grow into a parser.

use std::fs;
use std::path::Path;

use crate::run::Outcome;

/// A crate and the crates it may use; an unlisted crate may use none of the workspace.
const ALLOWED: &[(&str, &[&str])] = &[
    // Apps know nothing of the server but their world.
    ("apps", &["app"]),
    ("crates/wire", &["domain"]),
    ("crates/store", &["domain"]),
    ("crates/events", &["domain"]),
    ("crates/markup", &["domain", "emoji"]),
    ("crates/integrations", &["domain", "emoji"]),
    // When it is built: errors and settings are described from their tables.
    ("crates/openapi", &["domain"]),
    (
        "crates/actions",
        &[
            "domain",
            "store",
            "events",
            "markup",
            "emoji",
            "integrations",
        ],
    ),
    ("crates/direct", &["wire"]),
    (
        "crates/guest",
        &["domain", "wire", "store", "events", "actions", "direct"],
    ),
    (
        "components",
        &[
            "domain",
            "wire",
            "events",
            "actions",
            "guest",
            "openapi",
            "emoji",
            "markup",
            "images",
            "integrations",
        ],
    ),
    // The host's crates, from the bottom to the program.
    ("host/system", &["domain"]),
    ("host/admission", &["wire"]),
    ("host/manifest", &["system"]),
    (
        "host/sqlite",
        &["admission", "bindings", "manifest", "store", "system"],
    ),
    ("host/config", &["admission"]),
    ("host/mail", &["config"]),
    ("host/identity", &["config", "domain", "outgoing", "system"]),
    ("host/database", &["config", "outgoing", "store", "system"]),
    (
        "host/blobs",
        &[
            "admission",
            "config",
            "domain",
            "outgoing",
            "system",
            "wire",
        ],
    ),
    (
        "host/postgres",
        &["admission", "bindings", "database", "manifest", "store"],
    ),
    (
        "host/queues",
        &[
            "admission",
            "database",
            "domain",
            "events",
            "store",
            "system",
        ],
    ),
    (
        "host/jobs",
        &[
            "actions", "blobs", "database", "domain", "mail", "outgoing", "queues", "sqlite",
            "store", "system",
        ],
    ),
    (
        "host/runtime",
        &[
            "admission",
            "bindings",
            "database",
            "manifest",
            "postgres",
            "sqlite",
            "store",
            "system",
            "wire",
        ],
    ),
    ("host/apps", &["domain", "runtime", "system"]),
    (
        "host/front",
        &[
            "admission",
            "manifest",
            "outgoing",
            "postgres",
            "runtime",
            "sqlite",
            "system",
            "wire",
        ],
    ),
    (
        "host/archive",
        &[
            "actions", "blobs", "config", "database", "domain", "emoji", "jobs", "store", "system",
        ],
    ),
    (
        "host",
        &[
            "actions",
            "admission",
            "apps",
            "archive",
            "blobs",
            "config",
            "database",
            "domain",
            "emoji",
            "events",
            "front",
            "identity",
            "jobs",
            "mail",
            "manifest",
            "openapi",
            "ops",
            "outgoing",
            "postgres",
            "queues",
            "runtime",
            "sqlite",
            "store",
            "system",
            "wire",
        ],
    ),
];

/// Checks the manifests of the crates, the components and the host.
pub(crate) fn check() -> Outcome {
    let mut problems = Vec::new();
    for folder in ["apps", "crates", "components", "host"] {
        let entries =
            fs::read_dir(folder).map_err(|error| format!("cannot list {folder}: {error}"))?;
        for entry in entries {
            let entry = entry.map_err(|error| format!("cannot list {folder}: {error}"))?;
            problems.extend(judge_manifest(&entry.path())?);
        }
    }
    problems.extend(judge_manifest(Path::new("host"))?);
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems.join("\n  "))
    }
}

fn judge_manifest(folder: &Path) -> Outcome<Vec<String>> {
    let manifest = folder.join("Cargo.toml");
    if !manifest.is_file() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(&manifest)
        .map_err(|error| format!("cannot read {}: {error}", manifest.display()))?;
    Ok(judge(&folder.to_string_lossy(), &text))
}

fn judge(folder: &str, manifest: &str) -> Vec<String> {
    let allowed = ALLOWED
        .iter()
        .find(|(owner, _)| {
            let has_rows = matches!(*owner, "apps" | "components");
            folder == *owner || (has_rows && folder.starts_with(&format!("{owner}/")))
        })
        .map_or(&[][..], |(_, allowed)| allowed);
    let mut table = "";
    let mut problems = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            table = line;
        }
        let Some(rest) = line.strip_prefix("spindle-") else {
            continue;
        };
        let name = rest.split(['.', ' ', '=']).next().unwrap_or_default();
        // `[dev-dependencies]` has the same suffix, hence the second condition.
        let counts = table.ends_with("dependencies]") && !table.contains("dev-dependencies");
        if counts && !allowed.contains(&name) {
            problems.push(format!("{folder} must not depend on spindle-{name}"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::judge;

    #[test]
    fn arrows_point_one_way() {
        let manifest = "[dependencies]\nspindle-domain.workspace = true\n";
        assert!(judge("crates/store", manifest).is_empty());
        assert!(judge("components/users", manifest).is_empty());
        assert_eq!(judge("crates/domain", manifest).len(), 1);
    }

    #[test]
    fn components_have_no_sql() {
        let manifest = "[dependencies]\nspindle-store = { workspace = true }\n";
        assert_eq!(judge("components/users", manifest).len(), 1);
        let by_target = format!("[target.'cfg(target_arch = \"wasm32\")'.{}", &manifest[1..]);
        assert_eq!(judge("components/users", &by_target).len(), 1);
    }

    #[test]
    fn tests_may_use_anything() {
        let manifest = "[dependencies]\n[dev-dependencies]\nspindle-host.workspace = true\n";
        assert!(judge("crates/domain", manifest).is_empty());
    }
}
