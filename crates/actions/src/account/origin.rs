//! Where a request to sign in comes from, and the entries of the audit log about sign-ins.
//!
//! Refused sign-ins are entries that clients without an account cause, so their number is limited. The limit is the same
//! for names that no account has: neither the answer nor its duration may reveal whether there is one.

use std::net::IpAddr;

use serde_json::{Value, json};
use spindle_domain::errors::ClientError;
use spindle_domain::limits::{
    MAX_REFUSED_SIGN_INS, MAX_REFUSED_SIGN_INS_OF_ADDRESS, MAX_SESSION_CLIENT_LENGTH,
    REFUSED_SIGN_INS_SECONDS,
};
use spindle_domain::text::first_chars;
use spindle_domain::{RealmId, UserId};
use spindle_store::{Connection, Db, DbError, SilentReason, audit, users};

use crate::text::fold_name;
use crate::{ActionError, change};

/// Where a request to sign in comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SignInOrigin<'a> {
    /// The browser or program, in short.
    pub client: &'a str,
    /// None where the runtime does not report it.
    pub address: Option<IpAddr>,
}

impl SignInOrigin<'_> {
    /// The data of an entry, with further fields.
    pub(crate) fn data<'f>(&self, further: impl IntoIterator<Item = (&'f str, Value)>) -> Value {
        let address = self
            .address
            .map(|address| address.to_canonical().to_string());
        let client = first_chars(self.client, MAX_SESSION_CLIENT_LENGTH);
        let own = [("address", json!(address)), ("client", json!(client))];
        let fields = own.into_iter().chain(further);
        fields
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }

    /// The address, or the network of an IPv6 address: a client may have all of it.
    fn network(&self) -> String {
        match self.address.map(|address| address.to_canonical()) {
            None => String::new(),
            Some(IpAddr::V4(address)) => address.to_string(),
            Some(IpAddr::V6(address)) => {
                let network = address.to_bits() >> 64 << 64;
                format!("{}/64", std::net::Ipv6Addr::from_bits(network))
            }
        }
    }
}

/// A sign-in that was refused.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refused<'a> {
    pub(crate) origin: SignInOrigin<'a>,
    pub(crate) operation: &'static str,
    pub(crate) why: &'static str,
    /// Id of the identity provider, where the person came from one.
    pub(crate) provider: Option<&'a str>,
}

/// Records a sign-in with a password that was refused, while the limits allow it; `how` is the operation. The name that
/// was sent is not recorded: it may be a password in the wrong field.
pub(crate) fn record_refusal<T>(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    user_name: &str,
    (origin, how): (SignInOrigin<'_>, &'static str),
    outcome: &Result<T, ActionError>,
) {
    let why = match outcome {
        Err(ActionError::Client(ClientError::AuthenticationFailed)) => "password",
        Err(ActionError::Client(ClientError::UserDeactivated)) => "account_deactivated",
        Err(ActionError::Client(ClientError::RealmDeactivated)) => "organization_deactivated",
        Err(ActionError::Client(ClientError::InvalidSecondFactor)) => "second_factor",
        _ => return,
    };
    let refused = Refused {
        origin,
        operation: how,
        why,
        provider: None,
    };
    record(db, realm_id, now, refused, |tx| {
        let user = users::by_email(tx, realm_id, &fold_name(user_name))?;
        Ok(user.map(|user| user.id))
    });
}

/// Records a refused sign-in, while the limits allow it; `account` finds the account that it was for.
pub(crate) fn record(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    refused: Refused<'_>,
    account: impl Fn(&dyn Db) -> Result<Option<UserId>, ActionError>,
) {
    // A failure must not change the answer: a wrong password would no longer count as an attempt.
    let _ = write(db, realm_id, now, refused, account);
}

fn write(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    refused: Refused<'_>,
    account: impl Fn(&dyn Db) -> Result<Option<UserId>, ActionError>,
) -> Result<(), ActionError> {
    let network = refused.origin.network();
    if left(db, now, &network)? <= 0 {
        return Ok(());
    }
    change::silently(db, SilentReason::Credentials, |tx| {
        let left = left(tx, now, &network)?;
        if left <= 0 {
            return Ok(());
        }
        let user_id = account(tx)?;
        let provider = refused.provider.map(|id| ("provider", json!(id)));
        let limit_reached = (left == 1).then_some(("limit_reached", json!(true)));
        let data = [
            ("network", json!(network)),
            ("operation", json!(refused.operation)),
            ("why", json!(refused.why)),
        ];
        let further = data.into_iter().chain(provider).chain(limit_reached);
        let data = refused.origin.data(further).to_string();
        let kind = "user_sign_in_refused";
        audit::append(tx, realm_id, now, None, user_id, kind, &data)?;
        Ok(())
    })
}

/// How many further refusals may be recorded at `now` for an address of this network.
fn left(db: &dyn Db, now: i64, network: &str) -> Result<i64, DbError> {
    let since = now - REFUSED_SIGN_INS_SECONDS;
    let recorded = audit::refused_sign_ins(db, since, MAX_REFUSED_SIGN_INS)?;
    let is_same = |data: &&String| {
        let data: Option<Value> = serde_json::from_str(data).ok();
        data.is_some_and(|data| data.get("network") == Some(&json!(network)))
    };
    let of_network = recorded.iter().filter(is_same).count() as i64;
    let all = MAX_REFUSED_SIGN_INS - recorded.len() as i64;
    Ok(all.min(MAX_REFUSED_SIGN_INS_OF_ADDRESS - of_network))
}
