// Makes src/core/text/secrets/secretRules.json of the rules of gitleaks: `node scripts/convertSecretRules.mjs`.
// The rules: https://github.com/gitleaks/gitleaks, config/gitleaks.toml as of July 2026 (minVersion v8.25.0), MIT; the licence lies beside them.
// What changes: RE2's syntax becomes JavaScript's, what may repeat for ever is bounded, and what has to stand around a secret is left to
// src/core/text/secrets, which also knows JSON within JSON, addresses and prose.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const SOURCE = path.join(root, 'scripts/data/gitleaks/gitleaks.toml');
const OUT = path.join(root, 'src/core/text/secrets/secretRules.json');

/** Between the name of a service and its secret, in all rules that need the name; src/core/text/secrets has its own words for it. */
const BETWEEN = String.raw`(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}(`;
const BEFORE = [
  String.raw`(?i)[\w.-]{0,50}?`,
  String.raw`[\w.-]{0,50}?(?i:[\w.-]{0,50}?`, // its bracket ends within what stands between
  String.raw`(?:^|[\\'"\x60\s>=:(,)])`,
  String.raw`\b`,
];
const AFTER = [
  String.raw`(?:[\x60'"\s;]|\\[nr]|$)`,
  String.raw`(?:[\x60'"\s;]|\\[nr]|$|\b)`,
  String.raw`(?:$|[\\'"\x60\s<),])`,
  String.raw`(?:[^\w-]|\z)`,
  String.raw`(?:[^a-zA-Z0-9+/]|\z)`,
  String.raw`(?:[\/|\#|\?|:]|$)`,
  String.raw`\b`,
];

/** Ids and public keys give no access. */
const NO_SECRET = /-(?:client|access)-id$|-pub(?:lic)?-/;
/** Rules of files, and those that src/core/text/secrets has its own and linear rules for: any name, any command, any block. */
const OWN = new Set([
  'aws-amazon-bedrock-api-key-short-lived',
  'curl-auth-header',
  'curl-auth-user',
  'freemius-secret-key',
  'generic-api-key',
  'hashicorp-tf-password',
  'jwt',
  'jwt-base64',
  'kubernetes-secret-yaml',
  'nuget-config-password',
  'pkcs12-file',
  'private-key',
  'sidekiq-sensitive-url',
  'vault-service-token',
  'sourcegraph-access-token', // takes every commit's hash for one
]);
/** The first half of this rule needs a name, the second none. */
const TWO_RULES = String.raw`[a-z0-9]{20}[a-f0-9]{4})(?:[\x60'"\s;]|\\[nr]|$)|\b(ATATT3[A-Za-z0-9_\-=]{186}`;

const WORDS = {
  ...{
    api: 'API',
    aws: 'AWS',
    gcp: 'GCP',
    github: 'GitHub',
    gitlab: 'GitLab',
    jwt: 'JSON Web Token',
    openai: 'OpenAI',
  },
  ...{ npm: 'npm', pat: 'token', ptt: 'token', rrt: 'token' },
};

/** The tables and values of a TOML file, as far as that one uses the language. */
function parseRules(toml) {
  const rules = [];
  let target;
  for (const [, table, key, value] of toml.matchAll(
    /^\[\[?([\w.]+)\]\]?$|^(\w+) = ('''[\s\S]*?'''|"(?:[^"\\]|\\.)*"|\[.*\]|\[[\s\S]*?^\]|[\d.]+)$/gm,
  )) {
    if (table === 'rules') rules.push((target = { allowlists: [] }));
    else if (table === 'rules.allowlists') rules.at(-1).allowlists.push((target = {}));
    else if (table !== undefined) target = undefined;
    else if (target !== undefined) target[key] = parseValue(value);
  }
  return rules;
}

