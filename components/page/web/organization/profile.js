// What the organization is called, what it looks like, and how it greets newcomers.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { deleteRealmIcon, deleteRealmLogo, uploadRealmIcon, uploadRealmLogo } from "../api/organization.js";
import { attempt } from "../frame/note.js";
import { RealmChannel, RealmChoice, RealmText, realmValue } from "./realm-setting.js";
import { store } from "../state/store.js";
import { LANGUAGES, t } from "../strings/text.js";

const NOT_UPLOADED = ["G", "D"];
const problem = signal("");

/** @param {() => Promise<unknown>} action */
const run = (action) => attempt(action, problem);

/**
 * @param {object} properties
 * @param {string} properties.name of the picture in the snapshot
 * @param {string} properties.text
 * @param {number} properties.most MiB
 * @param {(file: File) => Promise<unknown>} properties.upload
 * @param {() => Promise<unknown>} properties.remove
 */
function Picture({ name, text, most, upload, remove }) {
  const isThere = !NOT_UPLOADED.includes(realmValue(`${name}_source`));
  const choose = (/** @type {any} */ { target }) => {
    const [file] = target.files;
    target.value = "";
    if (file === undefined) return;
    void run(() => {
      if (file.size > most * 1024 * 1024) throw new Error(t("file_too_large", { most }));
      return upload(file);
    });
  };
  return html`<div class="picture" role="group" aria-label=${text}>
    <span>${text}</span>
    ${isThere ? html`<img class=${name} src=${realmValue(`${name}_url`)} alt=${text} />` : null}
    <label class="plain button"
      >${t("new_picture")} <input class="aside" type="file" name=${name} accept="image/*" onChange=${choose}
    /></label>
    ${isThere ? html`<button type="button" class="plain" onClick=${() => run(remove)}>${t("remove_picture")}</button>` : null}
  </div>`;
}

export function Profile() {
  const { max_icon_file_size_mib: icon, max_logo_file_size_mib: logo } = store.realm.value;
  return html`<section>
      <h2>${t("organization_profile")}</h2>
      <${RealmText} name="name" text=${t("name")} most=${40} required />
      <${RealmText} name="description" text=${t("description")} most=${1000} rows=${4} />
      <${RealmChoice} name="default_language" text=${t("default_language")} options=${LANGUAGES} />
    </section>
    <section>
      <h2>${t("organization_pictures")}</h2>
      <${Picture}
        name="icon"
        text=${t("realm_icon")}
        most=${icon ?? 5}
        upload=${uploadRealmIcon}
        remove=${deleteRealmIcon}
      />
      <${Picture}
        name="logo"
        text=${t("realm_logo")}
        most=${logo ?? 5}
        upload=${(/** @type {File} */ file) => uploadRealmLogo(file, false)}
        remove=${() => deleteRealmLogo(false)}
      />
      <${Picture}
        name="night_logo"
        text=${t("realm_night_logo")}
        most=${logo ?? 5}
        upload=${(/** @type {File} */ file) => uploadRealmLogo(file, true)}
        remove=${() => deleteRealmLogo(true)}
      />
      <p class="error" role="alert">${problem}</p>
    </section>
    <section>
      <h2>${t("organization_notices")}</h2>
      <${RealmChannel} name="new_stream_announcements_stream_id" text=${t("notices_channels")} />
      <${RealmChannel} name="signup_announcements_stream_id" text=${t("notices_people")} />
      <${RealmChannel} name="moderation_request_channel_id" text=${t("notices_reports")} />
      <${RealmText} name="welcome_message_custom_text" text=${t("welcome_text")} most=${8000} rows=${4} />
    </section>`;
}
