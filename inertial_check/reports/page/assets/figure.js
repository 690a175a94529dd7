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
      dot: this.renderer.upload(unitSphere(5)),
      rod: this.renderer.upload(unitCylinder(8)),
      box: this.renderer.upload(unitBox()),
    };
    this.options = {
      shapes: "visual", solid: "ellipsoid", com: false, axes: false, frames: false,
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

  // Takes a scene with meshes by their digests; keeps the camera if `keepView`.
  show(scene, meshes, keepView = false) {
    for (const mesh of this.owned) this.renderer.free(mesh);
    this.scene = scene;
    this.positions = scene.nodes.map(() => 0);
    this.order = orderNodes(scene.nodes);
    this.offsets = scene.nodes.map(() => [0, 0, 0]);
    const decoded = new Map();
    this.shapes = scene.shapes.map((shape) => this.prepare(shape, meshes, decoded));
    this.owned = [this.renderer.join(this.shapes)];
    this.seen = new Set(this.shapes.filter((shape) => shape?.role === "visual").map((shape) => shape.body));
    this.place();
    this.spreadRoots();
    this.place();
    this.sizes = scene.bodies.map((_, index) => {
      const box = this.bounds((body) => body === index);
      return box ? Math.hypot(...subtract(box.high, box.low)) / 2 : 0;
    });
    const points = this.subject(), { low, high } = boundsOf(points);
    const center = combine(0.5, low, 0.5, high), radius = Math.hypot(...subtract(high, low)) / 2;
    this.radius = radius > 0 && Number.isFinite(radius) ? radius : 0.1;
    this.ground = low[2];
    if (!keepView) this.camera.frame(points, center, this.radius, this.aspect());
    this.prepareGrid(center, this.radius);
    this.refresh();
  }

  // Keeps the robot in the picture until someone moves the camera.
  resize(again = false) {
    if (again || !this.camera.moved) this.camera.reset(this.aspect());
    this.request();
  }

  aspect() {
    return (this.canvas.clientWidth || 1) / (this.canvas.clientHeight || 1);
  }

  setPosition(index, value) {
    this.positions[index] = value;
    this.place();
    this.refresh();
  }

  prepareGrid(center, radius) {
    const step = 10 ** Math.floor(Math.log10(radius / 1.5)), reach = 4 * radius;
    const many = Math.ceil(reach / step), lines = [], z = this.ground;
    const [x, y] = center.map((each) => Math.round(each / step) * step), end = many * step;
    for (let k = -end; k <= end; k += step) {
      lines.push(x + k, y - end, z, x + k, y + end, z, x - end, y + k, z, x + end, y + k, z);
    }
    const mesh = this.renderer.upload({ data: new Float32Array(lines) });
    this.owned.push(mesh);
    this.grid = { mesh, reach, middle: center.slice(0, 2) };
  }

  // The numbers of a body that are shown: as written, or after its remedy.
  numbersOf(body) {
    return this.options.numbers === "written" || !body.fixes.length ? body : body.after;
  }

  refresh() {
    if (!this.scene) return;
    this.colours = palette();
    this.solids = this.listSolids();
    this.glyphs = this.listGlyphs();
    this.renderer.place([...this.solids, ...this.glyphs]);
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
    this.scale = this.slow > 45 ? Math.max(0.5, 0.8 * this.scale) : Math.min(this.scale, full);
    const settle = () => {
      Object.assign(this, { scale: full, slow: 0 });
      this.request();
    };
    clearTimeout(this.settle);
    if (this.scale < full) this.settle = setTimeout(settle, 400);
  }

  draw() {
    const aspect = this.renderer.resize(this.scale);
    const view = this.view = this.camera.matrices(aspect);
    const grid = { ...this.grid, color: [...parseColour(this.colours.grid), 1] };
    const quick = this.scale < Math.min(window.devicePixelRatio || 1, 2);
    const items = quick ? this.solids : [...this.solids, ...this.glyphs];
    const [stage, accent] = [this.colours.stage, this.colours.accent].map(parseColour);
    this.renderer.draw(items, view, stage, grid, accent, quick);
    this.afterDraw(this);
  }

  colourOf(index) {
    const body = this.scene.bodies[index];
    let colour = colourBody(body, this.options.colour, this.colours, this.numbersOf(body));
    if (!isGuilty(body) && this.options.colour === "findings") {
      colour = mix(colour, [1, 1, 1], 0.1 * (index % 3)); // neighbours can be told apart
    }
    if (index === this.hovered) return mix(colour, parseColour(this.colours.accent), 0.3);
    return colour;
  }

  // Whether a body is drawn with its tensor, and so that it shines through the others.
  stands(index) {
    return index === this.selected || (this.options.colour === "findings" && isGuilty(this.scene.bodies[index]));
  }

  listSolids() {
    const { shapes, solid, colour } = this.options, items = [], plain = colour === "findings";
    this.oversize = new Map();
    this.shapes.forEach((shape, part) => {
      if (!shape || (shape.role !== shapes && !(shapes === "visual" && !this.seen.has(shape.body)))) return;
      const { body } = shape, first = this.stands(body);
      const alpha = first ? 0.66 : plain ? 0.34 : solid === "none" ? 1 : 0.5;
      items.push(Renderer.item({
        part, first, body, matrix: multiply(this.poses[body], shape.local), gloss: 0.12,
        color: [...this.colourOf(body), alpha], outline: body === this.selected,
      }));
    });
    const bare = !items.length;
    if (solid !== "none") {
      this.scene.bodies.forEach((body, index) => {
        if (this.stands(index) || bare || !plain) items.push(...this.listEquivalents(body, index));
      });
    }
    return items;
  }

  listEquivalents(body, index) {
    const numbers = this.numbersOf(body), own = this.equivalent(numbers, index);
    const before = numbers !== body && index === this.selected ? this.equivalent(body, index, true) : null;
    return [own, before].filter(Boolean);
  }

  // The ellipsoid or box of some numbers; flat along an axis in which no body has them. One that is
  // larger than its surroundings, or that was there `before`, is an outline, at most as large as half
  // the robot: its size stands beside it.
  equivalent(numbers, index, before = false) {
    const lengths = this.options.solid === "box" ? numbers.box?.map((each) => each && each / 2) : numbers.ellipsoid;
    const com = drawable(numbers.com);
    if (!lengths || !numbers.axes || !com || !this.poses[index]) return null;
    const largest = Math.max(...lengths.map((each) => each ?? 0));
    if (!(largest > 0)) return null;
    const over = largest > 1.4 * (this.sizes[index] || 0.25 * this.radius), outline = over || before;
    const shrink = outline ? Math.min(1, 0.4 * this.radius / largest) : 1;
    if (over && !before) {
      const wide = formatSize([Math.max(...numbers.box.map((each) => each ?? 0))]);
      this.oversize.set(index, `tensor ${wide} wide${shrink < 1 ? ", drawn smaller" : ""}`);
    }
    const half = lengths.map((each) => shrink * Math.max(each ?? 0, FLAT * largest));
    const box = this.options.solid === "box" && !outline, factor = box ? 2 : 1;
    const local = multiply(rigid(numbers.axes, com), scaling(...half.map((each) => factor * each)));
    const colour = before ? parseColour(this.colours.error) : this.colourOf(index);
    return Renderer.item({
      mesh: this.primitives[box ? "box" : "sphere"], matrix: multiply(this.poses[index], local),
      body: before ? -1 : index, color: [...colour, 1], gloss: outline ? -1 : 0.25,
      layer: outline ? "ghost" : undefined,
    });
  }

  // The body under a point of the page, or -1.
  bodyAt(x, y) {
    const box = this.canvas.getBoundingClientRect();
    const [u, v] = [(x - box.left) / box.width, (y - box.top) / box.height];
    if (!this.view || u < 0 || u > 1 || v < 0 || v > 1) return -1;
    const found = this.renderer.find([...this.solids, ...this.glyphs], this.view, u, v);
    return found < this.scene.bodies.length ? found : -1;
  }

  // Place of the centre of a body in the world; of its shapes, where its centre of mass lies far from
  // them and is no place to point at.
  anchor(index) {
    const pose = this.poses[index], own = this.bounds((body) => body === index), middle = own && combine(0.5, own.low, 0.5, own.high);
    const com = drawable(this.scene.bodies[index].com), at = com && transform(pose, com);
    const near = at && !(middle && Math.hypot(...subtract(at, middle)) > this.sizes[index]);
    return near ? at : middle || transform(pose, [0, 0, 0]);
  }

  // Place of the centre of a body on the canvas [CSS pixels]; null behind the camera.
  project(index) {
    if (!this.poses?.[index] || !this.view) return null;
    const p = this.anchors[index] ??= this.anchor(index), m = multiply(this.view.projection, this.view.view);
    const w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
    if (!(w > 0)) return null;
    const clip = transform(m, p);
    return [(clip[0] / w + 1) / 2 * this.canvas.clientWidth, (1 - clip[1] / w) / 2 * this.canvas.clientHeight];
  }

  approach(index) {
    const box = this.poses?.[index] && this.bounds((body) => body === index);
    const center = box ? combine(0.5, box.low, 0.5, box.high) : transform(this.poses[index], drawable(this.scene.bodies[index].com) || [0, 0, 0]);
    this.camera.approach(center, Math.max(2.2 * this.sizes[index], 0.16 * this.radius));
    this.request();
  }
}

// Whether a finding of the body itself, and not one of the whole model, is an error or a warning.
function isGuilty(body) {
  return body.severity === "error" || body.severity === "warning";
}
