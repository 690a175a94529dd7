// The robot in 3-D: poses of its bodies for given joint positions, its shapes, equivalent solids,
// centres of mass, axes and frames, and the body under the pointer.

// Thickness of an ellipsoid along an axis in which no body has the numbers, by its largest length.
const FLAT = 0.012;

class Figure extends MarkedRobot {
  constructor(canvas) {
    super();
    this.renderer = new Renderer(canvas);
    this.canvas = canvas;
    this.camera = new Camera();
    this.primitives = {
      sphere: this.renderer.upload(unitSphere(18)),
      globe: this.renderer.upload(unitSphere(10)),
      dot: this.renderer.upload(unitSphere(5)),
      cylinder: this.renderer.upload(unitCylinder()),
      rod: this.renderer.upload(unitCylinder(8)),
      cone: this.renderer.upload(unitCone()),
      box: this.renderer.upload(unitBox()),
    };
    this.options = {
      shapes: "visual", solid: "ellipsoid", com: true, axes: false, frames: false,
      colour: "findings", numbers: "written",
    };
    this.selected = -1;
    this.hovered = -1;
    this.owned = [];
    this.scale = Math.min(window.devicePixelRatio || 1, 2);
    this.slow = 0;
    this.pending = false;
    this.afterDraw = () => {};
  }

  // Takes a scene with decoded meshes by their digests; keeps the camera if `keepView`.
  show(scene, meshes, keepView = false) {
    for (const mesh of this.owned) this.renderer.free(mesh);
    this.owned = [];
    this.scene = scene;
    this.positions = scene.nodes.map(() => 0);
    this.order = orderNodes(scene.nodes);
    this.offsets = scene.nodes.map(() => [0, 0, 0]);
    const gpu = new Map();
    this.shapes = scene.shapes.map((shape) => this.prepare(shape, meshes, gpu));
    this.place();
    this.spreadRoots();
    this.place();
    this.sizes = scene.bodies.map((_, index) => {
      const box = this.bounds((body) => body === index);
      return box ? Math.hypot(...subtract(box.high, box.low)) / 2 : 0;
    });
    const { center, radius } = this.measure();
    this.radius = radius;
    if (!keepView) this.camera.frame(center, radius);
    this.prepareGrid(center, radius);
    this.refresh();
  }

  setPosition(index, value) {
    this.positions[index] = value;
    this.place();
    this.refresh();
  }

  prepareGrid(center, radius) {
    const step = 10 ** Math.floor(Math.log10(radius / 1.5)), reach = 4 * radius;
    const many = Math.ceil(reach / step), lines = [];
    const [cx, cy] = [0, 1].map((i) => Math.round(center[i] / step) * step);
    for (let i = -many; i <= many; i++) {
      for (const [a, b] of [[0, 1], [1, 0]]) {
        // Each line is cut into pieces, because it fades with the distance of its ends.
        for (let k = -8; k < 8; k++) {
          for (const end of [k, k + 1]) {
            const p = [0, 0, this.ground];
            p[a] = i * step;
            p[b] = end * many * step / 8;
            lines.push(p[0] + cx, p[1] + cy, p[2]);
          }
        }
      }
    }
    const mesh = this.renderer.upload({ data: new Float32Array(lines) });
    this.owned.push(mesh);
    this.grid = { mesh, reach, middle: center.slice(0, 2) };
  }

  // The numbers of a body that are shown: as written, or after the chosen fix.
  numbersOf(body) {
    if (this.options.numbers === "written" || !body.fixes.length) return body;
    return body.fixes[0];
  }

  refresh() {
    if (!this.scene) return;
    this.colours = palette();
    this.solids = this.listSolids();
    this.request();
  }

  request() {
    if (this.pending) return;
    this.pending = true;
    const asked = performance.now();
    requestAnimationFrame(() => {
      this.pending = false;
      this.adapt(performance.now() - asked);
      this.draw();
    });
  }

  // A picture is late where the one before took long, as without a graphics card: then moving
  // pictures get coarser and have no marks, and the last one is drawn again in full.
  adapt(late) {
    const full = Math.min(window.devicePixelRatio || 1, 2);
    this.slow = 0.6 * this.slow + 0.4 * late;
    if (this.slow > 45) this.scale = Math.max(0.5, this.scale * 0.8);
    this.scale = Math.min(this.scale, full);
    clearTimeout(this.settle);
    if (this.scale < full) {
      this.settle = setTimeout(() => {
        this.scale = full;
        this.slow = 0;
        this.request();
      }, 400);
    }
  }

  draw() {
    const aspect = this.renderer.resize(this.scale);
    const view = this.camera.matrices(aspect);
    this.view = view;
    const grid = { ...this.grid, color: [...parseColour(this.colours.grid), 1] };
    const quick = this.scale < Math.min(window.devicePixelRatio || 1, 2);
    const items = quick ? this.solids : [...this.solids, ...this.listGlyphs(view)];
    this.renderer.draw(items, view, parseColour(this.colours.stage), grid, quick);
    this.afterDraw(this);
  }

