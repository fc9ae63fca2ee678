import type { MemoryService } from '../../../../src/core/memory';

/** The part of memory that a test gives to commands. */
export type SomeMemory = { readonly [F in keyof MemoryService]?: Partial<MemoryService[F]> };

export function memoryOf(some: SomeMemory): MemoryService {
  return some as MemoryService;
}
