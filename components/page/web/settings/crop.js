// Choosing the part of a picture that becomes one's own: moved by pointer or arrows, and made larger.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { draggedBy, frameOf } from "../state/crop.js";
import { t } from "../strings/text.js";
import { close, Dialog, open } from "../elements/dialog.js";
import { textOf } from "../frame/note.js";

/** @typedef {import("../state/crop.js").Part} Part */

/** Pixels of the picture that is sent, and of an arrow key's step. */
const SIZE = 512;
const STEP = 16;

const problem = signal("");
/** @type {import("@preact/signals-core").Signal<Part>} */
const part = signal({ x: 0.5, y: 0.5, zoom: 1 });

/** @param {File} file a picture @param {(square: File) => Promise<unknown>} send @throws {DOMException} when it is none */
export async function showCrop(file, send) {
  const picture = await createImageBitmap(file);
  problem.value = "";
  part.value = { x: 0.5, y: 0.5, zoom: 1 };
  open.value = () => html`<${Crop} picture=${picture} send=${send} />`;
}

/** @param {{ picture: ImageBitmap, send: (square: File) => Promise<unknown> }} properties */
function Crop({ picture, send }) {
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));
  useEffect(() => {
    const pen = canvas.current?.getContext("2d");
    const { left, top, side } = frameOf(picture, part.value);
    pen?.clearRect(0, 0, SIZE, SIZE);
    pen?.drawImage(picture, left, top, side, side, 0, 0, SIZE, SIZE);
  }, [picture, part.value]);
  const move = (/** @type {number} */ right, /** @type {number} */ down) => {
    const shown = canvas.current?.clientWidth || SIZE;
    part.value = draggedBy(picture, part.value, right / shown, down / shown);
  };
  const key = (/** @type {KeyboardEvent} */ event) => {
    const [right, down] =
      { ArrowLeft: [STEP, 0], ArrowRight: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] }[event.key] ?? [];
    if (right === undefined || down === undefined) return;
    event.preventDefault();
    move(right, down);
  };
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    problem.value = "";
    try {
      const made = await new Promise((resolve) => canvas.current?.toBlob(resolve, "image/png"));
      if (!(made instanceof Blob)) throw new Error(t("not_a_picture"));
      await send(new File([made], "picture.png", { type: "image/png" }));
      close();
    } catch (error) {
      problem.value = textOf(error);
    }
  };
  return html`<${Dialog} title=${t("new_picture")} class="crop">
    <form onSubmit=${save}>
      <p class="hint">${t("crop_text")}</p>
      <canvas
        ref=${canvas}
        width=${SIZE}
        height=${SIZE}
        tabindex="0"
        role="img"
        aria-label=${t("crop_text")}
        onKeyDown=${key}
        onPointerDown=${(/** @type {any} */ event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove=${(/** @type {PointerEvent} */ event) => event.buttons === 1 && move(event.movementX, event.movementY)}
      ></canvas>
      <label
        >${t("zoom")}
        <input
          name="zoom"
          type="range"
          min="1"
          max="5"
          step="0.05"
          value=${part.value.zoom}
          onInput=${(/** @type {any} */ event) => (part.value = draggedBy(picture, { ...part.value, zoom: Number(event.target.value) }, 0, 0))}
      /></label>
      <p class="error" role="alert">${problem}</p>
      <div class="buttons">
        <button type="button" class="plain" onClick=${close}>${t("cancel")}</button>
        <button type="submit" class="primary">${t("save")}</button>
      </div>
    </form>
  <//>`;
}
