import type { ESLint } from 'eslint';

export declare const keepitRules: ESLint.Plugin & { rules: NonNullable<ESLint.Plugin['rules']> };
