// The page: shows one model, keeps table, 3-D, diagram and panels on one selected body.

// Why the picture of a model shows nothing; "" if it shows something.
function explainEmptyPicture({ bodies, nodes, shapes, findings, notes }) {
  if (!bodies.length) {
    return `This file has no body to draw${findings.length ? "; the findings say why." : notes.length ? "; the notes say why." : "."}`;
  }
  const drawn = shapes.length || bodies.some((body) => body.com && body.ellipsoid)
    || nodes.some((node) => node.parent !== null); // without shapes, lines show the joints
  return drawn ? "" : "No body here has a shape or an inertia to draw.";
}

class Page {
  constructor() {
    this.page = readJson("page");
    this.meshes = {};
    this.selected = -1;
    this.tab = "findings";
    this.labels = new Map();
    this.figure = this.makeFigure();
    this.table = new BodyTable(find("bodies"), {
      filter: find("filter"), onlyFindings: find("only-findings"), count: find("count"),
      select: (index) => this.select(index, "table"), open: () => this.openTab("body", true),
    });
    this.attachTabs();
    this.attachOptions();
    this.models = new ModelList(this.page.models, (index) => this.open(index));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
    addEventListener("resize", () => this.figure?.resize());
    addEventListener("beforeprint", () => this.print());
    addEventListener("hashchange", () => this.follow());
    this.follow();
  }

  // Shows the model and the body that the address of the page names: #model=PATH&body=NAME.
  follow() {
    const hash = new URLSearchParams(location.hash.slice(1)), name = hash.get("body");
    const find = (wanted) => this.page.models.findIndex((model) => model.scene !== null && wanted(model));
    const index = find(({ path }) => path === hash.get("model"));
    if (!this.scene || (index >= 0 && hash.get("model") !== this.scene.path)) this.open(index >= 0 ? index : find(() => true));
    const body = (this.scene?.bodies ?? []).findIndex(({ id, name: own }) => name && [id, own].includes(name));
    if (body >= 0 && body !== this.selected) this.select(body, "address");
  }

  address(index) {
    const { name, id } = this.scene.bodies[index], { bodies, path } = this.scene;
    const shared = bodies.filter((body) => body.name === name).length > 1;
    return `#${new URLSearchParams({ ...(this.page.models.length > 1 && { model: path }), body: shared ? id : name })}`;
  }

  makeFigure() {
    try {
      const figure = new Figure(find("canvas"));
      attachCamera(figure.canvas, figure.camera, {
        changed: () => figure.request(),
        hover: (event) => this.hover(event),
        click: (event) => this.select(figure.bodyAt(event.clientX, event.clientY), "figure"),
      });
      figure.canvas.addEventListener("dblclick", () => this.selected >= 0 && figure.approach(this.selected));
      figure.afterDraw = () => this.placeLabels();
      figure.canvas.addEventListener("webglcontextlost", () => { find("no-webgl").hidden = false; });
      return figure;
    } catch {
      find("no-webgl").hidden = false;
      find("canvas").hidden = true;
      return null;
    }
  }

  // Shows the model at a place in the list of models.
  open(index) {
    const model = this.page.models[index];
    if (!model || model.scene === null) return;
    const scene = readJson(`scene-${model.scene}`);
    this.meshes = {};
    for (const { mesh } of scene.shapes) if (mesh) this.meshes[mesh] ??= readJson(`mesh-${mesh}`);
    this.models.mark(index);
    this.show(scene);
  }

  // Shows a scene; a live view keeps camera, joints and selection where the bodies are the same.
  show(scene, keep = false) {
    const kept = keep && this.scene ? this.remember() : null;
    for (const body of scene.bodies) Object.defineProperty(body, "after", { value: { ...body, ...body.fixes[0] }, configurable: true });
    this.scene = scene;
    this.selected = -1;
    this.at = -1;
    this.steps = listSteps(scene);
    this.say(scene.broken ? `The last save cannot be read, so this is the model before it. ${shorten(scene.broken, 600)}` : "");
    this.showHead();
    this.chooseOptions(kept);
    if (this.figure) {
      Object.assign(this.figure.options, this.readOptions());
      this.figure.selected = this.figure.hovered = -1;
      this.figure.show(scene, this.meshes, kept !== null);
    }
    const nothing = explainEmptyPicture(scene);
    find("nothing").hidden = !nothing || !this.figure; // without WebGL another sentence stands there
    find("nothing").textContent = nothing;
    this.table.selected = -1;
    this.table.show(scene, (body) => this.numbersOf(body));
    find("panel-findings").replaceChildren(...buildFindings(scene, (body) => this.select(body, "link")));
    if (kept) this.restore(kept);
    else this.step(1);
    find("panel-joints").replaceChildren(...buildJoints(scene, this.figure, (body) => this.select(body, "joint")));
    this.recolour();
  }

  say(words) {
    find("broken").hidden = !words;
    find("broken").textContent = words;
  }

