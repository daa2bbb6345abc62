//! Apps: how long people wait for an answer, and what installed apps cost when the server starts.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use hdrhistogram::Histogram;
use serde_json::{Value, json};

use crate::Plan;
use crate::held::Held as _;
use crate::http::{Connection, Prepared};
use crate::load::{median_of, new_histogram};
use crate::servers::{self, Account, Spindle};
use crate::setup;
use crate::table::Table;
use crate::waiter::Waiter;

/// Questions to each app in a round.
const QUESTIONS: usize = 100;
/// With the warm-up, this stays below the 200 messages that an app may send in a minute.
const MOST_ROUNDS: usize = 1;
/// Questions before anything is measured. The first one waits until the component is compiled.
const WARM_UP: usize = 20;
/// From sending a poll until the server holds it.
const SETTLING: Duration = Duration::from_millis(20);
/// For one answer.
const PATIENCE: Duration = Duration::from_secs(120);

/// As many as an organization can have.
const INSTALLED: usize = 200;
/// Starts with and without apps in a round.
const STARTS: usize = 4;

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    answers(plan, table).await?;
    starts(plan, table).await
}

async fn answers(plan: &Plan, table: &mut Table) -> Result<()> {
    table.section("Apps: POST /messages until an event is at the sender's poll");
    let data_dir = tempfile::tempdir()?;
    let spindle = servers::spindle(data_dir.path(), &servers::root().join("spin.toml"), &[])?;
    let mut questions = [
        ("mention", "@**Tester** hi", "test_app"),
        ("command", "/vote Lunch?\nPizza\nSoup", "app_poll"),
    ]
    .map(|(name, content, component)| Question {
        name,
        content,
        component,
        bot_id: 0,
        own: new_histogram(),
        answer: new_histogram(),
    });
    let mut connection = Connection::open(&spindle.process.address).await?;
    for question in &mut questions {
        let component = component(question.component)?;
        question.bot_id = install(&mut connection, &spindle.owner, &component).await?;
        subscribe(&mut connection, &spindle.owner, question.bot_id).await?;
    }
    let mut asker = Asker::new(&spindle).await?;
    for question in &mut questions {
        for _ in 0..WARM_UP {
            asker.ask(question).await?;
        }
        question.own.reset();
        question.answer.reset();
    }
    for _ in 0..plan.rounds.min(MOST_ROUNDS) {
        for question in &mut questions {
            for _ in 0..QUESTIONS {
                asker.ask(question).await?;
            }
        }
    }
    for question in &questions {
        question.report(table);
    }
    Ok(())
}

/// What one app is asked, and the microseconds that it took.
struct Question {
    name: &'static str,
    content: &'static str,
    component: &'static str,
    bot_id: i64,
    /// Until the sender's own message arrives.
    own: Histogram<u64>,
    /// Until the answer arrives.
    answer: Histogram<u64>,
}

impl Question {
    fn report(&self, table: &mut Table) {
        let name = self.name;
        let milliseconds =
            |times: &Histogram<u64>, quantile| times.value_at_quantile(quantile) as f64 / 1000.0;
        let own = milliseconds(&self.own, 0.5);
        let answer = milliseconds(&self.answer, 0.5);
        let line = |text: &str| format!("{name}: {text}");
        table.value(&line("own message, p50"), own, "ms", "");
        let own_p99 = milliseconds(&self.own, 0.99);
        table.value(&line("own message, p99"), own_p99, "ms", "");
        table.goal(&line("answer, p50"), answer, "ms", false, 20.0);
        let answer_p99 = milliseconds(&self.answer, 0.99);
        table.value(&line("answer, p99"), answer_p99, "ms", "");
        table.value(&line("answer / own message, p50"), answer / own, "", "");
    }
}

/// A person who asks apps, with an event queue.
struct Asker {
    account: Account,
    user_id: i64,
    connection: Connection,
    waiter: Waiter,
}

