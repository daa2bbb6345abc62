// Words of a pasted document and how they look, as Markdown. Pure; see `from-html.js`.

const IGNORED = new Set(
  "button canvas head iframe input link meta noscript object script select style svg template textarea title xml".split(
    " ",
  ),
);
const SCHEMES = /^(?:https?|mailto|tel):/iu;

/** What the attribute `style` is called in a page that was pasted. */
export const STYLE = "data-style";

/** @typedef {{ isBold: boolean, isItalic: boolean, isStruck: boolean, isCode: boolean, isPre: boolean, isHead: boolean }} Look isHead: bold by itself */
export const PLAIN = { isBold: false, isItalic: false, isStruck: false, isCode: false, isPre: false, isHead: false };

/** @typedef {{ isFormed: boolean }} Notes isFormed: there is more than text */

/** @param {Node} node @returns {node is Element} */
export const isElement = (node) => node.nodeType === 1;
/** @param {Node} node @returns {Node[]} */
export const childrenOf = (node) => [...node.childNodes];
/** @param {Element} element */
export const nameOf = (element) => element.localName.toLowerCase();
/** @param {Element} element @param {string} name */
export const attribute = (element, name) => element.getAttribute(name) ?? "";

/** The styles of an element that Markdown has marks for; editors and word processors say them so. @param {Element} element */
function stylesOf(element) {
  /** @type {Record<string, string>} */
  const styles = {};
  for (const one of attribute(element, STYLE).split(";")) {
    const at = one.indexOf(":");
    if (at > 0)
      styles[one.slice(0, at).trim().toLowerCase()] = one
        .slice(at + 1)
        .trim()
        .toLowerCase();
  }
  return styles;
}

/** @param {Element} element @param {Look} look around it @returns {Look} */
export function lookOf(element, look) {
  const name = nameOf(element);
  const next = { ...look };
  if (name === "b" || name === "strong") next.isBold = true;
  if (name === "i" || name === "em") next.isItalic = true;
  if (name === "s" || name === "del" || name === "strike") next.isStruck = true;
  if (["code", "kbd", "samp", "tt"].includes(name)) next.isCode = true;
  const styles = stylesOf(element);
  const weight = styles["font-weight"];
  if (weight !== undefined) next.isBold = weight === "bold" || weight === "bolder" || Number(weight) >= 600;
  if (styles["font-style"] !== undefined) next.isItalic = /^(?:italic|oblique)/u.test(styles["font-style"]);
  const line = `${styles["text-decoration"] ?? ""} ${styles["text-decoration-line"] ?? ""}`;
  if (line.includes("line-through")) next.isStruck = true;
  return next.isHead ? { ...next, isBold: false } : next;
}

/** @param {Element} element */
export const isHidden = (element) =>
  IGNORED.has(nameOf(element)) ||
  attribute(element, "hidden") !== "" ||
  attribute(element, "class") === "katex-html" ||
  /display:\s*none|mso-hide:\s*all|mso-list:\s*ignore/iu.test(attribute(element, STYLE));

/** Marks around words, next to them; blanks at the ends stay outside. @param {string} words @param {Look} look */
function marked(words, look) {
  const [, before = "", core = "", after = ""] = /^(\s*)([^]*?)(\s*)$/u.exec(words) ?? [];
  if (core === "") return words;
  if (look.isCode) {
    const ticks = core.includes("`") ? "``" : "`";
    return `${before}${ticks}${core}${ticks}${after}`;
  }
  const stars = (look.isBold ? "**" : "") + (look.isItalic ? "*" : "");
  const open = (look.isStruck ? "~~" : "") + stars;
  return before + open + core + [...open].reverse().join("") + after;
}

/** @param {Element} element @returns {string} its address, if it also works outside of its page */
function addressOf(element, name = "href") {
  const url = attribute(element, name).trim();
  return SCHEMES.test(url) ? url.replaceAll(" ", "%20").replaceAll("(", "%28").replaceAll(")", "%29") : "";
}

/** @typedef {{ words: string, look: Look }} Run words that look the same */

/** @param {Run[]} runs @param {Notes} notes @returns {string} */
function joined(runs, notes) {
  /** @type {Run[]} */
  const merged = [];
  for (const { words, look } of runs) {
    const last = merged.at(-1);
    const isSame = last !== undefined && JSON.stringify(last.look) === JSON.stringify(look);
    if (isSame) last.words += words;
    else merged.push({ words, look });
  }
  return merged
    .map(({ words, look }) => {
      // A mark ends with its line.
      const lines = words.split("\n").map((line) => marked(line, look));
      const text = lines.join("\n");
      if (text !== words) notes.isFormed = true;
      return text;
    })
    .join("");
}

/** @param {Node} node @param {Look} look @param {Notes} notes @returns {Run[]} */
function runsOf(node, look, notes) {
  if (!isElement(node)) {
    if (node.nodeType !== 3) return [];
    const text = (node.textContent ?? "").replaceAll("\u{A0}", " ").replaceAll(/[\u{200B}\u{FEFF}]/gu, "");
    return [{ words: look.isPre ? text : text.replaceAll(/\s+/gu, " "), look }];
  }
  if (isHidden(node)) return [];
  const name = nameOf(node);
  if (name === "br") return [{ words: "\n", look: PLAIN }];
  const inner = lookOf(node, look);
  if (name === "math") {
    const source = node.querySelector("annotation")?.textContent?.trim() ?? "";
    if (source !== "" && !source.includes("\n")) {
      notes.isFormed = true;
      return [{ words: `$$${source}$$`, look: PLAIN }];
    }
  }
  if (name === "img") {
    const url = addressOf(node, "src");
    const alt = attribute(node, "alt")
      .replaceAll(/[[\]\n]/gu, " ")
      .trim();
    if (url === "") return [{ words: alt, look: inner }];
    notes.isFormed = true;
    return [{ words: `[${alt === "" ? url : alt}](${url})`, look: PLAIN }];
  }
  const runs = childrenOf(node).flatMap((child) => runsOf(child, inner, notes));
  if (name !== "a") return runs;
  const url = addressOf(node);
  const text = joined(runs, { isFormed: false }).replaceAll(/\s+/gu, " ");
  const words = text.trim();
  if (url === "" || words === "" || words.includes("](")) return runs;
  notes.isFormed = true;
  const link = words === url ? url : `[${words.replaceAll(/[[\]]/gu, "")}](${url})`;
  return [{ words: text.replace(words, () => link), look: PLAIN }];
}

/** @param {Node[]} nodes @param {Look} look @param {Notes} notes */
export const inline = (nodes, look, notes) =>
  joined(
    nodes.flatMap((node) => runsOf(node, look, notes)),
    notes,
  )
    .replaceAll(/ *\n */gu, "\n")
    .replaceAll(/ {2,}/gu, " ")
    .trim();

/** All text as it stands there. @param {Element} element */
export const textIn = (element) =>
  childrenOf(element)
    .flatMap((child) => runsOf(child, { ...PLAIN, isPre: true }, { isFormed: false }))
    .map(({ words }) => words)
    .join("");
