//! Templates: what they make of deliveries, and what keeps them within bounds.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::testing::html;

fn topic_and_text(topic: &str, text: &str, body: &Value) -> Result<(String, String), String> {
    let headers = [
        ("X-Event".to_owned(), "push".to_owned()),
        ("X-Hub-Signature-256".to_owned(), "sha256=1".to_owned()),
        ("Authorization".to_owned(), "Bearer 1".to_owned()),
    ];
    let delivery = Delivery {
        headers: &headers,
        body,
        now: 1_772_625_600,
    };
    let message = render(Templates { topic, text }, delivery);
    message
        .map(|message| (message.topic, message.content))
        .map_err(|problem| problem.to_string())
}

#[track_caller]
fn text(template: &str, body: &Value) -> String {
    topic_and_text("", template, body).expect("a text").1
}

#[track_caller]
fn failure(template: &str, body: &Value) -> String {
    topic_and_text("", template, body).expect_err("a problem")
}

#[test]
fn values_are_escaped_unless_a_filter_formats_them() {
    let body = json!({
        "a": "@**all** *x* `y` | # [l](https://x.org)",
        "lines": "one\n# two\n    three\n```\n@**all**",
        "url": "https://x.org/a_b(1)",
        "n": 7, "f": 1.5, "yes": true, "nothing": null, "list": ["x", 1],
    });
    for (template, expected) in [
        (
            "{{ body.a }}",
            "@&#42;&#42;all&#42;&#42; &#42;x&#42; &#96;y&#96; &#124; # [l]&#40;https://x.org)",
        ),
        (
            "{{ body.lines }}",
            "one\n&#35; two\nthree\n&#96;&#96;&#96;\n@&#42;&#42;all&#42;&#42;",
        ),
        (
            "{{ body.n }} {{ body.f }} {{ body.yes }} {{ body.list }}",
            "7 1.5 true ['x', 1&#93;",
        ),
        ("-{{ body.nothing }}{{ body.x.y.z }}{{ x.y }}-", "--"),
        ("{{ 'a*' ~ body.n }}", "a&#42;7"),
        ("{{ ('a*'|bold) ~ '*' }}", "**a&#42;**&#42;"),
        ("{{ [body.n, 'a*']|join('|') }}", "7&#124;a&#42;"),
        ("{{ ['*'|bold, '*']|join('*') }}", "**&#42;**&#42;&#42;"),
        ("{% set x %}**{{ 'a*' }}**{% endset %}{{ x }}", "**a&#42;**"),
        ("{{ 'a*'|e }}{{ 'b*'|escape }}", "a&#42;b&#42;"),
        ("{{ 'a *b*\nc'|bold }}", "**a &#42;b&#42; c**"),
        ("{{ 'a`b'|code }}", "``a`b``"),
        (
            "{{ 'a*'|link(body.url) }}",
            "[a&#42;](https://x.org/a_b%281%29)",
        ),
        ("{{ 'a*'|link('javascript:1') }}", "a&#42;"),
        (
            "{{ 'a*'|bold|link(body.url) }}",
            "[**a&#42;**](https://x.org/a_b%281%29)",
        ),
        ("{{ '**ab**'|cut(3) }}", "&#42;&#42;a…"),
        ("{{ '*ab*'|cut(2)|bold }}", "**&#42;a…**"),
        ("{{ 'a*\nb'|quote }}", "```quote\na&#42;\nb\n```"),
        (
            "{{ ''|quote }}{{ ''|code }}{{ body.x|block }}{{ body.x|bold }}-",
            "-",
        ),
        (
            "Log: {{ 'a*\n```'|block('rust') }} end",
            "Log: \n````rust\na*\n```\n````\n end",
        ),
        (
            "{{ headers['x-event'] }}{{ headers.authorization }}{{ headers['x-hub-signature-256'] }}-",
            "push-",
        ),
        ("{{ now|date }}", "<time:2026-03-04T12:00:00Z>"),
        (
            "{{ '2026-03-04T12:00:00+02:00'|date }}",
            "<time:2026-03-04T10:00:00Z>",
        ),
        ("{{ 1772625600000|date('%d.%m.%Y') }}", "04.03.2026"),
        (
            "{{ '1772625600.5'|date('%H:%M') }}{{ body.x|date }}",
            "12:00",
        ),
        ("{{ '2026-03-04'|date('%j') }}", "063"),
        ("{% if body.n == 7 %}\nyes\n{% endif %}\nend", "yes\nend"),
        (
            "{% for k, v in {'a': 1}|items %}{{ k }}={{ v }}{% endfor %}",
            "a=1",
        ),
    ] {
        assert_eq!(text(template, &body), expected.trim_end(), "{template}");
    }
}

