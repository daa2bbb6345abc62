//! Every operator of the narrow language, plain and negated, alone and in pairs, against an
//! independent evaluation on the message objects; and GET /messages against GET
//! /messages/matches_narrow (docs/protocol/narrow.md#matches_narrow,
//! docs/protocol/narrow.md#operators).

use std::collections::BTreeMap;

use rusqlite::params;
use serde_json::{Value, json};
use spindle_tests::User;
use spindle_tests::fixture::{self, Channel, ChannelKind};

use super::{direct, to_channel};
use crate::support::server;

struct World {
    user: User,
    other: User,
    third: User,
    public: Channel,
    not_joined: Channel,
    web_public: Channel,
    protected: Channel,
    hidden: Channel,
    /// Every message that was sent, in order.
    sent: Vec<i64>,
    /// The message objects as the user fetches them, by id.
    messages: BTreeMap<i64, Value>,
}

type Test = Box<dyn Fn(&Value) -> bool>;

/// A term, and the predicate that decides whether a message matches it.
struct Case {
    term: Value,
    /// `c` for channel messages only, `d` for direct ones.
    kind: char,
    /// Whether the term opens history beyond the delivered messages.
    opens: bool,
    test: Test,
}

fn flag(flags: i64, user: &User, message: i64) {
    server()
        .database()
        .execute(
            "UPDATE user_messages SET flags = flags | ?1 WHERE user_id = ?2 AND message_id = ?3",
            params![flags, user.user_id, message],
        )
        .unwrap();
}

fn topic_policy(user: &User, channel: &Channel, topic: &str, policy: i64) {
    server()
        .database()
        .execute(
            "INSERT INTO user_topics (user_id, channel_id, topic_folded, topic, visibility_policy, last_updated)
             VALUES (?1, ?2, ?3, ?3, ?4, 0)",
            params![user.user_id, channel.stream_id, topic, policy],
        )
        .unwrap();
}

fn react(user: &User, message: i64) {
    server()
        .database()
        .execute(
            "INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, emoji_name)
             VALUES (?1, ?2, 'unicode_emoji', '1f44d', '+1')",
            params![message, user.user_id],
        )
        .unwrap();
}

impl World {
    fn new() -> Self {
        let user = server().user("member");
        let other = server().user("member");
        let third = server().user("member");
        let public = fixture::channel(server(), ChannelKind::Public, &[&other]);
        let not_joined = fixture::channel(server(), ChannelKind::Public, &[&other]);
        let web_public = fixture::channel(server(), ChannelKind::WebPublic, &[&user, &other]);
        let protected = fixture::channel(server(), ChannelKind::PrivateProtected, &[&other]);
        let hidden = fixture::channel(server(), ChannelKind::PrivateShared, &[&other]);
        let mut sent = vec![
            to_channel(&other, &public, "Alpha", "before needle"),
            to_channel(&other, &protected, "Alpha", "before needle"),
        ];
        for channel in [&public, &protected] {
            fixture::subscribe(server(), &user, channel);
        }
        let mention = format!("needle @**{}**", user.full_name);
        let image = "![x.png](https://images.example/x.png)";
        for channel in [&public, &not_joined, &web_public, &protected, &hidden] {
            for (sender, topic, content) in [
                (&other, "Alpha", "see https://example.com/x needle"),
                (&other, "beta", mention.as_str()),
                (&other, "\u{2714} beta", "hay"),
                (&other, "", image),
            ] {
                sent.push(to_channel(sender, channel, topic, content));
            }
        }
        sent.push(to_channel(&user, &public, "beta", "own needle @**all**"));
        sent.push(direct(&user, &[&user], "note needle"));
        sent.push(direct(&other, &[&user], "https://example.com needle"));
        sent.push(direct(
            &user,
            &[&other, &third],
            &format!("group @**{}**", third.full_name),
        ));
        sent.push(direct(&third, &[&other], "not for the user, needle"));
        let mut world = Self {
            user,
            other,
            third,
            public,
            not_joined,
            web_public,
            protected,
            hidden,
            sent,
            messages: BTreeMap::new(),
        };
        world.mark();
        world.read();
        world
    }

