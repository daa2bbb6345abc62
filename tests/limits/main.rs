//! Rate limits: the counting, the headers, and the refusal (docs/protocol/limits.md#rate-limits,
//! docs/protocol/clients.md#transport, docs/protocol/errors.md#codes). Each test has a server of
//! its own.

mod accounts;
mod written;

use spindle_tests::{Call, Client, Options, Reply, Server};

fn start(user: u32, address: u32) -> Server {
    Server::own(Options {
        rate_limit_user: user,
        rate_limit_address: address,
        ..Options::default()
    })
}

fn number(reply: &Reply, header: &str) -> i64 {
    let text = reply
        .header(header)
        .unwrap_or_else(|| panic!("no {header}"));
    text.parse().unwrap_or_else(|_| panic!("{header}: {text}"))
}

fn refused(reply: Reply) {
    let header: f64 = reply
        .header("retry-after")
        .expect("Retry-After")
        .parse()
        .expect("seconds");
    assert_eq!(number(&reply, "x-ratelimit-remaining"), 0);
    let body = reply.error(429, "RATE_LIMIT_HIT");
    let seconds = body["retry-after"]
        .as_f64()
        .expect("retry-after is a number");
    assert!(seconds > 0.0 && seconds <= 60.0, "{seconds}");
    assert!((header - seconds).abs() <= 1.0, "{header} and {seconds}");
    let mut keys: Vec<&String> = body.as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(keys, ["code", "msg", "result", "retry-after"]);
}

#[test]
fn requests_of_a_user_are_counted_and_headers_say_so() {
    let server = start(30, 0);
    let user = server.user("member");
    let other = server.user("member");
    for used in 1..=30 {
        let reply = user.get("/users/me", &[]);
        assert_eq!(number(&reply, "x-ratelimit-limit"), 30);
        let remaining = number(&reply, "x-ratelimit-remaining");
        // Capacity is restored evenly, so a slow run may send one request more.
        assert!(
            (30 - used..=31 - used).contains(&remaining),
            "{used}: {remaining}"
        );
        let reset = number(&reply, "x-ratelimit-reset");
        let now = spindle_tests::unix_now();
        assert!((now..=now + 61).contains(&reset), "{reset}");
        reply.ok();
    }
    let refusal = until_refused(|| user.get("/users/me", &[]));
    let seconds = refusal.body["retry-after"].as_f64().expect("seconds");
    refused(refusal);
    refused(user.post("/messages", &[]));
    // Other accounts are not affected, and errors count too.
    other.get("/users/me", &[]).ok();
    other
        .delete("/events", &[])
        .error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(
        number(&other.get("/users/me", &[]), "x-ratelimit-remaining"),
        27
    );
    // After the announced wait, a request is served.
    std::thread::sleep(std::time::Duration::from_secs_f64(seconds));
    user.get("/users/me", &[]).ok();
}

/// The refusal after the restored capacity is used up again.
fn until_refused(call: impl Fn() -> Reply) -> Reply {
    (0..5)
        .map(|_| call())
        .find(|reply| reply.status == 429)
        .expect("a refusal")
}

#[test]
fn requests_without_credentials_count_for_the_address() {
    let server = start(0, 4);
    let anonymous = server.anonymous();
    for _ in 0..4 {
        anonymous.get("/server_settings", &[]).ok();
    }
    refused(anonymous.get("/server_settings", &[]));
    refused(anonymous.post("/fetch_api_key", &[("username", "x"), ("password", "y")]));
    // A request without credentials gets that error first.
    anonymous.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    let user = server.user("member");
    user.get("/users/me", &[]).ok();
}

/// A first visit loads more files than an address has requests in a minute.
#[test]
fn files_of_the_web_client_do_not_count() {
    let server = start(0, 4);
    let anonymous = server.anonymous();
    for _ in 0..10 {
        assert_eq!(anonymous.fetch("/", &[]).status, 200);
        assert_eq!(anonymous.fetch("/page/style.css", &[]).status, 200);
    }
    let reply = anonymous.get("/server_settings", &[]);
    assert_eq!(number(&reply, "x-ratelimit-remaining"), 3);
    reply.ok();
}

