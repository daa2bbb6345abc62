//! The jobs that are one action each: name, interval, action.
//!
//! To add one, write the action in `spindle_actions` and a row here. Jobs that also need the
//! event-queue service, blobs or the network have a file of their own.

use std::time::{Duration, Instant};

use spindle_actions::ActionError;
use spindle_actions::account::end_expired_keys;
use spindle_actions::audit::chain_audit_log;
use spindle_actions::channels::measure_channels;
use spindle_actions::files::clean_files;
use spindle_actions::invitations::clean_invitations;
use spindle_actions::mail::clean_mails;
use spindle_actions::messages::{
    erase_next, expire_messages, move_next, read_next, report_skipped_linkifiers,
};
use spindle_actions::organization::mend_messages;
use spindle_actions::permissions::promote_full_members;
use spindle_actions::scheduled::{deliver_reminders, deliver_scheduled_messages};
use spindle_actions::users::{clear_ended_statuses, end_unproven_keys};
use spindle_domain::RealmId;
use spindle_store::Connection;

use super::{Job, JobFailed, JobStore};

/// Shortest pause between two parts of the same work: under Spin, other writers retry the database at intervals instead
/// of queueing for it.
const PAUSE: Duration = Duration::from_millis(20);

/// How long the rest of a change of many messages may wait for a job to begin.
const FINISH: Duration = Duration::from_secs(2);

const REALM: RealmId = RealmId::ONLY;

/// How far the work of a job has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// Nothing is left to do now.
    Complete,
    /// One part is done, and another one may be left.
    Partial,
}

impl Progress {
    const fn of(is_complete: bool) -> Self {
        if is_complete {
            Self::Complete
        } else {
            Self::Partial
        }
    }
}

/// A job that calls one action, given the time (UNIX seconds).
#[derive(Debug, Clone, Copy)]
pub struct ActionJob {
    name: &'static str,
    every: Duration,
    act: fn(&dyn Connection, i64) -> Result<Progress, ActionError>,
}

