// Drawing with WebGL 2: solids with a colour, translucent solids, a grid, and which body is under a
// pixel. It knows nothing about robots.

// Every item has a row in a texture: three rows of its matrix, the three columns that turn normals
// (with gloss, body and steadiness beside them), and its colour. So one call draws all items of one
// mesh. Marks are steady on the screen: in 2 or 3 of their own axes as wide as they are far away.
const ROW = 64, TEXELS = 8;
const SOLID_VERTEX = `#version 300 es
layout(location=0) in vec3 position; layout(location=1) in vec3 normal; layout(location=2) in float slot;
uniform highp sampler2D items; uniform mat4 view, projection; uniform float swell;
out vec3 at; out vec3 facing; out vec3 own; flat out vec4 color; flat out vec2 kind;
vec4 texel(int k) { int i = int(slot); return texelFetch(items, ivec2(${TEXELS} * (i % ${ROW}) + k, i / ${ROW}), 0); }
void main() {
  vec4 a = texel(3), b = texel(4), c = texel(5);
  float away = length((view * vec4(texel(0).w, texel(1).w, texel(2).w, 1.0)).xyz);
  vec4 v = vec4(position * mix(vec3(1.0), vec3(away), lessThan(vec3(0.5, 1.5, 2.5), vec3(c.w))), 1.0);
  vec4 p = view * vec4(dot(texel(0), v), dot(texel(1), v), dot(texel(2), v), 1.0);
  facing = mat3(view) * (mat3(a.xyz, b.xyz, c.xyz) * normal);
  p.xyz -= swell * p.z * normalize(facing);  // wider by the same amount on the screen everywhere
  at = p.xyz;
  own = position;
  color = texel(6);
  kind = vec2(a.w, b.w);
  gl_Position = projection * p;
}`;
// Light comes with the camera, from above on the left; a rim that turns darker shows the form. Of an
// outline (gloss below 0) only the three circles between its axes are drawn.
const SOLID_FRAGMENT = `#version 300 es
precision highp float;
in vec3 at; in vec3 facing; in vec3 own; flat in vec4 color; flat in vec2 kind; uniform vec4 mono; uniform bool picking;
out vec4 result;
void main() {
  vec3 eye = normalize(-at), n = normalize(facing);
  if (dot(n, eye) < 0.0) n = -n;
  vec3 circle = abs(own) / max(fwidth(own), 1e-6);
  if (kind.x < 0.0 && min(circle.x, min(circle.y, circle.z)) > 1.1) discard;
  if (picking) {
    int id = int(kind.y + 0.5);
    result = vec4(id & 255, id >> 8 & 255, id >> 16 & 255, 255) / 255.0;
    return;
  }
  float key = max(dot(n, normalize(vec3(-0.4, 0.75, 0.65))), 0.0);
  float fill = max(dot(n, normalize(vec3(0.7, -0.1, 0.5))), 0.0);
  float light = (0.58 + 0.42 * key + 0.14 * fill) * (0.82 + 0.18 * dot(n, eye));
  float shine = kind.x * pow(max(dot(reflect(-normalize(vec3(-0.4, 0.75, 0.65)), n), eye), 0.0), 24.0);
  result = mono.a > 0.0 ? mono : kind.x < 0.0 ? color : vec4(color.rgb * light + shine, color.a);
}`;
const LINE_VERTEX = `#version 300 es
layout(location=0) in vec3 position; uniform mat4 view, projection; out vec2 place;
void main() { place = position.xy; gl_Position = projection * view * vec4(position, 1.0); }`;
const LINE_FRAGMENT = `#version 300 es
precision highp float;
in vec2 place; uniform vec4 color; uniform float reach; uniform vec2 middle; out vec4 result;
void main() { result = vec4(color.rgb, color.a * (1.0 - clamp(length(place - middle) / reach, 0.0, 1.0))); }`;