impl Asker {
    async fn new(spindle: &Spindle) -> Result<Self> {
        let (address, account) = (&spindle.process.address, &spindle.owner);
        let mut connection = Connection::open(address).await?;
        let me = Prepared::new("GET", "/api/v1/users/me", account.credentials(), &[]);
        let me = connection.send(&me).await?.json()?;
        Ok(Self {
            user_id: me["user_id"].as_i64().context("no user_id")?,
            waiter: Waiter::registered_for(r#"["message"]"#, address, account).await?,
            account: account.clone(),
            connection,
        })
    }

    /// Sends a question while the poll is held, and waits for the answer.
    async fn ask(&mut self, question: &mut Question) -> Result<()> {
        let form = [
            ("type", "channel"),
            ("to", "general"),
            ("topic", question.name),
            ("content", question.content),
        ];
        let credentials = self.account.credentials();
        let request = Prepared::new("POST", "/api/v1/messages", credentials, &form);
        self.waiter.start().await?;
        tokio::time::sleep(SETTLING).await;
        let started = Instant::now();
        self.connection.start(&request).await?;
        let answered = tokio::time::timeout(PATIENCE, self.answered(started, question));
        let answered = answered.await;
        self.connection.finish().await?.json()?;
        answered.with_context(|| format!("{} does not answer", question.component))?
    }

    /// Polls until the answer arrives.
    async fn answered(&mut self, started: Instant, question: &mut Question) -> Result<()> {
        loop {
            let events = self.waiter.events().await?;
            let elapsed = started.elapsed().as_micros() as u64;
            let senders = events
                .iter()
                .map(|event| event["message"]["sender_id"].as_i64());
            let mut is_answered = false;
            for sender in senders.flatten() {
                if sender == self.user_id {
                    question.own.saturating_record(elapsed);
                } else if sender == question.bot_id {
                    question.answer.saturating_record(elapsed);
                    is_answered = true;
                }
            }
            if is_answered {
                return Ok(());
            }
            self.waiter.start().await?;
        }
    }
}

async fn starts(plan: &Plan, table: &mut Table) -> Result<()> {
    table.section("Apps: process start until an HTTP answer");
    let manifest = servers::root().join("spin.toml");
    let (none, many) = (tempfile::tempdir()?, tempfile::tempdir()?);
    // The first start of each server creates its organization, so it is not measured.
    drop(servers::spindle(none.path(), &manifest, &[])?);
    let spindle = servers::spindle(many.path(), &manifest, &[])?;
    install_copies(&spindle).await?;
    drop(spindle);
    let start = |data_dir: &Path| {
        end_log(data_dir)?;
        let spindle = servers::spindle(data_dir, &manifest, &[])?;
        anyhow::Ok(spindle.started_in.as_secs_f64() * 1000.0)
    };
    let (mut without, mut with, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..plan.rounds * STARTS {
        // The first of two may find other caches than the second.
        let (few, all) = if round % 2 == 0 {
            let few = start(none.path())?;
            (few, start(many.path())?)
        } else {
            let all = start(many.path())?;
            (start(none.path())?, all)
        };
        without.push(few);
        with.push(all);
        ratios.push(all / few);
    }
    table.value("without apps", median_of(without), "ms", "");
    let name = format!("with {INSTALLED} apps");
    table.value(&name, median_of(with), "ms", "");
    let name = format!("with {INSTALLED} apps / without");
    table.goal(&name, median_of(ratios), "", false, 1.2);
    Ok(())
}

/// Ends the log of the database. The server was killed, so the next start would read that log again, and installing apps
/// leaves a longer one.
fn end_log(data_dir: &Path) -> Result<()> {
    let database = setup::database(data_dir)?;
    database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

/// Installs as many apps as an organization can have.
async fn install_copies(spindle: &Spindle) -> Result<()> {
    let component = component("test_app")?;
    let mut connection = Connection::open(&spindle.process.address).await?;
    for number in 0..INSTALLED {
        let copy = renamed(&component, number)?;
        install(&mut connection, &spindle.owner, &copy).await?;
    }
    let credentials = spindle.owner.credentials();
    let list = Prepared::new("GET", "/api/v1/apps", credentials, &[]);
    let listed = connection.send(&list).await?.json()?;
    let count = listed["apps"].as_array().map(Vec::len);
    ensure!(count == Some(INSTALLED), "{count:?} apps are installed");
    Ok(())
}

/// The test's app with other names. They are as long as its own, since a component contains lengths.
fn renamed(component: &[u8], number: usize) -> Result<Vec<u8>> {
    let mut copy = component.to_vec();
    for (key, from, to) in [
        ("name", "tester", format!("app{number:03}")),
        ("title", "Tester", format!("App{number:03}")),
        ("name", "test", format!("c{number:03}")),
    ] {
        let [from, to] = [from, &to].map(|value| format!("\"{key}\": \"{value}\"").into_bytes());
        ensure!(from.len() == to.len(), "{number} has too many digits");
        // The app also has its manifest as data.
        let places = component.windows(from.len()).enumerate();
        let places = places.filter(|(_, bytes)| *bytes == from);
        let places: Vec<_> = places.map(|(place, _)| place).collect();
        ensure!(!places.is_empty(), "the manifest has no {key} to replace");
        for place in places {
            copy[place..place + to.len()].copy_from_slice(&to);
        }
    }
    Ok(copy)
}

/// A component of the build.
fn component(name: &str) -> Result<Vec<u8>> {
    let path = servers::root().join(format!("target/wasm32-wasip2/component/{name}.wasm"));
    std::fs::read(&path).with_context(|| format!("{}", path.display()))
}

/// Installs an app and grants all rights that it asks for; returns the id of its account.
async fn install(connection: &mut Connection, owner: &Account, component: &[u8]) -> Result<i64> {
    let upload = Prepared::upload("/api/v1/apps", owner.credentials(), component);
    let answer = connection.send(&upload).await?.json()?;
    let (app, manifest) = (&answer["app"], &answer["app"]["manifest"]);
    let commands = manifest["commands"].as_array().context("no commands")?;
    let commands: Vec<&Value> = commands.iter().map(|command| &command["name"]).collect();
    let rights = json!({
        "events": manifest["events"],
        "commands": commands,
        "hosts": manifest["hosts"],
        "channels": null,
    })
    .to_string();
    let path = format!("/api/v1/apps/{}", app["app_id"]);
    let form = [("rights", rights.as_str())];
    let grant = Prepared::new("PATCH", &path, owner.credentials(), &form);
    let granted = connection.send(&grant).await?.json()?;
    ensure!(granted["app"]["state"] == "active", "{granted}");
    app["bot_user_id"].as_i64().context("no bot_user_id")
}

/// Adds the account of an app to the channel in which it is asked.
async fn subscribe(connection: &mut Connection, owner: &Account, bot_id: i64) -> Result<()> {
    let principals = json!([bot_id]).to_string();
    let form = [
        ("subscriptions", r#"[{"name": "general"}]"#),
        ("principals", &principals),
    ];
    let path = "/api/v1/users/me/subscriptions";
    let request = Prepared::new("POST", path, owner.credentials(), &form);
    connection.send(&request).await?.json()?;
    Ok(())
}
