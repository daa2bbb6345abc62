//! POST /realm/filters (docs/protocol/linkifiers.md#linkifier,
//! docs/protocol/linkifiers.md#add_linkifier).

use serde_json::{Value, json};
use spindle_tests::{User, unique};

use super::{FILTERS, add, alone, ids, queue, record, settled};

fn refused(user: &User, pairs: &[(&str, &str)]) -> Vec<String> {
    let before = ids(user);
    let body = user.post(FILTERS, pairs).bad_request();
    assert_eq!(ids(user), before, "an error changes nothing");
    let errors = body["errors"].as_object().expect("errors");
    let texts: Vec<&Value> = errors
        .values()
        .flat_map(|texts| texts.as_array().unwrap())
        .collect();
    assert!(texts.contains(&&body["msg"]), "msg is one of the texts");
    errors.keys().cloned().collect()
}

#[test]
fn a_new_linkifier_is_the_last_of_the_list() {
    let server = alone();
    let admin = server.user("administrator");
    let (first, second) = (add(&admin, &unique("f")), add(&admin, &unique("s")));
    assert!(ids(&admin).ends_with(&[first, second]));
    let owner = server.user("owner");
    let third = add(&owner, &unique("t"));
    assert!(ids(&admin).ends_with(&[first, second, third]));
}

#[test]
fn all_fields_of_a_linkifier_are_stored() {
    let server = alone();
    let admin = server.user("administrator");
    let prefix = unique("x");
    let pattern = format!("{prefix}-(?P<org>[a-z]+)#(?P<id>[0-9]+)");
    let (example, reverse) = (
        format!("{prefix}-ab#12"),
        format!("{prefix}-{{org}}#{{id}}"),
    );
    let pairs = [
        ("pattern", format!("  {pattern}\n")),
        ("url_template", " https://t.example/{org}/{id} ".to_owned()),
        ("example_input", example.clone()),
        ("reverse_template", reverse.clone()),
        (
            "alternative_url_templates",
            json!(["https://u.example/{id}", "https://v.example/{?q}"]).to_string(),
        ),
    ];
    let pairs = pairs.each_ref().map(|(name, text)| (*name, text.as_str()));
    let id = admin.post(FILTERS, &pairs).ok()["id"].as_i64().unwrap();
    assert_eq!(
        record(&admin, id),
        json!({"id": id, "pattern": pattern, "url_template": "https://t.example/{org}/{id}",
            "example_input": example, "reverse_template": reverse,
            "alternative_url_templates": ["https://u.example/{id}", "https://v.example/{?q}"]})
    );
}

#[test]
fn optional_fields_may_be_null() {
    let server = alone();
    let admin = server.user("administrator");
    for text in ["null", ""] {
        let pattern = format!("{}(?P<id>[0-9]+)", unique("n"));
        let pairs = [
            ("pattern", pattern.as_str()),
            ("url_template", "https://t.example/{id}"),
            ("example_input", text),
            ("reverse_template", text),
        ];
        let id = admin.post(FILTERS, &pairs).ok()["id"].as_i64().unwrap();
        let record = record(&admin, id);
        assert_eq!(record["example_input"], Value::Null);
        assert_eq!(record["reverse_template"], Value::Null);
        assert_eq!(record["alternative_url_templates"], json!([]));
    }
}

#[test]
fn the_parameters_of_a_linkifier_are_checked_in_order() {
    let server = alone();
    let admin = server.user("administrator");
    let missing = |pairs: &[(&str, &str)]| {
        admin
            .post(FILTERS, pairs)
            .error(400, "REQUEST_VARIABLE_MISSING")["var_name"]
            .clone()
    };
    assert_eq!(missing(&[]), "pattern");
    assert_eq!(missing(&[("pattern", "(")]), "url_template");
    for wrong in ["x", "[1]", "{}", "null"] {
        let pairs = [
            ("pattern", "("),
            ("url_template", "{"),
            ("alternative_url_templates", wrong),
        ];
        let body = admin.post(FILTERS, &pairs).bad_request();
        assert!(body.get("errors").is_none(), "{body}");
    }
    // The role is checked before the parameters.
    server
        .user("moderator")
        .post(FILTERS, &[])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
}

