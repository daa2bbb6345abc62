//! The table is in order, and values come out as its rows say.

use serde_json::{Value, json};

use super::{ClientError, Code};
use crate::ChannelId;
use crate::narrow::ChannelReference;

#[test]
fn every_code_stands_once_and_in_order() {
    assert!(Code::ALL.is_sorted_by(|one, next| one.name() < next.name()));
    for code in Code::ALL {
        assert!(!code.description().is_empty(), "{code:?}");
        assert!(!code.description().ends_with('.'), "{code:?}");
        assert!((200..600).contains(&code.status()), "{code:?}");
        let of_name: String = code
            .name()
            .split('_')
            .map(|word| word[..1].to_owned() + &word[1..].to_lowercase())
            .collect();
        assert_eq!(code.identifier(), of_name);
    }
}

#[test]
fn a_null_field_is_left_out() {
    let fields = |channel| ClientError::StreamDoesNotExist { channel }.fields();
    let by_id = fields(ChannelReference::Id(ChannelId(7)));
    assert_eq!(by_id, [("stream_id", json!(7))]);
    let by_name = fields(ChannelReference::Name("x".to_owned()));
    assert_eq!(by_name, [("stream", json!("x"))]);
}

#[test]
fn values_are_in_the_text_and_in_the_fields() {
    let error = ClientError::CannotDeactivateLastUser {
        is_last_owner: true,
    };
    assert_eq!(error.code(), Code::CannotDeactivateLastUser);
    assert_eq!(
        error.text(),
        "The last owner of the organization has to stay"
    );
    let expected: [(&str, Value); 2] = [("is_last_owner", json!(true)), ("entity", json!("owner"))];
    assert_eq!(error.fields(), expected);
    let names: Vec<&str> = Code::CannotDeactivateLastUser.forms()[0]
        .iter()
        .map(|field| field.name)
        .collect();
    assert_eq!(names, ["is_last_owner", "entity"]);
    let plain = ClientError::ReactionAlreadyExists;
    assert!(plain.fields().is_empty() && plain.code().forms().is_empty());
}
