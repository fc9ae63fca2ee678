import type * as z from 'zod/mini';

/** The first thing that a schema did not accept, in words. */
export interface SchemaProblem {
  /** Dotted path; empty for the whole value. */
  key: string;
  /** What would be accepted: `one of timeline, list`, `a number`, `at least 1`. */
  allowed: string;
}

/** Says what is wrong with a value, for people who edit files and settings by hand. */
export function schemaProblem(error: z.core.$ZodError): SchemaProblem {
  const [issue] = error.issues;
  if (issue === undefined) return { key: '', allowed: 'something else' };
  return { key: issue.path.map(String).join('.'), allowed: allowedBy(issue) };
}

function allowedBy(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return withArticle(issue.expected);
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
    case 'too_big':
      return `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`;
    default:
      return issue.message.replace(/^must be /, '');
  }
}

function withArticle(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
