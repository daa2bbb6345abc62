//! Where parameters may be, how they are typed, and which are reported as ignored.

use super::*;
use bytes::Bytes;

fn request(method: &str, uri: &str, content_type: &str, body: &[u8]) -> Request {
    let mut builder = http::Request::builder().method(method).uri(uri);
    if !content_type.is_empty() {
        builder = builder.header("content-type", content_type);
    }
    builder.body(Bytes::copy_from_slice(body)).unwrap()
}

fn form(uri: &str, body: &str) -> Request {
    request(
        "POST",
        uri,
        "application/x-www-form-urlencoded",
        body.as_bytes(),
    )
}

fn multipart(body: &str) -> Request {
    request(
        "POST",
        "/",
        "multipart/form-data; boundary=XX",
        body.replace('\n', "\r\n").as_bytes(),
    )
}

#[test]
fn body_wins_over_query_and_the_last_repetition_wins() {
    let request = form("/?a=query&b=1&b=2", "a=body&c=x+y%26z");
    let params = Params::from_request(&request).unwrap();
    assert_eq!(params.optional_text("a"), Some("body"));
    assert_eq!(params.optional_text("b"), Some("2"));
    assert_eq!(params.optional_text("c"), Some("x y&z"));
    assert_eq!(params.optional_text("d"), None);
}

#[test]
fn every_method_reads_both_places() {
    for method in ["GET", "POST", "PATCH", "PUT", "DELETE"] {
        let content_type = "application/x-www-form-urlencoded; charset=utf-8";
        let request = request(method, "/?a=1", content_type, b"b=2");
        let params = Params::from_request(&request).unwrap();
        assert_eq!(params.required::<i64>("a").unwrap(), 1, "{method}");
        assert_eq!(params.required::<i64>("b").unwrap(), 2, "{method}");
    }
}

#[test]
fn a_json_body_is_ignored() {
    let request = request("POST", "/?a=1", "application/json", b"{\"a\":2}");
    let params = Params::from_request(&request).unwrap();
    assert_eq!(params.required_text("a").unwrap(), "1");
}

#[test]
fn what_nobody_asked_for_is_reported_sorted() {
    let request = form("/?zeta=1&path_id=7", "alpha=1&used=1");
    let params = Params::from_request(&request).unwrap();
    params.optional_text("used");
    assert!(params.contains("alpha"));
    params.mark_known(["path_id", "absent"]);
    assert_eq!(params.ignored(), ["alpha", "zeta"]);
}

#[test]
fn missing_and_ill_typed_have_different_errors() {
    let request = form("/", "n=five");
    let params = Params::from_request(&request).unwrap();
    let missing = params.required::<i64>("m").unwrap_err();
    assert_eq!(missing.code(), crate::Code::RequestVariableMissing);
    let wrong = params.required::<i64>("n").unwrap_err();
    assert_eq!(wrong.code(), crate::Code::BadRequest);
    assert!(wrong.msg().contains('n'));
}

#[test]
fn invalid_text_is_refused_wherever_it_stands() {
    for request in [
        form("/?a=%ff", ""),
        form("/?%ff=a", ""),
        form("/", "a=%00"),
        request("POST", "/", "application/x-www-form-urlencoded", b"a=\xff"),
        multipart("--XX\nContent-Disposition: form-data; name=\"a\"\n\nx\0y\n--XX--\n"),
    ] {
        let error = Params::from_request(&request).unwrap_err();
        assert_eq!(error.status(), 400, "{request:?}");
    }
}

#[test]
fn the_number_of_parameters_is_bounded() {
    let pairs = |count: usize| {
        (0..count)
            .map(|n| format!("p{n}=1"))
            .collect::<Vec<_>>()
            .join("&")
    };
    assert!(Params::from_request(&form("/", &pairs(MAX_PARAMETERS))).is_ok());
    assert!(Params::from_request(&form("/", &pairs(MAX_PARAMETERS + 1))).is_err());
    assert!(Params::from_request(&form("/?extra=1", &pairs(MAX_PARAMETERS))).is_err());
    assert!(Params::from_request(&form("/", &"a=1&".repeat(MAX_PARAMETERS + 1))).is_err());
}

