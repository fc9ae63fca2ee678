import type { Evidence } from '../../model/layers';

/** Where in a session something was found. */
export type FactEvidence = Pick<Evidence, 'messageUuid' | 'excerpt' | 'ts'>;
