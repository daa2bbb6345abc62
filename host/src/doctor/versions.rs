//! Whether the running version is the installed one.

use super::{Finding, Scene};

const NAME: &str = "versions";

/// Compares the running server with this program.
pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let running = scene.server.as_ref();
    let version = running.and_then(|server| server.version.as_deref());
    let program = running
        .and_then(|server| server.file("exe"))
        .and_then(|link| std::fs::read_link(link).ok());
    let is_replaced = program.is_some_and(|path| path.to_string_lossy().ends_with(" (deleted)"));
    vec![judge(env!("CARGO_PKG_VERSION"), version, is_replaced)]
}

fn judge(own: &str, running: Option<&str>, is_replaced: bool) -> Finding {
    match running {
        Some(running) if running != own => Finding::warning(
            NAME,
            format!("{running} runs, and this program is {own}"),
            "restart the server, or use the program that it runs",
        ),
        _ if is_replaced => Finding::warning(
            NAME,
            "the program was replaced since the server started",
            "restart the server (systemctl restart spindle)",
        ),
        Some(_) => Finding::ok(NAME, format!("{own} runs and is installed")),
        None => Finding::ok(NAME, format!("this program is {own}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn an_old_server_is_seen() {
        assert_eq!(judge("2.0", Some("2.0"), false).level, Level::Ok);
        assert_eq!(judge("2.0", None, false).level, Level::Ok);
        assert_eq!(judge("2.0", Some("1.9"), false).level, Level::Warning);
        assert_eq!(judge("2.0", Some("2.0"), true).level, Level::Warning);
    }
}
