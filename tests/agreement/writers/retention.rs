//! Messages exceed the retention period of their channel. Needs the test clock.

use std::time::{Duration, Instant};

use spindle_tests::Server;

use super::World;
use crate::random::Random;

/// Lets a few messages of a channel expire, and waits until they are deleted: events after the end
/// of a round would not be attributed to it.
pub(super) fn expire(server: &Server, world: &World, random: &mut Random) {
    let (owner, channel) = (&world.writers[0], &world.channels[0]);
    let path = format!("/streams/{}", channel.stream_id);
    let keep = |days: &str| owner.patch(&path, &[("message_retention_days", days)]).ok();
    keep("7");
    let database = server.database();
    let most = i64::try_from(random.below(8)).expect("a small number");
    let (made_old, as_before) = (
        // Not the newest one: other writers send to it at the same time.
        "UPDATE messages SET date_sent = date_sent - 8640000 WHERE id IN (SELECT id FROM messages
             WHERE channel_id = ?1 AND id < (SELECT max(id) FROM messages)
             ORDER BY id DESC LIMIT ?2)",
        "UPDATE messages SET date_sent = date_sent + 8640000 WHERE date_sent < ?1",
    );
    let count = "SELECT count(*) FROM messages WHERE date_sent < ?1";
    let old = server.advance(0) - 100 * 86_400 + 20_000;
    database
        .execute(made_old, [channel.stream_id, most])
        .expect("older");
    server.advance(61);
    let deadline = Instant::now() + Duration::from_secs(2);
    let expired = || database.query_row(count, [old], |row| row.get::<_, i64>(0)) == Ok(0);
    while !expired() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    // Some were moved to channels that keep them.
    database.execute(as_before, [old]).expect("as before");
    keep("realm_default");
}
