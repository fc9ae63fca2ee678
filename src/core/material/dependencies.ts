/** Files that declare what a project depends on. */
export const MANIFEST =
  /(?<![\w.-])(?:package\.json|pyproject\.toml|Cargo\.toml|requirements(?:-\w+)?\.txt|go\.mod|Gemfile)(?![\w.-])/;

const NUMBERED = /^[ \t]*\d+(?:→|\t|: )/gm;
const NPM_BLOCK = /"(?:dev|peer|optional)?[dD]ependencies"\s*:\s*\{([^}]*)/g;
const NPM_NAME = /"((?:@[\w.-]+\/)?[\w.-]+)"\s*:\s*"/g;
const TOML_BLOCK = /^\[[^\]\n]{0,200}dependenc(?:y|ies)[^\]\n]{0,200}\][^\S\n]*\n((?:(?!\[)[^\n]*\n?)*)/gm;
const TOML_NAME = /^([\w.-]+)[ \t]*=/gm;
const PYTHON_LIST = /\bdependencies\s*=\s*\[([^\]]*)/g;
const QUOTED_NAME = /["']([A-Za-z][\w.-]*)/g;
const LINE_NAME = /^([A-Za-z][\w.-]*)(?:\[[^\]\n]*\])?[^\S\n]*(?:[=<>~!;].*)?$/gm;
const GO_NAME = /^[ \t]*(?:require[ \t]+)?((?:[\w-]+\.)+[\w-]+\/\S+)[ \t]+v\d/gm;
const GEM_NAME = /^[ \t]*gem[ \t]+["']([\w.-]+)["']/gm;
const IMPORT =
  /^.{0,200}?(?:\bfrom\s+|\bimport\s+|\brequire\(\s*|\bimport\(\s*)["']((?:@[\w.-]+\/)?[a-z][\w.-]*)(?:\/[^"'\n]{0,200})?["'].*$/gm;
const PYTHON_IMPORT = /^(?:from|import)[ \t]+([A-Za-z]\w*)(?:\.[.\w]*)?(?:[ \t]+import[ \t].*)?$/gm;

/** The packages that a manifest's text names, also where only a piece of it is there. */
export function dependenciesIn(manifest: string, text: string): string[] {
  const bare = text.replace(NUMBERED, '');
  if (manifest === 'package.json') return within(bare, NPM_BLOCK, NPM_NAME);
  if (manifest.endsWith('.toml')) {
    const names = [TOML_NAME, QUOTED_NAME].flatMap((name) => within(bare, TOML_BLOCK, name));
    return [...names, ...within(bare, PYTHON_LIST, QUOTED_NAME)];
  }
  if (manifest === 'go.mod') return named(bare, GO_NAME);
  return named(bare, manifest === 'Gemfile' ? GEM_NAME : LINE_NAME);
}

/** The modules that new code imports by name, and the line that does. */
export function importsIn(code: string): { readonly name: string; readonly line: string }[] {
  const found = [...code.matchAll(IMPORT), ...code.matchAll(PYTHON_IMPORT)];
  const byName = new Map(found.map(([line, name = '']) => [name, line.trim()]));
  return [...byName].map(([name, line]) => ({ name, line }));
}

function within(text: string, block: RegExp, name: RegExp): string[] {
  return [...text.matchAll(block)].flatMap(([, inside = '']) => named(inside, name));
}

function named(text: string, name: RegExp): string[] {
  return [...text.matchAll(name)].map(([, found = '']) => found);
}
