import path from 'node:path';
import * as z from 'zod/mini';
import { routes } from '../../../src/http/routes';
import type { Chance } from './chance';
import type { FuzzHome } from './fuzzHome';
import { hostileText, hostileValue, hostileWord } from './hostileText';
import { newSessionId } from './randomSession';

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** What is looked at of a JSON schema. */
const nodeSchema = z.looseObject({
  type: z.optional(z.string()),
  enum: z.optional(z.array(z.unknown())),
  anyOf: z.optional(z.array(z.unknown())),
  properties: z.optional(z.record(z.string(), z.unknown())),
  required: z.optional(z.array(z.string())),
  items: z.optional(z.unknown()),
});

type Where = Pick<FuzzHome, 'dir' | 'projectId'>;

/** Some of the routes, with values that fit their schemas, and others. */
export function randomRequests({ dir, projectId }: Where, sessionId: string, chance: Chance): HttpRequest[] {
  const places = new Map([
    ['sessionId', sessionId],
    ['projectId', projectId],
  ]);
  const valueOf = (schema: unknown, name = ''): unknown => {
    if (name === 'file') return path.join(dir, `${newSessionId(chance)}.tar`);
    if (chance.is(0.1)) return hostileValue(chance);
    const { type, enum: values, anyOf, properties = {}, required = [], items } = nodeSchema.parse(schema);
    if (anyOf !== undefined) return valueOf(chance.pick(anyOf), name);
    if (values !== undefined) return chance.pick(values);
    if (type === 'array') return [valueOf(items ?? {}, name.replace(/s$/, ''))];
    if (type === 'boolean') return chance.is(0.5);
    if (type === 'integer' || type === 'number') return chance.pick([0, 1, 3, 1000, 2 ** 53 - 1]);
    if (type !== 'object')
      return places.get(name) ?? chance.pick([sessionId, hostileWord(chance), hostileText(chance)]);
    const given = Object.entries(properties).filter(([field]) => required.includes(field) || chance.is(0.5));
    return Object.fromEntries(given.map(([field, one]) => [field, valueOf(one, field)]));
  };
  return chance.some(routes, 8).map(({ method, path: route, input }) => {
    const filled = route.replace(/:(\w+)/g, (_all, name: string) =>
      encodeURIComponent(places.get(name) ?? chance.pick(['v001', 'p001', hostileWord(chance)])),
    );
    if (method === 'get' || method === 'delete') return { method, path: filled };
    return { method, path: filled, body: valueOf(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })) };
  });
}
