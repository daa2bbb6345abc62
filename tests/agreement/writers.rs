//! Who writes what: people, channels and the changes that a seed chooses.

use std::time::Duration;

use spindle_tests::fixture::{self, Channel, Kind};
use spindle_tests::{Server, User};

use crate::random::Random;

pub(crate) struct World {
    pub(crate) writers: Vec<User>,
    pub(crate) observers: Vec<User>,
    /// Their accounts are changed by the operator; they do not write.
    changing: Vec<User>,
    channels: Vec<Channel>,
}

impl World {
    pub(crate) fn new(server: &Server) -> World {
        let writers: Vec<User> = ["owner", "member", "guest", "moderator", "member"]
            .map(|role| server.user(role))
            .into();
        let observers: Vec<User> = ["member", "administrator"]
            .map(|role| server.user(role))
            .into();
        let changing: Vec<User> = ["member", "moderator"].map(|role| server.user(role)).into();
        let everybody: Vec<&User> = writers.iter().chain(&observers).chain(&changing).collect();
        let channels = vec![
            fixture::channel(server, Kind::Public, &everybody),
            fixture::channel(server, Kind::PrivateShared, &everybody),
            fixture::channel(server, Kind::Public, &writers.iter().collect::<Vec<_>>()),
        ];
        World {
            writers,
            observers,
            changing,
            channels,
        }
    }
}

/// A few changes by one writer.
pub(crate) fn write(world: &World, number: usize, mut random: Random) {
    let user = &world.writers[number];
    for _ in 0..2 + random.below(4) {
        match random.below(8) {
            0 | 1 => set_status(user, &mut random),
            2 => send_direct(world, user, &mut random),
            3 => send_group(world, user, &mut random),
            4 => away(&world.observers[0], &mut random),
            _ => send_channel(world, user, &mut random),
        }
        std::thread::sleep(Duration::from_micros(random.below(2_000)));
    }
}

fn set_status(user: &User, random: &mut Random) {
    let text = format!("status {}", random.below(1000));
    let mut pairs = Vec::new();
    match random.below(3) {
        0 => pairs.push(("status_text", text.as_str())),
        1 => pairs.push(("status_text", "")),
        _ => {}
    }
    match random.below(3) {
        0 => pairs.push((
            "emoji_name",
            *random.pick(&["car", "tada", "smile", "zulip"]),
        )),
        1 => pairs.push(("emoji_name", "")),
        _ => {}
    }
    if pairs.is_empty() {
        pairs.push(("status_text", "fallback"));
    }
    user.post("/users/me/status", &pairs).ok();
}

fn away(user: &User, random: &mut Random) {
    let away = random.pick(&["true", "false"]);
    user.post("/users/me/status", &[("away", away)]).ok();
}

fn send(user: &User, kind: &str, to: &str, topic: &str, content: &str) {
    let pairs = [
        ("type", kind),
        ("to", to),
        ("topic", topic),
        ("content", content),
    ];
    user.post("/messages", &pairs).ok();
}

fn send_direct(world: &World, user: &User, random: &mut Random) {
    let to = format!("[{}]", random.pick(&world.observers).id());
    send(user, "direct", &to, "", "direct");
}

fn send_group(world: &World, user: &User, random: &mut Random) {
    let other = random.pick(&world.writers);
    let to = format!("[{}, {}]", world.observers[0].id(), other.id());
    send(user, "direct", &to, "", "group");
}

fn send_channel(world: &World, user: &User, random: &mut Random) {
    let mut channel = random.pick(&world.channels);
    if user.full_name.contains("guest") && channel.stream_id == world.channels[2].stream_id {
        channel = &world.channels[0];
    }
    let content = match random.below(4) {
        0 => format!("hello @**{}**", world.observers[0].full_name),
        1 => "@**all** hello".to_owned(),
        _ => "plain".to_owned(),
    };
    let topic = random.pick(&["alpha", "beta", ""]);
    send(user, "channel", &channel.id(), topic, &content);
}

/// What the operator does meanwhile: people come, go, return and change roles.
pub(crate) fn administrate(server: &Server, world: &World, mut random: Random) {
    let user = random.pick(&world.changing);
    match random.below(3) {
        0 => {
            // A guest cannot become an administrator in one step.
            let role = random.pick(&["moderator", "administrator", "guest"]);
            for role in ["member", role] {
                server.admin(&["user", "set-role", "--email", &user.email, "--role", role]);
            }
        }
        1 => {
            server.admin(&["user", "deactivate", "--email", &user.email]);
            server.admin(&["user", "reactivate", "--email", &user.email]);
        }
        _ => {
            let new = server.user("member");
            if random.below(2) == 0 {
                server.admin(&["user", "deactivate", "--email", &new.email]);
            }
        }
    }
}
