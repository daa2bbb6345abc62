// A list of people as a spreadsheet writes it: comma-separated values with a line of headings. Pure.

/** @typedef {{ line: number, fields: string[] }} Row */
/** @typedef {{ line: number, email: string, role: number, channels: string[], groups: string[], problem: import("../strings/text.js").Key | null }} Person */

/** @type {Record<string, number>} */
const ROLES = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 };
const COLUMNS = ["email", "full_name", "role", "channels", "groups"];

/** The character between fields: spreadsheets of many countries write another than the comma. @param {string} text */
function separatorOf(text) {
  const heading = text.split("\n", 1)[0] ?? "";
  const count = (/** @type {string} */ one) => heading.split(one).length;
  return [",", ";", "\t"].reduce((best, one) => (count(one) > count(best) ? one : best));
}

/** The rows that are not empty. @param {string} text @returns {Row[]} */
export function rowsOf(text) {
  const all = text.replace(/^\uFEFF/u, "").replaceAll("\r\n", "\n");
  const separator = separatorOf(all);
  /** @type {Row[]} */
  const rows = [];
  let row = { line: 1, fields: /** @type {string[]} */ ([]) };
  let [field, line, isQuoted] = ["", 1, false];
  const endField = () => {
    row.fields.push(field);
    field = "";
  };
  const endRow = () => {
    endField();
    if (row.fields.some((one) => one.trim() !== "")) rows.push(row);
    row = { line, fields: [] };
  };
  for (let at = 0; at < all.length; at += 1) {
    const letter = all.charAt(at);
    if (letter === "\n") line += 1;
    if (isQuoted) {
      if (letter !== '"') field += letter;
      else if (all.charAt(at + 1) === '"') {
        field += '"';
        at += 1;
      } else isQuoted = false;
    } else if (letter === '"' && field === "") isQuoted = true;
    else if (letter === separator) endField();
    else if (letter === "\n") endRow();
    else field += letter;
  }
  endRow();
  return rows;
}

/** @param {string} field */
const namesIn = (field) =>
  field
    .split(";")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/**
 * The people of a list; `problem` of a line names its fault.
 * @param {string} text
 * @returns {Person[] | null} null: the first line has other headings
 */
export function peopleIn(text) {
  const [headings, ...rows] = rowsOf(text);
  const columns = headings?.fields.map((one) => one.trim().toLowerCase()) ?? [];
  const isKnown = columns.every((one, at) => COLUMNS.includes(one) && columns.indexOf(one) === at);
  if (!isKnown || !columns.includes("email")) return null;
  const seen = new Set();
  return rows.map(({ line, fields }) => {
    const value = (/** @type {string} */ column) => fields[columns.indexOf(column)]?.trim() ?? "";
    const email = value("email");
    const role = value("role") === "" ? ROLES["member"] : ROLES[value("role").toLowerCase()];
    /** @type {Person["problem"]} */
    let problem = null;
    if (!/^\S+@\S+$/u.test(email)) problem = "list_no_address";
    else if (seen.has(email.toLowerCase())) problem = "list_twice";
    else if (role === undefined) problem = "list_no_role";
    seen.add(email.toLowerCase());
    const [channels, groups] = [namesIn(value("channels")), namesIn(value("groups"))];
    return { line, email, role: role ?? 0, channels, groups, problem };
  });
}
