//! Every constructor against the table of statuses, codes and fields.

use super::*;
use serde_json::json;
use spindle_domain::ChannelId;
use spindle_domain::narrow::ChannelReference;
use spindle_domain::policy::Reason;

fn body(error: ApiError) -> Value {
    serde_json::from_slice(error.into_response().body()).unwrap()
}

#[test]
fn strict_clients_find_exactly_these_fields() {
    let table: Vec<(ApiError, u16, &str, &[&str])> = vec![
        (ApiError::bad_request("x"), 400, "BAD_REQUEST", &[]),
        (
            ApiError::invalid_fields(&[("pattern", "x".to_owned())]),
            400,
            "BAD_REQUEST",
            &["errors"],
        ),
        (ApiError::not_found_object("x"), 404, "BAD_REQUEST", &[]),
        (ApiError::no_such_route(), 404, "BAD_REQUEST", &[]),
        (
            ApiError::method_not_allowed(&["GET"]),
            405,
            "BAD_REQUEST",
            &["allowed_methods"],
        ),
        (ApiError::payload_too_large(), 413, "BAD_REQUEST", &[]),
        (ApiError::wrong_credentials(), 401, "UNAUTHORIZED", &[]),
        (
            ClientError::AuthenticationFailed.into(),
            401,
            "AUTHENTICATION_FAILED",
            &[],
        ),
        (
            ClientError::InvitationFailed {
                errors: json!([]),
                sent: false,
                daily_limit_reached: true,
            }
            .into(),
            400,
            "INVITATION_FAILED",
            &[
                "errors",
                "sent_invitations",
                "daily_limit_reached",
                "license_limit_reached",
            ],
        ),
        (
            ClientError::UserDeactivated.into(),
            401,
            "USER_DEACTIVATED",
            &[],
        ),
        (
            ClientError::RealmDeactivated.into(),
            401,
            "REALM_DEACTIVATED",
            &[],
        ),
        (
            ApiError::denied(Reason::OwnerRequired),
            400,
            "UNAUTHORIZED_PRINCIPAL",
            &[],
        ),
        (
            ApiError::variable_missing("x"),
            400,
            "REQUEST_VARIABLE_MISSING",
            &["var_name"],
        ),
        (
            ClientError::RequestConfusingVar {
                first: "topic".into(),
                second: "subject".into(),
            }
            .into(),
            400,
            "REQUEST_CONFUSING_VAR",
            &["var_name1", "var_name2"],
        ),
        (
            ClientError::MoveMessagesTimeLimitExceeded {
                first_allowed: 7,
                total: 3,
                allowed: 1,
            }
            .into(),
            400,
            "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
            &[
                "first_message_id_allowed_to_move",
                "total_messages_allowed_to_move",
                "total_messages_in_topic",
            ],
        ),
        (
            ClientError::SystemGroupRequired {
                setting_name: "can_x",
            }
            .into(),
            400,
            "SYSTEM_GROUP_REQUIRED",
            &["setting_name"],
        ),
        (
            ClientError::CannotDeactivateGroupInUse {
                objections: json!([]),
            }
            .into(),
            400,
            "CANNOT_DEACTIVATE_GROUP_IN_USE",
            &["objections"],
        ),
        (
            ClientError::BadEventQueueId {
                queue_id: "q".into(),
            }
            .into(),
            400,
            "BAD_EVENT_QUEUE_ID",
            &["queue_id"],
        ),
        (
            ClientError::StreamDoesNotExist {
                channel: ChannelReference::Id(ChannelId(7)),
            }
            .into(),
            400,
            "STREAM_DOES_NOT_EXIST",
            &["stream_id"],
        ),
        (
            ClientError::StreamDoesNotExist {
                channel: ChannelReference::Name("x".into()),
            }
            .into(),
            400,
            "STREAM_DOES_NOT_EXIST",
            &["stream"],
        ),
        (
            ClientError::BadNarrow { desc: "x".into() }.into(),
            400,
            "BAD_NARROW",
            &["desc"],
        ),
        (
            ClientError::BadImage { text: "x".into() }.into(),
            400,
            "BAD_IMAGE",
            &[],
        ),
        (
            ClientError::InvalidApiKey.into(),
            401,
            "INVALID_API_KEY",
            &[],
        ),
        (
            ClientError::InvalidWebhookSignature.into(),
            401,
            "INVALID_WEBHOOK_SIGNATURE",
            &[],
        ),
        (
            ClientError::RealmUploadQuota.into(),
            400,
            "REALM_UPLOAD_QUOTA",
            &[],
        ),
        (
            ApiError::rate_limited(1.5),
            429,
            "RATE_LIMIT_HIT",
            &["retry-after"],
        ),
        (ClientError::StorageFull.into(), 503, "STORAGE_FULL", &[]),
        (ApiError::internal(), 500, "INTERNAL_SERVER_ERROR", &[]),
    ];
    for (error, status, code, extra) in table {
        assert_eq!(error.status().as_u16(), status);
        let body = body(error);
        let mut expected = vec!["result", "msg", "code"];
        expected.extend_from_slice(extra);
        expected.sort_unstable();
        let found: Vec<_> = body.as_object().unwrap().keys().collect();
        assert_eq!(found, expected, "{code}");
        assert_eq!(body["result"], "error");
        assert_eq!(body["code"], code);
        assert_ne!(body["msg"], "");
    }
}

