// What a person's profile says, in the form in which it is shown. Pure.

/**
 * @typedef {{ key: string, name: string, text?: string, html?: string, link?: string, people?: number[] }} Line
 */

export const ROLES = /** @type {const} */ ([
  [100, "role_owner"],
  [200, "role_admin"],
  [300, "role_moderator"],
  [400, "role_member"],
  [600, "role_guest"],
]);

/** The text of a role's name. @param {number | undefined} role */
export const roleKey = (role) => ROLES.find(([number]) => number === role)?.[1] ?? "role_member";

const DROPDOWN = 3;
const LINK = 5;
const PEOPLE = 6;
const ACCOUNT = 7;

/** @param {unknown} text @returns {any} nothing when it is not JSON */
function parsed(text) {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}

/** What a field offers to choose from: what is stored, and what it is called. @param {any} field @returns {[string, string][]} */
export function optionsOf(field) {
  /** @type {[string, any][]} */
  const options = Object.entries(parsed(field.field_data) ?? {});
  const order = (/** @type {[string, any]} */ [, one]) => Number(one?.order ?? 0);
  return options.sort((a, b) => order(a) - order(b)).map(([key, one]) => [key, String(one?.text ?? key)]);
}

/** The people of a field's value. @param {unknown} value @returns {number[]} */
export const peopleIn = (value) => (Array.isArray(value) ? value : (parsed(value ?? "[]") ?? []));

/** Links of profiles lead to the web, and nowhere else. @param {string} url */
const isSafe = (url) => /^https?:\/\//iu.test(url);

/**
 * @param {any} field of custom_profile_fields
 * @param {{ value?: any, rendered_value?: string } | undefined} entry
 * @param {Record<string, { url_pattern?: string }>} accounts realm_default_external_accounts
 * @returns {Line | null} null: not filled in
 */
function lineOf(field, entry, accounts) {
  const value = entry?.value;
  if (value === undefined || value === null || value === "") return null;
  const line = { key: String(field.id), name: String(field.name) };
  switch (field.type) {
    case DROPDOWN:
      return { ...line, text: parsed(field.field_data)?.[value]?.text ?? String(value) };
    case LINK:
      return isSafe(value) ? { ...line, text: value, link: value } : { ...line, text: String(value) };
    case PEOPLE: {
      const people = peopleIn(value);
      return people.length === 0 ? null : { ...line, people };
    }
    case ACCOUNT: {
      const data = parsed(field.field_data) ?? {};
      const pattern = data.url_pattern ?? accounts[data.subtype]?.url_pattern ?? "";
      const link = pattern.replace("%(username)s", encodeURIComponent(value));
      return isSafe(link) ? { ...line, text: String(value), link } : { ...line, text: String(value) };
    }
    default:
      return entry?.rendered_value ? { ...line, html: entry.rendered_value } : { ...line, text: String(value) };
  }
}

/**
 * The fields that a person has filled in, in the order of the organization.
 * @param {Record<string, { value?: any, rendered_value?: string }>} data profile_data of the person
 * @param {readonly any[]} fields custom_profile_fields
 * @param {Record<string, { url_pattern?: string }>} [accounts]
 * @returns {Line[]}
 */
export const linesOf = (data, fields, accounts = {}) =>
  fields
    .toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0))
    .map((field) => lineOf(field, data[field.id], accounts))
    .filter((line) => line !== null);
