// Vectors, rotations and 4x4 matrices. Matrices are arrays of 16 numbers, column after column, as
// WebGL takes them; rotations of the scene are 9 numbers, row after row, as Python writes them.

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

function multiply(a, b) {
  const out = new Array(16);
  for (let i = 0, k = 0, j = 0; i < 16; i++, k = i & 3, j = i & 12) {
    out[i] = a[k] * b[j] + a[4 + k] * b[j + 1] + a[8 + k] * b[j + 2] + a[12 + k] * b[j + 3];
  }
  return out;
}

function rigid(rotation, position) {
  const [xx, xy, xz, yx, yy, yz, zx, zy, zz] = rotation;
  return [xx, yx, zx, 0, xy, yy, zy, 0, xz, yz, zz, 0, ...position, 1];
}

function scaling(x, y, z) {
  return [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1];
}

function translation(p) {
  return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, p[0], p[1], p[2], 1];
}

// Rotation by an angle about an axis of length 1 through a point (formula of Rodrigues).
function turning(axis, angle, point) {
  const [x, y, z] = axis;
  const s = Math.sin(angle), c = Math.cos(angle), d = 1 - c;
  const rotation = [c + x * x * d, x * y * d - z * s, x * z * d + y * s, y * x * d + z * s, c + y * y * d, y * z * d - x * s,
    z * x * d - y * s, z * y * d + x * s, c + z * z * d];
  const turned = transform(rigid(rotation, [0, 0, 0]), point);
  return rigid(rotation, subtract(point, turned));
}

function transform(m, [x, y, z]) {
  return [m[0] * x + m[4] * y + m[8] * z + m[12], m[1] * x + m[5] * y + m[9] * z + m[13], m[2] * x + m[6] * y + m[10] * z + m[14]];
}

function subtract(a, b) {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function combine(a, p, b, q) {
  return [a * p[0] + b * q[0], a * p[1] + b * q[1], a * p[2] + b * q[2]];
}

function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function normalized(a) {
  const length = Math.hypot(...a);
  return length > 0 ? [a[0] / length, a[1] / length, a[2] / length] : [0, 0, 1];
}

// Rotation, as 9 numbers row after row, that takes z to a direction.
function towards(direction) {
  const z = normalized(direction);
  const x = normalized(cross(Math.abs(z[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], z));
  const y = cross(z, x);
  return [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]];
}

// Normals are transformed by the cofactors of the upper left 3x3 block, which exist also where a
// scale is zero; where the block mirrors, they have the opposite sign.
function normalMatrix(m) {
  const a = [m[0], m[1], m[2]], b = [m[4], m[5], m[6]], c = [m[8], m[9], m[10]];
  const [u, v, w] = [cross(b, c), cross(c, a), cross(a, b)], s = dot(w, c) < 0 ? -1 : 1;
  return [s * u[0], s * u[1], s * u[2], s * v[0], s * v[1], s * v[2], s * w[0], s * w[1], s * w[2]];
}

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2), d = near - far;
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / d, -1, 0, 0, 2 * far * near / d, 0];
}

function lookAt(eye, target, up) {
  const z = normalized(subtract(eye, target));
  const x = normalized(cross(up, z));
  const y = cross(z, x);
  return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1];
}
