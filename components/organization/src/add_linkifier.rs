//! POST /realm/filters (docs/protocol/linkifiers.md#add_linkifier).

use spindle_actions::organization::{LinkifierInput, add_linkifier};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::nullable_text;

pub(crate) const OPERATION: Operation = Operation::post(
    "add-linkifier",
    "/api/v1/realm/filters",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let input = LinkifierInput {
        pattern: params.required_text("pattern")?.to_owned(),
        url_template: params.required_text("url_template")?.to_owned(),
        example_input: nullable_text(params, "example_input"),
        reverse_template: nullable_text(params, "reverse_template"),
        alternative_url_templates: params
            .optional("alternative_url_templates")?
            .unwrap_or_default(),
    };
    let id = add_linkifier(call.db()?, call.actor()?, call.now(), &input)?;
    Ok(spindle_wire::Reply::empty().field("id", &id)?.into())
}
