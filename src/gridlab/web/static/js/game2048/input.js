// Directions from keys and swipes.

const KEYS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", w: "up", s: "down", a: "left", d: "right" };
const FAR = 24; // pixels of a swipe

export function keys(give) {
  const hear = (event) => {
    const direction = KEYS[event.key];
    const busy = event.target.closest?.("input, select, textarea, [role=slider]");
    if (!direction || busy || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    give(direction);
  };
  addEventListener("keydown", hear);
  return () => removeEventListener("keydown", hear);
}

export function swipes(element, give) {
  let from = null;
  element.addEventListener("pointerdown", (event) => { from = [event.clientX, event.clientY]; });
  element.addEventListener("pointerup", (event) => {
    if (!from) return;
    const [right, down] = [event.clientX - from[0], event.clientY - from[1]];
    from = null;
    if (Math.max(Math.abs(right), Math.abs(down)) < FAR) return;
    if (Math.abs(right) > Math.abs(down)) give(right > 0 ? "right" : "left");
    else give(down > 0 ? "down" : "up");
  });
  element.addEventListener("pointercancel", () => { from = null; });
}
