// What a new organization asks its owner, once: its name, the owner's, a picture. Whom to invite comes after it.

import { html } from "htm/preact";
import { updateRealm, uploadRealmIcon } from "../api/organization.js";
import { updateSettings } from "../api/people.js";
import { Form } from "../elements/form.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @typedef {import("../elements/form.js").Sent} Sent */

/** @param {{ done: () => void }} properties it was answered, or is not to be asked again */
export function FirstRun({ done }) {
  const own = store.users.value.get(store.me.value)?.full_name ?? "";
  const name = store.realm.value["realm_name"] ?? "";
  const save = async (/** @type {Sent} */ { text, data }) => {
    const picture = /** @type {File} */ (data.get("picture"));
    if (text("realm") !== name) await updateRealm({ name: text("realm") });
    if (text("own") !== own) await updateSettings({ full_name: text("own") });
    if (picture.size > 0) await uploadRealmIcon(picture);
    done();
  };
  return html`<section class="first-run" aria-labelledby="first-run">
    <h2 id="first-run">${t("first_run")}</h2>
    <p>${t("first_run_text")}</p>
    <${Form} run=${save} action=${t("save")} cancel=${done} cancelText=${t("not_now")}>
      <label
        >${t("first_run_realm")}
        <input name="realm" dir="auto" required maxlength="40" autocomplete="organization" defaultValue=${name}
      /></label>
      <label
        >${t("first_run_own")}
        <input name="own" dir="auto" required minlength="2" maxlength="100" autocomplete="name" defaultValue=${own}
      /></label>
      <label>${t("first_run_picture")} <input name="picture" type="file" accept="image/*" /></label>
    <//>
  </section>`;
}
