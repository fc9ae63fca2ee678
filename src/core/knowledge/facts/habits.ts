import type { Evidence, Habit } from '../../model/layers';
import { commandsIn } from '../../material/commands';
import { textOf } from '../../material/toolKinds';
import type { SourceMessage, SourceTool } from '../../material/types';
import { cutAtWord } from '../../text/sentences';
import { dependenciesIn, importsIn, MANIFEST } from '../../material/dependencies';
import type { FactEvidence } from './stated';
import { baseName } from '../../text/formats';

/** What one message shows of how work is done: a package that is used or declared, a task that was run and passed. */
interface HabitSign {
  readonly key: string;
  readonly kind: Habit['kind'];
  readonly name: string;
  /** The manifest that declares it. */
  readonly manifest?: string;
  /** Where it was used; absent where it was only declared. */
  readonly evidence?: FactEvidence;
}

/** Says of a fact that it is what sessions did again and again, by their records. */
export const HABIT = 'habit';
/** So many sessions have to show it before it is called a pattern. */
export const PATTERN_AT = 3;
/** What was never seen again makes room. */
const MOST_HABITS = 400;
const MOST_SESSIONS = 200;
const MAX_EXCERPT = 160;
const MOST_FILES = 3;

/** Programs that run tasks of a project, by the name after them. */
const TASK_RUNNERS = new Set(
  'npm pnpm yarn bun deno make just task cargo go mvn gradle ./gradlew ./mvnw dotnet mix rake composer tox nox'.split(
    ' ',
  ),
);
/** What they do to dependencies and files is no habit of the project's. */
const NO_TASK = new Set(
  'install i ci add remove rm uninstall update upgrade init create exec dlx x get mod'.split(' '),
);
/** What comes after them is the program. */
const LAUNCHERS = /^(?:npx|bunx|(?:pnpm|yarn|npm) (?:exec|dlx)|(?:uv|poetry|pipenv) run|bundle exec|python3? -m)\s+/;
const TASK = /^[a-z][\w:.-]{1,40}$/i;

/** Only what records show: commands that passed, manifests that were read or written, and modules that new text imports. */
export function habitsIn(message: SourceMessage): HabitSign[] {
  if (message.role !== 'assistant') return [];
  return message.tools.filter(({ isError }) => !isError).flatMap((tool) => signsIn(tool, message));
}

function signsIn(tool: SourceTool, { uuid, timestamp }: SourceMessage): HabitSign[] {
  const at = (excerpt: string): FactEvidence => ({
    messageUuid: uuid,
    excerpt: cutAtWord(excerpt, MAX_EXCERPT),
    ts: timestamp ?? '',
  });
  const uses = (name: string, excerpt: string): HabitSign => ({ ...packageSign(name), evidence: at(excerpt) });
  const command = textOf(tool, 'command');
  if (command !== '') {
    const run = commandsIn(command).flatMap((line) => {
      const task = taskOf(line);
      const used = uses(programOf(line), line);
      if (task === '') return [used];
      return [{ key: `habit:task:${task}`, kind: 'task', name: task, evidence: at(line) } as const, used];
    });
    return [...run, ...declared(MANIFEST.exec(command)?.[0], [tool.result])];
  }
  const written = [tool.input['content'], ...newTexts(tool.input)].filter((text) => typeof text === 'string');
  const manifest = MANIFEST.exec(baseName(textOf(tool, 'file_path')))?.[0];
  if (manifest !== undefined) return declared(manifest, [tool.result, ...written]);
  return written.flatMap((text) => importsIn(text).map(({ name, line }) => uses(name, line)));
}

function declared(manifest: string | undefined, texts: readonly string[]): HabitSign[] {
  if (manifest === undefined) return [];
  const names = new Set(texts.flatMap((text) => dependenciesIn(manifest, text)));
  return [...names].map((name) => ({ ...packageSign(name), manifest }));
}

function packageSign(name: string): Pick<HabitSign, 'key' | 'kind' | 'name'> {
  return { key: `habit:package:${name.toLowerCase()}`, kind: 'package', name };
}

function newTexts({ new_string: text, edits }: Readonly<Record<string, unknown>>): unknown[] {
  const list: readonly unknown[] = Array.isArray(edits) ? edits : [];
  const added = list.map((edit) =>
    typeof edit === 'object' && edit !== null && 'new_string' in edit ? edit.new_string : undefined,
  );
  return [text, ...added];
}

/** `npm test`, `npm run lint`, `cargo build`; '' for what runs no task. */
function taskOf(line: string): string {
  const [runner = '', first = '', second = ''] = line.split(/\s+/);
  if (!TASK_RUNNERS.has(runner) || !TASK.test(first) || NO_TASK.has(first)) return '';
  const isNamed = first === 'run' || first === 'task';
  if (!isNamed) return `${runner} ${first}`;
  return TASK.test(second) ? `${runner} ${first} ${second}` : '';
}

function programOf(line: string): string {
  const bare = line.replace(LAUNCHERS, '').replace(/^(?:-\S+\s+)+/, '');
  return baseName(/^[^\s"'$(]+/.exec(bare)?.[0] ?? '').replace(/@[\d.^~]+$/, '');
}

/** What sessions show again and again, counted by session. The same message adds nothing the second time. */
export class Habits {
  private readonly byKey: Map<string, Habit>;

  constructor(habits: readonly Habit[] = []) {
    this.byKey = new Map(habits.map((habit) => [habit.key, { ...habit }]));
  }

  /** The habit as it is with the sign, once enough sessions have shown it. */
  add({ key, kind, name, manifest, evidence }: HabitSign, sessionId: string): Habit | undefined {
    if (name === '') return undefined;
    const known = this.byKey.get(key) ?? { key, kind, name, files: [], sessions: [] };
    if (!this.byKey.has(key) && this.byKey.size >= MOST_HABITS && !this.makeRoom()) return undefined;
    const isNew = evidence !== undefined && !known.sessions.some((one) => one.sessionId === sessionId);
    const habit = {
      ...known,
      files:
        manifest === undefined || known.files.length >= MOST_FILES
          ? known.files
          : [...new Set([...known.files, manifest])],
      sessions: isNew ? byTime([...known.sessions, { ...evidence, sessionId }]).slice(-MOST_SESSIONS) : known.sessions,
    };
    this.byKey.set(key, habit);
    // What nobody declares is a tool of the machine, or of the language.
    const isTelling = kind === 'task' || habit.files.length > 0;
    return isTelling && habit.sessions.length >= PATTERN_AT ? habit : undefined;
  }

  all(): Habit[] {
    return [...this.byKey.values()];
  }

  private makeRoom(): boolean {
    const weakest = [...this.byKey.values()].find(({ files, sessions }) => files.length === 0 && sessions.length < 2);
    return weakest !== undefined && this.byKey.delete(weakest.key);
  }
}

/** Times are written alike, so that they can be compared as they are. */
function byTime(sessions: readonly Evidence[]): Evidence[] {
  const timeOf = ({ ts = '' }: Evidence): string => ts;
  return [...sessions].sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : Number(timeOf(a) > timeOf(b))));
}
