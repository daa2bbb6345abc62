//! Both written forms of a narrow, every operator, and the refused forms.

use super::*;
use crate::Code;
use spindle_domain::narrow::{ChannelReference, ChannelsKind, MessagePart, MessageScope};
use spindle_domain::{ChannelId, MessageId, UserId};

fn email(email: &str) -> UserReference {
    UserReference::Email(email.to_owned())
}

fn one(text: &str) -> NarrowFilter {
    let mut terms = parse(text).unwrap();
    assert_eq!(terms.len(), 1);
    terms.remove(0).filter
}

#[test]
fn both_forms_say_the_same() {
    let pair = parse(r#"[["stream","general"],["topic"," Lunch "]]"#).unwrap();
    let object = parse(
        r#"[{"operator":"channel","operand":"general"},{"operator":"topic","operand":"Lunch"}]"#,
    )
    .unwrap();
    assert_eq!(pair, object);
    assert!(parse("[]").unwrap().is_empty());
}

#[test]
fn every_operator_and_alias_is_understood() {
    let id = |id| UserReference::Id(UserId(id));
    let table = [
        (r#"["stream", 5]"#, None),
        (
            r#"["channel","5"]"#,
            Some(NarrowFilter::Channel(ChannelReference::Name("5".into()))),
        ),
        (
            r#"{"operator":"stream","operand":5}"#,
            Some(NarrowFilter::Channel(ChannelReference::Id(ChannelId(5)))),
        ),
        (
            r#"["streams","web-public"]"#,
            Some(NarrowFilter::Channels(ChannelsKind::WebPublic)),
        ),
        (
            r#"["streams","archived"]"#,
            Some(NarrowFilter::Channels(ChannelsKind::Archived)),
        ),
        (r#"["topic",""]"#, Some(NarrowFilter::Topic(String::new()))),
        (
            r#"["from","a@b"]"#,
            Some(NarrowFilter::Sender(email("a@b"))),
        ),
        (
            r#"["pm-with","a@x, b@x"]"#,
            Some(NarrowFilter::Dm(vec![email("a@x"), email("b@x")])),
        ),
        (r#"["sender","9"]"#, Some(NarrowFilter::Sender(id(9)))),
        (
            r#"["dm","3, 4"]"#,
            Some(NarrowFilter::Dm(vec![id(3), id(4)])),
        ),
        (
            r#"{"operator":"dm","operand":[3,4]}"#,
            Some(NarrowFilter::Dm(vec![id(3), id(4)])),
        ),
        (
            r#"{"operator":"dm-including","operand":3}"#,
            Some(NarrowFilter::DmIncluding(vec![id(3)])),
        ),
        (
            r#"["is","private"]"#,
            Some(NarrowFilter::Is(MessageState::Dm)),
        ),
        (
            r#"["has","image"]"#,
            Some(NarrowFilter::Has(MessagePart::Image)),
        ),
        (
            r#"["in","home"]"#,
            Some(NarrowFilter::In(MessageScope::Home)),
        ),
        (r#"["id","17"]"#, Some(NarrowFilter::Id(MessageId(17)))),
        (
            r#"{"operator":"near","operand":17}"#,
            Some(NarrowFilter::Near(MessageId(17))),
        ),
        (
            r#"{"operator":"with","operand":17}"#,
            Some(NarrowFilter::With(MessageId(17))),
        ),
        (
            r#"{"operator":"mentions","operand":9}"#,
            Some(NarrowFilter::Mentions(id(9))),
        ),
        (
            r#"["search"," two words "]"#,
            Some(NarrowFilter::Search("two words".into())),
        ),
    ];
    for (term, expected) in table {
        let text = format!("[{term}]");
        match expected {
            Some(expected) => assert_eq!(one(&text), expected, "{term}"),
            None => assert_eq!(parse(&text).unwrap_err().code(), Code::BadRequest, "{term}"),
        }
    }
}

#[test]
fn negation_is_read() {
    let terms = parse(r#"[{"operator":"is","operand":"dm","negated":true}]"#).unwrap();
    assert!(terms[0].negated);
}

#[test]
fn a_wrong_shape_is_a_bad_request_that_names_the_place() {
    let table = [
        (r#"[{"operand":"x"}]"#, r#"narrow[0]["operator"]"#),
        (
            r#"[["is","dm"],{"operator":"is"}]"#,
            r#"narrow[1]["operand"]"#,
        ),
        (
            r#"[{"operator":"is","operand":1}]"#,
            r#"narrow[0]["operand"]"#,
        ),
        (
            r#"[{"operator":"is","operand":"dm","negated":1}]"#,
            r#"narrow[0]["negated"]"#,
        ),
        (r#"[["is"]]"#, "narrow[0]"),
        ("[1]", "narrow[0]"),
        ("{}", "narrow"),
    ];
    for (text, place) in table {
        let error = parse(text).unwrap_err();
        assert_eq!(error.code(), Code::BadRequest, "{text}");
        assert!(
            error.msg().contains(&format!("Parameter {place}: ")),
            "{}",
            error.msg()
        );
    }
}

#[test]
fn nonsense_of_the_right_shape_is_a_bad_narrow() {
    for text in [
        r#"[["colour","red"]]"#,
        r#"[["is","blue"]]"#,
        r#"[["search","  "]]"#,
        r#"[["id","x"]]"#,
        r#"[["dm"," , "]]"#,
        r#"[["stream",""]]"#,
        r#"[["channel","general"],["is","dm"]]"#,
    ] {
        assert_eq!(parse(text).unwrap_err().code(), Code::BadNarrow, "{text}");
    }
}

#[test]
fn event_queues_understand_a_subset() {
    assert_eq!(
        parse_for_events(r#"[["channel","Denmark"],["topic","x"],["is","mentioned"]]"#)
            .unwrap()
            .len(),
        3
    );
    for text in [
        r#"[["search","x"]]"#,
        r#"[["is","followed"]]"#,
        r#"[{"operator":"sender","operand":5}]"#,
        r#"[{"operator":"topic","operand":"x","negated":true}]"#,
    ] {
        assert_eq!(
            parse_for_events(text).unwrap_err().code(),
            Code::BadRequest,
            "{text}"
        );
    }
}

#[test]
fn the_number_of_terms_is_bounded() {
    let narrow = |count: usize| format!("[{}]", vec![r#"["is","read"]"#; count].join(","));
    assert_eq!(
        parse(&narrow(MAX_TERMS + 1)).unwrap_err().code(),
        Code::BadRequest
    );
    assert_eq!(
        parse(&narrow(MAX_TERMS)).unwrap_err().code(),
        Code::BadNarrow
    );
}
