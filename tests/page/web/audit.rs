//! The audit log for owners, and sessions and keys of others.

use serde_json::json;
use spindle_tests::Call;

use super::{PASSWORD, Seat};

/// The sentences in the table.
fn sentences(seat: &Seat) -> String {
    let text = "[...document.querySelectorAll('.audit tbody bdi:first-child')].map((one) => one.textContent).join('\\n')";
    seat.ask(text).as_str().expect("a text").to_owned()
}

fn submit(seat: &Seat) {
    seat.press_text(".audit form", "Show");
}

#[test]
fn owners_read_and_filter_the_audit_log() {
    let Some(seat) = Seat::at("web-audit", |_| "#inbox".to_owned()) else {
        return;
    };
    let other = format!("/users/{}", seat.other.user_id);
    let name = [("full_name", "Ada of the looms")];
    seat.user.patch(&other, &name).ok();
    for number in 0..60 {
        let text = format!("A description {number}");
        seat.user.patch("/realm", &[("description", &text)]).ok();
    }
    seat.go("#organization/audit");
    seat.wait_for("document.querySelectorAll('.audit tbody tr').length === 50");
    let settings = format!(
        "{} changed settings of the organization",
        seat.user.full_name
    );
    assert!(sentences(&seat).starts_with(&settings));
    seat.browser.press(".audit tbody summary");
    seat.wait_for("document.querySelector('.audit details[open] dl').textContent.includes('A description 58')");
    seat.check_look("organization-audit");
    // The next page, and back.
    let renamed = format!(
        "{} changed the name of Ada of the looms",
        seat.user.full_name
    );
    assert!(!sentences(&seat).contains(&renamed));
    seat.press_text(".audit", "Older entries");
    seat.wait_for("document.querySelectorAll('.audit tbody tr').length < 50");
    assert!(sentences(&seat).contains(&renamed));
    assert!(sentences(&seat).contains("The operator created the account of"));
    seat.press_text(".audit", "Newest entries");
    seat.wait_for("document.querySelectorAll('.audit tbody tr').length === 50");
    // Filters.
    seat.browser
        .type_into(".audit [name=person]", "Ada of the looms");
    let pick = "const select = document.querySelector('.audit [name=kinds]');
         select.value = 'audit_people'";
    seat.browser.run(pick, &[]);
    submit(&seat);
    seat.wait_for("document.querySelectorAll('.audit tbody tr').length === 2");
    assert!(sentences(&seat).starts_with(&renamed));
    seat.browser.run(
        "document.querySelector('.audit [name=until]').value = '2020-01-01'",
        &[],
    );
    submit(&seat);
    seat.wait_for("document.querySelector('.audit').textContent.includes('Nothing found')");
    seat.is_content();
}

#[test]
fn owners_end_sessions_and_keys_of_a_person() {
    let Some(seat) = Seat::at("web-credentials", |_| "#organization/people".to_owned()) else {
        return;
    };
    let email = ["--email", &seat.other.email];
    let set = ["user", "set-password", "--password", PASSWORD];
    seat.server.admin(&[&set[..], &email].concat());
    let pairs = [
        ("username", seat.other.email.as_str()),
        ("password", PASSWORD),
    ];
    for _ in 0..2 {
        let call = Call::new("POST", "/sessions").form(&pairs);
        let call = call.header("Spindle-Client", "test");
        seat.server.anonymous().send(call).ok();
    }
    let named = [("name", "Nightly report"), ("scope", "read")];
    seat.other.post("/api_keys", &named).ok();
    let insert = "INSERT INTO identities (issuer, subject, user_id, provider, created, last_used) \
        VALUES ('https://login.example.org', '1', ?1, 'Loom Works', unixepoch(), unixepoch())";
    let database = seat.server.database();
    database.execute(insert, [seat.other.user_id]).unwrap();
    let edit = format!(
        ".accounts button[aria-label='Edit: {}']",
        seat.other.full_name
    );
    seat.wait_for(&format!("document.querySelector({}) !== null", json!(edit)));
    seat.browser.press(&edit);
    seat.press_text("dialog", "Show them");
    seat.wait_for("document.querySelectorAll('.credentials li').length === 5");
    seat.check_look("organization-credentials");
    seat.browser
        .press(".credentials [aria-label='Disconnect: Loom Works']");
    seat.wait_for("document.querySelectorAll('.credentials li').length === 4");
    seat.press_text(".credentials li", "Sign out");
    seat.wait_for("document.querySelectorAll('.credentials li').length === 3");
    seat.press_text(".credentials", "Sign out everywhere");
    seat.wait_for("document.querySelectorAll('.credentials li').length === 2");
    seat.browser
        .press(".credentials [aria-label='End: Nightly report']");
    seat.wait_for("document.querySelectorAll('.credentials li').length === 1");
    seat.press_text(".credentials", "Revoke all API keys");
    seat.wait_for("document.querySelector('.credentials li') === null");
    seat.other.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    seat.is_content();
}
