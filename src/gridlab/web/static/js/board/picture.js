// The board as a picture: as it is drawn, with the values that are shown, to copy or to save.

import { h, toast } from "../dom.js";
import { download } from "./transfer.js";

const SCALE = 3;
const PAINT = ["fill", "stroke", "stroke-width"];

export async function copyPicture(board, game) {
  try {
    const blob = await picture(board);
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
      toast("Picture copied");
    } catch {
      download(`${game.game.replaceAll(/[^\w-]+/g, "-")}.png`, blob, "image/png"); // a browser that copies no pictures
      toast("Picture saved");
    }
  } catch (error) {
    toast(`The picture could not be made: ${error.message}`, true);
  }
}

async function picture(board) {
  const drawn = board.querySelector("svg");
  const { width, height } = drawn.viewBox.baseVal;
  const canvas = h("canvas", { width: SCALE * width, height: SCALE * height });
  const paper = canvas.getContext("2d");
  paper.drawImage(await image(painted(drawn, width, height)), 0, 0, canvas.width, canvas.height);
  const frame = board.getBoundingClientRect(), ratio = canvas.width / frame.width;
  for (const chip of board.querySelectorAll(".cell .value, .cell .network")) write(paper, chip, frame, ratio);
  return new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no memory"))), "image/png"));
}

// A copy whose colours stand in it: a picture knows no style sheets.
function painted(drawn, width, height) {
  const copy = drawn.cloneNode(true);
  const originals = [drawn, ...drawn.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((each, number) => {
    const style = getComputedStyle(originals[number]);
    for (const name of PAINT) each.setAttribute(name, style.getPropertyValue(name));
    if (each.tagName === "text") {
      each.setAttribute("font-size", style.fontSize);
      each.setAttribute("font-family", "sans-serif");
    }
  });
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return new XMLSerializer().serializeToString(copy);
}

function image(text) {
  return new Promise((done, failed) => {
    const element = new Image();
    element.onload = () => done(element);
    element.onerror = () => failed(new Error("the browser does not draw it"));
    element.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });
}

function write(paper, chip, frame, ratio) {
  const place = chip.getBoundingClientRect(), style = getComputedStyle(chip);
  const [x, y, width, height] = [place.left - frame.left, place.top - frame.top, place.width, place.height].map((each) => each * ratio);
  paper.fillStyle = style.backgroundColor;
  paper.beginPath();
  paper.roundRect(x, y, width, height, height / 2);
  paper.fill();
  paper.fillStyle = style.color;
  paper.font = `${style.fontStyle} ${style.fontWeight} ${parseFloat(style.fontSize) * ratio}px sans-serif`;
  paper.textAlign = "center";
  paper.textBaseline = "middle";
  paper.fillText(chip.textContent, x + width / 2, y + height / 2);
}
