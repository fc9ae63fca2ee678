// Writes THIRD-PARTY-NOTICES.txt: whose work is in the bundles and in their data, under which licence, with its whole text.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { placeFile } from './lib/placeFile.mjs';
import { root } from './lib/root.mjs';

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const LICENCE = /^(?:licen[cs]e|copying)/i;
const NOTICE = /^(?:notice|third-?party|copyright)/i;

/** The folders of all packages of which something is in a bundle, by what esbuild reports about it. */
export function bundledPackages(metafiles) {
  const folders = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs }) => Object.entries(inputs))
    .flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? (PACKAGE.exec(file) ?? []) : []));
  return [...new Set(folders)];
}

/** Name, version, licence and all texts of a package that say under which conditions it may be passed on. */
async function packageNotice(folder, given) {
  const dir = path.resolve(root, folder);
  const { name, version, license } = JSON.parse(await readFile(path.join(dir, 'package.json'), 'utf8'));
  const files = (await readdir(dir)).sort();
  const named = (pattern) => files.filter((file) => pattern.test(file)).map((file) => path.join(dir, file));
  const own = named(LICENCE);
  const licences = own.length === 0 && given[name] !== undefined ? [path.resolve(root, given[name])] : own;
  if (licences.length === 0 || typeof license !== 'string') {
    throw new Error(
      `${name} ${version} is bundled, but has no licence ${licences.length === 0 ? 'text' : 'id'} in ${folder}: ` +
        'without one it must not ship. Where its text is known, name it in esbuild.mjs under `licences`.',
    );
  }
  return noticeOf({ name, version, licence: license }, [...licences, ...named(NOTICE)]);
}

async function noticeOf({ name, version, licence }, files) {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  const missing = files.find((_, index) => texts[index].trim() === '');
  if (missing !== undefined) throw new Error(`The licence of ${name} ${version} is missing or empty: ${missing}`);
  const whole = texts.map((text) => text.replace(/\r\n?/g, '\n').trim());
  return { name, version, text: [`${name} ${version}`, `Licence: ${licence}`, ...whole].join('\n\n') };
}

/**
 * The notices as one text, the same for the same packages. Throws for a package or data without the text of its licence.
 * @param {{ folders: readonly string[], licences?: Record<string, string>,
 *   data?: readonly { name: string, version: string, licence: string, file: string }[] }} parts
 *   folders of packages; files with the licences of packages that carry none; other data, each with the file of its licence
 */
export async function noticesText({ folders, licences = {}, data = [] }) {
  const notices = await Promise.all([
    ...folders.map((folder) => packageNotice(folder, licences)),
    ...data.map((row) => noticeOf(row, [path.resolve(root, row.file)])),
  ]);
  const texts = new Map(notices.map((notice) => [`${notice.name}\n${notice.version}`, notice.text]));
  const sorted = [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  const head = 'Keepit contains work of others. Who made it, and under which licence it is used, is said here.';
  return `${[head, ...sorted].join(`\n\n${'='.repeat(80)}\n\n`)}\n`;
}

/** Writes the notices where the products are. */
export async function buildNotices(file, parts) {
  await placeFile(file, Buffer.from(await noticesText(parts)));
}
