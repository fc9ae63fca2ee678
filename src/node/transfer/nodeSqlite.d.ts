/** What we use of it; only hosts with Node 22.13 or newer have it. */
declare module 'node:sqlite' {
  export class DatabaseSync {
    constructor(file: string);
    prepare(sql: string): { all(): Record<string, unknown>[] };
    close(): void;
  }
}
