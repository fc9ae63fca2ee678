import { withoutPrivate } from '../safety/privateText';
import { redactSecrets } from '../safety/secrets';

/** A text as the layers may hold it: without what people have marked as private, and without secrets. */
export function writable(text: string): string {
  return redactSecrets(withoutPrivate(text)).text;
}
