//! GET /calls/bigbluebutton/create answers that it is not configured.

use crate::support::server;

#[test]
fn bigbluebutton_is_not_configured() {
    let (user, path) = (server().user("guest"), "/calls/bigbluebutton/create");
    for pairs in [
        &[("meeting_name", "tea")] as &[(&str, &str)],
        &[("meeting_name", "tea"), ("voice_only", "true")],
    ] {
        let error = user.get(path, pairs).bad_request();
        let text = error["msg"].as_str().unwrap();
        assert!(text.contains("not configured"), "{text}");
    }
    let error = user.get(path, &[]).error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(error["var_name"], "meeting_name");
    server()
        .anonymous()
        .get(path, &[])
        .error(401, "UNAUTHORIZED");
}
