//! Tasks of the host for a component, which has checked the request before.
//!
//! The native host reads a task from the headers of the component's answer; under Spin, the component asks the
//! event-queue service with the same form as the query of its call. The host's answer also reports the parameters that
//! the component does not support, so their names come along. Nothing here performs a task.

use super::Account;
use super::headers::{HAND_OFF, INSTRUCTION};
use form_urlencoded::Serializer;
use http::{HeaderMap, HeaderValue};

const QUEUE_ID: &str = "queue_id";
const USER_ID: &str = "user_id";
const LAST_EVENT_ID: &str = "last_event_id";
const DONT_BLOCK: &str = "dont_block";
const CREDENTIAL: &str = "credential";
const KEY: &str = "key";
const IGNORED: &str = "ignored_parameters";
const PROVIDER: &str = "provider";
const REDIRECT_URI: &str = "redirect_uri";
const STATE: &str = "state";
const NONCE: &str = "nonce";
const CHALLENGE: &str = "challenge";
const CODE: &str = "code";
const VERIFIER: &str = "verifier";
const ISSUER: &str = "iss";
const FLOW: &str = "flow";
const CLIENT: &str = "client";
const ADDRESS: &str = "address";

/// A poll that the event-queue service answers, perhaps much later
/// (docs/protocol/events.md#get_events).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poll {
    /// The queue, not checked yet: the service knows which queues exist.
    pub queue_id: String,
    /// The account that must own it.
    pub account: Account,
    /// The last event that the client has received; -1 for none.
    pub last_event_id: i64,
    /// Answer immediately, even without events.
    pub dont_block: bool,
    /// The hash of the request's key or session in hexadecimal; if empty, the poll does not end with it.
    pub credential: String,
}

impl Poll {
    /// The hash as bytes; `None` when there is no hash.
    #[must_use]
    pub fn credential_hash(&self) -> Option<Vec<u8>> {
        let digits = self.credential.as_bytes();
        let bytes = digits.chunks(2).map(|pair| {
            let pair = std::str::from_utf8(pair).ok()?;
            u8::from_str_radix(pair, 16).ok()
        });
        bytes
            .collect::<Option<Vec<u8>>>()
            .filter(|bytes| !bytes.is_empty())
    }
}

/// A queue that no longer exists; a poll that waits on it is released.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueDeleted {
    /// The queue that was deleted.
    pub queue_id: String,
    /// Its former owner.
    pub user_id: i64,
}

/// A task that a component hands over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Answer a poll.
    Poll(Poll),
    /// Release the polls of a deleted queue; the component's answer stays.
    QueueDeleted(QueueDeleted),
    /// Send the blob of this key.
    Blob(String),
    /// Show figures.
    Figures,
    /// Send the browser to an identity provider.
    IdentityBegin {
        /// The id of the provider, not checked yet.
        provider: String,
        /// Where the provider sends the browser back to.
        redirect_uri: String,
        /// Comes back with the browser.
        state: String,
        /// Comes back within the provider's token.
        nonce: String,
        /// The SHA-256 of the verifier, in base64url (RFC 7636).
        challenge: String,
    },
    /// Exchange the code that a browser has brought from an identity provider, and send it on to the page.
    IdentityComplete {
        /// The provider that the browser was sent to.
        provider: String,
        /// As it was when the sign-in began.
        redirect_uri: String,
        /// What the provider gave to the browser.
        code: String,
        /// As it was when the sign-in began.
        nonce: String,
        /// Of which the challenge was the hash.
        verifier: String,
        /// The parameter of that name in the callback (RFC 9207).
        iss: Option<String>,
        /// What follows the token in the fragment of the page's address.
        flow: String,
        /// The browser, for the audit log.
        client: String,
        /// The address of the browser, for the audit log; empty where it is not known.
        address: String,
    },
    /// Send the browser to an identity provider to sign out there.
    IdentitySignOut {
        /// The provider that the session came from.
        provider: String,
        /// Where the provider sends the browser back to.
        redirect_uri: String,
    },
    /// Send the icon of an identity provider.
    IdentityIcon {
        /// The id of the provider, not checked yet.
        provider: String,
    },
}

