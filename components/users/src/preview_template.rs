//! POST /bots/template_preview (docs/protocol/bots.md#preview_template).

use std::collections::BTreeMap;

use spindle_actions::users::{Sample, preview_template};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_integrations::template::Templates;

pub(crate) const OPERATION: Operation = Operation::post(
    "preview-template",
    "/api/v1/bots/template_preview",
    Guard::NotGuest,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let templates = Templates {
        topic: params.optional_text("topic_template").unwrap_or_default(),
        text: params.required_text("text_template")?,
    };
    let headers: Option<BTreeMap<String, String>> = params.optional("headers")?;
    let sample = Sample {
        body: params.required_text("body")?,
        headers: headers.unwrap_or_default().into_iter().collect(),
    };
    let db = call.db()?;
    let site = call.site();
    let preview = preview_template(db, call.actor()?, call.now(), templates, &sample, site)?;
    Ok(spindle_wire::Reply::empty()
        .field("topic", &preview.topic)?
        .field("content", &preview.content)?
        .field("rendered", &preview.rendered)?
        .into())
}
