//! Precedence, refusals, and the documented example.

use std::path::Path;

use super::{Config, Options, TABLE, bounds, combinations, defaults, example, file, load};

fn from(text: &str) -> Result<Options, String> {
    match file::parse(Path::new("test.toml"), text) {
        (options, problems) if problems.is_empty() => Ok(options),
        (_, problems) => Err(problems.join("; ")),
    }
}

fn problems(config: &Config) -> Vec<String> {
    [bounds::check(config), combinations(config)].concat()
}

#[test]
fn the_example_is_the_defaults() {
    let parsed = from(&example()).unwrap();
    assert_eq!(parsed, defaults().unwrap());
    assert!(problems(&parsed.resolve().unwrap()).is_empty());
}

#[test]
fn the_example_explains_every_option_and_its_commented_lines_are_valid() {
    let text = example();
    let all: String = text
        .lines()
        .map(|line| format!("{}\n", uncommented(line)))
        .collect();
    let parsed = from(&all).unwrap();
    assert!(parsed.tls_key.is_some() && parsed.external_url.is_some());
    for option in TABLE {
        assert!(!option.lines.is_empty(), "{}", option.name);
        assert_eq!(
            option.environment,
            format!("SPINDLE_{}", option.name.to_uppercase())
        );
        assert!(text.contains(&format!("{} = {}\n", option.name, option.value)));
    }
}

/// Lines such as `# name = value` without the comment sign; prose stays a comment.
fn uncommented(line: &str) -> &str {
    let bare = line.strip_prefix("# ").unwrap_or(line);
    match bare.split_once(" = ") {
        Some((name, _)) if TABLE.iter().any(|option| option.name == name) => bare,
        _ => line,
    }
}

#[test]
fn what_is_given_wins_over_the_file_and_the_file_over_the_default() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.toml");
    std::fs::write(&path, "rate_limit_user = 7\nrate_limit_address = 8\n").unwrap();
    let given = Options {
        rate_limit_user: Some(3),
        ..Options::default()
    };
    let config = load(given, Some(&path)).unwrap();
    assert_eq!((config.rate_limit_user, config.rate_limit_address), (3, 8));
    assert_eq!(config.body_limit.0, 1_048_576);
}

#[test]
fn the_file_in_the_data_directory_is_read_and_may_not_move_it() {
    let folder = tempfile::tempdir().unwrap();
    let given = Options {
        data_dir: Some(folder.path().to_owned()),
        ..Options::default()
    };
    assert_eq!(load(given.clone(), None).unwrap().rate_limit_user, 200);

    let path = folder.path().join(super::FILE_NAME);
    std::fs::write(&path, "rate_limit_user = 7\n").unwrap();
    assert_eq!(load(given.clone(), None).unwrap().rate_limit_user, 7);

    // The documented example, in its documented place, sets the data directory to that directory.
    let itself = format!("data_dir = {:?}\n", folder.path());
    std::fs::write(&path, itself).unwrap();
    assert!(load(given.clone(), None).is_ok());

    std::fs::write(&path, "data_dir = \"elsewhere\"\n").unwrap();
    assert!(
        load(given, None)
            .unwrap_err()
            .to_string()
            .contains("data_dir")
    );
}

#[test]
fn a_link_that_leads_nowhere_is_a_file_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let given = Options {
        data_dir: Some(folder.path().to_owned()),
        ..Options::default()
    };
    let path = folder.path().join(super::FILE_NAME);
    assert!(load(given.clone(), None).is_ok());
    std::os::unix::fs::symlink(folder.path().join("elsewhere.toml"), &path).unwrap();
    let error = load(given, None).unwrap_err().to_string();
    assert!(error.contains(&path.display().to_string()), "{error}");
}

#[test]
fn refusals_name_the_key_and_the_line() {
    let unknown = from("listen = \"127.0.0.1:1\"\nrate_limit_usr = 7\n").unwrap_err();
    assert!(
        unknown.contains("rate_limit_usr") && unknown.contains("line 2"),
        "{unknown}"
    );
    let ill_typed = from("rate_limit_user = \"many\"\n").unwrap_err();
    assert!(
        ill_typed.contains("rate_limit_user") || ill_typed.contains("line 1"),
        "{ill_typed}"
    );
    assert!(from("synchronous = \"off\"\n").is_err());
    assert!(
        from("external_url = \"https://a/\"\n")
            .unwrap_err()
            .contains("slash")
    );
}

