"""A server that terminates TLS: the Python library with it, and its behaviour towards clients that
are slow, old, or speak plain HTTP. Also a renewed certificate, and an invalid one.

Arguments: configuration file of an owner (with cert_bundle), host:port, process id of the server, its
certificate and key, another certificate and key, the authority, a channel. Ends with status 0 and
a last line that says so when every step has passed.
"""

import base64
import configparser
import http.client
import io
import json
import os
import shutil
import signal
import socket
import ssl
import sys
import threading
import time

import requests
import zulip

rc, address, pid, certificate, key, next_certificate, next_key, authority, channel = sys.argv[1:]
host, port = address.split(":")
port = int(port)
site = f"https://{address}"
# Longer than the timeout of a handshake.
PATIENCE = 15


def success(result: dict) -> dict:
    assert result["result"] == "success", result
    return result


def trusting() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=authority)


def serial() -> str:
    """Of the certificate on a new connection."""
    with socket.create_connection((host, port), 5) as plain:
        with trusting().wrap_socket(plain, server_hostname=host) as connection:
            return connection.getpeercert()["serialNumber"]


# Handshakes that stall after a few bytes, or before the first. They must not delay other clients.
slow = []
for number in range(100):
    connection = socket.create_connection((host, port), 5)
    if number % 2:
        connection.sendall(b"\x16\x03\x01\x02\x00\x01")
    slow.append(connection)
slow_since = time.monotonic()

# The library, its long polls and its uploads.
client = zulip.Client(config_file=rc)
own = success(client.get_profile())
settings = success(client.get_server_settings())
assert settings["realm_url"] == site, settings["realm_url"]
for path in ["/api/v1/server_settings", "/api/v1/users/me", "/nothing"]:
    strict = requests.get(site + path, verify=authority).headers["Strict-Transport-Security"]
    assert strict == "max-age=31536000", strict
queue = success(client.register(event_types=["message"]))
sent = []


def until_a_poll_waits() -> None:
    watcher = zulip.Client(config_file=rc)
    deadline = time.monotonic() + PATIENCE
    while True:
        figures = success(watcher.call_endpoint("server_figures", method="GET"))
        if figures["queues"]["waiting_polls"] > 0:
            return
        assert time.monotonic() < deadline, figures
        time.sleep(0.02)


def send_to_a_poll() -> None:
    until_a_poll_waits()
    request = {"type": "stream", "to": channel, "topic": "tls", "content": "encrypted"}
    sent.append(success(client.send_message(request)))


sender = threading.Thread(target=send_to_a_poll)
sender.start()
events = success(client.get_events(queue_id=queue["queue_id"], last_event_id=-1))["events"]
sender.join()
assert [event["message"]["content"] for event in events] == ["encrypted"], events
assert time.monotonic() - slow_since < 8, "slow handshakes have held up the library"
content = os.urandom(3_000_000)
file = io.BytesIO(content)
file.name = "random.bin"
uri = success(client.upload_file(file))["uri"]
settings = configparser.ConfigParser()
settings.read(rc)
email, api_key = settings["api"]["email"], settings["api"]["key"]
fetched = requests.get(site + uri, auth=(email, api_key), verify=authority, timeout=20)
assert fetched.content == content, (fetched.status_code, len(fetched.content))

# A client that does not trust the authority refuses the connection.
try:
    requests.get(f"{site}/api/v1/server_settings", timeout=5)
    raise AssertionError("an unknown authority was accepted")
except requests.exceptions.SSLError:
    pass

# Connections are kept alive; ALPN selects HTTP/1.1, in a current version of TLS.
credentials = base64.b64encode(f"{email}:{api_key}".encode()).decode()
headers = {"Authorization": f"Basic {credentials}"}
kept = http.client.HTTPSConnection(host, port, context=trusting(), timeout=20)


def over_kept() -> dict:
    kept.request("GET", "/api/v1/users/me", headers=headers)
    return json.loads(kept.getresponse().read())


local = None
for _ in range(3):
    assert over_kept()["user_id"] == own["user_id"]
    assert local in (None, kept.sock.getsockname()), "the connection was not kept"
    local = kept.sock.getsockname()
context = trusting()
context.set_alpn_protocols(["h2", "http/1.1"])
with socket.create_connection((host, port), 5) as plain:
    with context.wrap_socket(plain, server_hostname=host) as connection:
        assert connection.selected_alpn_protocol() == "http/1.1"
        assert connection.version() == "TLSv1.3", connection.version()
context = trusting()
context.maximum_version = ssl.TLSVersion.TLSv1_2
with socket.create_connection((host, port), 5) as plain:
    with context.wrap_socket(plain, server_hostname=host) as connection:
        assert connection.version() == "TLSv1.2", connection.version()

# Plain HTTP on the same port gets an error that names the address to use.
plain = http.client.HTTPConnection(host, port, timeout=5)
plain.request("POST", "/api/v1/messages", body=b"x" * 5000)
answer = plain.getresponse()
body = json.loads(answer.read())
assert (answer.status, body["code"]) == (400, "BAD_REQUEST"), body
assert "https://" in body["msg"], body

# New connections get a renewed certificate; the old ones, and waiting polls, go on.
polled = []


def poll() -> None:
    last = events[-1]["id"]
    polled.append(client.get_events(queue_id=queue["queue_id"], last_event_id=last))


poller = threading.Thread(target=poll)
poller.start()
until_a_poll_waits()
first = serial()


def replace(new_certificate: str, new_key: str) -> None:
    shutil.copy(new_certificate, certificate)
    shutil.copy(new_key, key)
    os.kill(int(pid), signal.SIGHUP)


replace(next_certificate, next_key)
deadline = time.monotonic() + PATIENCE
while serial() == first:
    assert time.monotonic() < deadline, "the new certificate is not in use"
    time.sleep(0.05)
second = serial()
assert over_kept()["user_id"] == own["user_id"]
assert local == kept.sock.getsockname(), "the connection was not kept"
send_to_a_poll()
poller.join(PATIENCE)
assert [event["type"] for event in success(polled[0])["events"]] == ["message"], polled

# Invalid files change nothing.
replace(next_certificate, os.devnull)
time.sleep(0.5)
assert serial() == second

# By now the server has closed the slow connections.
for connection in slow:
    connection.settimeout(max(0.1, slow_since + PATIENCE - time.monotonic()))
    assert connection.recv(1) == b"", "a slow handshake is still open"
waited = time.monotonic() - slow_since
assert waited > 5, f"slow handshakes ended after {waited} s"
print("tls: all steps passed")
