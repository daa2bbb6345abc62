//! POST /internal/push/collect, /internal/push/claim and /internal/push/finish: what phones are
//! told through the push service.
//!
//! Called by a timer of the host, which makes the calls. A repeated collection or claim finds
//! nothing, and a repeated outcome changes nothing.

use spindle_actions::{FinishedPush, claim_push_calls, collect_pushes, finish_push_call};
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const COLLECT: Operation = Operation::post(
    "collect-pushes",
    "/internal/push/collect",
    Guard::Internal,
    collect,
);

pub(crate) const CLAIM: Operation = Operation::post(
    "claim-push-calls",
    "/internal/push/claim",
    Guard::Internal,
    claim,
);

pub(crate) const FINISH: Operation = Operation::post(
    "finish-push-call",
    "/internal/push/finish",
    Guard::Internal,
    finish,
);

fn collect(call: &Call<'_>) -> Result<Reply, Failure> {
    let complete = collect_pushes(call.db()?, RealmId::ONLY.get(), call.now())?;
    Ok(spindle_wire::Reply::empty()
        .field("complete", &complete)?
        .into())
}

fn claim(call: &Call<'_>) -> Result<Reply, Failure> {
    let realm_id = RealmId::ONLY.get();
    let calls = claim_push_calls(call.db()?, realm_id, call.now(), &call.external_url())?;
    Ok(spindle_wire::Reply::empty().field("calls", &calls)?.into())
}

fn finish(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let finished = FinishedPush {
        id: params.required("id")?,
        attempt: params.required("attempt")?,
        status: params.required("status")?,
        body: params.required_text("body")?.to_owned(),
    };
    finish_push_call(call.db()?, RealmId::ONLY.get(), call.now(), &finished)?;
    Ok(spindle_wire::Reply::empty().into())
}
