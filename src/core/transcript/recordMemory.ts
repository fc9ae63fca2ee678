import { EnvelopeRuns } from './envelopeRun';
import { Interned } from './interned';
import { RecordShapes } from './recordShapes';
import { SpareBuffer } from './spareBuffer';

/**
 * What is remembered from record to record, and may be from file to file: strings that rarely change, runs of fields,
 * shapes of records. It makes reading fast and changes nothing of what is read.
 */
export class RecordMemory {
  readonly type = new Interned();
  readonly sessionId = new Interned();
  readonly cwd = new Interned();
  readonly version = new Interned();
  readonly gitBranch = new Interned();
  readonly model = new Interned();
  readonly messageId = new Interned();
  readonly agentId = new Interned();
  readonly blockType = new Interned();
  readonly toolName = new Interned();
  readonly runs = new EnvelopeRuns();
  readonly shapes = new RecordShapes();
  readonly spare = new SpareBuffer();
  /** Whether the inputs of tool calls are looked into; where only figures are wanted, their size is enough. */
  readonly isDetailed: boolean;

  constructor(isDetailed: boolean) {
    this.isDetailed = isDetailed;
  }
}
