import type { EffectiveKeepit } from '../keepits/effectiveKeepits';
import type { DiscoveredSession } from '../sessions/results';
import type { Outlook } from './keepitOutlook';

/** A keepit with all that a row says of it. */
export interface KeepitRow {
  readonly keepit: EffectiveKeepit;
  readonly session: DiscoveredSession;
  readonly outlook: Outlook;
}
