// Everybody: as a view, and as the column next to the view where there is room for it.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Filter } from "../elements/filter.js";
import { useDrawn } from "../elements/gradually.js";
import { Icon } from "../elements/icon.js";
import { startWriting } from "../compose/compose-state.js";
import { followsLink } from "../frame/conversation-line.js";
import { openInvite } from "../frame/open.js";
import { isFilterWanted, showColumn } from "../frame/people-column.js";
import { everyone } from "../state/people.js";
import { mayInvite } from "../state/rights.js";
import { conversation } from "../state/route.js";
import { t } from "../strings/text.js";
import { PersonLine } from "./person-line.js";
import { statusOf } from "./status.js";

/** Lines that are drawn; filtering finds the rest. */
const MOST = 500;
const sought = signal("");

/** @param {{ hasStatus: boolean }} properties whether there is room for the words of a status */
function List({ hasStatus }) {
  const words = sought.value.trim().toLowerCase();
  const found = everyone.value.filter(
    ({ name, email }) => name.toLowerCase().includes(words) || email.toLowerCase().startsWith(words),
  );
  const drawn = useDrawn(Math.min(found.length, MOST));
  const here = conversation.value;
  const current = here?.kind === "direct" && here.people.length === 1 ? here.people[0] : 0;
  if (found.length === 0) return html`<p class="edge">${t("nothing_found")}</p>`;
  return html`<ul>
    ${found.slice(0, Math.min(drawn, MOST)).map(
      ({ id, name }) =>
        html`<li key=${id}>
          <${PersonLine} id=${id} name=${name} isHere=${id === current} />
          ${hasStatus ? html`<span class="about"><bdi>${statusOf(id).text}</bdi></span>` : null}
        </li>`,
    )}
  </ul>`;
}

/** Enter opens the conversation with the first, Escape empties the filter. @param {KeyboardEvent & { currentTarget: HTMLElement }} event */
function key({ currentTarget, target, key: name, isComposing }) {
  if (isComposing || !(target instanceof HTMLInputElement) || (name !== "Enter" && name !== "Escape")) return;
  const link = currentTarget.querySelector("ul a");
  if (name === "Enter" && sought.value !== "" && link instanceof HTMLElement) link.click();
  sought.value = "";
  target.blur();
}

/** @param {{ hasStatus: boolean }} properties */
function Everyone({ hasStatus }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (!isFilterWanted.value) return;
    isFilterWanted.value = false;
    place.current?.querySelector("input")?.focus();
  }, [isFilterWanted.value]);
  const chosen = (/** @type {MouseEvent} */ event) => followsLink(event) && (sought.value = "");
  return html`<div class="everyone" ref=${place} onKeyDown=${key} onClick=${chosen}>
    <${Filter} sought=${sought} /><${List} hasStatus=${hasStatus} />
  </div>`;
}

export const PeopleColumn = () =>
  html`<div class="head">
      <h2>${t("people")}</h2>
      <button
        type="button"
        class="quiet"
        title=${t("new_direct")}
        aria-label=${t("new_direct")}
        onClick=${() => startWriting({ kind: "direct", people: [] })}
      >
        <${Icon} name="add" />
      </button>
      <button
        type="button"
        class="quiet"
        title=${t("hide_people")}
        aria-label=${t("hide_people")}
        onClick=${() => showColumn(false)}
      >
        <${Icon} name="close" />
      </button>
    </div>
    <${Everyone} hasStatus=${false} />
    ${
      mayInvite()
        ? html`<button type="button" class="more" aria-haspopup="dialog" onClick=${openInvite}>${t("invite")}</button>`
        : null
    }`;

export const People = () =>
  html`<div class="page" tabindex="0" role="region" aria-label=${t("people")}>
    <div class="sheet browse">
      ${
        mayInvite()
          ? html`<div class="buttons">
              <button type="button" class="plain" onClick=${openInvite}><${Icon} name="add" /> ${t("invite")}</button>
            </div>`
          : null
      }
      <${Everyone} hasStatus=${true} />
    </div>
  </div>`;
