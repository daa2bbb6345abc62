//! Unit tests of the whole app: events in, effects out.

use super::*;
use spindle_app::{
    Answer, Command, Draft, Fetch, Message, Person, Place, Schedule, Scope, Tick, Topic,
};

const URL: &str = "https://blog.example/feed.xml";
const HOUR: i64 = 60 * 60;
const CHANNEL: Scope = Scope::Channel(3);

/// An app with the values of one scope.
struct World {
    scope: Scope,
    values: Vec<(String, String)>,
    time: i64,
    minutes: &'static str,
}

impl World {
    fn new(scope: Scope) -> Self {
        Self {
            scope,
            values: Vec::new(),
            time: 1_000_000,
            minutes: "15",
        }
    }

    fn happens(&mut self, what: Happening) -> Vec<Effect> {
        let event = Event {
            id: 1,
            time: self.time,
            seed: 1,
            scope: self.scope,
            me: person(9),
            settings: vec![("minutes", self.minutes).into()],
            what,
        };
        let effects = handle(event, self.values.iter().cloned().collect());
        for effect in &effects {
            if let Effect::Store(store) = effect {
                assert_eq!(store.scope, self.scope);
                self.values.retain(|(key, _)| *key != store.key);
                let value = store.value.clone();
                self.values
                    .extend(value.map(|value| (store.key.clone(), value)));
            }
        }
        assert!(effects.len() <= 50);
        effects
    }

    fn says(&mut self, text: &str) -> Vec<Effect> {
        self.says_as(person(1), text)
    }

    fn says_as(&mut self, sender: Person, text: &str) -> Vec<Effect> {
        let place = match self.scope {
            Scope::Channel(channel) => Place::Topic(Topic {
                channel,
                name: "news".to_owned(),
            }),
            _ => Place::Direct(vec![sender.id]),
        };
        let message = Message {
            id: 5,
            sender,
            place,
            content: format!("/feed {text}"),
        };
        self.happens(Happening::Command(Command {
            name: "feed".to_owned(),
            text: text.to_owned(),
            message,
        }))
    }

    fn is_answered(&mut self, status: u16, body: &str) -> Vec<Effect> {
        self.happens(Happening::Answer(Answer {
            id: "1".to_owned(),
            status,
            body: body.to_owned(),
            failure: None,
        }))
    }

    fn fails(&mut self, failure: &str) -> Vec<Effect> {
        self.happens(Happening::Answer(Answer {
            id: "1".to_owned(),
            status: 0,
            body: String::new(),
            failure: Some(failure.to_owned()),
        }))
    }

    fn ticks(&mut self) -> Vec<Effect> {
        let name = "1".to_owned();
        self.happens(Happening::Tick(Tick { name }))
    }
}

fn person(id: i64) -> Person {
    Person {
        id,
        name: format!("Person {id}"),
        is_guest: false,
        is_administrator: false,
    }
}

/// A feed with entries of these numbers.
fn feed(numbers: &[u32]) -> String {
    let items: String = numbers
        .iter()
        .map(|n| {
            format!("<item><title>Post {n}</title><link>/{n}</link><guid isPermaLink='false'>{n}</guid></item>")
        })
        .collect();
    format!("<rss><channel><title>Blog</title>{items}</channel></rss>")
}

fn fetches(effects: &[Effect]) -> Vec<&Fetch> {
    let all = effects.iter().filter_map(|effect| match effect {
        Effect::Fetch(fetch) => Some(fetch),
        _ => None,
    });
    all.collect()
}

fn sent(effects: &[Effect]) -> Vec<&str> {
    let all = effects.iter().filter_map(|effect| match effect {
        Effect::Send(Draft { content, .. }) => Some(content.as_str()),
        _ => None,
    });
    all.collect()
}

fn next_tick(effects: &[Effect]) -> Option<i64> {
    let mut all = effects.iter().rev().filter_map(|effect| match effect {
        Effect::Schedule(Schedule { at, .. }) => *at,
        _ => None,
    });
    all.next()
}

