// Files dropped anywhere on the page: the field to write in takes them, and nothing else happens. Left to itself, a
// browser would show the file in place of the client.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Takes files, while a field to write in is on the screen. @type {((files: FileList) => void) | null} */
let taker = null;
/** Whether files are held over the page, and would be taken. */
export const isHeld = signal(false);
/** Milliseconds without a sign after which they are no longer held: leaving the window says nothing that can be relied on. */
const GONE = 300;
let timer = 0;

/** Files are for this as long as it is drawn. @param {(files: FileList) => void} take */
export function useDrop(take) {
  useEffect(() => {
    taker = take;
    return () => void (taker = null);
  }, []);
}

/** A field for files takes them itself. @param {DragEvent} event */
const isOurs = (event) =>
  event.dataTransfer?.types.includes("Files") === true &&
  !(event.target instanceof Element && event.target.matches("input[type=file]"));

/** Behind a dialog, the field to write in cannot be reached. */
const takes = () => taker !== null && document.querySelector("dialog[open]") === null;

/** @param {DragEvent} event */
function over(event) {
  if (!isOurs(event) || event.dataTransfer === null) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = takes() ? "copy" : "none";
  isHeld.value = takes();
  clearTimeout(timer);
  timer = setTimeout(() => (isHeld.value = false), GONE);
}

/** @param {DragEvent} event */
function drop(event) {
  isHeld.value = false;
  if (!isOurs(event)) return;
  event.preventDefault();
  const files = event.dataTransfer?.files;
  if (takes() && files !== undefined && files.length > 0) taker?.(files);
}

/** Begins to watch; the function that it returns ends that. */
export function watchDrops() {
  addEventListener("dragover", over);
  addEventListener("drop", drop);
  return () => {
    removeEventListener("dragover", over);
    removeEventListener("drop", drop);
  };
}
