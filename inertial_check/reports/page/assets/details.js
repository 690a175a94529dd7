// Findings as cards, and the panel of the selected body.

// A line with its marks; the space before its text is left out.
function buildLine(line, kind = "") {
  const text = element("span", { class: "text" });
  const letters = [...line.text];
  let at = letters.length - [...line.text.trimStart()].length;
  for (const [start, end] of line.marks) {
    text.append(visible(letters.slice(at, start).join("")));
    text.append(element("mark", { text: letters.slice(start, end).join("") }));
    at = end;
  }
  text.append(visible(letters.slice(at).join("")));
  const sign = { minus: "−", plus: "+" }[kind] || "";
  return element("div", { class: kind }, element(
    "span", { class: "no", text: `${line.number}${sign ? ` ${sign}` : ""}` }), text);
}

function buildLines(lines) {
  return element("div", { class: "lines" }, ...lines.map((line) => buildLine(line)));
}

function buildChanges(changes) {
  return element("div", { class: "lines" }, ...changes.flatMap(({ old, new: changed }) => [buildLine(old, "minus"), buildLine(changed, "plus")]));
}

function buildCommand(command) {
  const button = element("button", { type: "button", text: "Copy" });
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(command);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select and copy";
    }
  });
  // A command with control characters is shown escaped, and is nothing to paste into a terminal.
  const plain = visible(command) === command && !command.includes("\n");
  return element("div", { class: "command" }, element("code", { text: command, tabindex: 0 }), plain ? button : null);
}

function buildCauses(finding) {
  if (!finding.causes.length) {
    return finding.no_cause ? element("p", { class: "place", text: finding.no_cause }) : null;
  }
  return element("ul", { class: "causes" }, ...finding.causes.map((each) => {
    const inner = element("div", { class: "bar-inner" });
    inner.style.width = `${100 * (each.confidence ?? 0)}%`;
    return element("li", {}, element("div", { class: "head" }, element("span", { text: each.cause }),
        element("span", { class: "bar-outer", "aria-hidden": "true" }, inner),
        element("span", { class: "quiet", text: `${Math.round(100 * (each.confidence ?? 0))} %` })),
      element("p", { text: [each.evidence, ...finding.remedy ? [] : listChanges(each.changes)].join("; ") }));
  }));
}

function buildFix(fix) {
  return element("div", { class: "fix" }, element("h3", { text: "Fix" }), element("p", { class: "place", text: shorten(fix.reason, 2000) }),
    fix.lines.length ? buildChanges(fix.lines) : null,
    fix.command ? buildCommand(fix.command) : null);
}

function buildCard(scene, index, { select, withFixes = true, withBody = true }) {
  const finding = scene.findings[index];
  const names = finding.bodies.slice(0, 6).map((body) => element("button", {
    type: "button", class: "link", text: shorten(scene.bodies[body].name, 80) || "(no name)", dir: "auto",
    onclick: () => select(body) }));
  const more = finding.bodies.length - names.length;
  const source = finding.file ?? scene.path;
  return element("article", { class: "card", "data-finding": index }, element("header", {}, severityLabel(finding.severity),
      element("span", { class: "code", text: `${finding.code} ${finding.name}` }),
      ...(withBody ? names : []),
      withBody && more > 0 ? element("span", { class: "quiet", text: `and ${more} more` }) : null,
      withBody && !finding.bodies.length ? element("span", { class: "quiet", text: "the document" }) : null),
    element("p", { class: "message-text", text: shorten(finding.message, 2000), dir: "auto" }),
    element("p", { class: "place", text: shorten(`${source}:${finding.line}:${finding.column}`, 300) }),
    finding.lines.length ? buildLines(finding.lines) : null,
    buildCauses(finding),
    withFixes && finding.remedy ? buildFix(finding.remedy) : null);
}

// Cards of the worst findings; a button shows further ones, because thousands of cards take seconds.
const CARDS = 150;

// Indices of the findings, worst first: by severity, then those with a remedy, then by the margin.
function orderFindings({ findings, bodies }) {
  const margins = findings.map((each) => Math.min(1, ...each.bodies.map((body) => bodies[body].margin ?? 1)));
  return [...findings.keys()].sort((i, j) => rankSeverity(findings[i]) - rankSeverity(findings[j])
    || !findings[i].bodies.length - !findings[j].bodies.length || findings[i].whole - findings[j].whole || !findings[i].remedy - !findings[j].remedy || margins[i] - margins[j] || i - j);
}

// What Next visits, worst first: every remedy, error and warning; one remedy of several findings once.
function listSteps(scene) {
  const all = orderFindings(scene).map((finding) => {
    const { bodies, remedy, severity } = scene.findings[finding];
    const body = remedy?.bodies.find((each) => scene.bodies[each].fixes.length) ?? bodies[0] ?? -1;
    return { finding, body, wanted: remedy || severity !== "note", key: remedy?.lines.length ? JSON.stringify(remedy.lines) : finding };
  });
  const some = all.some((each) => each.wanted) ? all.filter((each) => each.wanted) : all;
  return some.filter(({ key }, k) => some.findIndex((each) => each.key === key) === k);
}

// The three largest changes of numbers, and how many more there are.
function listChanges(changes) {
  const short = (text) => (Number.isFinite(Number(text)) ? formatNumber(Number(text), 3) : text), far = ([, is, should]) => Math.abs(should - is) || 0;
  const all = [...changes].sort((a, b) => far(b) - far(a)).map(([name, is, should]) => `${name} ${short(is)} → ${short(should)}`);
  return all.length > 3 ? [...all.slice(0, 3), `and ${all.length - 3} more`] : all;
}

