//! The picture of the web client in the README: taken here, of an organization that looks like one.
//!
//! `SPINDLE_WRITE=1 cargo xtask test page::web::picture` takes it anew.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use spindle_tests::server::repository;
use spindle_tests::{Call, Options, Server, User};

use super::{PASSWORD, Seat};
use crate::browser::{Browser, Look};

const FILE: &str = "docs/pictures/web-client.png";

/// Channel, topic, who says it (by place), and what.
const SAID: &[(&str, &str, usize, &str)] = &[
    (
        "yarn",
        "orders",
        1,
        "The merino has arrived, **12 cones** of it.",
    ),
    ("yarn", "orders", 2, "Lovely. Where does it go?"),
    (
        "yarn",
        "dyes for spring",
        3,
        "Madder or weld? I have put samples on the table.",
    ),
    (
        "looms",
        "the old one",
        1,
        "The brake slips again :confused:",
    ),
    (
        "looms",
        "the old one",
        2,
        "I look at it on Thursday. The new part needs `12 mm` bolts.",
    ),
    (
        "looms",
        "the old one",
        0,
        "Thank you! There are some in the drawer:\n* eight of steel\n* four of brass",
    ),
    (
        "looms",
        "the old one",
        3,
        "> four of brass\n\nPlease leave me two of those, @**all**. :pray:",
    ),
    (
        "looms",
        "warping plan",
        2,
        "```python\nthreads = width_cm * per_cm + 2 * selvedge\n```",
    ),
    ("looms", "the old one", 1, "Mended, and it holds :tada:"),
];

fn call(user: &User, method: &str, path: &str, pairs: &[(&str, &str)]) -> Value {
    user.send(Call::new(method, path).form(pairs)).ok()
}

#[test]
fn the_picture_of_the_readme() {
    let Some(browser) = Browser::start("web-picture") else {
        return;
    };
    let server = Server::spawn(Options::default());
    let names = ["Ada Webster", "Jo Carder", "Mina Draper", "Tom Fuller"];
    let people: Vec<User> = names
        .iter()
        .map(|name| {
            let user = server.user_with("owner", &["--password", PASSWORD]);
            call(&user, "PATCH", "/settings", &[("full_name", name)]);
            user
        })
        .collect();
    let everyone: Vec<i64> = people.iter().map(|user| user.user_id).collect();
    let everyone = json!(everyone).to_string();
    let wanted = json!([{"name": "looms"}, {"name": "yarn"}, {"name": "workshop"}]).to_string();
    let pairs = [
        ("subscriptions", wanted.as_str()),
        ("principals", everyone.as_str()),
    ];
    call(&people[0], "POST", "/users/me/subscriptions", &pairs);
    let mut last = BTreeMap::new();
    for (channel, topic, who, content) in SAID {
        let pairs = [
            ("type", "channel"),
            ("to", *channel),
            ("topic", *topic),
            ("content", *content),
        ];
        let sent = call(&people[*who], "POST", "/messages", &pairs);
        last.insert((*channel, *topic), sent["id"].to_string());
    }
    let mended = &last[&("looms", "the old one")];
    for (who, emoji) in [(0, "heart"), (2, "heart"), (3, "+1")] {
        let path = format!("/messages/{mended}/reactions");
        call(&people[who], "POST", &path, &[("emoji_name", emoji)]);
    }
    let to = json!([people[0].user_id]).to_string();
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", "Tea at four?"),
    ];
    call(&people[2], "POST", "/messages", &pairs);
    let looms = people[0].get("/get_stream_id", &[("stream", "looms")]).ok();
    let conversation = format!(
        "#narrow/channel/{}-looms/topic/the.20old.20one",
        looms["stream_id"]
    );
    let mut people = people.into_iter();
    let (user, other) = (people.next().expect("Ada"), people.next().expect("Jo"));
    let channel = spindle_tests::fixture::Channel {
        stream_id: looms["stream_id"].as_i64().expect("an id"),
        recipient_id: 0,
        name: "looms".to_owned(),
    };
    let seat = Seat {
        browser,
        server,
        user,
        other,
        channel,
    };
    seat.sign_in();
    seat.browser.resize(Look::new(1280, 800, false));
    seat.go(&conversation);
    seat.wait_for("document.body.textContent.includes('Mended, and it holds')");
    seat.wait_for("document.querySelectorAll('.reactions button').length >= 2");
    let picture = seat.browser.picture();
    assert!(picture.len() > 20_000, "{} bytes", picture.len());
    if std::env::var_os("SPINDLE_WRITE").is_some() {
        std::fs::write(repository().join(FILE), picture).expect("the picture");
    }
    assert!(repository().join(FILE).exists(), "{FILE}");
    seat.is_content();
}
