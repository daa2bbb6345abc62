//! Unit tests of the whole app: events in, effects out.

use super::*;
use serde_json::{Value, json};
use spindle_app::{
    Answer, Command, Draft, FailedEffect, Fetch, Message, Person, Place, Schedule, Scope, Tick,
    Topic, Webhook,
};

/// An app with the values of all scopes.
#[derive(Default)]
struct World {
    values: Vec<(Scope, String, String)>,
    time: i64,
    events: i64,
    allowed: &'static str,
}

impl World {
    fn happens(&mut self, scope: Scope, what: Happening) -> Vec<Effect> {
        self.events += 1;
        let event = Event {
            id: self.events,
            time: self.time,
            seed: 1,
            scope,
            me: person(9),
            settings: vec![("repositories", self.allowed).into()],
            what,
        };
        let own = self.values.iter().filter(|(of, ..)| *of == scope);
        let values: Values = own
            .map(|(_, key, value)| (key.clone(), value.clone()))
            .collect();
        let mut effects = handle(event, values);
        assert!(effects.len() <= 50);
        for effect in &effects {
            if let Effect::Store(store) = effect {
                self.values
                    .retain(|(of, key, _)| (of, key) != (&store.scope, &store.key));
                let value = store.value.clone();
                self.values
                    .extend(value.map(|value| (store.scope, store.key.clone(), value)));
            }
        }
        // A tick that is due comes at once.
        let due: Vec<String> = (effects.iter())
            .filter_map(|effect| match effect {
                Effect::Schedule(Schedule { name, .. }) => Some(name.clone()),
                _ => None,
            })
            .collect();
        for name in due {
            effects.extend(self.happens(Scope::App, Happening::Tick(Tick { name })));
        }
        effects
    }

    fn says(&mut self, text: &str) -> Vec<Effect> {
        self.says_in("code", text)
    }

    fn says_in(&mut self, topic: &str, text: &str) -> Vec<Effect> {
        let command = command(person(1), topic_place(topic), text);
        self.happens(Scope::Channel(3), command)
    }

    fn is_called(&mut self, body: &Value) -> Vec<Effect> {
        let webhook = Webhook {
            content_type: "application/json".to_owned(),
            query: Vec::new(),
            body: body.to_string().into_bytes(),
        };
        self.happens(Scope::App, Happening::Webhook(webhook))
    }

    fn is_answered(&mut self, fetch: &Fetch, status: u16, body: &Value) -> String {
        let answer = Answer {
            id: fetch.id.clone(),
            status,
            body: body.to_string(),
            failure: None,
        };
        sent(&self.happens(fetch.scope, Happening::Answer(answer))).concat()
    }

    fn fails(&mut self, fetch: &Fetch, failure: &str) -> Vec<Effect> {
        let answer = Answer {
            id: fetch.id.clone(),
            status: 0,
            body: String::new(),
            failure: Some(failure.to_owned()),
        };
        self.happens(fetch.scope, Happening::Answer(answer))
    }
}

fn person(id: i64) -> Person {
    Person {
        id,
        name: format!("Person @{id}"),
        is_guest: false,
        is_administrator: false,
    }
}

fn topic_place(name: &str) -> Place {
    Place::Topic(Topic {
        channel: 3,
        name: name.to_owned(),
    })
}

fn command(sender: Person, place: Place, text: &str) -> Happening {
    let message = Message {
        id: 5,
        sender,
        place,
        content: format!("/github {text}"),
    };
    Happening::Command(Command {
        name: "github".to_owned(),
        text: text.to_owned(),
        message,
    })
}

fn sent(effects: &[Effect]) -> Vec<String> {
    let of = |effect: &Effect| match effect {
        Effect::Send(Draft { content, .. }) => Some(content.clone()),
        _ => None,
    };
    let all: Vec<String> = effects.iter().filter_map(of).collect();
    assert!(all.iter().all(|text| text.chars().count() < 10_000));
    all
}

fn fetches(effects: &[Effect]) -> Vec<Fetch> {
    let of = |effect: &Effect| match effect {
        Effect::Fetch(fetch) => Some(fetch.clone()),
        _ => None,
    };
    effects.iter().filter_map(of).collect()
}

fn only_fetch(effects: &[Effect]) -> Fetch {
    let [fetch] = &fetches(effects)[..] else {
        panic!("{effects:?}");
    };
    fetch.clone()
}

/// The text of an answer for the sender alone.
fn refusal(effects: &[Effect]) -> &str {
    match effects {
        [Effect::Reply(reply)] if reply.only_for == Some(1) => &reply.content,
        _ => panic!("{effects:?}"),
    }
}

