// Directions from keys and swipes; neither scrolls the page.

const KEYS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", w: "up", s: "down", a: "left", d: "right" };
const FAR = 24; // pixels of a swipe

export function keys(give) {
  const hear = (event) => {
    const direction = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
    const busy = event.target.closest?.("input, select, textarea, [role=slider], .table-wrap");
    if (!direction || busy || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    give(direction);
  };
  addEventListener("keydown", hear);
  return () => removeEventListener("keydown", hear);
}

// A swipe counts as soon as it has gone far enough, once until the finger is lifted.
export function swipes(element, give) {
  let from = null;
  const end = () => { from = null; };
  element.addEventListener("pointerdown", (event) => {
    if (!event.isPrimary || event.button > 0 || event.target.closest("button, a")) return;
    from = [event.clientX, event.clientY];
    element.setPointerCapture(event.pointerId);
  });
  const look = (event) => {
    if (!from || !event.isPrimary) return;
    const [right, down] = [event.clientX - from[0], event.clientY - from[1]];
    if (Math.max(Math.abs(right), Math.abs(down)) < FAR) return;
    end();
    if (Math.abs(right) > Math.abs(down)) give(right > 0 ? "right" : "left");
    else give(down > 0 ? "down" : "up");
  };
  element.addEventListener("pointermove", look);
  element.addEventListener("pointerup", (event) => { look(event); end(); });
  element.addEventListener("pointercancel", end);
}
