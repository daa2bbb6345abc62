//! Which account a request is charged to: bots, incoming webhooks, ended credentials, names of accounts.

use serde_json::json;
use spindle_tests::{Call, Client, Options, Reply, Server, User, unique};

use super::{RIGHT, number, refused, start, try_on, until_refused};

struct Bot {
    path: String,
    email: String,
    key: String,
    client: Client,
}

fn bot_of(server: &Server, owner: &User, further: &[(&str, &str)]) -> Bot {
    let (full_name, short_name) = (unique("Helper "), unique("helper"));
    let pairs = [
        ("full_name", full_name.as_str()),
        ("short_name", short_name.as_str()),
    ];
    let made = owner.post("/bots", &[&pairs[..], further].concat()).ok();
    let key = made["api_key"].as_str().expect("a key").to_owned();
    let email = format!("{short_name}-bot@127.0.0.1");
    Bot {
        path: format!("/bots/{}", made["user_id"]),
        client: Client::new(server.base_url(), Some((&email, &key))),
        email,
        key,
    }
}

/// All bots of a person are one client, which has five times the requests of a person and takes none of theirs.
#[test]
fn the_bots_of_a_person_share_one_limit_beside_the_person() {
    let server = start(30, 0);
    let (owner, other) = (server.user("member"), server.user("member"));
    let bots = [(); 4].map(|()| bot_of(&server, &owner, &[]));
    let foreign = bot_of(&server, &other, &[]);
    let served = (0..400)
        .filter(|number| bots[number % 4].client.get("/users/me", &[]).status == 200)
        .count();
    assert!((150..=250).contains(&served), "{served} of 400");
    let refusal = until_refused(|| bots[0].client.get("/users/me", &[]));
    assert_eq!(number(&refusal, "x-ratelimit-limit"), 150);
    refused(refusal);
    owner.get("/users/me", &[]).ok();
    foreign.client.get("/users/me", &[]).ok();
}

/// The operator raises the rate of one bot, and takes it back, while the server runs.
#[test]
fn the_operator_sets_the_rate_of_one_bot() {
    let server = Server::spawn(Options {
        rate_limit_user: 4,
        ..Options::default()
    });
    let owner = server.user("member");
    let (fast, other) = (bot_of(&server, &owner, &[]), bot_of(&server, &owner, &[]));
    let limit = |bot: &Bot| number(&bot.client.get("/users/me", &[]), "x-ratelimit-limit");
    fast.client.get("/users/me", &[]).ok();
    assert_eq!(limit(&fast), 20);
    let set = |value: &[&str]| {
        let named = ["user", "set-rate", "--email", &fast.email];
        server.admin(&[&named[..], value].concat())
    };
    let account = set(&["--requests-per-minute", "100"]);
    assert_eq!(account["requests_per_minute"], 100);
    // The server learns it from the answer to a request.
    fast.client.get("/users/me", &[]).ok();
    for _ in 0..60 {
        let reply = fast.client.get("/users/me", &[]);
        assert_eq!(number(&reply, "x-ratelimit-limit"), 100);
        reply.ok();
    }
    other.client.get("/users/me", &[]).ok();
    let reply = other.client.get("/users/me", &[]);
    assert_eq!(number(&reply, "x-ratelimit-limit"), 20);
    assert!(number(&reply, "x-ratelimit-remaining") >= 14);
    let listed = server.admin(&["user", "list"]);
    let rates = listed.as_array().expect("a list").iter();
    let rates = rates.filter_map(|account| account["requests_per_minute"].as_i64());
    assert_eq!(rates.collect::<Vec<_>>(), [100]);

    let account = set(&["--shared"]);
    assert!(account["requests_per_minute"].is_null());
    fast.client.get("/users/me", &[]).ok();
    assert_eq!(limit(&fast), 20);
    let refused_command = |words: &[&str]| {
        let output = server.admin_output(words);
        assert!(!output.status.success(), "{words:?}");
    };
    let person = ["user", "set-rate", "--email", &owner.email];
    refused_command(&[&person[..], &["--shared"]].concat());
    for rate in ["0", "10000001", "many"] {
        let named = ["user", "set-rate", "--email", &fast.email];
        refused_command(&[&named[..], &["--requests-per-minute", rate]].concat());
    }
}