  // Goes to the next remedy, or the one before: worst first.
  step(by) {
    const { steps } = this, first = this.at < 0;
    find("steps").hidden = !steps.length;
    if (!steps.length) return;
    this.at = (Math.max(this.at, by > 0 ? -1 : 0) + by + steps.length) % steps.length;
    const { finding, body } = steps[this.at];
    find("step-count").textContent = `${this.at + 1} of ${steps.length}`;
    if (!first) this.openTab("findings");
    this.select(body, "step");
    for (const card of find("panel-findings").querySelectorAll(".card")) {
      const chosen = Number(card.dataset.finding) === finding;
      card.classList.toggle("now", chosen);
      if (chosen && !first) find("panel-findings").scrollTop = card.offsetTop - 12;
    }
    if (!first && this.figure?.sizes[body] < 0.1 * this.figure.radius) this.figure.approach(body);
  }

  remember() {
    const positions = new Map();
    this.scene.nodes.forEach((node, i) => positions.set(this.scene.bodies[i].id, this.figure?.positions[i] ?? 0));
    return { positions, id: this.scene.bodies[this.selected]?.id, shapes: find("option-shapes").value };
  }

  restore({ positions, id }) {
    if (this.figure) this.figure.positions = this.scene.bodies.map((body) => positions.get(body.id) ?? 0);
    this.figure?.place();
    this.select(this.scene.bodies.findIndex((body) => body.id === id), "live");
  }

  showHead() {
    const { scene } = this, name = scene.name || scene.path.split("/").at(-1);
    find("name").textContent = shorten(name, 120);
    find("name").title = shorten(name, 400);
    find("path").textContent = shorten([scene.path, scene.format].filter(Boolean).join(" · "), 300);
    document.title = `${shorten(name, 60)} – inertial_check`;
    const item = (count, noun, kind) => count || !kind
      ? element("li", { class: kind ? `sev-${kind}` : "" }, element("span", { class: "n", text: count }), ` ${noun}`) : null;
    const words = (count, noun) => plural(count, noun).split(" ").slice(1).join(" ");
    const counts = ["error", "warning", "note"].map((kind) => item(scene.counts[kind], words(scene.counts[kind], kind), kind));
    find("summary").replaceChildren(...[item(scene.bodies.length, words(scene.bodies.length, "body")),
      scene.mass ? item(formatNumber(scene.mass), "kg") : null, ...counts,
      counts.some(Boolean) ? null : element("li", { text: "no finding" })].filter(Boolean));
  }

