//! Requests that make components allocate much memory.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Options, Server, User};

use crate::bystander::Bystander;

/// A character of four bytes, both in the text and in its HTML.
const LARGE: &str = "\u{1d54a}";

/// An account with a channel of messages of the maximum length.
fn with_large_messages(server: &Server) -> (User, Channel) {
    let user = server.user("member");
    let channel = fixture::channel(server, ChannelKind::Public, &[&user]);
    let content = LARGE.repeat(10_000);
    for _ in 0..300 {
        let message = [
            ("type", "channel"),
            ("to", &channel.id()),
            ("topic", "large"),
            ("content", &content),
        ];
        user.post("/messages", &message).ok();
    }
    (user, channel)
}

/// Requests all of them repeatedly; each answer has the maximum size.
fn read_much(user: &User, channel: &Channel, is_over: &AtomicBool) {
    let narrow = format!(
        r#"[{{"operator": "channel", "operand": {}}}]"#,
        channel.id()
    );
    while !is_over.load(Ordering::SeqCst) {
        let wanted = [
            ("anchor", "newest"),
            ("num_before", "5000"),
            ("num_after", "0"),
            ("narrow", &narrow),
        ];
        let page = user.get("/messages", &wanted).ok();
        assert_eq!(page["found_oldest"], false);
        assert!(!page["messages"].as_array().expect("messages").is_empty());
        // This attack is about memory: four threads that compute without pause would slow down
        // everything on two cores.
        std::thread::sleep(Duration::from_millis(400));
    }
}

/// The bystander's requests run in the same component, mostly in the same instances.
#[test]
fn large_pages_of_messages_beside_small_ones_are_withstood() {
    let server = Server::spawn(Options::default());
    let (user, channel) = with_large_messages(&server);
    let mut bystander = Bystander::new(&server);
    bystander.beside(|is_over| {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| read_much(&user, &channel, is_over));
            }
        });
    });
}
