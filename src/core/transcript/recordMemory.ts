import { EnvelopeRuns } from './envelopeRun';
import { Interned } from './interned';
import { RecordShapes } from './recordShapes';

/** The strings that rarely change from record to record; lives as long as the reader. */
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
  /** A record's parent is mostly the record before it. */
  readonly lastUuid = new Interned();
  readonly runs = new EnvelopeRuns();
  readonly shapes = new RecordShapes();
  /** Whether the inputs of tool calls are looked into; where only figures are wanted, their size is enough. */
  readonly isDetailed: boolean;

  constructor(isDetailed: boolean) {
    this.isDetailed = isDetailed;
  }
}
