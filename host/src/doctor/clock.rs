//! Whether the clock is plausible, compared with the times of files and messages and the system's
//! synchronization state.
//!
//! Uses no network.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use spindle_store::table_counts;

use super::{Finding, Scene};

const NAME: &str = "clock";
/// The beginning of 2026, before which this program did not exist.
const EARLIEST: i64 = 1_767_225_600;
/// Allowed difference, since the clocks are read one after another.
const TOLERANCE: i64 = 120;
/// The file by which systemd shows that the clock was set from the network.
const SYNCHRONIZED: &str = "/run/systemd/timesync/synchronized";

/// Checks the clock.
pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let newest_message = scene
        .look()
        .ok()
        .and_then(|connection| table_counts::newest_message(&*connection).ok()?);
    vec![judge(
        scene.now,
        newest_file(scene.data.path()),
        newest_message,
        synchronized(),
    )]
}

fn judge(
    now: i64,
    file: Option<(String, i64)>,
    message: Option<i64>,
    synchronized: Option<bool>,
) -> Finding {
    let correct = "correct the clock, and keep it right by NTP (timedatectl set-ntp true)";
    if now < EARLIEST {
        let found = format!("the clock is wrong: it shows {now} seconds since 1970");
        return Finding::error(NAME, found, correct);
    }
    if let Some((name, changed)) = file
        && changed > now + TOLERANCE
    {
        let ahead = changed - now;
        let found = format!("{name} was changed {ahead} seconds from now: the clock was set back");
        return Finding::error(NAME, found, correct);
    }
    if let Some(sent) = message
        && sent > now + TOLERANCE
    {
        let ahead = sent - now;
        let found = format!("the last message was sent {ahead} seconds from now");
        return Finding::warning(NAME, found, correct);
    }
    match synchronized {
        Some(true) => Finding::ok(NAME, "the clock is kept by NTP"),
        Some(false) => Finding::warning(
            NAME,
            "systemd-timesyncd runs and has not set the clock yet",
            "see what `timedatectl timesync-status` says",
        ),
        None => Finding::ok(
            NAME,
            "the clock fits the files; whether NTP keeps it is not known here",
        ),
    }
}

/// The most recently changed file in a directory.
fn newest_file(folder: &Path) -> Option<(String, i64)> {
    let files = fs::read_dir(folder).ok()?.flatten();
    let changed = files.filter_map(|file| {
        let changed = file.metadata().ok()?.modified().ok()?;
        let seconds = changed.duration_since(UNIX_EPOCH).ok()?.as_secs();
        let name = file.file_name().to_string_lossy().into_owned();
        Some((name, i64::try_from(seconds).ok()?))
    });
    changed.max_by_key(|(_, seconds)| *seconds)
}

/// The system's synchronization state, if known.
fn synchronized() -> Option<bool> {
    let path = Path::new(SYNCHRONIZED);
    if path.exists() {
        return Some(true);
    }
    path.parent().is_some_and(Path::exists).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn a_clock_that_cannot_be_right_is_seen() {
        let now = EARLIEST + 1000;
        let file = |at: i64| Some(("spindle.db".to_owned(), at));
        for (found, expected) in [
            (judge(17, None, None, None), Level::Error),
            (judge(now, file(now + 1000), None, None), Level::Error),
            (judge(now, file(now + 5), None, None), Level::Ok),
            (
                judge(now, file(now), Some(now + 1000), None),
                Level::Warning,
            ),
            (judge(now, file(now), Some(now), Some(true)), Level::Ok),
            (judge(now, file(now), None, Some(false)), Level::Warning),
        ] {
            assert_eq!(found.level, expected, "{}", found.found);
            assert_eq!(found.advice.is_none(), expected == Level::Ok);
        }
    }
}
