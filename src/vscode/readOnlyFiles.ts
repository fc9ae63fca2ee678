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
  type Uri,
} from 'vscode';
import type { Log } from '../core/model/host';
import { errorText } from '../core/text/keepitError';

export interface ShownFile {
  readonly bytes: Uint8Array;
  /** Another one when what is shown has changed. */
  readonly version: number;
}

/** Files that the extension makes for reading. As files, not as documents: so editors reopen after a restart and keep their place. */
export abstract class ReadOnlyFiles<Place> implements FileSystemProvider {
  protected readonly changed = new EventEmitter<FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;

  /** `placeOf`: what a uri shows; undefined for one that is not ours. */
  protected constructor(
    private readonly log: Log,
    private readonly placeOf: (uri: Uri) => Place | undefined,
  ) {}

  abstract watch(uri: Uri): Disposable;
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
  protected registerFiles(scheme: string, why: string): Disposable {
    const isReadonly = new MarkdownString(why);
    const provider = workspace.registerFileSystemProvider(scheme, this, { isCaseSensitive: true, isReadonly });
    return Disposable.from(provider, this.changed);
  }

  private async shown(uri: Uri): Promise<ShownFile> {
    const place = this.placeOf(uri);
    if (place === undefined) throw FileSystemError.FileNotFound(uri);
    try {
      return await this.show(place);
    } catch (error) {
      this.log.warn(`${uri.path} cannot be shown: ${errorText(error)}`);
      throw FileSystemError.Unavailable(errorText(error));
    }
  }
}
