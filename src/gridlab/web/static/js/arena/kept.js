// Settings and last results of the arena, kept by the browser until its tab is closed.

const MOST = 400_000; // characters of one panel

export function kept(name) {
  try {
    return JSON.parse(sessionStorage.getItem(`gridlab-${name}`) ?? "null") ?? {};
  } catch {
    return {};
  }
}

// What is too large is kept without its result.
export function keep(name, value) {
  const whole = JSON.stringify(value);
  try {
    sessionStorage.setItem(`gridlab-${name}`, whole.length > MOST ? JSON.stringify({ settings: value.settings }) : whole);
  } catch {
    // a browser that stores nothing
  }
}
