import * as z from 'zod/mini';
import type { Scan } from '../../core/sessions/transcriptScanner';
import type { ScanRequest } from '../claude/scanFile';

/** What the threads that scan are told at their start. */
export const scannerWorkerDataSchema = z.object({ ranksFile: z.string() });
export type ScannerWorkerData = z.infer<typeof scannerWorkerDataSchema>;

/** To a thread: scan these, one after the other, or stop scanning one. A message costs more than scanning a small file does. */
export type ScannerOrder =
  { kind: 'scan'; jobs: { id: number; request: ScanRequest }[] } | { kind: 'cancel'; id: number };

/** From a thread, for each job. The answers to an order come together. */
export type ScannerAnswer = { kind: 'done'; id: number; scan: Scan } | { kind: 'failed'; id: number; reason: string };
