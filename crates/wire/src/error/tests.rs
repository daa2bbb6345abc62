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
            ApiError::authentication_failed(),
            401,
            "AUTHENTICATION_FAILED",
            &[],
        ),
        (
            ApiError::invitation_failed(json!([]), false, true),
            400,
            "INVITATION_FAILED",
            &[
                "errors",
                "sent_invitations",
                "daily_limit_reached",
                "license_limit_reached",
            ],
        ),
        (ApiError::user_deactivated(), 401, "USER_DEACTIVATED", &[]),
        (ApiError::realm_deactivated(), 401, "REALM_DEACTIVATED", &[]),
        (
            ApiError::unauthorized_principal("x"),
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
            ApiError::confusing_variables("topic", "subject"),
            400,
            "REQUEST_CONFUSING_VAR",
            &["var_name1", "var_name2"],
        ),
        (
            ApiError::move_messages_time_limit_exceeded(7, 3, 1),
            400,
            "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
            &[
                "first_message_id_allowed_to_move",
                "total_messages_allowed_to_move",
                "total_messages_in_topic",
            ],
        ),
        (
            ApiError::system_group_required("can_x"),
            400,
            "SYSTEM_GROUP_REQUIRED",
            &["setting_name"],
        ),
        (
            ApiError::cannot_deactivate_group_in_use(json!([])),
            400,
            "CANNOT_DEACTIVATE_GROUP_IN_USE",
            &["objections"],
        ),
        (
            ApiError::bad_event_queue_id("q"),
            400,
            "BAD_EVENT_QUEUE_ID",
            &["queue_id"],
        ),
        (
            ApiError::stream_does_not_exist(&ChannelReference::Id(ChannelId(7))),
            400,
            "STREAM_DOES_NOT_EXIST",
            &["stream_id"],
        ),
        (
            ApiError::stream_does_not_exist(&ChannelReference::Name("x".into())),
            400,
            "STREAM_DOES_NOT_EXIST",
            &["stream"],
        ),
        (ApiError::bad_narrow("x"), 400, "BAD_NARROW", &["desc"]),
        (ApiError::bad_image("x"), 400, "BAD_IMAGE", &[]),
        (ApiError::invalid_api_key(), 401, "INVALID_API_KEY", &[]),
        (
            ApiError::missing_http_event_header("X-E"),
            400,
            "MISSING_HTTP_EVENT_HEADER",
            &[],
        ),
        (
            ApiError::unsupported_webhook_event_type("X"),
            200,
            "UNSUPPORTED_WEBHOOK_EVENT_TYPE",
            &[],
        ),
        (
            ApiError::anomalous_webhook_payload("x"),
            400,
            "ANOMALOUS_WEBHOOK_PAYLOAD",
            &[],
        ),
        (
            ApiError::realm_upload_quota(),
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
        (ApiError::storage_full(), 503, "STORAGE_FULL", &[]),
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
fn the_table_of_codes_has_no_name_twice() {
    let mut names = Code::ALL.map(Code::name).to_vec();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Code::ALL.len());
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
    let error = ApiError::bad_event_queue_id("\"\n\u{1}\u{2028}</script>");
    assert_eq!(body(error)["queue_id"], "\"\n\u{1}\u{2028}</script>");
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
