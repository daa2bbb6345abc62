//! POST /users/{user_id}/password_link and POST /password_links/use: who makes links for whom, what their use ends, and
//! attacks on both.

use serde_json::{Value, json};
use spindle_tests::{Call, Client, Options, Queue, Reply, Server, User};

use super::{Browser, PASSWORD, cookie_of, sign_in, with_password};
use crate::support::{keys, server};
use crate::users::grant;

const NEW: &str = "entirely other words, unrelated";

/// POST /users/{user_id}/password_link.
fn make(maker: &User, user: &User) -> Reply {
    maker.post(&format!("/users/{}/password_link", user.id()), &[])
}

/// The token of a new link.
#[track_caller]
fn link(maker: &User, user: &User) -> String {
    let made = make(maker, user).ok();
    assert_eq!(
        keys(&made),
        ["expiry_date", "msg", "password_link", "result"]
    );
    let link = made["password_link"].as_str().expect("a link");
    let (address, token) = link.split_once("/#set-password/").expect("/#set-password/");
    assert!(address.starts_with("http"), "{address}");
    token.to_owned()
}

/// POST /password_links/use without the header of the server's own pages.
fn follow(server: &Server, token: &str, password: &str) -> Reply {
    let pairs = [("token", token), ("new_password", password)];
    server.anonymous().post("/password_links/use", &pairs)
}

#[track_caller]
fn is_dead(server: &Server, token: &str) {
    follow(server, token, NEW).error(401, "AUTHENTICATION_FAILED");
}

/// The messages of the notification bot to a user, up to now.
fn notices(user: &User, queue: &mut Queue) -> Vec<String> {
    let to = format!("[{}]", user.user_id);
    let pairs = [("type", "direct"), ("to", &to), ("content", "the last one")];
    let last = user.post("/messages", &pairs).ok()["id"].clone();
    let events = queue.until(|event| event["message"]["id"] == last);
    let of_bot = |event: &&Value| {
        let sender = event["message"]["sender_email"].as_str();
        sender.is_some_and(|sender| sender.starts_with("notification-bot@"))
    };
    let texts = events.iter().filter(of_bot);
    texts
        .map(|event| {
            event["message"]["content"]
                .as_str()
                .expect("a text")
                .to_owned()
        })
        .collect()
}

fn mention(user: &User) -> String {
    format!("@_**{}|{}**", user.full_name, user.user_id)
}

#[test]
fn a_new_password_ends_everything_that_was_signed_in() {
    let server = Server::own(Options::default());
    let (owner, other) = (server.user("owner"), server.user("owner"));
    let user = with_password(&server);
    user.get("/users/me", &[]).ok();
    let browser = Browser::of(&server, &user);
    let mut queues = [&owner, &other].map(|one| Queue::of(one, &["message"]));
    let token = link(&owner, &user);
    assert!(browser.is_signed_in(), "a link alone ends nothing");
    // A password that is refused leaves the link as it is.
    follow(&server, &token, "123456").bad_request();
    let pairs = [("token", token.as_str()), ("new_password", NEW)];
    let call = Call::new("POST", "/password_links/use").form(&pairs);
    let evil = call.clone().header("Spindle-Client", "test");
    let evil = evil.header("Origin", "https://evil.example");
    server.anonymous().send(evil).bad_request();
    let reply = server
        .anonymous()
        .send(call.header("Spindle-Client", "test"));
    let cookie = cookie_of(&reply).expect("a cookie");
    let body = reply.ok();
    assert_eq!(body["user_id"], user.user_id);
    assert_eq!(keys(&body), ["msg", "result", "user_id"]);
    let call = Call::new("GET", "/users/me").header("Spindle-Client", "test");
    let me = server.anonymous().send(call.header("Cookie", &cookie)).ok();
    assert_eq!(me["user_id"], user.user_id);
    assert!(!browser.is_signed_in());
    user.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    let old = [("username", user.email.as_str()), ("password", PASSWORD)];
    sign_in(&server, &old).error(401, "AUTHENTICATION_FAILED");
    let new = [("username", user.email.as_str()), ("password", NEW)];
    sign_in(&server, &new).ok();
    // The owners and the person get a notice.
    let text = format!(
        "A new password of {} was set with a link from {}.",
        mention(&user),
        mention(&owner)
    );
    for (owner, queue) in [&owner, &other].into_iter().zip(&mut queues) {
        assert_eq!(notices(owner, queue), std::slice::from_ref(&text));
    }
    let made = server.anonymous().post("/fetch_api_key", &new).ok();
    let key = made["api_key"].as_str().expect("a key").to_owned();
    let client = Client::new(server.base_url(), Some((&user.email, &key)));
    let narrow = json!([["is", "dm"]]).to_string();
    let query = [
        ("narrow", narrow.as_str()),
        ("anchor", "newest"),
        ("num_before", "1"),
        ("num_after", "0"),
        ("apply_markdown", "false"),
    ];
    let page = client.get("/messages", &query).ok();
    let told = page["messages"][0]["content"].as_str().expect("a text");
    let begin = format!(
        "A new password of your account was set with a link from {}.",
        mention(&owner)
    );
    assert!(told.starts_with(&begin), "{told}");
    // Both steps are in the audit log; neither has the token.
    let sql =
        "SELECT event_type || ' ' || coalesce(acting_user_id, 0) || ' ' || data FROM audit_log
               WHERE modified_user_id = ?1 AND event_type LIKE '%link%' ORDER BY id";
    let database = server.database();
    let rows = database.rows(sql, [user.user_id], |row| row.get::<_, String>(0));
    let rows = rows.expect("rows");
    let (maker, own) = (owner.user_id, user.user_id);
    assert!(
        rows[0].starts_with(&format!("user_password_link_made {maker} ")),
        "{rows:?}"
    );
    let used = format!("user_password_set_by_link {own} {{\"link_made_by\":{maker}}}");
    assert_eq!(rows[1..], [used]);
    assert!(!rows.concat().contains(&token));
}

