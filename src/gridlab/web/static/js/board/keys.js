// Keys of the page of the board.

const plain = (event) => !(event.ctrlKey || event.metaKey || event.altKey);

// Letters, while the focus is on the board or its buttons.
export function shortcuts(page) {
  return (event) => {
    const does = { u: () => page.undo(), r: () => page.redo(), n: () => page.restart(), h: () => page.switches.turn("hint"), v: () => page.switches.turn("values"), f: () => page.fullScreen() }[event.key.toLowerCase()];
    if (!does || !plain(event) || event.target.closest("select")) return;
    event.preventDefault();
    does();
  };
}

// Comma and full stop walk through the game, wherever the focus is, but where text is written. Gives how to stop it.
export function walkByKeys(play) {
  const hear = (event) => {
    if (!plain(event) || event.target.closest?.("input, select, textarea")) return;
    const to = { ",": play.at.parent, ".": play.at.following }[event.key];
    if (to) play.go(to, false);
  };
  addEventListener("keydown", hear);
  return () => removeEventListener("keydown", hear);
}