    /// Stars, alert words, reactions; followed and muted topics and a muted channel.
    fn mark(&self) {
        for (number, id) in self.sent.iter().enumerate() {
            for (every, flags) in [(2, 1), (3, 2), (5, 512)] {
                if number % every == 0 {
                    flag(flags, &self.user, *id);
                }
            }
            if number % 4 == 0 {
                react(&self.third, *id);
            }
        }
        // Flags that were set automatically by sending and mentioning are left out here.
        server()
            .database()
            .execute(
                "DELETE FROM user_topics WHERE user_id = ?1",
                [self.user.user_id],
            )
            .unwrap();
        topic_policy(&self.user, &self.public, "alpha", 3);
        topic_policy(&self.user, &self.public, "beta", 1);
        topic_policy(&self.user, &self.web_public, "beta", 2);
        server()
            .database()
            .execute(
                "UPDATE subscriptions SET is_muted = 1 WHERE user_id = ?1 AND channel_id = ?2",
                params![self.user.user_id, self.web_public.stream_id],
            )
            .unwrap();
    }

    fn read(&mut self) {
        let ids = json!(self.sent).to_string();
        let body = self.user.get("/messages", &[("message_ids", &ids)]).ok();
        for message in body["messages"].as_array().unwrap() {
            self.messages
                .insert(message["id"].as_i64().unwrap(), message.clone());
        }
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        let mut add = |kind: char, opens: bool, operator: &str, operand: Value, test: Test| {
            let term = json!({"operator": operator, "operand": operand});
            cases.push(Case {
                term,
                kind,
                opens,
                test,
            });
        };
        let in_channel = |channel: &Channel| -> Test {
            let id = channel.stream_id;
            Box::new(move |m| m["stream_id"] == id)
        };
        for (operator, channel, opens) in [
            ("channel", &self.public, true),
            ("stream", &self.not_joined, true),
            ("channel", &self.protected, false),
        ] {
            add(
                'c',
                opens,
                operator,
                json!(channel.name),
                in_channel(channel),
            );
            add(
                'c',
                opens,
                operator,
                json!(channel.stream_id),
                in_channel(channel),
            );
        }
        let web_public = self.web_public.stream_id;
        let public = [web_public, self.public.stream_id, self.not_joined.stream_id];
        add(
            'c',
            true,
            "channels",
            json!("public"),
            Box::new(move |m| {
                m["stream_id"]
                    .as_i64()
                    .is_some_and(|id| public.contains(&id))
            }),
        );
        add(
            'c',
            true,
            "streams",
            json!("web-public"),
            Box::new(move |m| m["stream_id"] == web_public),
        );
        for (operand, subject) in [
            ("ALPHA", "Alpha"),
            ("beta", "beta"),
            ("", "general chat"),
            ("general chat", "general chat"),
        ] {
            add(
                'c',
                false,
                "topic",
                json!(operand),
                Box::new(move |m| m["type"] == "stream" && m["subject"] == subject),
            );
        }
        for person in [&self.other, &self.user] {
            let id = person.user_id;
            for operand in [json!(id), json!(person.email), json!(id.to_string())] {
                add(
                    ' ',
                    false,
                    "sender",
                    operand,
                    Box::new(move |m| m["sender_id"] == id),
                );
            }
        }
        self.direct_cases(&mut add);
        self.state_cases(&mut add);
        cases
    }

