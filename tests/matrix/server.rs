//! Requests of the rows about the server and about keys.

use spindle_tests::Call;

use crate::{Context, PASSWORD};

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    match (operation, variant) {
        ("GET /server_settings", "") => Some(Call::new("GET", "/server_settings")),
        ("GET /server_figures", "") => Some(Call::new("GET", "/server_figures")),
        ("GET /calls/bigbluebutton/create", "") => {
            let call = Call::new("GET", "/calls/bigbluebutton/create");
            Some(call.query(&[("meeting_name", "tea")]))
        }
        ("POST /fetch_api_key", "") => {
            let email = context.caller.user.email.as_str();
            let pairs = [("username", email), ("password", PASSWORD)];
            Some(Call::new("POST", "/fetch_api_key").form(&pairs))
        }
        _ => None,
    }
}
