import * as z from 'zod/mini';
import type { Route } from './route';
import { routes } from './routes';

const FAILED = {
  description: 'What went wrong, and what to do next; the codes are those of the command line',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        required: ['error'],
        properties: {
          error: {
            type: 'object',
            required: ['code', 'message', 'hint'],
            properties: { code: { type: 'string' }, message: { type: 'string' }, hint: { type: 'string' } },
          },
        },
      },
    },
  },
};

/** OpenAPI 3.1 of all routes. */
export function openApi(version: string): object {
  const paths = new Map<string, Record<string, object>>();
  for (const route of routes) {
    const path = `/api/memory${route.path.replaceAll(/:(\w+)/g, '{$1}')}`;
    paths.set(path, { ...paths.get(path), [route.method]: operation(route) });
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Keepit', version, description: 'The memory of Claude Code sessions on this machine.' },
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } }, responses: { failed: FAILED } },
    paths: Object.fromEntries(paths),
  };
}

function operation({ method, path, summary, input }: Route): object {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: 'input' });
  const hasBody = method === 'post' || method === 'put';
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const query = hasBody ? [] : Object.entries(schema.properties ?? {});
  return {
    operationId: `${method}${path.replaceAll(/\/:?(\w)/g, (_match, letter: string) => letter.toUpperCase())}`,
    summary,
    parameters: [...named, ...query.map(([name, one]) => ({ name, in: 'query', schema: one }))],
    ...(hasBody && { requestBody: { content: { 'application/json': { schema } } } }),
    responses: {
      200: {
        description: 'What the command line prints with --json; as text/event-stream with progress before it',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
      default: { $ref: '#/components/responses/failed' },
    },
  };
}

/** The same for people: every route, with what it does and takes. */
export function apiPage(version: string): string {
  const rows = routes.map(({ method, path, summary, input }) => {
    const { properties = {} } = z.toJSONSchema(input, { io: 'input' });
    const cells = [
      `<code>${method.toUpperCase()} /api/memory${path}</code>`,
      escaped(summary),
      Object.keys(properties)
        .map((name) => `<code>${name}</code>`)
        .join(', '),
    ];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Keepit API</title>
<style>
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
  table { border-collapse: collapse; }
  th, td { text-align: left; vertical-align: top; padding: .35rem 1rem .35rem 0; border-top: 1px solid #8886; }
  code { font-size: .9em; overflow-wrap: anywhere; }
</style>
<h1>Keepit ${escaped(version)}</h1>
<p>Ask with <code>Authorization: Bearer TOKEN</code>; the token is what <code>keepit serve</code> printed. Bodies are JSON.
With <code>Accept: text/event-stream</code> progress comes first, then the answer. All of it for programs:
<a href="/api/openapi.json">/api/openapi.json</a>.</p>
<table>
<thead><tr><th scope="col">Route<th scope="col">Does<th scope="col">Takes</thead>
<tbody>${rows.join('\n')}</tbody>
</table>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