#[test]
fn refusals_say_what_is_expected_without_words_of_parsers() {
    for (text, expected) in [
        (
            "rate_limit_user = \"many\"",
            "a whole number from 0 to 4294967295, not \"many\"",
        ),
        ("rate_limit_user = -1", "a whole number from 0"),
        ("body_limit = 1.5", "a whole number of bytes"),
        (
            "memory_budget = \"half\"",
            "such as 536870912 or \"512 MiB\"",
        ),
        ("request_deadline = 1.5", "a whole number, not 1.5"),
        ("listen = \"localhost\"", "such as \"127.0.0.1:3000\""),
        ("listen = 3000", "such as \"127.0.0.1:3000\""),
        ("ops_listen = \"no\"", "\"none\""),
        ("trusted_proxies = \"10.0.0.0/8\"", "a list of networks"),
        ("data_dir = 5", "a path in quotation marks"),
        ("access_log = \"on\"", "true or false"),
        ("synchronous = \"off\"", "\"full\" or \"normal\""),
        ("log_format = \"xml\"", "\"text\" or \"json\""),
        ("log_level = \"chatty\"", "a level (error, warn,"),
    ] {
        let refusal = from(text).unwrap_err();
        assert!(refusal.contains(expected), "{refusal}");
        assert!(refusal.contains("line 1"), "{refusal}");
        for jargon in [
            "u32",
            "u64",
            "usize",
            "invalid type",
            "socket address syntax",
            "variant",
        ] {
            assert!(!refusal.contains(jargon), "{refusal}");
        }
    }
}

#[test]
fn every_mistake_is_named_and_a_misspelt_option_with_the_nearest_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.toml");
    let text = "rate_limit_users = 7\nlisten = 3000\nbody_limit = 0\nmemory_budget = \"1 GiB\"\n\n\
                colour = \"red\"\nmax_instances = 0\n[table]\nx = 1\n";
    std::fs::write(&path, text).unwrap();
    let problems = load(Options::default(), Some(&path))
        .unwrap_err()
        .problems();
    let expected = [
        "line 1, column 1: unknown option rate_limit_users; did you mean rate_limit_user?",
        "line 2, column 10: expected an address",
        "line 6, column 1: unknown option colour; `spindle config example`",
        "column 2: unknown option table",
        "body_limit must be at least 1",
        "max_instances must be at least 1",
    ];
    assert_eq!(problems.len(), expected.len(), "{problems:#?}");
    for (problem, expected) in problems.iter().zip(expected) {
        assert!(problem.contains(expected), "{problem}");
    }
}

#[test]
fn sizes_have_units() {
    for text in ["memory_budget = 536870912", "memory_budget = \"512 MiB\""] {
        let options = from(text).unwrap();
        assert_eq!(options.memory_budget.unwrap().0, 512 << 20);
    }
}

#[test]
fn a_refusal_is_one_line_without_the_password_of_a_database() {
    for (text, expected) in [
        (
            "access_log = true\ndatabase_url = \"mysql://u:throw-away@h/x\"",
            "line 2, column 16: expected a URL such as",
        ),
        (
            "database_url = \"postgres://u:throw-away@h/x",
            "line 1, column",
        ),
        ("database_url = throw-away", "line 1, column"),
        (
            "\n\nrate_limit_user = \"x\"",
            "line 3, column 19: expected a whole number",
        ),
        ("database_urls = \"throw-away\"", "database_urls"),
    ] {
        let refusal = from(text).unwrap_err();
        assert!(refusal.contains(expected), "{refusal}");
        assert!(!refusal.contains("throw-away"), "{refusal}");
        assert_eq!(refusal.lines().count(), 1, "{refusal}");
    }
}

#[test]
fn nothing_that_only_tests_use_is_an_option() {
    assert!(from("test_clock = \"/run/clock\"").is_err());
    assert!(!example().contains("tests"), "{}", example());
}

#[test]
fn impossible_values_are_refused() {
    for text in [
        "body_limit = 0",
        "memory_budget = 268435455",
        "body_limit = 1073741824",
        "body_limit = 99999999999",
        "max_connections = 100000000000",
        "max_instances = 1000000",
        "request_deadline = 99999999999",
        "stop_timeout = 99999999999",
        "rate_limit_user = 4294967295",
        "queue_max_events = 0",
        "max_instances = 0",
        "ops_listen = \"127.0.0.1:3000\"",
        "tls_cert = \"fullchain.pem\"",
        "tls_key = \"privkey.pem\"",
        "hsts_max_age = 31536000",
        "push_service = \"https://push.example.org\"",
        "push_service_id = \"id\"\nexternal_url = \"https://x.org\"",
        "push_service = \"https://p.org\"\npush_service_id = \"id\"\npush_service_key_file = \"key\"",
    ] {
        let config = from(text)
            .unwrap()
            .or(defaults().unwrap())
            .resolve()
            .unwrap();
        assert!(!problems(&config).is_empty(), "{text}");
    }
}

#[test]
fn the_default_budget_is_the_one_of_the_table() {
    let config = defaults().unwrap().resolve().unwrap();
    assert_eq!(config.memory_budget.0, spindle_admission::memory::DEFAULT);
}

#[test]
fn a_missing_file_is_named() {
    let error = load(Options::default(), Some(Path::new("no/such.toml"))).unwrap_err();
    assert!(error.to_string().contains("no/such.toml"));
}