fn hook(change: Value) -> Value {
    let mut body = json!({
        "repository": {"full_name": "Octo/hello", "html_url": "https://github.com/Octo/hello"},
        "sender": {"login": "ann"}
    });
    let Value::Object(change) = change else {
        panic!("an object");
    };
    body.as_object_mut().unwrap().extend(change);
    body
}

fn opened(title: &str) -> Value {
    let issue =
        json!({"number": 5, "title": title, "html_url": "https://github.com/Octo/hello/issues/5"});
    hook(json!({"action": "opened", "issue": issue}))
}

#[test]
fn events_go_to_topics_that_have_subscribed() {
    let mut world = World::default();
    let answer = sent(&world.says("subscribe octo/hello")).concat();
    assert!(
        answer
            .starts_with("Events of octo/hello are posted here: issues, pulls, pushes, releases.")
    );
    world.says_in("bugs", "subscribe octo/hello issues");
    world.says_in("others", "subscribe octo/other");
    let effects = world.is_called(&opened("Hi"));
    let text = "[Octo/hello](https://github.com/Octo/hello): ann opened issue [Octo/hello#5 Hi](https://github.com/Octo/hello/issues/5)";
    assert_eq!(sent(&effects), [text, text]);
    let places: Vec<&Place> = (effects.iter())
        .filter_map(|effect| match effect {
            Effect::Send(draft) => Some(&draft.place),
            _ => None,
        })
        .collect();
    assert_eq!(places, [&topic_place("code"), &topic_place("bugs")]);
    let release =
        json!({"tag_name": "v1", "name": null, "html_url": "https://github.com/Octo/hello/r"});
    let release = hook(json!({"action": "published", "release": release}));
    assert_eq!(sent(&world.is_called(&release)).len(), 1);
    // Again, with other kinds.
    world.says("subscribe octo/HELLO issues");
    assert!(sent(&world.is_called(&release)).is_empty());
    let list = sent(&world.says("list")).concat();
    assert_eq!(
        list,
        "* octo/HELLO in \"code\": issues\n* octo/hello in \"bugs\": issues\n* octo/other in \"others\": issues, pulls, pushes, releases"
    );
    for _ in 0..2 {
        world.says("unsubscribe octo/hello");
    }
    let effects = world.says("unsubscribe octo/hello");
    assert!(sent(&effects).concat().contains("not posted in this topic"));
    assert_eq!(sent(&world.is_called(&opened("Hi"))).len(), 1);
    // No request is left.
    assert!(
        world
            .values
            .iter()
            .all(|(_, key, _)| !key.starts_with("ask "))
    );
}

#[test]
fn each_event_is_one_line() {
    let mut world = World::default();
    world.says("subscribe octo/hello");
    let pull = |merged: bool| json!({"number": 7, "title": "Fix", "merged": merged, "html_url": "https://github.com/p"});
    let push = |change: Value| {
        let mut body = hook(
            json!({"ref": "refs/heads/main", "compare": "https://github.com/c",
            "commits": [{}, {}], "head_commit": {"message": "Fix `it`\n\nLong"}}),
        );
        body.as_object_mut()
            .unwrap()
            .extend(change.as_object().unwrap().clone());
        body
    };
    for (body, text) in [
        (
            hook(json!({"action": "opened", "pull_request": pull(false)})),
            "ann opened pull request [Octo/hello#7 Fix](https://github.com/p)",
        ),
        (
            hook(json!({"action": "closed", "pull_request": pull(true)})),
            "ann merged pull request [Octo/hello#7 Fix](https://github.com/p)",
        ),
        (
            hook(json!({"action": "closed", "pull_request": pull(false)})),
            "ann closed pull request [Octo/hello#7 Fix](https://github.com/p)",
        ),
        (
            push(json!({})),
            "ann pushed [2 commits](https://github.com/c) to the branch main: Fix &#96;it&#96;",
        ),
        (
            push(json!({"forced": true, "commits": [{}]})),
            "ann force-pushed [1 commit](https://github.com/c) to the branch main: Fix &#96;it&#96;",
        ),
        (
            push(json!({"created": true, "commits": []})),
            "ann pushed [the new branch main](https://github.com/c)",
        ),
        (
            push(json!({"deleted": true, "commits": []})),
            "ann deleted the branch main",
        ),
        (
            push(json!({"ref": "refs/tags/v1"})),
            "ann pushed the [tag v1](https://github.com/c)",
        ),
        (hook(json!({"zen": "x", "hook": {}})), "is connected."),
    ] {
        let texts = sent(&world.is_called(&body));
        assert_eq!(
            texts,
            [format!(
                "[Octo/hello](https://github.com/Octo/hello): {text}"
            )]
        );
    }
    for body in [
        hook(json!({"action": "created", "issue": {}, "comment": {}})),
        hook(json!({"action": "submitted", "pull_request": pull(false), "review": {}})),
        hook(json!({"action": "labeled", "issue": {}})),
        hook(json!({"action": "synchronize", "pull_request": pull(false)})),
        hook(json!({"action": "edited", "release": {}})),
        hook(json!({"action": "started"})),
        hook(json!({"ref": 5, "commits": "x"})),
        hook(json!({"ref": "refs/notes/x", "commits": []})),
    ] {
        assert!(world.is_called(&body).is_empty(), "{body}");
    }
}

