import type { Context } from '../context';
import type { Feature } from '../feature';
import { FileHistoryFeature } from './fileHistoryFeature';
import { SearchFeature } from './searchFeature';
import { SuggestedSessions } from './suggestedSessions';

/** Composes what finds the right past, asked or not. */
export function searchFeatures(context: Context): Feature[] {
  return [new SearchFeature(context), new SuggestedSessions(context), new FileHistoryFeature(context)];
}
