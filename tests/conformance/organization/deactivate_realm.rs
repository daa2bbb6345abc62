//! POST /realm/deactivate (docs/protocol/errors.md#statuses, docs/protocol/events.md#realm), and
//! the reactivation.

use spindle_tests::{Call, Options, Queue, Server};

/// All accounts are refused, so this needs a server of its own.
#[test]
fn a_deactivated_organization_refuses_all_accounts_until_the_operator_reactivates_it() {
    let server = Server::own(Options::default());
    let password = ["--password", "a long password"];
    let (owner, admin) = (server.user("owner"), server.user("administrator"));
    let member = server.user_with("member", &password);
    let bot = server.bot();
    let path = "/realm/deactivate";
    for user in [&admin, &member, &bot] {
        user.post(path, &[]).error(400, "UNAUTHORIZED_PRINCIPAL");
    }
    server
        .anonymous()
        .post(path, &[])
        .error(401, "UNAUTHORIZED");
    let spectator = || {
        let pairs = [
            ("client_gravatar", "false"),
            ("fetch_event_types", "[\"realm\"]"),
        ];
        server.anonymous().post("/register", &pairs)
    };
    owner
        .patch("/realm", &[("enable_spectator_access", "true")])
        .ok();
    spectator().ok();
    let mut queue = Queue::of(&member, &["realm"]);
    let waiting = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| queue.wait());
        server.until_polls_wait(1);
        let reply = owner.post(path, &[("deletion_delay_days", "30")]);
        assert_eq!(
            reply.ignored(),
            ["deletion_delay_days"],
            "nothing is deleted"
        );
        reply.ok();
        waiting.join().expect("no panic")
    });
    assert_eq!(waiting.len(), 1, "waiting polls receive the event");
    assert_eq!(waiting[0]["op"], "deactivated");
    assert_eq!(waiting[0]["realm_id"], 1);
    for user in [&owner, &admin, &member, &bot] {
        user.get("/users/me", &[]).error(401, "UNAUTHORIZED");
    }
    queue.fetch(-1, true).error(401, "UNAUTHORIZED");
    owner.post(path, &[]).error(401, "UNAUTHORIZED");
    spectator().error(401, "UNAUTHORIZED");
    let login = |password: &str| {
        let pairs = [("username", member.email.as_str()), ("password", password)];
        server
            .anonymous()
            .send(Call::new("POST", "/fetch_api_key").form(&pairs))
    };
    login("a long password").error(401, "REALM_DEACTIVATED");
    login("a wrong password").error(401, "AUTHENTICATION_FAILED");
    // The server's settings remain public; nothing else can be read.
    let settings = server.anonymous().get("/server_settings", &[]).ok();
    assert_eq!(settings["realm_web_public_access_enabled"], false);

    assert_eq!(server.admin(&["organization", "show"])["deactivated"], true);
    let shown = server.admin(&["organization", "reactivate"]);
    assert_eq!(shown["deactivated"], false);
    for user in [&owner, &admin, &member, &bot] {
        user.get("/users/me", &[]).ok();
    }
    login("a long password").ok();
    spectator().ok();
    server.admin(&["organization", "deactivate"]);
    owner.get("/users/me", &[]).error(401, "UNAUTHORIZED");
}
