import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { redactSecrets } from '../../../../../src/core/text/secrets/secrets';

/** Made up here, so that no file holds what looks like a real one. */
const filler = (length: number): string => 'aB3dE5fG7hJ9kL1m'.repeat(Math.ceil(length / 16)).slice(0, length);

const secrets: readonly [kind: string, secret: string][] = [
  ['Anthropic key', `sk-ant-api03-${filler(60)}`],
  ['OpenAI key', `sk-proj-${filler(48)}`],
  ['GitHub token', `ghp_${filler(36)}`],
  ['GitHub token', `github_pat_${filler(60)}`],
  ['GitLab token', `glpat-${filler(20)}`],
  ['AWS access key', `AKIA${'A1B2C3D4'.repeat(2)}`],
  ['Slack token', `xoxb-${filler(40)}`],
  ['Google key', `AIza${filler(35)}`],
  ['Stripe key', `sk_live_${filler(24)}`],
  ['npm token', `npm_${filler(36)}`],
  ['Hugging Face token', `hf_${filler(34)}`],
  ['JSON Web Token', `eyJ${filler(20)}.eyJ${filler(30)}.${filler(40)}`],
  ['private key', `-----BEGIN RSA PRIVATE KEY-----\n${filler(60)}\n-----END RSA PRIVATE KEY-----`],
];

describe('redactSecrets', () => {
  for (const [kind, secret] of secrets) {
    it(`takes out a ${kind} (${secret.slice(0, 8)}…) and says what stood there`, () => {
      const { text, secrets: found } = redactSecrets(`Use ${secret}, then go on.`);
      equal(text, `Use [redacted: ${kind}], then go on.`);
      deepEqual(found, [{ kind, count: 1 }]);
    });
  }

  it('takes out the password of a URL and leaves the rest', () => {
    equal(
      redactSecrets('postgres://admin:hunter2pass@db.local/app').text,
      'postgres://admin:[redacted: password in a URL]@db.local/app',
    );
  });

  it('takes out what is assigned to a name for secrets', () => {
    equal(redactSecrets('DB_PASSWORD="s3cr3t-Value!"').text, 'DB_PASSWORD="[redacted: secret in an assignment]"');
    equal(redactSecrets('api_key: 9f8e7d6c5b4a').text, 'api_key: [redacted: secret in an assignment]');
  });

  it('takes out what stands alone on the line after its name, or beside the id that it belongs to', () => {
    const key = 'wJalrXUtnFEMI/K7MDENGbPxRfiCY4zQ81LpTt0v';
    const id = `AKIA${'Q7R2M5X3'.repeat(2)}`;
    const phrase = 'glow tide moss heron quartz ember violet cobalt lantern harbor meadow window';
    for (const [text, secret] of [
      ['Password:\nTide47moss!x\nThat is all.', 'Tide47moss'],
      [`${id}\n${key}`, key],
      [`The keys are ${id} ${key} for staging`, key],
      [`seed phrase: ${phrase}`, phrase],
      [`Private-Lines: 1\n${key.replaceAll('/', 'a')}xyzw\nPrivate-MAC: 00`, key.slice(13)],
    ] as const) {
      ok(!redactSecrets(text).text.includes(secret), redactSecrets(text).text);
    }
  });

  it('takes out a key whose end is missing', () => {
    equal(redactSecrets(`-----BEGIN PRIVATE KEY-----\n${filler(40)}`).text, '[redacted: private key]');
  });

  it('leaves names, types, placeholders and code', () => {
    const harmless = [
      'password: string',
      'const token = getToken(user)',
      'api_key=your-api-key-here-123',
      'API_KEY=${API_KEY_2}',
      'token: process.env.TOKEN_V2',
      'the token expires after 24 hours',
      'secret = undefined',
      'Bearer authentication is used everywhere',
      'https://example.com/a:b@c',
      'sk-short',
      'tokens: 120,345',
      'secretKey: keyof typeof config',
      'the password is base64 encoded, then SHA256 hashed',
      '| password | string | required |',
      'Password:\nstring, at least 12 characters',
      'export type Held = Token | OAuthMetadata | RequestHandler;',
      'login: ada / dashboard',
      'password for the staging db is required',
      'docker build --build-arg NODE_ENV=production && ENV TOKEN_URL https://example.org/token',
    ];
    for (const text of harmless) equal(redactSecrets(text).text, text);
  });

  it('is done after one pass: what it wrote is no secret', () => {
    const once = redactSecrets(secrets.map(([, secret]) => `token=${secret}`).join('\n')).text;
    deepEqual(redactSecrets(once), { text: once, secrets: [] });
  });

  it('finds every secret in any surroundings of words', () => {
    fc.assert(
      fc.property(fc.constantFrom(...secrets), fc.lorem(), fc.lorem(), ([, secret], before, after) => {
        ok(!redactSecrets(`${before} ${secret} ${after}`).text.includes(secret));
      }),
      { numRuns: 50 },
    );
  });

  it('leaves a megabyte of token characters alone, without trying every way to read it', () => {
    const text = 'token=eyJ'.concat('a'.repeat(1_000_000), '://x:', 'b'.repeat(1_000_000));
    equal(redactSecrets(text).secrets.length, 0);
  });
});