#[test]
fn templates_are_addresses_without_scripts() {
    let server = alone();
    let admin = server.user("administrator");
    for template in [
        "javascript:alert({id})",
        "JAVASCRIPT:alert({id})",
        "data:text/html,{id}",
        "vbscript:{id}",
        "https://t.example/\u{1B}{id}",
        "https://t.example/\u{202E}{id}",
    ] {
        let pairs = [("pattern", "x#(?P<id>[0-9]+)"), ("url_template", template)];
        assert_eq!(refused(&admin, &pairs), ["url_template"], "{template:?}");
        let list = json!([template]).to_string();
        let pairs = [
            ("pattern", "x#(?P<id>[0-9]+)"),
            ("url_template", "https://t.example/{id}"),
            ("alternative_url_templates", &list),
        ];
        assert_eq!(refused(&admin, &pairs), ["alternative_url_templates"]);
    }
    for pattern in ["x\u{7}(?P<id>[0-9]+)", "x\u{200B}(?P<id>[0-9]+)"] {
        let pairs = [
            ("pattern", pattern),
            ("url_template", "https://t.example/{id}"),
        ];
        assert_eq!(refused(&admin, &pairs), ["pattern"], "{pattern:?}");
    }
}

#[test]
fn patterns_have_the_syntax_of_re2() {
    let server = alone();
    let admin = server.user("administrator");
    let long = "a".repeat(5001);
    for pattern in [
        "",
        "   ",
        "(",
        ")",
        "[",
        "a*",
        "x?|y?",
        "a(?=b)",
        "a(?!b)",
        "(?<=a)b",
        "(?<!a)b",
        r"(a)\1",
        "(?P<x>a)(?P=x)",
        "(?P<1>a)",
        "a{1001}{1001}{1001}",
        long.as_str(),
    ] {
        let pairs = [("pattern", pattern), ("url_template", "https://t.example/")];
        assert_eq!(refused(&admin, &pairs), ["pattern"], "{pattern}");
    }
    let nested = "(".repeat(60) + "a" + &")".repeat(60);
    let pairs = [
        ("pattern", nested.as_str()),
        ("url_template", "https://t.example/"),
    ];
    assert_eq!(refused(&admin, &pairs), ["pattern"]);
}

#[test]
fn templates_have_the_syntax_of_rfc_6570() {
    let server = alone();
    let admin = server.user("administrator");
    for template in [
        "", "{", "}", "{}", "{id", "{i d}", "{id:0}", "{id:x}", "{=id}", "{id,}",
    ] {
        let pairs = [("pattern", "#(?P<id>[0-9]+)"), ("url_template", template)];
        assert_eq!(refused(&admin, &pairs), ["url_template"], "{template}");
    }
    for template in [
        "{id}", "{+id}", "{#id}", "{.id}", "{/id}", "{;id}", "{?id}", "{&id}", "{id:3}", "{id*}",
    ] {
        let pattern = format!("{}(?P<id>[0-9]+)", unique("r"));
        let template = format!("https://t.example/{template}");
        let pairs = [("pattern", pattern.as_str()), ("url_template", &template)];
        admin.post(FILTERS, &pairs).ok();
    }
    let pairs = [
        ("pattern", "#(?P<id>[0-9]+)"),
        ("url_template", "https://t.example/{id}"),
        (
            "alternative_url_templates",
            "[\"https://u.example/\", \"{\"]",
        ),
    ];
    assert_eq!(refused(&admin, &pairs), ["alternative_url_templates"]);
}

#[test]
fn several_fields_are_reported_at_once() {
    let server = alone();
    let admin = server.user("administrator");
    let pairs = [
        ("pattern", "("),
        ("url_template", "{"),
        ("alternative_url_templates", "[\"{\"]"),
    ];
    assert_eq!(
        refused(&admin, &pairs),
        ["alternative_url_templates", "pattern", "url_template"]
    );
}

