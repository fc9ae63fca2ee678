/** What a test machine begins with; both folders are copied. */
export interface TestHomeOptions {
  /** A Claude Code folder (`projects/…`). `/keepit/workspace` in it becomes the workspace's path. */
  claudeFixture?: string;
  workspaceFixture?: string;
  env?: Record<string, string>;
}

/** A machine of its own for one test or suite. */
export interface TestHome {
  readonly dir: string;
  readonly home: string;
  readonly claudeDir: string;
  readonly memoryDir: string;
  readonly workspace: string;
  /** This process's environment with the folders above in place of a person's own, and without any key. */
  readonly env: Record<string, string | undefined>;
  dispose(): Promise<void>;
}

export declare function makeTestHome(options: TestHomeOptions): Promise<TestHome>;