#[test]
fn texts_without_a_limit_of_their_own_are_bounded() {
    let long = "é".repeat(MAX_TEXT_LENGTH + 1);
    let (ten, eleven) = (&long[2..], &long[..]);
    let body = format!("a={ten}&b={eleven}&content={eleven}&list=[{eleven}]");
    let request = form("/", &body);
    let params = Params::from_request(&request).unwrap();
    params.optional_text("a");
    params.optional_text("content");
    assert!(params.optional::<Vec<i64>>("list").is_err());
    assert!(params.check_lengths().is_ok());
    assert_eq!(params.optional_text("b"), Some(eleven));
    let error = params.check_lengths().unwrap_err();
    assert!(error.msg().contains('b') && error.msg().contains("10000"));
}

#[test]
fn multipart_values_and_files_are_told_apart() {
    let request = multipart(
        "--XX\nContent-Disposition: form-data; name=\"topic\"\n\nlünch\n\
         --XX\nContent-Disposition: form-data; name=\"any\"; filename=\"a.txt\"\n\
         Content-Type: text/plain\n\nline 1\nline 2\n\
         --XX\nContent-Disposition: form-data; name=\"empty\"\n\n\n--XX--\n",
    );
    let params = Params::from_request(&request).unwrap();
    assert_eq!(params.optional_text("topic"), Some("lünch"));
    assert_eq!(params.optional_text("empty"), Some(""));
    let [file] = params.uploaded_files() else {
        panic!("one file")
    };
    assert_eq!(
        (file.field_name.as_str(), file.file_name.as_str()),
        ("any", "a.txt")
    );
    assert_eq!(file.content_type.as_deref(), Some("text/plain"));
    assert_eq!(file.content, "line 1\r\nline 2");
    assert!(params.ignored().is_empty());
}

#[test]
fn malformed_multipart_is_400_and_an_empty_body_is_none() {
    for body in [
        "nonsense",
        "--XX\nContent-Disposition: form-data; name=\"a\"\n\nnever ends",
        "--XX\nContent-Disposition: form-data\n\nnameless\n--XX--\n",
    ] {
        let error = Params::from_request(&multipart(body)).unwrap_err();
        assert_eq!(error.status(), 400, "{body}");
    }
    let no_boundary = request("POST", "/", "multipart/form-data", b"x");
    assert!(Params::from_request(&no_boundary).is_err());
    assert!(Params::from_request(&multipart("")).is_ok());
}

#[test]
fn aliases_exclude_each_other() {
    let both = form("/", "topic=a&subject=b");
    let params = Params::from_request(&both).unwrap();
    let error = params.aliased_text(&["topic", "subject"]).unwrap_err();
    assert_eq!(error.code(), crate::Code::RequestConfusingVar);
    let one = form("/", "subject=b");
    let params = Params::from_request(&one).unwrap();
    assert_eq!(
        params.aliased_text(&["topic", "subject"]).unwrap(),
        Some("b")
    );
    assert!(params.ignored().is_empty());
}

#[test]
fn words_and_lengths_are_checked() {
    let request = form("/", "mode=partial&bad=\"partial\"&text=%20%20abcd%20");
    let params = Params::from_request(&request).unwrap();
    let words = [("true", 1), ("partial", 2)];
    assert_eq!(params.optional_enum("mode", &words).unwrap(), Some(2));
    assert_eq!(params.optional_enum("absent", &words).unwrap(), None);
    assert!(params.optional_enum("bad", &words).is_err());
    assert_eq!(params.optional_trimmed("text", 4).unwrap(), Some("abcd"));
    assert!(params.optional_trimmed("text", 3).is_err());
}

#[test]
fn only_a_body_can_change_the_method() {
    let in_query = form("/?method=DELETE", "");
    assert_eq!(
        Params::from_request(&in_query).unwrap().method_override(),
        None
    );
    let in_body = form("/", "method=patch");
    let params = Params::from_request(&in_body).unwrap();
    assert_eq!(params.method_override(), Some(Method::PATCH));
    assert!(params.ignored().is_empty());
    let other = form("/", "method=brew");
    let params = Params::from_request(&other).unwrap();
    assert_eq!(params.method_override(), None);
    assert_eq!(params.ignored(), ["method"]);
}
