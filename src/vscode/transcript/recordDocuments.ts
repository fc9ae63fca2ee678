import path from 'node:path';
import {
  languages,
  Uri,
  window,
  workspace,
  type CancellationToken,
  type Disposable,
  type TextDocumentContentProvider,
} from 'vscode';
import * as z from 'zod/mini';
import { abortSignalOf } from '../progressMessage';
import { RECORD_SCHEME } from '../ids';
import { readLine } from './recordLine';

const querySchema = z.object({ file: z.string(), line: z.string().check(z.regex(/^\d+$/)) });

/** Single records of transcripts that are too large for an editor, pretty-printed. */
export class RecordDocuments implements TextDocumentContentProvider {
  register(): Disposable {
    return workspace.registerTextDocumentContentProvider(RECORD_SCHEME, this);
  }

  /** Opens the record at a line of a file; `line` is 1-based. */
  async show(file: string, line: number): Promise<void> {
    const uri = Uri.from({
      scheme: RECORD_SCHEME,
      path: `/${path.basename(file)}/Line ${line}`,
      query: new URLSearchParams({ file, line: String(line) }).toString(),
    });
    const document = await workspace.openTextDocument(uri);
    await languages.setTextDocumentLanguage(document, 'json');
    await window.showTextDocument(document, { preview: true });
  }

  async provideTextDocumentContent(uri: Uri, token: CancellationToken): Promise<string> {
    const query = querySchema.safeParse(Object.fromEntries(new URLSearchParams(uri.query)));
    if (!query.success) return '';
    const record = await readLine(query.data.file, Number(query.data.line), abortSignalOf(token));
    return prettyPrint(record);
  }
}

function prettyPrint(record: string): string {
  try {
    const value: unknown = JSON.parse(record);
    return `${JSON.stringify(value, null, 2)}\n`;
  } catch {
    return record; // a damaged record is shown as it is
  }
}
