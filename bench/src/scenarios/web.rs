//! The web client in Chromium, in an organization with 10,000 people, 1,000 channels, 50,000 unread
//! messages and 1,000,000 in all: what a person waits for.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::unread;
use crate::Plan;
use crate::browser::Browser;
use crate::http::{Connection, Prepared};
use crate::load::median_of;
use crate::servers::{self, Account, Spindle};
use crate::setup;
use crate::table::Table;

const PEOPLE: i64 = 10_000;
const UNREAD: i64 = 50_000;
/// Conversations that are switched between.
const CONVERSATIONS: i64 = 40;
/// Messages that arrive while the memory is measured.
const EVENTS: usize = 5_000;
/// Messages whose way to the screen is measured.
const ARRIVALS: usize = 30;

/// Notes when the first message can be read.
const NOTE_READABLE: &str = "new MutationObserver((_, observer) => {
     if (document.querySelector('.message .rendered') === null) return;
     observer.disconnect();
     requestAnimationFrame(() => (window.readable = performance.now()));
 }).observe(document, { childList: true, subtree: true })";

/// Goes to conversations in turn; returns the milliseconds until each is on the screen.
const SWITCH: &str = "const [targets] = arguments;
     const there = (topic) => document.querySelector('.bar .topic')?.textContent === topic
         && document.querySelector('.messages .message') !== null;
     const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
     const go = async () => {
         const times = [];
         for (const [hash, topic] of targets) {
             const start = performance.now();
             location.hash = hash;
             while (!there(topic)) await frame();
             times.push(performance.now() - start);
         }
         return times;
     };
     return go()";

/// Another person sends; returns the milliseconds from the answer until it is on the screen.
const ARRIVE: &str = "const [credentials, channel, topic, count] = arguments;
     const authorization = `Basic ${btoa(credentials)}`;
     const there = (text) => [...document.querySelectorAll('.message .rendered')].slice(-3)
         .some((one) => one.textContent.trim() === text);
     const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
     const go = async () => {
         const times = [];
         for (let number = 0; number < count; number += 1) {
             const content = `arrival ${number}`;
             const body = new URLSearchParams({ type: 'channel', to: channel, topic, content });
             const answer = await fetch('/api/v1/messages', {
                 method: 'POST', body, credentials: 'omit', headers: { Authorization: authorization } });
             if (!answer.ok) throw new Error(await answer.text());
             const start = performance.now();
             while (!there(content)) await frame();
             times.push(performance.now() - start);
         }
         return times;
     };
     return go()";

/// Scrolls a list up and down; tasks that take long are noted by `WATCH`.
const SCROLL: &str = "const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
     const go = async () => {
         const list = document.querySelector('.messages');
         for (let step = 0; step < 120; step += 1) {
             list.scrollBy(0, step < 80 ? -400 : 400);
             await frame();
         }
         return true;
     };
     return go()";

const WATCH: &str = "window.long = [];
     new PerformanceObserver((list) => window.long.push(...list.getEntries().map((one) => one.duration)))
         .observe({ type: 'longtask' })";

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    let Some(browser) = Browser::start()? else {
        println!("Chromium is not installed: the lines of the web client are left out");
        return Ok(());
    };
    let data_dir = tempfile::tempdir()?;
    let spindle = servers::spindle(data_dir.path(), &servers::root().join("spin.toml"), &[])?;
    fill(data_dir.path(), plan.messages)?;
    let senders = servers::accounts_for_queues(data_dir.path(), 1)?;
    let sender = senders.first().context("an account")?;
    table.section(&format!(
        "Web client: 10,000 people, 1,000 channels, 50,000 unread, {} messages",
        plan.messages
    ));
    let site = format!("http://{}", spindle.process.address);
    sign_in(&browser, data_dir.path(), &spindle, &site)?;
    start(plan, &browser, table, &site)?;
    received(&browser, &spindle, table).await?;
    switching(&browser, table)?;
    arriving(&browser, table, sender)?;
    typing(&browser, table)?;
    remembering(&browser, &spindle, table, sender).await
}

/// A conversation: its address, and the name of its topic.
fn conversation(number: i64) -> (String, String) {
    let topic = number % 10;
    let address = format!("#narrow/channel/{}/topic/topic.20{topic}", 100_001 + number);
    (address, format!("topic {topic}"))
}

