// The project's own lint rules: what STYLE gates and no published rule checks in the same way.
import { builtinModules } from 'node:module';
import path from 'node:path';
import ts from 'typescript';
import { zones } from './zones.mjs';

const builtins = new Set(builtinModules);

/** ESLint runs in the repository's folder. */
function relativePath(context, file = context.filename) {
  return path.relative(context.cwd, file).split(path.sep).join('/');
}

function zoneOf(file) {
  return zones.find((zone) => file.startsWith(`${zone.path}/`));
}

function packageNameOf(specifier) {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0];
}

/** Why a file of `zone` may not import a module that is not a file of this repository; undefined when it may. */
function problemWithPackage(zone, specifier) {
  if (specifier === 'vscode') return zone.vscode ? undefined : `only src/vscode imports vscode, not even its types`;
  if (specifier.startsWith('node:') || builtins.has(specifier)) {
    return zone.node ? undefined : `${zone.path} runs without Node: no '${specifier}'`;
  }
  if (zone.packages === 'any' || zone.packages.includes(packageNameOf(specifier))) return undefined;
  return `${zone.path} may use only ${zone.packages.join(', ')}`;
}

function problemWithFile(zone, context, specifier) {
  const target = relativePath(context, path.resolve(path.dirname(context.filename), specifier));
  if (target.startsWith(`${zone.path}/`)) return problemWithFolder(zone, relativePath(context), target);
  if (zone.imports.some((allowed) => target.startsWith(`${allowed}/`))) {
    return undefined;
  }
  return `${zone.path} may not import from ${target}`;
}

/** The first folder below the zone that a file lies in, `.` for its own. */
function folderIn(zone, file) {
  const [folder, ...more] = file.slice(zone.path.length + 1).split('/');
  return more.length === 0 ? '.' : folder;
}

function problemWithFolder(zone, file, target) {
  const [from, to] = [folderIn(zone, file), folderIn(zone, target)];
  if (zone.folders === undefined || zone.folders.indexOf(to) <= zone.folders.indexOf(from)) return undefined;
  return `${from} lies below ${to}: see the order in scripts/eslint/zones.mjs`;
}

function problemWithPlace(file) {
  const zone = zoneOf(file);
  if (zone === undefined) return `${file} lies in no zone that scripts/eslint/zones.mjs knows`;
  const folder = folderIn(zone, file);
  if (zone.folders !== undefined && folder !== '.' && !zone.folders.includes(folder)) {
    return `${zone.path} has no folder '${folder}': see scripts/eslint/zones.mjs`;
  }
  return undefined;
}

const zonesRule = {
  meta: { type: 'problem', schema: [], messages: { zone: '{{problem}}.' } },
  create(context) {
    const file = relativePath(context);
    const zone = zoneOf(file);
    const check = (source) => {
      if (zone === undefined || source === null || typeof source?.value !== 'string') return;
      const specifier = source.value;
      const problem = specifier.startsWith('.')
        ? problemWithFile(zone, context, specifier)
        : problemWithPackage(zone, specifier);
      if (problem !== undefined) context.report({ node: source, messageId: 'zone', data: { problem } });
    };
    return {
      Program(node) {
        const problem = problemWithPlace(file);
        if (problem !== undefined) context.report({ node, messageId: 'zone', data: { problem } });
      },
      ImportDeclaration: (node) => check(node.source),
      ImportExpression: (node) => check(node.source),
      ExportNamedDeclaration: (node) => check(node.source),
      ExportAllDeclaration: (node) => check(node.source),
      TSImportType: (node) => check(node.source ?? node.argument?.literal),
    };
  },
};

const fileNameRule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { name: "'{{name}}' is not camelCase, after the file's main export." },
  },
  create(context) {
    return {
      Program(node) {
        const name = path.basename(context.filename);
        const isIndexOfSuite = relativePath(context) === 'test/vscode/index.ts';
        if (isIndexOfSuite || (/^[a-z][A-Za-z0-9]*(\.test|\.d)?\.(ts|mjs)$/.test(name) && !name.startsWith('index.')))
          return;
        context.report({ node, messageId: 'name', data: { name } });
      },
    };
  },
};

