import { withoutSecrets } from './secrets/cleanText';

/** A text as the layers may hold it: without what people have marked as private, and without secrets. */
export function writable(text: string): string {
  return withoutSecrets(text);
}
