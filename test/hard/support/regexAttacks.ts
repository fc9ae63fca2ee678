import { RegExpParser, visitRegExpAST, type AST } from '@eslint-community/regexpp';

/** What patterns repeat or look for, and what damaged or hostile texts consist of. */
const PUMPS =
  'a A 0 é 日 . , / \\ " \' ` < > ( { [ ] - _ * # @ ~ $ % = | : ; ! ? a. a/ a- a_ aB a1 1. a=  <!-- <a> [" \\" \\n >&1 >a ./ ://'
    .split(' ')
    .concat([' ', '\n', '\t', '\r', 'a ', 'a, ', '> ', '\n\n', ' \n', 'a\n', '<a ', ': ', 'and ', 'avoid  ']);
/** What patterns end on without a match: no character of any language, and what ends no line. */
const ENDS = ['\u0000', '', '!', '\nx'];
const LETTERS = Array.from(
  'aAzxXeEfF019_- .,:;/\\"\'`<>()[]{}|=+*#@~$%^&!?\n\t\r\u00e9\u00df\u4e2d\u3002\u0416\u001b\u0000',
);
const LONGEST_SAMPLE = 60;

/** A text that can be as long as one likes: `head`, then `pump` again and again, then `end`. */
export interface Attack {
  readonly head: string;
  readonly pump: string;
  readonly end: string;
}

/**
 * Texts on which a pattern may take longest: for each part that it repeats, a way to there, then what the part takes, again and again, and
 * then what it doesn't take; the way again and again; and what is bad for many patterns.
 */
export function attacksOn({ source, flags }: RegExp, random: () => number): Attack[] {
  const attacks = new Map<string, Attack>();
  const add = (head: string, pump: string, end: string): void => {
    if (pump !== '') attacks.set(JSON.stringify([head, pump, end]), { head, pump, end });
  };
  for (const pump of PUMPS) add(pump === 'a' ? '!' : 'x', pump, '\u0000');
  for (const pump of PUMPS) add('', pump, pump.includes('\n') ? 'x' : '\n');
  const samples = new Samples(source, flags, random);
  for (const quantifier of samples.quantifiers) {
    const way = samples.wayTo(quantifier);
    const pumps = new Set(Array.from({ length: 4 }, () => samples.of(quantifier.element)));
    for (const pump of pumps) {
      for (const end of ENDS) add(way, pump, end);
      add('', way + pump, '\u0000');
      add('', way + pump.repeat(3), '\u0000');
      add('', pump + way, '\u0000');
      for (const other of pumps) if (other !== pump) add(way, pump + other, '\u0000');
    }
    add('', way, '\u0000');
  }
  for (let count = 0; count < 3; count++) {
    const whole = samples.of(samples.pattern);
    add('', whole, '\u0000');
    add('', whole.slice(0, -1), '\u0000');
    add('', whole.slice(1), '\u0000');
  }
  return [...attacks.values()];
}

export function textOf({ head, pump, end }: Attack, length: number): string {
  return head + pump.repeat(Math.ceil(length / pump.length)) + end;
}

/** Texts that parts of a pattern match. */
class Samples {
  readonly pattern: AST.Pattern;
  readonly quantifiers: AST.Quantifier[] = [];
  readonly #flags: string;
  readonly #random: () => number;
  readonly #letters: readonly string[];
  readonly #matched = new Map<string, readonly string[]>();

  constructor(source: string, flags: string, random: () => number) {
    this.#flags = flags.replace(/[gy]/g, '');
    this.#random = random;
    this.pattern = new RegExpParser().parsePattern(source, 0, source.length, {
      unicode: flags.includes('u'),
      unicodeSets: flags.includes('v'),
    });
    const named = new Set<string>();
    visitRegExpAST(this.pattern, {
      onQuantifierEnter: (node) => {
        if (node.max > 1) this.quantifiers.push(node);
      },
      onCharacterEnter: ({ value }) => {
        named.add(String.fromCodePoint(value));
      },
    });
    this.#letters = [...named, ...LETTERS];
  }

  /** What may stand before a part: all that the pattern has before it. */
  wayTo(node: AST.Node): string {
    const { parent } = node;
    if (parent === null) return '';
    if (parent.type !== 'Alternative') return this.wayTo(parent);
    const before = parent.elements.slice(
      0,
      parent.elements.findIndex((element) => element === node),
    );
    return (this.wayTo(parent) + before.map((element) => this.of(element)).join('')).slice(-LONGEST_SAMPLE);
  }

  of(node: AST.Node): string {
    switch (node.type) {
      case 'Character':
        return String.fromCodePoint(node.value);
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass':
        return this.#oneOf(this.#matchedBy(node.raw)) ?? '';
      case 'Quantifier':
        return this.of(node.element).repeat(Math.min(Math.max(node.min, node.max > 0 ? 1 : 0), LONGEST_SAMPLE));
      case 'Alternative':
        return node.elements.map((element) => this.of(element)).join('');
      case 'Pattern':
      case 'Group':
      case 'CapturingGroup':
        return this.of(this.#oneOf(node.alternatives) ?? node);
      default:
        return '';
    }
  }

  #matchedBy(raw: string): readonly string[] {
    const known = this.#matched.get(raw);
    if (known !== undefined) return known;
    const pattern = new RegExp(`^${raw}$`, this.#flags);
    const found = this.#letters.filter((letter) => pattern.test(letter));
    this.#matched.set(raw, found);
    return found;
  }

  #oneOf<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(this.#random() * all.length)];
  }
}
