//! An app for Spindle. `handle` gets each event, and returns what is to be done.

use spindle_app::{Edit, Effect, Event, Happening, Reply, Values, store};

spindle_app::app!("../app.json", handle);

fn handle(event: Event, values: Values) -> Vec<Effect> {
    let greeting = event.setting("greeting").unwrap_or("Hello");
    match &event.what {
        Happening::Message(message) => {
            let text = format!("{greeting}, {}!", message.sender.name);
            vec![Reply::new(text).button("again", "Again").into()]
        }
        // The scope of a click is the message, so each message has a count of its own.
        Happening::Click(click) => {
            let count = values.parse("count").unwrap_or(1) + 1;
            let text = format!("{greeting}! This is greeting number {count}.");
            let edit = Edit::new(click.message_id, text).button("again", "Again");
            vec![store(event.scope, "count", count), edit.into()]
        }
        _ => Vec::new(),
    }
}
