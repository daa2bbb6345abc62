//! An app that does what messages ask it, also what the host must refuse.
//!
//! The text of a message or command, without a mention at its beginning, is a word and its arguments; other events are
//! answered in the place that the value `home` of their scope names, or are logged.

use spindle_app::{
    Draft, Edit, Effect, Event, Fetch, Happening, Message, Place, Reply, Scope, Values, cancel,
    forget, log, react, reply, schedule, store,
};

spindle_app::app!("../app.json", handle);

fn handle(event: Event, values: Values) -> Vec<Effect> {
    match &event.what {
        Happening::Message(message) => {
            let content = message.content.trim();
            let text = match content.strip_prefix("@**") {
                Some(rest) => rest.split_once("**").map_or("", |(_, text)| text.trim()),
                None => content,
            };
            obey(&event, message, text, &values)
        }
        Happening::Command(command) => obey(&event, &command.message, &command.text, &values),
        Happening::Click(click) => {
            let count = values.parse("clicks").unwrap_or(0) + 1;
            let content = format!("{} clicks, the last on {}", count, click.button);
            vec![
                store(event.scope, "clicks", count),
                Edit::new(click.message_id, content)
                    .button("a", "A")
                    .button("b", "B")
                    .into(),
            ]
        }
        Happening::Reaction(reaction) => {
            let verb = if reaction.is_added {
                "added"
            } else {
                "removed"
            };
            vec![reply(format!("{verb} {}", reaction.emoji))]
        }
        Happening::Vote(vote) => vec![reply(format!("voted {}", vote.choice))],
        Happening::Tick(tick) => report(&values, format!("tick {}", tick.name)),
        Happening::Webhook(webhook) => report(
            &values,
            format!("webhook {}", String::from_utf8_lossy(&webhook.body)),
        ),
        Happening::Answer(answer) => report(
            &values,
            format!(
                "answer {} {} {}{}",
                answer.id,
                answer.status,
                answer.body,
                answer.failure.as_deref().unwrap_or_default()
            ),
        ),
        Happening::EffectFailed(failed) => report(
            &values,
            format!("{} failed: {}", failed.effect, failed.reason),
        ),
    }
}

/// Sends to the topic in the value `home` of the scope (`channel topic`), and logs.
fn report(values: &Values, text: String) -> Vec<Effect> {
    let mut effects = vec![log(text.clone())];
    let home = values.get("home").and_then(|home| home.split_once(' '));
    if let Some((channel, topic)) = home
        && let Ok(channel) = channel.parse()
    {
        effects.push(Draft::to_topic(channel, topic, text).into());
    }
    effects
}

// Some messages ask for a panic.
#[allow(clippy::panic)]
fn obey(event: &Event, message: &Message, text: &str, values: &Values) -> Vec<Effect> {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let number = || rest.trim().parse::<i64>().unwrap_or_default();
    match word {
        "loop" => loop {
            std::hint::black_box(rest);
        },
        "trap" => panic!("as {} asked", message.sender.name),
        "recurse" => vec![log(recurse(u64::MAX).to_string())],
        "allocate" => {
            let mut all = Vec::new();
            loop {
                all.push(std::hint::black_box(vec![1_u8; 1 << 20]));
            }
        }
        "sleep" => {
            std::thread::sleep(std::time::Duration::from_secs(60));
            Vec::new()
        }
        "read" => {
            let outcome = std::fs::read("/etc/passwd");
            vec![reply(format!("read: {}", outcome.is_ok()))]
        }
        "many" => (0..number()).map(|n| log(n.to_string())).collect(),
        "log" => vec![log(
            "x".repeat(usize::try_from(number()).unwrap_or_default())
        )],
        "large" => vec![reply(
            "x".repeat(usize::try_from(number()).unwrap_or_default()),
        )],
        "clock" => {
            let since = std::time::SystemTime::UNIX_EPOCH.elapsed();
            let environment = std::env::vars().count();
            vec![reply(format!(
                "{} seconds, {environment} variables, random {}",
                since.unwrap_or_default().as_secs(),
                event.random().below(1_000_000)
            ))]
        }
        "print" => {
            println!("{rest}");
            Vec::new()
        }
        "count" => {
            let count = values.parse("count").unwrap_or(0) + 1;
            vec![store(event.scope, "count", count), reply(count.to_string())]
        }
        "store" => {
            let (key, value) = rest.split_once(' ').unwrap_or((rest, ""));
            vec![store(event.scope, key, value)]
        }
        "fill" => vec![store(event.scope, rest.trim(), "x".repeat(60_000))],
        "forget" => vec![forget(event.scope, rest)],
        "values" => {
            let all: Vec<String> = values
                .iter()
                .map(|(key, value)| format!("{key}={value}"))
                .collect();
            vec![reply(format!("values: {}", all.join(" ")))]
        }
        "home" => match &message.place {
            Place::Topic(topic) => {
                let home = format!("{} {}", topic.channel, topic.name);
                vec![
                    store(event.scope, "home", &home),
                    store(Scope::App, "home", &home),
                    reply("home"),
                ]
            }
            Place::Direct(_) => vec![reply("not here")],
        },
        "later" => vec![schedule(event.scope, "later", event.time + number())],
        "never" => vec![cancel(event.scope, "later")],
        "buttons" => vec![
            Reply::new("Click")
                .button("a", "A")
                .button("b", "B")
                .value("clicks", 0)
                .into(),
        ],
        "react" => vec![react(message.id, rest.trim())],
        "whisper" => vec![Reply::new(rest).only_for(message.sender.id).into()],
        "send" => {
            let (channel, content) = rest.split_once(' ').unwrap_or((rest, "x"));
            let channel = channel.parse().unwrap_or_default();
            vec![
                Draft::to_topic(channel, "from the app", content).into(),
                reply("sent"),
            ]
        }
        "edit" => vec![Edit::new(number(), "edited").into()],
        "fetch" => vec![Fetch::get("one", rest.trim()).scope(event.scope).into()],
        "fetch-with-secret" => vec![
            Fetch::post("two", rest.trim(), "{}")
                .scope(event.scope)
                .header("Content-Type", "application/json")
                .bearer("token")
                .into(),
        ],
        _ => {
            let greeting = event.setting("greeting").unwrap_or("Hi");
            vec![reply(format!(
                "{greeting}, {}! {text}",
                message.sender.name
            ))]
        }
    }
}

fn recurse(depth: u64) -> u64 {
    let held = std::hint::black_box([depth; 64]);
    if depth == 0 {
        return 0;
    }
    recurse(depth - 1) + held.iter().copied().max().unwrap_or_default()
}
