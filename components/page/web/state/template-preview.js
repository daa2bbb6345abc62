// The preview of a template while it is written: when the server is asked, and which field an error belongs to.

/** @typedef {{ topic_template: string, text_template: string, body: string }} Draft */
/** @typedef {{ topic: string, rendered: string }} Preview */
/** @typedef {{ field: "topic" | "text" | "", message: string }} Problem */

/** Milliseconds without a key until the server is asked: a preview costs it time. */
const PAUSE = 600;

/** The field that a message of the server names. @param {string} message @returns {Problem} */
export function problemOf(message) {
  const named = /\b(topic|text)_template\b/u.exec(message)?.[1];
  return { field: named === "topic" || named === "text" ? named : "", message };
}

/**
 * Returns a function that previews a draft once no other has followed for a moment. Answers to earlier drafts are
 * dropped.
 * @param {(draft: Draft) => Promise<Preview | null>} ask null: there is nothing to preview
 * @param {(shown: { preview: Preview | null, problem: Problem | null }) => void} show
 * @param {number} [pause]
 */
export function previewer(ask, show, pause = PAUSE) {
  let timer = 0;
  let last = 0;
  const run = async (/** @type {Draft} */ draft, /** @type {number} */ turn) => {
    /** @type {Preview | null} */
    let preview = null;
    /** @type {Problem | null} */
    let problem = null;
    try {
      preview = await ask(draft);
    } catch (error) {
      problem = problemOf(error instanceof Error ? error.message : String(error));
    }
    if (turn === last) show({ preview, problem });
  };
  return (/** @type {Draft} */ draft) => {
    clearTimeout(timer);
    last += 1;
    const turn = last;
    timer = Number(setTimeout(() => void run(draft, turn), pause));
  };
}
