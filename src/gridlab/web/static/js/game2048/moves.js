// Moves as text, for links and for keeping: thousands of them in a line.
//
// COUNT.MOVES.CHECK: how many moves there are, in base 36; the moves, three a character of the alphabet of base64url, two
// bits each (up 0, down 1, left 2, right 3), the first one highest, the last character filled up with zeros; and a check
// of both in base 36, so that a text that has lost or changed a character is not taken for another game.
// Left, up, left: "3.i.jxm".

const NAMES = ["up", "down", "left", "right"];
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const A_CHARACTER = 3;
const DAMAGED = "the moves of this link are damaged";

function check(text) {
  let sum = 7;
  for (const letter of text) sum = (sum * 31 + letter.charCodeAt(0)) % 46649; // three digits of base 36
  return sum.toString(36);
}

export function textOf(moves) {
  let letters = "";
  for (let at = 0; at < moves.length; at += A_CHARACTER) {
    let bits = 0;
    for (let next = at; next < at + A_CHARACTER; next += 1) bits = bits * 4 + Math.max(0, NAMES.indexOf(moves[next]));
    letters += ALPHABET[bits];
  }
  const said = `${moves.length.toString(36)}.${letters}`;
  return `${said}.${check(said)}`;
}

// The moves of such a text; an Error with a sentence if it is damaged.
export function movesOf(text) {
  const [count, letters, sum, ...more] = text.split(".");
  const many = /^[0-9a-z]{1,4}$/.test(count) ? Number.parseInt(count, 36) : -1;
  if (more.length || check(`${count}.${letters}`) !== sum || letters.length !== Math.ceil(many / A_CHARACTER)) throw new Error(DAMAGED);
  const moves = [];
  for (const letter of letters) {
    const bits = ALPHABET.indexOf(letter);
    if (bits < 0) throw new Error(DAMAGED);
    moves.push(NAMES[bits >> 4], NAMES[(bits >> 2) & 3], NAMES[bits & 3]);
  }
  return moves.slice(0, many);
}
