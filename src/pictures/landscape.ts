import { mix, type Palette } from './colours.ts';
import type { Random } from './random.ts';
import { at, circle, ellipse, HEIGHT, line, path, rect, repeat, smooth, turned, WIDTH } from './shapes.ts';

export type Canvas = { readonly palette: Palette; readonly random: Random };

/** Sky with sun or moon, clouds or stars. */
export function sky({ palette, random }: Canvas): string {
  const x = random.pick([random.between(180, 420), random.between(780, 1020)]);
  const y = random.between(150, 300);
  const radius = random.between(48, 78);
  const disc =
    circle(x, y, radius * 2.1, palette.sun, 0.14) +
    circle(x, y, radius * 1.5, palette.sun, 0.2) +
    circle(x, y, radius, palette.sun, 0.95);
  const stars = palette.isDark
    ? repeat(26, () =>
        circle(random.between(0, WIDTH), random.between(0, 330), random.between(1.5, 3.4), palette.light, 0.6),
      )
    : '';
  const clouds = repeat(palette.isDark ? 2 : 4, () =>
    cloud(random.between(60, 1140), random.between(70, 330), random.between(0.6, 1.3), palette),
  );
  return `<rect width="${WIDTH}" height="${HEIGHT}" fill="url(#sky)"/>${stars}${disc}${clouds}`;
}

function cloud(x: number, y: number, scale: number, { light, isDark }: Palette): string {
  const shapes =
    rect(-110, -14, 220, 28, light, 14) + rect(-60, -34, 130, 36, light, 18) + rect(-150, 4, 190, 20, light, 10);
  return `<g opacity="${isDark ? 0.12 : 0.5}">${at(x, y, scale, shapes)}</g>`;
}

/** A soft ridge from edge to edge. */
export function ridge({ random }: Canvas, baseY: number, height: number, colour: string): string {
  const steps = random.whole(4, 6);
  const points = Array.from(
    { length: steps + 1 },
    (_, index) => [(WIDTH * index) / steps, baseY - random.between(0, height)] as const,
  );
  const [, firstY] = points[0] ?? [0, baseY];
  return path(`M0 ${Math.round(firstY)}${smooth(points)}V${HEIGHT}H0Z`, colour);
}

export function hills(canvas: Canvas, horizon: number): string {
  const { far, near, skyBottom } = canvas.palette;
  return (
    ridge(canvas, horizon - 40, 150, mix(far, skyBottom, 0.45)) +
    ridge(canvas, horizon + 10, 110, far) +
    ridge(canvas, horizon + 70, 80, mix(far, near, 0.6))
  );
}

/** A volcano before soft ridges. */
export function volcano(canvas: Canvas, horizon: number): string {
  const { random, palette } = canvas;
  const [x, top] = [random.between(380, 820), horizon - random.between(250, 310)];
  const cone = `M${x - 460} ${horizon + 60}C${x - 240} ${horizon} ${x - 110} ${top + 60} ${x - 46} ${top}L${x - 12} ${top + 14}L${x + 46} ${top}C${x + 110} ${top + 60} ${x + 240} ${horizon} ${x + 460} ${horizon + 60}Z`;
  const smoke =
    circle(x, top - 26, 26, palette.light, 0.35) +
    circle(x + 34, top - 56, 34, palette.light, 0.25) +
    circle(x + 84, top - 84, 42, palette.light, 0.16);
  return (
    smoke +
    path(cone, mix(palette.far, palette.near, 0.4)) +
    ridge(canvas, horizon + 50, 60, mix(palette.far, palette.near, 0.7))
  );
}

/** Limestone towers that rise from the water. */
export function karst({ random, palette }: Canvas, horizon: number): string {
  const tower = (x: number, width: number, height: number, colour: string): string =>
    path(
      `M${x - width} ${horizon}C${x - width * 0.9} ${horizon - height * 0.8} ${x - width * 0.6} ${horizon - height} ${x - width * 0.1} ${horizon - height}C${x + width * 0.5} ${horizon - height * 1.02} ${x + width * 0.8} ${horizon - height * 0.6} ${x + width} ${horizon}Z`,
      colour,
    );
  const layer = (count: number, colour: string, height: number): string =>
    repeat(count, (index) =>
      tower(
        (WIDTH * (index + random.between(0.2, 0.8))) / count,
        random.between(70, 120),
        random.between(height * 0.6, height),
        colour,
      ),
    );
  return (
    layer(5, mix(palette.far, palette.skyBottom, 0.4), 230) + layer(4, palette.far, 190) + layer(2, palette.near, 250)
  );
}

