//! POST /bots (docs/protocol/bots.md#create_bot).

use spindle_actions::users::{BotService, NewBot, bot_domain, create_bot};
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};
use spindle_wire::{ApiError, Params};

use crate::bot_defaults;

pub(crate) const OPERATION: Operation =
    Operation::post("create-bot", "/api/v1/bots", Guard::NotGuest, run).needing(Scope::Account);

/// The type of a generic bot.
const DEFAULT_BOT_TYPE: i64 = 1;
/// The interface of outgoing bots: the server's own format.
const DEFAULT_INTERFACE: i64 = 1;

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let text = |name| params.optional_text(name).map(str::to_owned);
    let new = NewBot {
        config_data: params.optional("config_data")?.unwrap_or_default(),
        bot_type: params.optional("bot_type")?.unwrap_or(DEFAULT_BOT_TYPE),
        defaults: bot_defaults::read(params)?,
        full_name: params.required_text("full_name")?.to_owned(),
        service: service(params)?,
        service_name: text("service_name"),
        short_name: params.required_text("short_name")?.to_owned(),
        domain: bot_domain(call.site()).to_owned(),
    };
    let created = create_bot(call.db()?, call.actor()?, call.now(), &new)?;
    Ok(spindle_wire::Reply::of(&created.profile)?
        .field("user_id", &created.user_id)?
        .field("api_key", &created.api_key)?
        .into())
}

fn service(params: &Params<'_>) -> Result<Option<BotService>, ApiError> {
    let interface: Option<i64> = params.optional("interface_type")?;
    // Forms send fields that were left empty.
    let url = params
        .optional_text_or_json("payload_url")
        .filter(|url| !url.is_empty());
    Ok(url.map(|base_url| BotService {
        base_url,
        interface: interface.unwrap_or(DEFAULT_INTERFACE),
    }))
}
