//! The world of a round: accounts, channels and the changes that a seed chooses. A file for each
//! subject.

mod channel_folders;
mod editing;
mod files;
mod groups;
mod messages;
mod organization;
mod own;
mod personal;
mod retention;
mod streams;
mod subscriptions;
mod users;

use std::time::Duration;

use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Reply, Server, User};

use crate::random::Random;

pub(crate) struct World {
    pub(crate) writers: Vec<User>,
    pub(crate) observers: Vec<User>,
    /// The operator changes their accounts; they do not write.
    changing: Vec<User>,
    pub(crate) channels: Vec<Channel>,
}

impl World {
    pub(crate) fn new(server: &Server) -> World {
        // A server that was running before has no database that the test can reach: there, no provider is configured.
        if server.directory().is_some() {
            offer_provider(server);
        }
        let writers: Vec<User> = ["owner", "member", "guest", "moderator", "member"]
            .map(|role| server.user(role))
            .into();
        let observers: Vec<User> = ["member", "administrator"]
            .map(|role| server.user(role))
            .into();
        let changing: Vec<User> = ["member", "moderator"].map(|role| server.user(role)).into();
        let everybody: Vec<&User> = writers.iter().chain(&observers).chain(&changing).collect();
        let channels = vec![
            fixture::channel(server, ChannelKind::Public, &everybody),
            fixture::channel(server, ChannelKind::PrivateShared, &everybody),
            fixture::channel(
                server,
                ChannelKind::Public,
                &writers.iter().collect::<Vec<_>>(),
            ),
            // Accounts subscribe to these two and unsubscribe; messages there contain no mentions.
            fixture::channel(server, ChannelKind::Public, &everybody),
            fixture::channel(server, ChannelKind::PrivateShared, &everybody),
            // Nothing is sent here.
            fixture::channel(server, ChannelKind::Public, &everybody),
        ];
        World {
            writers,
            observers,
            changing,
            channels,
        }
    }
}

/// Lists an identity provider, as a server does at its start. No one signs in by it.
fn offer_provider(server: &Server) {
    let insert = "INSERT INTO identity_providers (realm_id, id, name, has_icon, position, creates, signs_out) \
        VALUES (1, 'agreement', 'Agreement', 0, 1, 1, 0) ON CONFLICT DO NOTHING";
    server.database().execute(insert, []).expect("a row");
}

/// An operation of a writer.
type Change = fn(&World, &User, &mut Random);

/// Operations with the weights by which they are chosen.
const CHANGES: &[(u64, Change)] = &[
    (1, channel_folders::change),
    (2, groups::change),
    (1, streams::change),
    (1, files::avatar),
    (1, files::emoji),
    (2, editing::edit),
    (2, editing::relocate),
    (1, editing::delete),
    (3, messages::send_channel),
    (1, messages::send_direct),
    (1, messages::send_group),
    (2, own::set_status),
    (1, own::away),
    (1, personal::snippet),
    (1, personal::draft),
    (1, personal::scheduled),
    (1, personal::view),
    (1, personal::device),
    (1, personal::words_and_mutes),
    (1, personal::settings),
    (1, personal::topics),
    (2, personal::marks),
    (1, personal::bot),
    (1, organization::change_linkifiers),
    (1, organization::change_domains),
    (1, organization::change_playgrounds),
    (1, organization::change_settings),
    (1, organization::change_ways),
    (1, organization::change_permission),
    (2, subscriptions::arrange),
    (2, subscriptions::come_and_go),
    (1, subscriptions::create_and_leave),
    (2, users::change),
];

/// A few changes by one writer.
pub(crate) fn write(world: &World, number: usize, mut random: Random) {
    let user = &world.writers[number];
    let all = CHANGES.iter().map(|(weight, _)| weight).sum();
    for _ in 0..2 + random.below(4) {
        let mut chosen = random.below(all);
        for (weight, change) in CHANGES {
            if chosen < *weight {
                change(world, user, &mut random);
                break;
            }
            chosen -= weight;
        }
        std::thread::sleep(Duration::from_micros(random.below(2_000)));
    }
}

/// At the same time the operator creates accounts, deactivates and reactivates them, and changes
/// roles.
pub(crate) fn administrate(server: &Server, world: &World, mut random: Random) {
    let user = random.pick(&world.changing);
    // A server that was running before has a clock that the test cannot set.
    let choices = if server.directory().is_some() { 4 } else { 3 };
    match random.below(choices) {
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
        3 => retention::expire(server, world, &mut random),
        _ => {
            let new = server.user("member");
            if random.below(2) == 0 {
                server.admin(&["user", "deactivate", "--email", &new.email]);
            }
        }
    }
}

/// A request may have become impossible in between: an account is deactivated, a name is taken.
#[track_caller]
pub(crate) fn done_or_refused(reply: Reply) {
    assert!(
        matches!(reply.status, 200 | 400),
        "{}: {}",
        reply.call,
        reply.body
    );
}
