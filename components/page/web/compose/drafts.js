// Drafts: to whom, when, what; opening and deleting them.

import { html } from "htm/preact";
import { openNext } from "./compose-state.js";
import { moment } from "../elements/time.js";
import { attempt, note } from "../frame/note.js";
import { drafts, removeDraft, restoreDraft } from "../state/drafts.js";
import { go, linkToPeople, linkToTopic } from "../state/route.js";
import { namesOf, topicName } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @typedef {import("../state/draft-list.js").Draft} Draft */

/** @param {Draft} draft @returns {{ name: string, link: string }} */
function placeOf({ to }) {
  if (to?.kind === "direct" && to.people.length > 0) return { name: namesOf(to.people), link: linkToPeople(to.people) };
  const channel = to?.kind === "topic" ? store.channels.value.get(to.stream_id) : undefined;
  if (to?.kind !== "topic" || channel === undefined) return { name: t("to_nobody"), link: "#feed" };
  return { name: `${channel.name} › ${topicName(to.topic)}`, link: linkToTopic(to.stream_id, to.topic) };
}

/** @param {Draft} draft */
const remove = (draft) =>
  attempt(async () => {
    await removeDraft(draft);
    note(t("draft_deleted"), async () => restoreDraft(draft));
  });

/** @param {{ draft: Draft }} properties */
function Line({ draft }) {
  const { name, link } = placeOf(draft);
  const open = () => {
    openNext(draft);
    go(link);
  };
  return html`<li>
    <p class="to">
      <b class="name"><bdi>${name}</bdi></b> <span class="hint">${moment(draft.at)}</span>
      ${draft.isHere ? html`<span class="tag">${t("only_here")}</span>` : null}
    </p>
    <p class="words" dir="auto">${draft.text}</p>
    <div class="buttons">
      <button type="button" class="plain" aria-label=${`${t("continue_draft")}: ${name}`} onClick=${open}>
        ${t("continue_draft")}
      </button>
      <button type="button" class="plain" aria-label=${`${t("delete")}: ${name}`} onClick=${() => remove(draft)}>
        ${t("delete")}
      </button>
    </div>
  </li>`;
}

export function Drafts() {
  const all = drafts.value;
  return html`<div class="page" tabindex="0" role="region" aria-label=${t("drafts")}>
    ${
      all.length === 0
        ? html`<div class="nothing">
            <h2>${t("no_drafts")}</h2>
            <p>${t("no_drafts_text")}</p>
          </div>`
        : html`<div class="sheet">
            <ul class="later">
              ${all.map((one) => html`<${Line} key=${one.uid} draft=${one} />`)}
            </ul>
          </div>`
    }
  </div>`;
}
