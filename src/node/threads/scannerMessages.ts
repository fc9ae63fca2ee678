import * as z from 'zod/mini';
import type { Scan } from '../../core/ports';
import type { ScanRequest } from '../claude/scanFile';

/** What the threads that scan are told at their start. */
export const scannerWorkerDataSchema = z.object({ ranksFile: z.string() });
export type ScannerWorkerData = z.infer<typeof scannerWorkerDataSchema>;

/** To a thread: scan this, or stop scanning it. */
export type ScannerOrder = { kind: 'scan'; id: number; request: ScanRequest } | { kind: 'cancel'; id: number };

/** From a thread: each order to scan gets one answer. */
export type ScannerAnswer = { kind: 'done'; id: number; scan: Scan } | { kind: 'failed'; id: number; reason: string };
