//! The reference of the API at `/api/`: readable without scripts, and with a filter and this server's address with
//! them.

use serde_json::json;
use spindle_tests::Server;

use crate::browser::Browser;
use crate::{LOOKS, check_look, is_shown};

#[test]
fn operations_are_found_and_their_calls_name_the_server() {
    let Some(browser) = Browser::start("reference") else {
        return;
    };
    let server = Server::shared();
    let url = format!("{}/api/", server.base_url());
    for look in LOOKS {
        browser.open(&url, look);
        browser.wait_for(
            "return String(document.getElementById('filter').hidden)",
            "false",
        );
        let calls = browser.run(
            "return [...document.querySelectorAll('#send-message pre')].map(one => one.textContent)",
            &[],
        );
        let calls = calls.as_array().expect("calls");
        let address = format!("{}/api/v1/messages", server.base_url());
        for (call, part) in calls
            .iter()
            .zip(["curl ", "requests.post(", "await fetch("])
        {
            let call = call.as_str().expect("a text");
            assert!(call.contains(&address) && call.contains(part), "{call}");
        }
        let width = browser.run("return document.documentElement.scrollWidth", &[]);
        assert_eq!(width, json!(look.width), "{look:?}: wider than the screen");
        // A picture of the whole page is higher than browsers take one.
        let shorten =
            "[...document.querySelectorAll('.operation')].slice(20).forEach(one => one.remove())";
        browser.run(shorten, &[]);
        check_look(&browser, look);
    }
    browser.type_into("#filter input", "send message");
    browser.wait_for(
        "return String(document.querySelector('#list a[href=\"#get-attachments\"]').parentNode.hidden)",
        "true",
    );
    assert!(is_shown(&browser, "#list a[href=\"#send-message\"]"));
    browser.type_into("#filter input", " never");
    browser.wait_for(
        "return String(document.getElementById('none').hidden)",
        "false",
    );
}

/// Every link within the page leads to a place of it.
#[test]
fn the_page_is_whole_without_scripts() {
    let Some(browser) = Browser::start("reference_without_scripts") else {
        return;
    };
    let server = Server::shared();
    browser.open(&format!("{}/api/", server.base_url()), LOOKS[3]);
    let lost = "return [...document.querySelectorAll('a[href^=\"#\"]')].map(one => one.getAttribute('href')) \
                .filter(href => document.getElementById(href.slice(1)) === null)";
    assert_eq!(browser.run(lost, &[]), json!([]));
    let page = server.anonymous().fetch("/api/", &[]);
    let text = String::from_utf8(page.bytes.to_vec()).expect("UTF-8");
    for operation in spindle_tests::openapi::contract().operations() {
        let is_called =
            operation.path.starts_with("/messages") || operation.path.starts_with("/users");
        assert!(
            !is_called
                || operation.id.ends_with("-by-email")
                || text.contains(&format!("id=\"{}\"", operation.id)),
            "{}",
            operation.id
        );
    }
    assert!(text.contains("The text, in Markdown."));
    // In examples of templates, a space follows.
    let mut braces = text.split("{{").skip(1);
    let is_example = |rest: &str| rest.starts_with(' ');
    assert!(braces.all(is_example), "a placeholder is left");
}
