import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { allBands } from '../../../src/core/sessions/view/keepitEditor';
import {
  commandIds,
  contextKeys,
  EXTENSION_ID,
  SETTINGS_SECTION,
  settingKeys,
  TRANSCRIPT_LANGUAGE,
  TRANSCRIPT_SCHEME,
  VERSION_SCHEME,
  viewIds,
} from '../../../src/vscode/ids';

const command = z.object({ command: z.string(), title: z.string(), category: z.string(), icon: z.string().optional() });
const menuEntry = z.object({ command: z.string(), when: z.string().optional() });
const manifestSchema = z.object({
  name: z.string(),
  publisher: z.string(),
  activationEvents: z.array(z.string()),
  capabilities: z.object({ untrustedWorkspaces: z.object({ restrictedConfigurations: z.array(z.string()) }) }),
  contributes: z.object({
    commands: z.array(command),
    views: z.record(z.string(), z.array(z.object({ id: z.string(), when: z.string().optional() }))),
    viewsContainers: z.object({ activitybar: z.array(z.object({ id: z.string() })) }),
    viewsWelcome: z.array(z.object({ view: z.string(), contents: z.string(), when: z.string().optional() })),
    menus: z.record(z.string(), z.array(menuEntry)),
    keybindings: z.array(menuEntry.extend({ args: z.unknown().optional() })),
    colors: z.array(z.object({ id: z.string(), defaults: z.record(z.string(), z.string()) })),
    configuration: z.array(
      z.object({ properties: z.record(z.string(), z.object({ markdownDescription: z.string() })) }),
    ),
    configurationDefaults: z.record(z.string(), z.unknown()),
    languages: z.array(z.object({ id: z.string() })),
  }),
});

const text = readFileSync(path.resolve('package.json'), 'utf8');
const manifest = manifestSchema.parse(JSON.parse(text));
const { contributes } = manifest;

function sorted(values: Iterable<string>): string[] {
  return [...new Set(values)].sort();
}

/** VS Code's own command that runs several, of which some are ours. */
const RUN_SEVERAL = 'runCommands';

function ownIn(args: unknown): string[] {
  return [...JSON.stringify(args).matchAll(/"command":"([^"]+)"/g)].map(([, id]) => id ?? '');
}

describe('the names that code and package.json share', () => {
  it('are the same for commands', () => {
    assert.deepEqual(sorted(contributes.commands.map((entry) => entry.command)), sorted(Object.values(commandIds)));
  });

  it('are the same for views and their container', () => {
    const views = Object.values(contributes.views).flat();
    const { container, ...ids } = viewIds;
    assert.deepEqual(sorted(views.map(({ id }) => id)), sorted(Object.values(ids)));
    assert.deepEqual(
      contributes.viewsContainers.activitybar.map(({ id }) => id),
      [container],
    );
    assert.deepEqual(Object.keys(contributes.views), [container]);
  });

  it('are the same for settings', () => {
    const declared = contributes.configuration.flatMap(({ properties }) => Object.keys(properties));
    const known = Object.values(settingKeys).map((key) => `${SETTINGS_SECTION}.${key}`);
    assert.deepEqual(sorted(declared), sorted(known));
    for (const key of manifest.capabilities.untrustedWorkspaces.restrictedConfigurations) {
      assert.ok(known.includes(key), key);
    }
  });

  it('are the same for the keys of when clauses', () => {
    const clauses = [...text.matchAll(/"(?:when|enablement)": "([^"]+)"/g)].map(([, clause]) => clause ?? '');
    const others = new Set<string>([...Object.values(viewIds), ...Object.values(commandIds)]);
    const used = clauses.flatMap((clause) => clause.match(/keepit\.\w+/g) ?? []).filter((key) => !others.has(key));
    assert.deepEqual(sorted(used), sorted(Object.values(contextKeys)));
  });

  it('are the same for the extension, its language and its documents', () => {
    assert.equal(`${manifest.publisher}.${manifest.name}`, EXTENSION_ID);
    assert.deepEqual(
      contributes.languages.map(({ id }) => id),
      [TRANSCRIPT_LANGUAGE],
    );
    assert.deepEqual(Object.keys(contributes.configurationDefaults), [`[${TRANSCRIPT_LANGUAGE}]`]);
    for (const scheme of [TRANSCRIPT_SCHEME, VERSION_SCHEME]) {
      assert.ok(manifest.activationEvents.includes(`onFileSystem:${scheme}`), scheme);
    }
  });

  it('name only commands that exist, in menus, key bindings and welcome texts', () => {
    const known = new Set<string>(Object.values(commandIds));
    const inMenus = Object.values(contributes.menus).flatMap((entries) => entries.map((entry) => entry.command));
    const inBindings = contributes.keybindings.flatMap(({ command: id, args }) =>
      id === RUN_SEVERAL ? ownIn(args) : [id],
    );
    const links = contributes.viewsWelcome.flatMap(({ contents }) => contents.match(/(?<=command:)[\w.]+/g) ?? []);
    for (const id of [...inMenus, ...inBindings, ...links]) assert.ok(known.has(id), id);
  });
});

describe('the colours of keepits', () => {
  it('are there for every band, in every kind of theme', () => {
    const wanted = allBands.flatMap((band) => [`keepit.${band}Foreground`, `keepit.${band}Background`]);
    assert.deepEqual(sorted(contributes.colors.map(({ id }) => id)), sorted([...wanted, 'keepit.spanBorder']));
    for (const { id, defaults } of contributes.colors) {
      assert.deepEqual(Object.keys(defaults), ['dark', 'light', 'highContrast', 'highContrastLight'], id);
    }
  });
});

describe('the manifest', () => {
  it('puts every command under the category Keepit, and every command of a toolbar has an icon', () => {
    const icons = new Map(contributes.commands.map((entry) => [entry.command, entry.icon]));
    for (const entry of contributes.commands) assert.equal(entry.category, 'Keepit');
    const toolbars = ['view/title', 'editor/title'].flatMap((menu) => contributes.menus[menu] ?? []);
    for (const entry of toolbars) assert.ok(icons.get(entry.command), `${entry.command} has no icon`);
  });

  it('binds keys only while a Keepit view, document or list has the focus, but for the search', () => {
    const own =
      /focusedView == keepit\.|editorLangId == keepit-transcript|resourceScheme == keepit-|keepit\.isSearching/;
    for (const { command: id, when } of contributes.keybindings) {
      if (id !== commandIds.search) assert.match(when ?? '', own, id);
    }
  });

  it('explains every setting', () => {
    for (const { properties } of contributes.configuration) {
      for (const [key, { markdownDescription }] of Object.entries(properties)) {
        assert.ok(markdownDescription.length > 40, key);
      }
    }
  });

  it('never activates everywhere from the start', () => {
    assert.ok(!manifest.activationEvents.includes('*'));
  });
});