/// Guesses of invitation keys have the limit of all requests without an account, with or without
/// unverified credentials.
#[test]
fn guesses_of_invitation_keys_are_limited() {
    let server = start(200, 10);
    let guess = |client: &Client, number: u32| {
        let key = format!("{number:064}");
        let pairs = [
            ("key", key.as_str()),
            ("full_name", "Ann"),
            ("password", "correct horse"),
        ];
        if number.is_multiple_of(2) {
            client.get("/invites/join", &[("key", &key)])
        } else {
            client.post("/invites/join", &pairs)
        }
    };
    let made_up = |number: u32| {
        let key = format!("{number:032}");
        Client::new(server.base_url(), Some(("nobody@example.com", &key)))
    };
    let anonymous = server.anonymous();
    for clients in [&(|_| anonymous.clone()) as &dyn Fn(u32) -> Client, &made_up] {
        let refusals = (0..30)
            .filter(|number| guess(&clients(*number), *number).status == 429)
            .count();
        assert!(
            (15..=20).contains(&refusals),
            "{refusals} of thirty guesses were refused"
        );
    }
}

/// Guessed keys must not evade both limits.
#[test]
fn wrong_keys_are_limited() {
    let server = start(200, 10);
    let user = server.user("member");
    user.get("/users/me", &[]).ok();
    let guess = |number: u32| {
        let key = format!("{number:032}");
        Client::new(server.base_url(), Some((&user.email, &key))).get("/users/me", &[])
    };
    let refusals = (0..30)
        .filter(|number| guess(*number).status == 429)
        .count();
    assert!(
        (15..=20).contains(&refusals),
        "{refusals} of thirty guesses were refused"
    );
    refused(guess(99));
    // The right key of the same account, verified before, is not locked out by that.
    user.get("/users/me", &[]).ok();
}

/// The spelling of the authorization header does not matter for the account's limit.
#[test]
fn all_spellings_of_the_header_share_one_limit() {
    let server = start(30, 0);
    let user = server.user("member");
    let spelling = |number: u32| {
        let letters = user.email.chars().enumerate();
        let email: String = letters
            .map(|(place, letter)| match number >> (place % 16) & 1 {
                0 => letter,
                _ => letter.to_ascii_uppercase(),
            })
            .collect();
        let scheme = ["Basic ", "basic ", "BASIC  "][number as usize % 3];
        let header =
            spindle_tests::client::basic(&email, &user.api_key).replacen("Basic ", scheme, 1);
        Client::with_authorization(server.base_url(), Some(header))
    };
    let served = (0..90)
        .filter(|number| match spelling(*number).get("/users/me", &[]) {
            reply if reply.status == 429 => false,
            reply => reply.ok().is_object(),
        })
        .count();
    assert!((30..=45).contains(&served), "{served} of 90 were served");
}

/// Simultaneous guesses are counted before any of them is answered.
#[test]
fn simultaneous_guesses_of_keys_are_limited() {
    let server = start(200, 10);
    let user = server.user("member");
    user.get("/users/me", &[]).ok();
    let guess = |number: u32| {
        let key = format!("{number:032}");
        Client::new(server.base_url(), Some((&user.email, &key))).get("/users/me", &[])
    };
    let looked_at = std::thread::scope(|scope| {
        let guess = &guess;
        let guesses: Vec<_> = (0..64)
            .map(|number| scope.spawn(move || guess(number).status))
            .collect();
        let statuses = guesses
            .into_iter()
            .map(|guess| guess.join().expect("a guess"));
        statuses.filter(|status| *status != 429).count()
    });
    assert!((10..=15).contains(&looked_at), "{looked_at} of 64");
    user.get("/users/me", &[]).ok();
}

/// An invented key must not count as verified because its request needs no account.
#[test]
fn unverified_keys_count_for_the_address() {
    let server = start(200, 10);
    let made_up = |number: u32| {
        let key = format!("{number:032}");
        Client::new(server.base_url(), Some(("nobody@example.com", &key)))
    };
    let refusals = (0..30)
        .filter(|number| made_up(*number).get("/server_settings", &[]).status == 429)
        .count();
    assert!(
        (15..=20).contains(&refusals),
        "{refusals} of thirty requests with made-up keys were refused"
    );
}