#[test]
fn groups_of_the_pattern_and_variables_of_the_template_must_match() {
    let server = alone();
    let admin = server.user("administrator");
    let whole = |pattern: &str, template: &str| {
        let pairs = [("pattern", pattern), ("url_template", template)];
        assert_eq!(refused(&admin, &pairs), ["__all__"]);
        admin.post(FILTERS, &pairs).bad_request()["msg"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let msg = whole("(?P<z>a)(?P<b>c)", "https://t.example/{z}{y}{x}{b}");
    assert!(msg.contains("\"x\""), "the first of the alphabet: {msg}");
    let msg = whole("(?P<z>a)(?P<b>c)(?P<a>d)", "https://t.example/{z}");
    assert!(msg.contains("\"a\""), "the first of the alphabet: {msg}");
    whole("#[0-9]+", "https://t.example/{id}");
    whole("#(?P<id>[0-9]+)", "https://t.example/");
}

#[test]
fn patterns_are_unique() {
    let server = alone();
    let admin = server.user("administrator");
    let prefix = unique("u");
    add(&admin, &prefix);
    let pattern = format!(" {prefix}(?P<id>[0-9]+) ");
    let pairs = [
        ("pattern", pattern.as_str()),
        ("url_template", "https://other.example/{id}"),
    ];
    assert_eq!(refused(&admin, &pairs), ["__all__"]);
}

#[test]
fn the_reverse_template_must_produce_the_example() {
    let server = alone();
    let admin = server.user("administrator");
    let try_with = |example: &str, reverse: &str| {
        let pairs = [
            ("pattern", "(?P<org>[a-z]*)#(?P<id>[0-9]+)"),
            ("url_template", "https://t.example/{org}/{id}"),
            ("example_input", example),
            ("reverse_template", reverse),
        ];
        refused(&admin, &pairs)
    };
    assert_eq!(
        try_with("", "{org}#{id}"),
        ["reverse_template"],
        "no example"
    );
    assert_eq!(try_with("ab#x", ""), ["example_input"]);
    assert_eq!(
        try_with("see ab#12", ""),
        ["example_input"],
        "the whole of it"
    );
    for reverse in [
        "{org}/{id}",
        "{org}#",
        "{org}#{nr}",
        "{org}#{id",
        "{{org}}#{id}",
        "}",
    ] {
        assert_eq!(
            try_with("ab#12", reverse),
            ["reverse_template"],
            "{reverse}"
        );
    }
    let pattern = format!(r"{}\{{(?P<id>[0-9]+)\}}", unique("b"));
    let prefix = pattern.split('\\').next().unwrap();
    let (example, reverse) = (format!("{prefix}{{7}}"), format!("{prefix}{{{{{{id}}}}}}"));
    let pairs = [
        ("pattern", pattern.as_str()),
        ("url_template", "https://t.example/{id}"),
        ("example_input", &example),
        ("reverse_template", &reverse),
    ];
    let id = admin.post(FILTERS, &pairs).ok()["id"].as_i64().unwrap();
    assert_eq!(record(&admin, id)["reverse_template"], reverse.as_str());
}

#[test]
fn clients_with_the_capability_receive_the_whole_list() {
    let server = alone();
    let (admin, guest) = (server.user("administrator"), server.user("guest"));
    let mut queues = [queue(&guest, true), queue(&guest, false)];
    let id = add(&admin, &unique("e"));
    let [new, old] = queues.each_mut().map(|queue| settled(queue, &admin));
    assert_eq!(new.len(), 1, "{new:?}");
    let received = new[0]["realm_linkifiers"].as_array().unwrap();
    assert_eq!(*received, super::list(&guest), "the whole list, in order");
    assert_eq!(received.last().unwrap()["id"], id);
    assert!(old.is_empty(), "{old:?}");
    admin
        .post(FILTERS, &[("pattern", "("), ("url_template", "x")])
        .bad_request();
    let after = settled(&mut queues[0], &admin);
    assert!(after.is_empty(), "an error sends no event: {after:?}");
}

#[test]
fn only_administrators_add_linkifiers() {
    let server = alone();
    for role in ["moderator", "member", "guest"] {
        let pairs = [("pattern", "x"), ("url_template", "https://t.example/")];
        server
            .user(role)
            .post(FILTERS, &pairs)
            .error(400, "UNAUTHORIZED_PRINCIPAL");
    }
}
