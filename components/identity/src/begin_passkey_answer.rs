//! POST /passkey_challenges (docs/protocol/second-factor.md#begin_passkey_answer).

use spindle_actions::account::begin_passkey_answer;
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::challenge;

pub(crate) const OPERATION: Operation = Operation::post(
    "begin-passkey-answer",
    "/api/v1/passkey_challenges",
    Guard::Anonymous,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let site = call.external_url();
    let host = call.passkey_host(&site);
    let made = begin_passkey_answer(call.db()?, RealmId::ONLY, call.now(), host)?;
    challenge(made)
}