/// An account that was never used has no history to protect: the links of a new team cause no notices.
#[test]
fn the_first_password_is_no_news() {
    let server = Server::own(Options::default());
    let (owner, user) = (server.user("owner"), server.user("member"));
    let mut queue = Queue::of(&owner, &["message"]);
    follow(&server, &link(&owner, &user), NEW).ok();
    assert_eq!(notices(&owner, &mut queue), [""; 0]);
    follow(&server, &link(&owner, &user), PASSWORD).ok();
    assert_eq!(notices(&owner, &mut queue).len(), 1);
}

#[test]
fn a_link_works_once_and_the_newest_counts() {
    let (owner, user) = (server().user("owner"), server().user("member"));
    let (older, newer) = (link(&owner, &user), link(&owner, &user));
    is_dead(server(), &older);
    follow(server(), &newer, NEW).ok();
    let used = follow(server(), &newer, NEW).error(401, "AUTHENTICATION_FAILED");
    let never_made = "0".repeat(64);
    for other in [never_made.as_str(), "x", &newer.to_uppercase()] {
        let refused = follow(server(), other, NEW).error(401, "AUTHENTICATION_FAILED");
        assert_eq!(refused, used);
    }
    // A link of one kind is not one of the other.
    let token = link(&owner, &user);
    sign_in(server(), &[("sign_in_token", &token)]).error(401, "AUTHENTICATION_FAILED");
    follow(server(), &token, NEW).ok();
    let made = server().admin(&["user", "sign-in-link", "--email", &user.email]);
    let made = made["sign_in_link"].as_str().expect("a link");
    let (_, token) = made.split_once("/#sign-in/").expect("/#sign-in/");
    is_dead(server(), token);
    sign_in(server(), &[("sign_in_token", token)]).ok();
}

#[test]
fn of_many_simultaneous_uses_one_sets_a_password() {
    let (owner, user) = (server().user("owner"), server().user("member"));
    let token = link(&owner, &user);
    let passwords: Vec<String> = (0..6)
        .map(|number| format!("{NEW}, number {number}"))
        .collect();
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let token = token.as_str();
        let tries: Vec<_> = passwords
            .iter()
            .map(|password| scope.spawn(move || follow(server(), token, password).status))
            .collect();
        let tries = tries.into_iter();
        tries.map(|one| one.join().expect("an answer")).collect()
    });
    let of = |status: u16| statuses.iter().filter(|found| **found == status).count();
    assert_eq!((of(200), of(401)), (1, 5), "{statuses:?}");
    // One of those that lost is enough: an account has five tries.
    for expected in [200, 401] {
        let place = statuses.iter().position(|status| *status == expected);
        let password = &passwords[place.expect("a try")];
        let pairs = [("username", user.email.as_str()), ("password", password)];
        assert_eq!(sign_in(server(), &pairs).status, expected);
    }
}

#[test]
fn links_are_for_accounts_of_a_lower_role() {
    let roles = ["owner", "administrator", "moderator", "member", "guest"];
    let users = roles.map(|role| server().user(role));
    let others = roles.map(|role| server().user(role));
    for (maker, user) in users
        .iter()
        .flat_map(|maker| others.iter().map(move |user| (maker, user)))
    {
        let place = |one: &User| {
            users
                .iter()
                .chain(&others)
                .position(|other| other.user_id == one.user_id)
        };
        let (of_maker, of_user) = (
            place(maker).expect("one"),
            place(user).expect("one") - roles.len(),
        );
        let reply = make(maker, user);
        if of_maker == 0 || (of_maker == 1 && of_user > 1) {
            reply.ok();
        } else if of_maker < 4 || reply.body["code"] == "UNAUTHORIZED_PRINCIPAL" {
            reply.error(400, "UNAUTHORIZED_PRINCIPAL");
        } else {
            reply.bad_request();
        }
    }
    let (owner, admin) = (&users[0], &users[1]);
    // A special permission would come with the account.
    let special = server().user("member");
    grant(server(), &special, "can_create_users");
    make(admin, &special).error(400, "UNAUTHORIZED_PRINCIPAL");
    make(owner, &special).ok();
    make(owner, owner).bad_request();
    make(owner, &server().bot()).bad_request();
    let missing = owner.post("/users/999999/password_link", &[]);
    missing.bad_request();
}

