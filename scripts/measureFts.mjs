// node scripts/measureFts.mjs '{"claudeDir":…,"queries":[…]}', under a Node that has SQLite: how long FTS5 takes for queries over all that is said in
// a folder of transcripts, as the bench holds against a search. Prints its figures as JSON.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const { claudeDir, queries } = JSON.parse(process.argv[2] ?? '{}');
const database = new DatabaseSync(':memory:');
database.exec("CREATE VIRTUAL TABLE said USING fts5(text, tokenize = 'porter unicode61')");
const insert = database.prepare('INSERT INTO said (text) VALUES (?)');
const projects = path.join(claudeDir, 'projects');
for (const name of await readdir(projects, { recursive: true })) {
  if (!name.endsWith('.jsonl')) continue;
  for (const line of (await readFile(path.join(projects, name), 'utf8')).trim().split('\n')) {
    const { content } = JSON.parse(line).message;
    insert.run(typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n'));
  }
}
const select = database.prepare('SELECT rowid FROM said WHERE said MATCH ? ORDER BY bm25(said) LIMIT 20');
const times = queries.map((query) => {
  const started = performance.now();
  select.all(query.split(' ').join(' OR '));
  return performance.now() - started;
});
times.sort((a, b) => a - b);
const at = (share) => times[Math.floor(times.length * share)];
console.log(JSON.stringify({ p50Ms: at(0.5), p95Ms: at(0.95) }));
