import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import type { StoredComposition } from '../core/compositions/compositions';
import { parseWeight } from '../core/keepits/weights';
import type { SessionRef } from '../core/sessions/results';
import { ownValue } from '../core/text/ownValue';
import { errorCode, isGone, storing } from '../node/files/errorCode';
import { namedComposition, type CommandContext } from './context';

type Context = Pick<CommandContext, 'memory' | 'scope' | 'signal' | 'wrong'>;

/** What a value may be: given by a program, or read from a word of a command line. */
export interface Kind<T> {
  readonly schema: z.ZodMiniType;
  /** Goes on with `--limit`. */
  readonly takes: string;
  /** Undefined for what it may not be. */
  readonly read: (word: string, context: Context) => T | undefined | Promise<T | undefined>;
}

/** How the command line spells it. */
interface Spelling {
  readonly help: string;
  /** What stands for the value in the help, such as `N`; flags have none. */
  readonly value?: string | undefined;
  readonly short?: string | undefined;
  /** Of an argument, which has its place instead of a name; only the last one may take several words. */
  readonly arity?: 'one' | 'optional' | 'any' | undefined;
}

/** One thing that a command is given. */
export interface Field<T = unknown> extends Spelling {
  readonly schema: z.ZodMiniType;
  /** From the words that were given; there are none where nothing was said. `name` is how it was called. */
  from(words: readonly string[], name: string, context: Context): Promise<T>;
}

export type Fields = Readonly<Record<string, Field>>;

/** What a command is given, by the names of its fields. */
export type Inputs<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

async function read<T>({ read, takes }: Kind<T>, word: string, name: string, context: Context): Promise<T> {
  const value = await read(word, context);
  if (value === undefined) throw context.wrong(`${name} ${takes}, not ${JSON.stringify(word)}.`);
  return value;
}

function single<T>(kind: Kind<T>, spelling: Spelling): Field<T | undefined> {
  return {
    ...spelling,
    schema: z.optional(kind.schema),
    from: async (words, name, context) => {
      const word = words.at(-1);
      return word === undefined ? undefined : read(kind, word, name, context);
    },
  };
}

function list<T>(kind: Kind<T>, spelling: Spelling): Field<readonly T[]> {
  return {
    ...spelling,
    schema: z.optional(z.array(kind.schema)),
    from: async (words, name, context) => {
      const values: T[] = [];
      for (const word of words) values.push(await read(kind, word, name, context));
      return values;
    },
  };
}

function required<T>(field: Field<T | undefined>, schema: z.ZodMiniType, example?: string): Field<T> {
  return {
    ...field,
    schema,
    from: async (words, name, context) => {
      const value = await field.from(words, name, context);
      if (value === undefined)
        throw context.wrong(`${name} is missing${example === undefined ? '' : `: ${name} ${example}`}.`);
      return value;
    },
  };
}

export function flag(help: string, short?: string): Field<boolean> {
  const from = async (words: readonly string[]): Promise<boolean> => words.length > 0 && words.at(-1) !== 'false';
  return { help, short, schema: z.optional(z.boolean()), from };
}

export function option<T>(kind: Kind<T>, value: string, help: string, short?: string): Field<T | undefined> {
  return single(kind, { value, help, short });
}

/** An option that may be said again. */
export function repeated<T>(kind: Kind<T>, value: string, help: string): Field<readonly T[]> {
  return list(kind, { value, help });
}

/** An option without which nothing can be done. */
export function needed<T>(kind: Kind<T>, value: string, help: string, example: string): Field<T> {
  return required(single(kind, { value, help }), kind.schema, example);
}

export function argument<T>(kind: Kind<T>, help: string): Field<T> {
  return required(single(kind, { help, arity: 'one' }), kind.schema);
}

export function optional<T>(kind: Kind<T>, help: string): Field<T | undefined> {
  return single(kind, { help, arity: 'optional' });
}

export function several<T>(kind: Kind<T>, help: string): Field<readonly T[]> {
  return list(kind, { help, arity: 'any' });
}

/** A file, absolute. */
export const file: Kind<string> = { schema: z.string(), takes: 'takes a file', read: (word) => path.resolve(word) };

export const text: Kind<string> = { schema: z.string(), takes: 'takes words', read: (word) => word };

