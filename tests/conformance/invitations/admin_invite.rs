//! `spindle admin invite`: the operator invites without an API client; and the server address that
//! `spindle admin` writes into client configurations.

use spindle_tests::{Options, Server};

use super::{address, find, join, key_in, look};

#[test]
fn the_operator_invites_addresses_in_the_name_of_the_owner() {
    let server = Server::own(Options::default());
    let (one, two) = (address(), address());
    let made = server.admin(&["invite", &one, &two, "--role", "guest", "--days", "3"]);
    assert_eq!(made["left_out"].as_array().unwrap().len(), 0);
    let invitations = made["invitations"].as_array().unwrap();
    assert_eq!(invitations.len(), 2);
    let link = invitations[0]["link_url"].as_str().unwrap();
    assert!(link.starts_with(server.base_url()), "{link}");
    let owner = server.user("owner");
    let found = find(&owner, &one).unwrap();
    assert_eq!(found["link_url"], invitations[0]["link_url"]);
    assert_eq!(found["invited_as"], 600);
    let lifetime = found["expiry_date"].as_i64().unwrap() - found["invited"].as_i64().unwrap();
    assert_eq!(lifetime, 3 * 86_400);
    let newcomer = join(&server, &key_in(&invitations[0]["link_url"]), &[]);
    let own = newcomer.client.get("/users/me", &[]).ok();
    assert_eq!(own["delivery_email"], one);
}

#[test]
fn the_operator_invites_in_the_name_of_an_account_with_its_rights() {
    let server = Server::own(Options::default());
    let moderator = server.user("moderator");
    let new = address();
    let inviter = moderator.email.as_str();
    let made = server.admin(&["invite", &new, &moderator.email, "--inviter", inviter]);
    assert_eq!(made["left_out"][0][0], moderator.email);
    assert_eq!(made["invitations"][0]["email"], new);
    assert!(find(&moderator, &new).is_some());
    for refused in [
        [
            "invite",
            &address(),
            "--role",
            "owner",
            "--inviter",
            inviter,
        ]
        .as_slice(),
        &["invite", "--link", "--inviter", inviter],
        &["invite", &moderator.email],
        &["invite", "no address"],
        &["invite"],
    ] {
        let output = server.admin_output(refused);
        assert!(!output.status.success(), "{refused:?}");
    }
}

#[test]
fn a_link_of_the_operator_admits_many() {
    let server = Server::own(Options::default());
    let made = server.admin(&["invite", "--link"]);
    let seen = look(&server, &key_in(&made["invite_link"])).ok();
    assert!(seen["email"].is_null());
}

#[test]
fn a_client_configuration_names_the_address_that_the_server_was_started_with() {
    let server = Server::own(Options::default());
    let user = server.user("member");
    let folder = tempfile::tempdir().unwrap();
    let written = folder.path().join("user.zuliprc");
    let file = written.to_str().unwrap();
    server.admin(&["user", "zuliprc", "--email", &user.email, "--file", file]);
    let text = std::fs::read_to_string(&written).unwrap();
    let site = format!("site={}\n", server.base_url());
    assert!(text.contains(&site), "{text}");
}
