//! Settings of the organization, its people, and what it has made of its own.

use serde_json::{Value, json};

use super::Seat;

/// What the snapshot of the organization says.
fn realm(seat: &Seat, name: &str) -> Value {
    let pairs = [("fetch_event_types", "[\"realm\"]")];
    seat.user.post("/register", &pairs).ok()[name].clone()
}

/// The id of a system group.
fn system_group(seat: &Seat, name: &str) -> Value {
    let groups = seat.user.get("/user_groups", &[]).ok();
    let mut all = groups["user_groups"].as_array().into_iter().flatten();
    all.find(|group| group["name"] == name).expect("a group")["id"].clone()
}

/// Chooses an option of a field by its text.
fn pick(seat: &Seat, selector: &str, option: &str) {
    seat.wait_for(&format!(
        "[...document.querySelector({}).options].some((one) => one.textContent.trim() === {})",
        json!(selector),
        json!(option)
    ));
    let pick = "const select = document.querySelector(arguments[0]);
         select.value = [...select.options].find((one) => one.textContent.trim() === arguments[1]).value;
         select.dispatchEvent(new Event('change', { bubbles: true }))";
    seat.browser.run(pick, &[json!(selector), json!(option)]);
}

/// Opens a part, and waits until it is there.
fn part(seat: &Seat, key: &str) {
    let target = format!("#organization/{key}");
    seat.go(&target);
    seat.wait_for(&format!(
        "document.querySelector('.organization nav [aria-current]').getAttribute('href') === '{target}'"
    ));
    seat.wait_for("document.querySelector('.organization section h2') !== null");
}

#[test]
fn the_profile_and_the_rules_are_changed() {
    let Some(seat) = Seat::at("web-organization", |_| "#inbox".to_owned()) else {
        return;
    };
    seat.browser.press(".own");
    seat.press_text(".menu", "Organization");
    seat.wait_for("document.querySelector('.organization [name=name]') !== null");
    seat.check_look("organization-profile");
    seat.browser.run(
        "document.querySelector('.organization [name=name]').value = ''",
        &[],
    );
    seat.browser
        .type_into(".organization [name=name]", "The Weaving Mill");
    seat.browser.press("form:has([name=name]) button");
    seat.wait_for("document.querySelector('.brand span').textContent === 'The Weaving Mill'");
    seat.browser
        .type_into(".organization [name=description]", "Cloth since 1784");
    seat.browser.press("form:has([name=description]) button");
    pick(&seat, "[name=default_language]", "Deutsch");
    pick(
        &seat,
        "[name=new_stream_announcements_stream_id]",
        &seat.channel.name,
    );
    // A square of one colour is an icon.
    let choose = "const canvas = document.createElement('canvas');
         canvas.width = canvas.height = 40;
         canvas.getContext('2d').fillRect(0, 0, 40, 40);
         return new Promise((resolve) => canvas.toBlob((blob) => {
             const transfer = new DataTransfer();
             transfer.items.add(new File([blob], 'icon.png', { type: 'image/png' }));
             const field = document.querySelector('.picture input[name=icon]');
             field.files = transfer.files;
             field.dispatchEvent(new Event('change', { bubbles: true }));
             resolve(true);
         }))";
    seat.browser.run(choose, &[]);
    seat.wait_for("document.querySelector('.picture img.icon').naturalWidth > 0");
    seat.wait_for("document.querySelector('.notes').textContent.includes('Saved')");

    part(&seat, "rules");
    seat.check_look("organization-rules");
    pick(
        &seat,
        "[name=message_content_edit_limit_seconds]",
        "No limit",
    );
    seat.browser.press("[name=name_changes_disabled]");
    pick(&seat, "[name=topics_policy]", "Not allowed");
    seat.wait_for("document.querySelector('[name=topics_policy]').selectedOptions[0].textContent === 'Not allowed'");
    seat.eventually(|seat| {
        let settled = [
            "realm_description",
            "realm_default_language",
            "realm_topics_policy",
        ]
        .map(|name| realm(seat, name));
        settled
            == [
                json!("Cloth since 1784"),
                json!("de"),
                json!("disable_empty_topic"),
            ]
    });
    assert_eq!(
        realm(&seat, "realm_message_content_edit_limit_seconds"),
        Value::Null
    );
    assert_eq!(realm(&seat, "realm_name_changes_disabled"), json!(true));
    seat.is_content();
}

