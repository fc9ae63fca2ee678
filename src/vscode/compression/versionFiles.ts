import {
  CodeLens,
  Disposable,
  languages,
  Range,
  type CodeLensProvider,
  type DocumentSelector,
  type TextDocument,
} from 'vscode';
import * as z from 'zod/mini';
import { type VersionRef, sessionRefSchema } from '../../core/sessions/view/treeNode';
import type { Uses } from '../context';
import { VERSION_SCHEME, commandIds } from '../ids';
import { placeBlocks, leadingBlocks, lineageTitle } from '../../core/versions/storedBlocks';
import type { Feature } from '../feature';
import { ReadOnlyFiles, type ShownFile, DocumentUris } from '../readOnlyFiles';

export const versionSchema = z.extend(sessionRefSchema, { versionId: z.string() });
export const versionUris = new DocumentUris(VERSION_SCHEME, versionSchema);

const READ_ONLY = 'A version is made from its original, which is kept: compress again to have another one.';

const selector: DocumentSelector = { scheme: VERSION_SCHEME };

/** Versions as read-only Markdown, with the way back from each block to the messages that it came from. */
export class VersionFiles extends ReadOnlyFiles<VersionRef> implements Feature, CodeLensProvider {
  readonly name = 'versions as documents';

  constructor(private readonly context: Uses<'memory' | 'log'>) {
    super(context.log, versionUris);
  }

  register(): Disposable {
    return Disposable.from(this.registerFiles(READ_ONLY), languages.registerCodeLensProvider(selector, this));
  }

  async provideCodeLenses(document: TextDocument): Promise<CodeLens[]> {
    const place = versionUris.ref(document.uri);
    if (place === undefined) return [];
    const { versions } = this.context.memory;
    const blocks = placeBlocks(document.getText(), await versions.text(place, place.versionId, 'jsonl'));
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

  protected async show(place: VersionRef): Promise<ShownFile> {
    const text = await this.context.memory.versions.text(place, place.versionId, 'md');
    return { bytes: new TextEncoder().encode(text), version: 0 };
  }
}
