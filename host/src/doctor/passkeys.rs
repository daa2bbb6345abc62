//! Whether the passkeys of people are valid at the address of the server.

use spindle_domain::passkey::passkey_host;
use spindle_store::passkeys::count_by_host;

use super::{Finding, Scene};

const NAME: &str = "passkeys";

/// Counts passkeys, those of other hosts apart.
pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    // What is wrong with the database is said by its own check.
    let counted = scene.look().and_then(|db| count_by_host(&*db));
    let Ok(counted) = counted else {
        return Vec::new();
    };
    if counted.is_empty() {
        return Vec::new();
    }
    let host = passkey_host(&scene.address);
    let mut findings = Vec::new();
    for of_host in counted {
        let (count, made_for) = (of_host.passkeys, of_host.rp_id);
        findings.push(if host == Some(made_for.as_str()) {
            Finding::ok(NAME, format!("{count} for {made_for}"))
        } else {
            Finding::warning(
                NAME,
                format!(
                    "{count} for {made_for}, which are refused at {}",
                    scene.address
                ),
                "set external_url back, or let their people sign in otherwise and make new ones",
            )
        });
    }
    findings
}
