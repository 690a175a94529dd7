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
    this.figure = this.makeFigure();
    this.table = new BodyTable(find("bodies"), {
      filter: find("filter"), onlyFindings: find("only-findings"), count: find("count"),
      select: (index) => this.select(index, "table"), open: () => this.openTab("body", true),
    });
    this.attachTabs();
    this.attachOptions();
    this.models = new ModelList(this.page.models, (index) => this.open(index));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
    addEventListener("resize", () => this.figure?.request());
    addEventListener("beforeprint", () => this.print());
    this.open(this.page.models.findIndex((model) => model.scene !== null));
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
      figure.afterDraw = () => this.placeTag();
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
    for (const shape of scene.shapes) {
      if (shape.mesh && !this.meshes[shape.mesh]) this.meshes[shape.mesh] = readJson(`mesh-${shape.mesh}`);
    }
    this.models.mark(index);
    this.show(scene);
  }

  // Shows a scene; a live view keeps camera, joints and selection where the bodies are the same.
  show(scene, keep = false) {
    const kept = keep && this.scene ? this.remember() : null;
    this.scene = scene;
    this.selected = -1;
    find("broken").hidden = !scene.broken;
    find("broken").textContent = scene.broken ? `The last save cannot be read, so this is the model before it. ${shorten(scene.broken, 600)}` : "";
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
    this.table.show(scene);
    find("panel-findings").replaceChildren(...buildFindings(scene, (body) => this.select(body, "link")));
    if (kept) this.restore(kept);
    find("panel-joints").replaceChildren(...buildJoints(scene, this.figure, (body) => this.select(body, "joint")));
    this.showLegend();
    this.showPanels();
  }

  remember() {
    const positions = new Map();
    this.scene.nodes.forEach((node, i) => positions.set(this.scene.bodies[i].id, this.figure?.positions[i] ?? 0));
    return { positions, id: this.scene.bodies[this.selected]?.id, shapes: find("option-shapes").value };
  }

  restore({ positions, id }) {
    if (this.figure) {
      this.scene.bodies.forEach((body, i) => { this.figure.positions[i] = positions.get(body.id) ?? 0; });
      this.figure.place();
      this.figure.refresh();
    }
    const index = this.scene.bodies.findIndex((body) => body.id === id);
    if (index >= 0) this.select(index, "live");
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
    const { error, warning, note } = scene.counts;
    find("summary").replaceChildren(...[
      item(scene.bodies.length, words(scene.bodies.length, "body")),
      scene.mass ? item(formatNumber(scene.mass), "kg") : null,
      item(error, words(error, "error"), "error"),
      item(warning, words(warning, "warning"), "warning"), item(note, words(note, "note"), "note"),
      error + warning + note ? null : element("li", { text: "no finding" }),
    ].filter(Boolean));
  }

  attachOptions() {
    for (const key of ["shapes", "solid", "colour", "numbers", "com", "axes", "frames"]) {
      find(`option-${key}`).addEventListener("change", () => {
        if (this.figure) Object.assign(this.figure.options, this.readOptions());
        this.recolour();
      });
    }
    find("reset-view").addEventListener("click", () => {
      this.figure?.camera.reset();
      this.figure?.request();
    });
  }

  readOptions() {
    const value = (key) => find(`option-${key}`).value, checked = (key) => find(`option-${key}`).checked;
    return {
      shapes: value("shapes"), solid: value("solid"), colour: value("colour"), numbers: value("numbers"),
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
    if (!kept || !remedied) find("option-numbers").value = "written";
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
  }

  showLegend() {
    const rows = legendOf(this.readOptions().colour, this.scene.bodies, palette(),
      (body) => this.numbersOf(body));
    find("legend").replaceChildren(...rows.map(({ label, colour }) => element(
      "li", {}, element("span", { class: "swatch", colour }), label)));
    const { colour, numbers } = this.readOptions();
    if (colour.startsWith("engine:") && numbers !== "written") {
      find("legend").append(element("li", { text: "(with the numbers as written)" }));
    }
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
    if (index >= 0 && this.tab === "findings" && origin !== "link") this.openTab("body");
    if (origin === "link") this.openTab("body");
  }

  numbersOf(body) {
    const { numbers } = this.readOptions();
    if (numbers === "written" || !body.fixes.length) return body;
    return body.fixes[0];
  }

  showPanels() {
    const { scene, selected } = this, body = scene.bodies[selected];
    find("panel-body").replaceChildren(...(body
      ? buildBody(scene, selected, this.numbersOf(body), (index) => this.select(index, "link"))
      : [element("p", { class: "empty", text: "Select a body in the table, in the robot or in the diagram." })]));
    const colours = palette(), key = this.readOptions().colour;
    const css = (rgb) => `rgb(${rgb.map((x) => Math.round(255 * x)).join(" ")})`;
    find("panel-moments").replaceChildren(...buildTriangle(
      scene, (each) => this.numbersOf(each), (i) => css(colourBody(
        scene.bodies[i], key, colours, this.numbersOf(scene.bodies[i]))), selected,
      (index, focus) => {
        this.select(index, "diagram");
        if (focus) find("panel-moments").querySelector(".dot.chosen")?.focus();
      }));
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
  }

  // The name beside the body under the pointer, or else beside the selected one.
  placeTag() {
    const tag = find("tag"), { figure } = this;
    const index = figure.hovered >= 0 ? figure.hovered : figure.selected;
    const at = index >= 0 ? figure.project(index) : null;
    tag.hidden = !at;
    if (!at) return;
    tag.textContent = shorten(this.scene.bodies[index].name, 60) || "(no name)";
    const half = tag.offsetWidth / 2 + 6, width = figure.canvas.clientWidth;
    tag.style.left = `${Math.min(Math.max(at[0], half), Math.max(width - half, half))}px`;
    tag.style.top = `${Math.max(at[1], 34)}px`;
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
