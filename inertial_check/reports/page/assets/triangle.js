// The diagram of principal moments: with their sum as unit, every body lies in the triangle between
// ball, rod and plate; beyond its upper edge the largest moment exceeds the sum of the others.

const TRIANGLE = { scale: 340, left: 58, base: 318, top: 0.87 };
const CORNERS = { ball: [0, 0], plate: [0, 0.5], rod: [Math.sqrt(3) / 2, 0.5] };

function placeMoments(moments) {
  if (!moments || moments.some((each) => each === null)) return null;
  const sum = moments[0] + moments[1] + moments[2];
  if (!(sum > 0)) return null;
  const [a, b, c] = moments.map((each) => each / sum).sort((x, y) => x - y);
  return [Math.sqrt(3) * (b - a), 3 * c - 1];
}

function onPaper([x, y]) {
  return [
    TRIANGLE.left + TRIANGLE.scale * Math.min(x, 1.04),
    TRIANGLE.base - TRIANGLE.scale * Math.min(y, TRIANGLE.top)];
}

function buildTriangle(scene, numbersOf, colourOf, selected, select) {
  const points = (corners) => corners.map((p) => onPaper(p).map((x) => x.toFixed(1)).join(",")).join(" ");
  const { ball, plate, rod } = CORNERS, top = TRIANGLE.top;
  const edge = [Math.sqrt(3) / 2 * (2 - top) / 1.5, top];
  const label = (text, at, dx, dy, anchor) => {
    const [x, y] = onPaper(at);
    return drawn("text", { x: x + dx, y: y + dy, "text-anchor": anchor, text });
  };
  const dots = drawn("g", { role: "listbox", "aria-label": "Bodies by their principal moments" });
  const picture = drawn("svg", {
    viewBox: "0 0 420 350", class: "triangle", role: "group",
    "aria-label": "Principal moments of all bodies between ball, rod and plate" },
  drawn("defs", {}, drawn("pattern", {
    id: "hatch", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
  drawn("line", { x1: 0, y1: 0, x2: 0, y2: 7, class: "hatch" }))),
  drawn("polygon", { points: points([plate, rod, edge, [0, top]]), class: "impossible" }),
  drawn("polygon", { points: points([ball, plate, rod]), class: "possible" }),
  label("ball", ball, 0, 20, "middle"), label("plate", plate, -10, 4, "end"),
  label("rod", rod, 10, 4, "start"),
  drawn("text", { x: TRIANGLE.left + 8, y: 46, text: "no body can have these moments" }), dots);
  const at = (index) => placeMoments(numbersOf(scene.bodies[index]).moments);
  const listed = [...scene.bodies.keys()].filter(at);
  if (selected >= 0 && at(selected) && numbersOf(scene.bodies[selected]) !== scene.bodies[selected]) {
    const before = placeMoments(scene.bodies[selected].moments);
    if (before) {
      const [[x1, y1], [x2, y2]] = [onPaper(before), onPaper(at(selected))];
      dots.before(drawn("line", { x1, y1, x2, y2, class: "trail" }));
    }
  }
  const entry = listed.includes(selected) ? selected : listed[0];
  for (const index of [...listed.filter((each) => each !== selected), ...listed.filter((each) => each === selected)]) {
    dots.append(buildDot(scene.bodies[index], index, onPaper(at(index)), colourOf(index), {
      chosen: index === selected, entry: index === entry, listed, select }));
  }
  const without = scene.bodies.length - listed.length;
  const said = without ? `${plural(without, "body")} without such moments ${without === 1 ? "is" : "are"} left out. ` : "";
  return [picture, element("p", { class: "quiet", text:
    `${said}Distances along the diagram compare forms, not sizes: a large ball and a small one lie on the same point.` })];
}

function buildDot(body, index, [cx, cy], fill, { chosen, entry, listed, select }) {
  const dot = drawn("circle", {
    cx, cy, r: chosen ? 7 : 5, fill, class: chosen ? "dot chosen" : "dot", role: "option",
    "aria-selected": String(chosen), tabindex: entry ? 0 : -1, "data-index": index,
    "aria-label": shorten(body.name, 100) },
  drawn("title", { text: `${shorten(body.name, 100)}: ${formatList(body.moments, 4)} kg m²` }));
  dot.addEventListener("click", () => select(index));
  dot.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" || event.key === " ") select(index);
    else if (step) select(listed[(listed.indexOf(index) + step + listed.length) % listed.length], true);
    else return;
    event.preventDefault();
  });
  return dot;
}
