//! Bots in the settings of the organization: each kind is created and changed.

use serde_json::{Value, json};

use super::Seat;

/// Chooses an option of a field by its text.
fn pick(seat: &Seat, selector: &str, option: &str) {
    let pick = "const select = document.querySelector(arguments[0]);
         select.value = [...select.options].find((one) => one.textContent.trim() === arguments[1]).value;
         select.dispatchEvent(new Event('change', { bubbles: true }))";
    seat.browser.run(pick, &[json!(selector), json!(option)]);
}

/// What the server keeps of the bot of this name, with its user and its service.
fn bot(seat: &Seat, name: &str) -> (Value, Value) {
    let pairs = [("fetch_event_types", "[\"realm_bot\", \"realm_user\"]")];
    let state = seat.user.post("/register", &pairs).ok();
    let find = |list: &str, holds: &dyn Fn(&Value) -> bool| -> Value {
        let mut all = state[list].as_array().into_iter().flatten();
        all.find(|one| holds(one)).cloned().unwrap_or_default()
    };
    let user = find("realm_users", &|one| one["full_name"] == name);
    let record = find("realm_bots", &|one| one["user_id"] == user["user_id"]);
    (user, record["services"][0].clone())
}

/// Fills in a name, and waits for the form's kind.
fn named(seat: &Seat, name: &str, short: &str) {
    seat.browser.type_into(".organization [name=name]", name);
    seat.browser.type_into(".organization [name=short]", short);
}

fn wait_for_line(seat: &Seat, name: &str, kind: &str) {
    seat.wait_for(&format!(
        "[...document.querySelectorAll('.accounts li')].some((one) =>
             one.textContent.includes({}) && one.textContent.includes({}))",
        json!(name),
        json!(kind)
    ));
}

#[test]
fn an_outgoing_webhook_is_created_and_changed() {
    let Some(seat) = Seat::at("web-bot-outgoing", |_| "#organization/bots".to_owned()) else {
        return;
    };
    seat.wait_for("document.querySelector('.organization [name=type]') !== null");
    named(&seat, "Caller", "caller");
    pick(&seat, ".organization [name=type]", "Outgoing webhook");
    seat.wait_for("document.querySelector('.organization [name=url]') !== null");
    // Typed values stay, and the form shows why the server refuses.
    assert_eq!(
        seat.ask("document.querySelector('.organization [name=name]').value"),
        json!("Caller")
    );
    seat.browser
        .type_into(".organization [name=url]", "ftp://bot.example.org/hook");
    seat.press_text(".organization form", "Create");
    seat.wait_for("document.querySelector('.organization form .error').textContent !== ''");
    seat.check_look("organization-bot-refused");
    seat.browser
        .type_into(".organization [name=url]", "https://bot.example.org/hook");
    pick(&seat, ".organization [name=interface]", "Slack");
    seat.press_text(".organization form", "Create");
    seat.wait_for("document.querySelector('.key code').textContent.length === 32");
    wait_for_line(&seat, "Caller", "Outgoing webhook");
    // The form is empty again.
    seat.wait_for("document.querySelector('.organization [name=url]') === null");
    let (user, service) = bot(&seat, "Caller");
    assert_eq!(user["bot_type"], json!(3));
    assert_eq!(service["base_url"], "https://bot.example.org/hook");
    assert_eq!(service["interface"], json!(2));

    seat.browser
        .press(".accounts button[aria-label='Edit: Caller']");
    seat.wait_for("document.querySelector('dialog [name=url]') !== null");
    let token = service["token"].as_str().expect("a token");
    assert_eq!(seat.browser.text("dialog .key code"), token);
    assert_eq!(
        seat.ask("document.querySelector('dialog [name=interface]').value"),
        json!("2")
    );
    seat.check_look("organization-bot-outgoing");
    seat.browser
        .type_into("dialog [name=url]", "https://bot.example.org/other");
    seat.browser.type_into("dialog [name=name]", "Messenger");
    seat.browser.type_into("dialog [name=short]", "messenger");
    pick(&seat, "dialog [name=interface]", "Zulip");
    seat.press_text("dialog", "Save");
    seat.wait_for("document.querySelector('dialog') === null");
    wait_for_line(&seat, "Messenger", "Outgoing webhook");
    let (user, service) = bot(&seat, "Messenger");
    assert_eq!(service["base_url"], "https://bot.example.org/other");
    assert_eq!(service["interface"], json!(1));
    assert_eq!(service["token"], token);
    let address = user["email"].as_str().expect("an address");
    assert!(address.starts_with("messenger-bot@"), "{address}");

    // A name that another bot has is refused, and the dialog stays.
    named(&seat, "Loom counter", "counter");
    seat.press_text(".organization form", "Create");
    wait_for_line(&seat, "Loom counter", "Generic");
    seat.browser
        .press(".accounts button[aria-label='Edit: Messenger']");
    seat.wait_for("document.querySelector('dialog [name=name]') !== null");
    seat.browser.type_into("dialog [name=name]", "Loom counter");
    seat.press_text("dialog", "Save");
    seat.wait_for("document.querySelector('dialog form .error').textContent !== ''");
    seat.press_text("dialog", "Make a key");
    seat.wait_for("document.querySelectorAll('dialog .key code').length === 2");
    seat.is_content();
}