#[test]
fn a_topic_is_plain_text() {
    let body = json!({"a": "*x*\n y", "t": 0});
    let topic = |template| topic_and_text(template, "x", &body).unwrap().0;
    assert_eq!(
        topic("{{ body.a }} {{ 'b*'|bold }} {{ 'c'|code }}"),
        "*x* y b* c"
    );
    assert_eq!(
        topic("{{ 'd'|link('https://x.org') }} {{ body.t|date }}"),
        "d 1970-01-01 00:00"
    );
    assert_eq!(topic(""), "");
}

#[test]
fn mistakes_are_found_before_a_delivery() {
    let check =
        |topic, text| check(Templates { topic, text }).map_err(|problem| problem.to_string());
    assert_eq!(check("", ""), Ok(()));
    assert_eq!(
        check(
            "{{ body.a.b|cut(3) }}",
            "{% for x in body.list %}{{ x|bold }}{% endfor %}"
        ),
        Ok(())
    );
    for (topic, text, begin) in [
        (
            "{{ body.",
            "",
            "topic_template, line 1: unexpected end of input",
        ),
        (
            "",
            "a\n{% if x %}",
            "text_template, line 2: unexpected end of input",
        ),
        (
            "",
            "a\n\n{{ x|nonsense }}",
            "text_template, line 3: filter nonsense is unknown",
        ),
        (
            "",
            "{{ x is nonsense }}",
            "text_template, line 1: test nonsense is unknown",
        ),
        (
            "",
            "{{ nonsense() }}",
            "text_template, line 1: nonsense is unknown",
        ),
        (
            "",
            "{{ x|safe }}",
            "text_template, line 1: filter safe is unknown",
        ),
        (
            "",
            "{{ debug() }}",
            "text_template, line 1: debug is unknown",
        ),
        (
            "",
            "{% include 'x' %}",
            "text_template, line 1: unknown statement include",
        ),
        (
            "",
            "{% import 'x' as y %}",
            "text_template, line 1: unknown statement import",
        ),
        (
            "",
            "{% macro x() %}{% endmacro %}",
            "text_template, line 1: unknown statement macro",
        ),
        (
            "",
            "a\n{%- autoescape 'html' %}{{ body.a|e }}{% endautoescape %}",
            "text_template, line 2: unknown statement autoescape",
        ),
    ] {
        let problem = check(topic, text).expect_err(text);
        assert!(problem.starts_with(begin), "{problem}");
    }
}

#[test]
fn what_fails_is_named() {
    let body = json!({"a": "@**all**", "n": 7});
    for (template, expected) in [
        ("", "text_template: makes an empty text"),
        ("  {{ body.x }}\n", "text_template: makes an empty text"),
        (
            "a\n{{ body.a|date }}",
            "text_template, line 2: date cannot read \"@**all**\" as a time",
        ),
        (
            "{{ 'a'|bold|cut(1) }}",
            "text_template, line 1: cut needs a plain value: put it before the other filters",
        ),
        (
            "{{ 'a'|bold|code }}",
            "text_template, line 1: code needs a plain value: put it before the other filters",
        ),
        (
            "{{ 'a'|block('quote') }}",
            "text_template, line 1: block needs the name of a language, or none",
        ),
    ] {
        assert_eq!(failure(template, &body), expected);
    }
    let long = failure("{{ body.a * 100|date }}", &json!({"a": "x"}));
    assert!(long.chars().count() < 400, "{long}");
}

#[test]
fn steps_memory_and_results_are_bounded() {
    const FUEL: &str = "needs too many steps or too much memory";
    let body = json!({"a": "x".repeat(20_000), "list": vec![1; 40_000]});
    let doubled = format!(
        "{{% set x = body.a %}}{}",
        "{% set x = x ~ x %}".repeat(300)
    );
    for template in [
        "{{ 'x' * 1000000000 }}",
        "{{ 'x' * 99999999999999999999 }}",
        "{{ body.a * 10000 }}",
        "{% for x in range(100000) %}{% for y in range(100000) %}{% endfor %}{% endfor %}",
        "{% for x in range(1000000000) %}{% endfor %}",
        "{% for x in body.list %}{{ body.a }}{% endfor %}",
        "{% for x in body.list %}{% set y = body.a|upper %}{% endfor %}",
        "{% for x in [body.list] recursive %}{{ loop([x]) }}{% endfor %}",
        "{{ body.a|replace('x', body.a) }}",
        "{{ body.list|map('bold')|join(body.a) }}",
        "{{ body.list * 1000000 }}",
        &doubled,
    ] {
        let started = std::time::Instant::now();
        let problem = failure(template, &body);
        let is_bound = [
            FUEL,
            "too large",
            "too long",
            "recursion",
            "range",
            "number",
            "multipl",
            "integer",
        ]
        .iter()
        .any(|bound| problem.contains(bound));
        assert!(is_bound, "{template}: {problem}");
        println!(
            "{:?} {problem}: {}",
            started.elapsed(),
            crate::text::cut(template, 60)
        );
    }
    let problem = failure("{% for x in range(10) %}{{ body.a }}{% endfor %}", &body);
    assert_eq!(problem, "text_template: makes more than 100000 bytes");
    // Nothing is refused that only is longer than a message.
    assert_eq!(text("{{ body.a }}", &body).chars().count(), 9001);
    let deep = format!("{}1{}", "(".repeat(4_000), ")".repeat(4_000));
    assert!(failure(&format!("{{{{ {deep} }}}}"), &body).contains("recursion"));
    let nested = format!(
        "{}x{}",
        "{% if true %}".repeat(500),
        "{% endif %}".repeat(500)
    );
    assert!(failure(&nested, &body).contains("recursion"));
}

