//! Sends the mails of the outbox: an action claims each that is due, this module sends it, and another action records the
//! outcome. Runs only if mail is configured.
//!
//! Mails go over a few connections at once, in the background, so that a slow server or a slow mail holds up neither this
//! job nor another one. A mail whose outcome was not recorded, because the server ended in between, is sent again with the
//! same Message-ID: each is sent at least once.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use spindle_actions::invitations::InvitationLinks;
use spindle_actions::mail::{
    ClaimedMail, FinishedMail, MailOutcome, claim_mail, collect_digests, collect_missed,
    finish_mail,
};
use spindle_domain::RealmId;
use spindle_mail::{Failure, LONGEST, Lane, Letter, Mailer};
use spindle_store::Connection;
use tokio::task::JoinSet;

use super::{Job, JobFailed, JobStore};
use spindle_system::log_pace::LogPace;

/// Connections to the mail server.
const LANES: usize = 4;
/// Parts of the event log that one run searches at most.
const MOST_ROUNDS: usize = 20;
/// For how long a claimed mail is left alone: longer than any mail takes.
const CLAIM: Duration = Duration::from_secs(LONGEST.as_secs() + 60);

const REALM: RealmId = RealmId::ONLY;

/// Of lines about mails that were not taken.
static PACE: LogPace = LogPace::new();

/// What the links in mails begin with, and what they are signed with.
#[derive(Clone)]
pub struct MailLinks {
    /// The address under which clients reach the server, without a slash at its end.
    pub site: Arc<str>,
    /// The secret of the server, which is not in its database.
    pub secret: Arc<[u8]>,
}

/// Sends mails that are due.
pub struct SendMails {
    shared: Arc<Shared>,
    lanes: Mutex<JoinSet<()>>,
}

struct Shared {
    mailer: Mailer,
    links: MailLinks,
    /// Why the outbox could not be read or written; for the next run.
    failed: Mutex<Option<JobFailed>>,
}

impl SendMails {
    #[must_use]
    pub fn new(mailer: Mailer, links: MailLinks) -> Self {
        Self {
            shared: Arc::new(Shared {
                mailer,
                links,
                failed: Mutex::default(),
            }),
            lanes: Mutex::default(),
        }
    }
}

#[async_trait::async_trait]
impl Job for SendMails {
    fn name(&self) -> &'static str {
        "send-mails"
    }

    fn every(&self) -> Duration {
        Duration::from_secs(1)
    }

    /// Writes mails about missed messages and digests, and begins one more lane, unless all are in use. It ends when nothing is due.
    async fn run(&self, store: &JobStore) -> Result<(), JobFailed> {
        for _ in 0..MOST_ROUNDS {
            let collect = |db: &dyn Connection, now: i64| {
                Ok(collect_missed(db, REALM, now)? && collect_digests(db, REALM, now)?)
            };
            if store.run(collect).await? {
                break;
            }
        }
        if let Some(error) = self.shared.failed().take() {
            return Err(error);
        }
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        // Ended ones are removed.
        while lanes.try_join_next().is_some() {}
        if lanes.len() < LANES {
            let (shared, store) = (Arc::clone(&self.shared), store.clone());
            lanes.spawn(async move { shared.send_all(&store).await });
        }
        Ok(())
    }
}

impl Shared {
    /// Sends mails over one connection until none is due or the server cannot be used.
    async fn send_all(&self, store: &JobStore) {
        let mut lane = self.mailer.lane();
        loop {
            match self.send_next(store, &mut lane).await {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    *self.failed() = Some(error);
                    break;
                }
            }
        }
        lane.close().await;
    }

    /// Sends one mail; returns whether another one may be tried.
    async fn send_next(&self, store: &JobStore, lane: &mut Lane) -> Result<bool, JobFailed> {
        let links = self.links.clone();
        let seconds = i64::try_from(CLAIM.as_secs()).unwrap_or(i64::MAX);
        let claim = move |db: &dyn Connection, now: i64| {
            let links = InvitationLinks {
                site: &links.site,
                secret: &links.secret,
            };
            claim_mail(db, REALM, now, seconds, links)
        };
        let Some(mail) = store.run(claim).await? else {
            return Ok(false);
        };
        let (id, attempt, kind) = (mail.id, mail.attempt, mail.kind.name());
        let result = lane.send(&letter(mail)).await;
        let is_usable = !matches!(result, Err(Failure::Unusable(_)));
        let (outcome, counted) = match &result {
            Ok(_) => (MailOutcome::Sent, "sent"),
            Err(Failure::Refused(_)) => (MailOutcome::Refused, "refused"),
            Err(Failure::Later(_) | Failure::Unusable(_)) => (MailOutcome::Later, "failed"),
        };
        metrics::counter!("spindle_mails_total", "outcome" => counted).increment(1);
        let answer = match result {
            Ok(answer) => answer,
            Err(failure) => {
                if let Some(left_out) = PACE.next() {
                    let mail_id = id.get();
                    tracing::warn!(mail_id, kind, attempt, left_out, reason = %failure, "a mail was not taken");
                }
                failure.to_string()
            }
        };
        let finished = FinishedMail {
            id,
            attempt,
            outcome,
            answer,
        };
        store
            .run(move |db, now| finish_mail(db, now, &finished))
            .await?;
        Ok(is_usable)
    }

    fn failed(&self) -> std::sync::MutexGuard<'_, Option<JobFailed>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn letter(mail: ClaimedMail) -> Letter {
    Letter {
        kind: mail.kind.name().to_owned(),
        to: mail.to,
        to_name: mail.to_name,
        id: mail.message_id,
        thread: mail.thread,
        unsubscription: mail.unsubscription,
        values: mail.values,
    }
}
