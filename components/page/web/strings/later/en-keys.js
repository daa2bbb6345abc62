// English: API keys.

export const keys = {
  api_key: "API key",
  api_keys: "API keys",
  api_key_text:
    "Other programs use your account with a key. Give each program its own, which may do no more than it needs. A key is shown once.",
  key_scope: "It may",
  key_end: "It ends after",
  scope_read: "Read",
  scope_send: "Read and send",
  scope_everything: "Do what members do",
  scope_administer: "Do everything, as with my role",
  scope_account: "Do everything",
  key_ends: "ends {when}",
  never_used: "never used",
  end_key: "End",
  no_keys_here: "The organization does not let you make keys.",
  new_key: "Make a key",
  revoke_keys: "Revoke all API keys",
  key_made: "API key, made {when}",
};
