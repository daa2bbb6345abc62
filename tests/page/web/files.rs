//! The list of uploaded files in the settings.

use serde_json::json;

use super::Seat;

/// What the list shows, line by line.
const LINES: &str = "[...document.querySelectorAll('.files li')].map((one) => one.querySelector('bdi').textContent)";

/// Uploads a file and returns its address.
fn upload(seat: &Seat, name: &str, bytes: usize) -> String {
    let sent = seat.user.upload("/user_uploads", name, &vec![b'x'; bytes]);
    sent.ok()["url"].as_str().expect("an address").to_owned()
}

#[test]
fn uploaded_files_are_listed_and_deleted() {
    let Some(seat) = Seat::new("web-files") else {
        return;
    };
    let cloth = upload(&seat, "cloth.txt", 2048);
    seat.sign_in();
    seat.go("#settings/files");
    seat.wait_for(&format!("{LINES}.join() === 'cloth.txt'"));
    seat.wait_for("document.querySelector('.files li').textContent.includes('2 KiB')");
    seat.wait_for("document.querySelector('.files li').textContent.includes('No message uses it')");
    // Without a quota there is nothing to measure it by.
    assert_eq!(
        seat.ask("document.querySelectorAll('.files meter').length"),
        json!(0)
    );

    // It follows what happens elsewhere.
    let spool = upload(
        &seat,
        "a name of a file that is long enough to need more than one line on a phone, even a wide one.txt",
        5,
    );
    seat.wait_for(&format!("{LINES}.length === 2"));
    let message = seat.said(&seat.user, "loom", &format!("[cloth]({cloth})"));
    seat.said(&seat.user, "loom", &format!("[again]({cloth})"));
    seat.wait_for("document.querySelectorAll('.files li:last-child .hint a').length === 2");
    seat.check_look("settings-files");

    // A message that uses it is one press away.
    seat.browser.press(".files li:last-child .hint a");
    seat.wait_for(&format!(
        "document.querySelector('.message[data-id=\"{message}\"]') !== null"
    ));
    seat.go("#settings/files");
    seat.wait_for(&format!("{LINES}.length === 2"));

    seat.browser.press("button[aria-label='Delete: cloth.txt']");
    seat.wait_for("document.querySelector('dialog') !== null");
    seat.check_look("settings-files-delete");
    seat.press_text("dialog", "Cancel");
    seat.wait_for("document.querySelector('dialog') === null");
    assert_eq!(seat.ask(&format!("{LINES}.length")), json!(2));
    seat.browser.press("button[aria-label='Delete: cloth.txt']");
    seat.press_text("dialog", "Delete");
    seat.wait_for(&format!("{LINES}.length === 1"));
    seat.wait_for("document.querySelector('.files .space').textContent.includes('5 B')");
    assert_eq!(seat.user.fetch(&cloth, &[]).status, 404);

    // Another device deletes the last one.
    let own = seat.user.get("/attachments", &[]).ok();
    assert!(spool.ends_with(".txt"));
    let id = &own["attachments"][0]["id"];
    seat.user.delete(&format!("/attachments/{id}"), &[]).ok();
    seat.wait_for("document.querySelector('.files').textContent.includes('uploaded nothing')");
    seat.is_content();
}

#[test]
fn a_quota_is_shown_and_a_new_queue_loads_the_list_again() {
    let Some(seat) = Seat::new("web-files-quota") else {
        return;
    };
    seat.server.admin(&["quota", "--mib", "4"]);
    upload(&seat, "cloth.txt", 512 << 10);
    seat.sign_in();
    seat.go("#settings/files");
    seat.wait_for("document.querySelector('.files meter').value === 512 * 1024");
    assert_eq!(
        seat.ask("document.querySelector('.files meter').max"),
        json!(4 << 20)
    );
    // The last of the modules that load later; without a server they would fail, and the browser would complain.
    let later = "performance.getEntriesByType('resource')\
        .some((one) => one.name.endsWith('/inbox/recent.js'))";
    seat.wait_for(later);
    let mut seat = seat;
    seat.server.kill();
    let queues = seat.server.database();
    queues
        .execute("DELETE FROM event_queues", [])
        .expect("queues");
    drop(queues);
    seat.server.restart();
    upload(&seat, "spool.txt", 5);
    seat.wait_for(&format!("{LINES}.join() === 'spool.txt,cloth.txt'"));
    seat.is_content();
}
