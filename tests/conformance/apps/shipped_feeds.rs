//! The feeds that ship with the server.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::json;
use spindle_tests::until;

use super::{World, world_of};

/// A web server with one page, which runs until the test ends.
struct Site {
    port: u16,
    page: Arc<Mutex<(String, usize)>>,
}

impl Site {
    fn new(numbers: &[u32]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let site = Self {
            port: listener.local_addr().unwrap().port(),
            page: Arc::default(),
        };
        site.has(numbers);
        let page = Arc::clone(&site.page);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut seen = Vec::new();
                let mut part = [0; 4096];
                while !seen.windows(4).any(|end| end == b"\r\n\r\n") {
                    match stream.read(&mut part) {
                        Ok(0) | Err(_) => break,
                        Ok(length) => seen.extend_from_slice(&part[..length]),
                    }
                }
                let body = {
                    let mut page = page.lock().unwrap();
                    page.1 += 1;
                    page.0.clone()
                };
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
                );
                // The server may have gone away.
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        site
    }

    /// From now on, the page is a feed with these posts.
    fn has(&self, numbers: &[u32]) {
        let items: String = numbers
            .iter()
            .map(|number| {
                format!("<item><title>Post {number}</title><link>/{number}</link></item>")
            })
            .collect();
        self.page.lock().unwrap().0 =
            format!("<rss><channel><title>Blog</title>{items}</channel></rss>");
    }

    fn calls(&self) -> usize {
        self.page.lock().unwrap().1
    }

    fn url(&self) -> String {
        format!("http://localhost:{}/feed", self.port)
    }
}

fn grant_hosts(world: &World, hosts: &serde_json::Value) {
    let rights = json!({"events": ["command", "tick", "answer"], "commands": ["feed"],
        "hosts": hosts, "channels": null});
    let rights = rights.to_string();
    spindle_tests::apps::change(&world.owner, &world.app, &[("rights", &rights)]).ok();
}

#[test]
fn new_entries_of_a_feed_are_posted() {
    let world = world_of("app_feeds");
    let site = Site::new(&[2, 1]);
    let (url, port) = (site.url(), site.port);
    grant_hosts(&world, &json!([format!("localhost:{port}")]));
    world.say(&format!("/feed add {url}"));
    world.server.hasten(2);
    assert_eq!(
        world.wait_for(1),
        [format!(
            "New entries of [Blog]({url}) are posted here. The newest one:\n\n[Post 2](http://localhost:{port}/2)"
        )]
    );
    site.has(&[4, 3, 2, 1]);
    world.settle();
    world.server.advance(15 * 60 + 1);
    assert_eq!(
        world.wait_for(2)[1],
        format!(
            "**Blog**\n\n[Post 3](http://localhost:{port}/3)\n\n[Post 4](http://localhost:{port}/4)"
        )
    );
    // Nothing new, nothing posted.
    world.settle();
    let calls = site.calls();
    world.server.advance(15 * 60 + 1);
    until("another request", || (site.calls() > calls).then_some(()));
    world.settle();
    assert_eq!(world.answers().len(), 2);
    world.say("/feed list");
    assert_eq!(world.wait_for(3)[2], format!("* 1: [Blog]({url}) in \"t\""));
    world.say("/feed remove 1");
    assert_eq!(
        world.wait_for(4)[3],
        format!("[Blog]({url}) is no longer posted.")
    );
}

/// Any host is any public one: a member could read what the server alone reaches, although the operator has allowed it to
/// outgoing bots.
#[test]
fn feeds_in_private_networks_are_read_only_if_they_are_named() {
    let world = world_of("app_feeds");
    let site = Site::new(&[1]);
    world.say(&format!("/feed add {}", site.url()));
    // The request is repeated before it has failed.
    until("the refusal", || {
        world.server.advance(60);
        (!world.answers().is_empty()).then_some(())
    });
    let text = world.wait_for(1).remove(0);
    assert!(text.contains("not on the open Internet"), "{text}");
    assert!(text.ends_with("It was not added."), "{text}");
    assert_eq!(site.calls(), 0);
    grant_hosts(&world, &json!(["feeds.example.com"]));
    world.say(&format!("/feed add {}", site.url()));
    let text = world.wait_for(2).remove(1);
    assert!(text.contains("was not granted"), "{text}");
    assert_eq!(site.calls(), 0);
}
