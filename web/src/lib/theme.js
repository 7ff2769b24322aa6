// Light or dark: the reader's choice, else the system's.
const dark = matchMedia("(prefers-color-scheme: dark)");

function chosen() {
  try {
    return localStorage.getItem("assay-theme");
  } catch {
    return null; // storage is switched off: follow the system
  }
}

export const theme = () => chosen() ?? (dark.matches ? "dark" : "light");

export function showTheme() {
  document.documentElement.dataset.theme = theme();
}

export function switchTheme() {
  const next = theme() === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("assay-theme", next);
  } catch {
    /* for this visit only */
  }
  document.documentElement.dataset.theme = next;
}

dark.addEventListener("change", showTheme);
showTheme();
