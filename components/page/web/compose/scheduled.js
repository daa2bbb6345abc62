// What is sent later: when, to whom, and changing or deleting it.

import { html } from "htm/preact";
import { createScheduledMessage, deleteReminder, deleteScheduledMessage } from "../api/later.js";
import { ask } from "../elements/dialog.js";
import { attempt, note } from "../frame/note.js";
import { Rendered } from "../messages/rendered.js";
import { openScheduled } from "./schedule.js";
import { moment } from "../elements/time.js";
import { linkTo, linkToPeople, linkToTopic } from "../state/route.js";
import { namesOf, topicName } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @param {any} message */
const remove = (message) =>
  attempt(async () => {
    await deleteScheduledMessage(message.scheduled_message_id);
    const { to, topic, content, scheduled_delivery_timestamp } = message;
    const where =
      message.type === "private"
        ? { type: /** @type {const} */ ("direct"), to }
        : { type: /** @type {const} */ ("channel"), to, topic };
    note(t("scheduled_deleted"), () => createScheduledMessage({ ...where, content, scheduled_delivery_timestamp }));
  });

/** @param {any} message @returns {{ name: string, link: string }} */
function placeOf(message) {
  if (message.type === "private") return { name: namesOf(message.to), link: linkToPeople(message.to) };
  const channel = store.channels.value.get(message.to)?.name ?? t("unknown_channel");
  return { name: `${channel} › ${topicName(message.topic)}`, link: linkToTopic(message.to, message.topic) };
}

/** @param {{ message: any }} properties */
function Line({ message }) {
  const { name, link } = placeOf(message);
  return html`<li>
    <p class="to">
      <a href=${link}><bdi>${name}</bdi></a> <span class="hint">${moment(message.scheduled_delivery_timestamp)}</span>
    </p>
    ${message.failed ? html`<p class="error">${t("not_delivered")}</p>` : null}
    <${Rendered} html=${message.rendered_content} />
    <div class="buttons">
      <button type="button" class="plain" aria-label=${`${t("edit")}: ${name}`} onClick=${() => openScheduled(message)}>
        ${t("edit")}
      </button>
      <button type="button" class="plain" aria-label=${`${t("delete")}: ${name}`} onClick=${() => remove(message)}>
        ${t("delete")}
      </button>
    </div>
  </li>`;
}

/** @param {any} reminder */
const forget = (reminder) =>
  ask({
    title: t("delete_reminder"),
    text: t("delete_reminder_text"),
    action: t("delete"),
    run: () => deleteReminder(reminder.reminder_id),
  });

/** @param {{ reminder: any }} properties */
function Reminder({ reminder }) {
  const { reminder_target_message_id: id, scheduled_delivery_timestamp: when, rendered_content: words } = reminder;
  const link = linkTo({ terms: [], near: id });
  return html`<li>
    <p class="to"><a href=${link}>${t("reminder_of")}</a> <span class="hint">${moment(when)}</span></p>
    <${Rendered} html=${words} />
    <div class="buttons">
      <button
        type="button"
        class="plain"
        aria-label=${`${t("delete")}: ${moment(when)}`}
        onClick=${() => forget(reminder)}
      >
        ${t("delete")}
      </button>
    </div>
  </li>`;
}

function Reminders() {
  /** @type {any[]} */
  const all = store.personal.value["reminders"] ?? [];
  const ordered = all.toSorted((a, b) => a.scheduled_delivery_timestamp - b.scheduled_delivery_timestamp);
  if (ordered.length === 0) return null;
  return html`<div class="sheet">
    <h2>${t("reminders")}</h2>
    <ul class="later reminders">
      ${ordered.map((one) => html`<${Reminder} key=${one.reminder_id} reminder=${one} />`)}
    </ul>
  </div>`;
}

export function Scheduled() {
  /** @type {any[]} */
  const all = store.personal.value["scheduled_messages"] ?? [];
  const ordered = all.toSorted((a, b) => a.scheduled_delivery_timestamp - b.scheduled_delivery_timestamp);
  return html`<div class="page" tabindex="0" role="region" aria-label=${t("scheduled")}>
    ${
      ordered.length + (store.personal.value["reminders"] ?? []).length === 0
        ? html`<div class="nothing">
            <h2>${t("no_scheduled")}</h2>
            <p>${t("no_scheduled_text")}</p>
          </div>`
        : ordered.length === 0
          ? null
          : html`<div class="sheet">
              <ul class="later">
                ${ordered.map((one) => html`<${Line} key=${one.scheduled_message_id} message=${one} />`)}
              </ul>
            </div>`
    }
    <${Reminders} />
  </div>`;
}
