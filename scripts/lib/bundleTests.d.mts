/** All files below a folder (or the one file named) whose names end with `ending`, sorted. */
export declare function filesBelow(folder: string, ending: string): Promise<string[]>;
