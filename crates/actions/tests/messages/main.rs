//! Messages: who receives them, with which flags, and who may read them afterwards.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod reading;
#[path = "../support/mod.rs"]
mod support;

use serde_json::{Value, json};
use spindle_actions::messages::{
    Anchor, Destination, FetchedMessages, MessageForm, MessageInput, Selection, fetch_messages,
    get_message, send_message,
};
use spindle_actions::users::deactivate_user;
use spindle_actions::{ActionError, Actor};
use spindle_domain::errors::ClientError;
use spindle_domain::narrow::{
    ChannelReference, MessageState, NarrowFilter, NarrowTerm, UserReference,
};
use spindle_domain::{ChannelId, MessageId, Role, UserId};
use spindle_events::kinds::LocalEcho;
use support::{Counting, REALM, START, World};

const FORM: MessageForm<'_> = MessageForm {
    apply_markdown: true,
    client_gravatar: true,
    empty_topic: "general chat",
};

fn input(destination: Destination, content: &str) -> MessageInput {
    MessageInput {
        destination,
        content: content.into(),
        client: "test".into(),
        read_by_sender: None,
        local: None,
        delivery: None,
        realm_url: "http://x.org".into(),
    }
}

fn to_general(topic: &str, content: &str) -> MessageInput {
    let channel = ChannelReference::Name("General".into());
    let topic = topic.into();
    input(Destination::Channel { channel, topic }, content)
}

fn to_people(people: &[&Actor], content: &str) -> MessageInput {
    let people = people
        .iter()
        .map(|person| UserReference::Id(person.user_id))
        .collect();
    input(Destination::Direct(people), content)
}

fn send(world: &World, actor: &Actor, input: &MessageInput) -> Result<MessageId, ActionError> {
    send_message(&world.db(), actor, START + 10, input).map(|sent| sent.id)
}

fn by_ids(ids: Vec<MessageId>) -> Selection {
    let narrow = Vec::new();
    Selection::Ids { ids, narrow }
}

fn objects(fetched: &FetchedMessages) -> Vec<Value> {
    serde_json::from_str(&fetched.messages).unwrap()
}

fn ids(world: &World, actor: &Actor, narrow: Vec<NarrowFilter>) -> Vec<i64> {
    let narrow = narrow
        .into_iter()
        .map(|filter| NarrowTerm {
            filter,
            negated: false,
        })
        .collect();
    let selection = Selection::Around {
        anchor: Anchor::Newest,
        include_anchor: true,
        num_before: 100,
        num_after: 0,
        narrow,
    };
    let fetched = fetch_messages(&world.db(), actor, &selection, &FORM).unwrap();
    objects(&fetched)
        .iter()
        .map(|message| message["id"].as_i64().unwrap())
        .collect()
}

#[test]
fn a_channel_message_reaches_subscribers_in_few_statements() {
    let world = World::new();
    let (ann, bob) = (
        world.person("Ann", Role::Member),
        world.person("Bob", Role::Member),
    );
    send(&world, &ann, &to_general("first", "x")).unwrap();
    let seq = world.position();
    let db = Counting::new(world.db());
    let mut message = to_general(" lunch ", "hello @**Bob Person** and **all**\n\n");
    message.read_by_sender = Some(true);
    message.local = Some(LocalEcho {
        queue_id: "q".into(),
        local_id: "7.1".into(),
    });
    let id = send_message(&db, &ann, START + 10, &message).unwrap().id;
    // Names, alert words, BEGIN, channel, message, deliveries, two events, COMMIT; bots among those it mentions; guests
    // who may not see the sender; and for the topic: how both stand to it, once more, whether they have room for its
    // policy, and that they follow it. Because of `local_id`: whether it is a repetition, and its own row.
    assert_eq!(db.count.get(), 17);
    let events = world.events_since(seq);
    assert_eq!(events.len(), 2);
    let (body, audience) = &events[0];
    assert_eq!(body["topic_name"], "lunch");
    assert_eq!(body["visibility_policy"], 3);
    assert_eq!(audience["users"], json!([[ann.user_id, bob.user_id]]));
    let (body, audience) = &events[1];
    assert_eq!(
        body["message"]["content"],
        "hello @**Bob Person** and **all**"
    );
    assert_eq!(body["message"]["subject"], "lunch");
    assert_eq!(body["message"]["display_recipient"], "general");
    assert_eq!(body["message"]["stream_id"], 1);
    assert_eq!(body["facts"]["local"]["local_id"], "7.1");
    assert_eq!(audience["users"], json!([1, [ann.user_id, bob.user_id]]));
    assert_eq!(
        audience["flags"],
        json!([{"flags": ["mentioned"], "users": [bob.user_id]},
            {"flags": ["read"], "users": [ann.user_id]}])
    );
    let single = get_message(&world.db(), &bob, id, &FORM).unwrap();
    assert_eq!(single.raw_content, "hello @**Bob Person** and **all**");
    assert_eq!(single.message["flags"], json!(["mentioned"]));
    assert_eq!(single.message["content_type"], "text/html");
    assert!(
        single.message["content"]
            .as_str()
            .unwrap()
            .contains("user-mention")
    );
}

