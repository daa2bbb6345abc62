// Alert words, and the people and topics that are muted or followed.

import { html } from "htm/preact";
import { setUserTopic } from "../api/channels.js";
import { addAlertWords, removeAlertWords, unmuteUser } from "../api/people.js";
import { Form } from "../elements/form.js";
import { attempt } from "../frame/note.js";
import { linkToTopic } from "../state/route.js";
import { FOLLOWED, MUTED, nameOf, topicName } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @param {import("../elements/form.js").Sent} sent */
async function add({ text }) {
  if (text("word") !== "") await addAlertWords([text("word")]);
}

/** @param {{ name: any, label: string, action: string, run: () => Promise<unknown> }} properties */
const Line = ({ name, label, action, run }) =>
  html`<li>
    <span class="name">${name}</span>
    <button type="button" class="plain" aria-label=${`${action}: ${label}`} onClick=${() => attempt(run)}>
      ${action}
    </button>
  </li>`;

/** Topics with a policy, by channel and name. @param {number} policy */
function topicsWith(policy) {
  return [...store.policies.value]
    .filter(([, one]) => one.policy === policy)
    .map(([key, { name }]) => ({ key, stream_id: Number(key.split("/")[1]), topic: name }))
    .filter((one) => store.channels.value.has(one.stream_id));
}

/** @param {{ title: string, policy: number, action: string }} properties */
function Topics({ title, policy, action }) {
  const found = topicsWith(policy);
  return html`<section>
    <h2>${title}</h2>
    ${found.length === 0 ? html`<p class="hint">${t("none_yet")}</p>` : null}
    <ul class="names faces">
      ${found.map(({ key, stream_id, topic }) => {
        const label = `${store.channels.value.get(stream_id)?.name ?? ""} › ${topicName(topic)}`;
        const name = html`<a href=${linkToTopic(stream_id, topic)}><bdi>${label}</bdi></a>`;
        return html`<${Line}
          key=${key}
          name=${name}
          label=${label}
          action=${action}
          run=${() => setUserTopic(stream_id, topic, 0)}
        />`;
      })}
    </ul>
  </section>`;
}

export function Muted() {
  /** @type {string[]} */
  const words = store.personal.value["alert_words"] ?? [];
  const people = [...store.muted.value];
  return html`<section>
      <h2>${t("alert_words")}</h2>
      <p class="hint">${t("alert_words_text")}</p>
      <${Form} look="inline" run=${add} action=${t("add")} resets>
        <label>${t("word")} <input name="word" dir="auto" required maxlength="100" autocomplete="off" /></label>
      <//>
      <ul class="names faces words">
        ${words.map(
          (word) =>
            html`<${Line}
              key=${word}
              name=${html`<bdi>${word}</bdi>`}
              label=${word}
              action=${t("remove")}
              run=${() => removeAlertWords([word])}
            />`,
        )}
      </ul>
    </section>
    <section>
      <h2>${t("muted_people")}</h2>
      ${people.length === 0 ? html`<p class="hint">${t("none_yet")}</p>` : null}
      <ul class="names faces">
        ${people.map(
          (id) =>
            html`<${Line}
              key=${id}
              name=${html`<bdi>${nameOf(id)}</bdi>`}
              label=${nameOf(id)}
              action=${t("unmute_person")}
              run=${() => unmuteUser(id)}
            />`,
        )}
      </ul>
    </section>
    <${Topics} title=${t("muted_topics")} policy=${MUTED} action=${t("unmute_person")} />
    <${Topics} title=${t("followed_topics")} policy=${FOLLOWED} action=${t("unfollow_topic")} />`;
}
