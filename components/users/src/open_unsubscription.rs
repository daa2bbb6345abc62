//! GET /unsubscriptions: where a mail program opens the address of `List-Unsubscribe` in a browser, the page asks first.

use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "open-unsubscription",
    "/api/v1/unsubscriptions",
    Guard::Anonymous,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let key = call.params.required_text("key")?;
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "-_".contains(sign);
    let key: String = key.chars().filter(|sign| is_plain(*sign)).collect();
    Reply::redirect(&format!("/#unsubscribe/{key}"))
}
