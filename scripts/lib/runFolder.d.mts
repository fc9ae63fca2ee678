export declare function inRunFolder<T>(task: (folder: string) => Promise<T>, parent?: string): Promise<T>;
