// Games that are kept by the browser, for each rules: the running one, one that was left for another, and the best score.
//
// A game is { seed, moves: text of all its moves, at: how many of them are on the board, score, own, cheered, over }; it
// is `own` if every move was the visitor's. Each rules have a place of their own, so that two windows do not mix boards.

const PLACE = "gridlab 2048 ";
const memory = new Map(); // for browsers that store nothing

export function kept(rules) {
  try {
    const text = localStorage.getItem(PLACE + rules) ?? memory.get(rules) ?? "{}";
    return { running: null, aside: null, best: 0, ...JSON.parse(text) };
  } catch {
    return { running: null, aside: null, best: 0 };
  }
}

function write(rules, changes) {
  const now = { ...kept(rules), ...changes };
  const text = JSON.stringify(now);
  memory.set(rules, text);
  try {
    localStorage.setItem(PLACE + rules, text);
  } catch {
    // the page is all that remembers it
  }
  return now;
}

// The running game has gone on; if it is another one than before (a new one, that of a link, one of another window), that
// one is laid aside: unless it was over, never begun, or shorter than the one that lies there.
export function keep(rules, game, another) {
  const { running, aside, best } = kept(rules);
  const left = (another || running?.seed !== game.seed) && running && !running.over && running.at > 0;
  const free = !aside || aside.over || aside.seed === game.seed || aside.at <= running?.at;
  write(rules, { running: game, aside: left && free ? running : aside, best: Math.max(best, game.own ? game.score : 0) });
}

// The game that was laid aside goes on, and the other one waits.
export function swap(rules) {
  const { running, aside } = kept(rules);
  return write(rules, { running: aside, aside: running && running.at > 0 ? running : null }).running;
}
