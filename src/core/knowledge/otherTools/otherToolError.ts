import { expectedFailure } from '../../text/keepitError';

/** What another tool has stored could not be read. Nothing was changed. */
export class OtherToolError extends expectedFailure('other-tool-', {
  'not-there': (what) => ({
    message: `There is no memory of ${what}.`,
    hint: 'Name its file or folder: `keepit import FILE --from …`.',
  }),
  unreadable: (what) => ({
    message: `${what} cannot be read as that tool's memory.`,
    hint: 'Check that it is the right file, and from which tool it is.',
  }),
  'no-sqlite': (version) => ({
    message: `This is an SQLite file, which Node ${version} cannot read.`,
    hint: 'Import it in VS Code, or with Node 22.13 or newer.',
  }),
}) {}
