//! Guesses of codes of the second factor, by attackers who know the passwords (docs/adr/0071-second-factor.md).

use spindle_tests::{Call, Options, Phone, Reply, Server, User};

use crate::attack::{Attack, Work};
use crate::attacker::{Attacker, refused_at_once};
use crate::bystander::Bystander;

const PASSWORD: &str = "a password that others know";
/// After so many wrong codes in a row, none is compared for a while.
const WRONG_CODES: i64 = 10;
/// Wrong codes that are compared in half an hour after a right password, but for attempts that begin at the same moment.
const ATTEMPTS: i64 = 5;
const CONNECTIONS: usize = 16;
const ACCOUNTS: usize = 24;

/// A person with a password and a second factor.
struct Person {
    user: User,
    phone: Phone,
    recovery_codes: Vec<String>,
}

fn person(server: &Server) -> Person {
    let user = server.user_with("member", &["--password", PASSWORD]);
    let begun = user.post("/second_factor/totp", &[("password", PASSWORD)]);
    let begun = begun.ok();
    let mut phone = Phone::new(begun["secret"].as_str().expect("a secret"));
    let code = phone.code();
    let confirmed = user.post("/second_factor/totp/confirm", &[("code", &code)]);
    let codes = confirmed.ok()["recovery_codes"].clone();
    let codes = codes.as_array().expect("codes").iter();
    Person {
        user,
        phone,
        recovery_codes: codes
            .map(|code| code.as_str().expect("a code").to_owned())
            .collect(),
    }
}

/// Accounts with the password and a second factor each, written as enrolling does: hashing so many passwords takes long.
fn people(server: &Server) -> Vec<User> {
    let first = person(server).user;
    let further = (1..ACCOUNTS).map(|_| {
        let user = server.user("member");
        let database = server.database();
        let set = "UPDATE users SET second_factor_since = unixepoch(), \
            password_hash = (SELECT password_hash FROM users WHERE id = ?1) WHERE id = ?2";
        database
            .execute(set, (first.user_id, user.user_id))
            .expect("a row");
        let insert = "INSERT INTO totp (user_id, secret, created, confirmed) \
            VALUES (?1, randomblob(20), unixepoch(), unixepoch())";
        database.execute(insert, [user.user_id]).expect("a row");
        user
    });
    let further: Vec<User> = further.collect();
    std::iter::once(first).chain(further).collect()
}

/// Guesses codes of these accounts in turn, with the right password. A guess may be right by chance, so the attack does not
/// fail then: what counts is how many are compared.
fn with_passwords(server: &Server, users: &[&User]) -> Work {
    let stranger = [Attacker::anonymous(server).without_limit()];
    let names: Vec<String> = users.iter().map(|user| user.email.clone()).collect();
    Box::new(move |is_over| {
        refused_at_once(&stranger, CONNECTIONS, is_over, |attacker, number| {
            let name = &names[number % names.len()];
            let code = format!("{:06}", number % 1_000_000);
            let pairs = [
                ("username", name.as_str()),
                ("password", PASSWORD),
                ("second_factor", code.as_str()),
            ];
            attacker.call(is_over, "POST", "/fetch_api_key", &pairs);
        });
    })
}

/// Guesses with a link that signs in, for which no limit on passwords counts.
fn with_link(server: &Server, token: &str) -> Work {
    let stranger = [Attacker::anonymous(server).without_limit().in_page()];
    let token = token.to_owned();
    Box::new(move |is_over| {
        refused_at_once(&stranger, CONNECTIONS, is_over, |attacker, number| {
            let code = format!("{:06}", number % 1_000_000);
            let pairs = [
                ("sign_in_token", token.as_str()),
                ("second_factor", code.as_str()),
            ];
            attacker.call(is_over, "POST", "/sessions", &pairs);
        });
    })
}

fn wrong_codes(server: &Server, user: &User) -> i64 {
    let sql = "SELECT wrong_codes FROM totp WHERE user_id = ?1";
    let database = server.database();
    let found = database.query_row(sql, [user.user_id], |row| row.get(0));
    found.expect("a row")
}

fn sign_in(server: &Server, user: &User, code: &str) -> Reply {
    let pairs = [
        ("username", user.email.as_str()),
        ("password", PASSWORD),
        ("second_factor", code),
    ];
    server.anonymous().post("/fetch_api_key", &pairs)
}

pub const OF_ONE: Attack = Attack::new("guesses at the codes of one account", |server| {
    with_passwords(server, &[&person(server).user])
});

pub const OF_MANY: Attack = Attack::new("guesses at the codes of many accounts", |server| {
    with_passwords(server, &people(server).iter().collect::<Vec<_>>())
});

/// The account's sign-in is blocked for half an hour, also with the right code; its keys go on working.
#[test]
fn guesses_at_the_codes_of_one_account_are_withstood() {
    let server = Server::spawn(Options::default());
    let mut person = person(&server);
    let user = &person.user;
    println!("{}", OF_ONE.name);
    let work = with_passwords(&server, &[user]);
    Bystander::new(&server).beside(work);
    let wrong = wrong_codes(&server, user);
    assert!((1..=WRONG_CODES).contains(&wrong), "{wrong} compared");
    user.get("/users/me", &[]).ok();
    sign_in(&server, user, &person.phone.code()).error(429, "RATE_LIMIT_HIT");
    server.advance(31 * 60);
    // A recovery code cannot be guessed, so it works even while codes of the app are not compared.
    sign_in(&server, user, &person.recovery_codes[0]).ok();
}

/// Every account has its own limit, and no account costs another person the sign-in.
#[test]
fn guesses_at_the_codes_of_many_accounts_are_withstood() {
    let server = Server::spawn(Options::default());
    let users = people(&server);
    let other = person(&server);
    println!("{}", OF_MANY.name);
    let work = with_passwords(&server, &users.iter().collect::<Vec<_>>());
    Bystander::new(&server).beside(work);
    let compared: Vec<i64> = users
        .iter()
        .map(|user| wrong_codes(&server, user))
        .collect();
    println!("{compared:?}");
    // The connections take the accounts in turn: two of them come to each account.
    assert!(compared.iter().all(|&wrong| wrong <= ATTEMPTS + 2));
    assert!(compared.iter().sum::<i64>() > 0, "nothing was guessed");
    sign_in(&server, &other.user, &other.recovery_codes[0]).ok();
}

/// Where only the row counts, it counts exactly, however many guess at the same moment.
#[test]
fn guesses_with_a_link_are_withstood() {
    let server = Server::spawn(Options::default());
    let mut person = person(&server);
    let user = &person.user;
    let made = server.admin(&["user", "sign-in-link", "--email", &user.email]);
    let link = made["sign_in_link"].as_str().expect("a link");
    let (_, token) = link.split_once("/#sign-in/").expect("a token");
    println!("guesses at the codes of one account, with a link");
    let work = with_link(&server, token);
    Bystander::new(&server).beside(work);
    assert_eq!(wrong_codes(&server, user), WRONG_CODES);
    let by_link = |code: &str| {
        let pairs = [("sign_in_token", token), ("second_factor", code)];
        let call = Call::new("POST", "/sessions").form(&pairs);
        let call = call.header("Spindle-Client", "test");
        server.anonymous().send(call)
    };
    by_link(&person.phone.code()).error(429, "RATE_LIMIT_HIT");
    by_link(&person.recovery_codes[0]).ok();
}