export const whole: Kind<number> = {
  schema: z.int().check(z.nonnegative()),
  takes: 'takes a whole number from 0',
  read: (word) => (/^\d+$/.test(word) && Number.isSafeInteger(Number(word)) ? Number(word) : undefined),
};

/** One of a few words; `others` are other ways of spelling them. */
export function oneOf<const T extends string>(values: readonly T[], others: Readonly<Record<string, T>> = {}): Kind<T> {
  return {
    schema: z.enum([...values, ...Object.keys(others)]),
    takes: `is one of ${values.join(', ')}`,
    read: (word) => values.find((value) => value === word.toLowerCase()) ?? ownValue(others, word.toLowerCase()),
  };
}

/** A number that is the first group of a pattern. */
function figure(takes: string, pattern: RegExp, least: number, most: number): Kind<number> {
  return {
    schema: z.number().check(z.gte(least), z.lte(most)),
    takes,
    read: (word) => {
      const value = Number(pattern.exec(word)?.[1]);
      return value >= least && value <= most ? value : undefined;
    },
  };
}

export const ratio = figure('takes a number from 1', /^(\d{1,9}(?:\.\d{1,9})?)(?::1)?$/, 1, 1e9);
export const usd = figure('takes an amount in USD such as 0.50', /^\$?(\d{1,6}(?:\.\d{1,6})?)$/, 0, 1e6);
export const days = figure('takes a number of days such as 60d', /^(\d{1,5})d?$/, 0, 1e5);
export const share = figure('takes a weight from 0.00 to 1.00', /^(\d(?:\.\d{1,2})?)$/, 0, 1);

/** A number of tokens: `16000`, `16k`, `0.5M`. */
export const tokens: Kind<number> = {
  schema: z.int().check(z.gte(1)),
  takes: 'takes a number of tokens such as 16000 or 16k',
  read: (word) => {
    const [, digits, unit = ''] =
      /^(\d{1,9}(?:[.]\d{1,3})?)([km]?)$/i.exec(word.replaceAll(/[_,](?=\d{3})/g, '')) ?? [];
    const value = Number(digits) * (unit === '' ? 1 : unit.toLowerCase() === 'k' ? 1000 : 1_000_000);
    return Number.isSafeInteger(value) && value >= 1 ? value : undefined;
  },
};

export const weight: Kind<number> = {
  schema: z.number().check(z.gte(0), z.lte(1)),
  takes: 'takes a weight',
  read: (word, { wrong }) => {
    const parsed = parseWeight(word);
    if ('problem' in parsed) throw wrong(`${JSON.stringify(word)} is no weight. ${parsed.problem}`);
    return parsed.weight;
  },
};

export const session: Kind<SessionRef> = {
  schema: z.string(),
  takes: 'takes a session',
  read: async (word, { scope, signal }) => scope.session(word, signal),
};

/** A project's folder, id or name. */
export const project: Kind<string> = {
  schema: z.string(),
  takes: 'takes a project',
  read: (word, { scope }) => scope.namedProject(word),
};

export const composition: Kind<StoredComposition> = {
  schema: z.string(),
  takes: 'takes a composition',
  read: namedComposition,
};

/** Which model is asked, and for how much. */
export function asking<const P extends string>(
  providers: readonly P[],
): { provider: Field<P | undefined>; model: Field<string | undefined>; maxCost: Field<number | undefined> } {
  return {
    provider: option(oneOf(providers), 'NAME', providers.join(', ')),
    model: option(text, 'MODEL', 'A model, or its alias in the configuration'),
    maxCost: option(usd, 'USD', 'Refuse to spend more'),
  };
}

/** Asks nobody; the frame knows it. */
export const yes = flag('Do not ask', 'y');

const SESSION = 'the session';
export const theSession = argument(session, SESSION);
export const keptSession = argument(session, `${SESSION}; it has to be in memory`);

/** What a file says. */
export const textOfFile: Kind<string> = {
  schema: z.string(),
  takes: 'takes a file',
  read: async (file, { wrong }) => textOf(file, () => wrong(`${file} cannot be read.`)),
};

/** What a file says that was named; one that is not there was named wrongly. */
export async function textOf(file: string, wrong: () => Error): Promise<string> {
  return storing(file, () =>
    readFile(file, 'utf8').catch((error: unknown) => {
      throw isGone(error) || errorCode(error) === 'EISDIR' ? wrong() : error;
    }),
  );
}