const CONTAINERS = new Set(['describe', 'suite', 'context']);

/** A `describe` callback is a chapter, not a function: what is limited are the tests, hooks and helpers inside it. */
function isContainer(node) {
  return node.parent?.type === 'CallExpression' && CONTAINERS.has(node.parent.callee.name);
}

const functionLinesRule = {
  meta: {
    type: 'problem',
    schema: [{ type: 'integer', minimum: 1 }],
    messages: { long: 'This function has {{lines}} lines; the limit is {{max}}.' },
  },
  create(context) {
    const max = context.options[0];
    const check = (node) => {
      const lines = node.loc.end.line - node.loc.start.line + 1;
      if (lines <= max || isContainer(node)) return;
      context.report({ node, messageId: 'long', data: { lines: String(lines), max: String(max) } });
    };
    return { FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check };
  },
};

/** Whether any text may be meant: neither a number nor one of our own words. */
function isAnyText(type) {
  return type.isUnionOrIntersection() ? type.types.some(isAnyText) : (type.flags & ts.TypeFlags.String) !== 0;
}

/** Whether `Object.hasOwn(record, key)` holds where the two are used. */
function isGuarded(node, { text, getText }) {
  const asked = `Object.hasOwn(${getText(node.object)}, ${getText(node.property)})`;
  if (!text.includes(asked)) return false;
  const isAsked = (test) => partsOf(test).some((part) => getText(part) === asked);
  for (let inner = node; !/Statement|Function|Declaration/.test(inner.type); inner = inner.parent) {
    const { parent } = inner;
    if (parent.type === 'LogicalExpression' && parent.operator === '&&' && inner === parent.right) {
      if (isAsked(parent.left)) return true;
    } else if (parent.type === 'ConditionalExpression' && inner === parent.consequent && isAsked(parent.test))
      return true;
  }
  return false;
}

/** The conditions that all have to hold. */
function partsOf(test) {
  if (test.type !== 'LogicalExpression' || test.operator !== '&&') return [test];
  return [...partsOf(test.left), ...partsOf(test.right)];
}

const ownKeysRule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      index:
        "A record also answers to 'constructor' and '__proto__': use a Map, or ownValue and setOwnValue of src/core/text/ownValue.ts.",
      in: "'in' also finds 'constructor': use Object.hasOwn, or a Set.",
    },
  },
  create(context) {
    const { parserServices: services, text } = context.sourceCode;
    const source = { text, getText: (node) => context.sourceCode.getText(node) };
    if (!services.program) return {}; // linted without types
    const checker = services.program.getTypeChecker();
    const isText = (node) => isAnyText(services.getTypeAtLocation(node));
    const isRecord = (node) => {
      const type = checker.getApparentType(checker.getNonNullableType(services.getTypeAtLocation(node)));
      return (type.isUnion() ? type.types : [type]).some((one) => one.getStringIndexType() !== undefined);
    };
    return {
      'MemberExpression[computed=true]'(node) {
        if (node.parent.type === 'UnaryExpression' && node.parent.operator === 'delete') return; // takes own keys alone
        if (!isText(node.property) || !isRecord(node.object) || isGuarded(node, source)) return;
        context.report({ node, messageId: 'index' });
      },
      'ObjectPattern > Property[computed=true]'(node) {
        if (isText(node.key) && isRecord(node.parent)) context.report({ node, messageId: 'index' });
      },
      'BinaryExpression[operator="in"]'(node) {
        if (node.left.type !== 'PrivateIdentifier' && isText(node.left)) context.report({ node, messageId: 'in' });
      },
    };
  },
};

export const keepitRules = {
  rules: {
    zones: zonesRule,
    'file-name': fileNameRule,
    'function-lines': functionLinesRule,
    'own-keys': ownKeysRule,
  },
};
