import { defaultMemoryDir } from '../../node/store/storeLayout';
import { command } from '../command';
import { CliFailure } from '../cliErrors';
import { option, whole } from '../fields';

/** Of the build. */
declare const KEEPIT_VERSION: string;

const MOST_PORTS = 65_535;

export const serve = command({
  name: 'serve',
  summary: 'Serve memory to programs on this machine, over HTTP',
  details: [
    'Prints its address and a token; every request says `Authorization: Bearer TOKEN`. Nothing but this machine can reach it. The address itself shows the routes, /api/openapi.json describes them. It runs until it is interrupted.',
    "Both also stand in the store's folder, in serve/PORT.json, as long as it runs.",
  ],
  input: { port: option(whole, 'N', 'A port; 0, when nothing is said: one that is free') },
  examples: ['serve', 'serve --port 7788 --json'],
  async run({ port = 0 }, { memory, log, signal, wrong }) {
    if (port > MOST_PORTS) throw wrong(`--port takes a number up to ${MOST_PORTS}.`);
    const [http, { routes }] = await Promise.all([import('../../http/server'), import('../../http/routes')]);
    const memoryDir = defaultMemoryDir();
    return http
      .serve({ memory, routes, port, memoryDir, version: KEEPIT_VERSION, signal, log })
      .catch((error: unknown) => {
        const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
        throw isTaken ? new CliFailure('port-taken', String(port)) : error;
      });
  },
  json: ({ url, token }) => ({ url, token }),
  text: ({ url, token }, { strong }) => [strong(url), `Token: ${token}`, 'Ctrl-C ends it.'],
  until: ({ ended }) => ended,
});
