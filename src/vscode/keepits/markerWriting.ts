import {
  CodeAction,
  CodeActionKind,
  Diagnostic,
  DiagnosticSeverity,
  Disposable,
  languages,
  window,
  workspace,
  WorkspaceEdit,
  Range,
  CompletionItem,
  CompletionItemKind,
  MarkdownString,
  Position,
  type CodeActionContext,
  type CodeActionProvider,
  type DiagnosticCollection,
  type TextDocument,
  type CompletionItemProvider,
} from 'vscode';
import type { MarkProblem } from '../../core/sessions/view/keepitMarks';
import { weightLabel } from '../../core/sessions/view/keepitOutlook';
import { markerCompletions } from '../../core/sessions/view/keepitEditor';
import type { Feature } from '../feature';
import { commandIds, MARKDOWN_LANGUAGES } from '../ids';
import type { MemoryService } from '../../core/memory';
import { rangeOf, markedDocuments } from './markProviders';
import type { MarkedDocument, MarkSources } from './markSources';

const SETTLE_MS = 250;
const SOURCE = 'Keepit';

/** Says of markers that do not count why not, and how to put them right. */
export class MarkerDiagnostics implements Feature, CodeActionProvider {
  readonly name = 'keepit diagnostics';
  private readonly timers = new Map<TextDocument, NodeJS.Timeout>();
  private readonly collection: DiagnosticCollection = languages.createDiagnosticCollection('keepit');

  constructor(private readonly sources: MarkSources) {}

  register(): Disposable {
    const all = () => {
      for (const { document } of window.visibleTextEditors) this.schedule(document);
    };
    all();
    return Disposable.from(
      this.collection,
      window.onDidChangeVisibleTextEditors(all),
      workspace.onDidChangeTextDocument(({ document }) => {
        if (window.visibleTextEditors.some((editor) => editor.document === document)) this.schedule(document);
      }),
      workspace.onDidCloseTextDocument((document) => this.forget(document)),
      this.sources.onDidChange(all),
      languages.registerCodeActionsProvider(markedDocuments, this, {
        providedCodeActionKinds: [CodeActionKind.QuickFix],
      }),
      new Disposable(() => {
        for (const timer of this.timers.values()) clearTimeout(timer);
      }),
    );
  }

  async provideCodeActions(document: TextDocument, range: Range, context: CodeActionContext): Promise<CodeAction[]> {
    const own = context.diagnostics.filter(({ source }) => source === SOURCE);
    if (own.length === 0) return [];
    const marked = await this.sources.get(document);
    if (marked === undefined) return [];
    const problems = marked.problems.filter((problem) => rangeOf(problem.range).intersection(range) !== undefined);
    return problems.flatMap((problem) => {
      const fixed = own.filter((diagnostic) => diagnostic.range.isEqual(rangeOf(problem.range)));
      const action = marked.source === undefined ? editOf(document, problem) : markOf(marked, problem);
      if (action === undefined) return [];
      action.diagnostics = fixed;
      action.isPreferred = true;
      return [action];
    });
  }

  private schedule(document: TextDocument) {
    if (!this.sources.canHold(document)) return;
    clearTimeout(this.timers.get(document));
    this.timers.set(
      document,
      setTimeout(() => void this.tell(document), SETTLE_MS),
    );
  }

  private forget(document: TextDocument) {
    clearTimeout(this.timers.get(document));
    this.timers.delete(document);
    this.collection.delete(document.uri);
  }

  private async tell(document: TextDocument) {
    const { version } = document;
    const marked = await this.sources.get(document);
    if (document.isClosed || document.version !== version) return;
    // What was said cannot be corrected: there it is an information, in a document of one's own a warning.
    const severity = marked?.source === undefined ? DiagnosticSeverity.Warning : DiagnosticSeverity.Information;
    this.collection.set(document.uri, marked?.problems.map((problem) => diagnosticOf(problem, severity)) ?? []);
  }
}

function diagnosticOf({ range, problem, suggestion }: MarkProblem, severity: DiagnosticSeverity): Diagnostic {
  const meant = suggestion === '' ? '' : ` Probably meant: ${suggestion}`;
  const diagnostic = new Diagnostic(rangeOf(range), `${problem}${meant}`, severity);
  diagnostic.source = SOURCE;
  return diagnostic;
}

function editOf(document: TextDocument, { range, suggestion }: MarkProblem): CodeAction {
  const title = suggestion === '' ? 'Remove this marker' : `Write ${suggestion}`;
  const action = new CodeAction(title, CodeActionKind.QuickFix);
  action.edit = new WorkspaceEdit();
  action.edit.replace(document.uri, rangeOf(range), suggestion);
  return action;
}

/** What was said stays as it is: the words are marked beside it. */
function markOf({ source }: MarkedDocument, { fix }: MarkProblem): CodeAction | undefined {
  if (fix === undefined || source === undefined) return undefined;
  const title = `Mark what follows as keepit ${weightLabel(fix.weight)}, beside the transcript`;
  const action = new CodeAction(title, CodeActionKind.QuickFix);
  action.command = { title, command: commandIds.markSelection, arguments: [{ session: source, request: fix }] };
  return action;
}

const LINES_BEFORE = 500;

/** Completes markers while somebody writes notes, instructions, or a prompt for Claude. */
export class MarkerWriting implements Feature, CompletionItemProvider {
  readonly name = 'completion of keepit markers';

  constructor(private readonly memory: MemoryService) {}

  register(): Disposable {
    const selector = MARKDOWN_LANGUAGES.map((language) => ({ language }));
    return languages.registerCompletionItemProvider(selector, this, '#');
  }

  async provideCompletionItems(document: TextDocument, position: Position): Promise<CompletionItem[]> {
    const line = document.lineAt(position.line).text.slice(0, position.character);
    if (!line.includes('##')) return [];
    const { config } = await this.memory.keepits.decayContext();
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
