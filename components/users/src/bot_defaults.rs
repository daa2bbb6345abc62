//! The parameters for the default channels of a bot.

use spindle_actions::users::BotDefaults;
use spindle_wire::{ApiError, Params};

/// Reads the parameters; an empty name removes the channel, an absent one keeps it.
///
/// # Errors
/// 400 for a value of another type.
pub(crate) fn read(params: &Params<'_>) -> Result<BotDefaults, ApiError> {
    let text = |name| params.optional_text(name).map(str::to_owned);
    Ok(BotDefaults {
        default_all_public_streams: params.optional("default_all_public_streams")?,
        default_events_register_stream: text("default_events_register_stream"),
        default_sending_stream: text("default_sending_stream"),
    })
}