function parseValue(value) {
  if (value.startsWith("'''")) return value.slice(3, -3);
  if (value.startsWith('"')) return JSON.parse(value);
  if (value.startsWith('['))
    return [...value.matchAll(/'''([\s\S]*?)'''|("(?:[^"\\]|\\.)*")/g)].map(([, raw, text]) => raw ?? JSON.parse(text));
  return Number(value);
}

const BOUNDS = { '+': '{1,400}', '*': '{0,400}' };

/** A pattern of RE2 as one of JavaScript without flags: where letter case does not count, both cases are written. */
export function translate(source) {
  const scopes = [false];
  let out = '';
  for (let at = 0; at < source.length;) {
    const [token, written] = nextToken(source.slice(at), scopes);
    out += written;
    at += token.length;
  }
  return out;
}

const TOKENS = [
  [/^\(\?(-?)i\)/, (scopes, [, off]) => ((scopes[scopes.length - 1] = off === ''), '')],
  [/^\(\?(-?)i:/, (scopes, [, off]) => (scopes.push(off === ''), '(?:')],
  [/^\(\?s:\./, (scopes) => (scopes.push(scopes.at(-1)), String.raw`(?:[\s\S]`)],
  [/^\(\?(?:P<\w+>|:)/, (scopes) => (scopes.push(scopes.at(-1)), '(?:')],
  [/^\(/, (scopes) => (scopes.push(scopes.at(-1)), '(?:')],
  [/^\)/, (scopes) => (scopes.pop(), ')')],
  [/^\\z/, () => '$'],
  [
    /^\[(?:\[:\w+:\]|\\.|[^\]\\])+\]/,
    (scopes, [all]) => anyCaseClass(all.replaceAll('[:alnum:]', 'A-Za-z0-9'), scopes.at(-1)),
  ],
  [/^\\x[\da-f]{2}|^\\./i, (_, [all]) => all],
  [/^\{(\d+),\}/, (_, [, least]) => `{${least},4000}`],
  [/^\{\d+(?:,\d+)?\}/, (_, [all]) => all],
  [/^[+*]/, (_, [all]) => BOUNDS[all]],
  [/^[a-z]/i, (scopes, [all]) => (scopes.at(-1) ? `[${all.toLowerCase()}${all.toUpperCase()}]` : all)],
  [/^[\s\S]/, (_, [all]) => all],
];

function nextToken(rest, scopes) {
  for (const [pattern, write] of TOKENS) {
    const match = pattern.exec(rest);
    if (match !== null) return [match[0], write(scopes, match)];
  }
  throw new Error(`No token: ${rest}`);
}

function anyCaseClass(all, isAnyCase) {
  if (!isAnyCase) return all;
  return all.replace(/\\.|([a-z])-([a-z])|[a-z]/gi, (part, from, to) => {
    if (part.startsWith('\\')) return part;
    if (from !== undefined) return `${from.toLowerCase()}-${to.toLowerCase()}${from.toUpperCase()}-${to.toUpperCase()}`;
    return `${part.toLowerCase()}${part.toUpperCase()}`;
  });
}

function without(source, { start = [], end = [] }) {
  const first = start.find((one) => source.startsWith(one));
  if (first !== undefined) return without(source.slice(first.length), { start, end });
  const last = end.find((one) => source.endsWith(one));
  return last === undefined ? source : without(source.slice(0, -last.length), { start, end });
}

/** `(a)` as `a`, where the brackets belong together. */
function unwrapped(source) {
  if (!/^\((?:\?:)?/.test(source) || !source.endsWith(')')) return source;
  let depth = 0;
  for (let at = 0; at < source.length - 1; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === '[') at = source.indexOf(']', at + 2);
    else if (source[at] === '(') depth++;
    else if (source[at] === ')' && --depth === 0) return source;
  }
  return source.replace(/^\((?:\?:)?/, '').slice(0, -1);
}

function converted({ id, regex, keywords, entropy, allowlists }) {
  const source = regex.replace(String.raw`{0,3})(?:=|>`, String.raw`{0,3}(?:=|>`);
  const at = source.indexOf(BETWEEN);
  const shared = { kind: kindOf(id), keywords, entropy, allow: allowedOf(allowlists) };
  const isAnyCase = /^(?:\\b)?\(\?i\)/.test(source);
  if (at < 0) {
    const whole = without(source.replace(/^\(\?i\)/, ''), { start: BEFORE, end: AFTER });
    return [{ ...shared, ...formOf(unwrapped(whole), isAnyCase) }];
  }
  const name = without(source.slice(0, at), { start: BEFORE });
  // What stands beside a name may be in any case, as in the pattern of the whole rule.
  const beside = (form) => ({ ...shared, beside: bare(name), form: bare(form) });
  const value = source.slice(at + BETWEEN.length);
  if (value.startsWith(TWO_RULES)) {
    const [first, second] = TWO_RULES.split(AFTER[0] + String.raw`|\b(`);
    return [beside(first.slice(0, -1)), { ...shared, form: translate(second) }];
  }
  return [beside(without(value, { end: AFTER }).replace(/\)$/, ''))];
}

/** A pattern that says nothing about letter case. */
function bare(source) {
  return translate(unwrapped(source.replaceAll('(?i)', '').replaceAll('(?-i:', '(?:')));
}

/** A form that may be in any case throughout says so once. */
function formOf(source, isAnyCase) {
  if (!isAnyCase || source.includes('(?-i:')) return { form: translate(isAnyCase ? `(?i)${source}` : source) };
  return { form: bare(source), isAnyCase };
}

/** The values that are no secrets; lists of keys that somebody has published are left out: nobody needs those either. */
function allowedOf(allowlists) {
  const about = allowlists.filter(({ regexTarget }) => regexTarget === undefined);
  const patterns = about.flatMap(({ regexes = [] }) => regexes).filter((one) => !/^AIza/.test(one));
  return patterns.length === 0 ? undefined : translate(patterns.join('|'));
}

/** For people: `aws-access-token` is an `AWS access token`. */
function kindOf(id) {
  const [first = '', ...rest] = id.split('-').map((word) => WORDS[word] ?? word);
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(' ').replace('Npm', 'npm');
}

/** The text of secretRules.json, from that of gitleaks.toml. */
export async function secretRulesText(toml) {
  const rules = parseRules(toml).filter(({ id }) => !NO_SECRET.test(id) && !OWN.has(id));
  return format(JSON.stringify(rules.flatMap(converted)), { parser: 'json', printWidth: 120 });
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await writeFile(OUT, await secretRulesText(await readFile(SOURCE, 'utf8')));
}
