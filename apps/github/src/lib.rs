//! An app: events, issues and previews of GitHub.
//!
//! Subscriptions are in the values of the app, because webhooks bring those alone. Commands do not see them: they leave a request
//! there, and a tick of the app answers it. Requests to GitHub wait in the values of their channel or person.

mod commands;
mod hooks;
mod links;
mod preview;
mod repository;
mod requests;
mod subscriptions;

use spindle_app::{Effect, Event, Happening, Values, log};

spindle_app::app!("../app.json", handle);

fn handle(event: Event, values: Values) -> Vec<Effect> {
    match &event.what {
        Happening::Command(command) => commands::run(&event, command, &values),
        Happening::Message(message) => commands::mentioned(&event, message, &values),
        Happening::Tick(tick) => {
            let mut effects = subscriptions::forget_lost(&event, &values);
            effects.extend(subscriptions::answer(&tick.name, &values));
            effects
        }
        Happening::Webhook(webhook) => {
            let mut effects = subscriptions::forget_lost(&event, &values);
            effects.extend(hooks::take(&event, webhook, &values));
            effects
        }
        Happening::Answer(answer) => requests::take(&event, answer, &values),
        Happening::EffectFailed(failed) => {
            let mut effects = vec![log(format!("{} failed: {}", failed.effect, failed.reason))];
            if failed.effect == "fetch" {
                effects.extend(requests::refused(&event, &failed.reason, &values));
            }
            effects
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
