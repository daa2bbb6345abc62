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
if (place !== null) render(html`<${App} />`, place);