#[test]
fn calls_of_others_are_logged_or_ignored() {
    let mut world = World::default();
    for body in [
        json!(5),
        json!({}),
        json!({"repository": {"full_name": 5}}),
        hook(json!({"zen": "", "hook": 1})),
    ] {
        let effects = world.is_called(&body);
        assert!(
            matches!(&effects[..], [Effect::Log(_)]),
            "{body}: {effects:?}"
        );
    }
    let form = Webhook {
        content_type: "application/x-www-form-urlencoded".to_owned(),
        query: Vec::new(),
        body: b"payload=%7B%7D".to_vec(),
    };
    let effects = world.happens(Scope::App, Happening::Webhook(form));
    assert!(matches!(&effects[..], [Effect::Log(text)] if text.contains("application/json")));
    assert!(world.is_called(&opened("unheard")).is_empty());
}

#[test]
fn texts_of_strangers_stay_texts() {
    let mut world = World::default();
    world.says("subscribe octo/hello");
    let long = "https://github.com/".to_owned() + &"(".repeat(200_000);
    let mut body = opened(&"@**all** [x](y) ".repeat(1000));
    body["issue"]["html_url"] = json!(long);
    body["repository"]["html_url"] = json!("javascript:alert(1)");
    body["sender"]["login"] = json!("@**Ann**");
    let text = sent(&world.is_called(&body)).concat();
    for part in ["@**", "](", "javascript"] {
        assert!(!text.contains(part), "{part}: {text}");
    }
}

#[test]
fn an_issue_is_opened() {
    let mut world = World::default();
    let effects = world.says("issue octo/hello  It \"fails\"\nFirst\nsecond");
    let fetch = only_fetch(&effects);
    assert_eq!(
        (fetch.method.as_str(), fetch.url.as_str()),
        ("POST", "https://api.github.com/repos/octo/hello/issues")
    );
    assert_eq!(
        serde_json::from_str::<Value>(&fetch.body).unwrap(),
        json!({"title": "It \"fails\"", "body": "First\nsecond\n\n*Opened by Person 1 in chat.*"})
    );
    let secret = fetch.secret.clone().unwrap();
    assert_eq!(
        (secret.secret.as_str(), secret.prefix.as_str()),
        ("token", "Bearer ")
    );
    let answer = json!({"number": 8, "title": "It \"fails\"", "html_url": "https://github.com/octo/hello/issues/8"});
    assert_eq!(
        world.is_answered(&fetch, 201, &answer),
        "Opened issue [octo/hello#8 It \"fails\"](https://github.com/octo/hello/issues/8)"
    );
    // Each answer counts once.
    assert_eq!(world.is_answered(&fetch, 201, &answer), "");
    assert!(world.values.is_empty());
    for (status, body, reason) in [
        (404, json!({}), "no right"),
        (
            422,
            json!({"message": "Validation *Failed*"}),
            "GitHub says \"Validation &#42;Failed&#42;\".",
        ),
        (500, json!(null), "status 500"),
        (301, json!({}), "has moved"),
        (429, json!({}), "so many requests"),
    ] {
        let fetch = only_fetch(&world.says("issue octo/hello x"));
        let text = world.is_answered(&fetch, status, &body);
        assert!(
            text.starts_with("Opening an issue in octo/hello failed: ") && text.contains(reason),
            "{text}"
        );
    }
    let fetch = only_fetch(&world.says("issue octo/hello x"));
    let effects = world.fails(&fetch, "the secret \"token\" is not set");
    assert!(sent(&effects).concat().contains("access token first"));
    let long = format!("issue octo/hello {}", "x".repeat(257));
    for text in [
        "issue",
        "issue octo/hello",
        "issue octo/hello \nbody",
        &long,
    ] {
        refusal(&world.says(text));
    }
}

