//! Channels and invitations: creating, changing, archiving, taking people in and out.

use serde_json::json;

use super::Seat;

const OF_THE_VIEW: &str = "header.bar > button:last-child";

/// Chooses a user in the field of people of the dialog.
fn choose_person(seat: &Seat, name: &str) {
    seat.browser.type_into("dialog .people input", name);
    seat.press_text("dialog .suggestions", name);
    seat.wait_for("document.querySelector('dialog .chip') !== null");
}

#[test]
fn a_channel_is_created_changed_and_archived() {
    let Some(seat) = Seat::at("web-new-channel", |_| "#channels/all".to_owned()) else {
        return;
    };
    seat.press_text(".browse", "New channel");
    seat.wait_for("document.querySelector('dialog [name=name]') !== null");
    seat.browser
        .type_into("dialog [name=name]", "a channel of weavers");
    seat.browser
        .type_into("dialog [name=description]", "How we weave");
    choose_person(&seat, &seat.other.full_name);
    seat.check_look("new-channel");
    seat.press_text("dialog", "Create");
    seat.wait_for(
        "document.querySelector('.bar h1')?.textContent.includes('a channel of weavers')",
    );
    let channels = seat.other.get("/users/me/subscriptions", &[]).ok();
    let theirs = channels["subscriptions"].as_array().expect("channels");
    let channel = theirs
        .iter()
        .find(|one| one["name"] == json!("a channel of weavers"))
        .expect("subscribed");
    assert_eq!(channel["description"], json!("How we weave"));
    let id = channel["stream_id"].to_string();

    seat.browser.press(OF_THE_VIEW);
    seat.press_text(".menu", "Change the channel");
    seat.wait_for("document.querySelector('dialog [value=private]') !== null");
    seat.browser.press("dialog [value=private]");
    seat.check_look("change-channel");
    seat.press_text("dialog", "Save");
    seat.wait_for("document.querySelector('dialog') === null");
    let path = format!("/streams/{id}");
    let stream = seat.user.get(&path, &[]).ok()["stream"].clone();
    assert_eq!(stream["invite_only"], json!(true));
    assert_eq!(stream["history_public_to_subscribers"], json!(true));

    seat.browser.press(OF_THE_VIEW);
    seat.press_text(".menu", "Archive the channel");
    seat.press_text("dialog", "Archive the channel");
    seat.wait_for("document.querySelector('dialog') === null");
    seat.wait_for("document.querySelector('.compose') === null");
    seat.is_content();
}

#[test]
fn people_are_taken_into_a_channel_and_out() {
    let Some(seat) = Seat::at("web-channel-people", |seat| {
        format!("#narrow/channel/{}", seat.channel.id())
    }) else {
        return;
    };
    let third = seat.server.user("member");
    seat.wait_for("document.querySelector('.compose') !== null");
    let people = || {
        let path = format!("/streams/{}/members", seat.channel.id());
        let people = seat.user.get(&path, &[]).ok()["subscribers"].clone();
        people.as_array().expect("people").len()
    };
    seat.browser.press(OF_THE_VIEW);
    seat.press_text(".menu", "People in the channel");
    seat.wait_for("document.querySelectorAll('.faces li').length === 2");
    choose_person(&seat, &third.full_name);
    seat.check_look("channel-people");
    seat.press_text("dialog", "Add");
    seat.wait_for("document.querySelectorAll('.faces li').length === 3");
    assert_eq!(people(), 3);
    seat.browser.press(".faces .plain");
    seat.wait_for("document.querySelectorAll('.faces li').length === 2");
    assert_eq!(people(), 2);
    seat.is_content();
}

#[test]
fn an_invitation_is_a_link_to_copy() {
    let Some(seat) = Seat::at("web-invite", |_| "#inbox".to_owned()) else {
        return;
    };
    seat.browser.press(".own");
    seat.press_text(".menu", "Invite people");
    seat.press_text("dialog", "Make a link");
    seat.wait_for("document.querySelector('.links input')?.value.includes('/join/')");
    seat.check_look("invite");
    let invites = seat.user.get("/invites", &[]).ok()["invites"].clone();
    assert_eq!(invites.as_array().map(Vec::len), Some(1), "{invites}");
    seat.is_content();
}

