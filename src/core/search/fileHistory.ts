import { changesIn } from '../material/deeds';
import { sourceTool } from '../material/toolExcerpts';
import type { OpenExcerpts } from '../material/toolDetails';
import type { MemoryStore } from '../model/host';
import { readConversation } from '../sessions/readConversation';
import type { SessionSource } from '../sessions/results';
import type { SessionIndex } from '../sessions/sessionIndex';
import { oneLine } from '../text/cleanText';
import { titleOf } from '../text/formats';
import { withoutSecrets } from '../text/secrets/cleanText';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import type { Message, ToolStep } from '../transcript/types';
import { touchedIn } from './ranking';
import { PathPattern } from './searchFilter';
import type { SessionTables } from './sessionTables';

export interface FileRequest {
  readonly projectId: string;
  /** Its path, as far as it is known. */
  readonly file: string;
}

/** The exchange that put a line where it is. */
export interface LineOrigin {
  readonly projectId: string;
  readonly sessionId: string;
  readonly messageUuid: string;
  readonly timestamp?: string | undefined;
  readonly title: string;
  /** What the user had asked for, in one line. */
  readonly request: string;
}

interface FileHistoryParts {
  readonly store: Pick<MemoryStore, 'readManifest'>;
  readonly tables: SessionTables;
  readonly sources: SessionIndex;
  readonly claude: ClaudeFolder;
  readonly openExcerpts: OpenExcerpts;
}

/** Lines that one call put into a file. */
interface Written {
  readonly place: LineOrigin;
  /** Of a call that wrote the whole file: lines that were there before are among them. */
  readonly isWhole: boolean;
  readonly lines: ReadonlySet<string>;
}

const CHANGES = /^(?:Edit|MultiEdit|Write|NotebookEdit)$/;
/** More sessions are not read for one line; the newest first. */
const MOST_SESSIONS = 20;
const MOST_BYTES = 2 * 1024 * 1024;
/** What so many sessions wrote stays at hand: one looks at several lines of a file. */
const MOST_KNOWN = 40;
/** Of what was written, nothing is cut off. */
const WHOLE = 1000;
const REQUEST_LENGTH = 160;
/** Braces, or a single word, stand in too many places to be anybody's. */
const TELLING = /[\p{L}\p{N}_][^\p{L}\p{N}_]+(?:[\p{L}\p{N}_]|$)/u;
const SHORTEST = 8;

/** What sessions did to one file, by what their tools recorded. */
export class FileHistory {
  private readonly known = new Map<string, readonly Written[]>();

  constructor(private readonly parts: FileHistoryParts) {}

  /** How many sessions in memory read or changed the file. */
  async fileSessions({ projectId, file }: FileRequest, signal?: AbortSignal): Promise<number> {
    return (await this.touched({ projectId, file }, signal)).length;
  }

  /** The exchange that wrote a line of the file, by its text; undefined where none did, and for lines that say too little. */
  async wroteLine(
    { projectId, file, line }: FileRequest & { readonly line: string },
    signal?: AbortSignal,
  ): Promise<LineOrigin | undefined> {
    const wanted = line.trim();
    if (wanted.length < SHORTEST || !TELLING.test(wanted)) return undefined;
    const changed = (await this.touched({ projectId, file }, signal)).filter((one) => one.changed > 0);
    const refs = changed.map(({ sessionId }) => ({ projectId, sessionId }));
    const sources = (await this.parts.sources.locateAll(refs, signal)).filter((source) => source !== undefined);
    let whole: LineOrigin | undefined;
    for (const source of sources.sort((a, b) => b.file.mtimeMs - a.file.mtimeMs).slice(0, MOST_SESSIONS)) {
      for (const { lines, isWhole, place } of (await this.written(source, file, signal)).toReversed()) {
        if (!lines.has(wanted)) continue;
        if (!isWhole) return place;
        whole = place; // an older one may have written it first
      }
    }
    return whole;
  }

  private async touched({ projectId, file }: FileRequest, signal?: AbortSignal) {
    const manifest = await this.parts.store.readManifest(projectId);
    const sessionIds = Object.keys(manifest?.sessions ?? {});
    if (sessionIds.length === 0) return [];
    const report = { unread: 0, failed: [] };
    const { tables } = this.parts;
    const touched = await tables.look(async () => {
      const opened = await tables.opened({ projectId, sessionIds, areAll: true }, report, signal);
      const pattern = new PathPattern(file);
      return touchedIn(opened, (path) => pattern.matches(path));
    });
    return [...touched].map(([sessionId, files]) => {
      return { sessionId, changed: [...files.values()].reduce((sum, { changed }) => sum + changed, 0) };
    });
  }

  private async written(source: SessionSource, file: string, signal?: AbortSignal): Promise<readonly Written[]> {
    const key = [source.file.path, source.file.mtimeMs, file].join('\n');
    const known = this.known.get(key) ?? (await this.read(source, new PathPattern(file), signal));
    this.known.delete(key);
    this.known.set(key, known);
    for (const oldest of [...this.known.keys()].slice(0, -MOST_KNOWN)) this.known.delete(oldest);
    return known;
  }

  private async read(
    { ref, file }: SessionSource,
    pattern: PathPattern,
    signal?: AbortSignal,
  ): Promise<readonly Written[]> {
    const conversation = await readConversation(this.parts.claude, file.path, {}, signal);
    const steps = conversation.messages.flatMap((message) =>
      message.tools
        .filter(({ name, target, result }) => {
          return CHANGES.test(name) && result?.isError !== true && pattern.matches(target);
        })
        .map((step) => ({ message, step })),
    );
    if (steps.length === 0) return [];
    const excerpts = this.parts.openExcerpts(file.path);
    try {
      const inputs = await excerpts.read(
        steps.map(({ step }) => step.input),
        MOST_BYTES,
        signal,
      );
      const { custom, ai, summary, firstWords } = conversation.titles;
      const title = titleOf({ ...ref, title: withoutSecrets(custom ?? ai ?? summary ?? firstWords ?? '') });
      return steps.map(({ message, step }, at) => ({
        ...linesIn(step, inputs[at] ?? ''),
        place: {
          ...ref,
          messageUuid: message.uuid,
          timestamp: message.timestamp,
          title,
          request: requestBefore(conversation.messages, message),
        },
      }));
    } finally {
      await excerpts.close();
    }
  }
}

function linesIn(step: ToolStep, json: string): Pick<Written, 'isWhole' | 'lines'> {
  const tool = sourceTool(step, { input: json, head: '', tail: '' }, { afterText: 0, generosity: WHOLE });
  const { content } = tool.input;
  const isWhole = typeof content === 'string';
  const lines = isWhole ? content.split('\n') : changesIn(tool).flatMap(({ added }) => added);
  return { isWhole, lines: new Set(lines.map((line) => line.trim())) };
}

function requestBefore(messages: readonly Message[], { index }: Message): string {
  const request = messages.slice(0, index + 1).findLast(({ role, text }) => role === 'user' && text.trim() !== '');
  return oneLine(withoutSecrets(request?.text ?? ''), REQUEST_LENGTH);
}
