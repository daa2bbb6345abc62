//! The table of errors, in the order of their codes. A new error is a row here, and nothing else
//! but the places that raise it and the operations that name it.

use serde_json::Value;

use super::define::errors;
use crate::narrow::ChannelReference;
use crate::policy::Scope;

errors! {
    /// The user name, the password or the sign-in link is wrong
    AuthenticationFailed "AUTHENTICATION_FAILED" 401
        says("The user name or the password is wrong");

    /// The event queue is unknown, has expired, was deleted, or belongs to another account
    BadEventQueueId "BAD_EVENT_QUEUE_ID" 400 { queue_id: String }
        says(format!("There is no event queue {queue_id}"))
        with ["queue_id" = queue_id.as_str(), "{type: string}"];

    /// The uploaded file is not a picture that can be used
    BadImage "BAD_IMAGE" 400 { text: String }
        says(text.as_str());

    /// The narrow is invalid; desc says why
    BadNarrow "BAD_NARROW" 400 { desc: String }
        says(format!("The narrow cannot be used: {desc}"))
        with ["desc" = desc.as_str(), "{type: string, minLength: 1}"];

    /// A value or a rule of the operation is not met: everything without a code of its own
    BadRequest "BAD_REQUEST" 400 { text: String }
        says(text.as_str());

    /// The caller does not administer the channel
    CannotAdministerChannel "CANNOT_ADMINISTER_CHANNEL" 400
        says("You do not administer this channel");

    /// The group is used elsewhere; objections say where
    CannotDeactivateGroupInUse "CANNOT_DEACTIVATE_GROUP_IN_USE" 400 { objections: Value }
        says("The group is used elsewhere and has to stay")
        with ["objections" = objections.clone(), "{$ref: GroupObjections}"];

    /// The last owner, or the last user, has to stay
    CannotDeactivateLastUser "CANNOT_DEACTIVATE_LAST_USER" 400 { is_last_owner: bool }
        says(format!("The last {} of the organization has to stay", last_of(*is_last_owner)))
        with [
            "is_last_owner" = *is_last_owner, "{type: boolean}";
            "entity" = last_of(*is_last_owner), "{type: string, minLength: 1}";
        ];

    /// The current value is not the one that was given as old
    ExpectationMismatch "EXPECTATION_MISMATCH" 400
        says("The current value is not the expected one");

    /// The API key of the request has a scope that does not allow this; needed_scope says which would do
    InsufficientScope "INSUFFICIENT_SCOPE" 400 { needed: Scope }
        says(match needed {
            Scope::Account => "No API key with a name may do this; sign in".to_owned(),
            needed => format!("This API key may not do this; the scope '{}' may", needed.name()),
        })
        with ["needed_scope" = needed.name(), "{type: string, enum: [read, send, everything, administer, account]}"];

    /// The server failed; with status 503, the same request may succeed later
    InternalServerError "INTERNAL_SERVER_ERROR" 500
        says("The server failed to handle this request");

    /// A key that travels as a parameter does not belong to an incoming webhook
    InvalidApiKey "INVALID_API_KEY" 401
        says("This API key is not valid here");

    /// The code of the second factor is wrong, too old, or was used before
    InvalidSecondFactor "INVALID_SECOND_FACTOR" 401
        says("This code is wrong, too old, or was used before");

    /// A call to an incoming webhook does not prove that it comes from the service whose secret the bot has
    InvalidWebhookSignature "INVALID_WEBHOOK_SIGNATURE" 401
        says("The signature or token of this call is not the one of the service");

    /// No address was invited or, with sent_invitations, only those that are not in errors
    InvitationFailed "INVITATION_FAILED" 400 { errors: Value, sent: bool, daily_limit_reached: bool }
        says(match (sent, daily_limit_reached) {
            (true, _) => "Some addresses were not invited; all others were",
            (false, true) => "You have sent too many invitations today, so none was sent",
            (false, false) => "No address was invited; see the error of each address",
        })
        with [
            "errors" = errors.clone(), "{$ref: RefusedAddresses}";
            "sent_invitations" = *sent, "{type: boolean}";
            "daily_limit_reached" = *daily_limit_reached, "{type: boolean}";
            "license_limit_reached" = false, "{const: false}";
        ];

    /// Only a part of the topic is young enough to be moved
    MoveMessagesTimeLimitExceeded "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED" 400
        { first_allowed: i64, total: i64, allowed: i64 }
        says("Some messages of this topic are too old to be moved")
        with [
            "first_message_id_allowed_to_move" = *first_allowed, "{$ref: Id}";
            "total_messages_in_topic" = *total, "{type: integer, minimum: 1}";
            "total_messages_allowed_to_move" = *allowed, "{type: integer, minimum: 1}";
        ];

    /// No phone of the caller is registered for notifications
    NoActivePushDevice "NO_ACTIVE_PUSH_DEVICE" 400
        says("None of your phones is registered for notifications");

    /// The organization does not use passwords
    PasswordAuthDisabled "PASSWORD_AUTH_DISABLED" 401
        says("This organization does not use passwords");

    /// The rate limit is reached; the header Retry-After says the seconds as well, rounded up
    RateLimitHit "RATE_LIMIT_HIT" 429 { retry_after: f64 }
        says("Too many requests; please slow down")
        with ["retry-after" = *retry_after, "{description: Seconds, type: number, minimum: 0}"];

    /// The caller has put this emoji on the message already
    ReactionAlreadyExists "REACTION_ALREADY_EXISTS" 400
        says("You have put this emoji on the message already");

    /// The caller has not put this emoji on the message
    ReactionDoesNotExist "REACTION_DOES_NOT_EXIST" 400
        says("You have not put this emoji on the message");

    /// The organization has been deactivated
    RealmDeactivated "REALM_DEACTIVATED" 401
        says("This organization has been deactivated");

    /// The organization's files take all the space they may
    RealmUploadQuota "REALM_UPLOAD_QUOTA" 400
        says("The organization has no room for this file");

    /// One parameter was sent under two names
    RequestConfusingVar "REQUEST_CONFUSING_VAR" 400 { first: String, second: String }
        says(format!("Send either {first} or {second}, not both"))
        with ["var_name1" = first.as_str(), "{type: string}"; "var_name2" = second.as_str(), "{type: string}"];

    /// The body of the request did not arrive in time
    RequestTimeout "REQUEST_TIMEOUT" 408
        says("The body of the request did not arrive in time");

    /// A required parameter is missing
    RequestVariableMissing "REQUEST_VARIABLE_MISSING" 400 { name: String }
        says(format!("Parameter {name} is required"))
        with ["var_name" = name.as_str(), "{type: string}"];

    /// The password or link is right, and a code of the second factor is needed as well; or the account needs a second
    /// factor, and must be given one in a browser first
    SecondFactorRequired "SECOND_FACTOR_REQUIRED" 401 { text: String }
        says(text.as_str());

    /// The server has no room to store anything; nothing has changed
    StorageFull "STORAGE_FULL" 503
        says("The server has no room to store this; please try again later");

    /// There is no such channel, or the caller may not know of it; with the id or the name, as it was sent
    StreamDoesNotExist "STREAM_DOES_NOT_EXIST" 400 { channel: ChannelReference }
        says(match channel {
            ChannelReference::Id(id) => format!("There is no channel {}", id.get()),
            ChannelReference::Name(name) => format!("There is no channel called '{name}'"),
        })
        with ["stream_id" = id_of(channel), "{type: integer}"] or ["stream" = name_of(channel), "{type: string}"];

    /// The caller may not mention everybody in this channel
    StreamWildcardMentionNotAllowed "STREAM_WILDCARD_MENTION_NOT_ALLOWED" 400
        says("You may not mention everybody in this channel");

    /// Only a system group may hold this permission
    SystemGroupRequired "SYSTEM_GROUP_REQUIRED" 400 { setting_name: &'static str }
        says(format!("Only a system group may be given {setting_name}"))
        with ["setting_name" = *setting_name, "{type: string}"];

    /// The caller may not mention everybody in this topic
    TopicWildcardMentionNotAllowed "TOPIC_WILDCARD_MENTION_NOT_ALLOWED" 400
        says("You may not mention everybody in this topic");

    /// Credentials are missing or wrong; the text does not say whether the account or the key is
    Unauthorized "UNAUTHORIZED" 401 { text: String }
        says(text.as_str());

    /// The caller's role does not suffice. 400, not 403: the caller is known, the request cannot be granted
    UnauthorizedPrincipal "UNAUTHORIZED_PRINCIPAL" 400 { text: String }
        says(text.as_str());

    /// The account has been deactivated
    UserDeactivated "USER_DEACTIVATED" 401
        says("This account has been deactivated");
}

/// What an account is the last one of.
const fn last_of(is_last_owner: bool) -> &'static str {
    if is_last_owner { "owner" } else { "user" }
}

fn id_of(channel: &ChannelReference) -> Option<i64> {
    match channel {
        ChannelReference::Id(id) => Some(id.get()),
        ChannelReference::Name(_) => None,
    }
}

fn name_of(channel: &ChannelReference) -> Option<&str> {
    match channel {
        ChannelReference::Id(_) => None,
        ChannelReference::Name(name) => Some(name),
    }
}