#[test]
fn links_are_shown() {
    let mut world = World::default();
    let issue = json!({"number": 5, "title": "A", "state": "closed", "state_reason": "not_planned", "html_url": "https://github.com/i",
        "user": {"login": "ann"}, "labels": [{"name": "bug"}, {"name": "*ui*"}, "odd"]});
    let pull = json!({"number": 7, "title": "B", "state": "open", "draft": true, "merged": false, "html_url": "https://github.com/p", "user": null});
    let merged = json!({"number": 7, "title": "B", "state": "closed", "merged": true, "html_url": "https://github.com/p", "user": {"login": "bob"}, "labels": []});
    let commit = json!({"sha": "0123456789abcdef", "commit": {"message": "One\n\nTwo", "author": {"name": "Ann A"}}, "author": null, "html_url": "https://github.com/c"});
    let file = json!({"path": "src/a.rs", "size": 5000, "html_url": "https://github.com/f"});
    for (link, path, answer, text) in [
        (
            "issues/5",
            "issues/5",
            issue,
            "Issue [o/h#5 A](https://github.com/i) · closed as not planned · by ann · bug, &#42;ui&#42;",
        ),
        (
            "pull/7",
            "pulls/7",
            pull,
            "Pull request [o/h#7 B](https://github.com/p) · draft · by a deleted account",
        ),
        (
            "pull/7#x",
            "pulls/7",
            merged,
            "Pull request [o/h#7 B](https://github.com/p) · merged · by bob",
        ),
        (
            "commit/0123456789",
            "commits/0123456789",
            commit,
            "Commit [o/h@0123456 One](https://github.com/c) · by Ann A",
        ),
        (
            "blob/main/src/a.rs#L5",
            "contents/src/a.rs?ref=main",
            file,
            "File [o/h: src/a.rs](https://github.com/f) · 4 KiB",
        ),
        (
            "blob/main/src",
            "contents/src?ref=main",
            json!([{"path": "x"}]),
            "This link is no file.",
        ),
    ] {
        let fetch = only_fetch(&world.says(&format!("show https://github.com/o/h/{link}")));
        assert_eq!(
            fetch.url,
            format!("https://api.github.com/repos/o/h/{path}")
        );
        assert_eq!(world.is_answered(&fetch, 200, &answer), text);
    }
    // What a stranger's server could answer.
    for body in [
        json!(null),
        json!([]),
        json!({"labels": {}, "user": 5, "number": "x"}),
    ] {
        let fetch = only_fetch(&world.says("show https://github.com/o/h/issues/5"));
        assert!(!world.is_answered(&fetch, 200, &body).is_empty());
    }
    assert!(refusal(&world.says("show it")).contains("no link"));
}

#[test]
fn without_a_token_public_repositories_are_shown() {
    let mut world = World::default();
    let fetch = only_fetch(&world.says("show https://github.com/o/h/issues/5"));
    assert!(fetch.secret.is_some());
    let effects = world.fails(&fetch, "the secret \"token\" is not set");
    let again = only_fetch(&effects);
    assert_eq!(
        (&again.id, &again.url, &again.secret),
        (&fetch.id, &fetch.url, &None)
    );
    let issue = json!({"number": 5, "title": "A", "state": "open"});
    assert!(
        world
            .is_answered(&again, 200, &issue)
            .starts_with("Issue o/h#5 A · open")
    );
    let fetch = only_fetch(&world.says("show https://github.com/o/h/issues/5"));
    let failed = sent(&world.fails(&fetch, "the service did not answer in time"));
    assert_eq!(
        failed,
        ["Showing an issue in o/h failed: the service did not answer in time."]
    );
}

#[test]
fn messages_with_links_are_answered_where_they_are() {
    let mut world = World::default();
    let place = Place::Direct(vec![1, 4]);
    let mut message = Message {
        id: 6,
        sender: person(1),
        place: place.clone(),
        content: "https://github.com/o/h/issues/1 https://github.com/o/h/issues/2 https://github.com/o/h/issues/3 https://github.com/o/h/issues/4".to_owned(),
    };
    let effects = world.happens(Scope::Person(1), Happening::Message(message.clone()));
    let all = fetches(&effects);
    assert_eq!(all.len(), 3);
    let answer = Answer {
        id: all[2].id.clone(),
        status: 200,
        body: "{}".to_owned(),
        failure: None,
    };
    let effects = world.happens(Scope::Person(1), Happening::Answer(answer));
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Send(draft) if draft.place == place))
    );
    message.content = "hello".to_owned();
    let effects = world.happens(Scope::Person(1), Happening::Message(message));
    assert!(refusal(&effects).contains("/github subscribe"));
}