#[test]
fn a_link_dies_with_the_right_of_its_maker() {
    let owner = server().user("owner");
    let set_role = |user: &User, role: &str| {
        let path = format!("/users/{}", user.id());
        owner.patch(&path, &[("role", role)]).ok();
    };
    // The account has got a higher role.
    let (admin, user) = (server().user("administrator"), server().user("member"));
    let token = link(&admin, &user);
    set_role(&user, "100");
    is_dead(server(), &token);
    // And a special permission.
    let user = server().user("member");
    let token = link(&admin, &user);
    grant(server(), &user, "can_forge_sender");
    is_dead(server(), &token);
    // The maker is no administrator any more, or has no account any more.
    let tokens = [(); 2].map(|()| link(&admin, &server().user("member")));
    set_role(&admin, "400");
    is_dead(server(), &tokens[0]);
    server().admin(&["user", "deactivate", "--email", &admin.email]);
    is_dead(server(), &tokens[1]);
}

#[test]
fn a_deactivated_account_has_no_links() {
    let (owner, user) = (server().user("owner"), server().user("member"));
    let token = link(&owner, &user);
    server().admin(&["user", "deactivate", "--email", &user.email]);
    is_dead(server(), &token);
    make(&owner, &user).bad_request();
    server().admin(&["user", "reactivate", "--email", &user.email]);
    is_dead(server(), &token);
    follow(server(), &link(&owner, &user), NEW).ok();
    // A password that was set in another way ends the link too.
    let token = link(&owner, &user);
    let words = ["user", "set-password", "--email", &user.email, "--password"];
    server().admin(&[&words[..], &[PASSWORD]].concat());
    is_dead(server(), &token);
}

#[test]
fn a_link_is_valid_for_a_day() {
    let server = Server::own(Options::default());
    if !server.has_test_clock() {
        return;
    }
    let owner = server.user("owner");
    let [in_time, too_late] = [(); 2].map(|()| link(&owner, &server.user("member")));
    server.advance(24 * 3600 - 60);
    follow(&server, &in_time, NEW).ok();
    server.advance(61);
    is_dead(&server, &too_late);
}

/// Guesses are counted by the address, as every request without an account; also a right token waits then.
#[test]
fn guesses_are_limited() {
    let server = Server::own(Options {
        rate_limit_address: 10,
        ..Options::default()
    });
    let owner = server.user("owner");
    let token = link(&owner, &server.user("member"));
    let mut number = 0;
    // Capacity is restored while the guesses run.
    let refused = std::iter::from_fn(|| {
        number += 1;
        Some(follow(&server, &format!("{number:064}"), NEW))
    });
    let refused = refused.take(200).find(|reply| reply.status != 401);
    refused.expect("a refusal").error(429, "RATE_LIMIT_HIT");
    assert!(number > 5, "{number}");
    let refused = (0..5).any(|_| follow(&server, &token, "123456").status == 429);
    assert!(refused);
}

/// The links of a whole team, as a table.
#[test]
fn the_operator_makes_links_for_everybody() {
    let server = Server::own(Options::default());
    let (ann, bob) = (server.user("member"), server.user("guest"));
    let (bot, gone) = (server.bot(), server.user("member"));
    server.admin(&["user", "deactivate", "--email", &gone.email]);
    let words = ["user", "sign-in-links", "--all", "--days", "7"];
    let output = server.admin_text(&words, "csv");
    let mut lines = output.lines();
    assert_eq!(lines.next(), Some("user_id,email,full_name,link,expires"));
    let lines: Vec<&str> = lines.collect();
    let of = |user: &User| {
        let line = lines.iter().find(|line| line.contains(&user.email))?;
        let (_, rest) = line.split_once("/#set-password/")?;
        Some(rest.split(',').next()?.to_owned())
    };
    assert_eq!((of(&bot), of(&gone)), (None, None));
    follow(&server, &of(&ann).expect("a link"), NEW).ok();
    is_dead(&server, &of(&ann).expect("a link"));
    // Ann has signed in since, Bob has not.
    let made = server.admin(&["user", "sign-in-links", "--never-signed-in"]);
    let made = made.as_array().expect("a list");
    let found = |user: &User| made.iter().find(|one| one["user_id"] == user.user_id);
    assert!(found(&ann).is_none());
    let address = found(&bob).expect("Bob")["link"].as_str().expect("a link");
    let (_, token) = address.split_once("/#set-password/").expect("a token");
    is_dead(&server, &of(&bob).expect("an older link"));
    follow(&server, token, NEW).ok();
}
