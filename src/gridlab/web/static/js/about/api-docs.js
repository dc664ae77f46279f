// The interface for programs, from its own description.

import { h } from "../dom.js";

export function apiDocs(description) {
  const routes = Object.entries(description.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, about]) => ({ path, method, about })));
  return h("div", { class: "stack tight" }, routes.map(({ path, method, about }) => {
    const parameters = (about.parameters ?? []).map((each) => each.name).join(", ");
    const body = about.requestBody?.content?.["application/json"]?.schema?.$ref?.split("/").at(-1);
    return h("div", { class: "small" }, h("p", {}, h("code", {}, `${method.toUpperCase()} ${path}`)), h("p", { class: "muted" }, about.description ?? "", parameters ? ` Takes ${parameters}.` : "", body ? ` Takes a ${body}.` : ""));
  }));
}
