// The diagram of principal moments, drawn as plots and notebooks draw it: every body lies in the
// triangle between ball, rod and plate; below it the largest moment exceeds the sum of the others.

const TRIANGLE = { scale: 250, left: 85, top: 34, low: -0.45, most: 1.25 };
const CORNERS = { ball: [0.5, 1], plate: [1, 0], rod: [0, 0] };

function placeMoments(moments) {
  if (!moments || moments.some((each) => each === null)) return null;
  const sorted = [...moments].sort((x, y) => x - y), sum = sorted[0] + sorted[1] + sorted[2];
  const second = sorted.map((each) => sum / 2 - each), all = second.reduce((x, y) => x + Math.abs(y), 0);
  if (!(all > 0)) return null;
  const ball = 3 * second[2] / all;
  return [2 * (second[1] - second[2]) / all + ball / 2, ball];
}

function onPaper([x, y]) {
  const clip = (value, low, high) => Math.min(Math.max(value, low), high);
  return [TRIANGLE.left + TRIANGLE.scale * clip(x, -0.25, TRIANGLE.most), TRIANGLE.top + TRIANGLE.scale * (1 - clip(y, TRIANGLE.low, 1))];
}

function buildTriangle(scene, numbersOf, colourOf, selected, select) {
  const points = (corners) => corners.map((p) => onPaper(p).map((x) => x.toFixed(1)).join(",")).join(" ");
  const { ball, plate, rod } = CORNERS, { low, most } = TRIANGLE;
  const label = (text, at, dx, dy, anchor) => {
    const [x, y] = onPaper(at);
    return drawn("text", { x: x + dx, y: y + dy, "text-anchor": anchor, text });
  };
  const dots = drawn("g");
  const picture = drawn("svg", {
    viewBox: "0 0 420 410", class: "triangle", role: "img",
    "aria-label": "Principal moments of all bodies between ball, rod and plate" },
  drawn("polygon", { points: points([[-0.25, 0], [most, 0], [most, low], [-0.25, low]]), class: "impossible" }),
  drawn("polygon", { points: points([ball, plate, rod]), class: "possible" }),
  label("ball", ball, 0, -10, "middle"), label("plate", plate, 6, -8, "start"), label("rod", rod, -6, -8, "end"),
  label("no body has these moments", [0.5, low], 0, -8, "middle"), dots);
  const at = (index) => placeMoments(numbersOf(scene.bodies[index]).moments);
  const listed = [...scene.bodies.keys()].filter(at);
  if (selected >= 0 && at(selected) && numbersOf(scene.bodies[selected]) !== scene.bodies[selected]) {
    const before = placeMoments(scene.bodies[selected].moments);
    if (before) {
      const [[x1, y1], [x2, y2]] = [onPaper(before), onPaper(at(selected))];
      dots.before(drawn("line", { x1, y1, x2, y2, class: "trail" }));
    }
  }
  for (const index of listed.sort((i, j) => (i === selected) - (j === selected))) {
    const [cx, cy] = onPaper(at(index)), { name, moments } = scene.bodies[index], chosen = index === selected;
    const dot = drawn("circle", { cx, cy, r: chosen ? 7 : 5, fill: colourOf(index), class: `dot ${chosen ? "chosen" : ""}`, "data-index": index },
      drawn("title", { text: `${shorten(name, 100)}: ${formatList(moments, 4)} kg m²` }));
    dot.addEventListener("click", () => select(index));
    dots.append(dot);
  }
  const without = scene.bodies.length - listed.length;
  const said = without ? `${plural(without, "body")} without such moments ${without === 1 ? "is" : "are"} left out. ` : "";
  return [picture, element("p", { class: "quiet", text: `${said}Places compare forms, not sizes: a large ball and a small one lie on the same point.` })];
}
