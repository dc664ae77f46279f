// Light, dark, or what the system says.

import { preference, prefer } from "./prefs.js";

const NAMES = { system: "Theme: system", light: "Theme: light", dark: "Theme: dark" };

export function themeSwitch(button) {
  let chosen = preference("theme", "system");
  const show = () => {
    if (chosen === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    button.textContent = NAMES[chosen];
  };
  button.addEventListener("click", () => {
    const order = Object.keys(NAMES);
    chosen = order[(order.indexOf(chosen) + 1) % order.length];
    prefer("theme", chosen);
    show();
  });
  show();
}
