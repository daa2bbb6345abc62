//! Alerts of outside services.
//!
//! A webhook call brings the values of the app. The channel's values say who is on call, so the app stores the text in the
//! channel's scope, and a tick of the channel posts it.

use spindle_app::time::MINUTE;
use spindle_app::{
    Effect, Event, Place, Scope, Topic, Values, Webhook, cut_bytes, forget, log, schedule, shorten,
    store,
};

use crate::incident;
use crate::rota::Rota;

/// The tick that posts alerts.
pub(crate) const ALERTS: &str = "alerts";

const ALERT: &str = "alert ";
/// Some thirty alerts can wait in the values of a channel.
const MAX_BYTES: usize = 2_000;
/// Alerts that were posted, until their message is known to be there.
const SENT: &str = "sent ";
/// The tick of a new page, and its value that names the channel and the alert.
pub(crate) const CONFIRM: &str = "confirm";
/// More alerts than these become one page.
const MAX_PAGES: usize = 5;
/// Characters of a topic.
const MAX_TOPIC: usize = 60;
/// One event has at most 50 effects, and each alert of a common page takes one.
const POSTED_AT_ONCE: usize = 40;
/// Characters of a common page.
const MAX_COMMON: usize = 1_800;
/// Alerts that are posted again after a failure: each takes two effects.
const MAX_AGAIN: usize = 20;

pub(crate) fn receive(event: &Event, webhook: &Webhook) -> Vec<Effect> {
    let Some(channel) = event.setting_as::<i64>("channel").filter(|id| *id > 0) else {
        return vec![log(
            "An alert has come, but the channel of alerts is not set.",
        )];
    };
    let Some(text) = text(&webhook.body) else {
        return vec![log(
            "An alert without `title`, `text` or `message` has come.",
        )];
    };
    let scope = Scope::Channel(channel);
    vec![
        store(
            scope,
            format!("{ALERT}{:020}", event.id),
            cut_bytes(&text, MAX_BYTES),
        ),
        schedule(scope, ALERTS, event.time),
    ]
}

/// Posts alerts that wait, the oldest first.
pub(crate) fn post(event: &Event, channel: i64, values: &Values) -> Vec<Effect> {
    let rota = Rota::of(values, event.time);
    let name = event
        .setting("topic")
        .filter(|topic| !topic.trim().is_empty());
    let place = Place::Topic(Topic {
        channel,
        name: shorten(name.unwrap_or(ALERTS), MAX_TOPIC),
    });
    let mut waiting = values.below(ALERT);
    let alerts: Vec<(&str, &str)> = waiting.by_ref().take(POSTED_AT_ONCE).collect();
    let forgotten = alerts
        .iter()
        .map(|(id, _)| forget(event.scope, format!("{ALERT}{id}")));
    // They make room for what follows.
    let mut effects: Vec<Effect> = forgotten.collect();
    let pages = match alerts.last() {
        Some((id, _)) if alerts.len() > MAX_PAGES => vec![(*id, common(&alerts))],
        _ => (alerts.iter())
            .map(|(id, text)| (*id, (*text).to_owned()))
            .collect(),
    };
    for (id, text) in pages {
        let page = incident::open(event, place.clone(), &text, &rota)
            .value(CONFIRM, format!("{channel} {id}"))
            .tick(CONFIRM, event.time);
        effects.push(store(event.scope, format!("{SENT}{id}"), text));
        effects.push(page.into());
    }
    if waiting.next().is_some() {
        effects.push(schedule(event.scope, ALERTS, event.time));
    }
    effects
}

/// One text of many alerts.
fn common(alerts: &[(&str, &str)]) -> String {
    let most = MAX_COMMON / alerts.len().max(1);
    let lines = alerts.iter().map(|(_, text)| {
        let words: Vec<&str> = text.split_whitespace().collect();
        format!("\n* {}", shorten(&words.join(" "), most))
    });
    let text = format!("{} alerts:\n{}", alerts.len(), lines.collect::<String>());
    cut_bytes(&text, MAX_BYTES).to_owned()
}

/// A page is there: its alert need not be kept.
pub(crate) fn confirm(event: &Event, values: &Values) -> Vec<Effect> {
    let alert = values
        .get(CONFIRM)
        .and_then(|value| value.split_once(' '))
        .and_then(|(channel, id)| Some((channel.parse().ok()?, id)));
    let Some((channel, id)) = alert else {
        return Vec::new();
    };
    vec![
        forget(Scope::Channel(channel), format!("{SENT}{id}")),
        forget(event.scope, CONFIRM),
    ]
}

/// A message was refused: alerts whose page is not known to be there are posted again a minute later.
pub(crate) fn again(event: &Event, values: &Values) -> Vec<Effect> {
    let mut effects = Vec::new();
    for (id, text) in values.below(SENT).take(MAX_AGAIN) {
        effects.push(forget(event.scope, format!("{SENT}{id}")));
        effects.push(store(event.scope, format!("{ALERT}{id}"), text));
    }
    if !effects.is_empty() {
        effects.push(schedule(event.scope, ALERTS, event.time + MINUTE));
    }
    effects
}

/// Title and text of a JSON object; another body is the text itself.
fn text(body: &[u8]) -> Option<String> {
    let body = String::from_utf8_lossy(body);
    let Ok(json) = serde_json::from_str::<serde_json::Value>(&body) else {
        return kept(&body);
    };
    let field = |name: &str| kept(json.get(name)?.as_str()?);
    let title = field("title").map(|title| title.replace(['\n', '\r'], " "));
    match (title, field("text").or_else(|| field("message"))) {
        (Some(title), Some(text)) => Some(format!("{title}\n\n{text}")),
        (title, text) => title.or(text),
    }
}

/// A text that can be stored and is not blank.
fn kept(text: &str) -> Option<String> {
    let text = text.replace('\0', "");
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alerts_are_json_or_plain() {
        for (body, expected) in [
            (
                r#"{"title": "Disk\nfull", "text": "db1"}"#,
                Some("Disk full\n\ndb1"),
            ),
            (r#"{"message": "late"}"#, Some("late")),
            (r#"{"title": "only"}"#, Some("only")),
            ("down\0!", Some("down!")),
            (r#"{"text": 7}"#, None),
            ("[]", None),
            (" ", None),
        ] {
            assert_eq!(text(body.as_bytes()).as_deref(), expected, "{body}");
        }
        assert!(text(&[0xff, 0xfe]).is_some());
    }
}