/// A call of an incoming webhook counts for the bot, and not for the address, which many services share.
#[test]
fn incoming_webhooks_count_for_their_bot() {
    let server = start(10, 3);
    let owner = server.user("member");
    let hook = bot_of(&server, &owner, &[("bot_type", "2")]);
    let call = |key: &str| -> Reply {
        let call = Call::new("POST", "/external/json").query(&[("api_key", key)]);
        let call = call.raw(
            Some("application/json"),
            json!({"a": 1}).to_string().as_bytes(),
        );
        server.anonymous().send(call)
    };
    for _ in 0..20 {
        let reply = call(&hook.key);
        assert_ne!(reply.status, 429);
    }
    let reply = call(&hook.key);
    assert_eq!(number(&reply, "x-ratelimit-limit"), 50);
    server.anonymous().get("/server_settings", &[]).ok();
    let wrong = |number: u32| call(&format!("{number:032}")).status == 429;
    assert!((0..10).any(wrong), "guesses count for the address");
}

/// A revoked key cannot use up the requests of its former account.
#[test]
fn a_revoked_key_costs_its_former_account_nothing() {
    let server = start(30, 0);
    let owner = server.user("member");
    let bot = bot_of(&server, &owner, &[]);
    bot.client.get("/users/me", &[]).ok();
    let path = format!("{}/api_key/regenerate", bot.path);
    let made = owner.post(&path, &[]).ok();
    for _ in 0..200 {
        bot.client.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    }
    let key = made["api_key"].as_str().expect("a key");
    let renewed = Client::new(server.base_url(), Some((&bot.email, key)));
    // The first request makes its account known.
    renewed.get("/users/me", &[]).ok();
    let reply = renewed.get("/users/me", &[]);
    assert!(number(&reply, "x-ratelimit-remaining") > 100);
    reply.ok();

    // The same for a session.
    let user = server.user_with("member", &["--password", RIGHT]);
    let call = Call::new("POST", "/sessions").header("Spindle-Client", "test");
    let signed_in = server
        .anonymous()
        .send(call.form(&[("username", &user.email), ("password", RIGHT)]));
    let cookie = signed_in.header("set-cookie").expect("a cookie").to_owned();
    signed_in.ok();
    let (cookie, _) = cookie.split_once(';').expect("attributes");
    let get = || {
        let call = Call::new("GET", "/users/me").header("Spindle-Client", "test");
        server.anonymous().send(call.header("Cookie", cookie))
    };
    get().ok();
    user.delete("/sessions", &[]).ok();
    for _ in 0..60 {
        get().error(401, "UNAUTHORIZED");
    }
    user.get("/users/me", &[]).ok();
}

/// Two addresses find an account whose real one is hidden; both have the same five attempts.
#[test]
fn attempts_count_for_the_account_whatever_names_it() {
    let server = start(0, 0);
    let user = server.user_with("member", &["--password", RIGHT]);
    user.patch("/settings", &[("email_address_visibility", "4")])
        .ok();
    let hidden = user.get("/users/me", &[]);
    assert_eq!(hidden.status, 200);
    let own = hidden.ok();
    let (shown, real) = (
        own["email"].as_str().expect("an address"),
        own["delivery_email"].as_str().expect("an address"),
    );
    assert_ne!(shown, real);
    let anonymous = server.anonymous();
    for name in [real, shown, &real.to_uppercase(), shown, real] {
        try_on(&anonymous, name, "wrong").error(401, "AUTHENTICATION_FAILED");
    }
    for name in [shown, real] {
        try_on(&anonymous, name, RIGHT).error(429, "RATE_LIMIT_HIT");
    }
    // Changing the password requires the old one, which counts for the same account.
    let pairs = [
        ("old_password", "wrong"),
        ("new_password", "unrelated words, three of them"),
    ];
    let by_key = Client::new(server.base_url(), Some((shown, &user.api_key)));
    by_key
        .patch("/settings", &pairs)
        .error(429, "RATE_LIMIT_HIT");
}
