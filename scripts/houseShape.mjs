// npm run shape: the figures of the source's shape. CONTRIBUTING.md has a table of what they may be at most; `npm run docs` holds them to it.
import { FIGURES, houseShape } from './lib/houseShape.mjs';

const shape = await houseShape();
for (const [name, title] of FIGURES)
  console.log(`${String(shape.get(name)).padStart(8)}  ${title.replaceAll('`', '')}`);
