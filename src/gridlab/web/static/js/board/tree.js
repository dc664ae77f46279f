// The moves of a game with all their variations: a tree. What is known of a position stands at its node and nowhere
// else, so nothing that is shown can belong to another position.
//
//   22.11.13          a line
//   22.11(12.33).13   after 22 there are 11 and 12; what stands in brackets replaces the move before them

export class Node {
  constructor(parent, move) {
    Object.assign(this, { parent, move, children: [], latest: null });
    this.position = null; // as the server tells it, or as far as the page can tell itself (`guess`)
    this.values = this.opinion = this.network = this.step = null;
    this.by = ""; // how a player has found this move
    this.blunder = ""; // what this move gave away
  }

  get depth() {
    return this.parent ? this.parent.depth + 1 : 0;
  }

  // From the start to here.
  get path() {
    return this.parent ? [...this.parent.path, this] : [this];
  }

  get moves() {
    return this.path.slice(1).map((each) => each.move);
  }

  // Where the game went on when it was last seen.
  get following() {
    return this.latest ?? this.children[0] ?? null;
  }

  // The path to here and on to the end.
  get line() {
    const found = this.path;
    for (let next = this.following; next; next = next.following) found.push(next);
    return found;
  }

  child(move) {
    let found = this.children.find((each) => each.move === move);
    if (!found) this.children.push((found = new Node(this, move)));
    return found;
  }

  remove() {
    this.parent.children = this.parent.children.filter((each) => each !== this);
    if (this.parent.latest === this) this.parent.latest = null;
  }

  // All nodes from here on, the first line before its variations.
  get all() {
    return [this, ...this.children.flatMap((each) => each.all)];
  }

  // Make the way to here the one that Redo takes.
  visit() {
    for (let node = this; node.parent; node = node.parent) node.parent.latest = node;
  }
}

export function textOf(root) {
  let text = "";
  for (let node = root; node.children.length; node = node.children[0]) {
    const [first, ...others] = node.children;
    text += `${text ? "." : ""}${first.move}`;
    for (const each of others) text += `(${[each.move, textOf(each)].filter(Boolean).join(".")})`;
  }
  return text;
}

// The tree of a text; what is no move is left out.
export function treeOf(text) {
  const root = new Node(null, null);
  const before = []; // the moves that open brackets replace
  let at = root;
  for (const [token] of text.matchAll(/[()]|[^().\s]{1,5}/g)) {
    if (token === "(") {
      before.push(at);
      at = at.parent ?? root;
    } else if (token === ")") at = before.pop() ?? at;
    else at = at.child(token);
  }
  return root;
}
