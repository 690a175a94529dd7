// Triangles to draw: { data, indices } with 6 numbers a vertex, position and normal. Primitives have
// unit size where a scale gives the rest.

function gather(triangles) {
  const places = new Map(), data = [], indices = [];
  for (const corner of triangles.flat()) {
    const key = corner.join();
    if (!places.has(key)) {
      places.set(key, places.size);
      data.push(...corner);
    }
    indices.push(places.get(key));
  }
  return { data: new Float32Array(data), indices: new Uint32Array(indices) };
}

// A surface of revolution about z, given as pairs [radius, z] from bottom to top with the slope of
// each as a normal [along the radius, along z].
function revolve(profile, sides = 32) {
  const corners = [];
  const at = ([r, z, nr, nz], angle) => {
    const c = Math.cos(angle), s = Math.sin(angle);
    return [r * c, r * s, z, nr * c, nr * s, nz];
  };
  for (let k = 0; k + 1 < profile.length; k++) {
    const low = profile[k], high = profile[k + 1];
    for (let i = 0; i < sides; i++) {
      const a = 2 * Math.PI * i / sides, b = 2 * Math.PI * (i + 1) / sides;
      if (low[0] > 0) corners.push([at(low, a), at(low, b), at(high, b)]);
      if (high[0] > 0) corners.push([at(low, a), at(high, b), at(high, a)]);
    }
  }
  return gather(corners);
}

function arc(radius, height, from, to, steps = 12) {
  const points = [];
  for (let i = 0; i <= steps; i++) {
    const angle = from + (to - from) * i / steps;
    const c = Math.max(Math.cos(angle), 0), s = Math.sin(angle);
    points.push([i % steps || Math.abs(s) < 1 ? radius * c : 0, height + radius * s, c, s]);
  }
  return points;
}

function unitSphere(steps) {
  return revolve(arc(1, 0, -Math.PI / 2, Math.PI / 2, steps), 2 * steps);
}

function unitCylinder(sides = 36) {
  return revolve([[0, -0.5, 0, -1], [1, -0.5, 0, -1], [1, -0.5, 1, 0], [1, 0.5, 1, 0], [1, 0.5, 0, 1], [0, 0.5, 0, 1]], sides);
}

function unitCone() {
  const slope = [Math.SQRT1_2, Math.SQRT1_2];
  return revolve([[0, -0.5, 0, -1], [1, -0.5, 0, -1], [1, -0.5, ...slope], [0, 0.5, ...slope]], 36);
}

function capsule(radius, length) {
  return revolve([...arc(radius, -length / 2, -Math.PI / 2, 0), ...arc(radius, length / 2, 0, Math.PI / 2)]);
}

function unitBox() {
  const corners = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const point = (u, v) => {
        const p = [0, 0, 0, 0, 0, 0];
        p[axis] = side / 2;
        p[(axis + 1) % 3] = u * side / 2;
        p[(axis + 2) % 3] = v / 2;
        p[3 + axis] = side;
        return p;
      };
      const [a, b, c, d] = [point(-1, -1), point(1, -1), point(1, 1), point(-1, 1)];
      corners.push([a, b, c], [a, c, d]);
    }
  }
  return gather(corners);
}

function decodeBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

// The triangles of a mesh of the scene. A corner gets the mean normal of those faces around it that
// meet its own face at less than 35 degrees, so that edges stay sharp and round parts are smooth.
const CREASE = Math.cos(35 * Math.PI / 180);

function decodeMesh(mesh) {
  const steps = new Uint16Array(decodeBase64(mesh.positions));
  const buffer = decodeBase64(mesh.indices);
  const faces = mesh.index_bytes === 2 ? new Uint16Array(buffer) : new Uint32Array(buffer);
  const points = new Float32Array(steps.length);
  for (let i = 0; i < steps.length; i++) {
    points[i] = mesh.lower[i % 3] + steps[i] * mesh.step[i % 3];
  }
  return smooth(points, faces);
}

function smooth(points, faces) {
  const at = (v) => points.subarray(3 * v, 3 * v + 3), around = new Map();
  const data = new Float32Array(6 * faces.length), weighted = [], units = [];
  let volume = 0; // six times; negative where the triangles face inwards
  for (let f = 0; f < faces.length; f += 3) {
    const [a, b, c] = [at(faces[f]), at(faces[f + 1]), at(faces[f + 2])], n = cross(subtract(b, a), subtract(c, a));
    volume += dot(n, a);
    weighted.push(n);
    units.push(normalized(n));
    for (let k = f; k < f + 3; k++) around.has(faces[k]) ? around.get(faces[k]).push(f / 3) : around.set(faces[k], [f / 3]);
  }
  for (let i = 0; i < faces.length; i++) {
    const own = units[Math.floor(i / 3)], sum = [0, 0, 0];
    for (const face of around.get(faces[i])) {
      if (dot(own, units[face]) >= CREASE) for (let k = 0; k < 3; k++) sum[k] += weighted[face][k];
    }
    const n = normalized(Math.hypot(...sum) > 0 ? sum : own);
    data.set([...at(faces[i]), ...n.map((each) => (volume < 0 ? -each : each))], 6 * i);
  }
  return { data, indices: new Uint32Array(faces.length).map((_, i) => i) };
}
