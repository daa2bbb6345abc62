//! Exports are requested again and again.

use spindle_tests::Options;
use spindle_tests::fixture::{self, ChannelKind};

use crate::attack::{Attack, pause};
use crate::attacker::{Attacker, at_once};
use crate::scene;
use std::time::Duration;

const MESSAGES: usize = 20_000;

/// Finished exports are downloaded while more are requested.
pub const AGAIN: Attack = Attack::new("exports again and again", |server| {
    let owner = server.user("owner");
    let channel = fixture::channel(server, ChannelKind::Public, &[&owner]);
    scene::messages(
        server,
        &channel,
        &owner,
        MESSAGES,
        "'text ' || hex(randomblob(200))",
    );
    let attackers = [Attacker::of(server, &owner)];
    Box::new(move |is_over| {
        at_once(&attackers, 2, is_over, |owner, _| {
            let pairs = [("export_type", "public")];
            owner.call(is_over, "POST", "/export/realm", &pairs);
            owner.call(is_over, "GET", "/export/realm", &[]);
            pause(is_over, Duration::from_millis(50));
        });
    })
})
.on(Options::default);

#[test]
fn repeated_exports_are_withstood() {
    AGAIN.is_withstood();
}
