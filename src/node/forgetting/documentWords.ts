import * as z from 'zod/mini';
import { armedContextSchema } from '../../core/model/preparedBrief';
import { composedContextRecordSchema } from '../../core/model/composition';
import { configSchema } from '../../core/model/config';
import * as layers from '../../core/model/layers';
import { projectManifestSchema } from '../../core/model/manifest';
import * as notebook from '../../core/model/notebook';
import * as brief from '../../core/model/preparedBrief';
import * as rolling from '../../core/model/rolling';
import { setupRecordSchema } from '../../core/model/setupRecord';

/** The names of fields in what Keepit writes, and words that stand for one of several: whoever has said such a word has not said these. */
export function documentWords(): string {
  const documents = [
    projectManifestSchema,
    configSchema,
    armedContextSchema,
    composedContextRecordSchema,
    setupRecordSchema,
    ...[layers, notebook, brief, rolling].flatMap((room) =>
      Object.values(room).filter((one) => one instanceof z.ZodMiniType),
    ),
  ];
  return JSON.stringify(documents.map((one) => z.toJSONSchema(one, { unrepresentable: 'any', io: 'input' })));
}
