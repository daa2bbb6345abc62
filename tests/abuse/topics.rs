//! A member who has a large topic resolved, opened again and moved without end.

use std::sync::atomic::{AtomicBool, Ordering};

use spindle_tests::fixture::{self, Kind};
use spindle_tests::{Options, Server};

use crate::bystander::Bystander;

#[test]
fn a_large_topic_that_is_moved_without_end() {
    let server = Server::spawn(Options::default());
    let attacker = server.user("moderator");
    let channels = [0, 1].map(|_| fixture::channel(&server, Kind::Public, &[&attacker]));
    let ids = fixture::messages(&server, &channels[0], "t", &[&attacker], 25_000);
    let path = format!("/messages/{}", ids[0]);
    let mut bystander = Bystander::new(&server);
    bystander.beside(|is_over: &AtomicBool| {
        let mut round = 0;
        while !is_over.load(Ordering::SeqCst) {
            round += 1;
            let stream = channels[round / 3 % 2].id();
            let pairs = match round % 3 {
                0 => [
                    ("stream_id", stream.as_str()),
                    ("propagate_mode", "change_all"),
                ],
                1 => [("topic", "✔ t"), ("propagate_mode", "change_all")],
                _ => [("topic", "t"), ("propagate_mode", "change_all")],
            };
            let reply = attacker.patch(&path, &pairs);
            assert!(matches!(reply.status, 200 | 400), "{}", reply.body);
        }
    });
}
