//! GET, PUT and DELETE /bot_storage (docs/protocol/clients.md#zulip_bots).

use std::collections::BTreeMap;

use spindle_actions::bots::{delete_bot_storage, get_bot_storage, set_bot_storage};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::RawFields;

const PATH: &str = "/api/v1/bot_storage";

pub(crate) const GET: Operation = Operation::get("get-bot-storage", PATH, Guard::User, get);
pub(crate) const SET: Operation = Operation::put("set-bot-storage", PATH, Guard::User, set);
pub(crate) const DELETE: Operation =
    Operation::delete("delete-bot-storage", PATH, Guard::User, delete);

fn get(call: &Call<'_>) -> Result<Reply, Failure> {
    let keys: Option<Vec<String>> = call.params.optional("keys")?;
    let storage = get_bot_storage(call.db()?, call.actor()?, keys.as_deref())?;
    let fields = RawFields(format!("\"storage\":{storage}"));
    Ok(spindle_wire::Reply::raw(fields).into())
}

fn set(call: &Call<'_>) -> Result<Reply, Failure> {
    let entries: BTreeMap<String, String> = call.params.required("storage")?;
    set_bot_storage(call.db()?, call.actor()?, &entries)?;
    Ok(spindle_wire::Reply::empty().into())
}

fn delete(call: &Call<'_>) -> Result<Reply, Failure> {
    let keys: Option<Vec<String>> = call.params.optional("keys")?;
    delete_bot_storage(call.db()?, call.actor()?, keys.as_deref())?;
    Ok(spindle_wire::Reply::empty().into())
}
