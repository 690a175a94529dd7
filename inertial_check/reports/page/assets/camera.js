// A camera that circles a point, moved by pointer, wheel, fingers and keys.

class Camera {
  constructor() {
    this.azimuth = -0.9;
    this.elevation = 0.38;
    this.distance = 3;
    this.target = [0, 0, 0];
    this.home = { center: [0, 0, 0], radius: 1 };
  }

  frame(center, radius) {
    this.home = { center, radius };
    this.reset();
  }

  reset() {
    this.azimuth = -0.9;
    this.elevation = 0.38;
    this.approach(this.home.center, this.home.radius);
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
    const away = [
      flat * Math.cos(this.azimuth), flat * Math.sin(this.azimuth), Math.sin(this.elevation)];
    const eye = combine(1, this.target, this.distance, away);
    const reach = 12 * this.home.radius;
    const near = Math.max(this.distance - reach, 0.01 * this.distance);
    const angle = aspect < 1 ? 2 * Math.atan(Math.tan(0.25) / aspect) : 0.5;
    return {
      eye,
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
  Home: (camera) => camera.reset(),
  0: (camera) => camera.reset(),
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
    camera.zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 120) / 700));
    changed();
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = KEY_STEPS[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    step(camera);
    changed();
  });
}
