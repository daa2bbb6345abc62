//! Sign-ins on a server without providers: where the browser is sent, and what stays of the component's answer.

use super::*;

fn begin() -> Task {
    Task::IdentityBegin {
        provider: "company".to_owned(),
        redirect_uri: "https://chat.example.org/back".to_owned(),
        state: "s".to_owned(),
        nonce: "n".to_owned(),
        challenge: "c".to_owned(),
    }
}

fn sign_out() -> Task {
    Task::IdentitySignOut {
        provider: "company".to_owned(),
        redirect_uri: "https://chat.example.org/".to_owned(),
    }
}

fn icon() -> Task {
    Task::IdentityIcon {
        provider: "company".to_owned(),
    }
}

#[tokio::test]
async fn a_provider_that_is_not_configured_leads_to_the_page() {
    let world = world().await;
    let (request, ()) = Request::get("/x").body(()).unwrap().into_parts();
    for (task, target) in [(begin(), "/#sign-in-failed/off"), (sign_out(), "/")] {
        let response = Response::builder()
            .header("set-cookie", "a=b")
            .header("content-type", "text/plain");
        let response = response.body(Body::empty()).unwrap();
        let service = world.hand_offs()[task.kind()].clone();
        assert!(service.serves("identity") && !service.serves("users"));
        let answer = service
            .handle(request.clone(), instruction(&task, response))
            .await;
        let (status, headers, body) = read(answer).await;
        assert_eq!((status, body.len()), (StatusCode::FOUND, 0));
        assert_eq!(headers["location"], target);
        assert_eq!(headers["set-cookie"], "a=b");
        assert_eq!(headers["cache-control"], "no-store");
        assert!(!headers.contains_key("content-type"));
    }
    let task = icon();
    let service = world.hand_offs()[task.kind()].clone();
    let answer = service
        .handle(request, instruction(&task, Response::new(Body::empty())))
        .await;
    assert_eq!(json(answer).await.0, StatusCode::NOT_FOUND);
    world.events.stop().await;
}

#[tokio::test]
async fn components_under_spin_get_the_same() {
    let world = world().await;
    let api = world.api.clone().with_sign_ins(world.sign_ins());
    let target = Route::target_of(&begin(), &[]);
    let answer = api.handle(call(Method::POST, &target, "")).await;
    assert_eq!(answer.headers()["location"], "/#sign-in-failed/off");
    let answer = api.handle(call(Method::GET, &target, "")).await;
    assert_eq!(answer.status(), StatusCode::METHOD_NOT_ALLOWED);
    let path = Route::Identity(Task::IDENTITY_COMPLETE).path();
    let answer = api.handle(call(Method::POST, &path, "")).await;
    assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    let without = world.api.handle(call(Method::POST, &target, "")).await;
    assert_eq!(without.status(), StatusCode::NOT_FOUND);
    world.events.stop().await;
}