#[test]
fn a_channel_gets_a_folder_newcomers_and_permissions() {
    let Some(seat) = Seat::at("web-folders", |seat| {
        format!("#narrow/channel/{}", seat.channel.id())
    }) else {
        return;
    };
    let pick = "const select = document.querySelector(arguments[0]);
         select.value = [...select.options].find((one) => one.textContent.trim() === arguments[1]).value;
         select.dispatchEvent(new Event('change', { bubbles: true }))";
    seat.wait_for("document.querySelector('.bar [aria-haspopup=menu]') !== null");
    seat.browser.press(".bar [aria-haspopup=menu]");
    seat.press_text(".menu", "Change the channel");
    seat.wait_for("document.querySelector('dialog [name=folder]') !== null");
    seat.browser.run(
        pick,
        &[json!("dialog [name=folder]"), json!("A new folder …")],
    );
    seat.wait_for("document.querySelector('dialog [name=new_folder]') !== null");
    seat.browser
        .type_into("dialog [name=new_folder]", "Workshop");
    seat.browser.press("dialog [name=is_default]");
    seat.browser.press("dialog details summary");
    seat.check_look("channel-extras");
    let permission = json!("dialog [name=can_send_message_group]");
    seat.browser
        .run(pick, &[permission, json!("Administrators")]);
    seat.press_text("dialog", "Save");
    seat.wait_for("document.querySelector('dialog') === null");
    seat.wait_for("document.querySelector('.sidebar').textContent.includes('Workshop')");
    let path = format!("/streams/{}", seat.channel.id());
    let channel = seat.user.get(&path, &[]).ok()["stream"].clone();
    assert!(channel["folder_id"].is_i64(), "{channel}");
    let groups = seat.user.get("/user_groups", &[]).ok()["user_groups"].clone();
    let mut all = groups.as_array().into_iter().flatten();
    let administrators = all.find(|group| group["name"] == "role:administrators");
    assert_eq!(
        channel["can_send_message_group"],
        administrators.expect("a group")["id"]
    );
    let pairs = [("fetch_event_types", "[\"default_streams\"]")];
    let defaults = seat.user.post("/register", &pairs).ok()["realm_default_streams"].clone();
    let all = defaults.as_array().expect("channels");
    assert!(all.contains(&json!(seat.channel.stream_id)), "{defaults}");
    seat.is_content();
}

#[test]
fn a_mention_of_many_is_pointed_out() {
    let Some(seat) = Seat::new("web-many") else {
        return;
    };
    for _ in 0..15 {
        let one = seat.server.user("member");
        spindle_tests::fixture::subscribe(&seat.server, &one, &seat.channel);
    }
    seat.sign_in();
    seat.go(&seat.topic("loom"));
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    seat.browser
        .type_into(".compose textarea", "hello @**all**");
    seat.wait_for("document.querySelector('.compose .hint').textContent.includes('17 people')");
    seat.is_content();
}

#[test]
fn an_archived_channel_says_so_and_is_restored() {
    let Some(seat) = Seat::at("web-archived", |seat| {
        format!("#narrow/channel/{}", seat.channel.id())
    }) else {
        return;
    };
    let path = format!("/streams/{}", seat.channel.id());
    let archive = || seat.user.delete(&path, &[]).ok();
    seat.wait_for("document.querySelector('.compose') !== null");
    archive();
    let says_so = "[...document.querySelectorAll('.banner')].some((one) => one.textContent.includes('archived'))";
    seat.wait_for(says_so);
    seat.wait_for("document.querySelector('.compose') === null");
    seat.check_look("archived-channel");
    seat.press_text(".banner", "Restore");
    seat.wait_for("document.querySelector('.compose') !== null");
    assert_eq!(seat.ask(says_so), json!(false));
    // The same from the list, which has them apart.
    archive();
    seat.go("#channels/all");
    let row = format!(
        "document.querySelector('.browse a[href*=\"channel/{}-\"]')",
        seat.channel.id()
    );
    seat.press_text(".browse", "Archived channels (1)");
    seat.wait_for(&format!("{row} !== null"));
    seat.check_look("archived-channels");
    seat.press_text(".browse", "Restore");
    seat.wait_for("document.querySelector('.browse')?.textContent.includes('Archived') === false");
    seat.wait_for(&format!("{row} !== null"));
    seat.is_content();
}

/// Offered once the organization lets the web read: a new channel, and one that exists.
#[test]
fn a_channel_is_opened_to_the_web() {
    let Some(seat) = Seat::at("web-public", |_| "#channels/all".to_owned()) else {
        return;
    };
    let is_offered = "document.querySelector('dialog [value=web]') !== null";
    seat.press_text(".browse", "New channel");
    seat.wait_for("document.querySelector('dialog [value=public]') !== null");
    assert_eq!(seat.ask(is_offered), json!(false));
    seat.user
        .patch("/realm", &[("enable_spectator_access", "true")])
        .ok();
    seat.wait_for(is_offered);
    seat.browser
        .type_into("dialog [name=name]", "for everybody");
    seat.browser.press("dialog [value=web]");
    seat.press_text("dialog", "Create");
    seat.wait_for("document.querySelector('.bar h1')?.textContent.includes('for everybody')");
    let id = seat
        .user
        .get("/get_stream_id", &[("stream", "for everybody")])
        .ok()["stream_id"]
        .to_string();
    let channel = || seat.user.get(&format!("/streams/{id}"), &[]).ok()["stream"].clone();
    assert_eq!(channel()["is_web_public"], json!(true));
    for (privacy, is_web_public) in [("public", false), ("web", true), ("private", false)] {
        seat.browser.press(OF_THE_VIEW);
        seat.press_text(".menu", "Change the channel");
        seat.wait_for(is_offered);
        seat.browser.press(&format!("dialog [value={privacy}]"));
        seat.press_text("dialog", "Save");
        seat.wait_for("document.querySelector('dialog') === null");
        assert_eq!(
            channel()["is_web_public"],
            json!(is_web_public),
            "{privacy}"
        );
        assert_eq!(
            channel()["invite_only"],
            json!(privacy == "private"),
            "{privacy}"
        );
    }
    seat.is_content();
}
