//! The setting second_factor_required_for: who it locks out until they set a second factor up, and what becomes of keys.

use spindle_tests::{Options, Phone, Server, User};

use super::{enrol, post, sign_in_with, sign_in_without, state};
use crate::sessions::{Browser, PASSWORD};

struct World {
    server: Server,
    owner: User,
}

impl World {
    /// An organization whose owner has a second factor.
    fn new() -> Self {
        let server = Server::own(Options::default());
        let owner = server.user_with("owner", &["--password", PASSWORD]);
        Self { server, owner }
    }

    fn person(&self, role: &str) -> User {
        self.server.user_with(role, &["--password", PASSWORD])
    }

    fn require(&self, of: &str) -> spindle_tests::Reply {
        self.owner
            .patch("/realm", &[("second_factor_required_for", of)])
    }

    /// Waits until the job has ended the keys of a person.
    fn until_keys_end(&self, user: &User) {
        spindle_tests::until("the keys have ended", || {
            let sql = "SELECT count(*) FROM api_keys WHERE user_id = ?1";
            let left: i64 = self
                .server
                .database()
                .query_row(sql, [user.user_id], |row| row.get(0))
                .expect("a number");
            (left == 0).then_some(())
        });
    }
}

/// A key of an account that must set a second factor up is refused; as unknown, as soon as the job has removed it.
#[track_caller]
fn is_refused(user: &User) {
    let reply = user.get("/users/me", &[]);
    let code = reply.body["code"].as_str().unwrap_or_default().to_owned();
    assert_eq!(reply.status, 401, "{code}");
    assert!(
        ["SECOND_FACTOR_REQUIRED", "UNAUTHORIZED"].contains(&code.as_str()),
        "{code}"
    );
}

/// The key of an owner who has a second factor, made with it.
fn with_own_key(world: &World, phone: &mut Phone) -> User {
    let pairs = [
        ("username", world.owner.email.as_str()),
        ("password", PASSWORD),
        ("second_factor", &phone.code()),
    ];
    let made = world.server.anonymous().post("/fetch_api_key", &pairs).ok();
    let api_key = made["api_key"].as_str().expect("a key").to_owned();
    let client = spindle_tests::Client::new(
        world.server.base_url(),
        Some((&world.owner.email, &api_key)),
    );
    User {
        user_id: world.owner.user_id,
        client,
        email: world.owner.email.clone(),
        full_name: world.owner.full_name.clone(),
        api_key,
    }
}

#[test]
fn who_requires_it_has_one() {
    let mut world = World::new();
    world.require("administrators").bad_request();
    world.require("everyone").bad_request();
    world.require("others").bad_request();
    let administrator = world.person("administrator");
    administrator
        .patch("/realm", &[("second_factor_required_for", "everyone")])
        .error(400, "UNAUTHORIZED_PRINCIPAL");
    let (mut phone, _) = enrol(&world.owner);
    world.owner = with_own_key(&world, &mut phone);
    world.require("everyone").ok();
    world.owner.get("/users/me", &[]).ok();
    world.require("nobody").ok();
    administrator.get("/users/me", &[]).ok();
}

#[test]
fn people_set_it_up_before_anything_else() {
    let mut world = World::new();
    let (mut phone, _) = enrol(&world.owner);
    world.owner = with_own_key(&world, &mut phone);
    let (administrator, member) = (world.person("administrator"), world.person("member"));
    let bot = world.server.user_with("administrator", &["--bot"]);
    let open = Browser::of(&world.server, &administrator);
    world.require("administrators").ok();
    // At once, in what is open already and with keys.
    open.get("/users/me").error(401, "SECOND_FACTOR_REQUIRED");
    is_refused(&administrator);
    member.get("/users/me", &[]).ok();
    bot.get("/users/me", &[]).ok();
    // A new session is for setting it up.
    let browser = Browser::from(
        &world.server,
        sign_in_without(&world.server, &administrator),
    );
    browser
        .get("/users/me")
        .error(401, "SECOND_FACTOR_REQUIRED");
    browser
        .call(post("/register", &[]))
        .error(401, "SECOND_FACTOR_REQUIRED");
    assert_eq!(state(&browser)["is_required"], true);
    let fetch = || {
        let pairs = [
            ("username", administrator.email.as_str()),
            ("password", PASSWORD),
        ];
        world.server.anonymous().post("/fetch_api_key", &pairs)
    };
    fetch().error(401, "SECOND_FACTOR_REQUIRED");
    let begin = post("/second_factor/totp", &[("password", PASSWORD)]);
    let made = browser.call(begin).ok();
    let mut own = Phone::new(made["secret"].as_str().expect("a secret"));
    let confirm = post("/second_factor/totp/confirm", &[("code", &own.code())]);
    browser.call(confirm).ok();
    assert_eq!(browser.get("/users/me").ok()["role"], 200);
    assert!(open.is_signed_in());
    sign_in_with(&world.server, &administrator, &own.code()).ok();
    // The key that was made before does not come back.
    administrator
        .get("/users/me", &[])
        .error(401, "UNAUTHORIZED");
}

#[test]
fn keys_without_it_end_with_a_notice() {
    let mut world = World::new();
    let (mut phone, _) = enrol(&world.owner);
    let first = world.owner.client.clone();
    world.owner = with_own_key(&world, &mut phone);
    let (member, guest) = (world.person("member"), world.person("guest"));
    world.require("members").ok();
    world.until_keys_end(&member);
    // Also the one of the owner from before their own second factor; not the one that was made with it.
    spindle_tests::until("the first key has ended", || {
        (first.get("/users/me", &[]).status == 401).then_some(())
    });
    world.owner.get("/users/me", &[]).ok();
    guest.get("/users/me", &[]).ok();
    let sql = "SELECT m.content FROM messages m JOIN user_messages um ON um.message_id = m.id \
               WHERE um.user_id = ?1 ORDER BY m.id DESC LIMIT 1";
    let notice: String = world
        .server
        .database()
        .query_row(sql, [member.user_id], |row| row.get(0))
        .expect("a notice");
    assert!(notice.contains("second factor"), "{notice}");
    assert_eq!(
        super::audited(&world.server, &member, "user_unproven%"),
        ["user_unproven_keys_ended"]
    );
    // A person who becomes a member loses the keys as well.
    let path = format!("/users/{}", guest.id());
    world.owner.patch(&path, &[("role", "400")]).ok();
    is_refused(&guest);
    world.until_keys_end(&guest);
}

#[test]
fn removing_it_leads_back_to_setting_it_up() {
    let mut world = World::new();
    let (mut phone, codes) = enrol(&world.owner);
    world.owner = with_own_key(&world, &mut phone);
    world.require("everyone").ok();
    let browser = Browser::from(
        &world.server,
        sign_in_with(&world.server, &world.owner, &codes[0]),
    );
    let remove = spindle_tests::Call::new("DELETE", "/second_factor/totp");
    // What was signed in from there does not get around it.
    let flow = post(
        "/sessions/current/app_flow",
        &[("mobile_flow_otp", &"5c".repeat(32))],
    );
    browser.call(flow).ok();
    browser.call(remove.form(&[("code", &codes[1])])).ok();
    browser
        .get("/users/me")
        .error(401, "SECOND_FACTOR_REQUIRED");
    world.until_keys_end(&world.owner);
    let begin = post("/second_factor/totp", &[("password", PASSWORD)]);
    browser.call(begin).ok();
}
