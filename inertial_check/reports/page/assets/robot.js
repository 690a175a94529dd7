// Poses and extents of a robot: the frames of its bodies for given joint positions, and its shapes
// with their meshes on the graphics card.

class Robot {
  // A shape with its triangles, where its kind is known.
  prepare(shape, meshes, decoded) {
    const d = shape.dimensions;
    const sizes = {
      box: [d[0], d[1], d[2]], sphere: [d[0], d[0], d[0]], ellipsoid: [d[0], d[1], d[2]],
      cylinder: [d[0], d[0], d[1]], cone: [d[0], d[0], d[1]], capsule: [1, 1, 1], mesh: shape.scale,
    };
    const key = shape.mesh || (shape.kind === "capsule" ? `capsule ${d}` : shape.kind);
    const make = {
      box: unitBox, sphere: () => unitSphere(12), ellipsoid: () => unitSphere(12), cylinder: unitCylinder,
      cone: unitCone, capsule: () => capsule(d[0], d[1]), mesh: () => meshes[shape.mesh] && decodeMesh(meshes[shape.mesh]),
    };
    if (!decoded.has(key)) decoded.set(key, make[shape.kind]?.() || null);
    const solid = decoded.get(key), size = sizes[shape.kind];
    if (!solid || !size) return null;
    const local = multiply(rigid(shape.rotation, shape.position), scaling(...size));
    return { ...solid, local, body: shape.body, role: shape.role };
  }

  // Poses of all bodies in the world.
  place() {
    [this.poses, this.anchors] = [[], []];
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
    const drawn = roots.map((root) => ({ root, box: this.bounds((body) => rootOf[body] === root) })).filter(({ box }) => box);
    let at = 0;
    for (const { root, box: { low, high } } of drawn.length > 1 ? drawn : []) {
      this.offsets[root] = [at - low[0], -(low[1] + high[1]) / 2, 0];
      at += (high[0] - low[0]) * 1.15;
    }
  }

  // Corners of the shapes of some bodies in the world, at most `most` of each shape.
  cloud(wanted, most = 400) {
    const points = [];
    for (const shape of this.shapes) {
      if (!shape || !wanted(shape.body)) continue;
      const matrix = multiply(this.poses[shape.body], shape.local), step = 6 * Math.ceil(shape.data.length / 6 / most);
      for (let i = 0; i < shape.data.length; i += step) points.push(transform(matrix, shape.data.subarray(i, i + 3)));
    }
    return points;
  }

  bounds(wanted) {
    return boundsOf(this.cloud(wanted));
  }

  // What the camera looks at: shapes, or else bodies of usual size; nothing that lies far away.
  subject() {
    const own = this.scene.bodies.map((body, index) => this.cloud((each) => each === index));
    const bare = own.every((points) => !points.length);
    const sizes = this.scene.bodies.map((body) => middle(body.ellipsoid)).filter((size) => size > 0);
    const usual = 3 * (middle(sizes) || 0);
    if (bare) {
      this.scene.bodies.forEach((body, i) => {
        if (!this.poses[i]) return;
        own[i].push(transform(this.poses[i], [0, 0, 0]));
        const com = drawable(body.com), size = Math.min(middle(body.ellipsoid), usual);
        const at = com && transform(this.poses[i], com);
        if (at) own[i].push(at.map((each) => each - size), at.map((each) => each + size));
      });
    }
    const boxes = own.map((points) => boundsOf(points)), known = boxes.filter(Boolean);
    if (!known.length) return [[-0.1, -0.1, -0.1], [0.1, 0.1, 0.1]];
    const center = [0, 1, 2].map((i) => middle(known.map(({ low, high }) => (low[i] + high[i]) / 2)));
    const reach = boxes.map((box) => box && Math.max(...[box.low, box.high].map((p) => Math.hypot(...subtract(p, center)))));
    const most = 8 * middle(reach);
    const near = own.flatMap((points, i) => (reach[i] <= most ? points : []));
    return near.length ? near : own.flat();
  }
}

function boundsOf(points) {
  if (!points.length) return null;
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const p of points) {
    for (let i = 0; i < 3; i++) {
      low[i] = Math.min(low[i], p[i]);
      high[i] = Math.max(high[i], p[i]);
    }
  }
  return { low, high };
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