// Whether pictures are computed without a graphics card, where smooth edges cost too much.
function drawsInSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2"), info = gl?.getExtension("WEBGL_debug_renderer_info");
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
    this.line = this.link(LINE_VERTEX, LINE_FRAGMENT);
    this.pixel = this.makePixel();
    this.rows = gl.createTexture();
    this.calls = 0; // of the last picture
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
    for (const [format, at] of [[gl.RGBA8, gl.COLOR_ATTACHMENT0], [gl.DEPTH_COMPONENT16, gl.DEPTH_ATTACHMENT]]) {
      const buffer = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, 1, 1);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, at, gl.RENDERBUFFER, buffer);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return frame;
  }

  // Data are 6 numbers a vertex with indices, or 3 numbers without. `slots` has the item of each
  // vertex; without it every item is an instance.
  upload({ data, indices }, slots = null) {
    const gl = this.gl, array = gl.createVertexArray(), buffers = [0, 1, 2].map(() => gl.createBuffer());
    const size = indices ? 6 : 3;
    const fill = (buffer, numbers, place, count, stride, offset = 0) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      if (numbers) gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, count, gl.FLOAT, false, 4 * stride, 4 * offset);
    };
    gl.bindVertexArray(array);
    fill(buffers[0], data, 0, 3, size);
    if (indices) {
      fill(buffers[0], null, 1, 3, size, 3);
      fill(buffers[1], slots, 2, 1, 1);
      if (!slots) gl.vertexAttribDivisor(2, 1);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffers[2]);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    }
    gl.bindVertexArray(null);
    return { array, buffers, count: indices ? indices.length : data.length / size };
  }

  // Joins meshes to one, of which `drawItems` draws those parts that it is asked for.
  join(parts) {
    const sum = (count) => parts.reduce((all, part) => all + (part ? count(part) : 0), 0);
    const data = new Float32Array(sum((part) => part.data.length)), slots = new Float32Array(data.length / 6);
    let at = 0;
    const ranges = parts.map((part, slot) => {
      if (!part) return new Uint32Array(0);
      const first = at / 6;
      data.set(part.data, at);
      at += part.data.length;
      slots.fill(slot, first, at / 6);
      return part.indices.map((index) => index + first);
    });
    const mesh = this.upload({ data, indices: new Uint32Array(0) }, slots);
    this.joined = { mesh, ranges, orders: new Map() };
    return mesh;
  }

  // Binds the triangles of some parts, which most pictures share.
  bindParts(parts) {
    const gl = this.gl, { mesh, ranges, orders } = this.joined, key = parts.join();
    gl.bindVertexArray(mesh.array);
    if (orders.size > 12) {
      for (const { buffer } of orders.values()) gl.deleteBuffer(buffer);
      orders.clear();
    }
    if (!orders.has(key)) {
      const indices = new Uint32Array(parts.reduce((all, part) => all + ranges[part].length, 0));
      let at = 0;
      for (const part of parts) {
        indices.set(ranges[part], at);
        at += ranges[part].length;
      }
      orders.set(key, { buffer: gl.createBuffer(), count: at });
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, orders.get(key).buffer);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, orders.get(key).buffer);
    return orders.get(key).count;
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

  // A solid to draw: { part or mesh, matrix, color: [r, g, b, a], gloss, body, outline, layer, first, steady }.
  // `outline` asks for the colour of the selection around it. `layer` is "front" for what is drawn
  // over everything else, "ghost" for what hides nothing, or nothing. Translucent ones that are
  // `first` are drawn before the others, through which they can be seen.
  static item(fields) {
    const { matrix: m, color: c, gloss = 0, body = -1, steady = 0 } = fields, n = normalMatrix(m);
    fields.values = [m[0], m[4], m[8], m[12], m[1], m[5], m[9], m[13], m[2], m[6], m[10], m[14],
      n[0], n[1], n[2], gloss, n[3], n[4], n[5], body + 1, n[6], n[7], n[8], steady, c[0], c[1], c[2], c[3]];
    return fields;
  }

  // Writes the rows of all items; those of parts have fixed places, before the others.
  place(items) {
    const gl = this.gl;
    let next = this.joined.ranges.length;
    for (const item of items) item.slot = item.part ?? next++;
    const height = Math.ceil(Math.max(next, 1) / ROW), values = new Float32Array(4 * TEXELS * ROW * height);
    for (const item of items) values.set(item.values, 4 * TEXELS * item.slot);
    gl.bindTexture(gl.TEXTURE_2D, this.rows);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, TEXELS * ROW, height, 0, gl.RGBA, gl.FLOAT, values);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
  }

  // `quick` leaves out the step that only makes translucent solids show one surface.
  draw(items, camera, background, grid, accent, quick = false) {
    const gl = this.gl;
    this.calls = 0;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    if (grid) this.drawGrid(grid, camera);
    this.use(camera);
    const plain = items.filter((item) => !item.layer);
    this.drawItems(plain.filter((item) => item.color[3] === 1));
    // Of translucent solids only the nearest surface is drawn: their depth comes first.
    for (const first of [true, false]) {
      const clear = plain.filter((item) => item.color[3] < 1 && Boolean(item.first) === first);
      if (clear.length && !quick) {
        gl.colorMask(false, false, false, false);
        this.drawItems(clear);
        gl.colorMask(true, true, true, true);
      }
      this.drawItems(clear);
    }
    // Ghosts hide nothing: they are drawn over the rest, and stand behind what is in front of them.
    gl.depthMask(false);
    this.drawItems(items.filter((item) => item.layer === "ghost"));
    gl.depthMask(true);
    this.drawOutlines(plain.filter((item) => item.outline), accent);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.drawItems(items.filter((item) => item.layer === "front"));
  }

  // Outlines are wider copies, drawn only where the items themselves are not, through all others.
  drawOutlines(items, accent) {
    if (!items.length) return;
    const gl = this.gl, { places } = this.solid;
    gl.disable(gl.DEPTH_TEST);
    gl.enable(gl.STENCIL_TEST);
    gl.clear(gl.STENCIL_BUFFER_BIT);
    gl.stencilFunc(gl.ALWAYS, 1, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.REPLACE);
    gl.colorMask(false, false, false, false);
    this.drawItems(items);
    gl.colorMask(true, true, true, true);
    gl.stencilFunc(gl.NOTEQUAL, 1, 255);
    gl.uniform1f(places.swell, 0.005);
    gl.uniform4fv(places.mono, [...accent, 1]);
    this.drawItems(items);
    gl.uniform4fv(places.mono, [0, 0, 0, 0]);
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
    this.calls++;
  }

  use(camera, picking = false) {
    const gl = this.gl, { program, places } = this.solid;
    gl.useProgram(program);
    gl.uniformMatrix4fv(places.view, false, camera.view);
    gl.uniformMatrix4fv(places.projection, false, camera.projection);
    gl.uniform1i(places.picking, Number(picking));
  }

  drawItems(items) {
    const gl = this.gl, meshes = new Map();
    const parts = items.filter((item) => item.part !== undefined).map((item) => item.part);
    for (const { mesh, slot } of items) if (mesh) meshes.has(mesh) ? meshes.get(mesh).push(slot) : meshes.set(mesh, [slot]);
    if (parts.length) {
      gl.drawElements(gl.TRIANGLES, this.bindParts(parts), gl.UNSIGNED_INT, 0);
      this.calls++;
    }
    for (const [mesh, slots] of meshes) {
      gl.bindVertexArray(mesh.array);
      gl.bindBuffer(gl.ARRAY_BUFFER, mesh.buffers[1]);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(slots), gl.STREAM_DRAW);
      gl.drawElementsInstanced(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0, slots.length);
      this.calls++;
    }
  }

  // The body whose solid is under a point of the canvas, given in [0, 1] from the left and the top;
  // -1 if there is none. Those that shine through others are found before these.
  find(items, camera, x, y) {
    const gl = this.gl, w = this.canvas.width, h = this.canvas.height;
    const enlarged = multiply([w, 0, 0, 0, 0, h, 0, 0, 0, 0, 1, 0, (1 - 2 * x) * w, (2 * y - 1) * h, 0, 1], camera.projection);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.pixel);
    gl.viewport(0, 0, 1, 1);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    this.use({ view: camera.view, projection: enlarged }, true);
    for (const wanted of [(item) => !item.layer && !item.first, (item) => !item.layer && item.first, (item) => item.layer === "front"]) {
      gl.clear(gl.DEPTH_BUFFER_BIT);
      this.drawItems(items.filter((item) => item.body >= 0 && wanted(item)));
    }
    const color = new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, color);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return color[0] + 256 * color[1] + 65536 * color[2] - 1;
  }
}