#[test]
fn an_embedded_bot_is_created_and_its_options_are_changed() {
    let Some(seat) = Seat::at("web-bot-embedded", |_| "#organization/bots".to_owned()) else {
        return;
    };
    seat.wait_for("document.querySelector('.organization [name=type]') !== null");
    named(&seat, "Greeter", "greeter");
    pick(&seat, ".organization [name=type]", "Embedded");
    seat.wait_for("document.querySelector('.organization [name=service]') !== null");
    pick(&seat, ".organization [name=service]", "helloworld");
    seat.wait_for("document.querySelector('[name=config-greeting]').value === 'Hello'");
    seat.browser.type_into("[name=config-greeting]", "Ahoy");
    seat.check_look("organization-bot-embedded");
    seat.press_text(".organization form", "Create");
    wait_for_line(&seat, "Greeter", "Embedded");
    let (user, service) = bot(&seat, "Greeter");
    assert_eq!(user["bot_type"], json!(4));
    assert_eq!(
        service,
        json!({"service_name": "helloworld", "config_data": {"greeting": "Ahoy"}})
    );
    seat.browser
        .press(".accounts button[aria-label='Edit: Greeter']");
    seat.wait_for("document.querySelector('dialog [name=config-greeting]').value === 'Ahoy'");
    seat.browser
        .type_into("dialog [name=config-greeting]", "Good morning");
    seat.press_text("dialog", "Save");
    seat.wait_for("document.querySelector('dialog') === null");
    let (_, service) = bot(&seat, "Greeter");
    assert_eq!(service["config_data"]["greeting"], "Good morning");
    seat.is_content();
}

/// Without the permission for others, a member makes bots that only send, and changes only their own.
#[test]
fn who_may_make_only_hooks_is_offered_only_these() {
    let Some(mut seat) = Seat::new("web-bot-hooks") else {
        return;
    };
    let nobody = seat.user.get("/user_groups", &[]).ok();
    let mut all = nobody["user_groups"].as_array().into_iter().flatten();
    let nobody = all.find(|group| group["name"] == "role:nobody");
    let id = nobody.expect("a group")["id"].to_string();
    let change = json!({ "new": id.parse::<i64>().expect("a number") }).to_string();
    seat.user
        .patch("/realm", &[("can_create_bots_group", change.as_str())])
        .ok();
    let bot = [
        ("full_name", "Of the owner"),
        ("short_name", "other"),
        ("bot_type", "1"),
    ];
    seat.user.post("/bots", &bot).ok();
    seat.server.admin(&[
        "user",
        "set-password",
        "--email",
        &seat.other.email,
        "--password",
        super::PASSWORD,
    ]);
    std::mem::swap(&mut seat.user, &mut seat.other);
    seat.sign_in();
    seat.go("#organization/bots");
    seat.wait_for("document.querySelector('.organization [name=integration]') !== null");
    let kinds = "[...document.querySelector('.organization [name=type]').options].map((one) => one.textContent)";
    assert_eq!(seat.ask(kinds), json!(["Incoming webhook"]));
    wait_for_line(&seat, "Of the owner", "Generic");
    named(&seat, "Repository", "repository");
    seat.browser
        .type_into(".organization .integrations [type=search]", "hub");
    seat.browser
        .press(".organization [name=integration][value=github]");
    seat.press_text(".organization form", "Create");
    wait_for_line(&seat, "Repository", "Incoming webhook");
    seat.wait_for(
        "document.querySelector('.organization [name=integration]:checked').value === ''",
    );
    assert_eq!(
        seat.ask("document.querySelector('.organization .integrations [type=search]').value"),
        json!("")
    );
    let edits = "[...document.querySelectorAll('.accounts button[aria-label^=Edit]')].map((one) => one.ariaLabel)";
    assert_eq!(seat.ask(edits), json!(["Edit: Repository"]));
    seat.is_content();
}
