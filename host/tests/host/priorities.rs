//! Slow reads use the processor time of threads of low priority, and all other threads keep theirs.
#![cfg(target_os = "linux")]

use crate::common::{request, start};
use std::fs;

/// A statement that is stopped after two seconds of processor time, or on a busy machine before it has used as much.
const ENDLESS: &str =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
/// What the kernel counts processor time in, for a second.
const TICKS: u64 = 100;

/// A thread of this process, as the kernel reports it.
struct Thread {
    id: u64,
    name: String,
    nice: i64,
    ticks: u64,
}

fn threads() -> Vec<Thread> {
    let read = |stat: String| {
        let (name, fields) = stat.rsplit_once(") ").unwrap();
        let (id, name) = name.split_once(" (").unwrap();
        let fields: Vec<i64> = fields
            .split_whitespace()
            .map(|field| field.parse().unwrap_or_default())
            .collect();
        Thread {
            id: id.parse().unwrap(),
            name: name.to_owned(),
            // The fields of proc_pid_stat(5), of which two precede these.
            nice: fields[19 - 3],
            ticks: u64::try_from(fields[14 - 3] + fields[15 - 3]).unwrap(),
        }
    };
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let stats = tasks.map(|task| fs::read_to_string(task.unwrap().path().join("stat")));
    // Some may have ended in between.
    stats.filter_map(Result::ok).map(read).collect()
}

/// Processor time that threads `name` have used since `before`, in ticks.
fn used_since(before: &[Thread], name: &str) -> u64 {
    let all = threads();
    let used = all.iter().filter(|thread| thread.name == name).map(|now| {
        let then = before.iter().find(|then| then.id == now.id);
        now.ticks.saturating_sub(then.map_or(0, |then| then.ticks))
    });
    used.sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_reads_have_threads_of_low_priority_and_nothing_else_has() {
    let own = threads()[0].nice;
    let server = start().await;
    let before = threads();
    let answer = server.sql(ENDLESS).await;
    assert!(answer.body.contains("interrupt"), "{answer:?}");
    let read = used_since(&before, "spindle-long");
    assert!(read >= TICKS / 10, "{read}");

    // An exclusive instance has answered, too.
    let head = "POST /misbehave/alone?ms=20 HTTP/1.1\r\nhost: h\r\nconnection: close\r\ncontent-length: 1\r\n\r\nx";
    assert_eq!(request(server.address, head).await.status, 200);
    let all = threads();
    for thread in all {
        let lower_by = match thread.name.as_str() {
            "spindle-long" => 10,
            _ => 0,
        };
        let expected = (own + lower_by).min(19);
        assert_eq!(thread.nice, expected, "{}", thread.name);
    }
}