/// A session counts for its account, together with the account's keys, so that users behind one
/// address share no limit; invented sessions count for the address.
#[test]
fn sessions_count_for_their_account() {
    let server = start(30, 10);
    let [ann, bob] = [(); 2].map(|()| server.user_with("member", &["--password", RIGHT]));
    let sign_in = |email: &str| {
        let call = Call::new("POST", "/sessions").header("Spindle-Client", "test");
        let reply = server
            .anonymous()
            .send(call.form(&[("username", email), ("password", RIGHT)]));
        let cookie = reply.header("set-cookie").expect("a cookie").to_owned();
        reply.ok();
        cookie
    };
    let get = |cookie: &str, path: &str| {
        let call = Call::new("GET", path).header("Spindle-Client", "test");
        let (cookie, _) = cookie.split_once(';').unwrap_or((cookie, ""));
        server.anonymous().send(call.header("Cookie", cookie))
    };
    let (of_ann, of_bob) = (sign_in(&ann.email), sign_in(&bob.email));
    for _ in 0..29 {
        let reply = get(&of_ann, "/users/me");
        assert_eq!(number(&reply, "x-ratelimit-limit"), 30);
        reply.ok();
    }
    ann.get("/users/me", &[]).ok();
    refused(until_refused(|| get(&of_ann, "/users/me")));
    refused(until_refused(|| ann.get("/users/me", &[])));
    get(&of_bob, "/users/me").ok();
    // Neither has used the limit of others at this address.
    let reply = server.anonymous().get("/server_settings", &[]);
    assert_eq!(number(&reply, "x-ratelimit-limit"), 10);
    reply.ok();
    let refusals = (0..30)
        .filter(|number| {
            let path = ["/users/me", "/server_settings"][number % 2];
            get(&format!("spindle_session={number:064}"), path).status == 429
        })
        .count();
    assert!(
        (15..=20).contains(&refusals),
        "{refusals} of thirty made-up sessions were refused"
    );
    get(&of_bob, "/users/me").ok();
}

/// Five wrong attempts in half an hour per account, in any spelling of its name; a success restores
/// none of them (docs/protocol/limits.md#rate-limits).
#[test]
fn failed_sign_ins_are_limited_per_account() {
    let server = start(0, 0);
    let user = server.user_with("member", &["--password", RIGHT]);
    let other = server.user_with("member", &["--password", RIGHT]);
    let anonymous = server.anonymous();
    let sign_in = |email: &str, password: &str| try_on(&anonymous, email, password);
    for name in [&user.email, &user.email.to_uppercase()].repeat(2) {
        sign_in(name, "wrong").error(401, "AUTHENTICATION_FAILED");
        // A successful attempt does not count, for any account.
        sign_in(name, RIGHT).ok();
        sign_in(&other.email, RIGHT).ok();
    }
    sign_in(&user.email, "wrong").error(401, "AUTHENTICATION_FAILED");
    // The right password is refused too: otherwise guessing could go on.
    let refusal = sign_in(&user.email, RIGHT).error(429, "RATE_LIMIT_HIT");
    let seconds = refusal["retry-after"].as_f64().expect("seconds");
    assert!(seconds > 1700.0 && seconds <= 1800.0, "{seconds}");
    sign_in(&other.email, RIGHT).ok();
    if server.has_test_clock() {
        server.advance(1801);
        sign_in(&user.email, RIGHT).ok();
    }
}

/// Simultaneous guesses are refused above the allowed number too, also when the attacker signs in
/// to an own account in between; other refusals restore no attempts.
#[test]
fn simultaneous_guesses_of_a_password_are_limited() {
    let server = start(0, 0);
    let victim = server.user_with("member", &["--password", RIGHT]);
    let attacker = server.user_with("member", &["--password", RIGHT]);
    let anonymous = server.anonymous();
    let one_after_the_other = (0..32).filter(|number| {
        try_on(&anonymous, &attacker.email, RIGHT).ok();
        // A request that is refused for another reason is not a guess. It gets its own error until
        // there are too many guesses.
        let pairs = [("username", victim.email.as_str())];
        let reply = anonymous.post("/fetch_api_key", &pairs);
        if *number < 5 {
            reply.error(400, "REQUEST_VARIABLE_MISSING");
        } else {
            reply.error(429, "RATE_LIMIT_HIT");
        }
        let guess = format!("guess {number}");
        try_on(&anonymous, &victim.email, &guess).status == 401
    });
    assert_eq!(one_after_the_other.count(), 5);

    let victim = server.user_with("member", &["--password", RIGHT]);
    let threads: Vec<_> = (0..32)
        .map(|number| {
            let (client, email) = (server.anonymous(), victim.email.clone());
            std::thread::spawn(move || try_on(&client, &email, &format!("guess {number}")).status)
        })
        .collect();
    let statuses = threads
        .into_iter()
        .map(|thread| thread.join().expect("an answer"));
    let tried = statuses.filter(|status| *status == 401).count();
    // Each instance of the component that is busy at that moment may admit five.
    assert!((5..=15).contains(&tried), "{tried} guesses");
    try_on(&anonymous, &victim.email, RIGHT).error(429, "RATE_LIMIT_HIT");
}

const RIGHT: &str = "the right one 1";

fn try_on(client: &Client, email: &str, password: &str) -> Reply {
    let pairs = [("username", email), ("password", password)];
    client.post("/fetch_api_key", &pairs)
}

#[test]
fn zero_means_no_limit() {
    let server = start(0, 0);
    let user = server.user("member");
    for _ in 0..300 {
        user.get("/users/me", &[]).ok();
    }
}
