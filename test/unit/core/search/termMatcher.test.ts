import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseQuery } from '../../../../src/core/search/searchQuery';
import { snippetOf } from '../../../../src/core/search/answers';
import { TermMatcher } from '../../../../src/core/search/termMatcher';

function found(query: string, text: string): string[] {
  const places = new TermMatcher(parseQuery(query)).places(text);
  return places.sort((a, b) => a.start - b.start).map(({ start, end }) => text.slice(start, end));
}

const finds = (query: string, text: string): boolean => found(query, text).length > 0;

describe('TermMatcher', () => {
  it('finds words in most of their forms', () => {
    assert.ok(finds('authentication', 'We authenticate with tokens'));
    assert.ok(finds('tests', 'The test failed'));
    assert.ok(finds('testing', 'The tests failed'));
    assert.ok(finds('postgresql', 'PostgreSQL 16'));
    assert.ok(finds('PostgreSQL', 'we use postgresql here'));
  });

  it('finds the inflected forms of English words, and no others', () => {
    for (const [query, texts] of Object.entries({
      retries: ['retry', 'retried', 'retrying'],
      retry: ['retries'],
      caching: ['cache', 'caches', 'cached'],
      cache: ['caching'],
      logging: ['log', 'logs', 'logged'],
      debug: ['debugging', 'debugger'],
      routes: ['routing', 'route'],
      parse: ['parsing', 'parser'],
      matches: ['match', 'matching'],
    })) {
      for (const text of texts) assert.deepEqual(found(query, text), [text], `${query} ${text}`);
    }
    for (const [query, text] of [
      ['file', 'filter'],
      ['file', 'fill'],
      ['retry', 'retro'],
      ['part', 'apart'],
    ] as const) {
      assert.ok(!finds(query, text), `${query} ${text}`);
    }
  });

  it('finds names however they are written', () => {
    for (const query of ['parseReading', 'parse_reading', 'ParseReading', 'PARSE_READING']) {
      for (const text of ['parseReading()', 'parse_reading', 'parse-reading.ts', 'Parse reading', 'PARSE_READING']) {
        assert.ok(finds(query, `in ${text} there`), `${query} ${text}`);
      }
      assert.ok(!finds(query, 'a reading to parse'), query);
    }
    assert.ok(finds('ttl', 'a TtlCache keeps') && finds('cache', 'a TtlCache keeps'));
  });

  it('finds pieces of code as they are', () => {
    const isThere = (query: string, text: string): boolean => new TermMatcher(parseQuery(query)).literalness(text) > 0;
    assert.ok(isThere("'i_'", "names that start with 'i_'") && !isThere("'i_'", 'api key'));
    assert.ok(isThere('.env', 'cp .env .env.local') && isThere('C++', 'in C++ and'));
    assert.ok(isThere('docker-compose.yml,', 'edit docker-compose.yml') && isThere('--force', 'git push --force'));
    assert.ok(!isThere('the well-known shop-api', 'shop-api'), 'a hyphen is in plain words, too');
  });

  it('finds words with marks by those without, and the other way round', () => {
    assert.ok(finds('deploiement', 'le déploiement') && finds('déploiement', 'le deploiement'));
    assert.ok(finds('cafe\u0301', 'Café') && finds('Łódź', 'lodz') && finds('ещё', 'еще раз'));
    assert.ok(finds('"créé le"', 'Cree le 5 mai'));
    assert.ok(!finds('май', 'маил'), 'й is a letter of its own');
  });

  it('finds Korean words with and without particles, and Arabic ones with and without an article', () => {
    assert.ok(finds('세션', '세션이 만료') && finds('세션을', '이 세션'));
    assert.ok(finds('ذاكرة', 'تمتلئ الذاكرة') && finds('الذاكرة', 'ذاكرة كبيرة') && finds('ملفات', 'والملفات'));
  });

  it('does not find words inside of others', () => {
    assert.ok(!finds('art', 'start the party'));
    assert.ok(!finds('api', 'apiculture'));
    assert.ok(!finds('go', 'good'));
  });

  it('finds the parts of names', () => {
    assert.ok(finds('login', 'function validateLogin()'));
    assert.ok(finds('login', 'validate_login()'));
    assert.ok(finds('auth', 'src/auth/token.ts'));
  });

  it('finds words in other scripts', () => {
    assert.ok(finds('авторизация', 'Проверка авторизации'));
    assert.ok(finds('データベース', 'このデータベースを使う'));
    assert.ok(finds('部署', '请先部署到测试环境'));
    assert.ok(finds('Prüfung', 'die Prüfungen'));
    assert.ok(finds('تسجيل', 'صفحة تسجيل الدخول'));
  });

  it('leaves out words that say nothing, unless there are no others', () => {
    assert.equal(parseQuery('what is the login of it').terms.length, 1);
    assert.ok(finds('to be', 'or not to be'));
  });

  it('demands what stands after a plus, and prefers what stands in quotation marks', () => {
    const matcher = (query: string): TermMatcher => new TermMatcher(parseQuery(query));
    const demanded = matcher('+"refresh token" expiry');
    assert.ok(demanded.match('The Refresh Token has an expiry') !== undefined);
    assert.equal(demanded.match('a token to refresh, and its expiry'), undefined);
    assert.equal(matcher('+expiry token').match('a token'), undefined);
    const quoted = matcher('"refresh token" expiry');
    assert.ok(quoted.literalness('The Refresh Token has one') > quoted.literalness('a token to refresh'));
    assert.ok(quoted.match('a token to refresh') !== undefined);
  });

  it('looks for signs as they are where there are no words', () => {
    assert.deepEqual(new TermMatcher(parseQuery('=> {')).places('const f = () => {'), [
      { start: 13, end: 17, term: -1 },
    ]);
    assert.equal(new TermMatcher(parseQuery('???')).match('what?'), undefined);
  });

  it('never throws, and tells only places that are there', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), (query, text) => {
        const all = `${text} ${query} ${text}`;
        const matcher = new TermMatcher(parseQuery(query));
        const places = matcher.places(all);
        assert.ok(places.length > 0 || matcher.match(all) === undefined);
        for (const { start, end } of places) {
          assert.ok(start >= 0 && start < end && end <= all.toLowerCase().length);
        }
        const { text: snippet, matches } = snippetOf(all, places);
        let last = 0;
        for (const [start, end] of matches) {
          assert.ok(start >= last && end >= start && end <= snippet.length);
          last = end;
        }
      }),
    );
  });
});

describe('snippetOf', () => {
  it('shows where the most of the words are, in one line', () => {
    const text = `${'token '.repeat(40)}\n\n${'x '.repeat(200)}the refresh\n\ttoken\u001b[31m is new. ${'y '.repeat(200)}`;
    const snippet = snippetOf(text, new TermMatcher(parseQuery('refresh token')).places(text));
    assert.match(snippet.text, /^….*the refresh token \[31m is new\..*…$/);
    assert.ok(snippet.text.length < 300);
    const shown = snippet.matches.map(([start, end]) => snippet.text.slice(start, end));
    assert.deepEqual(shown, ['refresh', 'token']);
  });

  it('does not cut characters in two', () => {
    const { text } = snippetOf('😀'.repeat(400), [{ start: 401, end: 402, term: 0 }]);
    assert.doesNotMatch(text, /\p{Surrogate}/u);
  });
});
