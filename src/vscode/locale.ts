/**
 * How dates are written: as the system says, where it speaks the language of the window. VS Code knows a language but
 * no region, and `en` alone would write American dates for everybody.
 */
export function readerLocale(displayLanguage: string, systemLocale = systemDefault()): string {
  const language = (tag: string): string => tag.split('-')[0]?.toLowerCase() ?? '';
  return language(systemLocale) === language(displayLanguage) ? systemLocale : displayLanguage;
}

function systemDefault(): string {
  return new Intl.DateTimeFormat().resolvedOptions().locale;
}
