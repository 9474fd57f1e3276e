// Applies the chosen theme before anything is painted; a module would run too late.
(function () {
  "use strict";
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");

  function stored() {
    try {
      return localStorage.getItem("headnode:theme");
    } catch {
      return null;
    }
  }

  function isDark() {
    return (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  }

  function label(button) {
    const { light = "Light", dark = "Dark" } = button.dataset;
    const { useLight = "Use light colours", useDark = "Use dark colours" } = button.dataset;
    button.textContent = isDark() ? light : dark;
    button.setAttribute("aria-label", isDark() ? useLight : useDark);
    button.hidden = false;
  }

  function flip() {
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("headnode:theme", root.dataset.theme);
    } catch {
      // The choice then lasts as long as the page.
    }
    changed();
  }

  function changed() {
    document.querySelectorAll("[data-theme-toggle]").forEach(label);
    document.dispatchEvent(new CustomEvent("themechange"));
  }

  const choice = stored();
  if (choice === "light" || choice === "dark") root.dataset.theme = choice;
  system.addEventListener("change", changed);
  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("[data-theme-toggle]").forEach((button) => {
      label(button);
      button.addEventListener("click", flip);
    });
  });
})();
