// Addresses: #/board?game=squava&moves=33.23. What stands there makes the page again.

export function current() {
  const [path, query = ""] = location.hash.replace(/^#/, "").split("?");
  return { page: path.replace(/^\//, "") || "board", parameters: new URLSearchParams(query) };
}

export function link(page, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const query = new URLSearchParams(given).toString();
  return `#/${page}${query ? `?${query}` : ""}`;
}

// Change the address without leaving the page.
export function remember(page, parameters) {
  const address = link(page, parameters);
  if (address !== location.hash) history.replaceState(null, "", address); // browsers count how often it is replaced
}