/// The text of an answer for the sender alone.
fn refusal(effects: &[Effect]) -> &str {
    match effects {
        [Effect::Reply(reply)] if reply.only_for == Some(1) => &reply.content,
        _ => panic!("{effects:?}"),
    }
}

fn added() -> World {
    let mut world = World::new(CHANNEL);
    world.says(&format!("add {URL}"));
    world.is_answered(200, &feed(&[2, 1]));
    world
}

#[test]
fn a_feed_is_added_with_its_newest_entry() {
    let mut world = World::new(CHANNEL);
    let effects = world.says(&format!("add {URL}"));
    let [fetch] = fetches(&effects)[..] else {
        panic!("{effects:?}");
    };
    assert_eq!((fetch.url.as_str(), fetch.scope), (URL, CHANNEL));
    assert_eq!(next_tick(&effects), Some(world.time + 15 * 60));
    assert!(sent(&effects).is_empty());
    let effects = world.is_answered(200, &feed(&[2, 1]));
    assert_eq!(
        sent(&effects),
        [
            "New entries of [Blog](https://blog.example/feed.xml) are posted here. The newest one:\n\n[Post 2](https://blog.example/2)"
        ]
    );
    let draft = effects.iter().find_map(|effect| match effect {
        Effect::Send(draft) => Some(draft),
        _ => None,
    });
    assert!(
        matches!(draft, Some(Draft { place: Place::Topic(topic), .. }) if topic.name == "news")
    );
}

#[test]
fn later_only_new_entries_are_posted() {
    let mut world = added();
    world.time += 900;
    assert_eq!(fetches(&world.ticks()).len(), 1);
    assert_eq!(sent(&world.is_answered(200, &feed(&[2, 1]))), [""; 0]);
    let effects = world.is_answered(200, &feed(&[4, 3, 2, 1]));
    assert_eq!(
        sent(&effects),
        ["**Blog**\n\n[Post 3](https://blog.example/3)\n\n[Post 4](https://blog.example/4)"]
    );
    // Repeated, and in another order.
    assert!(sent(&world.is_answered(200, &feed(&[1, 3, 4]))).is_empty());
    let many: Vec<u32> = (1..=20).rev().collect();
    let effects = world.is_answered(200, &feed(&many));
    let [text] = sent(&effects)[..] else {
        panic!("{effects:?}");
    };
    assert!(text.contains("[Post 16]") && !text.contains("[Post 15]"));
    assert!(text.ends_with("… and 11 more."), "{text}");
}

#[test]
fn an_empty_feed_posts_what_comes_later() {
    let mut world = World::new(CHANNEL);
    world.says(&format!("add {URL}"));
    let effects = world.is_answered(200, &feed(&[]));
    assert!(sent(&effects).concat().ends_with("It has none yet."));
    assert!(
        sent(&world.is_answered(200, &feed(&[1])))
            .concat()
            .contains("Post 1")
    );
}

#[test]
fn a_mistyped_address_is_not_kept() {
    for (status, body, reason) in [
        (404, "", "status 404"),
        (301, "", "has moved"),
        (200, "<html/>", "not an RSS or Atom feed"),
    ] {
        let mut world = World::new(CHANNEL);
        world.says(&format!("add {URL}"));
        let effects = world.is_answered(status, body);
        let text = sent(&effects).concat();
        assert!(text.contains(reason) && text.contains(URL), "{text}");
        assert_eq!(next_tick(&effects), None);
        assert_eq!(world.values, [("next".to_owned(), "2".to_owned())]);
        assert!(world.ticks().is_empty());
    }
    let mut world = World::new(CHANNEL);
    world.says(&format!("add {URL}"));
    let effects = world.happens(Happening::EffectFailed(FailedEffect {
        effect: "fetch".to_owned(),
        reason: r#"the host "blog.example" was not granted"#.to_owned(),
    }));
    assert!(sent(&effects).concat().contains("not granted"));
    assert_eq!(world.values.len(), 1);
}

