// The beginning: draws the client, and asks for the session that the browser may have.

import { render } from "preact";
import { html } from "htm/preact";
import "@preact/signals";
import "./state/follow.js";
import { connect } from "./state/link.js";
import { beginToSpeak } from "./strings/text.js";
import { App } from "./frame/app.js";

const place = document.getElementById("app");
connect();
await beginToSpeak();
// The page itself shows the frame until here; `App` shows the same until there is something in it.
place?.replaceChildren();
if (place !== null) render(html`<${App} />`, place);
