// Drawing with WebGL 2: solids with a colour, translucent solids, a grid, and which body is under a
// pixel. It knows nothing about robots.

const SOLID_VERTEX = `#version 300 es
layout(location=0) in vec3 position; layout(location=1) in vec3 normal;
uniform mat4 model, view, projection; uniform mat3 turn; uniform float swell;
out vec3 at; out vec3 facing;
void main() {
  vec4 p = view * model * vec4(position, 1.0);
  facing = mat3(view) * (turn * normal);
  p.xyz -= swell * p.z * normalize(facing);  // wider by the same amount on the screen everywhere
  at = p.xyz;
  gl_Position = projection * p;
}`;
// Light comes with the camera, from above on the left; a rim that turns darker shows the form.
const SOLID_FRAGMENT = `#version 300 es
precision highp float;
in vec3 at; in vec3 facing; uniform vec4 color; uniform float gloss; out vec4 result;
void main() {
  vec3 eye = normalize(-at), n = normalize(facing);
  if (dot(n, eye) < 0.0) n = -n;
  float key = max(dot(n, normalize(vec3(-0.4, 0.75, 0.65))), 0.0);
  float fill = max(dot(n, normalize(vec3(0.7, -0.1, 0.5))), 0.0);
  float light = 0.58 + 0.42 * key + 0.14 * fill;
  light *= 0.82 + 0.18 * dot(n, eye);
  float shine = max(gloss, 0.0) * pow(max(dot(reflect(-normalize(vec3(-0.4, 0.75, 0.65)), n), eye), 0.0), 24.0);
  result = gloss < 0.0 ? color : vec4(color.rgb * light + shine, color.a);
}`;
const PICK_FRAGMENT = `#version 300 es
precision highp float;
in vec3 at; in vec3 facing; uniform vec4 color; out vec4 result;
void main() { result = color; }`;
const LINE_VERTEX = `#version 300 es
layout(location=0) in vec3 position; uniform mat4 view, projection; uniform float reach; uniform vec2 middle;
out float fade;
void main() {
  fade = 1.0 - clamp(length(position.xy - middle) / reach, 0.0, 1.0);
  gl_Position = projection * view * vec4(position, 1.0);
}`;
const LINE_FRAGMENT = `#version 300 es
precision highp float;
in float fade; uniform vec4 color; out vec4 result;
void main() { result = vec4(color.rgb, color.a * fade); }`;

// Whether pictures are computed without a graphics card, where smooth edges cost too much.
function drawsInSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

class Renderer {
  constructor(canvas) {
    const antialias = !drawsInSoftware();
    const gl = canvas.getContext("webgl2", { antialias, alpha: false, stencil: true });
    if (!gl) throw new Error("no WebGL 2");
    this.gl = gl;
    this.canvas = canvas;
    this.solid = this.link(SOLID_VERTEX, SOLID_FRAGMENT);
    this.pick = this.link(SOLID_VERTEX, PICK_FRAGMENT);
    this.line = this.link(LINE_VERTEX, LINE_FRAGMENT);
    this.pixel = this.makePixel();
    this.frames = 0;
  }

