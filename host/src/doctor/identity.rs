//! Whether each identity provider can be reached, and announces what a sign-in needs.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use spindle_identity::{Error, Providers, read};

use super::{Finding, Scene};

const NAME: &str = "identity";
/// The bits of the permission to read for users that neither own the file nor are in its group.
const READABLE_BY_OTHERS: u32 = 0o004;

/// Asks the configured providers about themselves.
pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(folder) = &scene.config.identity_providers else {
        return Vec::new();
    };
    let advice =
        "the server does not start with these files; correct them (docs/AUTHENTICATION.md)";
    let wrong = |problem: String| Finding::error(NAME, problem, advice);
    let providers = match read(folder) {
        Ok(settings) => Providers::new(settings),
        Err(problems) => return problems.into_iter().map(wrong).collect(),
    };
    let providers = match providers {
        Ok(providers) => providers,
        Err(problem) => return vec![wrong(problem)],
    };
    let mut findings = Vec::new();
    if scene.config.external_url.is_none() {
        findings.push(Finding::warning(
            NAME,
            "external_url is not set, and providers send browsers back to a fixed address",
            "set external_url to the address that the providers know",
        ));
    }
    findings.extend(readable_by_others(folder));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return vec![wrong(error.to_string())],
    };
    let found = runtime.block_on(providers.examine());
    // Do not wait for a name resolution that is still running.
    runtime.shutdown_background();
    for (id, outcome) in found {
        findings.extend(judge(&id, outcome));
    }
    findings
}

fn judge(id: &str, outcome: Result<Vec<String>, Error>) -> Vec<Finding> {
    match outcome {
        Ok(remarks) if remarks.is_empty() => {
            vec![Finding::ok(NAME, format!("{id} can be used"))]
        }
        Ok(remarks) => {
            let warning = |remark| {
                Finding::warning(
                    NAME,
                    format!("{id}: {remark}"),
                    "compare the client's settings at the provider with docs/AUTHENTICATION.md",
                )
            };
            remarks.into_iter().map(warning).collect()
        }
        Err(Error::Unreachable(reason)) => vec![Finding::error(
            NAME,
            format!("{id} cannot be reached: {reason}"),
            "people sign in with passwords or links until it can (docs/AUTHENTICATION.md); a provider in the own \
             network needs private_hosts, one with a certificate of the company certificates",
        )],
        Err(error) => vec![Finding::error(
            NAME,
            format!("{id}: {error}"),
            "compare issuer with the document that the provider shows at issuer/.well-known/openid-configuration",
        )],
    }
}

/// Files with secrets that every user of the machine can read.
fn readable_by_others(folder: &Path) -> Vec<Finding> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries
        .map(|entry| entry.path())
        .chain([folder.to_owned()])
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        });
    let open = files.filter(|path| {
        std::fs::metadata(path)
            .is_ok_and(|found| found.permissions().mode() & READABLE_BY_OTHERS != 0)
    });
    let holds_secret = |path: &std::path::PathBuf| {
        std::fs::read_to_string(path).is_ok_and(|text| {
            text.lines().any(|line| {
                line.trim_start().starts_with("client_secret ")
                    || line.trim_start().starts_with("client_secret=")
            })
        })
    };
    open.filter(holds_secret)
        .map(|path| {
            Finding::warning(
                NAME,
                format!(
                    "all users of this machine can read the secret in {}",
                    path.display()
                ),
                "chmod o-r it, or keep the secret in a file of its own (client_secret_file)",
            )
        })
        .collect()
}
