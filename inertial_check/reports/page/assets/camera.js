// A camera that circles a point, moved by pointer, wheel, fingers and keys.

class Camera {
  constructor() {
    Object.assign(this, { azimuth: -0.9, elevation: 0.38, distance: 3, target: [0, 0, 0] });
    this.home = { points: [], center: [0, 0, 0], radius: 1 };
  }

  // Looks at points so that they fill most of the picture, whatever its form.
  frame(points, center, radius, aspect) {
    this.home = { points, center, radius };
    this.reset(aspect);
  }

  reset(aspect) {
    Object.assign(this, { azimuth: -0.9, elevation: 0.38, moved: false });
    this.approach(this.home.center, this.home.radius);
    for (let round = 0; round < 6; round++) {
      const { view, projection } = this.matrices(aspect), m = multiply(projection, view);
      const seen = this.home.points.map((p) => {
        const w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15], [x, y] = transform(m, p);
        return [x / w, y / w, 0];
      });
      const box = boundsOf(seen);
      if (!box) return;
      const [x, y] = [0, 1].map((i) => (box.low[i] + box.high[i]) / 2);
      // Half the height of the picture at the target is distance / projection[5].
      for (const [shift, k] of [[x / projection[0], 0], [y / projection[5], 1]]) {
        this.target = combine(1, this.target, this.distance * shift, [view[k], view[4 + k], view[8 + k]]);
      }
      const fill = Math.max(...[0, 1].map((i) => (box.high[i] - box.low[i]) / 2));
      if (fill > 0) this.distance *= fill / 0.78;
    }
  }

  approach(center, radius) {
    this.target = center.slice();
    this.distance = 4.4 * radius;
  }

  orbit(right, down) {
    this.azimuth -= right;
    this.elevation = Math.min(1.55, Math.max(-1.55, this.elevation + down));
  }

  zoom(factor) {
    const { radius } = this.home;
    this.distance = Math.min(60 * radius, Math.max(0.02 * radius, this.distance * factor));
  }

  // Moves the target by parts of the height of the picture.
  pan(right, up) {
    const size = 0.5 * this.distance, { view } = this.matrices(1);
    const x = [view[0], view[4], view[8]], y = [view[1], view[5], view[9]];
    this.target = combine(1, this.target, -size * right, x);
    this.target = combine(1, this.target, -size * up, y);
  }

  matrices(aspect) {
    const flat = Math.cos(this.elevation);
    const away = [flat * Math.cos(this.azimuth), flat * Math.sin(this.azimuth), Math.sin(this.elevation)];
    const eye = combine(1, this.target, this.distance, away);
    const reach = 12 * this.home.radius;
    const near = Math.max(this.distance - reach, 0.01 * this.distance);
    const angle = aspect < 1 ? 2 * Math.atan(Math.tan(0.25) / aspect) : 0.5;
    return {
      eye, aspect,
      view: lookAt(eye, this.target, [0, 0, 1]),
      projection: perspective(Math.min(angle, 2), aspect, near, this.distance + reach),
    };
  }
}

const KEY_STEPS = {
  ArrowLeft: (camera) => camera.orbit(-0.12, 0),
  ArrowRight: (camera) => camera.orbit(0.12, 0),
  ArrowUp: (camera) => camera.orbit(0, -0.1),
  ArrowDown: (camera) => camera.orbit(0, 0.1),
  "+": (camera) => camera.zoom(0.85),
  "=": (camera) => camera.zoom(0.85),
  "-": (camera) => camera.zoom(1.18),
  Home: (camera, canvas) => camera.reset(canvas.clientWidth / canvas.clientHeight),
};

// Calls `changed` after each move, `hover` with the pointer, and `click` where it did not move.
function attachCamera(canvas, camera, { changed, hover, click }) {
  const pointers = new Map();
  let moved = 0, spread = 0;
  const gap = () => {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  canvas.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (pointers.size === 1) moved = 0;
    if (pointers.size === 2) spread = gap();
    try { canvas.setPointerCapture(event.pointerId); } catch { /* a pointer of a test */ }
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) return hover(event);
    const dx = event.clientX - last.x, dy = event.clientY - last.y;
    moved += Math.abs(dx) + Math.abs(dy);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    camera.moved = true;
    const height = canvas.clientHeight || 1;
    if (pointers.size === 2) {
      const now = gap();
      if (now > 0 && spread > 0) camera.zoom(spread / now);
      spread = now;
      camera.pan(dx / height / 2, -dy / height / 2);
    } else if (event.shiftKey || event.buttons & 6) {
      camera.pan(dx / height, -dy / height);
    } else {
      camera.orbit(4 * dx / height, 4 * dy / height);
    }
    changed();
  });
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, (event) => {
      const known = pointers.delete(event.pointerId);
      if (known && name === "pointerup" && moved < 5 && !pointers.size) click(event);
    });
  }
  canvas.addEventListener("pointerleave", () => hover(null));
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    camera.moved = true;
    camera.zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 120) / 700));
    changed();
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = KEY_STEPS[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    camera.moved = true;
    step(camera, canvas);
    changed();
  });
}
