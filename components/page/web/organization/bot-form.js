// Creating a bot, and changing one: its kind, its name, the service of an outgoing webhook, the options of an embedded bot.

import { html } from "htm/preact";
import { useSignal } from "@preact/signals";
import { createBot, updateBot } from "../api/bots.js";
import { mayCreateBots } from "../state/rights.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { Form } from "../elements/form.js";

/** @typedef {import("../strings/text.js").Key} Key */
/** @typedef {{ base_url?: string, interface?: number, token?: string, service_name?: string, config_data?: Record<string, string> }} Service */

const INCOMING = 2;
const OUTGOING = 3;
const EMBEDDED = 4;

/** @type {readonly [number, Key, Key]} */
const GENERIC = [1, "bot_generic", "bot_generic_text"];
/** Kinds of bots, what they are called and what they are. @type {readonly (readonly [number, Key, Key])[]} */
const KINDS = [
  GENERIC,
  [INCOMING, "bot_incoming", "bot_incoming_text"],
  [OUTGOING, "bot_outgoing", "bot_outgoing_text"],
  [EMBEDDED, "bot_embedded", "bot_embedded_text"],
];

/** Forms of the calls to a service. @type {readonly (readonly [number, Key])[]} */
const INTERFACES = [
  [1, "bot_interface_own"],
  [2, "bot_interface_slack"],
];

/** @param {number} kind */
export const aboutKind = (kind) => KINDS.find(([number]) => number === kind) ?? GENERIC;

/** @returns {{ name: string, config: Record<string, string> }[]} */
const embeddedBots = () => store.personal.value["realm_embedded_bots"] ?? [];
/** @returns {{ name: string, display_name: string }[]} */
const integrations = () => store.personal.value["realm_incoming_webhook_bots"] ?? [];

/** Options of an embedded bot, and what they are unless set. @param {string | undefined} name */
const optionsOf = (name) => embeddedBots().find((one) => one.name === name)?.config ?? {};

/** What a bot calls, or which embedded bot it is. @param {number} id @returns {Service} */
export function serviceOf(id) {
  /** @type {{ user_id: number, services: Service[] }[]} */
  const bots = store.personal.value["realm_bots"] ?? [];
  return bots.find((bot) => bot.user_id === id)?.services?.[0] ?? {};
}

/** @param {FormData} data @param {string} name */
const text = (data, name) => String(data.get(name) ?? "").trim();

/** @param {FormData} data @param {Record<string, string>} keys @returns {Record<string, string>} */
const configOf = (data, keys) =>
  Object.fromEntries(Object.keys(keys).map((key) => [key, String(data.get(`config-${key}`) ?? "")]));

/** @param {FormData} data @param {number} kind @param {Record<string, string>} options of the embedded bot */
function create(data, kind, options) {
  const integration = text(data, "integration");
  return createBot({
    full_name: text(data, "name"),
    short_name: text(data, "short"),
    bot_type: kind,
    ...(kind === OUTGOING ? { payload_url: text(data, "url"), interface_type: Number(data.get("interface")) } : {}),
    ...(kind === EMBEDDED ? { service_name: text(data, "service"), config_data: configOf(data, options) } : {}),
    ...(kind === INCOMING && integration !== "" ? { service_name: integration } : {}),
  });
}

/** @param {FormData} data @param {any} bot @param {Record<string, string>} options of the embedded bot */
function change(data, bot, options) {
  const short = text(data, "short");
  return updateBot(bot.user_id, {
    full_name: text(data, "name"),
    ...(short === shortNameOf(bot) ? {} : { short_name: short }),
    ...(bot.bot_type === OUTGOING
      ? { service_payload_url: text(data, "url"), service_interface: Number(data.get("interface")) }
      : {}),
    ...(bot.bot_type === EMBEDDED ? { config_data: configOf(data, options) } : {}),
  });
}

/** @param {any} bot @returns {string} */
const shortNameOf = (bot) => (bot.delivery_email ?? bot.email).replace(/-bot@.*$/u, "");

/** @param {{ service: Service }} properties */
const Outgoing = ({ service }) =>
  html`<label
      >${t("bot_url")}
      <input
        name="url"
        type="url"
        required
        maxlength="2048"
        autocomplete="off"
        placeholder="https://bot.example.org/hook"
        defaultValue=${service.base_url ?? ""}
    /></label>
    <label
      >${t("bot_interface")}
      <select name="interface">
        ${INTERFACES.map(([number, key]) => html`<option key=${key} value=${number} selected=${number === (service.interface ?? 1)}>${t(key)}</option>`)}
      </select></label
    >`;

