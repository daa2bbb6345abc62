//! Tests of the schema checker: correct answers pass, and every kind of mutation is refused. The
//! served document is the one of this build, and its required lists are complete.

use serde_json::{Value, json};
use spindle_tests::openapi::contract;

use crate::support::server;

fn check(method: &str, path: &str, body: &Value) -> Result<(), String> {
    contract().check(method, path, 200, "application/json", Some(body))
}

#[test]
fn mutated_answers_are_refused() {
    let user = server().user("member");
    user.post(
        "/users/me/status",
        &[("status_text", "here"), ("emoji_name", "smile")],
    )
    .ok();
    let status_path = format!("/users/{}/status", user.id());
    let cases = [
        (
            "GET",
            "/server_settings".to_owned(),
            user.get("/server_settings", &[]).ok(),
        ),
        (
            "GET",
            "/users/me".to_owned(),
            user.get("/users/me", &[]).ok(),
        ),
        ("GET", status_path.clone(), user.get(&status_path, &[]).ok()),
        (
            "POST",
            "/register".to_owned(),
            user.post("/register", &[]).ok(),
        ),
    ];
    for (method, path, body) in &cases {
        check(method, path, body).expect("a correct answer passes");
        let mut extra = body.clone();
        extra["invented_field"] = json!(1);
        assert!(
            check(method, path, &extra).is_err(),
            "{path}: an extra field passes"
        );
        let mut untyped = body.clone();
        untyped["msg"] = json!(7);
        assert!(
            check(method, path, &untyped).is_err(),
            "{path}: a number as msg passes"
        );
        for required in ["result", "msg"] {
            let mut missing = body.clone();
            missing.as_object_mut().unwrap().remove(required);
            assert!(
                check(method, path, &missing).is_err(),
                "{path}: passes without {required}"
            );
        }
    }
    let mut status = cases[2].2.clone();
    status["status"]["invented"] = json!("x");
    assert!(
        check("GET", &status_path, &status).is_err(),
        "a nested extra field passes"
    );
}

/// Every top-level field of the own user record, removed or turned into an object, is detected.
#[test]
fn every_field_of_the_own_user_is_required_and_typed() {
    let user = server().user("member");
    let body = user.get("/users/me", &[]).ok();
    for field in body.as_object().unwrap().keys() {
        let mut wrong = body.clone();
        wrong[field.as_str()] = json!({"not": ["expected"]});
        assert!(
            check("GET", "/users/me", &wrong).is_err(),
            "{field} may be anything"
        );
        let mut missing = body.clone();
        missing.as_object_mut().unwrap().remove(field);
        // Bots have no profile_data, so the schema cannot require it.
        if field != "profile_data" {
            assert!(
                check("GET", "/users/me", &missing).is_err(),
                "{field} may be missing"
            );
        }
    }
}

#[test]
fn mutated_events_are_refused() {
    let user = server().user("member");
    let mut queue = spindle_tests::Queue::of(&user, &["message", "user_status"]);
    user.post("/users/me/status", &[("status_text", "mutate me")])
        .ok();
    let to = format!("[{}]", user.id());
    user.post(
        "/messages",
        &[("type", "direct"), ("to", &to), ("content", "hello")],
    )
    .ok();
    let mut events = queue.until(|event| event["type"] == "message");
    events.retain(|event| {
        event["user_id"] == user.user_id || event["message"]["sender_id"] == user.user_id
    });
    assert_eq!(events.len(), 2);
    for event in events {
        let answer = |event: &Value| json!({"result": "success", "msg": "", "queue_id": "q", "events": [event]});
        check("GET", "/events", &answer(&event)).expect("a correct event passes");
        let mut extra = event.clone();
        extra["invented"] = json!(true);
        assert!(
            check("GET", "/events", &answer(&extra)).is_err(),
            "extra field: {event}"
        );
        let mut wrong = event.clone();
        wrong["id"] = json!("7");
        assert!(
            check("GET", "/events", &answer(&wrong)).is_err(),
            "text as id: {event}"
        );
        let mut unknown = event.clone();
        unknown["type"] = json!("no_such_type");
        assert!(
            check("GET", "/events", &answer(&unknown)).is_err(),
            "unknown type: {event}"
        );
        let mut missing = event.clone();
        let needed = if event["type"] == "message" {
            "message"
        } else {
            "user_id"
        };
        missing.as_object_mut().unwrap().remove(needed);
        assert!(
            check("GET", "/events", &answer(&missing)).is_err(),
            "no {needed}: {event}"
        );
    }
}

#[test]
fn undocumented_operations_and_statuses_are_refused() {
    let body = json!({"result": "success", "msg": ""});
    assert!(check("GET", "/no/such/path", &body).is_err());
    assert!(check("PUT", "/users/me", &body).is_err());
    let teapot = contract().check("GET", "/users/me", 418, "application/json", Some(&body));
    assert!(teapot.is_err());
    let html = contract().check("GET", "/users/me", 200, "text/html", Some(&body));
    assert!(html.is_err());
}

/// No object of an answer may be open: additional properties are listed or forbidden.
#[test]
fn every_object_of_an_answer_is_closed() {
    let mut open = Vec::new();
    walk(contract().document(), &mut String::new(), &mut open);
    assert!(open.is_empty(), "schemas that allow anything: {open:#?}");
}

fn walk(value: &Value, path: &mut String, open: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            let is_request = path.contains("/parameters/") || path.contains("/requestBody/");
            if object.get("type") == Some(&json!("object"))
                && object.contains_key("properties")
                && !is_request
                && !object.contains_key("additionalProperties")
                && !object.contains_key("unevaluatedProperties")
            {
                open.push(path.clone());
            }
            for (key, child) in object {
                if key == "example" || key == "examples" {
                    continue;
                }
                let length = path.len();
                path.push('/');
                path.push_str(key);
                walk(child, path, open);
                path.truncate(length);
            }
        }
        Value::Array(items) => {
            for (index, child) in items.iter().enumerate() {
                let length = path.len();
                path.push_str(&format!("/{index}"));
                walk(child, path, open);
                path.truncate(length);
            }
        }
        _ => {}
    }
}