/// All of them.
pub const ACTION_JOBS: &[ActionJob] = &[
    // A message is at most so late.
    ActionJob {
        name: "deliver-scheduled-messages",
        every: Duration::from_secs(5),
        act: |db, now| {
            let are_messages_sent = deliver_scheduled_messages(db, now)?;
            let are_reminders_sent = deliver_reminders(db, now)?;
            Ok(Progress::of(are_messages_sent && are_reminders_sent))
        },
    },
    // A status is at most so late.
    ActionJob {
        name: "clear-ended-statuses",
        every: Duration::from_secs(5),
        act: |db, now| Ok(Progress::of(clear_ended_statuses(db, REALM, now)?)),
    },
    // An expired key opens nothing; a poll that waits with one waits at most so long.
    ActionJob {
        name: "end-expired-keys",
        every: Duration::from_secs(10),
        act: |db, now| Ok(Progress::of(end_expired_keys(db, REALM, now)?)),
    },
    // A few messages a call.
    ActionJob {
        name: "expire-messages",
        every: Duration::from_secs(60),
        act: |db, now| Ok(Progress::of(expire_messages(db, REALM, now)?.is_complete)),
    },
    // The rest of changes of many messages that were acknowledged when their first parts were made. Each kind of
    // change is a job, so that none waits for the parts of another.
    ActionJob {
        name: "finish-moves",
        every: FINISH,
        act: |db, now| Ok(Progress::of(!move_next(db, REALM, now)?)),
    },
    ActionJob {
        name: "finish-erasures",
        every: FINISH,
        act: |db, now| Ok(Progress::of(!erase_next(db, REALM, now)?)),
    },
    ActionJob {
        name: "finish-reads",
        every: FINISH,
        act: |db, now| Ok(Progress::of(!read_next(db, REALM, now)?)),
    },
    // Each channel is due once a day.
    ActionJob {
        name: "measure-channels",
        every: Duration::from_secs(60),
        act: |db, now| {
            measure_channels(db, REALM, now)?;
            Ok(Progress::Complete)
        },
    },
    // Waiting periods count days.
    ActionJob {
        name: "promote-full-members",
        every: Duration::from_secs(3600),
        act: |db, now| {
            promote_full_members(db, REALM, now)?;
            Ok(Progress::Complete)
        },
    },
    // Only a list that is older than the limit can exceed it.
    ActionJob {
        name: "report-skipped-linkifiers",
        every: Duration::from_secs(3600),
        act: |db, now| {
            report_skipped_linkifiers(db, REALM, now)?;
            Ok(Progress::Complete)
        },
    },
    // Messages that an older version has stored; nothing to do once all have been checked.
    ActionJob {
        name: "mend-messages",
        every: Duration::from_secs(60),
        act: |db, now| Ok(Progress::of(!mend_messages(db, REALM, now)?)),
    },
    // Entries are not protected by the chain until then.
    ActionJob {
        name: "chain-audit-log",
        every: Duration::from_secs(60),
        act: |db, now| Ok(Progress::of(chain_audit_log(db, REALM, now)?)),
    },
    // A key that was made without a second factor is at most so late to end; requests with it are refused before.
    ActionJob {
        name: "end-unproven-keys",
        every: Duration::from_secs(5),
        act: |db, now| Ok(Progress::of(end_unproven_keys(db, REALM, now)?)),
    },
    // Files count weeks.
    ActionJob {
        name: "clean-files",
        every: Duration::from_secs(600),
        act: |db, now| {
            clean_files(db, REALM, now)?;
            Ok(Progress::Complete)
        },
    },
    // Sent ones are kept for a week.
    ActionJob {
        name: "clean-mails",
        every: Duration::from_secs(3600),
        act: |db, now| {
            clean_mails(db, now)?;
            Ok(Progress::Complete)
        },
    },
    // Those that ended long ago.
    ActionJob {
        name: "clean-invitations",
        every: Duration::from_secs(3600),
        act: |db, now| {
            clean_invitations(db, now)?;
            Ok(Progress::Complete)
        },
    },
];

#[async_trait::async_trait]
impl Job for ActionJob {
    fn name(&self) -> &'static str {
        self.name
    }

    fn every(&self) -> Duration {
        self.every
    }

    fn is_for_one_node(&self) -> bool {
        true
    }

    /// Calls the action until nothing is left. Between two parts it pauses as long as the last one
    /// took, so that others have the writer half of the time at least.
    async fn run(&self, store: &JobStore) -> Result<(), JobFailed> {
        loop {
            let started = Instant::now();
            if store.run(self.act).await? == Progress::Complete {
                return Ok(());
            }
            tokio::time::sleep(started.elapsed().max(PAUSE)).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Organization;
    use spindle_system::clock::Clock;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[tokio::test]
    async fn every_job_finds_nothing_to_do_in_a_new_organization() {
        let organization = Organization::create();
        let store = JobStore::file(organization.database(), Clock::new());
        for job in ACTION_JOBS {
            let ran = job.run(&store).await;
            assert!(ran.is_ok(), "{}: {ran:?}", job.name);
        }
    }

    #[tokio::test]
    async fn it_goes_on_until_nothing_is_left_and_pauses_in_between() {
        static PARTS: AtomicU64 = AtomicU64::new(0);
        let organization = Organization::create();
        let store = JobStore::file(organization.database(), Clock::new());
        let job = ActionJob {
            name: "parts",
            every: Duration::from_secs(60),
            act: |_, _| Ok(Progress::of(PARTS.fetch_add(1, Ordering::SeqCst) == 3)),
        };
        let started = Instant::now();
        job.run(&store).await.unwrap();
        assert_eq!(PARTS.load(Ordering::SeqCst), 4);
        assert!(started.elapsed() >= 3 * PAUSE);
    }
}