    fn direct_cases(&self, add: &mut dyn FnMut(char, bool, &str, Value, Test)) {
        let (own, other, third) = (self.user.user_id, self.other.user_id, self.third.user_id);
        let with = |people: Vec<i64>| -> Test {
            Box::new(move |m| m["type"] == "private" && participants(m) == people)
        };
        let sorted = |mut people: Vec<i64>| {
            people.sort_unstable();
            people
        };
        add(
            'd',
            false,
            "dm",
            json!([other]),
            with(sorted(vec![own, other])),
        );
        add(
            'd',
            false,
            "pm-with",
            json!(self.other.email),
            with(sorted(vec![own, other])),
        );
        add('d', false, "dm", json!([own]), with(vec![own]));
        add(
            'd',
            false,
            "dm",
            json!([third]),
            with(sorted(vec![own, third])),
        );
        let all = format!("{}, {}", self.other.email, self.third.email);
        add(
            'd',
            false,
            "dm",
            json!(all),
            with(sorted(vec![own, other, third])),
        );
        for (operator, operand, person) in [
            ("dm-including", json!(self.other.email), other),
            ("group-pm-with", json!(third), third),
        ] {
            add(
                'd',
                false,
                operator,
                operand,
                Box::new(move |m| m["type"] == "private" && participants(m).contains(&person)),
            );
        }
    }

