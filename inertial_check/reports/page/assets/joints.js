// Sliders that move the joints.

function rangeOf(joint, radius) {
  const reach = joint.motion === "revolute" ? Math.PI : Math.max(radius, 0.05);
  let low = joint.lower ?? -reach, high = joint.upper ?? reach;
  if (!(low < high)) [low, high] = [-reach, reach];
  if (!(high - low < 1e6)) [low, high] = [Math.max(low, -reach), Math.min(high, reach)];
  // Zero, where the document places the bodies, is one of the steps.
  const step = (Math.max(high, 0) - Math.min(low, 0)) / 400;
  return { low: Math.ceil(Math.min(low, 0) / step) * step, high: Math.floor(Math.max(high, 0) / step) * step, step };
}

function formatPosition(joint, value) {
  return joint.motion === "revolute" ? `${(value * 180 / Math.PI).toFixed(1).replace(/^-0\.0$/, "0.0")}°` : `${formatNumber(1000 * value, 4)} mm`;
}

function buildJoints(scene, figure, select) {
  const rows = [];
  scene.nodes.forEach((node, index) => {
    const joint = node.joint;
    if (!joint || joint.motion === "none" || joint.mimic) return;
    const { low, high, step } = rangeOf(joint, figure ? figure.radius : 1);
    const output = element("output", { text: formatPosition(joint, figure?.positions[index] ?? 0) });
    const name = shorten(joint.name, 80) || "(no name)";
    const slider = element("input", {
      type: "range", min: low, max: high, step, value: figure?.positions[index] ?? 0,
      "data-index": index, "aria-label": `position of ${name}` });
    const show = () => {
      output.textContent = formatPosition(joint, Number(slider.value));
      slider.setAttribute("aria-valuetext", output.textContent);
    };
    slider.addEventListener("input", () => {
      show();
      figure?.setPosition(index, Number(slider.value));
    });
    slider.addEventListener("focus", () => select(index));
    show();
    rows.push(element("div", { class: "joint" },
      element("label", { text: name, title: `${name} (${joint.type})`, dir: "auto" }), output, slider));
  });
  if (!rows.length) return [element("p", { class: "empty", text: "No joint of this model has one axis about or along which it moves." })];
  const reset = element("button", { type: "button", text: "All to zero", onclick: () => {
    for (const slider of find("panel-joints").querySelectorAll("input")) {
      slider.value = 0;
      slider.dispatchEvent(new Event("input"));
    }
  } });
  return [reset, ...rows];
}