#[test]
fn after_failures_it_waits_longer_and_says_so_once() {
    let mut world = added();
    let mut said = Vec::new();
    let mut pauses = Vec::new();
    for _ in 0..12 {
        world.ticks();
        let effects = world.fails("length limit exceeded");
        said.extend(sent(&effects).iter().map(|text| (*text).to_owned()));
        let next = next_tick(&effects).unwrap();
        pauses.push((next - world.time) / 60);
        world.time = next;
    }
    assert_eq!(pauses[..8], [30, 60, 120, 240, 480, 960, 1440, 1440]);
    assert_eq!(said.len(), 1);
    assert!(
        said.concat()
            .contains("could not be read for a day: it has more than 256 KiB"),
        "{said:?}"
    );
    let effects = world.is_answered(200, &feed(&[3, 2, 1]));
    assert_eq!(next_tick(&effects), Some(world.time + 15 * 60));
    assert!(sent(&effects).concat().contains("Post 3"));
}

#[test]
fn a_request_that_was_not_answered_is_not_made_twice() {
    let mut world = added();
    assert_eq!(fetches(&world.ticks()).len(), 1);
    world.time += 15 * 60;
    let effects = world.ticks();
    assert!(fetches(&effects).is_empty() && next_tick(&effects).is_some());
    world.time += 15 * 60;
    assert_eq!(fetches(&world.ticks()).len(), 1);
}

#[test]
fn the_setting_has_bounds() {
    for (minutes, seconds) in [
        ("60", HOUR),
        ("1", 300),
        ("-5", 300),
        ("99999", 24 * HOUR),
        ("", 900),
    ] {
        let mut world = added();
        world.minutes = minutes;
        assert_eq!(
            next_tick(&world.ticks()),
            Some(world.time + seconds),
            "{minutes}"
        );
    }
}

#[test]
fn feeds_are_listed_and_removed() {
    let mut world = added();
    world.says("add http://other.example/rss");
    let effects = world.says("list");
    assert_eq!(
        refusal(&effects),
        "* 1: [Blog](https://blog.example/feed.xml) in \"news\"\n\
         * 2: [http://other.example/rss](http://other.example/rss) in \"news\" (not read yet)"
    );
    assert!(refusal(&world.says("remove 3")).contains("no such feed"));
    let effects = world.says("remove 2");
    assert!(matches!(effects.last(), Some(Effect::Reply(reply)) if reply.only_for.is_none()));
    world.says(&format!("remove {URL}"));
    assert!(refusal(&world.says("list")).contains("no feeds"));
    // A late answer, and a number that is not used again.
    assert!(world.is_answered(200, &feed(&[9])).is_empty());
    let effects = world.says(&format!("add {URL}"));
    assert_eq!(fetches(&effects)[0].id, "3");
}

#[test]
fn misuse_is_answered_plainly() {
    let mut world = added();
    let long = format!("add https://x.example/{}", "a".repeat(500));
    for (text, reason) in [
        ("", "Write `/feed add`"),
        ("help", "Write `/feed add`"),
        ("add", "begins with https://"),
        ("add javascript:1", "begins with https://"),
        ("add https://ann:secret@x.example/", "begins with https://"),
        ("add https:///x", "begins with https://"),
        ("add https://x.example/a b", "begins with https://"),
        ("add https://x.example/ä", "letters beyond ASCII"),
        (long.as_str(), "begins with https://"),
        ("add https://blog.example/feed.xml", "already"),
        ("remove", "no such feed"),
    ] {
        let effects = world.says(text);
        assert!(refusal(&effects).contains(reason), "{text}: {effects:?}");
    }
    let guest = Person {
        is_guest: true,
        ..person(1)
    };
    assert!(refusal(&world.says_as(guest, "remove 1")).contains("Guests"));
    for number in 2..=15 {
        assert!(world.says(&format!("add https://x.example/{number}")).len() > 1);
    }
    assert!(refusal(&world.says("add https://x.example/16")).contains("15 feeds"));
}

