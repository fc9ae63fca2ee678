import {
  CompletionItem,
  CompletionItemKind,
  languages,
  MarkdownString,
  Position,
  Range,
  type CompletionItemProvider,
  type Disposable,
  type TextDocument,
} from 'vscode';
import { markerCompletions } from '../../core/presentation/keepitEditor';
import type { Feature } from '../feature';
import { MARKDOWN_LANGUAGES } from '../ids';
import type { MemoryHost } from '../memory/memoryHost';

const LINES_BEFORE = 500;

/** Completes markers while somebody writes notes, instructions, or a prompt for Claude. */
export class MarkerWriting implements Feature, CompletionItemProvider {
  readonly name = 'completion of keepit markers';

  constructor(private readonly host: MemoryHost) {}

  register(): Disposable {
    const selector = MARKDOWN_LANGUAGES.map((language) => ({ language }));
    return languages.registerCompletionItemProvider(selector, this, '#');
  }

  async provideCompletionItems(document: TextDocument, position: Position): Promise<CompletionItem[]> {
    const line = document.lineAt(position.line).text.slice(0, position.character);
    if (!line.includes('##')) return [];
    const { service } = await this.host.memory();
    const { config } = await service.decayContext();
    const from = new Position(Math.max(0, position.line - LINES_BEFORE), 0);
    const found = markerCompletions(line, document.getText(new Range(from, position)), config);
    if (found === undefined) return [];
    return found.completions.map(({ label, detail, documentation, insert }, index) => {
      const item = new CompletionItem({ label, description: detail }, CompletionItemKind.Snippet);
      item.insertText = insert;
      item.range = new Range(position.line, found.start, position.line, position.character);
      item.filterText = label;
      item.sortText = String(index);
      item.documentation = new MarkdownString(documentation);
      return item;
    });
  }
}
