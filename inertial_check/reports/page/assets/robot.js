// Poses and extents of a robot: the frames of its bodies for given joint positions, and its shapes
// with their meshes on the graphics card.

class Robot {
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
