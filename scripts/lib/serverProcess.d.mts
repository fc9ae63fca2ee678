/** How a server is started. */
export interface ServerOptions {
  node: string;
  serverMain: string;
  env: Record<string, string | undefined>;
  /** Settings, logs, state. A server keeps its people's settings here: give tests one of their own. */
  dataDir: string;
  extensionsDir: string;
  logFile: string;
  /** What a browser has to know to be let in; without one, everybody on this machine is. */
  connectionToken?: string;
  /** For an extension under development, or a suite. Such a window shows no notifications: one for people is not driven. */
  isDriven?: boolean;
  /** As VS Code does for people: a folder is restricted until they say that they trust it. Otherwise nobody is asked. */
  asksForTrust?: boolean;
}

/** A server that answers. */
export interface RunningServer {
  readonly port: number;
  readonly url: string;
  readonly connectionToken: string | undefined;
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

export declare const chromiumFlags: string[];
export declare function startServer(options: ServerOptions): Promise<RunningServer>;
export declare function workbenchUrl(
  server: Pick<RunningServer, 'port' | 'url' | 'connectionToken'>,
  places: { folder: string; extension?: string; tests?: string },
): string;
