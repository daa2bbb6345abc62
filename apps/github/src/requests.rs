//! Requests to GitHub. What waits for an answer is a value of the channel or the person.

use serde_json::{Value, json};
use spindle_app::text::escape;
use spindle_app::{
    Answer, Draft, Effect, Event, Fetch, Message, Place, Scope, Topic, Values, forget, react, store,
};

use crate::links::{Link, Target};
use crate::preview::{self, Shown};
use crate::repository::Repository;

const API: &str = "https://api.github.com/repos/";
const TOKEN: &str = "token";
const WAIT: &str = "wait ";
/// Requests of a scope that wait.
const MAX_WAITING: usize = 20;
/// What waits for longer was lost, such as by a change of rights.
const PATIENCE: i64 = 60 * 60;

/// The requests of one message.
pub(crate) struct Batch<'a> {
    event: &'a Event,
    place: &'a Place,
    number: usize,
    effects: Vec<Effect>,
}

impl<'a> Batch<'a> {
    /// # Errors
    ///
    /// When too many requests of the scope wait.
    pub(crate) fn new(
        event: &'a Event,
        message: &'a Message,
        values: &Values,
    ) -> Result<Self, String> {
        let (lost, waiting): (Vec<_>, Vec<_>) =
            Waiting::all(values).partition(|(_, one)| event.time - one.time > PATIENCE);
        if waiting.len() >= MAX_WAITING {
            return Err("Too many requests wait for GitHub; try again in some minutes.".to_owned());
        }
        let lost = lost
            .iter()
            .map(|(id, _)| forget(event.scope, format!("{WAIT}{id}")));
        let seen = [react(message.id, "eyes")];
        Ok(Self {
            event,
            place: &message.place,
            number: 0,
            effects: lost.chain(seen).collect(),
        })
    }

    pub(crate) fn effects(self) -> Vec<Effect> {
        self.effects
    }

    pub(crate) fn open_issue(
        &mut self,
        repository: &Repository,
        name: &str,
        title: &str,
        body: &str,
    ) {
        // Neither a mention nor a link of GitHub.
        let name: String = (name.chars())
            .filter(|letter| !"@#*_`<>[]()&\\".contains(*letter) && !letter.is_control())
            .collect();
        let gap = if body.is_empty() { "" } else { "\n\n" };
        let body = format!("{body}{gap}*Opened by {name} in chat.*");
        let body = json!({"title": title, "body": body}).to_string();
        let waiting = self.waiting(Shown::NewIssue, repository, "issues".to_owned());
        self.add(&waiting, |id, url| {
            Fetch::post(id, url, body).header("Content-Type", "application/json")
        });
    }

    pub(crate) fn show(&mut self, link: &Link) {
        let (shown, path) = match &link.target {
            Target::Issue(number) => (Shown::Issue, format!("issues/{number}")),
            Target::Pull(number) => (Shown::Pull, format!("pulls/{number}")),
            Target::Commit(hash) => (Shown::Commit, format!("commits/{hash}")),
            Target::File { reference, path } => {
                (Shown::File, format!("contents/{path}?ref={reference}"))
            }
        };
        let waiting = self.waiting(shown, &link.repository, path);
        self.add(&waiting, Fetch::get);
    }

    fn waiting(&self, shown: Shown, repository: &Repository, path: String) -> Waiting {
        Waiting {
            time: self.event.time,
            shown,
            repository: repository.as_str().to_owned(),
            path,
            place: self.place.clone(),
        }
    }

    fn add(&mut self, waiting: &Waiting, fetch: impl FnOnce(String, String) -> Fetch) {
        self.number += 1;
        let id = format!("{}-{}", self.event.id, self.number);
        let value = store(self.event.scope, format!("{WAIT}{id}"), waiting.value());
        let fetch = fetch(id, waiting.url()).bearer(TOKEN);
        self.effects
            .extend([value, complete(fetch, self.event.scope)]);
    }
}

fn complete(fetch: Fetch, scope: Scope) -> Effect {
    (fetch.scope(scope))
        .header("Accept", "application/vnd.github+json")
        .header("X-GitHub-Api-Version", "2022-11-28")
        .header("User-Agent", "spindle-github")
        .into()
}

/// A request that was not answered yet.
#[derive(Debug, Clone, PartialEq)]
struct Waiting {
    time: i64,
    shown: Shown,
    repository: String,
    /// Below the repository.
    path: String,
    place: Place,
}

