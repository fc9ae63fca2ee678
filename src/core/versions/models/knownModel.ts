import { knownAliases, knownModels, modelFactsSchema } from '../../model/models';
import type { ModelSettings } from '../../model/models';
import { ownValue } from '../../text/ownValue';
import { schemaProblem } from '../../model/schemaProblem';
import { SummarizerError } from '../summarizerError';
import type { KnownModel } from './modelCaller';

const DATE = /-\d{8}$/;

/** The model behind a name or an alias, as Keepit knows it and as the configuration corrects that. Throws `SummarizerError`. */
export function knownModel(name: string, settings: ModelSettings): KnownModel {
  const id = ownValue(settings.aliases, name) ?? ownValue(knownAliases, name) ?? name;
  const plain = id.replace(DATE, '');
  const known = ownValue(knownModels, id) ?? ownValue(knownModels, plain);
  const corrected = ownValue(settings.catalog, id) ?? ownValue(settings.catalog, plain);
  if (known === undefined && corrected === undefined) {
    throw new SummarizerError('unknown-model', { detail: JSON.stringify(id) });
  }
  const facts = modelFactsSchema.safeParse({ ...known, ...corrected });
  if (facts.success) return { id, facts: facts.data };
  const { key, allowed } = schemaProblem(facts.error);
  throw new SummarizerError('unknown-model', { detail: `${key} of ${JSON.stringify(id)} must be ${allowed}` });
}

/** The short names that can be used, and what each stands for. */
export function modelAliases(settings: ModelSettings): { readonly alias: string; readonly id: string }[] {
  return Object.entries({ ...knownAliases, ...settings.aliases }).map(([alias, id]) => ({ alias, id }));
}
