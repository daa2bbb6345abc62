//! GET /external/{integration}: whether the key in the address is valid.
//!
//! Services that check an address before they use it ask for it, and the native host does before it receives a large
//! body.

use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::address::{self, MAX_BODY, PATH};
use crate::receive_app_call;

pub(crate) const OPERATION: Operation =
    Operation::get("check-webhook", PATH, Guard::Anonymous, run).taking_raw(MAX_BODY);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    if receive_app_call::is_for_app(call)? {
        return receive_app_call::check(call);
    }
    address::named(call)?;
    address::bot(call)?;
    Ok(spindle_wire::Reply::empty().into())
}