  attachOptions() {
    for (const key of ["shapes", "solid", "colour", "numbers", "com", "axes", "frames"]) {
      find(`option-${key}`).addEventListener("input", () => {
        if (this.figure) Object.assign(this.figure.options, this.readOptions());
        this.table.show(this.scene, (body) => this.numbersOf(body));
        this.recolour();
      });
    }
    find("reset-view").addEventListener("click", () => this.figure?.resize(true));
    find("previous").addEventListener("click", () => this.step(-1));
    find("next").addEventListener("click", () => this.step(1));
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
      if (event.key === "n") this.step(1);
      if (event.key === "p") this.step(-1);
      const slider = find("option-numbers");
      if (event.key !== "b" || slider.closest("label").hidden) return;
      slider.value = 1 - slider.value;
      slider.dispatchEvent(new Event("input"));
    });
  }

  readOptions() {
    const value = (key) => find(`option-${key}`).value, checked = (key) => find(`option-${key}`).checked;
    return {
      shapes: value("shapes"), solid: value("solid"), colour: value("colour"), numbers: Number(value("numbers")) ? "fixed" : "written",
      com: checked("com"), axes: checked("axes"), frames: checked("frames"),
    };
  }

  // Offers what the model has: roles of shapes, methods of fixes, engines.
  chooseOptions(kept) {
    const { scene } = this, has = (role) => scene.shapes.some((shape) => shape.role === role);
    for (const option of find("option-shapes").options) option.disabled = option.value !== "none" && !has(option.value);
    const first = has("visual") ? "visual" : has("collision") ? "collision" : "none";
    find("option-shapes").value = kept && (kept.shapes === "none" || has(kept.shapes)) ? kept.shapes : first;
    const remedied = scene.bodies.some((body) => body.fixes.length);
    find("numbers-label").hidden = !remedied;
    if (!kept || !remedied) find("option-numbers").value = 0;
    const engines = scene.bodies.some((body) => body.predicted) ? scene.engines : [];
    const group = find("option-engines"), chosen = find("option-colour").value;
    group.replaceChildren(...engines.map(({ name }) => element("option", { value: `engine:${name}`, text: name })));
    group.hidden = !engines.length;
    find("option-colour").value = chosen;
    if (!find("option-colour").value) find("option-colour").value = "findings";
  }

  recolour() {
    this.figure?.refresh();
    this.showLegend();
    this.showPanels();
    this.buildLabels();
  }

  showLegend() {
    const rows = legendOf(this.readOptions().colour, this.scene.bodies, palette(), (body) => this.numbersOf(body));
    find("legend").replaceChildren(...rows.map(({ label, colour }) => element("li", {}, element("span", { class: "swatch", colour }), label)));
  }

  // Selects a body everywhere; `origin` says where, so that the view there does not jump.
  select(index, origin) {
    this.selected = index;
    if (this.figure) {
      this.figure.selected = index;
      this.figure.refresh();
    }
    this.table.mark(index, origin !== "table");
    this.showPanels();
    this.buildLabels();
    if (origin === "step") return;
    if (index >= 0 && (this.tab === "findings" || origin === "link")) this.openTab("body");
    if (index >= 0) history.replaceState(null, "", this.address(index));
  }

  numbersOf(body) {
    return this.readOptions().numbers === "written" || !body.fixes.length ? body : body.after;
  }

  showPanels() {
    const { scene, selected } = this, body = scene.bodies[selected];
    find("panel-body").replaceChildren(...(body
      ? buildBody(scene, selected, this.numbersOf(body), this.address(selected), (index) => this.select(index, "link"))
      : [element("p", { class: "empty", text: "Select a body in the table, in the robot or in the diagram." })]));
    const colours = palette(), key = this.readOptions().colour;
    const css = (rgb) => `rgb(${rgb.map((x) => Math.round(255 * x)).join(" ")})`;
    find("panel-moments").replaceChildren(...buildTriangle(scene, (each) => this.numbersOf(each), (i) => css(colourBody(
        scene.bodies[i], key, colours, this.numbersOf(scene.bodies[i]))), selected,
      (index) => this.select(index, "diagram")));
  }

  attachTabs() {
    const tabs = [...find("tabs").children];
    for (const tab of tabs) {
      tab.addEventListener("click", () => this.openTab(tab.id.slice(4)));
      tab.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
        this.openTab(next.id.slice(4));
        next.focus();
      });
    }
  }

  openTab(name, focus = false) {
    this.tab = name;
    for (const tab of find("tabs").children) {
      const chosen = tab.id === `tab-${name}`;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      find(`panel-${tab.id.slice(4)}`).hidden = !chosen;
    }
    if (focus) find(`panel-${name}`).focus();
  }

  hover(event) {
    const index = event && event.pointerType !== "touch" ? this.figure.bodyAt(event.clientX, event.clientY) : -1;
    if (index === this.figure.hovered) return;
    this.figure.hovered = index;
    this.figure.refresh();
    this.buildLabels();
  }

  // Names, with what is and what should be, of the bodies under the pointer, selected, and guilty.
  buildLabels() {
    const { figure, scene } = this;
    if (!figure) return;
    const guilty = [...this.steps.map(({ body }) => body), ...scene.bodies.keys()].filter((i) => i >= 0 && isGuilty(scene.bodies[i]));
    const wanted = new Set([figure.hovered, figure.selected, ...figure.options.colour === "findings" ? guilty : []]);
    this.labels.clear();
    for (const index of [...wanted].filter((each) => each >= 0).slice(0, 12)) {
      const size = figure.oversize?.get(index);
      const lines = [...describeChanges(scene, index), size].filter(Boolean);
      this.labels.set(index, element("div", { class: `tag ${index === figure.selected ? "chosen" : ""}`, dir: "auto" },
        element("b", { text: shorten(scene.bodies[index].name, 60) || "(no name)" }), ...lines.map((text) => element("span", { text }))));
    }
    find("labels").replaceChildren(...this.labels.values());
    for (const tag of this.labels.values()) tag.box = [tag.offsetWidth, tag.offsetHeight];
    figure.request();
  }

  // Puts the labels beside the robot, on the side of their bodies, with a line to each; those for
  // which there is no room are hidden.
  placeLabels() {
    const { figure } = this, width = figure.canvas.clientWidth, height = figure.canvas.clientHeight - 26;
    const taken = [], lines = [];
    for (const [index, tag] of this.labels) {
      const at = figure.project(index), [w, h] = tag.box, left = at?.[0] < width / 2;
      const x = left ? 12 : width - w - 12, most = Math.max(height - h, 44);
      const free = (y) => y >= 44 && y <= most && taken.every(([a, b, c, d]) => x + w < a || x > c || y + h + 5 < b || y > d + 5);
      const near = at && Math.min(Math.max(at[1] - h / 2, 44), most);
      const y = at && Array.from({ length: 120 }, (_, k) => near + (k % 2 ? -4 : 4) * k).find(free);
      tag.hidden = y === undefined || y === null;
      if (tag.hidden) continue;
      taken.push([x, y, x + w, y + h]);
      tag.style.transform = `translate(${x}px, ${y}px)`;
      lines.push(drawn("line", { x1: left ? x + w : x, y1: y + h / 2, x2: at[0], y2: at[1] }));
    }
    find("leaders").replaceChildren(...lines);
  }

  print() {
    if (!this.figure || !this.figure.view) return;
    this.figure.draw();
    find("picture").src = this.figure.canvas.toDataURL("image/png");
  }
}

function readJson(id) {
  return JSON.parse(find(id).textContent);
}