/** The options of an embedded bot. @param {{ options: Record<string, string>, config: Record<string, string> }} properties */
const Options = ({ options, config }) =>
  html`${Object.entries(options).map(
    ([key, usual]) =>
      html`<label key=${key}
        ><code>${key}</code>
        <input
          name=${`config-${key}`}
          dir="auto"
          autocomplete="off"
          maxlength="2000"
          defaultValue=${config[key] ?? usual}
      /></label>`,
  )}`;

/** Which of some things a new bot is. @param {{ name: string, text: string, all: readonly (readonly [string | number, string])[], now?: string | number, set?: (value: string) => void }} properties */
const Pick = ({ name, text: label, all, now = "", set = () => {} }) =>
  html`<label
    >${label}
    <select name=${name} onChange=${(/** @type {any} */ { target }) => set(target.value)}>
      ${all.map(([value, words]) => html`<option key=${value} value=${value} selected=${value === now}>${words}</option>`)}
    </select></label
  >`;

/** What a bot is made for; it stays so. @param {{ kind: number, named: string, setKind: (kind: number) => void, setName: (name: string) => void }} properties */
function NewKind({ kind, named, setKind, setName }) {
  const offered = KINDS.filter(([number]) => number === INCOMING || mayCreateBots());
  return html`<${Pick}
      name="type"
      text=${t("bot_type")}
      all=${offered.map(([number, key]) => [number, t(key)])}
      now=${kind}
      set=${(/** @type {string} */ value) => setKind(Number(value))}
    />
    <p class="hint">${t(aboutKind(kind)[2])}</p>
    ${
      kind === INCOMING
        ? html`<${Pick}
            name="integration"
            text=${t("bot_integration")}
            all=${[["", t("any_integration")], ...integrations().map((one) => [one.name, one.display_name])]}
          />`
        : null
    }
    ${
      kind === EMBEDDED
        ? html`<${Pick}
            name="service"
            text=${t("bot_service")}
            all=${embeddedBots().map((one) => [one.name, one.name])}
            now=${named}
            set=${setName}
          />`
        : null
    }`;
}

/** The kind of a bot that there is. @param {{ kind: number, service: Service }} properties */
const OldKind = ({ kind, service }) =>
  html`<p>${t(aboutKind(kind)[1])} ${service.service_name ? html`· <code>${service.service_name}</code>` : null}</p>
    <p class="hint">${t(aboutKind(kind)[2])}</p>`;

/** What both forms have. @param {{ name: string, short: string }} properties */
const Names = ({ name, short }) =>
  html`<label
      >${t("name")} <input name="name" required dir="auto" maxlength="100" autocomplete="off" defaultValue=${name}
    /></label>
    <label
      >${t("bot_address")} <input name="short" required maxlength="60" autocomplete="off" defaultValue=${short}
    /></label>`;

/** @param {{ done: (apiKey: string) => void }} properties done: gets the key of the new bot */
export function NewBotForm({ done }) {
  const first = { kind: mayCreateBots() ? 1 : INCOMING, name: embeddedBots()[0]?.name ?? "" };
  const kind = useSignal(first.kind);
  const named = useSignal(first.name);
  const options = optionsOf(named.value);
  const save = async (/** @type {import("../elements/form.js").Sent} */ { data }) => {
    done((await create(data, kind.value, options)).api_key);
    kind.value = first.kind;
    named.value = first.name;
  };
  return html`<${Form} look="page" run=${save} action=${t("create")} resets>
    <${NewKind}
      kind=${kind.value}
      named=${named.value}
      setKind=${(/** @type {number} */ value) => (kind.value = value)}
      setName=${(/** @type {string} */ value) => (named.value = value)}
    />
    <${Names} name="" short="" />
    ${kind.value === OUTGOING ? html`<${Outgoing} service=${{}} />` : null}
    ${kind.value === EMBEDDED ? html`<${Options} key=${named.value} options=${options} config=${{}} />` : null}
  <//>`;
}

/** @param {{ bot: any, done: () => void }} properties */
export function BotForm({ bot, done }) {
  const service = serviceOf(bot.user_id);
  const options = optionsOf(service.service_name);
  const save = async (/** @type {import("../elements/form.js").Sent} */ { data }) => {
    await change(data, bot, options);
    done();
  };
  return html`<${Form} run=${save} action=${t("save")}>
    <${OldKind} kind=${bot.bot_type} service=${service} />
    <${Names} name=${bot.full_name} short=${shortNameOf(bot)} />
    ${bot.bot_type === OUTGOING ? html`<${Outgoing} service=${service} />` : null}
    ${bot.bot_type === EMBEDDED ? html`<${Options} options=${options} config=${service.config_data ?? {}} />` : null}
  <//>`;
}
