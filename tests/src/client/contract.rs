//! What holds for every answer, whatever the operation: envelope, headers, the OpenAPI document,
//! and what strict clients decode. What a test expects of one answer is not checked here.

use super::{Call, Reply};
use crate::openapi::contract;

/// Rules for every answer, whatever the operation.
pub(super) fn check(call: &Call, reply: &Reply) -> Result<(), String> {
    let fail = |text: &str| broken(reply, text);
    if let Some((name, _)) = reply
        .headers
        .iter()
        .find(|(name, _)| name.starts_with("x-spindle-"))
    {
        return fail(&format!("the internal header {name} reached the client"));
    }
    let content_type = reply.header("content-type").unwrap_or("");
    let is_json = content_type.split(';').next() == Some("application/json");
    if is_json {
        check_envelope(call, reply)?;
        crate::strict::check(&reply.body).map_err(|error| format!("{}: {error}", reply.call))?;
    }
    if call.documented {
        let body = is_json.then_some(&reply.body);
        contract().check(&call.method, &call.path, reply.status, content_type, body)
    } else if !is_json || reply.status < 400 {
        fail("expected a JSON error")
    } else {
        Ok(())
    }
}

fn check_envelope(call: &Call, reply: &Reply) -> Result<(), String> {
    let fail = |text: &str| broken(reply, text);
    let exempt = call.path == "/openapi.json" || call.path.starts_with("/static/");
    if exempt && reply.status == 200 {
        return Ok(());
    }
    let expected = if reply.status == 200 {
        "success"
    } else {
        "error"
    };
    if reply.body["result"] != expected {
        return fail("the envelope does not fit the status");
    }
    let Some(message) = reply.body["msg"].as_str() else {
        return fail("no msg");
    };
    if message.is_empty() != (reply.status == 200) {
        return fail("msg must be empty exactly on success");
    }
    if reply.status != 200 {
        if reply.body["code"].as_str().is_none_or(str::is_empty) {
            return fail("an error without code");
        }
        if reply.body.get("ignored_parameters_unsupported").is_some() {
            return fail("an error must not list ignored parameters");
        }
    }
    if !reply
        .header("cache-control")
        .unwrap_or("")
        .contains("no-store")
    {
        return fail("an API answer must not be cached");
    }
    if reply.header("content-length").is_none() {
        return fail("no Content-Length");
    }
    let asks = reply.header("www-authenticate").is_some();
    let is_own_client = call.says("spindle-client");
    if is_own_client && asks {
        return fail("a browser would ask for a password beside the client's own form");
    }
    if reply.status == 401 && !asks && !is_own_client && reply.body["code"] == "UNAUTHORIZED" {
        return fail("401 UNAUTHORIZED without WWW-Authenticate");
    }
    // Clients without a session get no cookie.
    if !is_own_client && reply.header("set-cookie").is_some() {
        return fail("a cookie for a client that is in no browser");
    }
    Ok(())
}

fn broken(reply: &Reply, text: &str) -> Result<(), String> {
    let (call, status, body) = (&reply.call, reply.status, &reply.body);
    Err(format!("{call}: {text}: {status} {body}"))
}