#[test]
fn the_first_message_of_a_channel_is_told() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let seq = world.position();
    let id = send(&world, &ann, &to_general("", "x")).unwrap();
    // Who starts a topic follows it.
    let told = ["user_topic/", "stream/update", "message/"];
    assert_eq!(world.kinds_since(seq), told);
    let events = world.events_since(seq);
    assert_eq!(events[1].0["value"], json!(id));
    assert_eq!(events[2].0["message"]["subject"], "");
    let single = get_message(&world.db(), &ann, id, &FORM).unwrap();
    assert_eq!(single.message["subject"], "general chat");
}

#[test]
fn direct_messages_share_one_conversation() {
    let world = World::new();
    let (ann, bob) = (
        world.person("Ann", Role::Member),
        world.person("Bob", Role::Member),
    );
    let eve = world.person("Eve", Role::Administrator);
    let first = send(&world, &ann, &to_people(&[&bob], "hi")).unwrap();
    let emails = Destination::Direct(vec![
        UserReference::Email("ANN@x.org".into()),
        UserReference::Email("bob@x.org".into()),
    ]);
    let second = send(&world, &bob, &input(emails, "hi")).unwrap();
    let read = |id| get_message(&world.db(), &ann, id, &FORM).unwrap().message;
    assert_eq!(read(first)["recipient_id"], read(second)["recipient_id"]);
    assert_eq!(read(first)["type"], "private");
    assert_eq!(read(first)["subject"], "");
    assert_eq!(
        read(first)["display_recipient"][0],
        json!({"id": ann.user_id, "email": "ann@x.org", "full_name": "Ann Person", "is_mirror_dummy": false})
    );
    // An administrator has no more access than anybody else.
    assert!(matches!(
        get_message(&world.db(), &eve, first, &FORM),
        Err(ActionError::Denied(
            spindle_domain::policy::Reason::NoAccess
        ))
    ));
    let own = send(&world, &ann, &to_people(&[&ann], "note")).unwrap();
    assert_eq!(read(own)["display_recipient"].as_array().unwrap().len(), 1);
    let dm = |people: &[&Actor]| {
        let people = people
            .iter()
            .map(|p| UserReference::Id(p.user_id))
            .collect();
        vec![NarrowFilter::Dm(people)]
    };
    assert_eq!(ids(&world, &ann, dm(&[&bob])), [first.get(), second.get()]);
    assert_eq!(ids(&world, &ann, dm(&[&ann])), [own.get()]);
    assert_eq!(
        ids(&world, &eve, vec![NarrowFilter::Is(MessageState::Dm)]),
        [0; 0]
    );
    let including = NarrowFilter::DmIncluding(vec![UserReference::Id(bob.user_id)]);
    assert_eq!(
        ids(&world, &ann, vec![including]),
        [first.get(), second.get()]
    );
}