/** A skyline; its windows are lit in the evening and at night. */
export function city({ random, palette }: Canvas, horizon: number): string {
  const layer = (colour: string, low: number, high: number, lit: number): string => {
    let [shapes, x] = ['', -20];
    while (x < WIDTH) {
      const width = random.between(54, 110);
      const height = random.between(low, high);
      shapes += rect(x, horizon - height, width - 6, height + 4, colour, 3);
      if (random.between(0, 1) < 0.3) shapes += rect(x + width / 2 - 6, horizon - height - 46, 6, 48, colour, 3);
      for (let row = horizon - height + 18; row < horizon - 24; row += 30)
        for (let column = x + 12; column < x + width - 20; column += 20)
          if (random.between(0, 1) < lit) shapes += rect(column, row, 8, 13, palette.second, 1, 0.75);
      x += width;
    }
    return shapes;
  };
  const lit = palette.isDark ? 0.34 : 0.06;
  return (
    layer(mix(palette.far, palette.skyBottom, 0.35), 130, 300, 0) +
    layer(mix(palette.far, palette.near, 0.5), 60, 210, lit)
  );
}

/** Water to the lower edge, with reflections of the light. */
export function water({ random, palette }: Canvas, horizon: number): string {
  const gleams = repeat(26, () => {
    const y = horizon + random.between(8, HEIGHT - horizon - 20);
    const width = random.between(30, 60 + (y - horizon) * 0.6);
    return rect(random.between(-40, WIDTH), y, width, 4 + (y - horizon) / 80, palette.light, 3, 0.22);
  });
  const depth = rect(0, horizon, WIDTH, HEIGHT - horizon, 'url(#water)');
  return depth + gleams;
}

export function ground(canvas: Canvas, y: number, colour = canvas.palette.dark): string {
  return ridge(canvas, y, 36, colour);
}

/** A palm whose foot is at 0,0, 300 high. */
export function palm({ palette, random }: Canvas, x: number, y: number, scale: number): string {
  const leaf = (angle: number): string =>
    turned(angle, path('M0 0C60 -46 120 -40 158 4C118 -12 66 -10 0 0Z', mix(palette.dark, palette.near, 0.25)));
  const leaves = [-160, -128, -78, -34, 6, 32, 168].map(leaf).join('');
  const trunk = line('M0 0C-6 -90 4 -190 34 -290', mix(palette.dark, palette.near, 0.15), 15);
  return at(x, y, scale, trunk + `<g transform="translate(34 -290)">${leaves}</g>`, random.between(0, 1) < 0.5);
}

/** Leaves that frame the picture from a lower corner. */
export function fronds({ palette, random }: Canvas, onLeft: boolean): string {
  const leaves = repeat(6, (index) => {
    const length = random.between(150, 260);
    const colour = mix(palette.dark, palette.near, index / 9);
    return turned(
      -100 + index * 21,
      path(
        `M0 0C${length * 0.3} -42 ${length * 0.75} -36 ${length} 0C${length * 0.75} 26 ${length * 0.3} 30 0 0Z`,
        colour,
      ),
    );
  });
  return at(onLeft ? -10 : WIDTH + 10, HEIGHT + 30, 1.15, leaves, !onLeft);
}

/** A string of lanterns from edge to edge. */
export function lanterns({ palette, random }: Canvas, y: number): string {
  const hang = (x: number): number => y + 70 * (1 - ((x - 600) / 600) ** 2);
  const string = line(`M0 ${y}Q600 ${y + 140} 1200 ${y}`, palette.dark, 3, 0.7);
  const lamps = repeat(9, (index) => {
    const x = 60 + index * 135;
    const colour = random.pick([palette.accent, palette.second]);
    return (
      circle(x, hang(x) + 34, 54, colour, 0.16) +
      rect(x - 2, hang(x), 4, 14, palette.dark) +
      ellipse(x, hang(x) + 34, 24, 21, colour) +
      rect(x - 10, hang(x) + 52, 20, 6, palette.dark, 3)
    );
  });
  return string + lamps;
}