#[test]
fn permissions_are_given_to_groups_and_to_people() {
    let Some(seat) = Seat::at("web-permissions", |_| {
        "#organization/permissions".to_owned()
    }) else {
        return;
    };
    seat.wait_for("document.querySelector('[name=can_create_bots_group]') !== null");
    seat.check_look("organization-permissions");
    pick(&seat, "[name=can_create_bots_group]", "Administrators");
    let administrators = system_group(&seat, "role:administrators");
    seat.eventually(|seat| realm(seat, "realm_can_create_bots_group") == administrators);
    pick(
        &seat,
        "[name=can_add_custom_emoji_group]",
        "People and groups …",
    );
    seat.wait_for("document.querySelector('.holders .people input') !== null");
    seat.browser
        .type_into(".holders .people input", &seat.other.full_name);
    seat.wait_for("document.querySelector('.holders .suggestions button') !== null");
    seat.browser.press(".holders .suggestions button");
    let members = system_group(&seat, "role:members");
    let both = json!({"direct_members": [seat.other.user_id], "direct_subgroups": [members]});
    seat.eventually(|seat| realm(seat, "realm_can_add_custom_emoji_group") == both);
    seat.wait_for("document.querySelectorAll('.holders .chip').length === 2");
    seat.check_look("organization-holders");
    seat.is_content();
}

#[test]
fn people_change_roles_and_bots_are_made() {
    let Some(seat) = Seat::at("web-roles", |_| "#organization/people".to_owned()) else {
        return;
    };
    let role = format!("[name=role-{}]", seat.other.user_id);
    seat.wait_for(&format!("document.querySelector('{role}') !== null"));
    seat.check_look("organization-people");
    pick(&seat, &role, "Moderator");
    let other = format!("/users/{}", seat.other.user_id);
    seat.eventually(|seat| seat.user.get(&other, &[]).ok()["user"]["role"] == 300);
    seat.browser.press(&format!(
        ".accounts button[aria-label='Deactivate: {}']",
        seat.other.full_name
    ));
    seat.press_text("dialog", "Deactivate");
    seat.wait_for("document.querySelector('.accounts .tag') !== null");
    seat.browser.press(&format!(
        ".accounts button[aria-label='Reactivate: {}']",
        seat.other.full_name
    ));
    seat.wait_for("document.querySelector('.accounts .tag') === null");

    part(&seat, "bots");
    seat.browser.type_into("[name=name]", "Loom counter");
    seat.browser.type_into("[name=short]", "counter");
    seat.press_text(".organization form", "Create");
    seat.wait_for("document.querySelector('.key code').textContent.length === 32");
    seat.wait_for("document.querySelector('.accounts').textContent.includes('Loom counter')");
    seat.check_look("organization-bots");
    seat.is_content();
}

/// An administrator changes the name of a user, and makes a link for a user who has forgotten the password.
#[test]
fn people_are_edited_and_get_a_link() {
    let Some(seat) = Seat::at("web-editor", |_| "#organization/people".to_owned()) else {
        return;
    };
    let edit = format!(
        ".accounts button[aria-label='Edit: {}']",
        seat.other.full_name
    );
    seat.wait_for(&format!("document.querySelector({}) !== null", json!(edit)));
    seat.browser.press(&edit);
    seat.wait_for("document.querySelector('dialog.editor') !== null");
    seat.press_text("dialog", "Make a link");
    seat.wait_for(
        "document.querySelector('.password-link input').value.includes('/#set-password/')",
    );
    seat.check_look("organization-person");
    seat.browser
        .type_into("dialog [name=full_name]", "Ada of the looms");
    seat.press_text("dialog", "Save");
    let other = format!("/users/{}", seat.other.user_id);
    seat.eventually(|seat| {
        seat.user.get(&other, &[]).ok()["user"]["full_name"] == "Ada of the looms"
    });
    seat.is_content();
}

