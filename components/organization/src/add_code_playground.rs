//! POST /realm/playgrounds (docs/protocol/register.md#sections,
//! docs/protocol/organization.md#playgrounds).

use spindle_actions::organization::{PlaygroundInput, add_playground};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::post(
    "add-code-playground",
    "/api/v1/realm/playgrounds",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let input = PlaygroundInput {
        name: params.required_text("name")?.to_owned(),
        pygments_language: params.required_text("pygments_language")?.to_owned(),
        url_template: params.required_text("url_template")?.to_owned(),
    };
    let id = add_playground(call.db()?, call.actor()?, call.now(), &input)?;
    Ok(spindle_wire::Reply::empty().field("id", &id)?.into())
}
