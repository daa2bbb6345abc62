-- How often an account has learned that a name or an address is taken by something hidden from it.
CREATE INDEX audit_log_hidden_names ON audit_log (acting_user_id, time) WHERE event_type = 'hidden_name_tried';
