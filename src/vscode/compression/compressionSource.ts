import { lm } from 'vscode';
import { modelAliases } from '../../core/versions/models/modelCaller';
import type { Config } from '../../core/model/config';
import type {
  ProviderChoice,
  CompressionData,
  CompressionForm,
  CompressionPreview,
  CompressionTarget,
} from '../../core/versions/view/compressionProtocol';
import { CompressionError } from '../../core/versions/compressionJob';
import { tierPresets } from '../../core/versions/compressionSettings';
import type { VersionListing } from '../../core/versions/versionEntries';
import type { CompressionEstimate } from '../../core/versions/types';
import { oneLine } from '../../core/text/cleanText';
import { requestOf } from '../../core/versions/view/compressionForm';
import { distanceIn } from '../../core/sessions/view/keepitOutlook';
import { titleOf } from '../../core/text/formats';
import type { DiscoveredSession } from '../../core/sessions/results';
import type { Uses } from '../context';
import { sessionShown } from '../panels/panel';

/** Who can write summaries in this window, and with which models: the usual one first. */
export class ModelProviders {
  constructor(private readonly anthropicKey: () => Promise<string | undefined>) {}

  async choices({ models, defaults }: Pick<Config, 'models' | 'defaults'>): Promise<ProviderChoice[]> {
    const aliases = modelAliases(models).map(({ alias, id }) => ({ id: alias, label: `${alias} (${id})` }));
    const claude = aliases.sort((a, b) => Number(b.id === defaults.model) - Number(a.id === defaults.model));
    const key = await this.anthropicKey();
    const noKey = 'There is no API key: “Keepit: Set Anthropic API Key…” stores one.';
    return [
      { name: 'local', models: [] },
      { name: 'anthropic', models: claude, ...((key ?? '') === '' && { problem: noKey }) },
      { name: 'claude-cli', models: claude },
      await languageModels(),
    ];
  }
}

/** VS Code asks the user before a model is used for the first time; which there are can be seen without asking. */
async function languageModels(): Promise<ProviderChoice> {
  const models = (await lm.selectChatModels()).map(({ id, name, vendor }) => ({ id, label: `${name} (${vendor})` }));
  if (models.length > 0) return { name: 'vscode-lm', models };
  return { name: 'vscode-lm', models, problem: 'No language model is offered in this window.' };
}

const WORDS_LENGTH = 200;

/** Collects what the panel *Create Compression* and the quick pick of levels show. */
export class CompressionSource {
  constructor(
    private readonly context: Uses<'memory' | 'listings' | 'settings'>,
    private readonly providers: ModelProviders,
  ) {}

  /** Throws `SessionLookupError` when the session is gone, or is not in memory any more. */
  async load(target: CompressionTarget, signal?: AbortSignal): Promise<CompressionData> {
    const { memory } = this.context;
    const { providers } = this;
    const { project, session } = await sessionShown(memory, target, signal);
    const listing = await memory.versions.list(session, signal);
    const context = await memory.keepits.decayContext(target.projectId);
    const config = await memory.config.read();
    const choices = await providers.choices(config);
    const usual = await this.usual(target, listing.parts.length > 0 && listing.delta.newMessages > 0, signal);
    const { versions, parts } = listing;
    return {
      target,
      title: titleOf(session),
      project: project.displayName,
      original: originalOf(session, listing),
      delta: listing.delta,
      parts: parts.map(({ partNumber, messageRange, versionIds }) => {
        return { partNumber, messageRange, versions: versionIds.length };
      }),
      wholeVersions: versions.filter(({ partNumber }) => partNumber === undefined).length,
      usual: { ...usual, model: usual.model === '' ? firstModel(choices, usual.provider) : usual.model },
      distance: distanceIn(session, context),
      maxDistance: context.config.maxSessionDistance,
      providers: choices,
      runCapUsd: config.models.limits.runUsd,
    };
  }

  /** What would come of a form. Throws `CompressionError` for settings that cannot be used. */
  async preview(target: CompressionTarget, form: CompressionForm, signal?: AbortSignal): Promise<CompressionPreview> {
    const { memory } = this.context;
    const estimate = await memory.versions.preview(target, requestOf(form), signal);
    return previewOf(estimate, await this.wordsOf(target, estimate, signal));
  }

  /** What the project makes of a request that leaves everything to it. */
  private async usual(target: CompressionTarget, isDelta: boolean, signal?: AbortSignal): Promise<CompressionForm> {
    const { memory, settings } = this.context;
    const form = usualForm(settings.compressionProvider, settings.compressionModel);
    const scope = isDelta ? ({ kind: 'delta' } as const) : form.scope;
    try {
      const estimate = await memory.versions.preview(target, {}, signal);
      return { ...form, scope, ...formOf(estimate.settings) };
    } catch (error) {
      if (!(error instanceof CompressionError)) throw error;
      return form; // nothing was said in this session: the form will say so
    }
  }

  private async wordsOf(
    target: CompressionTarget,
    { receipt }: CompressionEstimate,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    if (receipt.length === 0) return new Map();
    const { memory, listings } = this.context;
    const words = await listings.words((await sessionShown(memory, target, signal)).session);
    return new Map([...words].map(([markerId, content]) => [markerId, oneLine(content, WORDS_LENGTH)]));
  }
}

function usualForm(provider: CompressionForm['provider'], model: string): CompressionForm {
  return {
    scope: { kind: 'whole' },
    mode: 'tiered',
    ratio: 10,
    preset: 'standard',
    tiers: [...tierPresets.standard],
    skipFirst: 0,
    keepitMode: 'decay',
    provider,
    model,
    maxCostUsd: null,
  };
}

/** As exact as it is known. */
function originalOf({ tokens }: DiscoveredSession, { original }: VersionListing): CompressionData['original'] {
  const isEstimate = tokens.kind === 'estimate';
  return { tokens: isEstimate ? original.tokens : tokens.count, messages: original.messages, isEstimate };
}

function firstModel(choices: readonly ProviderChoice[], provider: ProviderChoice['name']): string {
  return choices.find(({ name }) => name === provider)?.models[0]?.id ?? '';
}

function formOf({
  mode,
  tierPreset,
  compactionRatio,
  keepitMode,
}: CompressionEstimate['settings']): Partial<CompressionForm> {
  return {
    mode,
    keepitMode,
    ...(tierPreset !== undefined && { preset: tierPreset }),
    ...(compactionRatio !== undefined && { ratio: compactionRatio }),
  };
}

/** An estimate as views show it: the receipt with the words that it is about. */
export function previewOf(estimate: CompressionEstimate, words: ReadonlyMap<string, string>): CompressionPreview {
  const { settings, receipt, partNumber: _part, segments, messageRange, ...figures } = estimate;
  return {
    ...figures,
    messageRange: [...messageRange],
    segments: segments.map((segment) => ({ ...segment })),
    keepits: receipt.map(({ markerId, weight, threshold, kept, reason }) => {
      return { markerId, weight, threshold, kept, reason, words: words.get(markerId) ?? '' };
    }),
    ...(settings.sessionDistance !== undefined && { distance: settings.sessionDistance }),
  };
}
