import { readFile } from 'node:fs/promises';
import { UsageError } from './cliErrors';

/** The words and options of one command line, checked against what the command takes. */
export class CommandInput {
  readonly args: readonly string[];
  private readonly command: string;
  private readonly options: ReadonlyMap<string, string | true>;
  private readonly repeated: ReadonlyMap<string, readonly string[]>;

  constructor(
    command: string,
    args: readonly string[],
    options: ReadonlyMap<string, string | true>,
    repeated: ReadonlyMap<string, readonly string[]> = new Map(),
  ) {
    this.command = command;
    this.args = args;
    this.options = options;
    this.repeated = repeated;
  }

  /** An argument that the command cannot do without. */
  required(index: number): string {
    const value = this.args[index];
    if (value === undefined) throw this.wrong('An argument is missing.');
    return value;
  }

  has(option: string): boolean {
    return this.options.has(option);
  }

  text(option: string): string | undefined {
    const value = this.options.get(option);
    return value === true ? undefined : value;
  }

  /** Every value of an option that may be given more than once, in order. */
  all(option: string): readonly string[] {
    return this.repeated.get(option) ?? [];
  }

  /** A whole number from 0; undefined when the option is not given. */
  count(option: string): number | undefined {
    const value = this.text(option);
    if (value === undefined) return undefined;
    const number = Number(value);
    if (!/^\d+$/.test(value) || !Number.isSafeInteger(number)) {
      throw this.wrong(`--${option} takes a whole number from 0, not ${JSON.stringify(value)}.`);
    }
    return number;
  }

  /** One of a few words; undefined when the option is not given. `text` is what was given, where it may be spelt otherwise. */
  oneOf<T extends string>(option: string, allowed: readonly T[], text = this.text(option)): T | undefined {
    const found = allowed.find((one) => one === text);
    if (text === undefined || found !== undefined) return found;
    throw this.wrong(`--${option} is one of ${allowed.join(', ')}, not ${JSON.stringify(text)}.`);
  }

  /** The text of a file that was named. */
  async fileText(file: string): Promise<string> {
    try {
      return await readFile(file, 'utf8');
    } catch {
      throw this.wrong(`${file} cannot be read.`);
    }
  }

  /** A mistake in the command line, with the way to the command's help. */
  wrong(message: string): UsageError {
    return new UsageError(message, { command: this.command });
  }
}

/** What `--max-cost` allows, in USD; undefined when nobody has said. */
export function maxCostOf(input: CommandInput): number | undefined {
  const cost = input.text('max-cost');
  if (cost !== undefined && !/^\$?\d{1,6}(?:\.\d{1,6})?$/.test(cost)) {
    throw input.wrong(`--max-cost takes an amount in USD such as 0.50, not ${JSON.stringify(cost)}.`);
  }
  return cost === undefined ? undefined : Number(cost.replace('$', ''));
}
