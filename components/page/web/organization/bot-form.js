// Creating a bot, and changing one: its kind, its name, what it calls or who calls it, its options.

import { html } from "htm/preact";
import { useSignal } from "@preact/signals";
import { createBot, updateBot } from "../api/bots.js";
import { mayCreateBots } from "../state/rights.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { Form } from "../elements/form.js";
import { EMBEDDED, INCOMING, OUTGOING, serviceOf } from "./bot-service.js";
import { IntegrationChoice, integrationOf, labelOf } from "./integrations.js";
import { TEMPLATES, TemplateEditor } from "./template-editor.js";

/** @typedef {import("../strings/text.js").Key} Key */
/** @typedef {import("./bot-service.js").Service} Service */

/** @type {readonly [number, Key, Key]} */
const GENERIC = [1, "bot_generic", "bot_generic_text"];
/** Kinds of bots, what they are called and what they are. @type {readonly (readonly [number, Key, Key])[]} */
const KINDS = [
  GENERIC,
  [INCOMING, "bot_incoming", "bot_incoming_text"],
  [OUTGOING, "bot_outgoing", "bot_outgoing_text"],
  [EMBEDDED, "bot_embedded", "bot_embedded_text"],
];

/** The integration whose messages a template makes. */
const TEMPLATE = "template";

/** Forms of the calls to a service. @type {readonly (readonly [number, Key])[]} */
const INTERFACES = [
  [1, "bot_interface_own"],
  [2, "bot_interface_slack"],
];

/** @param {number} kind */
export const aboutKind = (kind) => KINDS.find(([number]) => number === kind) ?? GENERIC;

/** @returns {{ name: string, config: Record<string, string> }[]} */
const embeddedBots = () => store.personal.value["realm_embedded_bots"] ?? [];

/** Options of an embedded bot, and what they are unless set. @param {string | undefined} name */
const optionsOf = (name) => embeddedBots().find((one) => one.name === name)?.config ?? {};

/** @param {FormData} data @param {string} name */
const text = (data, name) => String(data.get(name) ?? "").trim();

const CONFIG = "config-";

/** What the form has of a bot's configuration. @param {FormData} data */
const configOf = (data) =>
  Object.fromEntries(
    [...data]
      .filter(([name]) => name.startsWith(CONFIG))
      .map(([name, value]) => [name.slice(CONFIG.length), String(value)]),
  );

/** @param {FormData} data @param {number} kind @param {string} integration */
function create(data, kind, integration) {
  const isOfService = kind === INCOMING && integration !== "";
  return createBot({
    full_name: text(data, "name"),
    short_name: text(data, "short"),
    bot_type: kind,
    ...(kind === OUTGOING ? { payload_url: text(data, "url"), interface_type: Number(data.get("interface")) } : {}),
    ...(kind === EMBEDDED ? { service_name: text(data, "service"), config_data: configOf(data) } : {}),
    ...(isOfService ? { service_name: integration, config_data: configOf(data) } : {}),
  });
}