#[test]
fn bodies_nest_as_deep_as_json_may() {
    let deep = format!("{}1{}", "[".repeat(120), "]".repeat(120));
    let body = crate::body("", deep.as_bytes());
    assert!(text("{{ body }}", &body).contains('1'));
}

#[test]
fn examples_make_messages() {
    for example in EXAMPLES {
        let templates = Templates {
            topic: example.topic_template,
            text: example.text_template,
        };
        assert_eq!(check(templates), Ok(()), "{}", example.name);
        let body = crate::body("application/json", example.body.as_bytes());
        let (topic, text) =
            topic_and_text(templates.topic, templates.text, &body).expect(example.name);
        assert!(!topic.is_empty(), "{}", example.name);
        assert!(!text.contains("\n\n\n"), "{text}");
        println!("[{topic}]\n{text}\n");
        // Every template says something about a body that it does not fit.
        let other = topic_and_text(templates.topic, templates.text, &json!({}));
        assert!(other.is_ok(), "{}: {other:?}", example.name);
    }
    let (topic, text) = {
        let first = EXAMPLES.first().unwrap();
        let body = crate::body("", first.body.as_bytes());
        topic_and_text(first.topic_template, first.text_template, &body).unwrap()
    };
    assert_eq!(topic, "shop");
    assert_eq!(
        text,
        ":warning: [Too many errors](https://monitoring.example.org/alerts/17) (critical) since \
         <time:2026-03-04T12:00:00Z>\n* **host**: web_2\n* **region**: eu-1\n```quote\n\
         5 % of all requests to &#42;checkout&#42; fail.\n```"
    );
}

#[test]
fn a_notice_shows_the_begin_of_a_body() {
    assert_eq!(shown(&json!("a\u{0}```")), "````\na```\n````");
    assert_eq!(shown(&json!({"a": 1})), "```json\n{\n  \"a\": 1\n}\n```");
    assert!(shown(&json!("x".repeat(9000))).len() < 2_100);
}

/// The letters that a reader sees of Markdown.
fn seen(markdown: &str) -> String {
    let html = html(markdown);
    let text = crate::html::text_of(&html.replace("<a ", "<b "));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const HOSTILE: &str = "[ -~\\n]{0,30}|[*_`@\\[\\]()~$:a<&#;!1./|\\n -]{0,12}";

proptest! {
    #[test]
    fn values_next_to_each_other_show_their_letters(a in HOSTILE, b in HOSTILE) {
        let body = json!({"a": a, "b": b});
        let one = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let made = topic_and_text("", ".{{ body.a }}{{ body.b }}.", &body).unwrap().1;
        prop_assert_eq!(seen(&made), one(&format!(".{a}{b}.")), "{}", made);
    }

    #[test]
    fn values_among_markup_mention_no_one(a in HOSTILE, b in HOSTILE) {
        let body = json!({"a": a, "b": b});
        for template in [
            "{{ body.a }}**{{ body.b }}**",
            "{{ body.a }}\n```\n{{ body.b }}",
            "{{ body.a|block }}{{ body.b }}",
            "x {{ body.a|quote }}{{ body.b|block }}",
            "{{ body.a|bold }}{{ body.b|code }}",
            "{{ body.a|link(body.b) }}",
            "* {{ body.a }}\n* {{ body.b|quote }}",
            "{% set x %}{{ body.a|block }}{{ body.b }}{% endset %}{{ x|quote }}",
        ] {
            // Both may be empty.
            let Ok((_, made)) = topic_and_text("", &format!("-{template}"), &body) else { continue };
            let html = html(&made);
            prop_assert!(!html.contains("mention"), "{template}: {made}");
        }
    }
}
