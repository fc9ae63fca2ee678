export interface NoticeParts {
  readonly folders: readonly string[];
  readonly licences?: Readonly<Record<string, string>>;
  readonly data?: readonly {
    readonly name: string;
    readonly version: string;
    readonly licence: string;
    readonly file: string;
  }[];
}

export interface BundleReport {
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
  >;
}

export declare function bundledPackages(metafiles: readonly BundleReport[]): string[];
export declare function noticesText(parts: NoticeParts): Promise<string>;