impl Waiting {
    /// With their ids.
    fn all(values: &Values) -> impl Iterator<Item = (&str, Self)> {
        values
            .below(WAIT)
            .filter_map(|(id, value)| Some((id, Self::parse(value)?)))
    }

    fn of(values: &Values, id: &str) -> Option<Self> {
        Self::parse(values.get(&format!("{WAIT}{id}"))?)
    }

    fn parse(value: &str) -> Option<Self> {
        let mut lines = value.split('\n');
        Some(Self {
            time: lines.next()?.parse().ok()?,
            shown: Shown::of(lines.next()?)?,
            repository: lines.next()?.to_owned(),
            path: lines.next()?.to_owned(),
            place: place(lines.next()?)?,
        })
    }

    /// What [`Self::parse`] reads.
    fn value(&self) -> String {
        let place = match &self.place {
            Place::Topic(topic) => format!("topic {} {}", topic.channel, topic.name),
            Place::Direct(people) => {
                let people: Vec<String> = people.iter().map(ToString::to_string).collect();
                format!("direct {}", people.join(" "))
            }
        };
        let Self {
            time,
            repository,
            path,
            ..
        } = self;
        format!(
            "{time}\n{}\n{repository}\n{path}\n{place}",
            self.shown.name()
        )
    }

    fn url(&self) -> String {
        format!("{API}{}/{}", self.repository, self.path)
    }

    fn message(self, content: String) -> Effect {
        Draft::new(self.place, content).into()
    }
}

fn place(text: &str) -> Option<Place> {
    let (kind, rest) = text.split_once(' ')?;
    Some(match kind {
        "topic" => {
            let (channel, name) = rest.split_once(' ')?;
            let (channel, name) = (channel.parse().ok()?, name.to_owned());
            Place::Topic(Topic { channel, name })
        }
        _ => Place::Direct(rest.split(' ').filter_map(|id| id.parse().ok()).collect()),
    })
}

/// GitHub has answered.
pub(crate) fn take(event: &Event, answer: &Answer, values: &Values) -> Vec<Effect> {
    let Some(waiting) = Waiting::of(values, &answer.id) else {
        return Vec::new();
    };
    let has_no_token = (answer.failure.as_deref()).is_some_and(|why| why.ends_with("is not set"));
    if has_no_token && waiting.shown != Shown::NewIssue {
        // Public repositories are read without one.
        let fetch = Fetch::get(answer.id.clone(), waiting.url());
        return vec![complete(fetch, event.scope)];
    }
    let text = match json_of(answer, has_no_token) {
        Ok(json) => preview::draw(waiting.shown, &waiting.repository, &json),
        Err(reason) => format!(
            "{} in {} failed: {reason}",
            waiting.shown.what(),
            escape(&waiting.repository, 140)
        ),
    };
    vec![
        forget(event.scope, format!("{WAIT}{}", answer.id)),
        waiting.message(text),
    ]
}

fn json_of(answer: &Answer, has_no_token: bool) -> Result<Value, String> {
    if has_no_token {
        return Err("an administrator has to enter an access token first.".to_owned());
    }
    if let Some(failure) = &answer.failure {
        return Err(format!("{}.", escape(failure, 200)));
    }
    let json = serde_json::from_str::<Value>(&answer.body);
    match answer.status {
        200..=299 => json.map_err(|_| "GitHub's answer cannot be read.".to_owned()),
        301 | 302 | 307 | 308 => Err("the repository has moved; use its new name.".to_owned()),
        401 => Err("GitHub does not accept the access token.".to_owned()),
        403 | 429 => Err("GitHub does not allow it, or not so many requests.".to_owned()),
        404 | 410 => Err("it does not exist, or the access token has no right to it.".to_owned()),
        status => {
            let json = json.unwrap_or_default();
            let said = json.get("message").and_then(Value::as_str);
            Err(match said {
                Some(said) => format!("GitHub says \"{}\".", escape(said, 200)),
                None => format!("GitHub answers with the status {status}."),
            })
        }
    }
}

/// The server has refused a request, most likely the newest.
pub(crate) fn refused(event: &Event, reason: &str, values: &Values) -> Vec<Effect> {
    let Some((id, waiting)) = Waiting::all(values).max_by_key(|(_, waiting)| waiting.time) else {
        return Vec::new();
    };
    let text = format!("The request was not made: {}.", escape(reason, 200));
    vec![
        forget(event.scope, format!("{WAIT}{id}")),
        waiting.message(text),
    ]
}
