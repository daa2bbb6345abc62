//! POST /internal/bot_calls/claim, /internal/bot_calls/defer and /internal/bot_calls/finish: calls
//! to the services of bots.
//!
//! Called by a timer of the host, which makes the calls. A repeated claim finds nothing, and a
//! repeated outcome changes nothing.

use spindle_actions::{
    DeferredCall, FinishedCall, claim_bot_calls, defer_bot_calls, finish_bot_call,
};
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

/// Calls that a caller takes who does not say how many.
const ROOM: i64 = 20;

pub(crate) const CLAIM: Operation = Operation::post(
    "claim-bot-calls",
    "/internal/bot_calls/claim",
    Guard::Internal,
    claim,
);

pub(crate) const DEFER: Operation = Operation::post(
    "defer-bot-calls",
    "/internal/bot_calls/defer",
    Guard::Internal,
    defer,
);

pub(crate) const FINISH: Operation = Operation::post(
    "finish-bot-call",
    "/internal/bot_calls/finish",
    Guard::Internal,
    finish,
);

fn claim(call: &Call<'_>) -> Result<Reply, Failure> {
    let room = call.params.optional("room")?.unwrap_or(ROOM);
    let (realm_id, realm_url) = (RealmId::ONLY.get(), call.external_url());
    let calls = claim_bot_calls(call.db()?, realm_id, call.now(), room, &realm_url)?;
    Ok(spindle_wire::Reply::empty().field("calls", &calls)?.into())
}

fn defer(call: &Call<'_>) -> Result<Reply, Failure> {
    let deferred: Vec<DeferredCall> = call.params.required("calls")?;
    let realm_id = RealmId::ONLY.get();
    defer_bot_calls(call.db()?, realm_id, call.now(), &deferred)?;
    Ok(spindle_wire::Reply::empty().into())
}

fn finish(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let finished = FinishedCall {
        id: params.required("id")?,
        attempt: params.required("attempt")?,
        status: params.required("status")?,
        body: params.required_text("body")?.to_owned(),
    };
    let realm_id = RealmId::ONLY.get();
    let realm_url = call.external_url();
    finish_bot_call(call.db()?, realm_id, call.now(), &realm_url, &finished)?;
    Ok(spindle_wire::Reply::empty().into())
}
