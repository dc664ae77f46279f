// Puzzles in words: which game, what to do, and what an answer was worth.

import { valueWords } from "../board/words.js";

const COUNTS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const TITLES = { tictactoe: "Tic-tac-toe", squava: "Squava" };
export const ARROWS = { up: "↑", down: "↓", left: "←", right: "→" };

// 5x5:4-3 -> Squava; 4x4:4-3 -> 4×4, four wins, three loses; 2048:3x3 -> 2048 on 3×3.
export function gameWords({ game, rules, family }) {
  if (family === "2048") return `2048 on ${rules.replace("2048:", "").replace("x", "×")}`;
  return TITLES[game] ?? `${size(rules)}: ${rowWords(rules)}`;
}

function size(rules) {
  return rules.split(":")[0].replace("x", "×");
}

function rowWords(rules) {
  const [win, lose] = rules.split(":")[1].split("-").map((each) => COUNTS[each] ?? each);
  return lose ? `${win} in a row wins, ${lose} loses` : `${win} in a row wins`;
}

// The rules, short enough to stand beside the board.
export function shortRules({ rules, family }) {
  if (family === "2048") return "Counted in points to come with perfect play.";
  return `On ${size(rules)}, ${rowWords(rules)}.`;
}

export const TASKS = {
  win: "Find a move that keeps the win.",
  draw: "Find a move that keeps the draw.",
  points: "Which direction is worth most?",
};

export function taskWords({ aim, position }) {
  return aim === "points" ? TASKS.points : `${position.to_move} to move. ${TASKS[aim]}`;
}

const range = ([low, high]) => (low === high ? `${low}` : `${low} to ${high}`);

// How hard a level is, and how many moves are right in its puzzles.
export function levelWords({ about, puzzles, right, legal }, family) {
  const moves = family === "2048" ? "directions" : "moves";
  const verb = right[1] === 1 ? "is" : "are";
  return `${puzzles} puzzles: ${about}. ${range(right)} of ${range(legal)} ${moves} ${verb} right.`;
}

export const points = (amount, digits) => amount.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

// As many digits of points as show the smallest difference.
export function digitsOf(moves) {
  const least = Math.min(...moves.filter((each) => !each.right).map((each) => each.lost));
  return Math.max(1, Math.min(6, 1 - Math.floor(Math.log10(least))));
}

const share = (part, whole) => (100 * part / whole).toLocaleString("en", { maximumSignificantDigits: 2 });

// What an answer was worth, and what would have been best.
export function verdictWords(found, aim) {
  return aim === "points" ? directionWords(found) : moveWords(found, aim);
}

function moveWords({ move, right, best, moves }, aim) {
  const given = moves.find((each) => each.move === move);
  const ideal = moves.find((each) => each.move === best[0]);
  const mine = `${move} ${given.value === "draw" && !right ? "only draws" : valueWords(given.value, given.distance)}.`;
  if (right && (aim === "draw" || best.includes(move))) return mine;
  if (right) return `${mine} ${list(best)} ${best.length === 1 ? "wins" : "win"} faster, in ${ideal.distance}.`;
  return `${mine} ${list(best)} ${verb(best, ideal)}.`;
}

function verb(best, ideal) {
  const words = valueWords(ideal.value, ideal.distance);
  return best.length === 1 ? words : words.replace("wins", "win").replace("draws", "draw");
}

function directionWords({ move, right, best, moves }) {
  const given = moves.find((each) => each.move === move), digits = digitsOf(moves);
  const worth = `${capital(move)} is worth ${points(given.points, digits)} points.`;
  if (right) return worth;
  const ideal = moves.find((each) => each.move === best[0]);
  return `${worth} ${capital(list(best))} ${best.length === 1 ? "is" : "are"} worth ${points(ideal.points, digits)}: ${points(given.lost, digits)} points, ${share(given.lost, ideal.points)} %, given away.`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function list(moves) {
  const some = moves.length > 4 ? [...moves.slice(0, 3), `${moves.length - 3} others`] : moves;
  return some.length === 1 ? some[0] : `${some.slice(0, -1).join(", ")} and ${some.at(-1)}`;
}
