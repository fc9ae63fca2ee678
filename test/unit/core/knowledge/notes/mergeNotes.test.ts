import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { mergeNotes } from '../../../../../src/core/knowledge/notes/noteFiles';
import { readNote, writeNote, type NoteSection } from '../../../../../src/core/knowledge/notes/noteDocument';

const note = (points: readonly string[], title = 'Sessions'): NoteSection[] => [
  { heading: '', blocks: [{ key: 'title', text: `# ${title}` }] },
  { heading: '## Points', blocks: points.map((point) => ({ key: point, text: `- ${point}` })) },
  { heading: '---', blocks: [{ key: 'date', text: '*today*' }] },
];

describe('mergeNotes', () => {
  it('writes a new note', () => {
    const { text } = mergeNotes(note(['one', 'two']), undefined, undefined);
    assert.equal(text, '# Sessions\n\n## Points\n\n- one\n- two\n\n---\n\n*today*\n');
  });

  it('replaces what it wrote itself', () => {
    const first = mergeNotes(note(['one', 'two']), undefined, undefined);
    const { text } = mergeNotes(note(['two', 'three'], 'Other'), first.text, first.base);
    assert.equal(text, '# Other\n\n## Points\n\n- two\n- three\n\n---\n\n*today*\n');
  });

  it('keeps what a person added, where it stood', () => {
    const first = mergeNotes(note(['one', 'two']), undefined, undefined);
    const edited = first.text.replace('- one\n', '- one\n- mine\n').replace('---', '## Mine\n\nWords.\n\n---');
    const { text } = mergeNotes(note(['zero', 'one', 'two']), edited, first.base);
    assert.equal(
      text,
      '# Sessions\n\n## Points\n\n- zero\n- one\n- mine\n- two\n\n## Mine\n\nWords.\n\n---\n\n*today*\n',
    );
  });

  it('does not bring back what a person took out or reworded', () => {
    const first = mergeNotes(note(['one', 'two', 'three']), undefined, undefined);
    const edited = first.text.replace('- one\n', '').replace('- two', '- two, I think');
    const second = mergeNotes(note(['one', 'two', 'three']), edited, first.base);
    const third = mergeNotes(note(['one', 'two', 'three', 'four']), second.text, second.base);
    assert.equal(second.text, edited);
    assert.equal(third.text, '# Sessions\n\n## Points\n\n- two, I think\n- three\n- four\n\n---\n\n*today*\n');
  });

  it('leaves a block where a person moved it', () => {
    const first = mergeNotes(note(['one', 'two']), undefined, undefined);
    const edited = first.text.replace('- one\n', '').replace('---', '## Kept\n\n- one\n\n---');
    const { text } = mergeNotes(note(['two']), edited, first.base);
    assert.equal(text, edited);
  });

  it("takes everything for a person's when nothing is remembered, but for what is the same", () => {
    const { text } = mergeNotes(note(['one', 'three']), '# Sessions\n\n## Points\n\n- one\n- two\n', undefined);
    assert.equal(text, '# Sessions\n\n## Points\n\n- one\n- two\n- three\n\n---\n\n*today*\n');
  });

  it('keeps the ends of lines that an editor wrote', () => {
    const first = mergeNotes(note(['one']), undefined, undefined);
    const { text } = mergeNotes(note(['one', 'two']), first.text.replace(/\n/g, '\r\n'), first.base);
    assert.equal(text, '# Sessions\r\n\r\n## Points\r\n\r\n- one\r\n- two\r\n\r\n---\r\n\r\n*today*\r\n');
  });

  it('drops sections of its own that have become empty', () => {
    const themes = (names: readonly string[]): NoteSection[] => [
      { heading: '## Decisions', blocks: [] },
      ...names.map((name) => ({ heading: `### ${name}`, blocks: [{ key: name, text: `- about ${name}` }] })),
      { heading: '## Questions', blocks: [] },
    ];
    const first = mergeNotes(themes(['tests', 'files']), undefined, undefined);
    assert.equal(first.text, '## Decisions\n\n### tests\n\n- about tests\n\n### files\n\n- about files\n');
    const { text } = mergeNotes(
      themes(['files']),
      first.text.replace('- about files', '- about files\n- mine'),
      first.base,
    );
    assert.equal(text, '## Decisions\n\n### files\n\n- about files\n- mine\n');
  });

  const word = fc.stringMatching(/^[a-d]{1,2}$/);
  const persons = fc.oneof(
    fc.stringMatching(/^[-*] p[a-z ]{0,8}[a-z]$/),
    fc.stringMatching(/^P[a-z ]{0,8}[a-z]$/),
    fc.constantFrom(
      '```\n## no heading\n\n- code\n```',
      '- item\n\n  more of it',
      '> said',
      '#### Deep',
      '| a | b |\n|---|---|',
    ),
  );
  const edit = fc.record({ at: fc.nat(20), remove: fc.boolean(), insert: fc.option(persons) });

  /** As a person edits: takes out what Keepit wrote, puts in words of their own. */
  function editBlocks(
    blocks: string[],
    { at, remove, insert }: { at: number; remove: boolean; insert: string | null },
  ): { added: string[]; removed: string[] } {
    const place = blocks.length === 0 ? 0 : at % blocks.length;
    const removed = remove && /^- [a-d]+$/.test(blocks[place] ?? '') ? blocks.splice(place, 1) : [];
    if (insert !== null) blocks.splice(place, 0, insert);
    return { added: insert === null ? [] : [insert], removed };
  }

  it("keeps every block of a person's and brings back nothing that was taken out, whatever is generated afterwards", () => {
    const round = fc.record({
      points: fc.uniqueArray(word, { maxLength: 6 }),
      edits: fc.array(edit, { maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(round, { minLength: 1, maxLength: 5 }), (rounds) => {
        const mine: string[] = [];
        const out = new Set<string>();
        let now: ReturnType<typeof mergeNotes> | undefined;
        for (const { points, edits } of rounds) {
          now = mergeNotes(note(points), now?.text, now?.base);
          const sections = readNote(now.text).map(({ heading, blocks }) => ({ heading, blocks: [...blocks] }));
          const blocks = sections.find(({ heading }) => heading === '## Points')?.blocks;
          for (const one of blocks === undefined ? [] : edits) {
            const { added, removed } = editBlocks(blocks ?? [], one);
            mine.push(...added);
            for (const block of removed) out.add(block);
          }
          now = { text: writeNote(sections), base: now.base };
        }
        const last = mergeNotes(note(['a', 'b', 'c', 'd', 'ab']), now?.text, now?.base);
        const left = readNote(last.text).flatMap(({ blocks }) => [...blocks]);
        for (const block of mine) assert.equal(left.includes(block), true, JSON.stringify({ block, text: last.text }));
        for (const block of out) assert.equal(left.includes(block), false, JSON.stringify({ block, text: last.text }));
        assert.equal(mergeNotes(note(['a', 'b', 'c', 'd', 'ab']), last.text, last.base).text, last.text);
      }),
      { numRuns: 300 },
    );
  });
});

describe('readNote', () => {
  it('reads what it writes, whatever the blocks are', () => {
    const block = fc.constantFrom(
      '# Title',
      '- item',
      '- item\n  more',
      'Words\nin lines',
      '```sh\n\n# no\n```',
      '1. first',
      '---\n'.trim(),
    );
    const section = fc.record({
      heading: fc.constantFrom('## A', '### B', '## C'),
      blocks: fc.array(block, { maxLength: 5 }),
    });
    fc.assert(
      fc.property(fc.array(section, { minLength: 1, maxLength: 5 }), (sections) => {
        const text = writeNote(sections);
        const again = readNote(text).map(({ heading, blocks }) => ({ heading, blocks }));
        assert.equal(writeNote(again), text);
      }),
    );
  });

  it('takes front matter and headings that are underlined for what they are', () => {
    const text = '---\ntitle: x\n---\n\nTitle\n---\n\n- one\n';
    assert.deepEqual(
      readNote(text).flatMap(({ blocks }) => blocks),
      ['---\ntitle: x\n---', 'Title\n---', '- one'],
    );
  });
});
