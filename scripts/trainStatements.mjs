// node scripts/trainStatements.mjs [--judge]: makes src/core/knowledge/facts/statementWeights.json of the labelled sentences in
// scripts/data/statements, a file for each writer. Of `judged.jsonl` nothing is learned. With --judge it writes nothing, and tells how well
// sentences of one writer are told by what the others wrote.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleForNode } from './lib/bundleTests.mjs';
import { inRoot } from './lib/root.mjs';

const WEIGHTS = inRoot('src/core/knowledge/facts/statementWeights.json');
const DATA = inRoot('scripts/data/statements');
const JUDGED = 'judged.jsonl';
const ROUNDS = 10;
const RATE = 0.5;
const DECAY = 2e-4;
const HIGHEST = 28;
/** Of what is none, so much may be taken for a statement. */
const FALSE_ALARMS = 0.1;

const { files, dispose } = await bundleForNode([inRoot('src/core/knowledge/facts/statementModel.ts')], {
  name: 'train',
});
const { BUCKETS, ZERO, featuresOf } = await import(pathToFileURL(files[0]).href);
await dispose();

const sets = new Map();
for (const name of (await readdir(DATA)).sort()) sets.set(name, await read(name));
const judged = sets.get(JUDGED);
sets.delete(JUDGED);

async function read(name) {
  const lines = (await readFile(path.join(DATA, name), 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const { text, label } = JSON.parse(line);
    return { text, isStatement: label !== 'none', features: featuresOf(text) };
  });
}

/** Logistic regression with AdaGrad; the order is mixed in the same way each time, so that the same sentences give the same weights. */
function train(examples) {
  const weights = new Float64Array(BUCKETS);
  const steps = new Float64Array(BUCKETS).fill(1e-6);
  let bias = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const { features, isStatement } of mixed(examples, round)) {
      const norm = 1 / Math.sqrt(features.length);
      const error = sigmoid(bias + sumOf(weights, features) * norm) - (isStatement ? 1 : 0);
      bias -= 0.01 * error;
      for (const feature of features) {
        const gradient = error * norm + DECAY * weights[feature];
        steps[feature] += gradient * gradient;
        weights[feature] -= (RATE * gradient) / Math.sqrt(steps[feature] + 1);
      }
    }
  }
  return { weights, bias };
}

function mixed(examples, round) {
  let seed = 12345 + round;
  const order = [...examples];
  for (let at = order.length - 1; at > 0; at--) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    const other = seed % (at + 1);
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}

function sumOf(weights, features) {
  let sum = 0;
  for (const feature of features) sum += weights[feature];
  return sum;
}

function sigmoid(value) {
  return 1 / (1 + Math.exp(-value));
}

/** As it is shipped: one character for each weight. */
function packed({ weights, bias }) {
  const sizes = Array.from(weights, Math.abs).sort((a, b) => b - a);
  const scale = sizes[Math.floor(BUCKETS / 500)] / HIGHEST;
  const level = (weight) => Math.max(-HIGHEST, Math.min(HIGHEST, Math.round(weight / scale)));
  return {
    scale,
    bias,
    likely: 0.5,
    weights: Array.from(weights, (weight) => String.fromCharCode(ZERO + level(weight))).join(''),
  };
}

function score({ weights, scale, bias }, features) {
  let sum = 0;
  for (const feature of features) sum += weights.charCodeAt(feature) - ZERO;
  return sigmoid(bias + (scale * sum) / Math.sqrt(features.length));
}

/** The score that so large a share of what is none reaches. */
function thresholdAt(share, model, examples) {
  const scores = examples.filter(({ isStatement }) => !isStatement).map(({ features }) => score(model, features));
  return scores.sort((a, b) => b - a)[Math.floor(share * scores.length)];
}

function judge(name, learned, own) {
  const model = packed(train(learned));
  const statements = own.filter(({ isStatement }) => isStatement);
  const percents = [0.05, 0.1, 0.2].map((share) => {
    const threshold = thresholdAt(share, model, own);
    const found = statements.filter(({ features }) => score(model, features) > threshold).length / statements.length;
    return `${(found * 100).toFixed(0)} % at ${share * 100} % false alarms`;
  });
  console.log(`${name.padEnd(18)} ${percents.join(', ')}`);
}

const all = [...sets.values()].flat();
if (process.argv.includes('--judge')) {
  judge(JUDGED, all, judged);
  for (const [name, own] of sets) judge(name, [...sets.values()].filter((set) => set !== own).flat(), own);
} else {
  const model = packed(train(all));
  model.likely = thresholdAt(FALSE_ALARMS, model, judged);
  await writeFile(WEIGHTS, `${JSON.stringify(model, undefined, 2)}\n`);
  console.log(`${WEIGHTS}: of ${all.length} sentences, likely from ${model.likely.toFixed(3)} on`);
}
