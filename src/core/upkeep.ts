import type { Remembering } from './claude/remembering';
import type { Ledger } from './model/host';
import { examineMemory } from './sessions/doctor';
import { measureMemory } from './sessions/sessionViews';

type UpkeepParts = Parameters<typeof examineMemory>[0] & { readonly ledger: Ledger };

/** What looks after memory as a whole. */
export function upkeepOf(parts: UpkeepParts, checkHooks: Remembering['check']) {
  return {
    stats: (projectId?: string) => measureMemory(parts, projectId),
    /** Never throws for what it finds: that is in the checks. */
    doctor: async (options?: { repair?: boolean }, signal?: AbortSignal) => [
      ...(await examineMemory(parts, options, signal)),
      await checkHooks(),
    ],
    /** Every call of a model that is known of, oldest first, with what it cost. */
    ledger: () => parts.ledger.entries(),
  };
}
