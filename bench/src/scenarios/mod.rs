//! The scenarios, one file for each.

mod apps;
mod before;
mod changing;
mod cluster;
mod fanout;
mod groups;
mod linkifiers;
mod loops;
mod reading;
mod recovery;
mod secrecy;
mod sending;
mod startup;
mod subscriptions;
mod throughput;
mod unread;
mod users;
mod web;
mod writers;

use anyhow::Result;

use crate::Plan;
use crate::table::Table;

/// Runs all scenarios whose name contains `only`.
pub async fn run(plan: &Plan, only: Option<&str>) -> Result<()> {
    let wanted = |name: &str| only.is_none_or(|part| name.contains(part));
    let mut table = Table::default();
    if plan.wasmtime.is_none() {
        println!("wasmtime serve is not installed: its lines are left out");
    }
    if wanted("throughput") {
        throughput::run(plan, &mut table).await?;
    }
    if wanted("before") {
        before::run(plan, &mut table).await?;
    }
    if wanted("loops") {
        loops::run(plan, &mut table).await?;
    }
    if wanted("writers") {
        writers::run(plan, &mut table).await?;
    }
    if wanted("fanout") {
        fanout::run(plan, &mut table).await?;
    }
    if wanted("sending") {
        sending::run(plan, &mut table).await?;
    }
    if wanted("changing") {
        changing::run(plan, &mut table).await?;
    }
    if wanted("groups") {
        groups::run(plan, &mut table).await?;
    }
    if wanted("linkifiers") {
        linkifiers::run(plan, &mut table).await?;
    }
    if wanted("users") {
        users::run(plan, &mut table).await?;
    }
    if wanted("reading") {
        reading::run(plan, &mut table).await?;
    }
    if wanted("startup") {
        startup::run(plan, &mut table).await?;
    }
    if wanted("recovery") {
        recovery::run(plan, &mut table).await?;
    }
    if wanted("secrecy") {
        secrecy::run(plan, &mut table).await?;
    }
    if wanted("subscriptions") {
        subscriptions::run(plan, &mut table).await?;
    }
    if wanted("unread") {
        unread::run(plan, &mut table).await?;
    }
    if wanted("apps") {
        apps::run(plan, &mut table).await?;
    }
    if wanted("cluster") {
        cluster::run(plan, &mut table).await?;
    }
    if wanted("web") {
        web::run(plan, &mut table).await?;
    }
    Ok(())
}
