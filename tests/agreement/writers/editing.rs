//! Messages are edited, moved and deleted. Each change is followed by a new message to the same
//! recipients, so that the newest message is always one that all of them have received.

use spindle_tests::User;

use super::{World, done_or_refused};
use crate::random::Random;

fn send(user: &User, kind: &str, to: &str, topic: &str) -> i64 {
    let pairs = [
        ("type", kind),
        ("to", to),
        ("topic", topic),
        ("content", "to be changed"),
    ];
    let sent = user.post("/messages", &pairs).ok();
    sent["id"].as_i64().expect("id")
}

/// One of the channels that no account leaves, and that all writers may write to.
fn channel(world: &World, random: &mut Random) -> String {
    random.pick(&world.channels[..2]).id()
}

pub(super) fn edit(world: &World, user: &User, random: &mut Random) {
    let to = channel(world, random);
    let id = send(user, "channel", &to, "alpha");
    let content = match random.below(4) {
        0 => format!("@**{}**", world.observers[0].full_name),
        1 => "@**all**".to_owned(),
        2 => "@**topic**".to_owned(),
        _ => "no mention".to_owned(),
    };
    let path = format!("/messages/{id}");
    for text in [content.as_str(), "the last text"] {
        done_or_refused(user.patch(&path, &[("content", text)]));
        if random.below(2) == 0 {
            break;
        }
    }
    send(user, "channel", &to, "alpha");
}

/// Moves to another topic, resolved or not, or to another channel, which may be one that the
/// observers are not subscribed to.
pub(super) fn relocate(world: &World, user: &User, random: &mut Random) {
    let to = channel(world, random);
    let topic = *random.pick(&["alpha", "beta", ""]);
    let id = send(user, "channel", &to, topic);
    let target = random.pick(&world.channels[..3]).id();
    let resolved = format!("\u{2714} {topic}");
    let mode = *random.pick(&["change_one", "change_later", "change_all"]);
    let mut pairs = vec![("propagate_mode", mode)];
    match random.below(4) {
        0 => pairs.push(("stream_id", target.as_str())),
        1 => pairs.extend([("stream_id", target.as_str()), ("topic", "gamma")]),
        2 if !topic.is_empty() => pairs.push(("topic", resolved.as_str())),
        _ => pairs.push(("topic", *random.pick(&["alpha", "Beta", ""]))),
    }
    if random.below(2) == 0 {
        pairs.push(("send_notification_to_old_thread", "true"));
    }
    done_or_refused(user.patch(&format!("/messages/{id}"), &pairs));
    send(user, "channel", &to, topic);
}

pub(super) fn delete(world: &World, user: &User, random: &mut Random) {
    let observer = &world.observers[random.below(2) as usize];
    let people = format!("[{}]", observer.id());
    let (kind, to) = match random.below(3) {
        0 => ("direct", people),
        _ => ("channel", channel(world, random)),
    };
    let id = send(user, kind, &to, "alpha");
    done_or_refused(user.delete(&format!("/messages/{id}"), &[]));
    send(user, kind, &to, "alpha");
}
