//! The offline shell: the page is there without a server and says so; a newer server is a newer page.

use serde_json::json;

use super::Seat;

#[test]
fn without_a_server_the_page_is_there_and_says_so() {
    let Some(mut seat) = Seat::at("web-shell", |seat| seat.topic("loom")) else {
        return;
    };
    seat.said(&seat.other, "loom", "before");
    seat.wait_for_message("before");
    let manifest = seat
        .server
        .anonymous()
        .fetch("/page/manifest.webmanifest", &[]);
    let manifest: serde_json::Value = serde_json::from_slice(&manifest.bytes).expect("JSON");
    assert_eq!(manifest["start_url"], json!("/"));
    let linked = "document.querySelector('link[rel=manifest]').getAttribute('href')";
    assert_eq!(seat.ask(linked), json!("/page/manifest.webmanifest"));
    // The whole page is kept, with all that it is made of.
    seat.wait_for("navigator.serviceWorker.controller !== null");
    let kept = "return caches.open('spindle-shell').then((cache) => cache.keys())
         .then((all) => all.map((one) => new URL(one.url).pathname))";
    let kept = seat.browser.run(kept, &[]);
    let kept: Vec<&str> = kept
        .as_array()
        .expect("addresses")
        .iter()
        .filter_map(serde_json::Value::as_str)
        .collect();
    assert!(kept.contains(&"/"), "{kept:?}");
    assert!(kept.iter().any(|path| path.ends_with("/worker.js")));
    // Nothing that people wrote.
    assert!(
        kept.iter()
            .all(|path| *path == "/" || path.starts_with("/web/")),
        "{kept:?}"
    );
    seat.is_content();

    seat.server.kill();
    seat.browser.reload();
    seat.wait_for("document.querySelector('.waiting')?.textContent.includes('does not answer')");
    seat.server.restart();
    seat.wait_for_message("before");
    // A page that the server would not give any more is not given by the browser either.
    let spoil = "return caches.open('spindle-shell').then((cache) =>
         cache.put('/', new Response('an old page', { headers: { 'Content-Type': 'text/html' } })))
         .then(() => true)";
    seat.browser.run(spoil, &[]);
    seat.browser.reload();
    seat.wait_for_message("before");
}
