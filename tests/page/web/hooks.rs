//! Incoming webhooks in the settings of the organization: their address, the setup of the service, templates.

use serde_json::{Value, json};

use super::Seat;

/// Chooses an option of a field by its text.
fn pick(seat: &Seat, selector: &str, option: &str) {
    let pick = "const select = document.querySelector(arguments[0]);
         select.value = [...select.options].find((one) => one.textContent.trim() === arguments[1]).value;
         select.dispatchEvent(new Event('change', { bubbles: true }))";
    seat.browser.run(pick, &[json!(selector), json!(option)]);
}

/// Fills in the form for a bot of this integration, found by a part of its name.
fn begin(seat: &Seat, name: &str, short: &str, sought: &str, integration: &str) {
    seat.wait_for("document.querySelector('.organization [name=type]') !== null");
    pick(seat, ".organization [name=type]", "Incoming webhook");
    seat.wait_for("document.querySelectorAll('.organization [name=integration]').length > 40");
    seat.browser
        .type_into(".organization .integrations [type=search]", sought);
    let radio = format!(".organization [name=integration][value={integration}]");
    seat.wait_for(&format!("document.querySelector('{radio}') !== null"));
    seat.browser.press(&radio);
    seat.browser.type_into(".organization [name=name]", name);
    seat.browser.type_into(".organization [name=short]", short);
}

/// The address that the page shows within a place.
fn address(seat: &Seat, within: &str) -> String {
    seat.browser.text(&format!("{within} .key code"))
}

fn services(seat: &Seat) -> Value {
    let pairs = [("fetch_event_types", "[\"realm_bot\"]")];
    let state = seat.user.post("/register", &pairs).ok();
    state["realm_bots"][0]["services"].clone()
}

/// Calls a webhook as the service does.
fn deliver(seat: &Seat, address: &str, event: &str, body: &Value) -> Value {
    let call = "const { pathname, search } = new URL(arguments[0]);
         const headers = { 'Content-Type': 'application/json', 'X-GitHub-Event': arguments[1] };
         return fetch(pathname + search, { method: 'POST', headers, body: arguments[2] })
             .then((answer) => answer.status)";
    let arguments = [json!(address), json!(event), json!(body.to_string())];
    seat.browser.run(call, &arguments)
}

/// The messages of the channel, as topic and content.
fn written(seat: &Seat) -> Vec<(String, String)> {
    let narrow = json!([{"operator": "channel", "operand": seat.channel.stream_id}]).to_string();
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "10"),
        ("num_after", "0"),
        ("narrow", narrow.as_str()),
        ("apply_markdown", "false"),
    ];
    let found = seat.user.get("/messages", &pairs).ok();
    let messages = found["messages"].as_array().expect("messages");
    let text = |one: &Value, name: &str| one[name].as_str().expect("a text").to_owned();
    messages
        .iter()
        .map(|one| (text(one, "subject"), text(one, "content")))
        .collect()
}

#[test]
fn the_address_of_a_webhook_is_made_where_its_key_is_known() {
    let Some(seat) = Seat::at("web-webhook", |_| "#organization/bots".to_owned()) else {
        return;
    };
    begin(&seat, "Repository", "repository", "HUB", "github");
    seat.check_look("organization-bot-incoming");
    seat.press_text(".organization form", "Create");
    seat.wait_for("document.querySelector('.made .setup') !== null");
    assert_eq!(services(&seat)[0]["service_name"], "github");
    pick(&seat, ".made [name=stream]", &seat.channel.name);
    seat.wait_for("document.querySelector('.made [name=topic]') !== null");
    seat.browser.type_into(".made [name=topic]", "Code & more");
    seat.browser
        .type_into(".made [name=option-branches]", "main");
    pick(&seat, ".made [name=filter]", "All except these");
    seat.wait_for("document.querySelector('.made [name=watch]') !== null");
    seat.browser.press(".made [name=watch]");
    seat.browser.press(".made [name=star]");
    seat.check_look("organization-bot-address");
    let made = address(&seat, ".made");
    let realm = seat.user.post("/register", &[]).ok();
    let site = realm["realm_url"].as_str().expect("an address");
    let end = format!(
        "&stream={}&topic=Code%20%26%20more&branches=main&exclude_events=%5B%22star%22%2C%22watch%22%5D",
        seat.channel.stream_id
    );
    let key = made
        .strip_prefix(&format!("{site}/api/v1/external/github?api_key="))
        .and_then(|rest| rest.strip_suffix(&end));
    let key = key.unwrap_or_else(|| panic!("{made}")).to_owned();
    assert_eq!(key.len(), 32);
    let entries = seat.browser.text(".made .setup .entries");
    assert!(
        entries.contains(&format!("Payload URL: {made}")),
        "{entries}"
    );

    let repository = json!({"name": "tools", "full_name": "ann/tools"});
    let sender = json!({"login": "ann"});
    let star = json!({"action": "created", "repository": repository, "sender": sender});
    let push = json!({"ref": "refs/heads/main", "repository": repository, "sender": sender,
        "pusher": sender, "commits": [], "created": true});
    assert_eq!(deliver(&seat, &made, "star", &star), json!(200));
    assert_eq!(deliver(&seat, &made, "push", &push), json!(200));
    let messages = written(&seat);
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert_eq!(messages[0].0, "Code & more");

    // The key is gone with the page.
    seat.go("#inbox");
    seat.wait_for("document.querySelector('.organization') === null");
    seat.go("#organization/bots");
    seat.wait_for("document.querySelector('.organization [name=type]') !== null");
    assert_eq!(
        seat.ask("document.querySelector('.made') === null"),
        json!(true)
    );
    seat.browser
        .press(".accounts button[aria-label='Edit: Repository']");
    seat.wait_for("document.querySelector('dialog .setup') !== null");
    let blank = format!("{site}/api/v1/external/github?api_key=KEY");
    assert_eq!(address(&seat, "dialog"), blank);
    seat.press_text("dialog", "Make a key");
    seat.wait_for("!document.querySelector('dialog .key code').textContent.endsWith('KEY')");
    let renewed = address(&seat, "dialog");
    assert!(!renewed.ends_with(&key), "{renewed}");
    assert_eq!(deliver(&seat, &made, "push", &push), json!(401));
    assert_eq!(deliver(&seat, &renewed, "push", &push), json!(200));

    // A secret that is set later is checked from then on.
    seat.browser
        .type_into("dialog [name=config-webhook_secret]", "three threads");
    seat.press_text("dialog", "Save");
    seat.wait_for("document.querySelector('dialog') === null");
    assert_eq!(
        services(&seat)[0]["config_data"]["webhook_secret"],
        "three threads"
    );
    assert_eq!(deliver(&seat, &renewed, "push", &push), json!(401));
    seat.browser
        .press(".accounts button[aria-label='Edit: Repository']");
    seat.wait_for(
        "document.querySelector('dialog .entries').textContent.includes('Secret: three threads')",
    );
    seat.check_look("organization-bot-webhook");
}

