//! Messages of every kind.

use spindle_tests::User;

use super::World;
use crate::random::Random;

fn send(user: &User, kind: &str, to: &str, topic: &str, content: &str) {
    let pairs = [
        ("type", kind),
        ("to", to),
        ("topic", topic),
        ("content", content),
    ];
    user.post("/messages", &pairs).ok();
}

pub(super) fn send_direct(world: &World, user: &User, random: &mut Random) {
    let to = format!("[{}]", random.pick(&world.observers).id());
    send(user, "direct", &to, "", "direct");
}

pub(super) fn send_group(world: &World, user: &User, random: &mut Random) {
    let other = random.pick(&world.writers);
    let to = format!("[{}, {}]", world.observers[0].id(), other.id());
    send(user, "direct", &to, "", "group");
}

pub(super) fn send_channel(world: &World, user: &User, random: &mut Random) {
    let mut channel = random.pick(&world.channels[..5]);
    let is = |number: usize| channel.stream_id == world.channels[number].stream_id;
    let comes_and_goes = is(3) || is(4);
    let may_be_out = user.full_name.contains("guest") && (is(2) || comes_and_goes)
        || user.user_id == world.writers[4].user_id && is(4);
    if may_be_out {
        channel = &world.channels[0];
    }
    let content = match random.below(4) {
        _ if comes_and_goes => "plain".to_owned(),
        0 => format!("hello @**{}**", world.observers[0].full_name),
        1 => "@**all** hello".to_owned(),
        _ => "plain".to_owned(),
    };
    let topic = random.pick(&["alpha", "beta", ""]);
    send(user, "channel", &channel.id(), topic, &content);
}
