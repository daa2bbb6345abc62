//! POST /drafts (docs/protocol/personal.md#create_drafts).

use spindle_actions::personal::{DraftInput, create_drafts};
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

use crate::draft_params::DraftParam;

pub(crate) const OPERATION: Operation =
    Operation::post("create-drafts", "/api/v1/drafts", Guard::User, run).needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let drafts: Vec<DraftParam> = call.params.optional("drafts")?.unwrap_or_default();
    let drafts: Vec<DraftInput> = drafts.into_iter().map(Into::into).collect();
    let ids = create_drafts(call.db()?, call.actor()?, call.now(), &drafts)?;
    Ok(spindle_wire::Reply::empty().field("ids", &ids)?.into())
}
