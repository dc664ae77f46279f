// The server: questions, and long work with its progress. While it does not answer, the page says so and tries again.

const API = "/api/v1";
const RETRY = 1500; // milliseconds
const SILENT = "the server does not answer";
let away = false;
const waiting = new Set(); // called when the server is back

export class Refused extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

export function get(path, parameters = {}, signal = undefined) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== "");
  const query = new URLSearchParams(given).toString();
  return ask(`${API}${path}${query ? `?${query}` : ""}`, { signal });
}

export function post(path, body, signal = undefined) {
  return ask(`${API}${path}`, posted(body, signal));
}

// An answer in parts, { part: its name, … }: `hear` is called for each as it comes, and the promise is kept at the end.
export async function stream(path, body, hear, signal = undefined) {
  const answer = await reached(fetch(`${API}${path}`, posted(body, signal)));
  if (!answer.ok) throw await refused(answer);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for await (const part of partsOf(reader)) {
      if (part.part === "end") return;
      if (part.part === "error") throw new Refused(part.error, part.status);
      hear(part);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
  lost(); // it fell silent before the end
  throw new Refused(SILENT, 0);
}

async function* partsOf(reader) {
  let rest = "";
  for (;;) {
    const { done, value } = await reached(reader.read());
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) yield JSON.parse(line);
  }
}

const posted = (body, signal) => ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal });

async function ask(address, options) {
  const answer = await reached(fetch(address, options));
  if (!answer.ok) throw await refused(answer);
  return answer.json().catch(() => ({}));
}

async function refused(answer) {
  const body = await answer.json().catch(() => ({}));
  return new Refused(body.error ?? `the server answers ${answer.status}`, answer.status);
}

// What comes from the server; if it does not come, the page says so.
async function reached(coming) {
  try {
    return await coming;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    lost();
    throw new Refused(SILENT, 0);
  }
}

function lost() {
  if (away) return;
  away = true;
  document.getElementById("offline").hidden = false;
  setTimeout(look, RETRY);
}

async function look() {
  try {
    if (!(await fetch("/health")).ok) throw new Error("not well");
  } catch {
    setTimeout(look, RETRY);
    return;
  }
  away = false;
  document.getElementById("offline").hidden = true;
  for (const call of waiting) call();
}

// Be told when the server is back; returns how to stop being told.
export function whenBack(call) {
  waiting.add(call);
  return () => waiting.delete(call);
}

// Long work: `seen` is called whenever it has come further. Gives { done, cancel }.
export function job(kind, body, seen) {
  let source = null;
  let id = null;
  let cancelled = false;
  const cancel = () => {
    cancelled = true;
    source?.close();
    if (id) fetch(`${API}/jobs/${id}`, { method: "DELETE", keepalive: true }).catch(() => {});
  };
  const done = post(`/jobs/${kind}`, body).then((begun) => {
    id = begun.id;
    if (cancelled) {
      cancel();
      throw new Refused("cancelled", 0);
    }
    return new Promise((resolve, reject) => {
      source = new EventSource(`${API}/jobs/${id}/events`);
      source.onmessage = (event) => {
        const state = JSON.parse(event.data);
        seen?.(state);
        if (state.state === "waiting" || state.state === "running") return;
        source.close();
        if (state.state === "done") resolve(state.result);
        else reject(new Refused(state.error || "cancelled", 0));
      };
      source.onerror = () => {
        if (source.readyState === EventSource.CLOSED) {
          lost();
          reject(new Refused(SILENT, 0));
        }
      };
    });
  });
  return { done, cancel };
}