    fn state_cases(&self, add: &mut dyn FnMut(char, bool, &str, Value, Test)) {
        for operand in ["dm", "private"] {
            add(
                'd',
                false,
                "is",
                json!(operand),
                Box::new(|m| m["type"] == "private"),
            );
        }
        let flags = [("starred", "starred"), ("alerted", "has_alert_word")];
        for (operand, name) in flags {
            add(
                ' ',
                false,
                "is",
                json!(operand),
                Box::new(move |m| has_flag(m, name)),
            );
        }
        add(
            ' ',
            false,
            "is",
            json!("unread"),
            Box::new(|m| !has_flag(m, "read")),
        );
        add(
            ' ',
            false,
            "is",
            json!("mentioned"),
            Box::new(|m| has_flag(m, "mentioned") || has_flag(m, "wildcard_mentioned")),
        );
        add(
            'c',
            false,
            "is",
            json!("resolved"),
            Box::new(|m| m["subject"].as_str().unwrap().starts_with("\u{2714} ")),
        );
        let (public, web_public) = (self.public.stream_id, self.web_public.stream_id);
        add(
            ' ',
            false,
            "is",
            json!("followed"),
            Box::new(move |m| m["stream_id"] == public && m["subject"] == "Alpha"),
        );
        let muted = move |m: &Value| {
            m["stream_id"] == public && m["subject"] == "beta"
                || m["stream_id"] == web_public && m["subject"] != "beta"
        };
        add(' ', false, "is", json!("muted"), Box::new(muted));
        add(
            ' ',
            false,
            "in",
            json!("home"),
            Box::new(move |m| !muted(m)),
        );
        add(' ', false, "in", json!("all"), Box::new(|_| true));
        add(' ', false, "near", json!(self.sent[3]), Box::new(|_| true));
        let holds = |text: &'static str| -> Test {
            Box::new(move |m| m["content"].as_str().unwrap().contains(text))
        };
        add(' ', false, "has", json!("link"), holds("href="));
        add(' ', false, "has", json!("images"), holds("<img"));
        add(' ', false, "search", json!("needle"), holds("needle"));
        add(' ', false, "has", json!("attachment"), Box::new(|_| false));
        let reacted: Vec<i64> = self.sent.iter().copied().step_by(4).collect();
        add(
            ' ',
            false,
            "has",
            json!("reaction"),
            Box::new(move |m| reacted.contains(&m["id"].as_i64().unwrap())),
        );
        let id = self.sent[3];
        for operand in [json!(id), json!(id.to_string())] {
            add(' ', false, "id", operand, Box::new(move |m| m["id"] == id));
        }
        let mentions = |person: &User| -> Test {
            let mention = format!("@{}</span>", person.full_name);
            Box::new(move |m| m["content"].as_str().unwrap().contains(&mention))
        };
        add(
            ' ',
            false,
            "mentions",
            json!(self.user.user_id),
            mentions(&self.user),
        );
        add(
            ' ',
            false,
            "mentions",
            json!(self.third.email),
            mentions(&self.third),
        );
    }

    fn was_delivered(&self, id: i64) -> bool {
        !has_flag(&self.messages[&id], "historical")
    }

    fn expected(&self, terms: &[(&Case, bool)], delivered_only: bool) -> Vec<i64> {
        // A term with a named channel takes precedence over terms with kinds of channels.
        let positive = || {
            terms
                .iter()
                .filter(|(_, negated)| !negated)
                .map(|(case, _)| *case)
        };
        let is_named =
            |case: &&Case| matches!(case.term["operator"].as_str(), Some("channel" | "stream"));
        let opens = match positive().rfind(is_named) {
            Some(named) => named.opens,
            None => positive().any(|case| case.opens),
        };
        let passes = |message: &Value| {
            terms
                .iter()
                // A term that filters nothing excludes nothing when negated.
                .all(|(case, negated)| {
                    case.term["operator"] == "near" || (case.test)(message) != *negated
                })
        };
        self.messages
            .iter()
            .filter(|(id, message)| {
                (self.was_delivered(**id) || opens && !delivered_only) && passes(message)
            })
            .map(|(id, _)| *id)
            .collect()
    }

    fn check(&self, terms: &[(&Case, bool)]) {
        let narrow: Vec<Value> = terms
            .iter()
            .map(|(case, negated)| {
                let mut term = case.term.clone();
                if *negated {
                    term["negated"] = json!(true);
                }
                term
            })
            .collect();
        let narrow = Value::Array(narrow).to_string();
        // Other tests send to public channels at the same time.
        let last = self.sent.iter().max().unwrap().to_string();
        let pairs = [
            ("anchor", last.as_str()),
            ("num_before", "500"),
            ("num_after", "0"),
            ("narrow", &narrow),
        ];
        let fetched = self.user.get("/messages", &pairs);
        let ids = json!(self.sent).to_string();
        let pairs = [("msg_ids", ids.as_str()), ("narrow", narrow.as_str())];
        let matched = self.user.get("/messages/matches_narrow", &pairs);
        let confines = |kind: char| {
            terms
                .iter()
                .any(|(case, negated)| !negated && case.kind == kind)
        };
        if confines('c') && confines('d') {
            fetched.error(400, "BAD_NARROW");
            matched.error(400, "BAD_NARROW");
            return;
        }
        let body = fetched.ok();
        let found: Vec<i64> = body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|message| message["id"].as_i64().unwrap())
            .filter(|id| self.sent.contains(id))
            .collect();
        assert_eq!(found, self.expected(terms, false), "{narrow}");
        let body = matched.ok();
        let mut found: Vec<i64> = body["messages"]
            .as_object()
            .unwrap()
            .keys()
            .map(|id| id.parse().unwrap())
            .collect();
        found.sort_unstable();
        assert_eq!(found, self.expected(terms, true), "{narrow}");
    }
}

fn has_flag(message: &Value, name: &str) -> bool {
    message["flags"].as_array().unwrap().contains(&json!(name))
}

fn participants(message: &Value) -> Vec<i64> {
    let people = message["display_recipient"].as_array().unwrap();
    people
        .iter()
        .map(|person| person["id"].as_i64().unwrap())
        .collect()
}

#[test]
fn every_term_and_every_pair_of_terms_selects_the_right_messages() {
    let world = World::new();
    assert!(
        world
            .messages
            .values()
            .all(|m| m["stream_id"] != world.hidden.stream_id)
    );
    assert!(
        !world.messages.contains_key(&world.sent[1]),
        "protected history"
    );
    let cases = world.cases();
    world.check(&[]);
    for (index, case) in cases.iter().enumerate() {
        for negated in [false, true] {
            world.check(&[(case, negated)]);
            for second in &cases[index..] {
                world.check(&[(case, negated), (second, false)]);
                world.check(&[(second, true), (case, negated)]);
            }
        }
    }
}
