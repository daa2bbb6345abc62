//! Common parts of the operations on invitations: their terms, and the creation of links.

use spindle_actions::invitations::{InvitationLinks, InvitationTerms};
use spindle_domain::Role;
use spindle_domain::limits::DEFAULT_INVITATION_MINUTES;
use spindle_guest::{Call, Failure};
use spindle_wire::{ApiError, Params};

/// Reads the terms of a new invitation.
pub(crate) fn terms(params: &Params<'_>) -> Result<InvitationTerms, ApiError> {
    let minutes: Option<Option<i64>> = params.optional("invite_expires_in_minutes")?;
    // Texts are sent raw, so the word `null` means null.
    let welcome_text = params.optional_text("welcome_message_custom_text");
    Ok(InvitationTerms {
        minutes: minutes.unwrap_or(Some(DEFAULT_INVITATION_MINUTES)),
        invited_as: params
            .optional("invite_as")?
            .unwrap_or(Role::Member.as_i64()),
        channel_ids: params.optional("stream_ids")?.unwrap_or_default(),
        group_ids: params.optional("group_ids")?.unwrap_or_default(),
        joins_defaults: params
            .optional("include_realm_default_subscriptions")?
            .unwrap_or(false),
        welcome_text: welcome_text
            .filter(|text| *text != "null")
            .map(str::to_owned),
    })
}

/// Calls an action that creates links.
pub(crate) fn with_links<T>(
    call: &Call<'_>,
    action: impl FnOnce(InvitationLinks<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let site = call.site().to_owned();
    action(InvitationLinks {
        site: &site,
        secret: call.secret(),
    })
}
