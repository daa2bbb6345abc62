// The browsers in which one is signed in, and ending what is forgotten somewhere.

import { html } from "htm/preact";
import { endSession, getSessions } from "../api/sessions.js";
import { t } from "../strings/text.js";
import { Dialog, open } from "../elements/dialog.js";
import { attempt } from "../frame/note.js";
import { moment } from "../elements/time.js";

export async function openSessions() {
  const { sessions } = await getSessions();
  const end = (/** @type {number} */ id) =>
    attempt(async () => {
      await endSession(id);
      await openSessions();
    });
  open.value = () =>
    html`<${Dialog} title=${t("sessions")}>
      <ul class="names">
        ${sessions.map(
          (one) =>
            html`<li key=${one.id} class="session">
              <span>
                ${one.client} ${one.is_current ? html`<span class="tag">${t("this_browser")}</span>` : null}
                <span class="hint">${t("last_used", { when: moment(one.last_used) })}</span>
              </span>
              ${
                one.is_current
                  ? null
                  : html`<button
                      type="button"
                      class="plain"
                      aria-label=${`${t("sign_out")}: ${one.client}`}
                      onClick=${() => end(one.id)}
                    >
                      ${t("sign_out")}
                    </button>`
              }
            </li>`,
        )}
      </ul>
    <//>`;
}
