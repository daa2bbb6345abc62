// What a program needs to use a bot: for an incoming webhook its address; its key, once it is made; a zuliprc file.

import { html } from "htm/preact";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { INCOMING, serviceOf } from "./bot-service.js";
import { NewKey, Zuliprc } from "./new-key.js";
import { Webhook } from "./webhook.js";

/** @param {{ id: number, apiKey: string }} properties `apiKey`: empty when none was made */
export function BotAccess({ id, apiKey }) {
  /** @type {any} */
  const bot = store.users.value.get(id);
  const { service_name: service, config_data: config = {} } = serviceOf(id);
  return html`${
      bot?.bot_type === INCOMING
        ? html`<${Webhook} service=${service} apiKey=${apiKey} secret=${config["webhook_secret"] ?? ""} />`
        : null
    }
    ${apiKey === "" ? null : html`<h3>${t("api_key")}</h3>`}
    <${NewKey} apiKey=${apiKey} />
    ${bot === undefined ? null : html`<${Zuliprc} email=${bot.delivery_email ?? bot.email} apiKey=${apiKey} />`}`;
}
