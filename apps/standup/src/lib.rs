//! An app: stand-ups.
//!
//! A stand-up belongs to a channel, whose values are its plan, its members and their answers. The questions and the
//! answers are direct messages. An answer comes with the values of its author only, so it is stored into the channel's
//! scope without knowing that of the others, and a tick of the channel then looks at all of them.

mod answers;
mod commands;
mod plan;
mod round;
mod summary;
mod team;
mod ticks;
mod wish;

use spindle_app::{Effect, Event, Happening, Reply, Scope, Values, log};

spindle_app::app!("../app.json", handle);

fn handle(event: Event, values: Values) -> Vec<Effect> {
    match (&event.what, event.scope) {
        (Happening::Command(command), Scope::Channel(channel)) => {
            commands::obey(&event, channel, command, &values)
        }
        (Happening::Message(message), Scope::Person(person)) => {
            answers::take(&event, person, message, &values)
        }
        (Happening::Command(command), _) => {
            let text = "A stand-up belongs to a channel: use the command there.";
            answer(command.message.sender.id, text)
        }
        (Happening::Message(message), _) => {
            let text = "Write `/standup` to see the stand-up of this channel.";
            answer(message.sender.id, text)
        }
        (Happening::Tick(tick), Scope::Channel(channel)) => {
            ticks::tick(&event, channel, &tick.name, &values)
        }
        (Happening::Tick(_), Scope::Message(id)) => ticks::posted(&event, id, &values),
        (Happening::EffectFailed(failed), _) => {
            let text = format!("{} failed: {}", failed.effect, failed.reason);
            vec![log(spindle_app::shorten(&text, 500))]
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
