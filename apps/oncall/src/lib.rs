//! An app: who is on call.
//!
//! A rotation belongs to a channel, whose values are its people in the order of their turns. An incident is a message of
//! the app; its values are the people to page, so a click and the ticks of the message need nothing of the channel.

mod alerts;
mod commands;
mod incident;
mod rota;
mod turns;
mod wish;

use spindle_app::{Effect, Event, Happening, Reply, Scope, Values, log, shorten};

spindle_app::app!("../app.json", handle);

fn handle(event: Event, values: Values) -> Vec<Effect> {
    match (&event.what, event.scope) {
        (Happening::Command(command), Scope::Channel(_)) => {
            commands::obey(&event, command, &values)
        }
        (Happening::Message(message), Scope::Channel(_)) => {
            incident::report(&event, message, &values)
        }
        (Happening::Command(command), _) => answer(
            command.message.sender.id,
            "A rotation belongs to a channel: use the command there.",
        ),
        (Happening::Message(message), _) => answer(
            message.sender.id,
            "To reach the person on call, mention me in the channel of the rotation.",
        ),
        (Happening::Click(click), _) => incident::click(&event, click, &values),
        (Happening::Webhook(webhook), _) => alerts::receive(&event, webhook),
        (Happening::Tick(tick), Scope::Channel(channel)) => match tick.name.as_str() {
            alerts::ALERTS => alerts::post(&event, channel, &values),
            _ => turns::tick(&event, channel, &values),
        },
        (Happening::Tick(tick), Scope::Message(_)) if tick.name == alerts::CONFIRM => {
            alerts::confirm(&event, &values)
        }
        (Happening::Tick(_), Scope::Message(id)) => incident::escalate(&event, id, &values),
        (Happening::EffectFailed(failed), _) => {
            let text = format!("{} failed: {}", failed.effect, failed.reason);
            let mut effects = vec![log(shorten(&text, 500))];
            if failed.effect == "send" {
                effects.extend(alerts::again(&event, &values));
            }
            effects
        }
        _ => Vec::new(),
    }
}

/// An answer that only its reader sees.
fn answer(person: i64, text: impl Into<String>) -> Vec<Effect> {
    vec![Reply::new(text).only_for(person).into()]
}

#[cfg(test)]
mod tests;
