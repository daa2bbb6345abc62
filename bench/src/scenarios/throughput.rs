//! Requests per second and latency at 1, 8 and 32 keep-alive connections.
//!
//! The hello component against bare hyper and `wasmtime serve`; then an authenticated read,
//! a small write, a message, a call of a webhook and a registration, each as a ratio of the hello component.

use anyhow::{Context as _, Result};

use crate::Plan;
use crate::http::{Connection, Prepared};
use crate::load::{Figures, closed_loop, in_turns, median};
use crate::servers::{self, Account};
use crate::table::Table;

const HYPER: &str = "bare hyper";
const WASMTIME: &str = "wasmtime serve, hello component";
const WEBHOOK: &str = "POST /external/github";
const HELLO: &str = "spindle, hello component";

/// One line of the table: an address and a request.
struct Line {
    name: &'static str,
    address: String,
    request: Prepared,
}

pub async fn run(plan: &Plan, table: &mut Table) -> Result<()> {
    let floor = servers::floor()?;
    let wasmtime = plan
        .wasmtime
        .as_deref()
        .map(servers::wasmtime_serve)
        .transpose()?;
    let hello_dir = tempfile::tempdir()?;
    let hello = servers::spindle(
        hello_dir.path(),
        &servers::root().join("bench/hello.spin.toml"),
        &[],
    )?;
    let data_dir = tempfile::tempdir()?;
    let spindle = servers::spindle(data_dir.path(), &servers::root().join("spin.toml"), &[])?;
    let owner = &spindle.owner;
    let address = &spindle.process.address;

    let plain = Prepared::new("GET", "/hello", None, &[]);
    let mut lines = vec![Line {
        name: HYPER,
        address: floor.address.clone(),
        request: plain.clone(),
    }];
    if let Some(wasmtime) = &wasmtime {
        lines.push(Line {
            name: WASMTIME,
            address: wasmtime.address.clone(),
            request: plain.clone(),
        });
    }
    lines.push(Line {
        name: HELLO,
        address: hello.process.address.clone(),
        request: plain,
    });
    lines.push(Line {
        name: WEBHOOK,
        address: address.clone(),
        request: webhook(address, owner).await?,
    });
    lines.extend(operations(owner).into_iter().map(|(name, request)| Line {
        name,
        address: address.clone(),
        request,
    }));

    for connections in [1, 8, 32] {
        table.section(&format!("Throughput, {connections} keep-alive connections"));
        let figures = interleaved(plan, &lines, connections).await?;
        for (line, figures) in lines.iter().zip(&figures) {
            table.throughput(line.name, figures, "");
        }
        let line = |name: &str| lines.iter().find(|line| line.name == name);
        for (of, beside, short, goal) in [
            (HELLO, WASMTIME, "hello / wasmtime serve", Some(1.1)),
            ("GET /users/me", HELLO, "GET /users/me / hello", Some(0.35)),
            (
                WEBHOOK,
                "POST /messages",
                "a webhook call / POST /messages",
                Some(0.5),
            ),
            (HELLO, HYPER, "hello / bare hyper", None),
        ] {
            let (Some(of), Some(beside)) = (line(of), line(beside)) else {
                continue;
            };
            let ratio = in_turns(
                plan,
                connections,
                (&of.address, |_| of.request.clone()),
                (&beside.address, |_| beside.request.clone()),
            )
            .await?;
            match goal {
                Some(goal) => table.goal(short, ratio, "", true, goal),
                None => table.value(short, ratio, "", ""),
            }
        }
    }
    Ok(())
}

/// A push to a repository, as a new bot of the owner receives it.
async fn webhook(address: &str, owner: &Account) -> Result<Prepared> {
    let bot = [
        ("full_name", "GitHub"),
        ("short_name", "github"),
        ("bot_type", "2"),
        ("service_name", "github"),
    ];
    let request = Prepared::new("POST", "/api/v1/bots", owner.credentials(), &bot);
    let answer = Connection::open(address).await?.send(&request).await?;
    let answer = answer.json()?;
    let key = answer.get("api_key").and_then(serde_json::Value::as_str);
    let key = key.context("a bot with a key")?;
    let push = serde_json::json!({
        "ref": "refs/heads/main",
        "compare": "https://github.example/tea/pot/compare/a...b",
        "commits": [{
            "id": "0123456789abcdef",
            "message": "Warm the pot first\n\nTea is better then.",
            "url": "https://github.example/tea/pot/commit/0123456",
            "author": {"name": "Ann Smith", "username": "ann"},
        }],
        "repository": {"name": "pot", "full_name": "tea/pot", "html_url": "https://github.example/tea/pot"},
        "pusher": {"name": "ann"},
        "sender": {"login": "ann"},
    });
    let path = format!("/api/v1/external/github?api_key={key}&stream=general");
    Ok(Prepared::new(
        "POST",
        &path,
        None,
        &[("payload", &push.to_string())],
    ))
}

fn operations(owner: &Account) -> Vec<(&'static str, Prepared)> {
    let with = |method, path, form: &[(&str, &str)]| {
        Prepared::new(method, path, owner.credentials(), form)
    };
    vec![
        ("GET /users/me", with("GET", "/api/v1/users/me", &[])),
        (
            "POST /users/me/status",
            with(
                "POST",
                "/api/v1/users/me/status",
                &[("status_text", "measuring")],
            ),
        ),
        (
            "POST /messages",
            with(
                "POST",
                "/api/v1/messages",
                &[
                    ("type", "stream"),
                    ("to", "general"),
                    ("topic", "benchmark"),
                    (
                        "content",
                        "a message of **some** length with `code` and :tada:",
                    ),
                    ("read_by_sender", "true"),
                ],
            ),
        ),
        ("POST /register", with("POST", "/api/v1/register", &[])),
    ]
}

/// Measures every line once per round, so that a drift of the machine affects all of them.
async fn interleaved(plan: &Plan, lines: &[Line], connections: usize) -> Result<Vec<Figures>> {
    let mut rounds = vec![Vec::new(); lines.len()];
    for _ in 0..plan.rounds {
        for (line, figures) in lines.iter().zip(&mut rounds) {
            let request = line.request.clone();
            figures.push(
                closed_loop(&line.address, connections, plan.duration, |_| {
                    request.clone()
                })
                .await?,
            );
        }
    }
    Ok(rounds.into_iter().map(median).collect())
}
