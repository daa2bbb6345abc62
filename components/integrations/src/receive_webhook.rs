//! POST /external/{integration}: an incoming webhook (docs/protocol/bots.md#receive_webhook).
//!
//! The key is in the URL, since such programs cannot send another header; it is valid only here. Parameters are in the
//! URL as well: the body belongs to the service.

use http::header::CONTENT_TYPE;
use spindle_actions::bots::{Received, receive, webhook_secret};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_integrations as integrations;
use spindle_wire::{ApiError, ClientError, recipient};

use crate::address::{self, Filter, MAX_BODY, PATH};

pub(crate) const OPERATION: Operation =
    Operation::post("receive-webhook", PATH, Guard::Anonymous, run).taking_raw(MAX_BODY);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let integration = address::named(call)?;
    let bot = address::bot(call)?;
    let filter = Filter::of(call)?;
    let params = &call.params;
    let topic = params
        .optional_text("topic")
        .map(|topic| topic.trim().to_owned());
    let channel = params
        .optional_text("stream")
        .map(recipient::parse_channel)
        .transpose()?;
    let header = |name: &str| call.header(name);
    if let Some(proof) = integration.proof
        && let Some(secret) = webhook_secret(call.db()?, bot.user_id, integration)?
        && !proof.holds(&secret, &header, call.body(), call.now())
    {
        return Err(ApiError::from(ClientError::InvalidWebhookSignature).into());
    }
    let body = integrations::body(
        header(CONTENT_TYPE.as_str()).unwrap_or_default(),
        call.body(),
    );
    let option = |name: &str| params.optional_text(name).map(str::to_owned);
    let webhook = integrations::Call {
        header: &header,
        body: &body,
        option: &option,
    };
    let message = integrations::read(integration, &webhook);
    // Every option is read, so that a spelling mistake is reported whatever the service sends.
    params.mark_known(integration.url_options.iter().map(|option| option.key));
    if let Some(message) = message.filter(|message| filter.wants(message.event)) {
        let received = Received {
            message,
            delivery: integration
                .delivery_header
                .and_then(|name| delivery(integration.name, header(name)?)),
            channel,
            topic,
            client: format!("{}Webhook", integration.name),
            realm_url: call.site().to_owned(),
        };
        receive(call.db()?, &bot, call.now(), received)?;
    }
    Ok(spindle_wire::Reply::empty().into())
}

/// The id of a delivery: services choose ids without knowing of each other.
fn delivery(integration: &str, id: &str) -> Option<String> {
    let is_sound = !id.is_empty() && id.len() <= 200;
    is_sound.then(|| format!("{integration} {id}"))
}
