import type { HookStore } from './hooks/hookStore';
import { HooksService } from './hooks/hooksService';
import { HookWork } from './hooks/hookWork';
import { UserNotes } from './hooks/userNotes';
import { Promoting } from './promoting';
import { Remembering, type RememberingParts } from './remembering';

type HookParts = ConstructorParameters<typeof HookWork>[0] &
  Omit<RememberingParts, 'hookWork'> & { readonly hookStore: HookStore };

/** Wires what hooks did, what they ask for, and what makes a project remembered. */
export function openHooks(parts: HookParts) {
  const { store, hookStore, layers, rolling, registration } = parts;
  const notes = new UserNotes(parts);
  const hookWork = new HookWork(parts, notes);
  const remembering = new Remembering({ store, hookStore, layers, rolling, registration, hookWork });
  const promoting = new Promoting({ layers, hookStore });
  return { hooks: [new HooksService(hookStore, parts), hookWork, notes] as const, remembering, promoting };
}