#[test]
fn misuse_is_answered_plainly() {
    let mut world = World {
        allowed: "octo/hello, Team/*",
        ..World::default()
    };
    for (text, reason) in [
        ("", "/github subscribe"),
        ("help", "/github subscribe"),
        ("subscribe", "Write the owner"),
        ("subscribe hello", "Write the owner"),
        ("subscribe octo/..", "Write the owner"),
        ("subscribe octo/hello stars", "any of `issues`"),
        ("subscribe octo/other", "do not allow"),
        ("issue octo/other x", "do not allow"),
        (
            "show https://github.com/octo/other/issues/5",
            "do not allow",
        ),
    ] {
        let effects = world.says(text);
        assert!(refusal(&effects).contains(reason), "{text}: {effects:?}");
    }
    assert_eq!(sent(&world.says("subscribe team/any")).len(), 1);
    assert_eq!(
        sent(&world.says("subscribe Octo/Hello [issues, pulls]")).len(),
        1
    );
    // Events of repositories that are no longer allowed are not posted.
    assert_eq!(sent(&world.is_called(&opened("heard"))).len(), 1);
    world.allowed = "team/*";
    assert!(world.is_called(&opened("unheard")).is_empty());
    assert!(
        sent(&world.says("unsubscribe octo/hello"))
            .concat()
            .contains("no longer")
    );
    let direct = command(person(1), Place::Direct(vec![1]), "list");
    let effects = world.happens(Scope::Person(1), direct);
    assert!(refusal(&effects).contains("topic"));
    let guest = Person {
        is_guest: true,
        ..person(1)
    };
    let effects = world.happens(Scope::Channel(3), command(guest, topic_place("t"), "list"));
    assert!(refusal(&effects).contains("Guests"));
}

#[test]
fn everything_has_a_bound() {
    let mut world = World::default();
    for number in 0..20 {
        world.says_in(&format!("t{number}"), "subscribe octo/hello");
    }
    let answer = sent(&world.says_in("t20", "subscribe octo/hello")).concat();
    assert!(answer.contains("20 topics"), "{answer}");
    assert_eq!(sent(&world.is_called(&opened("Hi"))).len(), 20);
    let mut last = String::new();
    for number in 0..400 {
        let topic = format!("{number}{}", "é".repeat(56));
        last = sent(&world.says_in(
            &topic,
            &format!("subscribe octo/{}{number}", "a".repeat(90)),
        ))
        .concat();
    }
    assert!(last.contains("too many"), "{last}");
    let bytes: usize = world
        .values
        .iter()
        .map(|(_, key, value)| key.len() + value.len())
        .sum();
    assert!((40_000..52_000).contains(&bytes), "{bytes}");
    assert!(sent(&world.says("list")).concat().ends_with(" more."));
    for _ in 0..20 {
        only_fetch(&world.says("issue o/h x"));
    }
    assert!(refusal(&world.says("issue o/h x")).contains("Too many"));
    // Those whose answer was lost do not count for ever.
    world.time += 3601;
    only_fetch(&world.says("issue o/h x"));
    let waiting = world
        .values
        .iter()
        .filter(|(_, key, _)| key.starts_with("wait "));
    assert_eq!(waiting.count(), 1);
    let failed = Happening::EffectFailed(FailedEffect {
        effect: "fetch".to_owned(),
        reason: "the host \"api.github.com\" was not granted".to_owned(),
    });
    let effects = world.happens(Scope::Channel(3), failed);
    assert!(sent(&effects).concat().contains("was not granted"));
}

#[test]
fn requests_whose_tick_was_refused_do_not_pile_up() {
    let mut world = World::default();
    for number in 0..30 {
        let value = "list\n\n\n3\nt\n0".to_owned();
        world
            .values
            .push((Scope::App, format!("ask {number}"), value));
    }
    world.time = 3600;
    world.is_called(&opened("Hi"));
    assert_eq!(world.values.len(), 30);
    world.time = 3601;
    world.is_called(&opened("Hi"));
    assert_eq!(world.values.len(), 10);
    assert_eq!(sent(&world.says("list")).len(), 1);
    assert!(world.values.is_empty());
}
