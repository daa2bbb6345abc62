//! What the members of Patroni report about each other.

use std::time::Duration;

use serde_json::Value;
use spindle_tests::{Call, Client};

use crate::machines::MACHINES;

/// The members, as Patroni reports them on the machine with this address; none when it does not answer.
pub(crate) fn members(address: &str) -> Vec<Value> {
    let patroni = Client::new(&format!("http://{address}:8008"), None);
    let call = Call::new("GET", "/cluster").at_root();
    let reply = patroni.try_send(&call.timeout(Duration::from_secs(2)));
    let members = reply.ok().map(|reply| reply.body["members"].clone());
    members
        .as_ref()
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default()
}

/// The machine of the only member that has this role.
pub(crate) fn only(members: &[Value], role: &str) -> Option<usize> {
    let mut with_role = members.iter().filter(|member| member["role"] == role);
    let (member, None) = (with_role.next()?, with_role.next()) else {
        return None;
    };
    member["name"].as_str()?.strip_prefix('m')?.parse().ok()
}

/// The roles of servers that all run, on one timeline.
#[derive(PartialEq, Eq)]
pub(crate) struct Roles {
    pub(crate) leader: usize,
    sync_standby: usize,
    timeline: i64,
}

impl Roles {
    /// `None` as long as a server is missing or on another timeline, or no standby has all that is acknowledged.
    pub(crate) fn of(members: &[Value]) -> Option<Self> {
        let timeline = members.first()?["timeline"].as_i64()?;
        let runs = |member: &Value| {
            let state = member["state"].as_str();
            matches!(state, Some("running" | "streaming")) && member["timeline"] == timeline
        };
        let all = members.len() == MACHINES.len() && members.iter().all(runs);
        all.then_some(Self {
            leader: only(members, "leader")?,
            sync_standby: only(members, "sync_standby")?,
            timeline,
        })
    }
}
