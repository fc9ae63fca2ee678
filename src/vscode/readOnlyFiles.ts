import {
  FilePermission,
  FileSystemError,
  FileType,
  type Disposable,
  type Event,
  type FileChangeEvent,
  type FileStat,
  type FileSystemProvider,
  type Uri,
} from 'vscode';

/** What a file that nobody can write looks like to an editor. */
export function readOnlyStat(content: Pick<Uint8Array, 'length'>, version: number): FileStat {
  return {
    type: FileType.File,
    ctime: 0,
    mtime: version,
    size: content.length,
    permissions: FilePermission.Readonly,
  };
}

/** Files that the extension makes for reading. As files, not as documents: so editors reopen after a restart and keep their place. */
export abstract class ReadOnlyFiles implements FileSystemProvider {
  abstract readonly onDidChangeFile: Event<FileChangeEvent[]>;

  abstract stat(uri: Uri): Promise<FileStat>;
  abstract readFile(uri: Uri): Promise<Uint8Array>;
  abstract watch(uri: Uri): Disposable;

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
}
