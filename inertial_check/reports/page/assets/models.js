// The list of models, worst first, where a page has more than one.

class ModelList {
  constructor(models, open) {
    this.models = models;
    this.list = find("models-list");
    if (models.length < 2) return;
    const nav = find("models"), button = find("models-button"), layout = document.querySelector(".layout");
    const show = (shown) => {
      nav.hidden = !shown;
      button.setAttribute("aria-expanded", String(shown));
      layout.classList.toggle("with-models", shown);
      dispatchEvent(new Event("resize"));
    };
    button.hidden = false;
    button.addEventListener("click", () => show(nav.hidden));
    show(true);
    this.rows = models.map((model, index) => this.makeRow(model, () => open(index)));
    find("models-filter").addEventListener("input", () => this.arrange());
    this.arrange();
  }

  makeRow(model, open) {
    const counts = element("span", { class: "counts" });
    for (const kind of ["error", "warning", "note"]) {
      if (model.counts[kind]) counts.append(element("span", { class: `sev-${kind}`, text: plural(model.counts[kind], kind) }));
    }
    if (!counts.childNodes.length) counts.append(element("span", { text: model.bodies ? `${plural(model.bodies, "body")}, no finding` : "nothing to show" }));
    const parts = [element("span", { class: "name", text: shorten(model.title, 80), dir: "auto", title: shorten(model.path, 300) }),
      element("span", { class: "where" }, element("bdi", { text: shorten(model.path, 200) })), counts];
    return model.scene === null ? element("li", { class: "plain" }, ...parts)
      : element("li", {}, element("button", { type: "button", onclick: open }, ...parts));
  }

  arrange() {
    const words = find("models-filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = this.rows.filter((_, i) => {
      const text = `${this.models[i].title} ${this.models[i].path}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    this.list.replaceChildren(...shown);
    const drawn = this.models.filter((model) => model.scene !== null).length;
    const some = drawn < this.models.length ? `, the worst ${drawn} in detail` : "";
    find("models-count").textContent = `${shown.length} of ${plural(this.models.length, "model")}${some}, worst first`;
  }

  mark(index) {
    if (!this.rows) return;
    for (const button of this.list.querySelectorAll("[aria-current]")) button.removeAttribute("aria-current");
    this.rows[index].querySelector("button").setAttribute("aria-current", "true");
  }
}
