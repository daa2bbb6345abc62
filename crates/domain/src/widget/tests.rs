//! What widgets may hold.

use super::*;

fn first(content: &str) -> Option<Value> {
    first_submessage(content).map(|text| serde_json::from_str(&text).unwrap())
}

#[test]
fn commands_make_widgets() {
    let poll = |question: &str, options: &[&str]| {
        Some(json!({"widget_type": "poll",
            "extra_data": {"question": question, "options": options}}))
    };
    let table = [
        ("/poll", poll("", &[])),
        ("/poll  Tea? ", poll("Tea?", &[])),
        (
            "/poll Tea?\n- yes\n* no\n\nnot -now",
            poll("Tea?", &["yes", "no", "not -now"]),
        ),
        ("/poll\nyes", poll("", &["yes"])),
        ("/poll Tea?\r\nyes\r\n", poll("Tea?", &["yes"])),
        (
            "/todo Home\nwash: all of it\n- cook",
            Some(
                json!({"widget_type": "todo", "extra_data": {"task_list_title": "Home",
                "tasks": [{"task": "wash", "desc": "all of it"}, {"task": "cook", "desc": ""}]}}),
            ),
        ),
        ("/poll Tea\u{202E}?\nyes\u{200B}", poll("Tea?", &["yes"])),
        ("/polls Tea?", None),
        ("/Poll Tea?", None),
        (" /poll Tea?", None),
        ("see /poll", None),
        ("/me waves", None),
    ];
    for (content, expected) in table {
        assert_eq!(first(content), expected, "{content:?}");
    }
}

#[test]
fn what_may_be_done() {
    use SubmessageProblem::{Meaningless, NotJson, OnlyBySender, Unprintable};
    let (poll, todo) = (Some(WidgetKind::Poll), Some(WidgetKind::Todo));
    let table = [
        (
            poll,
            r#"{"type":"vote","key":"canned,0","vote":1}"#,
            Ok(()),
            Ok(()),
        ),
        (
            poll,
            r#"{"type":"vote","key":"canned,0","vote":-1}"#,
            Ok(()),
            Ok(()),
        ),
        (
            poll,
            r#"{"type":"vote","key":"canned,0","vote":2}"#,
            Err(Meaningless),
            Err(Meaningless),
        ),
        (
            poll,
            r#"{"type":"vote","key":5,"vote":1}"#,
            Err(Meaningless),
            Err(Meaningless),
        ),
        (
            poll,
            r#"{"type":"vote","vote":1}"#,
            Err(Meaningless),
            Err(Meaningless),
        ),
        (
            poll,
            r#"{"type":"vote","key":"a","vote":1,"more":1}"#,
            Err(Meaningless),
            Err(Meaningless),
        ),
        (
            poll,
            r#"{"type":"new_option","option":"x","idx":1000}"#,
            Ok(()),
            Ok(()),
        ),
        (
            poll,
            r#"{"type":"new_option","option":"x","idx":1001}"#,
            Err(Meaningless),
            Err(Meaningless),
        ),
        (
            poll,
            r#"{"type":"new_option","option":"x","idx":-1}"#,
            Err(Meaningless),
            Err(Meaningless),
        ),
        (
            poll,
            r#"{"type":"question","question":"?"}"#,
            Ok(()),
            Err(OnlyBySender),
        ),
        (
            poll,
            r#"{"type":"strike","key":"0,0"}"#,
            Err(Meaningless),
            Err(Meaningless),
        ),
        (todo, r#"{"type":"strike","key":"0,0"}"#, Ok(()), Ok(())),
        (
            todo,
            r#"{"type":"new_task","key":2,"task":"a","desc":"","completed":false}"#,
            Ok(()),
            Ok(()),
        ),
        (
            todo,
            r#"{"type":"new_task","key":2,"task":"a","desc":"","completed":0}"#,
            Err(Meaningless),
            Err(Meaningless),
        ),
        (
            todo,
            r#"{"type":"new_task_list_title","title":"t"}"#,
            Ok(()),
            Err(OnlyBySender),
        ),
        (
            todo,
            r#"{"type":"vote","key":"a","vote":1}"#,
            Err(Meaningless),
            Err(Meaningless),
        ),
        (todo, "[]", Err(Meaningless), Err(Meaningless)),
        (todo, "{", Err(NotJson), Err(NotJson)),
        (
            poll,
            r#"{"type":"new_option","option":"a\u0007","idx":1}"#,
            Err(Unprintable),
            Err(Unprintable),
        ),
        (
            todo,
            "{\"type\":\"new_task\",\"key\":2,\"task\":\"a\u{202E}\",\"desc\":\"\",\"completed\":false}",
            Err(Unprintable),
            Err(Unprintable),
        ),
        (
            todo,
            r#"{"type":"new_task","key":2,"task":"a","desc":"b\n\tc","completed":false}"#,
            Ok(()),
            Ok(()),
        ),
        (
            None,
            r#"{"a\u0000":[{}]}"#,
            Err(Unprintable),
            Err(Unprintable),
        ),
        (
            None,
            r#"{"a":["\u200b"]}"#,
            Err(Unprintable),
            Err(Unprintable),
        ),
        (None, r#"{"anything":1}"#, Ok(()), Ok(())),
        (None, "nothing", Err(NotJson), Err(NotJson)),
    ];
    for (kind, content, by_sender, by_others) in table {
        assert_eq!(
            check_submessage(kind, content, true),
            by_sender,
            "{content}"
        );
        assert_eq!(
            check_submessage(kind, content, false),
            by_others,
            "{content}"
        );
    }
    let long = format!("\"{}\"", "x".repeat(MAX_MESSAGE_LENGTH));
    assert_eq!(check_submessage(None, &long, true), Err(NotJson));
}

#[test]
fn the_kind_is_read_from_the_first() {
    for (content, kind) in [("/poll a", WidgetKind::Poll), ("/todo b", WidgetKind::Todo)] {
        let first = first_submessage(content).unwrap();
        assert_eq!(WidgetKind::of(&first), Some(kind));
    }
    assert_eq!(WidgetKind::of(r#"{"widget_type":"zform"}"#), None);
    assert_eq!(WidgetKind::of("7"), None);
}