#[test]
fn an_account_and_its_key_are_saved_as_a_file() {
    let Some(seat) = Seat::at("web-zuliprc", |_| "#settings/account".to_owned()) else {
        return;
    };
    seat.wait_for("document.querySelector('.zuliprc') !== null");
    seat.browser.press(".zuliprc summary");
    assert!(seat.browser.text(".zuliprc pre").contains("key=KEY"));
    seat.check_look("settings-zuliprc");
    seat.browser.type_into("[name=key_name]", "Reports");
    seat.press_text(".settings", "Make a key");
    seat.wait_for("document.querySelector('.key code')?.textContent.length === 32");
    seat.press_text(".zuliprc", "Download");
    let realm = seat.user.post("/register", &[]).ok();
    let site = realm["realm_url"].as_str().expect("an address");
    let expected = format!(
        "[api]\nemail={}\nkey={}\nsite={site}\n",
        seat.user.email,
        seat.browser.text(".key code")
    );
    assert_eq!(seat.browser.downloaded("zuliprc"), expected);
    seat.is_content();
}

#[test]
fn templates_are_previewed_with_a_sample() {
    let Some(seat) = Seat::at("web-template", |_| "#organization/bots".to_owned()) else {
        return;
    };
    begin(&seat, "Deliveries", "deliveries", "templ", "template");
    seat.wait_for("document.querySelector('.organization [name=example]') !== null");
    let example = "document.querySelector('.organization [name=example]').options[1].textContent";
    let name = seat.ask(example);
    pick(
        &seat,
        ".organization [name=example]",
        name.as_str().expect("a name"),
    );
    seat.wait_for("document.querySelector('.organization .preview .rendered').textContent !== ''");
    seat.check_look("organization-bot-template");
    // An error appears at its field, and the preview of what was right is gone.
    let text = ".organization [name=config-text_template]";
    seat.browser.type_into(text, "one\n{{ body.who");
    seat.wait_for(&format!(
        "document.querySelector('{text} + .error').textContent.includes('2')
             && document.querySelector('.organization .preview') === null"
    ));
    seat.browser
        .type_into(text, "{{ body.who | bold }} wove *{{ body.what }}*");
    seat.browser.type_into(
        ".organization [name=config-topic_template]",
        "{{ body.who }}",
    );
    seat.browser.type_into(
        ".organization [name=sample]",
        r#"{"who": "Ada", "what": "cl*th"}"#,
    );
    seat.wait_for("document.querySelector('.organization .preview strong').textContent === 'Ada'");
    let rendered = "document.querySelector('.organization .preview .rendered').textContent.trim()";
    assert_eq!(seat.ask(rendered), json!("Ada wove cl*th"));
    seat.press_text(".organization form", "Create");
    seat.wait_for("document.querySelector('.made .setup') !== null");
    pick(&seat, ".made [name=stream]", &seat.channel.name);
    seat.wait_for("document.querySelector('.made [name=topic]') !== null");
    let made = address(&seat, ".made");
    let body = json!({"who": "Ada", "what": "linen"});
    assert_eq!(deliver(&seat, &made, "", &body), json!(200));
    assert_eq!(
        written(&seat),
        [("Ada".to_owned(), "**Ada** wove *linen*".to_owned())]
    );

    seat.browser
        .press(".accounts button[aria-label='Edit: Deliveries']");
    let text = "dialog [name=config-text_template]";
    seat.wait_for(&format!(
        "document.querySelector('{text}').value.startsWith('{{{{ body.who')"
    ));
    seat.browser.type_into(text, "{{ body.what }}");
    seat.press_text("dialog", "Save");
    seat.wait_for("document.querySelector('dialog') === null");
    assert_eq!(
        services(&seat)[0]["config_data"]["text_template"],
        "{{ body.what }}"
    );
    seat.is_content();
}