/// The organization of `spindle admin demo`, with many more people, channels and messages.
fn fill(data_dir: &Path, messages: i64) -> Result<()> {
    admin(data_dir, &["demo"])?;
    unread::make_channels(data_dir)?;
    setup::readers(&setup::database(data_dir)?, PEOPLE)?;
    let database = setup::database(data_dir)?;
    let first: i64 = database.query_row("SELECT max(id) FROM messages", [], |row| row.get(0))?;
    // Read messages have smaller ids than unread ones.
    database.execute(
        "INSERT INTO messages (id, realm_id, sender_id, conversation_id, channel_id, topic,
             topic_folded, content, rendered_content, date_sent, client)
         WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
         SELECT ?2 + n, 1, (SELECT id FROM users WHERE role = 100 LIMIT 1), 100001 + n % 1000,
             100001 + n % 1000, 'topic ' || (n % 10), 'topic ' || (n % 10),
             'what was said before, number ' || n, '<p>what was said before, number ' || n || '</p>',
             1690000000 + n, 'bench' FROM numbers",
        [(messages - UNREAD).clamp(1, 999_999 - first), first],
    )?;
    database.execute(
        "INSERT INTO user_messages (user_id, message_id, flags)
         SELECT sender_id, id, 1 FROM messages WHERE id < 1000000 ON CONFLICT DO NOTHING",
        [],
    )?;
    unread::fill(data_dir, UNREAD)?;
    database.execute_batch("PRAGMA optimize")?;
    Ok(())
}

