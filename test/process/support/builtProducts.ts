import { CliProgram } from './cliProcess';

/** What a memory finds beside its bundle, as it was built: the threads that scan and compress, and the data for exact counts. */
export function useBuiltProducts(): { readonly distDir: string } {
  const products = { distDir: '' };
  let copy: CliProgram;
  before(async () => {
    copy = await CliProgram.copy();
    products.distDir = copy.dir;
  });
  after(() => copy.dispose());
  return products;
}
