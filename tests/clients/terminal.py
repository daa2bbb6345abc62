"""zulip-terminal, unmodified, in a terminal of its own: it starts, lists channels, opens a topic,
sends, receives live, edits, reacts, stars, searches. The script reads its screen.

Arguments: path of zulip-term, its configuration file, configuration file of another user who
writes to it, name of a channel that both are subscribed to. Ends with status 0 and a last line
that says so when every step has passed.
"""

import sys
import tempfile
import threading
import time

import pexpect
import pyte
import zulip

zulip_term, own_rc, other_rc, channel = sys.argv[1:]
COLUMNS, LINES, PATIENCE = 160, 50, 30

other = zulip.Client(config_file=other_rc)
own = zulip.Client(config_file=own_rc)
ESCAPE, ENTER, SEND, RIGHT = "\x1b", "\r", "\x04", "\x1b[C"


def say(topic: str, content: str) -> int:
    message = {"type": "stream", "to": channel, "subject": topic, "content": content}
    result = other.send_message(message)
    assert result["result"] == "success", result
    return result["id"]


def read(message_id: int) -> dict:
    result = own.call_endpoint(f"messages/{message_id}", method="GET")
    assert result["result"] == "success", result
    return result["message"]


class Terminal:
    """A terminal with the client in it, and the content of its screen."""

    def __init__(self, *arguments: str) -> None:
        self.screen = pyte.Screen(COLUMNS, LINES)
        stream = pyte.Stream(self.screen)
        self.lock = threading.Lock()
        self.child = pexpect.spawn(
            arguments[0],
            list(arguments[1:]),
            dimensions=(LINES, COLUMNS),
            encoding="utf-8",
            env={"TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": tempfile.mkdtemp(), "PATH": "/usr/bin:/bin"},
        )

        def follow() -> None:
            while True:
                try:
                    text = self.child.read_nonblocking(65536, timeout=None)
                except (pexpect.EOF, OSError, ValueError):
                    return
                with self.lock:
                    stream.feed(text)

        threading.Thread(target=follow, daemon=True).start()

    def text(self) -> str:
        with self.lock:
            return "\n".join(self.screen.display)

    def expect(self, wanted: str) -> None:
        """Waits until the screen shows this."""
        self.wait(lambda: wanted in self.text(), f"{wanted!r} on the screen")

    def press_until(self, wanted: str, *keys: str) -> None:
        """Presses keys until the screen shows this: a client that still loads drops them."""
        for _ in range(4):
            self.press(*keys)
            deadline = time.monotonic() + PATIENCE / 5
            while time.monotonic() < deadline:
                if wanted in self.text():
                    return
                time.sleep(0.3)
        self.expect(wanted)

    def wait(self, met, what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not met():
            assert self.child.isalive(), f"the client ended\n{self.text()}"
            assert time.monotonic() < deadline, f"no {what}\n{self.text()}"
            time.sleep(0.3)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.child.send(key)
            # An escape with another key right behind it would count as a key combination.
            time.sleep(0.4)


def start() -> Terminal:
    """The client with the first message on its screen. Its threads may draw before it has a
    screen to draw on, whatever the server does; it dies of that and is started again."""
    for _ in range(5):
        started = Terminal(zulip_term, "--config-file", own_rc, "--no-notify")
        started.wait(
            lambda: any(text in started.text() for text in ("the first message", "in update_screen")),
            "first screen",
        )
        if "in update_screen" not in started.text():
            return started
        started.child.close(force=True)
    raise AssertionError("the client does not get as far as its first screen")


# It starts, lists the channel and shows the message.
first = say("arrivals", "the first message")
terminal = start()
terminal.expect(channel)

# It narrows to the topic of that message, and receives live there. At first the keys go to the
# list of views.
terminal.press_until("topic narrow", RIGHT, "S")
say("arrivals", "received live")
terminal.expect("received live")

# It sends an answer to the topic.
terminal.press("r")
terminal.press("an answer from the terminal", SEND)


def newest() -> dict:
    window = {
        "anchor": "newest",
        "num_before": 1,
        "num_after": 0,
        "apply_markdown": False,
        "narrow": [["stream", channel], ["topic", "arrivals"]],
    }
    result = own.get_messages(window)
    assert result["result"] == "success", result
    return result["messages"][-1]


terminal.wait(lambda: newest()["content"] == "an answer from the terminal", "answer sent")
answer = newest()["id"]
terminal.press(ESCAPE)
terminal.expect("an answer from the terminal")

# It edits what it has sent.
terminal.press("G", "e")
terminal.press("\x15", "an edited answer", SEND)
terminal.wait(lambda: newest()["content"] == "an edited answer", "edited message")
terminal.press(ESCAPE)
terminal.expect("an edited answer")

# It reacts. This release then expects a field of the event that current servers no longer send, and
# shows a notice about it, which the script closes.
terminal.press("G", "+")
terminal.wait(lambda: len(read(answer)["reactions"]) == 1, "reaction made")
time.sleep(1)
terminal.press(ESCAPE)

# It stars.
terminal.press("*")
terminal.wait(lambda: "starred" in read(answer)["flags"], "starred message")

# It searches.
terminal.press("/")
terminal.press("edited", ENTER)
terminal.wait(
    lambda: "an edited answer" in terminal.text() and "received live" not in terminal.text(),
    "result of the search alone",
)

# It ends, and deletes its queue.
terminal.press("\x03")
deadline = time.monotonic() + PATIENCE
while terminal.child.isalive() and time.monotonic() < deadline:
    time.sleep(0.05)
assert not terminal.child.isalive(), terminal.text()

print("terminal: all steps passed")
