import type { CompressionScope } from '../../core/model/compression';
import { QuickPickItemKind, ThemeIcon, window, type QuickPickItem } from 'vscode';
import type { CompressionRequest } from '../../core/versions/types';
import { errorText, isAbortError } from '../../core/text/keepitError';
import { oneLine } from '../../core/text/cleanText';
import { previewLine } from '../../core/versions/view/compressionForm';
import type { Formats } from '../../core/text/formats';
import { scopeTitle } from '../../core/versions/view/versionTree';
import type { SessionRef } from '../../core/sessions/results';
import type { MemoryService } from '../../core/memory';
import type { Settings } from '../settings';
import { previewOf } from './compressionSource';

interface LevelItem extends QuickPickItem {
  readonly request?: CompressionRequest;
}

interface Level {
  readonly label: string;
  readonly preset: 'gentle' | 'standard' | 'aggressive';
  readonly icon: string;
  readonly description: string;
}

const TITLE_LENGTH = 60;

/** Seed 001's levels. */
const levels: readonly Level[] = [
  { label: 'Light', preset: 'gentle', icon: 'layers', description: 'tiered gentle: most of the detail' },
  { label: 'Moderate', preset: 'standard', icon: 'layers-dot', description: 'tiered standard: for general use' },
  {
    label: 'Aggressive',
    preset: 'aggressive',
    icon: 'layers-active',
    description: 'tiered aggressive: only what is essential',
  },
];

/** Asks for a level, each with what it would come to: the estimates arrive while one looks at the list. */
export class LevelPicker {
  constructor(
    private readonly memory: MemoryService,
    private readonly settings: Settings,
    private readonly formats: Formats,
  ) {}

  /** Undefined when the user went away; `custom` when they want to set more than a level. */
  async pick(
    session: SessionRef,
    { title, scope }: { title: string; scope: CompressionScope },
  ): Promise<CompressionRequest | 'custom' | undefined> {
    const picker = window.createQuickPick<LevelItem>();
    const closing = new AbortController();
    picker.title = `Keepit: Compress “${oneLine(title, TITLE_LENGTH)}”`;
    picker.placeholder = `${scopeTitle(scope)}: choose a level`;
    const usual = await this.usualLevel(session);
    const requests = levels.map((level) => this.requestFor(level, scope));
    const details = levels.map(() => 'estimating…');
    const show = () => {
      const active = picker.activeItems[0]?.label ?? usual;
      picker.items = itemsOf(requests, details);
      picker.activeItems = picker.items.filter(({ label }) => label === active);
    };
    show();
    picker.busy = true;
    void this.estimate({ session, requests, details, show, signal: closing.signal }).finally(
      () => (picker.busy = false),
    );
    try {
      return await new Promise((resolve) => {
        picker.onDidAccept(() => {
          const [item] = picker.activeItems;
          if (item !== undefined) resolve(item.request ?? 'custom');
        });
        picker.onDidHide(() => resolve(undefined));
        picker.show();
      });
    } finally {
      closing.abort();
      picker.dispose();
    }
  }

  /** What the project has set. */
  private async usualLevel({ projectId }: SessionRef): Promise<string> {
    const { defaultCompressionPreset } = await this.memory.config.project(projectId);
    const level = levels.find(({ preset }) => defaultCompressionPreset.endsWith(preset));
    return level?.label ?? 'Moderate';
  }

  private requestFor({ preset }: Level, scope: CompressionScope): CompressionRequest {
    const { compressionProvider: provider, compressionModel: model } = this.settings;
    const byModel = provider === 'local' ? {} : { provider, ...(model !== '' && { model }) };
    return { scope, mode: 'tiered', tierPreset: preset, isLevel: true, ...byModel };
  }

  /** One after the other: the first one reads the session, the others only count. */
  private async estimate(list: {
    session: SessionRef;
    requests: readonly CompressionRequest[];
    details: string[];
    show: () => void;
    signal: AbortSignal;
  }) {
    const { session, requests, details, show, signal } = list;
    for (const [index, request] of requests.entries()) {
      details[index] = await this.lineFor(session, request, signal);
      if (signal.aborted) return;
      show();
    }
  }

  private async lineFor(session: SessionRef, request: CompressionRequest, signal: AbortSignal): Promise<string> {
    try {
      const estimate = await this.memory.versions.preview(session, request, signal);
      return previewLine(previewOf(estimate, new Map()), this.formats);
    } catch (error) {
      return isAbortError(error) ? '' : errorText(error);
    }
  }
}

function itemsOf(requests: readonly CompressionRequest[], details: readonly string[]): LevelItem[] {
  return [
    ...levels.flatMap(({ label, description, icon }, index) => {
      const request = requests[index];
      const item = {
        label,
        description,
        detail: details[index] ?? '',
        iconPath: new ThemeIcon(icon),
        alwaysShow: true,
      };
      return request === undefined ? [] : [{ ...item, request }];
    }),
    { label: '', kind: QuickPickItemKind.Separator },
    {
      label: 'Custom…',
      description: 'mode, ratio, tiers, keepits, model',
      iconPath: new ThemeIcon('settings'),
      alwaysShow: true,
    },
  ];
}
