//! POST /external/{integration}: an incoming webhook (docs/protocol/bots.md#receive_webhook).
//!
//! The key is in the URL, since such programs cannot send another header; it is valid only here. Parameters are in the
//! URL as well: the body belongs to the service.

use http::header::CONTENT_TYPE;
use serde_json::Value;
use spindle_actions::Actor;
use spindle_actions::bots::{
    Received, WebhookConfig, receive, report_template_failure, webhook_config,
};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_integrations::template::{self, Delivery};
use spindle_integrations::{self as integrations, Message};
use spindle_wire::{ApiError, ClientError, recipient};

use crate::address::{self, Filter, MAX_BODY, PATH};
use crate::receive_app_call;

pub(crate) const OPERATION: Operation =
    Operation::post("receive-webhook", PATH, Guard::Anonymous, run).taking_raw(MAX_BODY);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    if receive_app_call::is_for_app(call)? {
        return receive_app_call::receive(call);
    }
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
    let has_templates = integration.name == template::NAME;
    let config = webhook_config(call.db()?, bot.user_id, integration)?
        .ok_or_else(|| ApiError::from(ClientError::InvalidWebhookSignature))?;
    if let Some(proof) = integration.proof
        && let Some(secret) = config.secret()
        && !proof.holds(secret, &header, call.body(), call.now())
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
    let message = if has_templates {
        templated(call, &bot, &config, &body)?
    } else {
        integrations::read(integration, &webhook)
    };
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

/// The message that the templates of the bot make. If they fail, the bot's owner is notified, not the service: it would
/// deliver again, or switch the webhook off.
fn templated(
    call: &Call<'_>,
    bot: &Actor,
    config: &WebhookConfig,
    body: &Value,
) -> Result<Option<Message>, Failure> {
    let headers: Vec<(String, String)> = call
        .headers()
        .iter()
        .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())))
        .collect();
    let delivery = Delivery {
        headers: &headers,
        body,
        now: call.now(),
    };
    match template::render(config.templates(), delivery) {
        Ok(mut message) => {
            if message.topic.is_empty() {
                message.topic.clone_from(&bot.full_name);
            }
            Ok(Some(message))
        }
        Err(problem) => {
            report_template_failure(call.db()?, bot, call.now(), &problem, body)?;
            Ok(None)
        }
    }
}

/// The id of a delivery: services choose ids without knowing of each other.
fn delivery(integration: &str, id: &str) -> Option<String> {
    let is_sound = !id.is_empty() && id.len() <= 200;
    is_sound.then(|| format!("{integration} {id}"))
}
