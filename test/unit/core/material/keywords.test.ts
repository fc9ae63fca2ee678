import assert from 'node:assert/strict';
import { topicOf } from '../../../../src/core/material/keywords';

const TOPICS: readonly (readonly [request: string, topic: string])[] = [
  ['Now the bounce endpoint, and then the dashboard.', 'bounce endpoint'],
  ['Nice catch. Commit this. The retry queue next time.', 'retry queue'],
  ['The session page stays empty because nobody starts the worker.', 'session page'],
  ['Please look at renderer.py and fix the broken links', 'renderer.py'],
  ['Since 3f9a1c7be2 the login form is slow', 'login form'],
  ['Почини падение теста парсера', 'падение теста парсера'],
  ['修复登录接口超时的问题', '登录接口'],
  ['Fix that one too.', ''],
  ['ok, do it', ''],
];

describe('topicOf', () => {
  for (const [request, topic] of TOPICS) {
    it(`names ${topic === '' ? 'nothing' : topic} for: ${request}`, () => assert.equal(topicOf(request), topic));
  }
});
