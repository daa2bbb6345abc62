//! Device tokens of the deprecated push interface (docs/protocol/push.md#remove_apns_token,
//! docs/protocol/push.md#tokens).

use crate::support::server;

const APNS: &str = "/users/me/apns_device_token";
const FCM: &str = "/users/me/android_gcm_reg_id";

#[test]
fn a_token_is_registered_and_removed() {
    let user = server().user("guest");
    let pairs = [("token", "00aaFF"), ("appid", "org.example.App")];
    user.post(APNS, &pairs).ok();
    // A repetition changes nothing.
    user.post(APNS, &pairs).ok();
    user.delete(APNS, &[("token", "00aaFF")]).ok();
    user.delete(APNS, &[("token", "00aaFF")]).bad_request();
    user.post(FCM, &[("token", "any:text-_")]).ok();
    user.delete(APNS, &[("token", "00aaFF")]).bad_request();
    user.delete(FCM, &[("token", "any:text-_")]).ok();
    user.delete(FCM, &[("token", "any:text-_")]).bad_request();
}

#[test]
fn tokens_have_a_maximum_length_and_those_of_ios_are_hexadecimal() {
    let user = server().user("member");
    let (longest, longer) = ("a".repeat(4096), "a".repeat(4098));
    for path in [APNS, FCM] {
        for token in ["", &longer] {
            user.post(path, &[("token", token), ("appid", "a")])
                .bad_request();
            user.delete(path, &[("token", token)]).bad_request();
        }
        user.post(path, &[("token", &longest), ("appid", "a")]).ok();
        user.delete(path, &[("token", &longest)]).ok();
    }
    for token in ["xyz0", "abc", "00 f"] {
        user.post(APNS, &[("token", token), ("appid", "a")])
            .bad_request();
        user.delete(APNS, &[("token", token)]).bad_request();
    }
}

#[test]
fn the_parameters_of_a_token_are_required() {
    let user = server().user("member");
    for path in [APNS, FCM] {
        let error = user
            .delete(path, &[])
            .error(400, "REQUEST_VARIABLE_MISSING");
        assert_eq!(error["var_name"], "token");
    }
    let error = user
        .post(APNS, &[("token", "00")])
        .error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(error["var_name"], "appid");
    user.post(APNS, &[("token", "00"), ("appid", "a/b")])
        .bad_request();
}

#[test]
fn a_token_of_another_user_looks_unregistered() {
    let (user, other) = (server().user("member"), server().user("member"));
    for (path, token) in [(APNS, "abcd"), (FCM, "theirs")] {
        other.post(path, &[("token", token), ("appid", "a")]).ok();
        let missing = user.delete(path, &[("token", "ef01")]);
        let foreign = user.delete(path, &[("token", token)]);
        assert_eq!(missing.body, foreign.body);
        foreign.bad_request();
        other.delete(path, &[("token", token)]).ok();
    }
}

#[test]
fn bots_cannot_register_tokens() {
    let bot = server().bot();
    for path in [APNS, FCM] {
        bot.post(path, &[("token", "00"), ("appid", "a")])
            .bad_request();
        bot.delete(path, &[("token", "00")]).bad_request();
    }
}
