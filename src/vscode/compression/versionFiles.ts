import {
  CodeLens,
  Disposable,
  EventEmitter,
  FileSystemError,
  languages,
  MarkdownString,
  Range,
  workspace,
  type CodeLensProvider,
  type DocumentSelector,
  type Event,
  type FileChangeEvent,
  type FileStat,
  type TextDocument,
  type Uri,
} from 'vscode';
import { errorText } from '../../core/text/keepitError';
import type { Log } from '../../core/model/host';
import { leadingBlocks, lineageTitle } from '../../core/presentation/versionLineage';
import type { Feature } from '../feature';
import { commandIds, VERSION_SCHEME } from '../ids';
import { readOnlyStat, ReadOnlyFiles } from '../readOnlyFiles';
import type { Settings } from '../settings';
import type { VersionDocument, VersionDocuments } from './versionDocuments';
import type { VersionChanges } from './versionChanges';
import { versionOf } from './versionUri';

const READ_ONLY = 'A version is made from its original, which is kept: compress again to have another one.';

const selector: DocumentSelector = { scheme: VERSION_SCHEME };

export interface VersionFilesOptions {
  readonly documents: VersionDocuments;
  readonly versions: VersionChanges;
  readonly settings: Settings;
  readonly log: Log;
}

/** Versions as read-only Markdown, with the way back from each block to the messages that it came from. */
export class VersionFiles extends ReadOnlyFiles implements Feature, CodeLensProvider {
  readonly name = 'versions as documents';
  private readonly changed = new EventEmitter<FileChangeEvent[]>();
  private readonly lensesChanged = new EventEmitter<void>();
  readonly onDidChangeFile: Event<FileChangeEvent[]> = this.changed.event;
  readonly onDidChangeCodeLenses: Event<void> = this.lensesChanged.event;

  constructor(private readonly options: VersionFilesOptions) {
    super();
  }

  register(): Disposable {
    const { documents, settings, versions } = this.options;
    return Disposable.from(
      workspace.registerFileSystemProvider(VERSION_SCHEME, this, {
        isCaseSensitive: true,
        isReadonly: new MarkdownString(READ_ONLY),
      }),
      languages.registerCodeLensProvider(selector, this),
      versions.onDidChange(() => documents.forget()),
      settings.onDidChange((names) => {
        if (names.has('versionLenses')) this.lensesChanged.fire();
      }),
      this.changed,
      this.lensesChanged,
    );
  }

  async stat(uri: Uri): Promise<FileStat> {
    const { bytes } = await this.document(uri);
    return readOnlyStat(bytes, 0);
  }

  async readFile(uri: Uri): Promise<Uint8Array> {
    return (await this.document(uri)).bytes;
  }

  watch(): Disposable {
    return new Disposable(() => undefined);
  }

  async provideCodeLenses(document: TextDocument): Promise<CodeLens[]> {
    const place = versionOf(document.uri);
    if (place === undefined || !this.options.settings.showsVersionLenses) return [];
    const { blocks } = await this.options.documents.get(place);
    return leadingBlocks(blocks).map((block) => {
      const { start, sources } = block;
      const command = {
        title: `$(comment-discussion)\u00a0${lineageTitle(block)}`,
        tooltip: 'Show in the transcript what this came from',
        command: commandIds.openSource,
        arguments: [{ session: place, sources }],
      };
      return new CodeLens(new Range(start, 0, start, 0), command);
    });
  }

  private async document(uri: Uri): Promise<VersionDocument> {
    const place = versionOf(uri);
    if (place === undefined) throw FileSystemError.FileNotFound(uri);
    try {
      return await this.options.documents.get(place);
    } catch (error) {
      this.options.log.warn(`${uri.path} cannot be shown: ${errorText(error)}`);
      throw FileSystemError.Unavailable(errorText(error));
    }
  }
}
