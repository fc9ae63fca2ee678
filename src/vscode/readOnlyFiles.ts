import * as z from 'zod/mini';
import {
  Disposable,
  EventEmitter,
  FilePermission,
  FileSystemError,
  FileType,
  MarkdownString,
  workspace,
  type FileChangeEvent,
  type FileStat,
  type FileSystemProvider,
  Uri,
} from 'vscode';
import type { Log } from '../core/model/host';
import { errorText } from '../core/text/keepitError';
import { oneLine } from '../core/text/cleanText';

export interface ShownFile {
  readonly bytes: Uint8Array;
  /** Another one when what is shown has changed. */
  readonly version: number;
}

const NAME_LENGTH = 80;

/** A name as one segment of a path. A slash would begin another segment: it becomes one that only looks like it. */
function pathSegment(name: string): string {
  const clean = oneLine(name, NAME_LENGTH).replaceAll('/', '∕').replaceAll('\\', '∖');
  return clean === '' || clean === '.' || clean === '..' ? 'Untitled' : clean;
}

/** How documents that the extension makes are named: the path is for people (tab, breadcrumbs), and only the query says what is shown. */
export class DocumentUris<Place extends object> {
  constructor(
    readonly scheme: string,
    private readonly schema: z.ZodMiniType<Place>,
  ) {}

  of(place: Place, ...path: readonly string[]): Uri {
    const query = new URLSearchParams(Object.entries(place).filter(([, value]) => value !== undefined));
    return Uri.from({ scheme: this.scheme, path: `/${path.map(pathSegment).join('/')}`, query: query.toString() });
  }

  /** Undefined for a uri that is not ours, or that somebody wrote by hand. */
  ref({ scheme, query }: Uri): Place | undefined {
    return scheme === this.scheme
      ? this.schema.safeParse(Object.fromEntries(new URLSearchParams(query))).data
      : undefined;
  }
}

/** Files that the extension makes for reading. As files, not as documents: so editors reopen after a restart and keep their place. */
export abstract class ReadOnlyFiles<Place extends object> implements FileSystemProvider {
  protected readonly changed = new EventEmitter<FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;

  protected constructor(
    private readonly log: Log,
    private readonly uris: DocumentUris<Place>,
  ) {}

  /** Called while an editor shows the file. */
  watch(_uri: Uri): Disposable {
    return new Disposable(() => undefined);
  }
  protected abstract show(place: Place): Promise<ShownFile>;

  async stat(uri: Uri): Promise<FileStat> {
    const { bytes, version } = await this.shown(uri);
    const permissions = FilePermission.Readonly;
    return { type: FileType.File, ctime: 0, mtime: version, size: bytes.length, permissions };
  }

  async readFile(uri: Uri): Promise<Uint8Array> {
    return (await this.shown(uri)).bytes;
  }

  readDirectory(): [string, FileType][] {
    return [];
  }

  createDirectory(uri: Uri): never {
    throw FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: Uri): never {
    throw FileSystemError.NoPermissions(uri);
  }

  delete(uri: Uri): never {
    throw FileSystemError.NoPermissions(uri);
  }

  rename(uri: Uri): never {
    throw FileSystemError.NoPermissions(uri);
  }

  /** `why` is what whoever types into such a file is told. */
  protected registerFiles(why: string): Disposable {
    const options = { isCaseSensitive: true, isReadonly: new MarkdownString(why) };
    const provider = workspace.registerFileSystemProvider(this.uris.scheme, this, options);
    return Disposable.from(provider, this.changed);
  }

  private async shown(uri: Uri): Promise<ShownFile> {
    const place = this.uris.ref(uri);
    if (place === undefined) throw FileSystemError.FileNotFound(uri);
    try {
      return await this.show(place);
    } catch (error) {
      this.log.warn(`${uri.path} cannot be shown: ${errorText(error)}`);
      throw FileSystemError.Unavailable(errorText(error));
    }
  }
}
