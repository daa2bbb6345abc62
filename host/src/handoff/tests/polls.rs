//! Polls that components hand over, and those over the internal interface.

use super::*;
use spindle_admission::memory::Memory;
use spindle_front::Handling;

const LARGE: usize = 100 << 10;

/// Memory of which an account may have one large answer.
fn memory_for_one() -> Arc<Memory> {
    Memory::of(10 * LARGE as u64)
}

#[tokio::test]
async fn polls_over_the_internal_interface() {
    let world = world().await;
    let hint = world
        .api
        .handle(call(Method::POST, &Route::Hint.path(), ""))
        .await;
    assert_eq!(json(hint).await.0, StatusCode::OK);
    let poll = |query: &str| {
        let uri = format!("{}?queue_id=q&{query}", Route::Poll.path());
        world.api.handle(call(Method::GET, &uri, ""))
    };
    let ignored = "user_id=1&last_event_id=-1&dont_block=false&ignored_parameters=%5B%22z%22%5D";
    let (status, body) = json(poll(ignored).await).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(body["events"][0]["type"], "realm");
    assert_eq!(body["events"][0]["id"], 0);
    assert_eq!(body["queue_id"], "q");
    assert_eq!(
        body["ignored_parameters_unsupported"],
        serde_json::json!(["z"])
    );
    let cases = [
        (
            "user_id=2&last_event_id=-1&dont_block=true",
            "BAD_EVENT_QUEUE_ID",
        ),
        ("user_id=1&last_event_id=7&dont_block=true", "BAD_REQUEST"),
        ("user_id=1&last_event_id=-1&dont_block=true", "BAD_REQUEST"),
        ("user_id=1", "BAD_REQUEST"),
    ];
    for (query, code) in cases {
        let (status, body) = json(poll(query).await).await;
        assert_eq!(
            (status, &body["code"]),
            (StatusCode::BAD_REQUEST, &code.into()),
            "{query}"
        );
    }
    let (status, body) = json(poll("user_id=2&last_event_id=-1&dont_block=true").await).await;
    assert_eq!(
        (status, &body["queue_id"]),
        (StatusCode::BAD_REQUEST, &"q".into())
    );
    let wrong = world
        .api
        .handle(call(Method::POST, &Route::Poll.path(), ""))
        .await;
    assert_eq!(json(wrong).await.0, StatusCode::METHOD_NOT_ALLOWED);
    let nameless = call(Method::POST, &Route::QueueDeleted.path(), "");
    assert_eq!(
        json(world.api.handle(nameless).await).await.0,
        StatusCode::BAD_REQUEST
    );
    let task = Task::QueueDeleted(QueueDeleted {
        queue_id: "q".to_owned(),
        user_id: 1,
    });
    let deleted = call(Method::POST, &Route::target_of(&task, &[]), "");
    assert_eq!(
        json(world.api.handle(deleted).await).await.0,
        StatusCode::OK
    );
    world.events.stop().await;
}

#[tokio::test]
async fn a_component_hands_a_poll_over() {
    let world = world().await;
    let hand_offs = world.hand_offs();
    let (request, ()) = Request::get("/api/v1/events")
        .body(())
        .unwrap()
        .into_parts();
    let instruction = |task: &Task| {
        let response = Response::builder().header("x-ratelimit-limit", "200");
        let response = response.body(Body::from("replaced".to_owned())).unwrap();
        super::instruction(task, response)
    };
    let answer = hand_offs[Task::POLL]
        .clone()
        .handle(request.clone(), instruction(&poll("q", -1)))
        .await;
    assert_eq!(answer.headers()["x-ratelimit-limit"], "200");
    let (_, body) = json(answer).await;
    assert_eq!(body["ignored_parameters_unsupported"][0], "ä");
    let answer = hand_offs[Task::POLL]
        .clone()
        .handle(request.clone(), instruction(&poll("other", -1)))
        .await;
    assert_eq!(answer.headers()["x-ratelimit-limit"], "200");
    assert_eq!(json(answer).await.1["code"], "BAD_EVENT_QUEUE_ID");
    let deleted = Task::QueueDeleted(QueueDeleted {
        queue_id: "q".to_owned(),
        user_id: 1,
    });
    let answer = hand_offs[Task::QUEUE_DELETED]
        .clone()
        .handle(request.clone(), instruction(&deleted))
        .await;
    assert_eq!(read(answer).await.2, "replaced");
    world.events.stop().await;
}

/// Hands a poll of user 1 over, whose answer takes memory of `memory`.
fn hand_over(world: &World, last_event_id: i64, memory: &Arc<Memory>) -> Handling {
    let hand_offs = world.hand_offs();
    let request = Request::get("/api/v1/events").body(()).unwrap();
    let instruction = Instruction {
        memory: Arc::clone(memory),
        ..instruction(&poll("q", last_event_id), Response::new(Body::empty()))
    };
    Arc::clone(&hand_offs[Task::POLL]).handle(request.into_parts().0, instruction)
}

/// Queue `q` with a second event of more than `bytes` bytes, and the answer to the poll that was held for it.
async fn world_with_large_event(bytes: usize, memory: &Arc<Memory>) -> (World, Response<Body>) {
    let world = world().await;
    let first = hand_over(&world, -1, memory).await;
    assert_eq!(first.status(), StatusCode::OK);
    let held = tokio::spawn(hand_over(&world, 0, memory));
    while world.events.waiting_polls() == 0 {
        tokio::task::yield_now().await;
    }
    let database = EventOptions::in_directory(world.folder.path()).database;
    let writer = spindle_store::open(database.file().unwrap()).unwrap();
    log_event(&writer, &"x".repeat(bytes));
    world.events.on_commit();
    let held = held.await.unwrap();
    (world, held)
}

/// Thousands may get the same events at the same moment, and none waits until the others' answers
/// are compressed.
#[tokio::test]
async fn what_a_poll_has_waited_for_is_sent_as_it_is() {
    let memory = Arc::default();
    let (world, held) = world_with_large_event(COMPRESSED_FROM, &memory).await;
    assert!(held.extensions().get::<Uncompressed>().is_some());
    let again = hand_over(&world, 0, &memory).await;
    assert!(again.extensions().get::<Uncompressed>().is_none());
    assert_eq!(read(held).await.2, read(again).await.2);
    world.events.stop().await;
}

/// One account may poll many queues at the same time, and read none of the answers. The events stay in the queue.
#[tokio::test]
async fn a_large_answer_is_refused_where_there_is_no_memory() {
    let memory = memory_for_one();
    let (world, held) = world_with_large_event(LARGE, &memory).await;
    drop(held);
    assert_eq!(memory.held(), 0);
    let first = hand_over(&world, 0, &memory).await;
    assert!(memory.held() > LARGE as u64);
    let refused = hand_over(&world, 0, &memory).await;
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.headers()["retry-after"], "1");
    let first = read(first).await.2;
    assert_eq!(memory.held(), 0);
    let again = hand_over(&world, 0, &memory).await;
    assert_eq!(read(again).await.2, first);
    world.events.stop().await;
}
