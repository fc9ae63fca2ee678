import axe, { type RunOptions } from 'axe-core';
import type { FrameLocator } from 'playwright-core';
import * as z from 'zod';

const check = z.object({ message: z.string() });
const node = z.object({ html: z.string(), any: z.array(check), all: z.array(check), none: z.array(check) });
const resultSchema = z.object({ violations: z.array(z.object({ id: z.string(), nodes: z.array(node) })) });

/** A panel has no background of its own: behind it is that of editors, which cannot be seen from inside. */
const run = (options: RunOptions): string => `(async () => {
  const { style } = document.documentElement;
  style.background = 'var(--vscode-editor-background)';
  const result = await axe.run(document, ${JSON.stringify(options)});
  style.background = '';
  return result;
})()`;

/** What axe finds wrong with a panel, or with its colours: a line for each rule, with the first element that breaks it. */
export async function axeFindings(panel: FrameLocator, what: 'all' | 'colours'): Promise<string[]> {
  const element = await panel.locator('html').elementHandle();
  const frame = await element.ownerFrame();
  if (frame === null) throw new Error('There is no panel in sight.');
  if (!(await frame.evaluate("'axe' in globalThis"))) await frame.evaluate(axe.source);
  const options: RunOptions =
    what === 'all' ? {} : { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } };
  const { violations } = resultSchema.parse(await frame.evaluate(run(options)));
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 1).map(({ html, any, all, none }) => {
      const why = [...any, ...all, ...none].map(({ message }) => message).join(' ');
      return `${id} (${nodes.length}): ${html} ${why}`;
    }),
  );
}
