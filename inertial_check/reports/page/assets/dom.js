// Elements and numbers of the page. Whatever comes from a file becomes text by way of textContent;
// nothing in this page parses HTML.

// Shows control characters and marks that turn the direction of a line as \u202e, so that a name
// cannot rearrange the words around it.
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

function visible(text) {
  return String(text).replace(
    INVISIBLE, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  setAttributes(node, attributes);
  node.append(...children.filter((child) => child !== null && child !== undefined).map(
    (child) => (typeof child === "string" ? visible(child) : child)));
  return node;
}

function drawn(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(node, attributes);
  node.append(...children);
  return node;
}

function setAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = visible(value);
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "colour") node.style.backgroundColor = value;
    else if (value === true) node.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, visible(value));
  }
}

function find(id) {
  return document.getElementById(id);
}

// At most 200 characters of a text: names may have any length.
function shorten(text, most = 200) {
  const letters = [...text.slice(0, 4 * most)];
  return visible(letters.length > most ? `${letters.slice(0, most).join("")}…` : text);
}

function formatNumber(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e5) return String(Number(value.toPrecision(digits)));
  return value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e");
}

function formatList(values, digits = 4) {
  return values && values.some((each) => each !== null) ? values.map((value) => formatNumber(value, digits)).join(", ") : "–";
}

// Edges of a box in millimetres, or in metres from 10 m on, shortest first.
function formatSize(box) {
  if (!box) return "–";
  const known = box.slice().sort((a, b) => (a ?? -1) - (b ?? -1));
  const metres = known.some((each) => each >= 10);
  const shown = known.map((each) => (each === null ? "–" : formatNumber(metres ? each : 1000 * each, 3)));
  return `${shown.join(" × ")} ${metres ? "m" : "mm"}`;
}

function plural(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : noun.endsWith("y") ? "" : "s"}`.replace(
    /(\d+) body$/, (all, n) => (n === "1" ? all : `${n} bodies`));
}

function severityLabel(severity) {
  return element("span", { class: `badge sev-${severity}`, text: severity });
}
