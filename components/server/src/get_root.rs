//! GET /: where the interface is, for people who open the address.

use serde_json::json;
use spindle_domain::feature_level::{FEATURE_LEVEL, ZULIP_VERSION};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation =
    Operation::get("get-root", "/", Guard::Anonymous, run).exempt();

fn run(_: &Call<'_>) -> Result<Reply, Failure> {
    let fields = json!({
        "base_url": "/api/v1",
        "description_url": "/api/v1/openapi.json",
        "zulip_version": ZULIP_VERSION,
        "service_feature_level": FEATURE_LEVEL,
    });
    Ok(spindle_wire::Reply::of(&fields)?.into())
}
