import * as fc from 'fast-check';
import { valueAt } from '../../../src/core/claude/setup/jsonc';

const COMMENT = /\/\*c\d+\*\/|\/\/c\d+/g;

/** What a text says, comments aside, as `JSON.parse` would give it. */
export function readJsonc(text: string): unknown {
  return structuredClone(valueAt(text, [])); // no prototypes of another kind
}

/** The comments of a text that {@link writtenJson} has made, in order. */
export function commentsIn(text: string): string[] {
  return text.match(COMMENT) ?? [];
}

/** Spaces, line breaks and comments, as people leave them between the words of a JSON text. */
function gap(eol: string): fc.Arbitrary<string> {
  const comment = fc.nat(99).chain((n) => fc.constantFrom(`/*c${n}*/`, `//c${n}${eol}`));
  const space = fc.constantFrom('', ' ', eol, `${eol}  `, '\t');
  return fc
    .array(fc.oneof({ weight: 4, arbitrary: space }, { weight: 1, arbitrary: comment }), { maxLength: 3 })
    .map((parts) => parts.join(''));
}

/** Objects in JSON with comments, odd spaces and, at times, trailing commas; no key begins with `keepit`. */
export function writtenJson(): fc.Arbitrary<string> {
  return fc.constantFrom('\n', '\r\n').chain((eol) => {
    const trivia = gap(eol);
    const key = fc.string({ maxLength: 5 }).filter((name) => !name.startsWith('keepit') && name !== '__proto__');
    const scalar = fc
      .oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.string({ maxLength: 8 }))
      .map((value) => JSON.stringify(value))
      .filter((text) => !/\/\/c|\/\*c/.test(text));
    const { object } = fc.letrec<{ object: string; value: string }>((tie) => ({
      value: fc.oneof({ weight: 3, arbitrary: scalar }, { weight: 1, arbitrary: tie('object') }),
      object: fc
        .tuple(
          fc.uniqueArray(fc.tuple(key, tie('value'), trivia, trivia, trivia), {
            selector: ([name]) => name,
            maxLength: 4,
          }),
          trivia,
          fc.boolean(),
        )
        .map(([members, end, isTrailing]) => {
          const parts = members.map(([name, value, a, b, c]) => `${a}${JSON.stringify(name)}${b}:${c}${value}`);
          return `{${parts.join(',')}${isTrailing && parts.length > 0 ? ',' : ''}${end}}`;
        }),
    }));
    return fc.tuple(trivia, object, trivia).map(([before, body, after]) => before + body + after);
  });
}
