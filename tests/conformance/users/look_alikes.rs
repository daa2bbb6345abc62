//! Names that look like others, where names are unique (`realm_require_unique_names`), and addresses
//! that look like others, everywhere (docs/protocol/limits.md#reserved).

use spindle_tests::{Options, Server, unique};

use super::grant;
use crate::support::server;

#[test]
fn a_unique_name_has_no_double_that_looks_alike() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    grant(&server, &owner, "can_create_users");
    owner
        .patch("/settings", &[("full_name", "Olive Owner")])
        .ok();
    owner
        .patch("/realm", &[("require_unique_names", "true")])
        .ok();
    let member = server.user("member");
    let bot = |name: &str| {
        let pairs = [
            ("full_name", name),
            ("short_name", "double"),
            ("bot_type", "1"),
        ];
        member.post("/bots", &pairs)
    };
    for name in [
        "Olive Owner",
        "OLIVE owner",
        "Olive  Owner",
        "Olive\u{3000}Owner",
        "\u{41E}live Owner",
        "0live Owner",
        "Ol\u{456}ve Own\u{435}r",
        "\u{FF2F}live Owner",
        "Olive Owne\u{200B}r",
        "Olive O\u{FE0F}wner",
        "Olive OVVner",
        "\u{202E}Olive Owner",
    ] {
        member
            .patch("/settings", &[("full_name", name)])
            .bad_request();
        bot(name).bad_request();
        let pairs = [
            ("email", "double@example.com"),
            ("full_name", name),
            ("password", "correct horse battery"),
        ];
        owner.post("/users", &pairs).bad_request();
    }
    // People are compared with bots as well.
    bot("Helpful Robot").ok();
    member
        .patch("/settings", &[("full_name", "Helpful R\u{43E}bot")])
        .bad_request();
    member
        .patch("/settings", &[("full_name", "Olive Owens")])
        .ok();
}

/// People are compared with bots, and bots with people, whatever gives the name.
#[test]
fn bots_and_people_are_no_doubles_of_each_other() {
    let server = Server::own(Options::default());
    let owner = server.user("owner");
    let member = server.user("member");
    let bot = |name: &str| {
        let short = unique("bot").to_lowercase();
        let pairs = [("full_name", name), ("short_name", short.as_str())];
        member.post("/bots", &pairs).ok()["user_id"].to_string()
    };
    let robot = bot("Helpful Robot");
    let other = bot("Other Robot");
    let double = "Helpful R\u{43E}bot";
    let gone = server.user("member");
    gone.patch("/settings", &[("full_name", double)]).ok();
    let path = format!("/users/{}", gone.id());
    owner.delete(&path, &[]).ok();
    owner
        .patch("/realm", &[("require_unique_names", "true")])
        .ok();
    // A bot that is renamed, by its owner and by an administrator.
    let taken = format!("{} ", member.full_name.to_uppercase());
    for path in [format!("/bots/{other}"), format!("/users/{other}")] {
        let who = if path.starts_with("/bots") {
            &member
        } else {
            &owner
        };
        for name in ["Helpful R\u{43E}b\u{43E}t", taken.as_str()] {
            who.patch(&path, &[("full_name", name)]).bad_request();
        }
    }
    // A person whom an administrator renames.
    let path = format!("/users/{}", member.id());
    owner.patch(&path, &[("full_name", double)]).bad_request();
    // A reactivation, of a person and of a bot.
    let reactivate = |id: &str| owner.post(&format!("/users/{id}/reactivate"), &[]);
    reactivate(&gone.id()).bad_request();
    let path = format!("/users/{}", gone.id());
    owner.patch(&path, &[("full_name", "Somebody Else")]).ok();
    reactivate(&gone.id()).ok();
    member.delete(&format!("/bots/{robot}"), &[]).ok();
    reactivate(&robot).ok();
    server
        .database()
        .execute(
            "UPDATE users SET is_active = 0, full_name = ?2 WHERE id = ?1",
            (other.parse::<i64>().expect("an id"), double),
        )
        .expect("a row");
    reactivate(&other).bad_request();
}

#[test]
fn an_address_has_characters_that_can_be_seen() {
    let owner = server().user("owner");
    let member = server().user("member");
    for mark in [
        "\u{200B}",
        "\u{202E}",
        "\u{AD}",
        "\u{E000}",
        "\u{2060}",
        "\u{3164}",
        "\u{FE0F}",
        "\u{E0100}",
        // A full stop at the end of a domain is none of its labels.
        ".",
        "\u{3002}",
    ] {
        let address = format!("{}{mark}", owner.email);
        member
            .patch("/settings", &[("email", &address)])
            .bad_request();
    }
}

/// A variation selector makes no other name.
#[test]
fn a_name_with_an_emoji_is_one_in_both_forms() {
    let member = server().user("member");
    let name = unique("tea ");
    let create = |mark: &str| {
        let pairs = [
            ("name", format!("{name} \u{2615}{mark}")),
            ("subscribers", "[]".to_owned()),
        ];
        let pairs = pairs.each_ref().map(|(name, text)| (*name, text.as_str()));
        member.post("/channels/create", &pairs)
    };
    let id = create("\u{FE0F}").ok()["id"].clone();
    create("").bad_request();
    create("\u{FE0E}").bad_request();
    for mark in ["", "\u{FE0E}", "\u{FE0F}"] {
        let spelling = format!("{name} \u{2615}{mark}");
        let found = member.get("/get_stream_id", &[("stream", &spelling)]).ok();
        assert_eq!(found["stream_id"], id, "{mark:?}");
    }
}
