//! PATCH /realm/filters/{filter_id} (docs/protocol/linkifiers.md#update_linkifier, FL 471).

use spindle_actions::organization::{LinkifierChange, update_linkifier};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::nullable_text;

pub(crate) const OPERATION: Operation = Operation::patch(
    "update-linkifier",
    "/api/v1/realm/filters/{filter_id}",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let text = |name| params.optional_text(name).map(str::to_owned);
    let change = LinkifierChange {
        pattern: text("pattern"),
        url_template: text("url_template"),
        example_input: nullable_text(params, "example_input"),
        reverse_template: nullable_text(params, "reverse_template"),
        alternative_url_templates: params.optional("alternative_url_templates")?,
    };
    let id = call.path_id("filter_id")?;
    params.mark_known(["filter_id"]);
    update_linkifier(call.db()?, call.actor()?, call.now(), id, &change)?;
    Ok(spindle_wire::Reply::empty().into())
}
