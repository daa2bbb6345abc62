//! What people ask: commands, and messages with links.

use spindle_app::{Command, Effect, Event, Message, Reply, Values};

use crate::links::{Link, find};
use crate::repository::Repository;
use crate::requests::Batch;
use crate::subscriptions::{Kinds, Wish, ask};

const MAX_TITLE: usize = 256;
const MAX_LINKS: usize = 3;
const USAGE: &str = "\
* `/github subscribe owner/repo` posts its issues, pull requests, pushes and releases here; add `issues`, `pulls`, `pushes` or `releases` for these alone
* `/github unsubscribe owner/repo` ends that, and `/github list` shows the subscriptions of the channel
* `/github issue owner/repo Title` opens an issue; further lines are its text
* `/github show` and a link shows what an issue, a pull request, a commit or a file is about";
const NO_LINK: &str =
    "I see no link to an issue, a pull request, a commit or a file on https://github.com.";

pub(crate) fn run(event: &Event, command: &Command, values: &Values) -> Vec<Effect> {
    let message = &command.message;
    let (verb, rest) = match command.text.split_once(char::is_whitespace) {
        Some((verb, rest)) => (verb, rest.trim()),
        None => (command.text.as_str(), ""),
    };
    let effects = match verb {
        _ if message.sender.is_guest => Err("Guests cannot use this app.".to_owned()),
        "subscribe" => subscribe(event, message, rest),
        "unsubscribe" => {
            named(rest).and_then(|repository| ask(event, message, &Wish::Unsubscribe(repository)))
        }
        "list" => ask(event, message, &Wish::List),
        "issue" => issue(event, message, rest, values),
        "show" => previews(event, message, rest, values),
        _ => Err(USAGE.to_owned()),
    };
    effects.unwrap_or_else(|text| only_for(message, text))
}

/// A message that mentions the app, or was sent to it.
pub(crate) fn mentioned(event: &Event, message: &Message, values: &Values) -> Vec<Effect> {
    if message.sender.is_guest {
        return only_for(message, "Guests cannot use this app.".to_owned());
    }
    let effects = previews(event, message, &message.content, values);
    effects.unwrap_or_else(|text| match text == NO_LINK {
        true => only_for(message, USAGE.to_owned()),
        false => only_for(message, text),
    })
}

fn only_for(message: &Message, text: String) -> Vec<Effect> {
    vec![Reply::new(text).only_for(message.sender.id).into()]
}

fn named(text: &str) -> Result<Repository, String> {
    let problem = "Write the owner and the name of the repository: `octo/hello`.";
    Repository::parse(text).ok_or_else(|| problem.to_owned())
}

/// One that people may use.
fn repository(event: &Event, text: &str) -> Result<Repository, String> {
    let repository = named(text)?;
    match repository.is_allowed(event) {
        true => Ok(repository),
        false => Err("The administrators do not allow this repository here.".to_owned()),
    }
}

fn subscribe(event: &Event, message: &Message, text: &str) -> Result<Vec<Effect>, String> {
    let mut words = text.split_whitespace();
    let repository = repository(event, words.next().unwrap_or_default())?;
    let mut kinds = Kinds::default();
    for word in words {
        let is_known = kinds.add(word.trim_matches(['[', ']', ',']));
        if !is_known {
            return Err(
                "After the repository come any of `issues`, `pulls`, `pushes` and `releases`, or nothing for all."
                    .to_owned(),
            );
        }
    }
    ask(event, message, &Wish::Subscribe(repository, kinds.or_all()))
}

fn issue(
    event: &Event,
    message: &Message,
    text: &str,
    values: &Values,
) -> Result<Vec<Effect>, String> {
    let (first, body) = text.split_once('\n').unwrap_or((text, ""));
    let (name, title) = first.split_once(char::is_whitespace).unwrap_or((first, ""));
    let repository = repository(event, name)?;
    let title = title.trim();
    if title.is_empty() || title.chars().count() > MAX_TITLE {
        return Err(format!(
            "Write a title of at most {MAX_TITLE} characters after the repository."
        ));
    }
    let mut batch = Batch::new(event, message, values)?;
    batch.open_issue(&repository, &message.sender.name, title, body.trim());
    Ok(batch.effects())
}

fn previews(
    event: &Event,
    message: &Message,
    text: &str,
    values: &Values,
) -> Result<Vec<Effect>, String> {
    let links = find(text);
    if links.is_empty() {
        return Err(NO_LINK.to_owned());
    }
    let allowed: Vec<&Link> = (links.iter())
        .filter(|link| link.repository.is_allowed(event))
        .take(MAX_LINKS)
        .collect();
    if allowed.is_empty() {
        return Err("The administrators do not allow this repository here.".to_owned());
    }
    let mut batch = Batch::new(event, message, values)?;
    for link in allowed {
        batch.show(link);
    }
    Ok(batch.effects())
}