/// A list is shown before anybody is invited, with what is wrong with its lines.
#[test]
fn a_list_of_people_is_invited() {
    let Some(seat) = Seat::at("web-list", |_| "#organization/people".to_owned()) else {
        return;
    };
    seat.wait_for("document.querySelector('.accounts') !== null");
    seat.press_text(".organization", "Invite people from a list");
    seat.wait_for("document.querySelector('dialog [name=list]') !== null");
    let choose = "const files = new DataTransfer();
         files.items.add(new File([arguments[0]], 'people.csv', { type: 'text/csv' }));
         const field = document.querySelector('[name=list]');
         field.files = files.files;
         field.dispatchEvent(new Event('change', { bubbles: true }))";
    let text = "email,role\nann@example.org,moderator\nnobody,\nbob@example.org,boss\n";
    seat.browser.run(choose, &[json!(text)]);
    seat.wait_for("document.querySelectorAll('dialog tbody tr').length === 3");
    assert_eq!(
        seat.ask("document.querySelectorAll('dialog td.error').length"),
        json!(2)
    );
    seat.press_text("dialog", "Invite 1 person");
    seat.wait_for("document.querySelector('dialog tbody tr').textContent.includes('/join/')");
    seat.check_look("organization-list");
    let invites = seat.user.get("/invites", &[]).ok()["invites"].clone();
    assert_eq!(
        (&invites[0]["email"], &invites[0]["invited_as"]),
        (&json!("ann@example.org"), &json!(300))
    );
    assert_eq!(invites.as_array().map(Vec::len), Some(1));
    seat.is_content();
}

/// The names of the folders that are not archived, in their order.
fn folders(seat: &Seat) -> Vec<String> {
    let listed = seat.user.get("/channel_folders", &[]).ok();
    let names = listed["channel_folders"].as_array().into_iter().flatten();
    names
        .map(|folder| folder["name"].as_str().expect("a name").to_owned())
        .collect()
}

#[test]
fn folders_are_made_renamed_ordered_and_removed() {
    let Some(seat) = Seat::at("web-folders", |_| "#organization/folders".to_owned()) else {
        return;
    };
    seat.wait_for("document.querySelector('.organization form [name=name]') !== null");
    for name in [
        "Looms",
        "Orders",
        "A name that is nearly as long as one may be",
    ] {
        seat.browser
            .type_into(".organization form [name=name]", name);
        seat.press_text(".organization form", "Add");
        seat.wait_for(&format!(
            "[...document.querySelectorAll('.ordered input')].some((one) => one.value === {})",
            json!(name)
        ));
    }
    seat.check_look("organization-folders");
    seat.browser
        .press(".ordered button[aria-label='Move up: Orders']");
    seat.wait_for("document.querySelector('.ordered input').value === 'Orders'");
    let rename = "const field = document.querySelector('.ordered input');
         field.value = arguments[0];
         field.dispatchEvent(new Event('change', { bubbles: true }))";
    seat.browser.run(rename, &[json!("Work")]);
    seat.wait_for("document.querySelector('.notes').textContent.includes('Saved')");
    // A name that another folder has is refused, and gives way to the old one.
    seat.browser.run(rename, &[json!("looms")]);
    seat.wait_for("document.querySelector('.ordered input').value === 'Work'");
    seat.browser
        .press(".ordered button[aria-label='Remove Looms']");
    seat.press_text("dialog", "Remove");
    seat.wait_for("document.querySelectorAll('.ordered li').length === 2");
    let left = folders(&seat);
    assert_eq!(left.first().map(String::as_str), Some("Work"));
    assert_eq!(left.len(), 2);
    seat.is_content();
}

