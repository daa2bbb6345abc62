"""A mail server by aiosmtpd that wants STARTTLS and a password, and prints each mail as a line of JSON.

Arguments: port, certificate, key, name, password. Recipients whose address begins with "later" are put off once.
"""

import json
import ssl
import sys
import threading
from email import message_from_bytes, policy

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

port, certificate, key, name, password = sys.argv[1:]


class Mailbox:
    put_off = set()

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("later") and address not in self.put_off:
            self.put_off.add(address)
            return "451 4.7.1 try again"
        envelope.rcpt_tos.append(address)
        return "250 ok"

    async def handle_DATA(self, server, session, envelope):
        message = message_from_bytes(envelope.content, policy=policy.default)
        parts = {kind: message.get_body([kind]).get_content() for kind in ("plain", "html")}
        headers = {header: str(value) for header, value in message.items()}
        defects = [str(defect) for part in message.walk() for defect in part.defects]
        mail = {"to": envelope.rcpt_tos, "headers": headers, "defects": defects, **parts}
        print(json.dumps(mail), flush=True)
        return "250 ok"


def sign_in(server, session, envelope, mechanism, data):
    is_right = (data.login.decode(), data.password.decode()) == (name, password)
    return AuthResult(success=is_right, handled=is_right)


context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(certificate, key)
controller = Controller(
    Mailbox(),
    hostname="localhost",
    port=int(port),
    tls_context=context,
    require_starttls=True,
    authenticator=sign_in,
    auth_required=True,
)
controller.start()
print("ready", flush=True)
threading.Event().wait()
