// The table of bodies: sorted by a column, filtered, and moved through with the arrow keys.

const COLUMNS = [{ key: "name", title: "Body", value: (body) => body.name, text: true },
  { key: "verdict", title: "Verdict", value: (body) => body.verdict, text: true },
  { key: "margin", title: "Margin", value: (body) => body.margin },
  { key: "engines", title: "Engines", value: (body) => -Object.keys(body.engines).length, text: true },
  { key: "mass", title: "Mass [kg]", value: (body) => body.mass },
  { key: "density", title: "Density [kg/m³]", value: (body) => body.density?.value ?? null },
  { key: "size", title: "Equivalent box", value: (body) => norm(body.box), show: (body) => formatSize(body.box) },
  { key: "com", title: "Centre of mass [m]", value: (body) => norm(body.com), show: (body) => formatList(body.com, 3) },
  { key: "moments", title: "Principal moments [kg m²]", value: (body) => body.moments?.[2] ?? null, show: (body) => formatList(body.moments, 3) }];

function norm(numbers) {
  const known = (numbers || []).filter((each) => each !== null);
  return known.length ? Math.hypot(...known) : null;
}

class BodyTable {
  constructor(table, { filter, onlyFindings, count, select, open }) {
    this.head = table.tHead;
    this.body = table.tBodies[0];
    this.filter = filter;
    this.onlyFindings = onlyFindings;
    this.count = count;
    this.select = select;
    this.sorting = { key: null, down: false };
    this.buildHead();
    filter.addEventListener("input", () => this.arrange());
    onlyFindings.addEventListener("change", () => this.arrange());
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest("tr");
      if (row) select(Number(row.dataset.index));
    });
    this.body.addEventListener("keydown", (event) => this.onKey(event, open));
  }

  buildHead() {
    const row = element("tr");
    for (const column of COLUMNS) {
      row.append(element("th", { scope: "col", class: column.text ? "" : "num", "data-key": column.key },
        element("button", { type: "button", text: column.title, onclick: () => this.sort(column.key) })));
    }
    this.head.replaceChildren(row);
  }

  show(scene, numbersOf) {
    this.scene = scene;
    this.numbers = scene.bodies.map(numbersOf);
    this.rows = this.numbers.map((body, index) => this.makeRow(body, index));
    this.arrange();
  }

  makeRow(body, index) {
    const cells = COLUMNS.map((column) => {
      const text = column.show ? column.show(body) : column.text ? "" : formatNumber(column.value(body));
      const bad = column.key === "margin" && body.margin < 0;
      return element("td", { class: column.text ? "" : bad ? "num bad-number" : "num", text });
    });
    const name = element("span", { text: shorten(body.name, 120) || "(no name)", dir: "auto" });
    const swatch = element("span", { class: "swatch" });
    swatch.style.backgroundColor = `var(--${body.severity || "ok"})`;
    cells[0].className = "cell-name";
    cells[0].title = shorten(body.name, 400);
    cells[0].append(swatch, name, element(
      "span", { class: "hidden-label", text: body.severity ? `, ${body.severity}` : "" }));
    cells[COLUMNS.findIndex((column) => column.key === "engines")].append(this.makeMarks(body));
    cells[COLUMNS.findIndex((column) => column.key === "verdict")].textContent = body.verdict;
    return element("tr", {
      role: "row", tabindex: -1, "aria-selected": "false", "data-index": index }, ...cells);
  }

  // The engines that do not take the body as written, by name.
  makeMarks(body) {
    const marks = Object.entries(body.engines).map(([name, { action }]) => {
      const { word, colour } = ACTIONS[action], mark = element("i", { text: name, title: `${name} ${word}` });
      mark.style.backgroundColor = `var(--${colour})`;
      return mark;
    });
    const rest = body.predicted ? "all accept" : "no prediction";
    return element("span", { class: "marks" }, ...(marks.length ? marks : [element("span", { class: "quiet", text: rest })]));
  }

  sort(key) {
    const down = this.sorting.key === key ? !this.sorting.down : false;
    this.sorting = { key, down };
    this.arrange();
  }

  // Fills the table with the rows that pass the filter, in order; numbers that are missing are last.
  arrange() {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const bodies = this.numbers;
    const shown = [...bodies.keys()].filter((index) => {
      const body = bodies[index];
      if (this.onlyFindings.checked && !body.severity) return false;
      const text = `${body.name} ${body.verdict} ${body.severity || ""}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const { key, down } = this.sorting;
    const column = COLUMNS.find((each) => each.key === key);
    const worst = (i, j) => rankSeverity(bodies[i]) - rankSeverity(bodies[j]) || compare(bodies[i].margin, bodies[j].margin, false);
    shown.sort(column ? (i, j) => compare(column.value(bodies[i]), column.value(bodies[j]), down) : worst);
    for (const cell of this.head.rows[0].cells) {
      if (cell.dataset.key === key) cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    }
    this.shown = shown;
    this.body.replaceChildren(...shown.map((index) => this.rows[index]));
    this.count.textContent = shown.length === bodies.length
      ? plural(bodies.length, "body") : `${shown.length} of ${plural(bodies.length, "body")}`;
    this.mark(this.selected ?? -1);
  }

  mark(index, scroll = false) {
    this.selected = index;
    for (const row of this.rows) {
      row.setAttribute("aria-selected", "false");
      row.tabIndex = -1;
    }
    const row = this.rows[index];
    if (row) row.setAttribute("aria-selected", "true");
    const entry = this.shown.includes(index) ? row : this.rows[this.shown[0]];
    if (entry) entry.tabIndex = 0;
    if (row && scroll && row.isConnected) row.scrollIntoView({ block: "nearest" });
  }

  onKey(event, open) {
    const row = event.target.closest("tr");
    if (!row) return;
    const at = this.shown.indexOf(Number(row.dataset.index)), last = this.shown.length - 1;
    const targets = {
      ArrowDown: Math.min(at + 1, last), ArrowUp: Math.max(at - 1, 0), Home: 0, End: last,
      PageDown: Math.min(at + 10, last), PageUp: Math.max(at - 10, 0),
    };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.select(this.shown[at]);
      open();
    } else if (event.key in targets) {
      event.preventDefault();
      const index = this.shown[targets[event.key]];
      this.select(index);
      this.rows[index].focus();
    }
  }
}

function rankSeverity({ severity }) {
  return { error: 0, warning: 1, note: 2 }[severity] ?? 3;
}

function compare(a, b, down) {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  const order = typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b;
  return down ? -order : order;
}
