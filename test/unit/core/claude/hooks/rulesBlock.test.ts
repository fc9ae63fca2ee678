import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { withRulesBlock } from '../../../../../src/core/claude/hooks/rulesBlock';

const RULES = 'Rules.\n- Use pnpm.\n- No setInterval.';

describe('hooks: the block of rules in CLAUDE.md', () => {
  it('is taken out of any file to the byte', () => {
    const line = fc.stringMatching(/^[a-z# \u00ef\u00bb\u00bf-]{0,12}$/);
    const file = fc.tuple(fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n'))), line).map(([lines, last]) => {
      return lines.map(([text, end]) => text + end).join('') + last;
    });
    fc.assert(
      fc.property(fc.option(file, { nil: undefined }), (before) => {
        const written = withRulesBlock(before, RULES);
        assert.notEqual(written, before);
        assert.equal(withRulesBlock(written, undefined), before);
      }),
    );
  });

  it('changes nothing around it when the rules change, and nothing at all when they do not', () => {
    const before = '\ufeff# Project\r\n\r\nMine.\r\n';
    const first = withRulesBlock(before, RULES) ?? '';
    const edited = `${first}More of mine, without an end`;
    const second = withRulesBlock(edited, 'Rules.\n- Use npm.') ?? '';
    assert.equal(withRulesBlock(first, RULES), first);
    assert.ok(second.includes('- Use npm.\r\n') && !second.includes('pnpm'));
    assert.equal(withRulesBlock(second, undefined), `${before}More of mine, without an end`);
  });

  it('takes the line ends of the file', () => {
    assert.ok(!/[^\r]\n/.test(withRulesBlock('a\r\nb', RULES) ?? ''));
    assert.ok(!(withRulesBlock('a\nb', RULES) ?? '').includes('\r'));
  });

  it('leaves a file alone of whose block somebody took away the end', () => {
    const torn = (withRulesBlock('# Mine\n', RULES) ?? '').replace(/<!-- keepit:rules:end -->\n/, '');
    assert.equal(withRulesBlock(torn, undefined), torn);
  });
});