#[test]
fn in_a_direct_message_entries_come_there() {
    let mut world = World::new(Scope::Person(1));
    world.says(&format!("add {URL}"));
    let effects = world.is_answered(200, &feed(&[1]));
    let is_to_them = |effect: &Effect| matches!(effect, Effect::Send(Draft { place: Place::Direct(people), .. }) if people == &[1]);
    assert!(effects.iter().any(is_to_them));
    assert!(!refusal(&world.says("list")).contains(" in "));
}

#[test]
fn texts_of_strangers_stay_texts() {
    let mut world = World::new(CHANNEL);
    world.says(&format!("add {URL}"));
    let body = "<rss><channel><title>@**all** [x](y)</title><item><title>&lt;b&gt;@**Ann** `a`\n```quote</title>
        <link>javascript:alert(1)</link><description>/me # * ![](https://x.example)</description></item></channel></rss>";
    let effects = world.is_answered(200, body);
    let text = sent(&effects).concat();
    for part in [
        "@**",
        "`",
        "javascript",
        "](y",
        "\n/me",
        "](https://x.example)",
    ] {
        assert!(!text.contains(part), "{part}: {text}");
    }
    let long = format!(
        "<rss><channel><title>x</title>{}</channel></rss>",
        (0..5)
            .map(|n| format!(
                "<item><guid>{n}</guid><title>{0}</title><description>{0}</description></item>",
                "*".repeat(2000)
            ))
            .collect::<String>()
    );
    let effects = world.is_answered(200, &long);
    let text = sent(&effects).concat();
    assert!(text.chars().count() < 10_000 && text.contains("more."));
}

/// The values of a scope with the longest feeds.
#[test]
fn all_feeds_fit_into_a_scope() {
    let seen: Vec<u32> = (0..300).collect();
    let title = "é".repeat(200);
    let body = feed(&seen).replace("Blog", &title);
    let mut world = World::new(CHANNEL);
    for number in 1..=15_u32 {
        let url = format!("https://x.example/{number:02}{}", "a".repeat(480));
        world.says(&format!("add {url}"));
        world.happens(Happening::Answer(Answer {
            id: number.to_string(),
            status: 200,
            body: body.clone(),
            failure: None,
        }));
    }
    let bytes: usize = (world.values.iter())
        .map(|(key, value)| key.len() + value.len())
        .sum();
    assert!((40_000..60_000).contains(&bytes), "{bytes}");
}

fn is_refused(world: &mut World, reason: &str) -> Vec<Effect> {
    world.happens(Happening::EffectFailed(FailedEffect {
        effect: "fetch".to_owned(),
        reason: reason.to_owned(),
    }))
}

/// `World` checks the number of effects.
#[test]
fn many_refused_feeds_are_dropped_in_parts() {
    let mut world = World::new(CHANNEL);
    for number in 1..=15 {
        world.says(&format!("add https://x.example/{number}"));
    }
    let reason = r#"the host "x.example" was not granted"#;
    assert_eq!(sent(&is_refused(&mut world, reason)).len(), 8);
    assert_eq!(sent(&is_refused(&mut world, reason)).len(), 7);
    assert_eq!(world.values.len(), 1);
}

#[test]
fn a_request_too_many_is_made_at_the_next_tick() {
    let mut world = added();
    world.ticks();
    is_refused(&mut world, "too many requests wait");
    world.time += 15 * 60;
    assert_eq!(fetches(&world.ticks()).len(), 1);
}

#[test]
fn no_control_character_is_stored() {
    let mut world = World::new(CHANNEL);
    world.says(&format!("add {URL}"));
    for title in ["a&#0;b", "a&amp;#0;b", "a&#1;b", "<![CDATA[a&#0;b]]>"] {
        world.is_answered(200, &feed(&[1]).replace("Blog", title));
        let is_clean = |letter: char| !letter.is_control() || letter == '\n';
        assert!((world.values.iter()).all(|(_, value)| value.chars().all(is_clean)));
    }
}