/** @param {FormData} data @param {any} bot */
function change(data, bot) {
  const short = text(data, "short");
  const config = configOf(data);
  return updateBot(bot.user_id, {
    full_name: text(data, "name"),
    ...(short === shortNameOf(bot) ? {} : { short_name: short }),
    ...(bot.bot_type === OUTGOING
      ? { service_payload_url: text(data, "url"), service_interface: Number(data.get("interface")) }
      : {}),
    ...(Object.keys(config).length > 0 ? { config_data: config } : {}),
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
          name=${`${CONFIG}${key}`}
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

/** Options of an incoming webhook that are kept with the bot. @param {{ name: string | undefined, config: Record<string, string> }} properties */
function Incoming({ name, config }) {
  const integration = integrationOf(name);
  if (integration === undefined) return null;
  return html`${integration.config_options
    .filter(({ key }) => !TEMPLATES.includes(key))
    .map(
      (option) =>
        html`<label key=${option.key}
          >${labelOf(option)}
          <input
            name=${`${CONFIG}${option.key}`}
            dir="auto"
            autocomplete="off"
            maxlength="1000"
            defaultValue=${config[option.key] ?? ""}
        /></label>`,
    )}
  ${name === TEMPLATE ? html`<${TemplateEditor} config=${config} examples=${integration.examples ?? []} />` : null}`;
}

/** What a bot is made for; it stays so. @param {{ kind: number, named: string, setKind: (kind: number) => void, setName: (name: string) => void }} properties named: the integration or the embedded bot */
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
    ${kind === INCOMING ? html`<${IntegrationChoice} chosen=${named} any set=${setName} />` : null}
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
function OldKind({ kind, service: { service_name: name } }) {
  const [, title, words] = aboutKind(kind);
  const service = name === undefined ? [] : [integrationOf(name)?.display_name ?? name];
  return html`<p>${[t(title), ...service].join(" · ")}</p>
    <p class="hint">${t(words)}</p>`;
}

/** What both forms have. @param {{ name: string, short: string }} properties */
const Names = ({ name, short }) =>
  html`<label
      >${t("name")} <input name="name" required dir="auto" maxlength="100" autocomplete="off" defaultValue=${name}
    /></label>
    <label
      >${t("bot_address")} <input name="short" required maxlength="60" autocomplete="off" defaultValue=${short}
    /></label>`;

/** What a new bot of a kind belongs to at first. @param {number} kind */
const firstName = (kind) => (kind === EMBEDDED ? (embeddedBots()[0]?.name ?? "") : "");

/** @param {{ done: (bot: import("../api/bots.js").CreatedBot) => void }} properties */
export function NewBotForm({ done }) {
  const kind = useSignal(mayCreateBots() ? 1 : INCOMING);
  const named = useSignal("");
  // Its fields are new for each bot: an emptied form would no longer show what is chosen here.
  const count = useSignal(0);
  const setKind = (/** @type {number} */ value) => {
    kind.value = value;
    named.value = firstName(value);
  };
  const save = async (/** @type {import("../elements/form.js").Sent} */ { data }) => {
    done(await create(data, kind.value, named.value));
    setKind(mayCreateBots() ? 1 : INCOMING);
    count.value += 1;
  };
  return html`<${Form} look="page" run=${save} action=${t("create")} resets>
    <${NewKind}
      key=${count.value}
      kind=${kind.value}
      named=${named.value}
      setKind=${setKind}
      setName=${(/** @type {string} */ value) => (named.value = value)}
    />
    <${Names} name="" short="" />
    ${kind.value === OUTGOING ? html`<${Outgoing} service=${{}} />` : null}
    ${kind.value === INCOMING ? html`<${Incoming} key=${named.value} name=${named.value} config=${{}} />` : null}
    ${kind.value === EMBEDDED ? html`<${Options} key=${named.value} options=${optionsOf(named.value)} config=${{}} />` : null}
  <//>`;
}

/** @param {{ bot: any, done: () => void }} properties */
export function BotForm({ bot, done }) {
  const service = serviceOf(bot.user_id);
  const config = service.config_data ?? {};
  const save = async (/** @type {import("../elements/form.js").Sent} */ { data }) => {
    await change(data, bot);
    done();
  };
  return html`<${Form} run=${save} action=${t("save")}>
    <${OldKind} kind=${bot.bot_type} service=${service} />
    <${Names} name=${bot.full_name} short=${shortNameOf(bot)} />
    ${bot.bot_type === OUTGOING ? html`<${Outgoing} service=${service} />` : null}
    ${bot.bot_type === INCOMING ? html`<${Incoming} name=${service.service_name} config=${config} />` : null}
    ${bot.bot_type === EMBEDDED ? html`<${Options} options=${optionsOf(service.service_name)} config=${config} />` : null}
  <//>`;
}
