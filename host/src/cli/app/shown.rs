//! Apps as text for people.

use serde_json::Value;
use spindle_actions::apps::AppObject;
use spindle_domain::apps::{EventKind, Rights};

/// A line for each app.
pub(super) fn table(apps: &[AppObject]) -> String {
    if apps.is_empty() {
        return "no app is installed".to_owned();
    }
    let mut lines = vec![format!(
        "{:<30}  {:<20}  {:<8}  {}",
        "name", "version", "state", "title"
    )];
    lines.extend(apps.iter().map(|app| {
        format!(
            "{:<30}  {:<20}  {:<8}  {}",
            app.name, app.version, app.state, app.title
        )
    }));
    lines.join("\n")
}

/// An app with its rights, settings and state, and what to do next.
pub(super) fn app(app: &AppObject) -> String {
    let reason = app.paused_reason.iter();
    let reason: String = reason.map(|reason| format!(" ({reason})")).collect();
    let mut lines = vec![
        format!("name:     {}", app.name),
        format!("title:    {}", app.title),
        format!("version:  {}", app.version),
        format!("state:    {}{reason}", app.state),
        format!("account:  bot {} of user {}", app.bot_user_id, app.owner_id),
        format!("waiting:  {} events", app.waiting_events),
    ];
    let signed = app.signed_by.iter();
    lines.extend(signed.map(|key| format!("signed:   by the key {key}")));
    lines.extend(app.rights.iter().flat_map(granted));
    for setting in &app.manifest.settings {
        let entered = app.settings.get(&setting.name);
        let value = match (entered, &setting.default) {
            (Some(value), _) => value.clone(),
            (None, Some(default)) => format!("{default} (default)"),
            (None, None) => "not set".to_owned(),
        };
        lines.push(format!("setting:  {} = {value}", setting.name));
    }
    for secret in &app.manifest.secrets {
        let state = match app.secrets_set.contains(&secret.name) {
            true => "set",
            false => "not set",
        };
        lines.push(format!(
            "secret:   {} for {}: {state}",
            secret.name, secret.host
        ));
    }
    if let Some(url) = &app.webhook_url {
        lines.push(format!("webhook:  {url}"));
    }
    lines.extend(missing(app));
    lines.join("\n")
}

fn granted(rights: &Rights) -> Vec<String> {
    let channels = match &rights.channels {
        None => "all that the account can read".to_owned(),
        Some(chosen) if chosen.is_empty() => {
            "none, only direct messages; --channel or --all-channels grants more".to_owned()
        }
        Some(chosen) => list(chosen.iter().map(ToString::to_string)),
    };
    vec![
        format!("events:   {}", list(names(&rights.events))),
        format!("commands: {}", list(rights.commands.iter().cloned())),
        format!("hosts:    {}", list(rights.hosts.iter().cloned())),
        format!("channels: {channels}"),
    ]
}

/// What the app asks for and has not been granted.
fn missing(app: &AppObject) -> Option<String> {
    let missing = &app.missing_rights;
    let commands = missing.commands.iter().map(|name| format!("/{name}"));
    let asked = names(&missing.events)
        .chain(commands)
        .chain(missing.hosts.iter().cloned());
    let asked: Vec<String> = asked.collect();
    if asked.is_empty() && app.rights.is_some() {
        return None;
    }
    Some(format!(
        "not granted: {}\ngrant it with: spindle app grant {} --all",
        list(asked),
        app.name
    ))
}

fn names(events: &[EventKind]) -> impl Iterator<Item = String> {
    events.iter().map(|kind| kind.name().to_owned())
}

fn list(parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<String> = parts.into_iter().collect();
    match parts.is_empty() {
        true => "none".to_owned(),
        false => parts.join(", "),
    }
}

/// A line for each of a log: the time and the text.
pub(super) fn log(lines: &Value) -> String {
    let lines = lines.as_array().into_iter().flatten();
    let lines: Vec<String> = lines
        .map(|line| {
            let text = line["text"].as_str().unwrap_or_default();
            let seconds = line["time"].as_i64().unwrap_or_default();
            let time = jiff::Timestamp::from_second(seconds);
            let time = time.map_or_else(|_| seconds.to_string(), |time| time.to_string());
            format!("{time}  {text}")
        })
        .collect();
    match lines.is_empty() {
        true => "the log is empty".to_owned(),
        false => lines.join("\n"),
    }
}
