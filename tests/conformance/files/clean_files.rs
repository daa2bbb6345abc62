//! The job that cleans files: files that no message references are deleted after some weeks, with their blobs.

use spindle_tests::{Options, Server, until};

use super::{attachments, link, send, uploaded};

const WEEK: u64 = 7 * 86_400;
/// Longer than the job's interval.
const TURN: u64 = 700;

pub(super) fn blobs(server: &Server) -> usize {
    fn count(folder: &std::path::Path) -> usize {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries
            .map(|entry| match entry.path() {
                path if path.is_dir() => count(&path),
                _ => 1,
            })
            .sum()
    }
    count(&server.directory().expect("an own directory").join("blobs"))
}

/// Advances the clock until the job has run.
pub(super) fn wait_for(server: &Server, what: &str, done: impl Fn() -> bool) {
    until(what, || {
        server.advance(TURN);
        done().then_some(())
    });
}

#[test]
fn unclaimed_files_are_deleted_after_weeks_and_claimed_ones_stay() {
    let server = Server::spawn(Options::default());
    let user = server.user("member");
    let empty = blobs(&server);
    let claimed = uploaded(&user, "claimed.txt");
    let unclaimed = uploaded(&user, "unclaimed.txt");
    send(
        &user,
        "direct",
        &format!("[{}]", user.id()),
        &link(&claimed),
    );
    assert_eq!(blobs(&server), empty + 2);
    server.advance_past_run(4 * WEEK, "clean-files");
    assert_eq!(attachments(&user).len(), 2);
    server.advance(2 * WEEK);
    wait_for(&server, "the cleaning", || attachments(&user).len() == 1);
    assert_eq!(user.fetch(&unclaimed, &[]).status, 404);
    assert_eq!(user.fetch(&claimed, &[]).status, 200);
    // The blobs are deleted too, also those of files that users deleted.
    let id = attachments(&user)[0]["id"].clone();
    user.delete(&format!("/attachments/{id}"), &[]).ok();
    // Deleted files count for no one's space, so they leave the disk within seconds.
    server.advance_past_run(10, "delete-blobs");
    assert_eq!(blobs(&server), empty);
}
