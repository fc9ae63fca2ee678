import { StoreError } from '../../core/model/storeError';
import { isSafeSegment } from '../../core/model/fields';

/** A name that comes from outside, as one segment of a path. Throws `StoreError` for one that could leave its folder. */
export function plainName(name: string): string {
  if (isSafeSegment(name)) return name;
  throw new StoreError('unsafe-name', { path: name });
}