  colourOf(index) {
    const body = this.scene.bodies[index];
    let colour = colourBody(
      body, this.options.colour, this.colours, this.numbersOf(body));
    if (!body.severity && this.options.colour === "findings") {
      colour = mix(colour, [1, 1, 1], 0.1 * (index % 3)); // neighbours can be told apart
    }
    if (index === this.hovered) return mix(colour, parseColour(this.colours.accent), 0.3);
    return colour;
  }

  // Colour around the selected body.
  outlineOf(index) {
    return index === this.selected ? [...parseColour(this.colours.accent), 1] : null;
  }

  listSolids() {
    const { shapes, solid } = this.options, items = [];
    const dim = this.selected >= 0;
    for (const shape of this.shapes) {
      if (!shape || shape.role !== shapes) continue;
      const chosen = shape.body === this.selected;
      const alpha = solid === "none" ? 1 : chosen ? 0.55 : dim ? 0.3 : 0.46;
      items.push(Renderer.item({
        mesh: shape.mesh, matrix: multiply(this.poses[shape.body], shape.local), body: shape.body,
        color: [...this.colourOf(shape.body), alpha], gloss: 0.12,
        outline: this.outlineOf(shape.body),
      }));
    }
    if (solid !== "none") {
      this.scene.bodies.forEach((body, index) => items.push(...this.listEquivalents(body, index)));
    }
    return items;
  }

  listEquivalents(body, index) {
    const numbers = this.numbersOf(body), items = [];
    const own = this.equivalent(numbers, index);
    if (own) items.push(own);
    if (numbers !== body) {
      const before = this.equivalent(body, index);
      if (before) {
        before.color = [...parseColour(this.colours.error), 0.16];
        before.layer = "ghost";
        before.body = -1;
        before.outline = null;
        items.push(before);
      }
    }
    return items;
  }

  // The ellipsoid or box of some numbers; flat along an axis in which no body has them.
  equivalent(numbers, index) {
    const lengths = this.options.solid === "box"
      ? numbers.box?.map((each) => each && each / 2) : numbers.ellipsoid;
    const com = drawable(numbers.com);
    if (!lengths || !numbers.axes || !com || !this.poses[index]) return null;
    const largest = Math.max(...lengths.map((each) => each ?? 0));
    if (!(largest > 0) || largest > 50 * this.radius) return null;
    const half = lengths.map((each) => Math.max(each ?? 0, FLAT * largest));
    const box = this.options.solid === "box";
    const factor = box ? 2 : 1;
    const local = multiply(
      rigid(numbers.axes, com), scaling(...half.map((each) => factor * each)));
    // One that is larger than its body would hide the robot.
    const ghost = largest > 1.4 * (this.sizes[index] || 0.25 * this.radius);
    const round = this.scene.bodies.length > 60 ? "globe" : "sphere";
    return Renderer.item({
      mesh: this.primitives[box ? "box" : round], matrix: multiply(this.poses[index], local),
      body: index, color: [...this.colourOf(index), ghost ? 0.3 : 1], gloss: 0.25,
      layer: ghost ? "ghost" : undefined,
      outline: this.outlineOf(index),
    });
  }

  // The body under a point of the page, or -1.
  bodyAt(x, y) {
    const box = this.canvas.getBoundingClientRect();
    const [u, v] = [(x - box.left) / box.width, (y - box.top) / box.height];
    if (!this.view || u < 0 || u > 1 || v < 0 || v > 1) return -1;
    const found = this.renderer.find([...this.solids, ...this.listGlyphs(this.view)], this.view, u, v);
    return found < this.scene.bodies.length ? found : -1;
  }

  // Place of the centre of a body on the canvas [CSS pixels]; null behind the camera.
  project(index) {
    const pose = this.poses?.[index], view = this.view;
    if (!pose || !view) return null;
    const shape = this.shapes.find((each) => each && each.body === index);
    const point = drawable(this.scene.bodies[index].com)
      || (shape && combine(0.5, shape.low, 0.5, shape.high)) || [0, 0, 0];
    const p = transform(pose, point), m = multiply(view.projection, view.view);
    const w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
    if (!(w > 0)) return null;
    const clip = transform(m, p);
    return [
      (clip[0] / w + 1) / 2 * this.canvas.clientWidth,
      (1 - clip[1] / w) / 2 * this.canvas.clientHeight,
    ];
  }

  approach(index) {
    const pose = this.poses?.[index];
    if (!pose) return;
    const box = this.bounds((body) => body === index);
    const size = box ? Math.hypot(...subtract(box.high, box.low)) / 2
      : middle(this.scene.bodies[index].ellipsoid);
    const center = box ? combine(0.5, box.low, 0.5, box.high)
      : transform(pose, drawable(this.scene.bodies[index].com) || [0, 0, 0]);
    this.camera.approach(center, Math.max(1.6 * size, 0.12 * this.radius));
    this.request();
  }
}
