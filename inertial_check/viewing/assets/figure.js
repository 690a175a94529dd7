// The robot in 3-D: poses of its bodies for given joint positions, its shapes, equivalent solids,
// centres of mass, axes and frames, and the body under the pointer.

const AXIS_COLOURS = ["#d0453e", "#4a9a4f", "#3f6fc4"];
const FLAT = 0.012;

class Figure {
  constructor(canvas) {
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

  prepare(shape, meshes, gpu) {
    const d = shape.dimensions;
    const sizes = {
      box: [d[0], d[1], d[2]], sphere: [d[0], d[0], d[0]], ellipsoid: [d[0], d[1], d[2]],
      cylinder: [d[0], d[0], d[1]], cone: [d[0], d[0], d[1]],
    };
    let mesh = this.primitives[{ ellipsoid: "sphere" }[shape.kind] || shape.kind];
    let size = sizes[shape.kind], half = null;
    if (shape.kind === "capsule") {
      mesh = this.renderer.upload(capsule(d[0], d[1]));
      this.owned.push(mesh);
      size = [1, 1, 1];
      half = [d[0], d[0], d[0] + d[1] / 2];
    } else if (shape.kind === "mesh" && meshes[shape.mesh]) {
      if (!gpu.has(shape.mesh)) {
        const data = decodeMesh(meshes[shape.mesh]);
        gpu.set(shape.mesh, this.renderer.upload(data));
        this.owned.push(gpu.get(shape.mesh));
      }
      mesh = gpu.get(shape.mesh);
      size = shape.scale;
    }
    if (!mesh || !size) return null;
    const local = multiply(rigid(shape.rotation, shape.position), scaling(...size));
    let low = [-1, -1, -1], high = [1, 1, 1];
    if (["box", "cylinder", "cone"].includes(shape.kind)) {
      const x = shape.kind === "box" ? 0.5 : 1;
      low = [-x, -x, -0.5];
      high = [x, x, 0.5];
    } else if (half) {
      [low, high] = [half.map((each) => -each), half];
    } else if (shape.kind === "mesh") {
      const { lower, step } = meshes[shape.mesh];
      low = lower;
      high = lower.map((each, i) => each + 65534 * step[i]);
    }
    return { mesh, local, low, high, body: shape.body, role: shape.role };
  }

  // Poses of all bodies in the world.
  place() {
    this.poses = [];
    for (const index of this.order) {
      const node = this.scene.nodes[index];
      let pose = multiply(translation(this.offsets[index]), rigid(node.rotation, node.position));
      const joint = node.joint, q = this.position(index);
      if (joint && joint.motion === "revolute") {
        pose = multiply(pose, turning(joint.axis, q, joint.point));
      } else if (joint && joint.motion === "prismatic") {
        pose = multiply(pose, translation(joint.axis.map((each) => each * q)));
      }
      this.poses[index] = node.parent === null ? pose : multiply(this.poses[node.parent], pose);
    }
  }

  // Position of the joint of a body; a joint that mimics another one follows it.
  position(index, depth = 0) {
    const mimic = this.scene.nodes[index].joint?.mimic;
    if (!mimic || depth > 16) return this.positions[index];
    return (mimic.multiplier ?? 1) * this.position(mimic.body, depth + 1) + (mimic.offset ?? 0);
  }

  setPosition(index, value) {
    this.positions[index] = value;
    this.place();
    this.refresh();
  }

  // Places of roots are not known: where there are several, they stand side by side.
  spreadRoots() {
    const roots = this.order.filter((index) => this.scene.nodes[index].parent === null);
    if (roots.length < 2) return;
    const rootOf = [];
    for (const index of this.order) {
      const { parent } = this.scene.nodes[index];
      rootOf[index] = parent === null ? index : rootOf[parent];
    }
    const drawn = roots.map((root) => ({ root, box: this.bounds((body) => rootOf[body] === root) }))
      .filter(({ box }) => box);
    let at = 0;
    for (const { root, box: { low, high } } of drawn.length > 1 ? drawn : []) {
      this.offsets[root] = [at - low[0], -(low[1] + high[1]) / 2, 0];
      at += (high[0] - low[0]) * 1.15;
    }
  }

  bounds(wanted) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const shape of this.shapes) {
      if (!shape || !wanted(shape.body)) continue;
      const matrix = multiply(this.poses[shape.body], shape.local);
      for (let corner = 0; corner < 8; corner++) {
        const p = transform(
          matrix, [0, 1, 2].map((i) => (corner >> i & 1 ? shape.high : shape.low)[i]));
        for (let i = 0; i < 3; i++) {
          low[i] = Math.min(low[i], p[i]);
          high[i] = Math.max(high[i], p[i]);
        }
      }
    }
    return low[0] <= high[0] ? { low, high } : null;
  }

  // Centre and radius of what the camera looks at, and the height of the ground.
  measure() {
    let box = this.bounds(() => true);
    if (!box) {
      const points = this.poses.map((pose) => transform(pose, [0, 0, 0]));
      this.scene.bodies.forEach((body, i) => {
        const com = drawable(body.com);
        if (!com || !this.poses[i]) return;
        const size = middle(body.ellipsoid);
        const at = transform(this.poses[i], com);
        points.push(at.map((each) => each - size), at.map((each) => each + size));
      });
      if (!points.length) points.push([0, 0, 0]);
      box = { low: [0, 1, 2].map((i) => Math.min(...points.map((p) => p[i]))),
        high: [0, 1, 2].map((i) => Math.max(...points.map((p) => p[i]))) };
    }
    const center = combine(0.5, box.low, 0.5, box.high);
    const radius = Math.hypot(...subtract(box.high, box.low)) / 2;
    this.ground = box.low[2];
    return { center, radius: radius > 0 && Number.isFinite(radius) ? radius : 0.1 };
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
    return body.fixes.find((fix) => fix.method === this.options.numbers) || body.fixes[0];
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

  // Marks with a size on the screen: centres of mass, principal axes, frames, bones.
  listGlyphs(view) {
    const { com, axes, frames } = this.options, items = [];
    const ink = parseColour(this.colours.ink);
    this.scene.bodies.forEach((body, index) => {
      const pose = this.poses[index];
      if (!pose) return;
      const numbers = this.numbersOf(body), center = drawable(numbers.com);
      if (center && numbers.mass > 0 && com) items.push(this.dot(pose, center, index, view, ink));
      if (center && axes && numbers.axes) {
        const long = Math.min(middle(numbers.ellipsoid) * 1.35 || 0, 2 * this.radius);
        items.push(...this.triad(pose, numbers.axes, center, index, view, long, ink));
      }
      if (frames) {
        const unit = [1, 0, 0, 0, 1, 0, 0, 0, 1];
        items.push(...this.triad(pose, unit, [0, 0, 0], index, view, 0.09 * this.radius));
      }
    });
    if (!this.scene.shapes.length) items.push(...this.bones(view, ink));
    if (this.selected >= 0) items.push(...this.witness(view));
    return items;
  }

  size(at, view, share) {
    return share * Math.hypot(...subtract(at, view.eye));
  }

  dot(pose, center, index, view, ink) {
    const at = transform(pose, center);
    const r = this.size(at, view, index === this.selected ? 0.0075 : 0.0045);
    const colour = index === this.selected ? parseColour(this.colours.accent) : ink;
    return Renderer.item({
      mesh: this.primitives.dot, matrix: multiply(translation(at), scaling(r, r, r)),
      color: [...colour, 1], body: index, layer: "front",
    });
  }

  stick(from, to, view, share, colour, body) {
    const along = subtract(to, from), length = Math.hypot(...along);
    const middle = combine(0.5, from, 0.5, to), r = this.size(middle, view, share);
    return Renderer.item({
      mesh: this.primitives.rod,
      matrix: multiply(rigid(towards(along), middle), scaling(r, r, length)),
      color: [...colour, 1], body, layer: "front",
    });
  }

  triad(pose, axes, center, index, view, length, colour = null) {
    if (!(length > 0)) return [];
    const at = transform(pose, center);
    return [0, 1, 2].map((k) => {
      const direction = [axes[k], axes[3 + k], axes[6 + k]];
      const end = combine(1, center, length, direction);
      const from = colour ? transform(pose, combine(1, center, -length, direction)) : at;
      return this.stick(
        from, transform(pose, end), view, 0.0014, parseColour(AXIS_COLOURS[k]), index);
    });
  }

  // Without any shape, lines join the origins of the bodies.
  bones(view, ink) {
    const colour = mix(ink, parseColour(this.colours.surface), 0.55);
    return this.scene.nodes.flatMap((node, index) => {
      if (node.parent === null) return [];
      const [from, to] = [node.parent, index].map((i) => transform(this.poses[i], [0, 0, 0]));
      return Math.hypot(...subtract(to, from)) > 0
        ? [this.stick(from, to, view, 0.0012, colour, index)] : [];
    });
  }

  // The direction in which the second moment of the selected body would be negative.
  witness(view) {
    const body = this.scene.bodies[this.selected], pose = this.poses[this.selected];
    const center = drawable(body.com);
    if (this.numbersOf(body) !== body || !body.witness || !center || !pose) return [];
    const long = Math.min(1.2 * Math.max(...(body.ellipsoid || [0]).map((x) => x ?? 0)), this.radius);
    if (!(long > 0)) return [];
    const [from, to] = [-long, long].map(
      (k) => transform(pose, combine(1, center, k, body.witness)));
    return [this.stick(from, to, view, 0.002, parseColour(this.colours.error), this.selected)];
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

// Indices of the nodes, parents first.
function orderNodes(nodes) {
  const children = nodes.map(() => []), roots = [], order = [];
  nodes.forEach((node, i) => (node.parent === null ? roots : children[node.parent]).push(i));
  const pending = roots.reverse();
  while (pending.length) {
    const index = pending.pop();
    order.push(index);
    for (let k = children[index].length - 1; k >= 0; k--) pending.push(children[index][k]);
  }
  return order;
}

function drawable(point) {
  return point && point.every((each) => each !== null && Math.abs(each) < 1e18) ? point : null;
}

function middle(lengths) {
  const known = (lengths || []).filter((each) => each !== null).sort((a, b) => a - b);
  return known.length ? known[Math.floor(known.length / 2)] : 0;
}
