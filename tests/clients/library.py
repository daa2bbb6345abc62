"""Operations of a user of the Python library, against a running server.

Arguments: configuration file of the reader, of the sender, path of zulip-send, channel, address
of the reader. Ends with status 0 and a last line that says so when every step has passed.
"""

import queue
import subprocess
import sys
import threading

import zulip

reader_rc, sender_rc, zulip_send, channel, reader_email = sys.argv[1:]
TIMEOUT = 20


def success(result: dict) -> dict:
    assert result["result"] == "success", result
    return result


reader = zulip.Client(config_file=reader_rc)
sender = zulip.Client(config_file=sender_rc)

own = success(reader.get_profile())
assert own["email"] == reader_email, own
assert success(reader.get_server_settings())["zulip_feature_level"] == 496

# Two messages by zulip-send arrive through call_on_each_event.
received: "queue.Queue[dict]" = queue.Queue()
registered = threading.Event()
original_register = reader.register


def register(*args, **kwargs):
    result = original_register(*args, **kwargs)
    if result["result"] == "success":
        registered.set()
    return result


reader.register = register
threading.Thread(
    target=lambda: reader.call_on_each_event(received.put, event_types=["message"]),
    daemon=True,
).start()
assert registered.wait(TIMEOUT), "the library did not register"


def send(*words: str) -> None:
    command = [zulip_send, "--config-file", sender_rc, *words]
    subprocess.run(command, check=True, timeout=TIMEOUT, stdout=subprocess.DEVNULL)


send("--stream", channel, "--subject", "greetings", "--message", "to the channel")
event = received.get(timeout=TIMEOUT)
message = event["message"]
assert event["type"] == "message" and isinstance(event["flags"], list), event
assert (message["type"], message["display_recipient"]) == ("stream", channel), message
assert (message["subject"], message["content"]) == ("greetings", "to the channel"), message

send(reader_email, "--message", "to one person")
message = received.get(timeout=TIMEOUT)["message"]
assert (message["type"], message["content"]) == ("private", "to one person"), message
people = {person["email"] for person in message["display_recipient"]}
assert people == {reader_email, message["sender_email"]}, people

# Statuses are set by one account and read by the other.
status = {"status_text": "trying the library", "emoji_name": "car"}
success(reader.call_endpoint("users/me/status", method="POST", request=status))
found = success(sender.call_endpoint(f"users/{own['user_id']}/status", method="GET"))["status"]
assert found["status_text"] == "trying the library", found
assert found["emoji_code"] == "1f697", found

# After its queue is deleted, the client registers a new one.
first = success(sender.register(event_types=["message"]))
empty = success(
    sender.get_events(queue_id=first["queue_id"], last_event_id=-1, dont_block=True)
)
assert empty["events"] == [], empty
success(sender.deregister(first["queue_id"]))
gone = sender.get_events(queue_id=first["queue_id"], last_event_id=-1, dont_block=True)
assert (gone["result"], gone["code"]) == ("error", "BAD_EVENT_QUEUE_ID"), gone
second = success(sender.register(event_types=["message"]))
assert second["queue_id"] != first["queue_id"]

# Sent messages can be fetched.
history = success(
    reader.get_messages(
        {
            "anchor": "newest",
            "num_before": 10,
            "num_after": 0,
            "narrow": [{"operator": "channel", "operand": channel}],
            "apply_markdown": False,
        }
    )
)
assert [item["content"] for item in history["messages"]] == ["to the channel"], history

print("library: all steps passed")