#[test]
fn the_lists_of_the_organization_are_kept() {
    let Some(seat) = Seat::at("web-lists", |_| "#organization/joining".to_owned()) else {
        return;
    };
    seat.wait_for("document.querySelector('[name=domain]') !== null");
    seat.browser.type_into("[name=domain]", "Mill.example.org");
    seat.press_text(".organization form", "Add");
    seat.wait_for("document.querySelector('.names li').textContent.includes('mill.example.org')");
    seat.check_look("organization-joining");

    part(&seat, "fields");
    for name in ["Pronouns", "Loom"] {
        seat.browser.type_into("[name=name]", name);
        seat.press_text(".organization form", "Add");
        seat.wait_for(&format!(
            "document.querySelector('.ordered').textContent.includes('{name}')"
        ));
    }
    seat.browser
        .press(".ordered button[aria-label='Move up: Loom']");
    seat.wait_for("document.querySelector('.ordered li').textContent.includes('Loom')");
    seat.check_look("organization-fields");
    // The same by dragging.
    let drag = "const [first, second] = document.querySelectorAll('.ordered li');
         const fire = (on, type) => on.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true }));
         fire(second, 'dragstart'); fire(first, 'dragover'); fire(first, 'drop');";
    seat.browser.run(drag, &[]);
    seat.wait_for("document.querySelector('.ordered li').textContent.includes('Pronouns')");

    part(&seat, "links");
    seat.browser.type_into("[name=pattern]", "#(?P<id>[0-9]+)");
    seat.browser
        .type_into("[name=url_template]", "https://bugs.example.org/{id}");
    seat.browser.type_into("[name=sample]", "see #12");
    seat.wait_for("document.querySelector('.link').textContent === 'https://bugs.example.org/12'");
    seat.press_text(".organization form", "Add");
    seat.wait_for("document.querySelector('.ordered code').textContent === '#(?P<id>[0-9]+)'");
    seat.browser.type_into("[name=name]", "Rust playground");
    seat.browser.type_into("[name=language]", "Rust");
    seat.browser
        .type_into("[name=code_url]", "https://play.example.org/?code={code}");
    seat.press_text(".organization section:last-child form", "Add");
    seat.wait_for(
        "document.querySelector('.organization').textContent.includes('Rust playground')",
    );
    seat.check_look("organization-links");

    part(&seat, "emoji");
    let choose = "const canvas = document.createElement('canvas');
         canvas.width = canvas.height = 64;
         canvas.getContext('2d').fillRect(0, 0, 64, 64);
         return new Promise((resolve) => canvas.toBlob((blob) => {
             const transfer = new DataTransfer();
             transfer.items.add(new File([blob], 'shuttle.png', { type: 'image/png' }));
             document.querySelector('[name=picture]').files = transfer.files;
             resolve(true);
         }))";
    seat.browser.type_into("[name=name]", "shuttle");
    seat.browser.run(choose, &[]);
    seat.press_text(".organization form", "Add");
    seat.wait_for("document.querySelector('.names code').textContent === ':shuttle:'");
    seat.check_look("organization-emoji");
    seat.press_text(".names", "Remove");
    seat.wait_for("document.querySelector('.names li') === null");
    seat.is_content();
}

#[test]
fn invitations_defaults_and_exports_are_at_hand() {
    let Some(seat) = Seat::at("web-invitations", |_| {
        "#organization/invitations".to_owned()
    }) else {
        return;
    };
    seat.wait_for("document.querySelector('.organization .hint') !== null");
    seat.press_text(".organization", "Invite people");
    seat.wait_for("document.querySelector('dialog [name=emails]') !== null");
    seat.browser
        .type_into("dialog [name=emails]", "carol@example.org");
    seat.press_text("dialog", "Make a link");
    seat.wait_for("document.querySelector('dialog .links li') !== null");
    seat.browser.keys("\u{e00c}");
    seat.wait_for("document.querySelector('.names li').textContent.includes('carol@example.org')");
    seat.check_look("organization-invitations");
    seat.press_text(".names", "Revoke");
    seat.wait_for("document.querySelector('.names li') === null");

    part(&seat, "defaults");
    seat.wait_for("document.querySelector('[name=enter_sends]') !== null");
    seat.check_look("organization-defaults");
    seat.browser.press("[name=enter_sends]");
    let pairs = [("fetch_event_types", "[\"realm_user_settings_defaults\"]")];
    seat.eventually(|seat| {
        let defaults = seat.user.post("/register", &pairs).ok();
        defaults["realm_user_settings_defaults"]["enter_sends"] == true
    });

    part(&seat, "exports");
    seat.press_text(".organization form", "Export");
    seat.wait_for("document.querySelector('.names li a[download]') !== null");
    seat.check_look("organization-exports");
    seat.press_text(".names", "Delete");
    seat.wait_for("document.querySelector('.names li').textContent.includes('deleted')");
    seat.is_content();
}
