// Settings: the files that the account has uploaded, where they are used, and how much space there is.

import { html } from "htm/preact";
import { useEffect } from "preact/hooks";
import { deleteAttachment } from "../api/attachments.js";
import { ask } from "../elements/dialog.js";
import { attempt } from "../frame/note.js";
import { sizeText } from "../elements/size.js";
import { moment, short } from "../elements/time.js";
import { loadAttachments } from "../state/attachments.js";
import { linkTo } from "../state/route.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @typedef {import("../api/attachments.js").Attachment} Attachment */

const MIB = 1024 * 1024;
/** Messages of a file that are named. */
const MOST = 5;

/** @param {Attachment} one */
const remove = (one) =>
  ask({
    title: t("delete_file", { name: one.name }),
    text: t("delete_file_text"),
    action: t("delete"),
    run: () => deleteAttachment(one.id),
  });

/** @param {{ one: Attachment }} properties */
function Uses({ one }) {
  if (one.messages.length === 0) return html`<p class="hint">${t("file_unused")}</p>`;
  const left = one.messages.length - MOST;
  return html`<p class="hint">
    ${t("file_used")}
    ${one.messages
      .slice(0, MOST)
      .map(
        (message) =>
          html` <a
            key=${message.id}
            href=${linkTo({ terms: [], near: message.id })}
            aria-label=${t("message_on", { when: moment(message.date_sent) })}
            >${short(message.date_sent)}</a
          >`,
      )}
    ${left > 0 ? ` ${t("more_messages", { n: left })}` : null}
  </p>`;
}

/** @param {{ one: Attachment }} properties */
const Line = ({ one }) =>
  html`<li class="session">
    <div class="name">
      <a href=${`/user_uploads/${one.path_id}`} target="_blank" rel="noopener"><bdi>${one.name}</bdi></a>
      <p class="hint">${sizeText(one.size)} · ${moment(one.create_time)}</p>
      <${Uses} one=${one} />
    </div>
    <button type="button" class="plain" aria-label=${`${t("delete")}: ${one.name}`} onClick=${() => remove(one)}>
      ${t("delete")}
    </button>
  </li>`;

/** How much all files take, and may take. @param {{ own: number }} properties */
function Space({ own }) {
  const used = store.personal.value["upload_space_used"] ?? 0;
  /** @type {number | null | undefined} */
  const quota = store.realm.value["realm_upload_quota_mib"];
  const values = { own: sizeText(own), used: sizeText(used) };
  if (typeof quota !== "number") return html`<p class="space">${t("space_used", values)}</p>`;
  const most = quota * MIB;
  return html`<p class="space">${t("space_used_of", { ...values, most: sizeText(most) })}</p>
    <meter aria-label=${t("space")} min="0" max=${most} high=${most * 0.9} value=${Math.min(used, most)}></meter>`;
}

export function Files() {
  /** @type {Attachment[] | undefined} */
  const all = store.personal.value["attachments"];
  const isMissing = all === undefined;
  // A client that registers anew has no list either.
  useEffect(() => {
    if (isMissing) void attempt(loadAttachments);
  }, [isMissing]);
  if (isMissing)
    return html`<section>
      <h2>${t("files")}</h2>
      <p role="status">${t("loading")}</p>
    </section>`;
  const listed = all.toSorted((a, b) => b.create_time - a.create_time || b.id - a.id);
  return html`<section class="broad files">
    <h2>${t("files")}</h2>
    <${Space} own=${all.reduce((sum, one) => sum + one.size, 0)} />
    ${listed.length === 0 ? html`<p class="hint">${t("no_files")}</p>` : null}
    <ul class="names">
      ${listed.map((one) => html`<${Line} key=${one.id} one=${one} />`)}
    </ul>
  </section>`;
}
