// A bot of one's own, to be changed: its settings, the token of its service, a new key, what programs need to use it.

import { html } from "htm/preact";
import { useSignal } from "@preact/signals";
import { regenerateBotApiKey } from "../api/bots.js";
import { t } from "../strings/text.js";
import { BotAccess } from "./bot-access.js";
import { BotForm } from "./bot-form.js";
import { serviceOf } from "./bot-service.js";
import { Copyable } from "../elements/copyable.js";
import { close, Dialog, open } from "../elements/dialog.js";
import { attempt, note } from "../frame/note.js";

/** @param {any} bot */
export const showBot = (bot) => void (open.value = () => html`<${BotCard} bot=${bot} />`);

/** @param {{ bot: any }} properties */
function BotCard({ bot }) {
  const apiKey = useSignal("");
  const { token } = serviceOf(bot.user_id);
  const renew = () => attempt(async () => void (apiKey.value = (await regenerateBotApiKey(bot.user_id)).api_key));
  const done = () => {
    close();
    note(t("saved"));
  };
  return html`<${Dialog} title=${t("change_bot")} class="settings">
    <${BotForm} bot=${bot} done=${done} />
    ${
      token === undefined
        ? null
        : html`<h3>${t("bot_token")}</h3>
            <${Copyable} text=${token} label=${t("bot_token")} />`
    }
    <h3>${t("api_key")}</h3>
    <p class="hint">${t("new_key_of_bot")}</p>
    <div><button type="button" class="plain" onClick=${renew}>${t("new_key")}</button></div>
    <${BotAccess} id=${bot.user_id} apiKey=${apiKey.value} />
  <//>`;
}
