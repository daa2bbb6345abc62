//! The example for fail2ban: its expressions match the log lines of refused keys and passwords,
//! with the client's address, and no others.
//!
//! Python reads the file and matches, as fail2ban does.

use std::io::Write as _;
use std::process::{Command, Stdio};

use spindle_tests::{Call, Client, Options, Server};

use crate::deploy;
use crate::logs::{until_logged, without_durations_as_text};

/// Prints the address in each line that the filter matches. fail2ban has removed the date from a
/// line of a file, and has added the host and the program to one of the journal; syslog has added them to one of its files.
const MATCH: &str = r#"
import configparser, re, sys
filter = configparser.ConfigParser(interpolation=None)
filter.read(sys.argv[1])
address = r"(?:\[?(?:(?P<ip4>(?:\d{1,3}\.){3}\d{1,3})|(?P<ip6>[0-9a-fA-F:]+))\]?)"
expressions = filter["Definition"]["failregex"].strip().splitlines()
expressions = [re.compile(one.strip().replace("<ADDR>", address)) for one in expressions]
date = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?")
for line in sys.stdin:
    line = line.rstrip("\n")
    found = set()
    for form in (line, date.sub("", line, count=1), "host spindle[12]: " + line, " host spindle[12]: " + line):
        all = [match for match in (one.search(form) for one in expressions) if match]
        found.add(all[0].group("ip4") or all[0].group("ip6") if all else None)
    assert len(found) == 1, (line, found)
    if found != {None}:
        print(found.pop())
"#;

fn banned(log: &str) -> Vec<String> {
    let mut python = Command::new("python3")
        .args(["-c", MATCH])
        .arg(deploy("fail2ban/filter.conf"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3");
    let mut input = python.stdin.take().expect("stdin");
    input.write_all(log.as_bytes()).expect("the log");
    drop(input);
    let output = python.wait_with_output().expect("python3");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(str::to_owned).collect()
}

const WRONG_KEY: &str = "wrongwrongwrongwrongwrongwrong12";
const PASSWORD: &str = "a password that is right";
const WRONG_PASSWORD: &str = "a password that is wrong";

fn finds_what_is_refused(format: &str, level: &str) {
    let extra = [
        ["--trusted-proxies", "127.0.0.1"],
        ["--log-format", format],
        ["--log-level", level],
    ];
    let server = Server::spawn(Options {
        extra: extra.concat().into_iter().map(str::to_owned).collect(),
        ..Options::default()
    });
    let user = server.user_with("member", &["--password", PASSWORD]);
    let stranger = server.anonymous();
    let guess = Client::new(server.base_url(), Some((&user.email, WRONG_KEY)));
    let from = |client: &Client, address: &str, call: Call| {
        client.send(call.header("x-forwarded-for", address)).status
    };
    let sign_in = |password: &str| {
        let pairs = [("username", user.email.as_str()), ("password", password)];
        Call::new("POST", "/fetch_api_key").form(&pairs)
    };
    let own = || Call::new("GET", "/users/me");
    // Successful requests, and failures that are not guesses.
    assert_eq!(from(&user, "203.0.113.1", own()), 200);
    assert_eq!(from(&stranger, "203.0.113.2", sign_in(PASSWORD)), 200);
    assert_eq!(from(&stranger, "203.0.113.3", own()), 401);
    let nothing = Call::new("GET", "/credentials%20refused%20client=203.0.113.4").undocumented();
    assert_eq!(from(&stranger, "203.0.113.4", nothing), 404);
    // Guesses.
    assert_eq!(from(&guess, "203.0.113.5", own()), 401);
    assert_eq!(from(&stranger, "2001:db8::6", sign_in(WRONG_PASSWORD)), 401);
    let hook = Call::new("POST", "/external/json")
        .query(&[("api_key", WRONG_KEY), ("stream", "general")])
        .raw(Some("application/json"), b"{}");
    assert_eq!(from(&stranger, "203.0.113.7", hook.undocumented()), 401);
    let pairs = [("old_password", WRONG_PASSWORD), ("new_password", PASSWORD)];
    let change = Call::new("PATCH", "/settings").form(&pairs);
    assert_eq!(from(&user, "203.0.113.8", change), 400);

    let log = until_logged(&server, "credentials refused", 4);
    let expected = ["203.0.113.5", "2001:db8::6", "203.0.113.7", "203.0.113.8"];
    assert_eq!(banned(&log), expected, "{log}");
    for secret in [
        WRONG_KEY,
        PASSWORD,
        WRONG_PASSWORD,
        &user.api_key,
        &user.email,
    ] {
        assert!(!log.contains(secret), "{secret} in {log}");
    }
    assert!(!log.contains("get-own-user"), "no access log: {log}");
    if format == "json" {
        without_durations_as_text(&log);
    }
}

#[test]
fn the_filter_matches_refused_secrets_in_text_logs() {
    // These lines do not depend on the level.
    finds_what_is_refused("text", "error");
}

#[test]
fn the_filter_matches_refused_secrets_in_json_logs() {
    finds_what_is_refused("json", "info");
}
