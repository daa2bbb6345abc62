//! Groups: made, changed, joined, mentioned, put into each other.

use serde_json::json;
use spindle_tests::Queue;

use super::Seat;

#[test]
fn a_group_is_made_changed_mentioned_and_deactivated() {
    let Some(seat) = Seat::at("web-groups", |_| "#groups".to_owned()) else {
        return;
    };
    seat.wait_for("document.querySelector('.nothing') !== null");
    seat.check_look("no-groups");
    seat.press_text(".browse", "New group");
    seat.wait_for("document.querySelector('dialog [name=name]') !== null");
    seat.browser.type_into("dialog [name=name]", "weavers");
    seat.browser
        .type_into("dialog [name=description]", "Who sits at a loom");
    seat.browser
        .type_into("dialog .people input", &seat.other.full_name);
    seat.wait_for("document.querySelector('dialog .suggestions button') !== null");
    seat.browser.press("dialog .suggestions button");
    seat.check_look("new-group");
    seat.press_text("dialog", "Create");
    seat.wait_for("document.querySelectorAll('dialog.group .names li').length === 2");
    seat.check_look("group");
    seat.press_text("dialog.group .names", "Remove");
    seat.wait_for("document.querySelectorAll('dialog.group .names li').length === 1");
    seat.browser
        .type_into("dialog .people input", &seat.other.full_name);
    seat.wait_for("document.querySelector('dialog .suggestions button') !== null");
    seat.browser.press("dialog .suggestions button");
    seat.press_text("dialog.group", "Add");
    seat.wait_for("document.querySelectorAll('dialog.group .names li').length === 2");
    seat.press_text("dialog.group", "Edit");
    seat.wait_for("document.querySelector('dialog [name=name]')?.value === 'weavers'");
    seat.browser.type_into("dialog [name=name]", "loom people");
    seat.press_text("dialog", "Save");
    seat.wait_for("document.querySelector('dialog.group h2')?.textContent === 'loom people'");
    seat.browser.keys("\u{e00c}");
    seat.wait_for("document.querySelector('dialog') === null");
    seat.wait_for("document.querySelector('.browse .name')?.textContent === 'loom people'");
    seat.check_look("groups");

    // Mentioning it notifies who is in it, and its name leads to its card.
    let mut queue = Queue::of(&seat.other, &["message"]);
    seat.go(&seat.topic("loom"));
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    seat.browser.press(".compose textarea");
    seat.browser.keys("@loom");
    seat.wait_for("document.querySelector('.compose .suggestions [role=option]') !== null");
    seat.browser.keys("\u{e007}");
    seat.browser.keys("hello");
    seat.browser.press(".compose button[type=submit]");
    let event = queue.expect(|event| event["type"] == "message");
    assert_eq!(event["message"]["content"], "@*loom people* hello");
    assert_eq!(event["flags"], json!(["mentioned"]));
    seat.wait_for("document.querySelector('.message:not(.echo) .user-group-mention') !== null");
    seat.browser.press(".user-group-mention");
    seat.press_text("dialog.group", "Leave");
    seat.wait_for("document.querySelectorAll('dialog.group .names li').length === 1");
    seat.press_text("dialog.group", "Deactivate");
    seat.wait_for("document.querySelector('dialog h2')?.textContent.includes('loom people?')");
    seat.press_text("dialog", "Deactivate");
    seat.wait_for("document.querySelector('dialog') === null");
    seat.go("#groups");
    seat.wait_for("document.querySelector('.browse li.hushed') !== null");
    seat.is_content();
}

#[test]
fn groups_are_put_into_each_other_and_their_permissions_are_set() {
    let Some(seat) = Seat::at("web-nesting", |_| "#groups".to_owned()) else {
        return;
    };
    let make = |name: &str, members: &[i64]| {
        let members = json!(members).to_string();
        let pairs = [("name", name), ("description", ""), ("members", &members)];
        let made = seat.user.post("/user_groups/create", &pairs).ok();
        made["group_id"].as_i64().expect("an id")
    };
    let weavers = make("weavers", &[seat.other.user_id]);
    let makers = make("makers", &[seat.user.user_id]);
    seat.press_text(".browse", "makersyou");
    seat.wait_for("document.querySelector('dialog .nesting') !== null");
    let choose = "const select = document.querySelector('dialog .nesting');
         select.value = arguments[0];
         select.dispatchEvent(new Event('change', { bubbles: true }))";
    seat.browser.run(choose, &[json!(weavers.to_string())]);
    seat.wait_for("document.querySelector('dialog .names').textContent.includes('@weavers')");
    seat.wait_for("document.querySelector('dialog .hint').textContent.includes('2')");
    // A group is never within itself, not even through another one.
    seat.wait_for("document.querySelector('dialog .nesting') === null");
    seat.check_look("group-in-group");
    seat.press_text("dialog.group", "Edit");
    seat.wait_for("document.querySelector('dialog [name=can_join_group]') !== null");
    seat.check_look("group-permissions");
    let choose = "const select = document.querySelector('dialog [name=can_join_group]');
         select.value = [...select.options].find((one) => one.textContent.trim() === 'Members').value;
         select.dispatchEvent(new Event('change', { bubbles: true }))";
    seat.browser.run(choose, &[]);
    seat.press_text("dialog", "Save");
    seat.wait_for("document.querySelector('dialog.group') !== null");
    let groups = seat.user.get("/user_groups", &[]).ok()["user_groups"].clone();
    let all = groups.as_array().expect("groups");
    let of = |wanted: &dyn Fn(&serde_json::Value) -> bool| {
        all.iter()
            .find(|group| wanted(group))
            .expect("a group")
            .clone()
    };
    let members = of(&|group| group["name"] == "role:members");
    let changed = of(&|group| group["id"] == makers);
    assert_eq!(changed["can_join_group"], members["id"]);
    assert_eq!(changed["direct_subgroup_ids"], json!([weavers]));
    seat.press_text("dialog.group .names", "Remove");
    seat.wait_for("!document.querySelector('dialog .names').textContent.includes('@weavers')");
    seat.is_content();
}