// The numbers of a body that its remedy changes, as "iyy 0.0801 → 0.00801"; else its worst finding.
function describeChanges(scene, index) {
  const { fixes, findings } = scene.bodies[index];
  if (fixes.length) return listChanges(fixes[0].changes);
  const own = orderFindings(scene).find((each) => findings.includes(each) && !scene.findings[each].whole);
  return own === undefined ? [] : [scene.findings[own].name.replaceAll("-", " ")];
}

function buildFindings(scene, select) {
  const order = orderFindings(scene);
  const build = (indices) => indices.map((index) => buildCard(scene, index, { select }));
  const parts = build(order.slice(0, CARDS));
  if (order.length > CARDS) {
    let shown = CARDS;
    const label = () => `Show more (${order.length - shown} left)`;
    const button = element("button", { type: "button", text: label() });
    button.addEventListener("click", () => {
      button.before(...build(order.slice(shown, shown + CARDS)));
      shown = Math.min(shown + CARDS, order.length);
      button.textContent = label();
      button.hidden = shown === order.length;
    });
    parts.push(button);
  }
  if (!parts.length) {
    const text = scene.bodies.length ? "No finding: every body with numbers is one that can exist." : "There is no body to show.";
    parts.push(element("p", { class: "empty", text }));
  }
  if (scene.suppressed) {
    parts.push(element("p", { class: "place", text: `${plural(scene.suppressed, "finding")} suppressed` }));
  }
  if (scene.notes.length) {
    parts.push(element("h3", { text: "Notes" }), element("ul", { class: "notes" }, ...scene.notes
      .slice(0, 40).map((note) => element("li", { text: shorten(note, 400), dir: "auto" }))));
    if (scene.notes.length > 40) {
      parts.push(element("p", { class: "place", text: `and ${scene.notes.length - 40} more notes` }));
    }
  }
  return parts;
}

function buildFact(term, value, before = null) {
  const shown = element("dd", {});
  if (before !== null && before !== value) shown.append(element("span", { class: "was", text: before }));
  shown.append(value);
  return [element("dt", { text: term }), shown];
}

// The facts of a body; where a fix is shown, with the old numbers struck through.
function buildBody(scene, index, numbers, address, select) {
  const body = scene.bodies[index];
  const node = scene.nodes[index], joint = node?.joint;
  const parent = node && node.parent !== null ? scene.bodies[node.parent] : null;
  const own = body.findings;
  const facts = [...buildFact("Verdict", numbers.verdict, body.verdict),
    ...buildFact("Margin", formatNumber(numbers.margin, 4), formatNumber(body.margin, 4)),
    ...buildFact("Mass", `${formatNumber(numbers.mass)} kg`, `${formatNumber(body.mass)} kg`),
    ...buildFact("Centre of mass", `${formatList(numbers.com)} m`, `${formatList(body.com)} m`),
    ...buildFact("Principal moments", `${formatList(numbers.moments, 5)} kg m²`, `${formatList(body.moments, 5)} kg m²`),
    ...buildFact("Equivalent box", formatSize(numbers.box), formatSize(body.box)),
    ...buildFact("Density", body.density
      ? `${formatNumber(body.density.value, 3)} kg/m³ (${body.density.role} shapes, ${formatNumber(1000 * body.density.volume, 3)} litres)${body.density.remark && `; ${body.density.remark}`}`
      : "no volume known"),
    ...(joint ? buildFact("Joint", shorten(`${joint.name} (${joint.type})`, 120)) : []),
    ...Object.entries(body.attributes).flatMap(([name, state]) => buildFact(name, state)),
  ];
  const parts = [element("h2", { text: shorten(body.name, 300) || "(no name)", dir: "auto" }),
    element("p", { class: "place" }, shorten(`${body.file ?? scene.path}:${body.line}`, 300), " · ", element("a", { class: "link", href: address, text: "link" })),
    element("dl", { class: "facts" }, ...facts)];
  if (parent) {
    parts.push(element("p", { class: "place" }, "hangs on ", element("button", {
      type: "button", class: "link", text: shorten(parent.name, 80) || "(no name)", onclick: () => select(node.parent) })));
  }
  if (own.length) {
    parts.push(element("h3", { text: "Findings" }));
    for (const each of own) parts.push(buildCard(scene, each, { select, withFixes: false, withBody: false }));
    parts.push(...body.fixes.map(buildFix));
  }
  if (body.predicted) parts.push(element("h3", { text: "What simulators do with it" }), buildEngines(scene, numbers));
  return parts;
}

function buildEngines(scene, body) {
  const accepting = scene.engines.filter(({ name }) => !body.engines[name]);
  const rest = accepting.length === scene.engines.length ? "All accept it as written: " : "Accepted as written by ";
  const rows = scene.engines.filter(({ name }) => body.engines[name]).map(({ name, version }) => {
    const prediction = body.engines[name];
    const { word, colour } = ACTIONS[prediction.action];
    const swatch = element("span", { class: "swatch" });
    swatch.style.backgroundColor = `var(--${colour})`;
    const said = [prediction.becomes && `becomes ${prediction.becomes}`, prediction.message && `“${prediction.message}”`]
      .filter(Boolean).join("; ");
    return element("tr", {}, element("td", { title: version, text: name }),
      element("td", {}, swatch, ` ${word}`),
      element("td", { text: shorten(said, 400), dir: "auto" }));
  });
  return element("div", {}, rows.length ? element("table", { class: "engine-table" }, element("tbody", {}, ...rows)) : null,
    accepting.length ? element("p", { class: "place", text: `${rest}${accepting.map(({ name }) => name).join(", ")}.` }) : null);
}
