import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { createFile, placeFile } from '../files/atomicFile';
import { unlessGone } from '../files/errorCode';
import { readWithin, resolveWithin } from '../files/links';
import { storing } from '../files/storeFailure';

const NAME = 'CLAUDE.md';
/** As an editor would make it: the file is the project's, not Keepit's. */
const NEW_MODE = 0o644;

/** A project's `CLAUDE.md`, whose bytes are one character each: what is around them is nobody's to change, whatever its encoding is. */
export class InstructionsFile {
  async read(projectPath: string): Promise<string | undefined> {
    const file = path.join(projectPath, NAME);
    return (await storing(file, () => readWithin(projectPath, file)))?.toString('latin1');
  }

  /** A symbolic link in its place is followed within the project, as to `AGENTS.md`; the file keeps its mode. */
  async write(projectPath: string, bytes: string | undefined): Promise<void> {
    const file = path.join(projectPath, NAME);
    await storing(file, async () => {
      const real = await resolveWithin(projectPath, file);
      if (bytes === undefined) {
        await rm(file, { force: true });
        return;
      }
      const mode = (await unlessGone(stat(real)))?.mode ?? NEW_MODE;
      await placeFile(real, (temporary) =>
        createFile(temporary, async (handle) => {
          await handle.writeFile(bytes, 'latin1');
          await handle.chmod(mode & 0o777);
          await handle.sync();
        }),
      );
    });
  }
}
