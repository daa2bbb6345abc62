//! Requests per second and latency at 1, 8 and 32 keep-alive connections.
//!
//! The hello component against bare hyper and `wasmtime serve`; then an authenticated read,
//! a small write, a message and a registration, each as a ratio of the hello component.

use anyhow::Result;

use crate::Plan;
use crate::http::Prepared;
use crate::load::{Figures, closed_loop, in_turns, median};
use crate::servers::{self, Account};
use crate::table::Table;

const HYPER: &str = "bare hyper";
const WASMTIME: &str = "wasmtime serve, hello component";
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
