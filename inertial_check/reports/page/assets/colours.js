// Colours of bodies, and the legend of each. The palette is that of the style sheet, so that it
// follows the light and the dark scheme.

function palette() {
  const style = getComputedStyle(document.documentElement);
  const names = ["ok", "note", "warning", "error", "accent", "surface", "stage", "ink", "grid", "none", "fixed"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

function parseColour(hex) {
  const digits = hex.replace("#", "");
  return [0, 2, 4].map((i) => parseInt(digits.slice(i, i + 2), 16) / 255);
}

function mix(a, b, share) {
  return a.map((value, i) => value + share * (b[i] - value));
}

const VERDICTS = {
  consistent: "ok", boundary: "note", rounding: "warning", inconsistent: "error",
  derived: "note", defaulted: "note", missing: "none",
};
const ACTIONS = {
  accept: { colour: "ok", sign: "✓", word: "accepts" },
  warn: { colour: "note", sign: "!", word: "warns" },
  alter: { colour: "warning", sign: "~", word: "alters" },
  replace: { colour: "warning", sign: "⇄", word: "replaces" },
  reject: { colour: "error", sign: "×", word: "rejects" },
  drop: { colour: "error", sign: "−", word: "drops" },
};
const DENSITY_STOPS = [[10, "#3b4cc0"], [300, "#6f9bd1"], [1000, "#7fb69a"], [2700, "#e0c068"], [7800, "#d9793f"], [25000, "#a3262a"]];
const MARGIN_STOPS = [[-0.02, "#c2362f"], [0, "#e09a3e"], [0.05, "#d9cf6a"], [0.15, "#74b587"], [1 / 3, "#2f7fa0"]];

function onScale(stops, value, place = (x) => x) {
  const last = stops.length - 1;
  if (!(value > stops[0][0])) return parseColour(stops[0][1]);
  if (value >= stops[last][0]) return parseColour(stops[last][1]);
  const k = stops.findIndex(([at]) => at > value);
  const [[a, from], [b, to]] = [stops[k - 1], stops[k]];
  const share = (place(value) - place(a)) / (place(b) - place(a));
  return mix(parseColour(from), parseColour(to), share);
}

// Returns [r, g, b] of a body under a key: findings, verdict, margin, density, or engine:NAME.
// `numbers` are those that are shown: the body itself, or one of its fixes.
function colourBody(body, key, colours, numbers = body) {
  const named = (name) => parseColour(colours[name]);
  const fixed = numbers !== body;
  if (key === "findings") return named(fixed ? "fixed" : body.severity || "ok");
  if (key === "verdict") return named(VERDICTS[numbers.verdict] || "warning");
  if (key === "margin") {
    return numbers.margin === null ? named("none") : onScale(MARGIN_STOPS, numbers.margin);
  }
  if (key === "density") {
    return body.density ? onScale(DENSITY_STOPS, body.density.value, Math.log) : named("none");
  }
  if (!body.predicted) return named("none");
  const prediction = numbers.engines[key.slice("engine:".length)];
  return named(ACTIONS[prediction ? prediction.action : "accept"]?.colour || "none");
}

// Entries { label, colour } of the legend of a key, for the values that occur.
function legendOf(key, all, colours, numbersOf) {
  const bodies = key === "findings" ? all.filter((body) => numbersOf(body) === body) : all.map(numbersOf);
  const fixed = bodies.length < all.length ? [{ label: "fixed", colour: colours.fixed }] : [];
  if (key === "findings") {
    return fixed.concat(["error", "warning", "note", null].filter((each) => bodies.some((body) => body.severity === each))
      .map((each) => ({ label: each || "no finding", colour: colours[each || "ok"] })));
  }
  if (key === "verdict") {
    const verdicts = [...new Set(bodies.map((body) => body.verdict))];
    return verdicts.map((label) => ({ label, colour: colours[VERDICTS[label] || "warning"] }));
  }
  if (key === "margin") {
    const rows = MARGIN_STOPS.map(([at, colour], i) => ({ label: i ? formatNumber(at, 2) : "below 0", colour }));
    return [...rows, { label: "none", colour: colours.none }];
  }
  if (key === "density") {
    const rows = DENSITY_STOPS.map(([at, colour], i) => (
      { label: i === DENSITY_STOPS.length - 1 ? `${at} kg/m³ or more` : `${at}`, colour }));
    return [...rows, { label: "no volume", colour: colours.none }];
  }
  const name = key.slice("engine:".length);
  const actions = bodies.filter((_, index) => all[index].predicted).map((body) => body.engines[name]?.action || "accept");
  return Object.entries(ACTIONS).filter(([action]) => actions.includes(action))
    .map(([, { word, colour }]) => ({ label: word, colour: colours[colour] }));
}
