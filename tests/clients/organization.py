"""Administrators and members with the Python library, against a running server: users, groups,
channels, the organization's settings, private data.

Arguments: configuration file of an owner who may create users, of a member. Ends with status 0
and a last line that says so when every step has passed.
"""

import io
import struct
import sys
import uuid
import zlib

import zulip

owner_rc, member_rc = sys.argv[1:]
owner = zulip.Client(config_file=owner_rc)
member = zulip.Client(config_file=member_rc)
own_id = owner.get_profile()["user_id"]
member_id = member.get_profile()["user_id"]
mark = uuid.uuid4().hex[:8]


# Parameters that the library repeats in the body, although they are in the path.
REPEATED = {"group_id", "stream", "stream_id"}


def success(result: dict) -> dict:
    assert result["result"] == "success", result
    assert set(result.get("ignored_parameters_unsupported", [])) <= REPEATED, result
    return result


def refused(result: dict, code: str = "BAD_REQUEST") -> dict:
    assert result["result"] == "error" and result["code"] == code, result
    return result


def picture(name: str) -> io.BytesIO:
    """A green square of 64 pixels, as a PNG file."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = b"".join(b"\0" + b"\x20\xa0\x40" * 64 for _ in range(64))
    file = io.BytesIO(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )
    file.name = name
    return file


def people() -> None:
    email = f"grace-{mark}@example.com"
    new = {"email": email, "password": "a long one 1", "full_name": f"Grace {mark}"}
    created = success(owner.create_user(new))["user_id"]
    refused(member.create_user({**new, "email": f"x{email}"}), "UNAUTHORIZED_PRINCIPAL")
    assert success(owner.get_user_by_id(created))["user"]["full_name"] == f"Grace {mark}"
    success(owner.update_user_by_id(created, full_name=f"Grace H {mark}", role=300))
    refused(member.update_user_by_id(created, full_name="x"), "UNAUTHORIZED_PRINCIPAL")
    users = success(member.get_members({"client_gravatar": False}))["members"]
    found = next(user for user in users if user["user_id"] == created)
    assert (found["full_name"], found["role"]) == (f"Grace H {mark}", 300), found
    success(owner.deactivate_user_by_id(created))
    assert not success(owner.get_user_by_id(created))["user"]["is_active"]
    success(owner.reactivate_user_by_id(created))
    assert success(member.get_user_by_id(created))["user"]["is_active"]


def invitations() -> None:
    # The library has no method of its own for them.
    email = f"invited-{mark}@example.com"
    request = {
        "invitee_emails": email,
        "invite_expires_in_minutes": 60,
        "invite_as": 400,
        "stream_ids": [],
        "include_realm_default_subscriptions": True,
    }
    success(member.call_endpoint(url="/invites", method="POST", request=request))
    repeated = refused(
        owner.call_endpoint(url="/invites", method="POST", request=request),
        "INVITATION_FAILED",
    )
    assert repeated["errors"][0][0] == email, repeated
    listed = success(member.call_endpoint(url="/invites", method="GET"))["invites"]
    invitation = next(item for item in listed if item["email"] == email)
    new = {
        "key": invitation["link_url"].rsplit("/", 1)[1],
        "full_name": f"Ida {mark}",
        "password": "a long one 1",
    }
    joined = success(member.call_endpoint(url="/invites/join", method="POST", request=new))
    found = success(owner.get_user_by_id(joined["user_id"]))["user"]
    assert found["full_name"] == f"Ida {mark}", found
    link = {"invite_expires_in_minutes": None}
    made = success(owner.call_endpoint(url="/invites/multiuse", method="POST", request=link))
    assert "/join/" in made["invite_link"], made
    listed = success(owner.call_endpoint(url="/invites", method="GET"))["invites"]
    many = next(item for item in listed if item.get("link_url") == made["invite_link"])
    path = f"/invites/multiuse/{many['id']}"
    success(owner.call_endpoint(url=path, method="DELETE"))


def profile_fields() -> None:
    field = success(
        owner.create_realm_profile_field(name=f"Pet {mark}", hint="any", field_type=1)
    )["id"]
    success(owner.update_realm_profile_field(field, name=f"Pets {mark}"))
    fields = success(owner.get_realm_profile_fields())["custom_fields"]
    assert any(item["name"] == f"Pets {mark}" for item in fields), fields
    order = [item["id"] for item in reversed(fields)]
    success(owner.reorder_realm_profile_fields(order=order))
    success(owner.update_user_by_id(member_id, profile_data=[{"id": field, "value": "cat"}]))
    profile = member.get_profile()["profile_data"]
    assert profile[str(field)]["value"] == "cat", profile
    success(owner.remove_realm_profile_field(field))


def groups() -> None:
    name = f"readers {mark}"
    group = {"name": name, "description": "who reads", "members": [own_id]}
    success(owner.create_user_group(group))
    listed = success(member.get_user_groups())["user_groups"]
    group_id = next(item["id"] for item in listed if item["name"] == name)
    success(owner.update_user_group({"group_id": group_id, "description": "who reads a lot"}))
    success(owner.update_user_group_members(group_id, {"add": [member_id]}))
    listed = success(member.get_user_groups())["user_groups"]
    members = next(item["members"] for item in listed if item["id"] == group_id)
    assert members == sorted([own_id, member_id]), members


def channels() -> None:
    name = f"planning {mark}"
    subscribed = success(
        owner.add_subscriptions(
            streams=[{"name": name, "description": "what next"}], principals=[own_id, member_id]
        )
    )
    assert subscribed["subscribed"] == {str(own_id): [name], str(member_id): [name]}, subscribed
    stream_id = success(member.get_stream_id(name))["stream_id"]
    success(owner.update_stream({"stream_id": stream_id, "description": "what comes next"}))
    streams = success(member.get_streams())["streams"]
    stream = next(item for item in streams if item["stream_id"] == stream_id)
    assert stream["description"] == "what comes next", stream
    assert success(member.get_subscribers(stream=name))["subscribers"] == sorted(
        [own_id, member_id]
    )
    assert success(member.get_subscription_status(member_id, stream_id))["is_subscribed"]
    colour = {"stream_id": stream_id, "property": "color", "value": "#00ff00"}
    success(member.update_subscription_settings([colour]))
    mine = success(member.get_subscriptions())["subscriptions"]
    assert any(s["name"] == name and s["color"] == "#00ff00" for s in mine), mine
    success(owner.add_default_stream(stream_id))
    removed = success(member.remove_subscriptions([name]))
    assert (removed["removed"], removed["not_removed"]) == ([name], []), removed
    success(owner.delete_stream(stream_id))
    streams = success(member.get_streams())["streams"]
    assert all(item["stream_id"] != stream_id for item in streams)


def linkifiers() -> None:
    pattern = f"{mark}-(?P<id>[0-9]+)"
    added = success(owner.add_realm_filter(pattern, "https://example.com/{id}"))["id"]
    refused(member.add_realm_filter("x(?P<id>1)", "https://x/{id}"), "UNAUTHORIZED_PRINCIPAL")
    listed = success(member.get_realm_linkifiers())["linkifiers"]
    assert any(item["id"] == added and item["pattern"] == pattern for item in listed), listed
    message = {"type": "private", "to": [member_id], "content": f"see {mark}-42"}
    sent = success(owner.send_message(message))["id"]
    window = {"anchor": sent, "num_before": 0, "num_after": 0, "apply_markdown": True}
    content = success(member.get_messages(window))["messages"][0]["content"]
    assert 'href="https://example.com/42"' in content, content
    success(owner.remove_realm_filter(added))


def files() -> None:
    uploaded = success(member.upload_file(picture("square.png")))
    assert uploaded["url"].startswith("/user_uploads/"), uploaded
    attachments = success(member.get_attachments())["attachments"]
    assert any(item["name"] == "square.png" for item in attachments), attachments
    emoji = f"square_{mark}"
    success(owner.upload_custom_emoji(emoji, picture("square.png")))
    table = success(member.get_realm_emoji())["emoji"]
    assert any(item["name"] == emoji for item in table.values()), table
    success(owner.delete_custom_emoji(emoji))


def own_things() -> None:
    success(member.add_alert_words([mark, "lunch"]))
    assert set(success(member.get_alert_words())["alert_words"]) == {mark, "lunch"}
    success(member.remove_alert_words(["lunch"]))
    presence = {"status": "active", "ping_only": False, "new_user_input": True}
    assert "presences" in success(member.update_presence(presence))
    email = member.get_profile()["email"]
    seen = success(owner.get_user_presence(email))["presence"]
    assert seen["aggregated"]["status"] == "active", seen
    assert email in success(owner.get_realm_presence())["presences"]
    setting = {"enable_stream_push_notifications": True}
    success(member.update_notification_settings(setting))


steps = [people, invitations, profile_fields, groups, channels, linkifiers, files, own_things]
for step in steps:
    step()
print("organization: all steps passed")
