//! Translates between the domain's types and the generated ones.

use spindle_domain::apps::limits::LOG_CHARACTERS;
use spindle_domain::apps::{self, AppEvent, Effect, Happening};
use spindle_domain::{ChannelId, MessageId, UserId};

use crate::bindings::spindle::app::types as wit;

pub(crate) fn event(event: &AppEvent) -> wit::Event {
    wit::Event {
        id: event.id,
        time: event.time,
        seed: event.seed,
        scope: scope(event.scope),
        me: person(&event.me),
        settings: entries(&event.settings),
        what: happening(&event.what),
    }
}

pub(crate) fn entries(entries: &[apps::Entry]) -> Vec<wit::Entry> {
    let convert = |entry: &apps::Entry| wit::Entry {
        key: entry.key.clone(),
        value: entry.value.clone(),
    };
    entries.iter().map(convert).collect()
}

const fn scope(scope: apps::Scope) -> wit::Scope {
    match scope {
        apps::Scope::App => wit::Scope::App,
        apps::Scope::Channel(id) => wit::Scope::Channel(id.get()),
        apps::Scope::Message(id) => wit::Scope::Message(id.get()),
        apps::Scope::Person(id) => wit::Scope::Person(id.get()),
    }
}

fn person(person: &apps::Person) -> wit::Person {
    wit::Person {
        id: person.id.get(),
        name: person.name.clone(),
        is_guest: person.is_guest,
        is_administrator: person.is_administrator,
    }
}

fn message(message: &apps::ReceivedMessage) -> wit::Message {
    wit::Message {
        id: message.id.get(),
        sender: person(&message.sender),
        place: match &message.place {
            apps::Place::Topic { channel, topic } => wit::Place::Topic(wit::Topic {
                channel: channel.get(),
                name: topic.clone(),
            }),
            apps::Place::Direct { people } => {
                wit::Place::Direct(people.iter().map(|id| id.get()).collect())
            }
        },
        content: message.content.clone(),
    }
}

fn happening(what: &Happening) -> wit::Happening {
    match what {
        Happening::Message { message: received } => wit::Happening::Message(message(received)),
        Happening::Command {
            name,
            text,
            message: received,
        } => wit::Happening::Command(wit::Command {
            name: name.clone(),
            text: text.clone(),
            message: message(received),
        }),
        Happening::Reaction {
            message_id,
            person: by,
            emoji,
            is_added,
        } => wit::Happening::Reaction(wit::Reaction {
            message_id: message_id.get(),
            person: person(by),
            emoji: emoji.clone(),
            is_added: *is_added,
        }),
        Happening::Click {
            message_id,
            person: by,
            button,
        } => wit::Happening::Click(wit::Click {
            message_id: message_id.get(),
            person: person(by),
            button: button.clone(),
        }),
        Happening::Vote {
            message_id,
            person: by,
            choice,
            is_added,
        } => wit::Happening::Vote(wit::Vote {
            message_id: message_id.get(),
            person: person(by),
            choice: choice.clone(),
            is_added: *is_added,
        }),
        Happening::Tick { name } => wit::Happening::Tick(wit::Tick { name: name.clone() }),
        Happening::Webhook {
            content_type,
            query,
            body,
        } => wit::Happening::Webhook(wit::Webhook {
            content_type: content_type.clone(),
            query: entries(query),
            body: body.clone(),
        }),
        Happening::Answer {
            id,
            status,
            body,
            failure,
        } => wit::Happening::Answer(wit::Answer {
            id: id.clone(),
            status: *status,
            body: body.clone(),
            failure: failure.clone(),
        }),
        Happening::EffectFailed { effect, reason } => {
            wit::Happening::EffectFailed(wit::FailedEffect {
                effect: effect.clone(),
                reason: reason.clone(),
            })
        }
    }
}

pub(crate) fn effects(effects: Vec<wit::Effect>) -> Vec<Effect> {
    effects.into_iter().map(effect).collect()
}

fn effect(effect: wit::Effect) -> Effect {
    match effect {
        wit::Effect::Send(draft) => Effect::Send(apps::Draft {
            place: place(draft.place),
            content: draft.content,
            buttons: buttons(draft.buttons),
            values: values(draft.values),
            ticks: ticks(draft.ticks),
        }),
        wit::Effect::Reply(reply) => Effect::Reply {
            content: reply.content,
            buttons: buttons(reply.buttons),
            only_for: reply.only_for.map(UserId),
            values: values(reply.values),
            ticks: ticks(reply.ticks),
        },
        wit::Effect::Edit(edit) => Effect::Edit {
            message_id: MessageId(edit.message_id),
            content: edit.content,
            buttons: buttons(edit.buttons),
        },
        wit::Effect::React(react) => Effect::React {
            message_id: MessageId(react.message_id),
            emoji: react.emoji,
            is_added: react.is_added,
        },
        wit::Effect::Store(store) => Effect::Store {
            scope: scope_of(store.scope),
            key: store.key,
            value: store.value,
        },
        wit::Effect::Schedule(schedule) => Effect::Schedule {
            scope: scope_of(schedule.scope),
            name: schedule.name,
            at: schedule.at,
        },
        wit::Effect::Fetch(fetch) => Effect::Fetch {
            id: fetch.id,
            scope: scope_of(fetch.scope),
            method: fetch.method,
            url: fetch.url,
            headers: values(fetch.headers),
            body: fetch.body,
            secret: fetch.secret.map(|secret| apps::SecretHeader {
                secret: secret.secret,
                header: secret.header,
                prefix: secret.prefix,
            }),
        },
        wit::Effect::Log(text) => Effect::Log {
            // A long line is a lesser problem than what it reports.
            text: text.chars().take(LOG_CHARACTERS).collect(),
        },
    }
}

const fn scope_of(scope: wit::Scope) -> apps::Scope {
    match scope {
        wit::Scope::App => apps::Scope::App,
        wit::Scope::Channel(id) => apps::Scope::Channel(ChannelId(id)),
        wit::Scope::Message(id) => apps::Scope::Message(MessageId(id)),
        wit::Scope::Person(id) => apps::Scope::Person(UserId(id)),
    }
}

fn place(place: wit::Place) -> apps::Place {
    match place {
        wit::Place::Topic(topic) => apps::Place::Topic {
            channel: ChannelId(topic.channel),
            topic: topic.name,
        },
        wit::Place::Direct(people) => apps::Place::Direct {
            people: people.into_iter().map(UserId).collect(),
        },
    }
}

fn buttons(buttons: Vec<wit::Button>) -> Vec<apps::Button> {
    let convert = |button: wit::Button| apps::Button {
        id: button.id,
        label: button.label,
    };
    buttons.into_iter().map(convert).collect()
}

fn values(entries: Vec<wit::Entry>) -> Vec<apps::Entry> {
    let convert = |entry: wit::Entry| apps::Entry {
        key: entry.key,
        value: entry.value,
    };
    entries.into_iter().map(convert).collect()
}

fn ticks(ticks: Vec<wit::TickAt>) -> Vec<apps::TickAt> {
    let convert = |tick: wit::TickAt| apps::TickAt {
        name: tick.name,
        at: tick.at,
    };
    ticks.into_iter().map(convert).collect()
}
