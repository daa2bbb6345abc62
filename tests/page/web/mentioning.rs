//! Completing what is typed: the people of a conversation first, topics after a channel, emoji by what is popular.

use serde_json::json;

use super::Seat;

const VALUE: &str = "document.querySelector('.compose textarea').value";
const FIRST: &str = "document.querySelector('.suggestions [role=option]')";

#[test]
fn the_people_of_a_conversation_are_offered_first() {
    let Some(seat) = Seat::new("web-mention") else {
        return;
    };
    // By the alphabet, they would come before the one who spoke.
    let early = ["Aaron", "Abel"];
    for name in early {
        let user = seat.server.user("member");
        user.patch("/settings", &[("full_name", name)]).ok();
    }
    seat.other
        .patch("/settings", &[("full_name", "Zoe Weaver")])
        .ok();
    let status = [("status_text", "at the loom"), ("emoji_name", "tada")];
    seat.other.post("/users/me/status", &status).ok();
    let report = [("status", "active"), ("ping_only", "true")];
    seat.other.post("/users/me/presence", &report).ok();
    seat.sign_in();
    seat.go(&seat.topic("loom"));
    seat.said(&seat.other, "loom", "about looms");
    seat.wait_for_message("about looms");
    seat.browser.press(".compose textarea");
    seat.browser.keys("@");
    seat.wait_for(&format!("{FIRST}?.textContent.includes('Zoe Weaver')"));
    for part in [".avatar", ".presence.active", ".glyph"] {
        seat.wait_for(&format!("{FIRST}.querySelector('{part}') !== null"));
    }
    seat.wait_for(&format!("{FIRST}.textContent.includes('at the loom')"));
    let names = seat
        .ask("[...document.querySelectorAll('.suggestions .name')].map((one) => one.textContent)");
    let last = names.as_array().and_then(|all| all.last()).cloned();
    assert_eq!(last, Some(json!(seat.user.full_name)), "{names}");
    seat.check_look("mention");
    seat.browser.press(".compose textarea");
    seat.browser.keys("a");
    seat.wait_for(&format!("{FIRST}?.textContent.includes('Aaron')"));
    seat.is_content();
}

#[test]
fn a_topic_is_completed_as_one_types_it() {
    let Some(seat) = Seat::at("web-topic-typed", |seat| seat.topic("loom")) else {
        return;
    };
    seat.said(&seat.other, "the old one", "about looms");
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    let name = &seat.channel.name;
    let link = format!("#**{name}>the old one** ");
    seat.browser.press(".compose textarea");
    seat.browser.keys(&format!("#{name}>old"));
    seat.wait_for(&format!("{FIRST}?.textContent.includes('the old one')"));
    seat.check_look("topic-completion");
    seat.browser.press(".compose textarea");
    seat.browser.keys("\u{e003}d");
    seat.wait_for(&format!("{FIRST}?.textContent.includes('the old one')"));
    seat.browser.keys("\u{e007}");
    seat.wait_for(&format!("{VALUE} === {}", json!(link)));
    // A channel that was completed goes on as well.
    seat.browser.keys(&format!("#{}", &name[..name.len() - 1]));
    seat.wait_for(&format!(
        "{FIRST}?.querySelector('.name').textContent === {}",
        json!(name)
    ));
    seat.browser.keys("\u{e007}>");
    seat.wait_for(&format!("{FIRST}?.textContent.includes('the old one')"));
    seat.browser.keys("\u{e007}");
    seat.wait_for(&format!("{VALUE} === {}", json!(format!("{link}{link}"))));
    seat.is_content();
}
