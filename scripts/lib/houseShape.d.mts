/** What a row of CONTRIBUTING's table says to each figure. */
export declare const FIGURES: ReadonlyMap<string, string>;

export declare function houseShape(): Promise<Map<string, number>>;

/** The figures that are larger than CONTRIBUTING allows, or that it does not name, a line for each. */
export declare function shapeProblems(shape: ReadonlyMap<string, number>, text: string): string[];

/** How many knots there are in which each leads to each other. */
export declare function cyclesIn<T>(nodes: readonly T[], next: (node: T) => readonly T[]): number;
