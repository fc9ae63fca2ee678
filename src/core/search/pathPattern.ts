/**
 * A pattern of paths: `*` and `?` inside a name, `**` over folders. Compared without regard to case, from any folder on and with all
 * that lies below: `auth` finds `src/auth/login.ts`, and so do `login.ts` and `src/**` + `/*.ts`. One that begins with `/` begins at the root.
 */
export class PathPattern {
  private readonly names: readonly string[];

  constructor(pattern: string) {
    const bare = normal(pattern)
      .replace(/^\.\//, '')
      .replace(/(?<!\/)\/+$/, '');
    const from = bare.startsWith('/') ? [] : [FOLDERS];
    this.names = [...from, ...bare.split('/').filter((name) => name !== ''), FOLDERS];
  }

  matches(path: string): boolean {
    const names = normal(path)
      .split('/')
      .filter((name) => name !== '');
    return matchesWildly(
      this.names,
      names,
      (pattern, name) => matchesWildly(Array.from(pattern), Array.from(name), isCharacter, '*'),
      FOLDERS,
    );
  }
}

const FOLDERS = '**';

function normal(path: string): string {
  return path.replaceAll('\\', '/').toLowerCase();
}

function isCharacter(pattern: string, character: string): boolean {
  return pattern === '?' || pattern === character;
}

/** Whether items follow a pattern in which `star` stands for any number of them. At most as many steps as both lengths multiplied. */
function matchesWildly(
  pattern: readonly string[],
  items: readonly string[],
  isMatch: (pattern: string, item: string) => boolean,
  star: string,
): boolean {
  let [at, inPattern] = [0, 0];
  let starAt = -1;
  let starTook = 0;
  while (at < items.length) {
    const wanted = pattern[inPattern];
    if (wanted === star) {
      starAt = inPattern++;
      starTook = at;
    } else if (wanted !== undefined && isMatch(wanted, items[at] ?? '')) {
      at++;
      inPattern++;
    } else if (starAt !== -1) {
      // The last star takes one more.
      at = ++starTook;
      inPattern = starAt + 1;
    } else return false;
  }
  return pattern.slice(inPattern).every((rest) => rest === star);
}
