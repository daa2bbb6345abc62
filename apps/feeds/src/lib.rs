//! An app: posts new entries of RSS and Atom feeds.
//!
//! `/feed add address` keeps a feed in the values of the channel. A tick of its own has it read; the answer brings the
//! document, whose new entries are posted in the topic.

mod commands;
mod dates;
mod document;
mod draw;
mod feed;
mod plain;
mod read;

use spindle_app::{Effect, Event, FailedEffect, Happening, Values, log};

spindle_app::app!("../app.json", handle);

fn handle(event: Event, values: Values) -> Vec<Effect> {
    match &event.what {
        Happening::Command(command) => commands::run(&event, command, &values),
        Happening::Tick(tick) => read::ask(&event, &tick.name, &values),
        Happening::Answer(answer) => read::take(&event, answer, &values),
        Happening::EffectFailed(failed) => failure(&event, failed, &values),
        _ => Vec::new(),
    }
}

/// A feed whose host was not granted is not kept.
fn failure(event: &Event, failed: &FailedEffect, values: &Values) -> Vec<Effect> {
    let mut effects = vec![log(format!("{} failed: {}", failed.effect, failed.reason))];
    if failed.effect == "fetch" {
        effects.extend(read::refused(event, &failed.reason, values));
    }
    effects
}

#[cfg(test)]
mod tests;