impl Task {
    /// [`Self::Poll`].
    pub const POLL: &'static str = "events";
    /// [`Self::QueueDeleted`].
    pub const QUEUE_DELETED: &'static str = "events-deleted";
    /// [`Self::Blob`].
    pub const BLOB: &'static str = "blob";
    /// [`Self::Figures`].
    pub const FIGURES: &'static str = "figures";
    /// [`Self::IdentityBegin`].
    pub const IDENTITY_BEGIN: &'static str = "identity-begin";
    /// [`Self::IdentityComplete`].
    pub const IDENTITY_COMPLETE: &'static str = "identity-complete";
    /// [`Self::IdentitySignOut`].
    pub const IDENTITY_SIGN_OUT: &'static str = "identity-sign-out";
    /// [`Self::IdentityIcon`].
    pub const IDENTITY_ICON: &'static str = "identity-icon";

    /// The service of the host that performs it.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Poll(_) => Self::POLL,
            Self::QueueDeleted(_) => Self::QUEUE_DELETED,
            Self::Blob(_) => Self::BLOB,
            Self::Figures => Self::FIGURES,
            Self::IdentityBegin { .. } => Self::IDENTITY_BEGIN,
            Self::IdentityComplete { .. } => Self::IDENTITY_COMPLETE,
            Self::IdentitySignOut { .. } => Self::IDENTITY_SIGN_OUT,
            Self::IdentityIcon { .. } => Self::IDENTITY_ICON,
        }
    }

    /// The data of the task, as a urlencoded form; `ignored` are the names of parameters that the
    /// component does not support.
    #[must_use]
    pub fn form(&self, ignored: &[String]) -> String {
        let mut form = Serializer::new(String::new());
        match self {
            Self::Poll(poll) => {
                form.append_pair(QUEUE_ID, &poll.queue_id);
                form.append_pair(USER_ID, &poll.account.to_string());
                form.append_pair(LAST_EVENT_ID, &poll.last_event_id.to_string());
                form.append_pair(DONT_BLOCK, if poll.dont_block { "true" } else { "false" });
                if !poll.credential.is_empty() {
                    form.append_pair(CREDENTIAL, &poll.credential);
                }
            }
            Self::QueueDeleted(deleted) => {
                form.append_pair(QUEUE_ID, &deleted.queue_id);
                form.append_pair(USER_ID, &deleted.user_id.to_string());
            }
            Self::Blob(key) => {
                form.append_pair(KEY, key);
            }
            Self::Figures => {}
            Self::IdentityBegin {
                provider,
                redirect_uri,
                state,
                nonce,
                challenge,
            } => {
                form.append_pair(PROVIDER, provider)
                    .append_pair(REDIRECT_URI, redirect_uri)
                    .append_pair(STATE, state)
                    .append_pair(NONCE, nonce)
                    .append_pair(CHALLENGE, challenge);
            }
            Self::IdentityComplete {
                provider,
                redirect_uri,
                code,
                nonce,
                verifier,
                iss,
                flow,
                client,
                address,
            } => {
                form.append_pair(PROVIDER, provider)
                    .append_pair(REDIRECT_URI, redirect_uri)
                    .append_pair(CODE, code)
                    .append_pair(NONCE, nonce)
                    .append_pair(VERIFIER, verifier)
                    .append_pair(FLOW, flow)
                    .append_pair(CLIENT, client)
                    .append_pair(ADDRESS, address);
                if let Some(issuer) = iss {
                    form.append_pair(ISSUER, issuer);
                }
            }
            Self::IdentitySignOut {
                provider,
                redirect_uri,
            } => {
                form.append_pair(PROVIDER, provider)
                    .append_pair(REDIRECT_URI, redirect_uri);
            }
            Self::IdentityIcon { provider } => {
                form.append_pair(PROVIDER, provider);
            }
        }
        if !ignored.is_empty() {
            form.append_pair(IGNORED, &serde_json::json!(ignored).to_string());
        }
        form.finish()
    }

    /// Reads the form of a task of this kind; `None` when a field is missing or invalid.
    #[must_use]
    pub fn read(kind: &str, form: &str) -> Option<Self> {
        Some(match kind {
            Self::POLL => Self::Poll(Poll {
                queue_id: field(form, QUEUE_ID)?,
                account: field(form, USER_ID)?.parse().ok()?,
                last_event_id: field(form, LAST_EVENT_ID)?.parse().ok()?,
                dont_block: match field(form, DONT_BLOCK)?.as_str() {
                    "true" => true,
                    "false" => false,
                    _ => return None,
                },
                credential: field(form, CREDENTIAL).unwrap_or_default(),
            }),
            Self::QUEUE_DELETED => Self::QueueDeleted(QueueDeleted {
                queue_id: field(form, QUEUE_ID)?,
                user_id: field(form, USER_ID)?.parse().ok()?,
            }),
            Self::BLOB => Self::Blob(field(form, KEY)?),
            Self::FIGURES => Self::Figures,
            Self::IDENTITY_BEGIN => Self::IdentityBegin {
                provider: field(form, PROVIDER)?,
                redirect_uri: field(form, REDIRECT_URI)?,
                state: field(form, STATE)?,
                nonce: field(form, NONCE)?,
                challenge: field(form, CHALLENGE)?,
            },
            Self::IDENTITY_COMPLETE => Self::IdentityComplete {
                provider: field(form, PROVIDER)?,
                redirect_uri: field(form, REDIRECT_URI)?,
                code: field(form, CODE)?,
                nonce: field(form, NONCE)?,
                verifier: field(form, VERIFIER)?,
                iss: field(form, ISSUER),
                flow: field(form, FLOW)?,
                client: field(form, CLIENT)?,
                address: field(form, ADDRESS)?,
            },
            Self::IDENTITY_SIGN_OUT => Self::IdentitySignOut {
                provider: field(form, PROVIDER)?,
                redirect_uri: field(form, REDIRECT_URI)?,
            },
            Self::IDENTITY_ICON => Self::IdentityIcon {
                provider: field(form, PROVIDER)?,
            },
            _ => return None,
        })
    }

    /// Adds the task to the headers of a component's answer. False, with nothing added, when it does not
    /// fit into a header; a form always does.
    #[must_use]
    pub fn write_to(&self, ignored: &[String], headers: &mut HeaderMap) -> bool {
        let Ok(form) = HeaderValue::try_from(self.form(ignored)) else {
            return false;
        };
        headers.insert(HAND_OFF, HeaderValue::from_static(self.kind()));
        headers.insert(INSTRUCTION, form);
        true
    }

    /// Reads the task, and the names of parameters that the component does not support, from the headers of its answer;
    /// `None` when there is no task, or it is invalid.
    #[must_use]
    pub fn from_headers(headers: &HeaderMap) -> Option<(Self, Vec<String>)> {
        let kind = headers.get(HAND_OFF)?.to_str().ok()?;
        let form = headers.get(INSTRUCTION)?.to_str().ok()?;
        Some((Self::read(kind, form)?, ignored(form)))
    }
}

/// The names of parameters that the component does not support, of a task's form.
#[must_use]
pub fn ignored(form: &str) -> Vec<String> {
    let names = field(form, IGNORED);
    names
        .and_then(|names| serde_json::from_str(&names).ok())
        .unwrap_or_default()
}

fn field(form: &str, name: &str) -> Option<String> {
    let found = form_urlencoded::parse(form.as_bytes()).find(|(found, _)| found == name);
    found.map(|(_, value)| value.into_owned())
}

#[cfg(test)]
mod tests;