/// The answer of a command of the operator.
fn admin(data_dir: &Path, words: &[&str]) -> Result<Value> {
    let output = Command::new(servers::root().join("target/release/spindle"))
        .arg("admin")
        .args(words)
        .args(["--output", "json", "--data-dir"])
        .arg(data_dir)
        .output()?;
    ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn sign_in(browser: &Browser, data_dir: &Path, spindle: &Spindle, site: &str) -> Result<()> {
    let words = [
        "user",
        "sign-in-link",
        "--email",
        &spindle.owner.email,
        "--site",
        site,
    ];
    let made = admin(data_dir, &words)?;
    browser.open(made["sign_in_link"].as_str().context("a link")?)?;
    browser.wait_for("document.querySelector('.frame') !== null")
}

fn start(plan: &Plan, browser: &Browser, table: &mut Table, site: &str) -> Result<()> {
    let source = json!({ "source": NOTE_READABLE });
    browser.devtools("Page.enable", &json!({}))?;
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", &source)?;
    let address = format!("{site}/{}", conversation(7).0);
    for (name, is_cold, goal) in [
        ("first message readable, cold cache", true, 1500.0),
        ("first message readable, warm cache", false, 700.0),
    ] {
        let mut times = Vec::new();
        for _ in 0..plan.rounds {
            // No tab: the worker of all tabs ends as well.
            browser.open("about:blank")?;
            if is_cold {
                let of = json!({ "origin": site, "storageTypes": "cache_storage,service_workers" });
                browser.devtools("Storage.clearDataForOrigin", &of)?;
                browser.devtools("Network.clearBrowserCache", &json!({}))?;
            }
            browser.open(&address)?;
            browser.wait_for("window.readable !== undefined")?;
            let time = browser.run("return window.readable", &[])?;
            times.push(time.as_f64().context("a time")?);
        }
        table.goal(name, median_of(times), "ms", false, goal);
    }
    Ok(())
}

/// What the page has asked for, and the snapshot, which the worker asks for.
async fn received(browser: &Browser, spindle: &Spindle, table: &mut Table) -> Result<()> {
    let sizes = "return performance.getEntries()
         .reduce((sum, one) => sum + (one.encodedBodySize ?? 0), 0)";
    let page = browser.run(sizes, &[])?.as_f64().context("bytes")?;
    let mut request = Prepared::new("POST", "/api/v1/register", spindle.owner.credentials(), &[]);
    let end = request.0.windows(2).position(|two| two == b"\r\n");
    let line = b"\r\naccept-encoding: gzip";
    let at = end.context("a line")?;
    request.0.splice(at..at, line.iter().copied());
    let mut connection = Connection::open(&spindle.process.address).await?;
    let snapshot = connection.send(&request).await?.body.len();
    let all = (page + snapshot as f64) / 1e6;
    let note = "received, compressed, until readable";
    table.goal(note, all, "MB", false, 3.0);
    Ok(())
}

fn switching(browser: &Browser, table: &mut Table) -> Result<()> {
    let targets: Vec<(String, String)> = (100..100 + CONVERSATIONS).map(conversation).collect();
    for (name, goal) in [
        ("another conversation, not in memory, p95", 250.0),
        ("another conversation, in memory, p95", 100.0),
    ] {
        let times = browser.run(SWITCH, &[json!(targets)])?;
        table.goal(name, p95(&times)?, "ms", false, goal);
    }
    Ok(())
}

fn arriving(browser: &Browser, table: &mut Table, sender: &Account) -> Result<()> {
    let (address, topic) = conversation(100);
    browser.run("location.hash = arguments[0]", &[json!(address)])?;
    browser.wait_for("document.querySelector('.messages .message') !== null")?;
    let arguments = [
        json!(format!("{}:{}", sender.email, sender.key)),
        json!("100101"),
        json!(topic),
        json!(ARRIVALS),
    ];
    let times = browser.run(ARRIVE, &arguments)?;
    table.goal(
        "a message on the screen after its answer, p95",
        p95(&times)?,
        "ms",
        false,
        50.0,
    );
    Ok(())
}

fn typing(browser: &Browser, table: &mut Table) -> Result<()> {
    browser.run(WATCH, &[])?;
    browser.run("document.querySelector('.compose textarea').focus()", &[])?;
    // As keys of a keyboard: the driver's own way inspects the whole page first, in a task of seconds.
    for key in "all that one types ".repeat(8).chars() {
        let key = key.to_string();
        let down = json!({ "type": "keyDown", "text": key, "key": key });
        browser.devtools("Input.dispatchKeyEvent", &down)?;
        browser.devtools(
            "Input.dispatchKeyEvent",
            &json!({ "type": "keyUp", "key": key }),
        )?;
    }
    browser.run(SCROLL, &[])?;
    let longest = browser.run("return Math.max(0, ...window.long)", &[])?;
    let longest = longest.as_f64().context("a time")?;
    table.goal(
        "longest task while typing and scrolling",
        longest,
        "ms",
        false,
        100.0,
    );
    Ok(())
}

/// Messages that arrive, and what the tab holds then.
async fn remembering(
    browser: &Browser,
    spindle: &Spindle,
    table: &mut Table,
    sender: &Account,
) -> Result<()> {
    let mut connection = Connection::open(&spindle.process.address).await?;
    for number in 0..EVENTS {
        let topic = conversation(100 + number as i64 % CONVERSATIONS);
        let channel = (100_101 + number as i64 % CONVERSATIONS).to_string();
        let form = [
            ("type", "channel"),
            ("to", channel.as_str()),
            ("topic", topic.1.as_str()),
            (
                "content",
                "one of many that come in a day, as people write them",
            ),
        ];
        let request = Prepared::new("POST", "/api/v1/messages", sender.credentials(), &form);
        let answer = connection.send(&request).await?;
        ensure!(answer.status == 200, "status {}", answer.status);
    }
    browser.wait_for("document.title.startsWith('(')")?;
    browser.devtools("HeapProfiler.enable", &json!({}))?;
    browser.devtools("HeapProfiler.collectGarbage", &json!({}))?;
    let usage = browser.devtools("Runtime.getHeapUsage", &json!({}))?;
    let used = usage["usedSize"].as_f64().context("bytes")? / 1e6;
    let name = format!("JavaScript heap of the tab after {EVENTS} messages");
    table.goal(&name, used, "MB", false, 150.0);
    Ok(())
}

fn p95(times: &Value) -> Result<f64> {
    let list = times.as_array().context("times")?;
    let mut all: Vec<f64> = list.iter().filter_map(Value::as_f64).collect();
    all.sort_by(f64::total_cmp);
    let at = (all.len() * 95).div_ceil(100).saturating_sub(1);
    all.get(at).copied().context("a time")
}
