// What a script knows of its page and a browser's own types do not: an element that is found by its name or
// by a selector is the field, button or link that the template has there.

interface HTMLElement {
  checked?: any;
  content?: any;
  dateTime?: any;
  disabled?: any;
  elements?: any;
  open?: any;
  select?: any;
  submit?: any;
  value?: any;
}

interface EventTarget {
  closest?: any;
  matches?: any;
}

interface Event {
  /** What our own events carry: see the class that tells them. */
  readonly detail?: any;
}

interface Element {
  closest(selectors: string): HTMLElement | null;
}

interface ParentNode {
  querySelector<K extends keyof HTMLElementTagNameMap>(selectors: K): HTMLElementTagNameMap[K] | null;
  querySelector(selectors: string): HTMLElement | null;
  querySelectorAll<K extends keyof HTMLElementTagNameMap>(selectors: K): NodeListOf<HTMLElementTagNameMap[K]>;
  querySelectorAll(selectors: string): NodeListOf<HTMLElement>;
}
