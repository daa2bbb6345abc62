//! PATCH /bots/{bot_id} (docs/protocol/bots.md#update_bot).

use spindle_actions::users::{BotUpdate, bot_domain, update_bot};
use spindle_domain::UserId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::bot_defaults;

pub(crate) const OPERATION: Operation =
    Operation::patch("update-bot", "/api/v1/bots/{bot_id}", Guard::NotGuest, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let bot_id: UserId = call.path_id("bot_id")?;
    let params = &call.params;
    let text = |name| params.optional_text(name).map(str::to_owned);
    let owner: Option<UserId> = params.optional("bot_owner_id")?;
    let update = BotUpdate {
        bot_owner_id: owner,
        config_data: params.optional("config_data")?,
        defaults: bot_defaults::read(params)?,
        full_name: text("full_name"),
        role: params.optional("role")?,
        service_interface: params.optional("service_interface")?,
        service_payload_url: params.optional_text_or_json("service_payload_url"),
        short_name: text("short_name"),
        domain: bot_domain(call.site()).to_owned(),
    };
    let profile = update_bot(call.db()?, call.actor()?, call.now(), bot_id, &update)?;
    Ok(spindle_wire::Reply::of(&profile)?.into())
}