#[test]
fn every_row_of_the_table_is_answered_as_it_says() {
    for error in ClientError::samples() {
        let (code, text) = (error.code(), error.text());
        let answer = ApiError::from(error);
        assert_eq!(answer.status().as_u16(), code.status(), "{code:?}");
        let body = body(answer);
        assert_eq!(body["code"], code.name());
        assert_eq!(body["msg"], text);
        let own = ["code", "msg", "result"];
        let found: Vec<&str> = body
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .filter(|name| !own.contains(name))
            .collect();
        let is_a_form = code.forms().iter().any(|form| {
            let mut names: Vec<&str> = form.iter().map(|field| field.name).collect();
            names.sort_unstable();
            names == found
        });
        assert!(
            is_a_form || (code.forms().is_empty() && found.is_empty()),
            "{code:?}: {found:?}"
        );
    }
}

#[test]
fn headers_go_with_their_errors() {
    let response = ApiError::missing_credentials().into_response();
    assert_eq!(
        response.headers()["www-authenticate"],
        r#"Basic realm="zulip""#
    );
    let response = ApiError::method_not_allowed(&["DELETE", "GET"]).into_response();
    assert_eq!(response.headers()["allow"], "DELETE, GET");
    let response = ApiError::rate_limited(0.2).into_response();
    assert_eq!(response.headers()["retry-after"], "1");
    let length = response.body().len().to_string();
    assert_eq!(response.headers()["content-length"], length.as_str());
    assert_eq!(response.headers()["content-type"], "application/json");
    assert!(
        response.headers()["cache-control"]
            .to_str()
            .unwrap()
            .contains("no-store")
    );
}

#[test]
fn what_the_client_sent_cannot_break_the_json() {
    let queue_id = "\"\n\u{1}\u{2028}</script>".to_owned();
    let error = ClientError::BadEventQueueId { queue_id };
    assert_eq!(body(error.into())["queue_id"], "\"\n\u{1}\u{2028}</script>");
    assert_eq!(
        body(ApiError::rate_limited(f64::NAN))["retry-after"],
        json!(0.0)
    );
}

#[test]
fn denials_keep_the_status_of_their_reason() {
    assert_eq!(ApiError::denied(Reason::NotLoggedIn).status().as_u16(), 401);
    let administrator = ApiError::denied(Reason::AdministratorRequired);
    assert_eq!(administrator.status().as_u16(), 400);
    assert_eq!(administrator.code(), Code::UnauthorizedPrincipal);
    assert_eq!(
        ApiError::denied(Reason::BotsExcluded).code(),
        Code::BadRequest
    );
}
