//! PATCH /settings (docs/protocol/settings.md#user-settings,
//! docs/protocol/settings.md#update_settings).

use spindle_actions::personal::{
    AccountUpdate, PasswordUpdate, TargetUsers, update_settings, update_settings_of_others,
};
use spindle_domain::settings::USER;
use spindle_guest::{Attempts, Call, Failure, Guard, Hashes, Operation, Reply};
use spindle_wire::settings::setting_changes;
use spindle_wire::{ApiError, Params};

pub(crate) const OPERATION: Operation =
    Operation::patch("update-settings", "/api/v1/settings", Guard::Human, run)
        .counting_attempts(GUESSES)
        .hashing(HASHES)
        .with_credentials_in(CREDENTIALS);

/// The path that the Python library uses for notification settings.
pub(crate) const OPERATION_NOTIFICATIONS: Operation = Operation::patch(
    "update-notification-settings",
    "/api/v1/settings/notifications",
    Guard::Human,
    run,
)
.counting_attempts(GUESSES)
.hashing(HASHES)
.with_credentials_in(CREDENTIALS);

/// A new password requires the old one; guesses at it with a stolen key are limited.
const GUESSES: Attempts = Attempts::Own("new_password");

/// Who has these of an account can sign in as it.
const CREDENTIALS: &[&str] = &["email", "new_password", "old_password"];

/// Both passwords are hashed.
const HASHES: Hashes = Hashes::With("new_password");

/// Fields that belong to a single account and cannot be set for several users in one request.
const OF_ONE_ACCOUNT: [&str; 4] = ["email", "full_name", "new_password", "old_password"];

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let targets: Option<TargetUsers> = params.optional("target_users")?;
    let (db, actor) = (call.db()?, call.actor()?);
    if let Some(targets) = targets {
        refuse_account_fields(params)?;
        let values = setting_changes(params, USER)?;
        update_settings_of_others(db, actor, call.now(), &targets, &values)?;
    } else {
        update_settings(db, actor, call.now(), &own_update(params)?)?;
    }
    Ok(spindle_wire::Reply::empty().into())
}

fn refuse_account_fields(params: &Params<'_>) -> Result<(), ApiError> {
    match OF_ONE_ACCOUNT.iter().find(|name| params.contains(name)) {
        Some(name) => Err(ApiError::bad_parameter(
            name,
            "cannot be changed for several people",
        )),
        None => Ok(()),
    }
}

fn own_update(params: &Params<'_>) -> Result<AccountUpdate, ApiError> {
    // Forms send fields that were left empty.
    let filled = |name| params.optional_text(name).filter(|text| !text.is_empty());
    let old_password = filled("old_password");
    let password = filled("new_password").map(|new_password| PasswordUpdate {
        old_password: old_password.unwrap_or_default().to_owned(),
        new_password: new_password.to_owned(),
    });
    Ok(AccountUpdate {
        email: filled("email").map(str::to_owned),
        full_name: filled("full_name").map(str::to_owned),
        password,
        values: setting_changes(params, USER)?,
    })
}