#[test]
fn refusals_change_nothing() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let guest = world.person("Gus", Role::Guest);
    let gone = world.person("Gone", Role::Member);
    deactivate_user(&world.db(), None, REALM, START, gone.user_id).unwrap();
    let before = world.fingerprint();
    let no_channel = |result: Result<MessageId, ActionError>| {
        assert!(
            matches!(
                result,
                Err(ActionError::Client(ClientError::StreamDoesNotExist { .. }))
            ),
            "{result:?}"
        );
    };
    let channel = |channel| {
        let topic = "t".into();
        input(Destination::Channel { channel, topic }, "x")
    };
    no_channel(send(
        &world,
        &ann,
        &channel(ChannelReference::Id(ChannelId(99))),
    ));
    no_channel(send(
        &world,
        &ann,
        &channel(ChannelReference::Name("nowhere".into())),
    ));
    no_channel(send(
        &world,
        &ann,
        &channel(ChannelReference::Name(String::new())),
    ));
    // A guest who is not subscribed learns nothing.
    no_channel(send(&world, &guest, &to_general("t", "x")));
    let nobody = input(
        Destination::Direct(vec![UserReference::Id(UserId(99))]),
        "x",
    );
    let empty = input(Destination::Direct(Vec::new()), "x");
    for bad in [
        to_general("t", " \n "),
        to_general("t", "a\0b"),
        to_general("a\u{7}b", "x"),
        to_people(&[&gone], "x"),
        nobody,
        empty,
    ] {
        let result = send(&world, &ann, &bad);
        assert!(
            matches!(result, Err(ActionError::BadRequest(_))),
            "{result:?}"
        );
    }
    let group = send(&world, &ann, &to_general("t", "@*role:administrators*"));
    assert!(matches!(group, Err(ActionError::Denied(_))), "{group:?}");
    assert_eq!(world.fingerprint(), before);
}

#[test]
fn over_long_content_is_cut() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let id = send(
        &world,
        &ann,
        &to_general(&"t".repeat(80), &"\u{e9}".repeat(10_001)),
    )
    .unwrap();
    let single = get_message(&world.db(), &ann, id, &FORM).unwrap();
    assert_eq!(single.raw_content.chars().count(), 10_000);
    assert_eq!(single.message["subject"], format!("{}...", "t".repeat(57)));
}

#[test]
fn wildcards_need_permission_in_large_channels_only() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let all = to_general("t", "@**all**");
    let id = send(&world, &ann, &all).unwrap();
    let flags = "SELECT count(*) FROM user_messages WHERE flags & 16 <> 0";
    assert_eq!(world.integer(flags), 2);
    let topic = send(&world, &ann, &to_general("t", "@**topic**")).unwrap();
    let flags = "SELECT count(*) FROM user_messages WHERE flags & 32 <> 0";
    assert_eq!(world.integer(flags), 1);
    for index in 0..14 {
        world.create(&format!("P{index}"), Role::Member);
    }
    let before = world.fingerprint();
    assert!(matches!(
        send(&world, &ann, &all),
        Err(ActionError::Client(
            ClientError::StreamWildcardMentionNotAllowed
        ))
    ));
    assert_eq!(world.fingerprint(), before);
    let owner = world.owner();
    assert!(send(&world, &owner, &all).is_ok());
    assert!(send(&world, &ann, &to_general("t", "@**topic**")).is_ok());
    assert_eq!(
        ids(
            &world,
            &ann,
            vec![NarrowFilter::Is(MessageState::Mentioned)]
        )[..2],
        [id.get(), topic.get()]
    );
}

#[test]
fn a_mentioned_outsider_of_a_public_channel_receives_the_message() {
    let world = World::new();
    let ann = world.person("Ann", Role::Member);
    let (bot, guest) = (world.bot("Hello"), world.person("Gus", Role::Guest));
    let message = to_general("t", "@**Hello Bot** @**Gus Person**");
    let id = send(&world, &ann, &message).unwrap();
    let recipients = format!("SELECT count(*) FROM user_messages WHERE message_id = {id}");
    assert_eq!(world.integer(&recipients), 3);
    let single = get_message(&world.db(), &bot, id, &FORM).unwrap();
    assert_eq!(single.message["flags"], json!(["mentioned"]));
    assert!(get_message(&world.db(), &guest, id, &FORM).is_err());
}
