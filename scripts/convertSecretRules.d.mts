export function translate(source: string): string;
export function secretRulesText(toml: string): Promise<string>;
