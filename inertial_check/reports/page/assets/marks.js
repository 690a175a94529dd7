const AXIS_COLOURS = ["#d0453e", "#4a9a4f", "#3f6fc4"];

class MarkedRobot extends Robot {
  // Marks with a size on the screen: centres of mass, principal axes, frames, bones.
  listGlyphs() {
    const { com, axes, frames } = this.options, items = [];
    const ink = parseColour(this.colours.ink);
    this.scene.bodies.forEach((body, index) => {
      const pose = this.poses[index];
      if (!pose) return;
      const numbers = this.numbersOf(body), center = drawable(numbers.com);
      if (center && numbers.mass > 0 && (com || this.stands(index))) items.push(this.dot(pose, center, index, ink));
      if (center && axes && numbers.axes) {
        const long = Math.min(middle(numbers.ellipsoid) * 1.35 || 0, 2 * this.radius);
        items.push(...this.triad(pose, numbers.axes, center, index, long, ink));
      }
      if (frames) {
        const unit = [1, 0, 0, 0, 1, 0, 0, 0, 1];
        items.push(...this.triad(pose, unit, [0, 0, 0], index, 0.09 * this.radius));
      }
    });
    if (!this.scene.shapes.length) items.push(...this.bones(ink));
    if (this.selected >= 0) items.push(...this.witness());
    return items;
  }

  dot(pose, center, index, ink) {
    const chosen = index === this.selected, r = chosen ? 0.0075 : 0.0045, colour = chosen ? parseColour(this.colours.accent) : ink;
    return Renderer.item({
      mesh: this.primitives.dot, matrix: multiply(translation(transform(pose, center)), scaling(r, r, r)),
      color: [...colour, 1], body: index, layer: "front", steady: 3,
    });
  }

  stick(from, to, share, colour, body) {
    const along = subtract(to, from), length = Math.hypot(...along);
    return Renderer.item({
      mesh: this.primitives.rod,
      matrix: multiply(rigid(towards(along), combine(0.5, from, 0.5, to)), scaling(share, share, length)),
      color: [...colour, 1], body, layer: "front", steady: 2,
    });
  }

  triad(pose, axes, center, index, length, colour = null) {
    if (!(length > 0)) return [];
    const at = transform(pose, center);
    return [0, 1, 2].map((k) => {
      const direction = [axes[k], axes[3 + k], axes[6 + k]];
      const end = combine(1, center, length, direction);
      const from = colour ? transform(pose, combine(1, center, -length, direction)) : at;
      return this.stick(from, transform(pose, end), 0.0014, parseColour(AXIS_COLOURS[k]), index);
    });
  }

  // Without any shape, lines join the origins of the bodies.
  bones(ink) {
    const colour = mix(ink, parseColour(this.colours.surface), 0.55);
    return this.scene.nodes.flatMap((node, index) => {
      if (node.parent === null) return [];
      const [from, to] = [node.parent, index].map((i) => transform(this.poses[i], [0, 0, 0]));
      return Math.hypot(...subtract(to, from)) > 0 ? [this.stick(from, to, 0.0012, colour, index)] : [];
    });
  }

  // The direction in which the second moment of the selected body would be negative.
  witness() {
    const body = this.scene.bodies[this.selected], pose = this.poses[this.selected];
    const center = drawable(body.com);
    if (this.numbersOf(body) !== body || !body.witness || !center || !pose) return [];
    const long = Math.min(1.2 * Math.max(...(body.ellipsoid || [0]).map((x) => x ?? 0)), this.radius);
    if (!(long > 0)) return [];
    const [from, to] = [-long, long].map((k) => transform(pose, combine(1, center, k, body.witness)));
    return [this.stick(from, to, 0.002, parseColour(this.colours.error), this.selected)];
  }
}
