/*
 * The part of `zod/mini` that hooks need, which the bundle of hooks has in its place: a hook runs at every turn, and loading all of zod would
 * take as long as everything else that it does (docs/decisions/0017-hooks-are-small.md). The schemas and their types are those of the core,
 * written once; a test compares what both make of the same documents. What is missing here does not bundle.
 */
import { ownValue, setOwnValue } from '../core/text/ownValue';

type Outcome =
  { readonly success: true; readonly data: unknown } | { readonly success: false; readonly error: { message: string } };
type Check = (value: unknown) => boolean;

const failure: Outcome = { success: false, error: { message: 'not of this shape' } };

/** What a document is held against. */
export class Shape {
  constructor(readonly safeParse: (value: unknown) => Outcome) {}

  check(...checks: readonly Check[]): Shape {
    return new Shape((value) => {
      const outcome = this.safeParse(value);
      return outcome.success && !checks.every((holds) => holds(outcome.data)) ? failure : outcome;
    });
  }
}

function success(data: unknown): Outcome {
  return { success: true, data };
}

function holding(holds: Check): Shape {
  return new Shape((value) => (holds(value) ? success(value) : failure));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const string = (): Shape => holding((value) => typeof value === 'string');
export const number = (): Shape => holding((value) => typeof value === 'number' && Number.isFinite(value));
export const boolean = (): Shape => holding((value) => typeof value === 'boolean');
export const literal = (one: unknown): Shape => holding((value) => value === one);
export const optional = (shape: Shape): Shape => orElse((value) => value === undefined, shape);
export const nullable = (shape: Shape): Shape => orElse((value) => value === null, shape);

function oneOf(values: readonly unknown[]): Shape {
  return holding((value) => values.includes(value));
}

function orElse(isGiven: Check, shape: Shape): Shape {
  return new Shape((value) => (isGiven(value) ? success(value) : shape.safeParse(value)));
}

function otherwise(shape: Shape, data: unknown): Shape {
  return new Shape((value) => {
    const outcome = shape.safeParse(value);
    return outcome.success ? outcome : success(data);
  });
}

export { oneOf as enum, otherwise as catch };

export function array(shape: Shape): Shape {
  return new Shape((value) => {
    if (!Array.isArray(value)) return failure;
    const data: unknown[] = [];
    for (const item of value) {
      const outcome = shape.safeParse(item);
      if (!outcome.success) return failure;
      data.push(outcome.data);
    }
    return success(data);
  });
}

export function record(_key: Shape, shape: Shape): Shape {
  return holding((value) => isRecord(value) && Object.values(value).every((item) => shape.safeParse(item).success));
}

export function looseObject(shapes: Readonly<Record<string, Shape>>): Shape {
  return new Shape((value) => {
    if (!isRecord(value)) return failure;
    const data: Record<string, unknown> = { ...value };
    for (const [key, shape] of Object.entries(shapes)) {
      const outcome = shape.safeParse(ownValue(value, key));
      if (!outcome.success) return failure;
      if (Object.hasOwn(value, key)) setOwnValue(data, key, outcome.data);
    }
    return success(data);
  });
}

export const gte =
  (least: number): Check =>
  (value) =>
    typeof value === 'number' && value >= least;
export const nonnegative = (): Check => gte(0);
export const int = (): Check => Number.isSafeInteger;
export const regex =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
export const refine =
  (holds: (text: string) => boolean): Check =>
  (value) =>
    typeof value === 'string' && holds(value);