  link(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
      throw new Error(gl.getProgramInfoLog(program) || "the shaders do not link");
    }
    const places = {};
    const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
    for (let i = 0; i < count; i++) {
      const { name } = gl.getActiveUniform(program, i);
      places[name] = gl.getUniformLocation(program, name);
    }
    return { program, places };
  }

  // A target of one pixel, into which the pixel under the pointer is drawn enlarged.
  makePixel() {
    const gl = this.gl, frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    for (const [format, at] of [
      [gl.RGBA8, gl.COLOR_ATTACHMENT0], [gl.DEPTH_COMPONENT16, gl.DEPTH_ATTACHMENT]]) {
      const buffer = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, 1, 1);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, at, gl.RENDERBUFFER, buffer);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return frame;
  }

  // Data are 6 numbers a vertex with indices, or 3 numbers without.
  upload({ data, indices }) {
    const gl = this.gl, array = gl.createVertexArray(), buffer = gl.createBuffer();
    const size = indices ? 6 : 3, order = indices ? gl.createBuffer() : null;
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 4 * size, 0);
    if (order) {
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, order);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(1);
      gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 4 * size, 12);
    }
    gl.bindVertexArray(null);
    return { array, buffers: [buffer, order], count: indices ? indices.length : data.length / size };
  }

  free(mesh) {
    this.gl.deleteVertexArray(mesh.array);
    for (const each of mesh.buffers) this.gl.deleteBuffer(each);
  }

  resize(scale) {
    const width = Math.max(1, Math.round(this.canvas.clientWidth * scale));
    const height = Math.max(1, Math.round(this.canvas.clientHeight * scale));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    return width / height;
  }

  // A solid to draw. Items are kept from one picture to the next, and with them what is computed here.
  static item(fields) {
    return { ...fields, turn: normalMatrix(fields.matrix) };
  }

  // Items: { mesh, matrix, turn, color: [r, g, b, a], gloss, body, outline, layer }; outline is a
  // colour; layer is "front" for what is drawn over
  // everything else, "ghost" for what hides nothing, or nothing.
  // `quick` leaves out the step that only makes translucent solids show one surface.
  draw(items, camera, background, grid, quick = false) {
    const gl = this.gl;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    if (grid) this.drawGrid(grid, camera);
    this.use(this.solid, camera);
    const plain = items.filter((item) => !item.layer);
    const opaque = plain.filter((item) => item.color[3] === 1);
    this.drawItems(this.solid, opaque);
    // Of translucent solids only the nearest surface is drawn: their depth comes first.
    const clear = plain.filter((item) => item.color[3] < 1);
    if (clear.length && !quick) {
      gl.colorMask(false, false, false, false);
      this.drawItems(this.solid, clear);
      gl.colorMask(true, true, true, true);
    }
    this.drawItems(this.solid, clear);
    // Ghosts hide nothing: they are drawn over the rest, and stand behind what is in front of them.
    gl.depthMask(false);
    this.drawItems(this.solid, items.filter((item) => item.layer === "ghost"));
    gl.depthMask(true);
    this.drawOutlines(plain.filter((item) => item.outline));
    const front = items.filter((item) => item.layer === "front");
    if (front.length) {
      gl.clear(gl.DEPTH_BUFFER_BIT);
      this.drawItems(this.solid, front);
    }
    this.frames++;
  }

  // Outlines are wider copies, drawn only where the items themselves are not, through all others.
  drawOutlines(items) {
    if (!items.length) return;
    const gl = this.gl, { places } = this.solid;
    gl.disable(gl.DEPTH_TEST);
    gl.enable(gl.STENCIL_TEST);
    gl.clear(gl.STENCIL_BUFFER_BIT);
    gl.stencilFunc(gl.ALWAYS, 1, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.REPLACE);
    gl.colorMask(false, false, false, false);
    this.drawItems(this.solid, items);
    gl.colorMask(true, true, true, true);
    gl.stencilFunc(gl.NOTEQUAL, 1, 255);
    gl.uniform1f(places.swell, 0.005);
    this.drawItems(this.solid, items.map((item) => ({ ...item, color: item.outline, gloss: -1 })));
    gl.uniform1f(places.swell, 0);
    gl.disable(gl.STENCIL_TEST);
    gl.enable(gl.DEPTH_TEST);
  }

  drawGrid(grid, camera) {
    const gl = this.gl, { program, places } = this.line;
    gl.useProgram(program);
    gl.uniformMatrix4fv(places.view, false, camera.view);
    gl.uniformMatrix4fv(places.projection, false, camera.projection);
    gl.uniform1f(places.reach, grid.reach);
    gl.uniform2fv(places.middle, grid.middle);
    gl.uniform4fv(places.color, grid.color);
    gl.depthMask(false);
    gl.bindVertexArray(grid.mesh.array);
    gl.drawArrays(gl.LINES, 0, grid.mesh.count);
    gl.depthMask(true);
  }

  use({ program, places }, camera) {
    this.gl.useProgram(program);
    this.gl.uniformMatrix4fv(places.view, false, camera.view);
    this.gl.uniformMatrix4fv(places.projection, false, camera.projection);
  }

  drawItems({ places }, items) {
    const gl = this.gl;
    for (const item of items) {
      gl.uniformMatrix4fv(places.model, false, item.matrix);
      if (places.turn) gl.uniformMatrix3fv(places.turn, false, item.turn);
      gl.uniform4fv(places.color, item.color);
      if (places.gloss) gl.uniform1f(places.gloss, item.gloss || 0);
      gl.bindVertexArray(item.mesh.array);
      gl.drawElements(gl.TRIANGLES, item.mesh.count, gl.UNSIGNED_INT, 0);
    }
  }

  // The body whose solid is under a point of the canvas, given in [0, 1] from the left and the top;
  // -1 if there is none.
  find(items, camera, x, y) {
    const gl = this.gl, w = this.canvas.width, h = this.canvas.height;
    const enlarged = multiply(
      [w, 0, 0, 0, 0, h, 0, 0, 0, 0, 1, 0, (1 - 2 * x) * w, (2 * y - 1) * h, 0, 1],
      camera.projection);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.pixel);
    gl.viewport(0, 0, 1, 1);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    this.use(this.pick, { view: camera.view, projection: enlarged });
    const coded = (item) => {
      const id = item.body + 1;
      const color = [id & 255, id >> 8 & 255, id >> 16 & 255, 255].map((each) => each / 255);
      return { ...item, color };
    };
    const found = items.filter((item) => item.body >= 0);
    this.drawItems(this.pick, found.filter((item) => !item.layer).map(coded));
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.drawItems(this.pick, found.filter((item) => item.layer === "front").map(coded));
    const color = new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, color);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return color[0] + 256 * color[1] + 65536 * color[2] - 1;
  }
}
