//! Texts of an archive: their HTML, and characters that no operation accepts.

use super::*;

#[test]
fn texts_without_html_name_what_the_archive_holds() {
    let rows = archive()
        .with(
            "zerver_realmemoji",
            json!({"id": 6, "name": "party", "file_name": "6.png", "deactivated": false}),
        )
        .with(
            "zerver_message",
            json!({"id": 2000, "sender": 10, "recipient": 120, "subject": "T",
                "content": "@**Person 11|11** #**Ops** :party: https://x.org", "date_sent": 9.0}),
        );
    let world = World::new();
    world.import(&rows, None).unwrap();
    let html = world.text("SELECT rendered_content FROM messages WHERE id = 2000");
    for part in [
        "data-user-id=\"11\"",
        "data-stream-id=\"20\"",
        "/user_avatars/1/emoji/6.png",
        "href=\"https://x.org\"",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert_eq!(
        world.number("SELECT properties FROM messages WHERE id = 2000"),
        spindle_store::messages::property::HAS_LINK
    );
}

#[test]
fn mentions_by_former_names_name_the_person_of_the_id() {
    let rows = archive().with(
        "zerver_message",
        json!({"id": 2000, "sender": 10, "recipient": 120, "subject": "T",
            "content": "@_**Maiden Name|11** @**Nobody|99**", "date_sent": 9.0}),
    );
    let world = World::new();
    world.import(&rows, None).unwrap();
    let html = world.text("SELECT rendered_content FROM messages WHERE id = 2000");
    let mention = "<span class=\"user-mention silent\" data-user-id=\"11\">Person 11</span>";
    assert!(html.contains(mention), "{html}");
    assert_eq!(html.matches("data-user-id").count(), 1, "{html}");
}

#[test]
fn texts_and_addresses_that_no_operation_takes_are_mended_and_counted() {
    let mut bot_like = person(11, 400);
    bot_like["full_name"] = json!("Notification  Bot");
    bot_like["delivery_email"] = json!("user10@hidden.invalid");
    let mut alike = person(12, 600);
    alike["full_name"] = json!("Per\u{200B}son\u{A0}12");
    alike["delivery_email"] = json!("p10@x.org\u{200B}");
    let mut rows = archive()
        .with("zerver_stream", json!({"id": 21, "name": "O\u{1}ps", "description": "a\u{1}\nb"}))
        .with(
            "zerver_namedusergroup",
            json!({"usergroup_ptr": 70, "name": " devs ", "description": "a\u{202E}\r\nb"}),
        )
        .with("zerver_usergroup", json!({"id": 70, "realm": 2}))
        .with(
            "zerver_message",
            json!({"id": 1006, "sender": 10, "recipient": 120, "subject": "t\u{1}",
                "content": "a\u{1b}\r\nb", "rendered_content": "<p>a\u{1b}</p>", "date_sent": 13.0,
                "sending_client": 1,
                "edit_history": "[{\"user_id\":10,\"timestamp\":9,\"prev_content\":\"x\\u0001\"}]"}),
        );
    rows.0["zerver_userprofile"] = json!([person(10, 100), bot_like, alike]);
    let world = World::new();
    let imported = world.import(&rows, None).unwrap();
    let user = |id: i64| {
        let sql = "SELECT full_name || ':' || full_name_folded || ':' || delivery_email FROM users WHERE id = ";
        world.text(&format!("{sql}{id}"))
    };
    assert_eq!(
        user(11),
        "Notification Bot (imported):notification bot (imported):user11-taken@hidden.invalid"
    );
    assert_eq!(user(12), "Person 12:person 12:user12-taken@hidden.invalid");
    let channel =
        "SELECT name || ':' || name_folded || ':' || description FROM channels WHERE id = 21";
    assert_eq!(world.text(channel), "Ops 2:ops 2:a b");
    let group = "SELECT name || ':' || description FROM user_groups WHERE id = 70";
    assert_eq!(world.text(group), "devs:a\nb");
    let message =
        |column: &str| world.text(&format!("SELECT {column} FROM messages WHERE id = 1006"));
    assert_eq!(message("content"), "a\u{FFFD}\nb");
    assert_eq!(message("rendered_content"), "<p>a\u{FFFD}<br>\nb</p>");
    assert_eq!(message("topic"), "t");
    assert!(message("edit_history").contains("x\u{FFFD}"));
    let notes = &imported.notes;
    assert_eq!(notes["texts lost characters that cannot be printed"], 8);
    assert_eq!(
        notes["addresses that no account can have here were replaced"],
        2
    );
    assert_eq!(
        notes["accounts with the name of a bot of the server got another"],
        1
    );
    assert_eq!(notes["names of channels that others have got a number"], 1);
}
