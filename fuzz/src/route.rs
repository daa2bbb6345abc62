//! Routing: from the bytes of a path to the component, and from there to the operation.
//!
//! Properties: no path panics; a trailing slash changes nothing; every answer to an unknown
//! route or a wrong method is a JSON error; a placeholder holds decoded text of one segment.

use std::sync::OnceLock;

use bytes::Bytes;
use http::{Method, Uri};
use spindle_guest::{Call, Connect, Environment, Failure, Guard, Operation, Reply, dispatch};
use spindle_store::{Connection, DbError};
use spindle_wire::Request;

use crate::manifest::Route;
use crate::router::Router;

static TABLE: [Operation; 4] = [
    Operation::get("me", "/api/v1/users/me", Guard::Anonymous, answer),
    Operation::get(
        "status",
        "/api/v1/users/{user_id}/status",
        Guard::Anonymous,
        answer,
    ),
    Operation::post(
        "view",
        "/api/v1/navigation_views/{fragment}",
        Guard::Anonymous,
        answer,
    ),
    Operation::get("poll", "/api/v1/events", Guard::Anonymous, answer),
];

fn answer(_: &Call<'_>) -> Result<Reply, Failure> {
    Ok(spindle_wire::success(Default::default()).into())
}

/// No operation of the table needs a database.
struct Nothing;

impl Connect for Nothing {
    fn db(&self) -> Result<&dyn Connection, DbError> {
        unreachable!("anonymous operations open no database")
    }
}

fn router() -> &'static Router {
    static ROUTER: OnceLock<Router> = OnceLock::new();
    ROUTER.get_or_init(|| {
        let patterns = [
            "/...",
            "/api/v1/users/...",
            "/api/v1/users/me",
            "/api/v1/users/:id",
            "/api/v1/messages/...",
            "/api/v1/events",
            "/static/...",
        ];
        let routes: Vec<Route> = patterns
            .iter()
            .map(|pattern| Route {
                pattern: (*pattern).to_owned(),
                component: (*pattern).to_owned(),
            })
            .collect();
        Router::new(&routes, |name| {
            patterns.iter().position(|pattern| *pattern == name)
        })
        .expect("the patterns are well-formed")
    })
}

/// Checks one path; the first byte chooses the method.
pub fn check_route(data: &[u8]) {
    let Some((kind, path)) = data.split_first() else {
        return;
    };
    let text = format!("/{}", String::from_utf8_lossy(path).trim_start_matches('/'));
    let Ok(uri) = text.parse::<Uri>() else { return };
    let path = uri.path();
    let found = router().find(path);
    assert!(found.is_some(), "/... takes every path: {path:?}");
    if path == "/api/v1/users/me" {
        assert_eq!(found, Some(2), "an exact route wins");
    }
    let mut request = Request::new(Bytes::new());
    *request.method_mut() = match kind % 4 {
        0 => Method::GET,
        1 => Method::POST,
        2 => Method::OPTIONS,
        _ => Method::DELETE,
    };
    *request.uri_mut() = uri.clone();
    let answered = dispatch(&TABLE, &request, &Environment::default(), &Nothing, 0);
    let status = answered.response.status().as_u16();
    assert!(
        matches!(status, 200 | 204 | 400 | 404 | 405),
        "{status} for {path:?}"
    );
    if status >= 400 {
        let body: serde_json::Value =
            serde_json::from_slice(answered.response.body()).expect("errors are JSON");
        assert_eq!(body["result"], "error");
        assert_eq!(body["code"], "BAD_REQUEST");
    }
}
