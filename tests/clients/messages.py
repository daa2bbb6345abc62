"""Two users of the Python library against a running server: every method of the library about
messages, flags, reactions, topics and bot storage.

Arguments: configuration file of an owner, of a member, of a bot; names of two channels that the
three are subscribed to. Ends with status 0 and a last line that says so when every step has passed.
"""

import sys
import time
import uuid

import zulip

owner_rc, member_rc, bot_rc, channel, other_channel = sys.argv[1:]
owner = zulip.Client(config_file=owner_rc)
member = zulip.Client(config_file=member_rc)
bot = zulip.Client(config_file=bot_rc)
owner_profile, member_profile = owner.get_profile(), member.get_profile()
mark = uuid.uuid4().hex[:8]

# Parameters that the library repeats in the body, although they are in the path.
REPEATED = {"message_id", "stream_id"}


def success(result: dict) -> dict:
    assert result["result"] == "success", result
    assert set(result.get("ignored_parameters_unsupported", [])) <= REPEATED, result
    return result


def refused(result: dict, code: str = "BAD_REQUEST") -> dict:
    assert result["result"] == "error" and result["code"] == code, result
    return result


def say(client: zulip.Client, topic: str, content: str, to: str = channel) -> int:
    message = {"type": "stream", "to": to, "subject": topic, "content": content}
    return success(client.send_message(message))["id"]


def sent_in_every_form() -> None:
    own, other = owner_profile["user_id"], member_profile["user_id"]
    stream_id = success(owner.get_stream_id(channel))["stream_id"]
    ids = [
        success(owner.send_message(message))["id"]
        for message in (
            {"type": "stream", "to": channel, "subject": "forms", "content": "by name"},
            {"type": "channel", "to": stream_id, "topic": "forms", "content": "by id"},
            {"type": "stream", "to": [channel], "topic": "forms", "content": "a list"},
            {"type": "private", "to": [other], "content": "by id"},
            {"type": "direct", "to": [own, other], "content": "with oneself"},
            {"type": "private", "to": member_profile["email"], "content": "by address"},
            {"type": "private", "to": [member_profile["email"]], "content": "a list of addresses"},
        )
    ]
    assert ids == sorted(set(ids)), ids
    refused(
        owner.send_message({"type": "channel", "to": "no such " + mark, "topic": "t", "content": "x"}),
        "STREAM_DOES_NOT_EXIST",
    )
    refused(owner.send_message({"type": "channel", "to": channel, "topic": "t", "content": ""}))
    rendered = success(owner.render_message({"content": "**bold**"}))["rendered"]
    assert rendered == "<p><strong>bold</strong></p>", rendered


def read_and_searched() -> None:
    word = f"zebra{mark}"
    message_id = say(member, "animals", f"The {word} has [a link](https://example.com/)")
    plain = say(member, "animals", "nothing of the sort")
    narrow = [{"operator": "channel", "operand": channel}, {"operator": "topic", "operand": "animals"}]
    window = {"anchor": "newest", "num_before": 100, "num_after": 0, "narrow": narrow}
    page = success(owner.get_messages(window))
    assert [item["id"] for item in page["messages"]] == [message_id, plain], page
    assert page["found_newest"] and page["found_oldest"], page
    window["narrow"] = [["search", word]]
    (hit,) = success(owner.get_messages(window))["messages"]
    assert hit["id"] == message_id and "highlight" in hit["match_content"], hit
    raw = success(owner.get_raw_message(message_id))
    assert raw["raw_content"].startswith(f"The {word}"), raw
    link = [{"operator": "has", "operand": "link"}]
    matches = success(owner.check_messages_match_narrow(msg_ids=[message_id, plain], narrow=link))
    assert list(matches["messages"]) == [str(message_id)], matches
    nowhere = [{"operator": "channel", "operand": "no such " + mark}]
    assert refused(owner.check_messages_match_narrow(msg_ids=[plain], narrow=nowhere), "BAD_NARROW")["desc"]


def edited_moved_deleted() -> None:
    first = say(owner, "plans", "first draft")
    second = say(member, "plans", "an answer")
    success(owner.update_message({"message_id": first, "content": "second draft"}))
    history = success(member.get_message_history(first))["message_history"]
    assert [step["content"] for step in history] == ["first draft", "second draft"], history
    refused(member.update_message({"message_id": first, "content": "not mine"}))
    success(
        owner.update_message(
            {
                "message_id": first,
                "topic": "better plans",
                "propagate_mode": "change_all",
                "send_notification_to_old_thread": False,
                "send_notification_to_new_thread": False,
            }
        )
    )
    subjects = {
        success(owner.call_endpoint(f"messages/{item}", method="GET"))["message"]["subject"]
        for item in (first, second)
    }
    assert subjects == {"better plans"}, subjects
    success(owner.move_topic(channel, other_channel, "better plans", "best plans"))
    moved = success(owner.call_endpoint(f"messages/{second}", method="GET"))["message"]
    assert (moved["display_recipient"], moved["subject"]) == (other_channel, "best plans"), moved
    refused(member.delete_message(first))
    success(owner.delete_message(first))
    refused(owner.delete_message(first))


