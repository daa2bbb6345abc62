//! POST /second_factor/passkeys (docs/protocol/second-factor.md#begin_passkey).

use spindle_actions::account::begin_passkey;
use spindle_guest::{Attempts, Call, Failure, Guard, Hashes, Operation, Reply, Scope};

use crate::challenge;

pub(crate) const OPERATION: Operation = Operation::post(
    "begin-passkey",
    "/api/v1/second_factor/passkeys",
    Guard::Human,
    run,
)
.counting_attempts(Attempts::Own("password"))
.hashing(Hashes::With("password"))
.before_second_factor()
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let password = call.params.optional_text("password");
    let site = call.external_url();
    let host = call.passkey_host(&site);
    let made = begin_passkey(call.db()?, call.actor()?, call.now(), host, password)?;
    challenge(made)
}
