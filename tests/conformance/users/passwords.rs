//! New passwords: one rule for every operation that sets one, and rehashing (`password_min_guesses`
//! of the register response; our own texts).

use spindle_tests::{Reply, User, unique};

use super::grant;
use crate::support::server;

const GOOD: &str = "three words, unrelated";
/// Among the first guesses of every attacker, although long enough.
const WEAK: [&str; 5] = [
    "123456",
    "Password1",
    "qwertyuiop",
    "aaaaaaaa",
    "Summer2024",
];

/// The text of the error, which says what the password lacks.
#[track_caller]
fn refused(reply: Reply) -> String {
    let body = reply.bad_request();
    let text = body["msg"].as_str().expect("a text").to_owned();
    assert!(
        text.starts_with("The password is too easy to guess: "),
        "{text}"
    );
    text
}

fn sign_in(email: &str, password: &str) -> Reply {
    let pairs = [("username", email), ("password", password)];
    server().anonymous().post("/fetch_api_key", &pairs)
}

#[test]
fn every_operation_refuses_weak_passwords() {
    let admin = server().user("administrator");
    grant(server(), &admin, "can_create_users");
    let link = admin.post("/invites/multiuse", &[]).ok();
    let link = link["invite_link"].as_str().unwrap();
    let (_, key) = link.rsplit_once("/join/").expect("/join/");
    let email = format!("{}@example.com", unique("newcomer.n"));
    let user = server().user_with("member", &["--password", GOOD]);
    let make = |password: &str| {
        let pairs = [
            ("email", email.as_str()),
            ("full_name", "New Person"),
            ("password", password),
        ];
        admin.post("/users", &pairs)
    };
    let join = |password: &str| {
        let pairs = [
            ("key", key),
            ("email", email.as_str()),
            ("full_name", "New Person"),
            ("password", password),
        ];
        server().anonymous().post("/invites/join", &pairs)
    };
    let change = |password: &str| {
        let pairs = [("new_password", password), ("old_password", GOOD)];
        user.patch("/settings", &pairs)
    };
    for weak in WEAK {
        let texts = [
            refused(make(weak)),
            refused(join(weak)),
            refused(change(weak)),
        ];
        assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
        command_refuses(&user, weak);
    }
    // The own name is one of the first guesses of an attacker who knows it.
    for own in ["newperson1", "Person2020", "newcomer"] {
        let text = refused(join(own));
        assert!(text.contains("your own name"), "{own}: {text}");
    }
    sign_in(&user.email, GOOD).ok();
    join(GOOD).ok();
}

/// The operator's commands.
#[track_caller]
fn command_refuses(user: &User, password: &str) {
    let email = user.email.as_str();
    let set = ["user", "set-password", "--email", email];
    let other = format!("{}@example.com", unique("other"));
    let make = ["user", "create", "--full-name", "Other", "--email", &other];
    for words in [&set[..], &make[..]] {
        let words = [words, &["--password", password]].concat();
        let output = server().admin_output(&words);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{words:?}");
        assert!(text.contains("too easy to guess"), "{text}");
    }
}

/// A hash with older parameters is replaced at the next sign-in with the right password, and only
/// then.
#[test]
fn a_hash_with_older_parameters_is_replaced() {
    /// With the parameters of earlier versions.
    const OLD: &str = "$argon2id$v=19$m=19456,t=2,p=1$EJvaDgQ8dJTD7KEZnL5bww$\
                       h42g9l0RY4cplXpobKkSkHWRcgffexn9rcqdfh6gZvA";
    const OLD_PASSWORD: &str = "the password of the owner";
    let user = server().user_with("member", &["--password", GOOD]);
    let database = server().database();
    let stored = || -> String {
        let sql = "SELECT password_hash FROM users WHERE id = ?1";
        database
            .query_row(sql, [user.user_id], |row| row.get(0))
            .expect("a hash")
    };
    let current = stored();
    let parameters = |hash: &str| hash.split('$').nth(3).map(str::to_owned);
    assert_ne!(parameters(&current), parameters(OLD));
    sign_in(&user.email, GOOD).ok();
    assert_eq!(stored(), current, "nothing to renew");
    let set = "UPDATE users SET password_hash = ?2 WHERE id = ?1";
    database
        .execute(set, (user.user_id, OLD))
        .expect("an older hash");
    sign_in(&user.email, GOOD).error(401, "AUTHENTICATION_FAILED");
    assert_eq!(stored(), OLD, "a wrong password proves nothing");
    sign_in(&user.email, OLD_PASSWORD).ok();
    let renewed = stored();
    assert_eq!(parameters(&renewed), parameters(&current));
    sign_in(&user.email, OLD_PASSWORD).ok();
    assert_eq!(stored(), renewed);
}

/// While many sign in, other requests are served by the same components.
#[test]
fn many_sign_ins_delay_no_other_requests() {
    const FLOOD: usize = 12;
    let user = server().user("member");
    std::thread::scope(|scope| {
        let flood: Vec<_> = (0..FLOOD)
            .map(|_| {
                scope.spawn(|| {
                    let name = format!("{}@example.com", unique("nobody"));
                    sign_in(&name, "not a password").error(401, "AUTHENTICATION_FAILED");
                })
            })
            .collect();
        let mut rounds = 0;
        while rounds < 10 || flood.iter().any(|one| !one.is_finished()) {
            server().anonymous().get("/server_settings", &[]).ok();
            user.get("/users/me", &[]).ok();
            user.patch("/settings", &[("enter_sends", "true")]).ok();
            rounds += 1;
        }
        for one in flood {
            one.join().expect("an answer");
        }
    });
}
