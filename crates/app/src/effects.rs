//! Short ways to write effects.

use crate::{
    Button, Draft, Edit, Effect, Entry, Fetch, Place, React, Reply, Schedule, Scope, SecretHeader,
    Store, TickAt, Topic,
};

/// Answers with a text. [`Reply::new`] also takes buttons, values and ticks.
#[must_use]
pub fn reply(content: impl Into<String>) -> Effect {
    Reply::new(content).into()
}

/// Keeps a value.
#[must_use]
pub fn store(scope: Scope, key: impl Into<String>, value: impl ToString) -> Effect {
    Effect::Store(Store {
        scope,
        key: key.into(),
        value: Some(value.to_string()),
    })
}

/// Removes a value.
#[must_use]
pub fn forget(scope: Scope, key: impl Into<String>) -> Effect {
    Effect::Store(Store {
        scope,
        key: key.into(),
        value: None,
    })
}

/// Asks for a tick at a time in UNIX seconds.
#[must_use]
pub fn schedule(scope: Scope, name: impl Into<String>, at: i64) -> Effect {
    Effect::Schedule(Schedule {
        scope,
        name: name.into(),
        at: Some(at),
    })
}

/// Cancels a tick.
#[must_use]
pub fn cancel(scope: Scope, name: impl Into<String>) -> Effect {
    Effect::Schedule(Schedule {
        scope,
        name: name.into(),
        at: None,
    })
}

/// Adds a reaction.
#[must_use]
pub fn react(message_id: i64, emoji: impl Into<String>) -> Effect {
    Effect::React(React {
        message_id,
        emoji: emoji.into(),
        is_added: true,
    })
}

/// Removes a reaction of the app.
#[must_use]
pub fn unreact(message_id: i64, emoji: impl Into<String>) -> Effect {
    Effect::React(React {
        message_id,
        emoji: emoji.into(),
        is_added: false,
    })
}

/// Writes a line to the log of the app.
#[must_use]
pub fn log(text: impl Into<String>) -> Effect {
    Effect::Log(text.into())
}

fn button(id: impl Into<String>, label: impl Into<String>) -> Button {
    Button {
        id: id.into(),
        label: label.into(),
    }
}

fn tick(name: impl Into<String>, at: i64) -> TickAt {
    TickAt {
        name: name.into(),
        at,
    }
}

/// The methods that several kinds of messages share.
macro_rules! message {
    ($name:ident) => {
        impl $name {
            /// Adds a button below the message.
            #[must_use]
            pub fn button(mut self, id: impl Into<String>, label: impl Into<String>) -> Self {
                self.buttons.push(button(id, label));
                self
            }

            /// Keeps a value in the scope of the new message.
            #[must_use]
            pub fn value(mut self, key: impl Into<String>, value: impl ToString) -> Self {
                self.values.push(Entry {
                    key: key.into(),
                    value: value.to_string(),
                });
                self
            }

            /// Asks for a tick in the scope of the new message.
            #[must_use]
            pub fn tick(mut self, name: impl Into<String>, at: i64) -> Self {
                self.ticks.push(tick(name, at));
                self
            }
        }
    };
}

message!(Reply);
message!(Draft);

impl Reply {
    #[must_use]
    pub fn new(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            buttons: Vec::new(),
            only_for: None,
            values: Vec::new(),
            ticks: Vec::new(),
        }
    }

    /// Shows the answer to one person, and keeps it nowhere.
    #[must_use]
    pub const fn only_for(mut self, person: i64) -> Self {
        self.only_for = Some(person);
        self
    }
}

impl Draft {
    #[must_use]
    pub fn new(place: Place, content: impl Into<String>) -> Self {
        Self {
            place,
            content: content.into(),
            buttons: Vec::new(),
            values: Vec::new(),
            ticks: Vec::new(),
        }
    }

    /// A message to a topic of a channel.
    #[must_use]
    pub fn to_topic(channel: i64, name: impl Into<String>, content: impl Into<String>) -> Self {
        let name = name.into();
        Self::new(Place::Topic(Topic { channel, name }), content)
    }

    /// A direct message to one person.
    #[must_use]
    pub fn to_person(person: i64, content: impl Into<String>) -> Self {
        Self::new(Place::Direct(vec![person]), content)
    }
}

impl Edit {
    /// New text; the message has no buttons but those that are added here.
    #[must_use]
    pub fn new(message_id: i64, content: impl Into<String>) -> Self {
        Self {
            message_id,
            content: content.into(),
            buttons: Vec::new(),
        }
    }

    /// Adds a button below the message.
    #[must_use]
    pub fn button(mut self, id: impl Into<String>, label: impl Into<String>) -> Self {
        self.buttons.push(button(id, label));
        self
    }
}

impl Fetch {
    /// A request without a body, whose answer belongs to the app.
    #[must_use]
    pub fn get(id: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            scope: Scope::App,
            method: "GET".to_owned(),
            url: url.into(),
            headers: Vec::new(),
            body: String::new(),
            secret: None,
        }
    }

    /// A request with a body, whose answer belongs to the app.
    #[must_use]
    pub fn post(id: impl Into<String>, url: impl Into<String>, body: impl Into<String>) -> Self {
        Self {
            method: "POST".to_owned(),
            body: body.into(),
            ..Self::get(id, url)
        }
    }

    /// What the answer belongs to.
    #[must_use]
    pub const fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push(Entry {
            key: name.into(),
            value: value.into(),
        });
        self
    }

    /// Has the host insert a secret: `Authorization: Bearer …`.
    #[must_use]
    pub fn bearer(mut self, secret: impl Into<String>) -> Self {
        self.secret = Some(SecretHeader {
            secret: secret.into(),
            header: "Authorization".to_owned(),
            prefix: "Bearer ".to_owned(),
        });
        self
    }
}

macro_rules! into_effect {
    ($($name:ident)*) => {$(
        impl From<$name> for Effect {
            fn from(effect: $name) -> Self {
                Self::$name(effect)
            }
        }
    )*};
}

into_effect!(Reply Edit React Store Schedule Fetch);

impl From<Draft> for Effect {
    fn from(draft: Draft) -> Self {
        Self::Send(draft)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builders_fill_what_was_not_named() {
        let effect: Effect = Reply::new("Which?")
            .button("a", "A")
            .value("k", 1)
            .tick("end", 9)
            .into();
        let expected = Effect::Reply(Reply {
            content: "Which?".to_owned(),
            buttons: vec![button("a", "A")],
            only_for: None,
            values: vec![("k", "1").into()],
            ticks: vec![tick("end", 9)],
        });
        assert_eq!(effect, expected);
        assert_eq!(Reply::new("x").only_for(4).only_for, Some(4));
        let fetch = Fetch::post("1", "https://a.example", "{}")
            .scope(Scope::Person(3))
            .header("Accept", "*/*")
            .bearer("token");
        assert_eq!(fetch.method, "POST");
        assert_eq!(
            fetch.secret.map(|secret| secret.header).as_deref(),
            Some("Authorization")
        );
        let draft = Draft::to_topic(1, "t", "x");
        assert!(matches!(
            draft.place,
            Place::Topic(Topic { channel: 1, .. })
        ));
        assert!(matches!(
            Effect::from(Draft::to_person(2, "x").value("a", "b")),
            Effect::Send(Draft {
                place: Place::Direct(_),
                ..
            })
        ));
    }
}
