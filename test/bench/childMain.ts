// Started by inFreshProcess: runs one probe of one case file and sends what it measured to its parent.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';

const STALL_RESOLUTION_MS = 1;
const SETTLE_MS = 25;

type Probe = (input: unknown) => unknown;

const caseFileSchema = z.object({
  probes: z.record(
    z.string(),
    z.custom<Probe>((value) => typeof value === 'function'),
  ),
});

const [caseUrl = '', name = '', input = 'null'] = process.argv.slice(2);
const { probes } = caseFileSchema.parse(await import(caseUrl));
const probe = probes[name];
if (probe === undefined) throw new Error(`${caseUrl} exports no probe '${name}'.`);

const stalls = monitorEventLoopDelay({ resolution: STALL_RESOLUTION_MS });
stalls.enable();
await sleep(SETTLE_MS); // loading the code is not what is measured
stalls.reset();
const cpuBefore = process.cpuUsage();
const started = performance.now();
const own = await probe(JSON.parse(input));
const timeMs = performance.now() - started;
const cpu = process.cpuUsage(cpuBefore);
await sleep(SETTLE_MS); // a stall at the very end shows only on the next tick
stalls.disable();

const BYTES_PER_KB = 1024;
const metrics = {
  timeMs,
  cpuMs: (cpu.user + cpu.system) / 1000, // of all threads: says something on a busy machine, too
  peakRssMb: process.resourceUsage().maxRSS / BYTES_PER_KB,
  maxStallMs: stalls.max / 1e6,
  ...z.record(z.string(), z.number()).optional().parse(own),
};
process.send?.(metrics, () => process.disconnect());
