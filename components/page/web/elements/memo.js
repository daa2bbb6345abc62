// A component that is drawn again only when one of its properties is another.

import { Component, h } from "preact";

/**
 * @template P
 * @param {(props: P) => any} draw
 * @returns {any} a component with the same properties
 */
export function memo(draw) {
  return class extends Component {
    /** @param {Record<string, unknown>} next */
    shouldComponentUpdate(next) {
      const before = /** @type {Record<string, unknown>} */ (this.props);
      const names = Object.keys(next);
      return names.length !== Object.keys(before).length || names.some((name) => next[name] !== before[name]);
    }

    /** @param {any} props */
    render(props) {
      return h(/** @type {any} */ (draw), props);
    }
  };
}