def flagged_and_read() -> None:
    ids = [say(owner, "flags", f"number {number}") for number in range(4)]
    stream_id = success(member.get_stream_id(channel))["stream_id"]
    star = {"messages": ids[:2], "op": "add", "flag": "starred"}
    assert success(member.update_message_flags(star))["messages"] == ids[:2]
    refused(member.update_message_flags({**star, "flag": "mentioned"}))

    def unread() -> set:
        narrow = [["is", "unread"], ["stream", channel], ["topic", "flags"]]
        window = {"anchor": "newest", "num_before": 100, "num_after": 0, "narrow": narrow}
        return {item["id"] for item in success(member.get_messages(window))["messages"]}

    assert unread() == set(ids)
    success(member.update_message_flags({"messages": ids[:1], "op": "add", "flag": "read"}))
    assert unread() == set(ids[1:])
    success(member.mark_topic_as_read(stream_id, "flags"))
    assert unread() == set()
    say(owner, "flags", "another")
    success(member.mark_stream_as_read(stream_id))
    say(owner, "flags", "and another")
    assert success(member.mark_all_as_read())["complete"] is True
    assert unread() == set()


def reacted() -> None:
    message_id = say(owner, "reactions", "what do you think?")
    octopus = {"message_id": message_id, "emoji_name": "octopus"}
    success(member.add_reaction(octopus))
    refused(member.add_reaction(octopus), "REACTION_ALREADY_EXISTS")
    (reaction,) = success(owner.call_endpoint(f"messages/{message_id}", method="GET"))["message"]["reactions"]
    assert reaction["emoji_code"] == "1f419", reaction
    assert reaction["user_id"] == member_profile["user_id"], reaction
    success(member.remove_reaction(octopus))
    refused(member.remove_reaction(octopus), "REACTION_DOES_NOT_EXIST")


def topics_and_typing() -> None:
    stream_id = success(member.get_stream_id(channel))["stream_id"]
    newest = say(owner, "the newest", "here")
    topics = success(member.get_stream_topics(stream_id))["topics"]
    assert topics[0] == {"name": "the newest", "max_id": newest}, topics
    success(member.mute_topic({"op": "add", "stream": channel, "topic": "the newest"}))
    muted = success(member.register(event_types=["muted_topics"]))["muted_topics"]
    assert [channel, "the newest"] in [entry[:2] for entry in muted], muted
    success(member.mute_topic({"op": "remove", "stream": channel, "topic": "the newest"}))
    queue = success(owner.register(event_types=["typing"]))
    success(member.set_typing_status({"op": "start", "to": [owner_profile["user_id"]]}))
    (event,) = success(
        owner.get_events(queue_id=queue["queue_id"], last_event_id=queue["last_event_id"])
    )["events"]
    assert event["sender"]["user_id"] == member_profile["user_id"], event
    assert isinstance(success(member.get_stream_email_address(stream_id))["email"], str)


def events_of_messages() -> None:
    kinds = ["message", "update_message", "reaction", "update_message_flags", "delete_message"]
    queue = success(owner.register(event_types=kinds))
    message_id = say(owner, "events", "one")
    success(owner.update_message({"message_id": message_id, "content": "two"}))
    success(owner.add_reaction({"message_id": message_id, "emoji_name": "tada"}))
    success(owner.update_message_flags({"messages": [message_id], "op": "add", "flag": "starred"}))
    success(owner.delete_message(message_id))
    seen, last, deadline = [], queue["last_event_id"], time.monotonic() + 20
    while "delete_message" not in seen and time.monotonic() < deadline:
        events = success(owner.get_events(queue_id=queue["queue_id"], last_event_id=last))["events"]
        seen += [event["type"] for event in events if event["type"] != "heartbeat"]
        last = max(event["id"] for event in events)
    assert seen == kinds, seen
    success(owner.deregister(queue["queue_id"]))


def storage_of_bots() -> None:
    success(bot.update_storage({"storage": {"one": "1", "two": "2", "three": "3"}}))
    assert success(bot.get_storage())["storage"] == {"one": "1", "two": "2", "three": "3"}
    assert success(bot.get_storage({"keys": ["two"]}))["storage"] == {"two": "2"}


sent_in_every_form()
read_and_searched()
edited_moved_deleted()
flagged_and_read()
reacted()
topics_and_typing()
events_of_messages()
storage_of_bots()

print("messages: all steps passed")
