/**
 * 64 bits of any text as 16 hex digits: no secret, and the same everywhere.
 *
 * Two multiply-and-xor lanes of 32 bits (the cyrb construction) rather than SHA: the core has no crypto module, nobody
 * gains from a collision within their own transcript, and at 64 bits 100,000 markers collide once in 10⁹ stores.
 */
export function hash64(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  const mixedHigh = mix(high, low);
  return hex32(mixedHigh) + hex32(mix(low, mixedHigh));
}

function mix(value: number, other: number): number {
  const mixed = Math.imul(value ^ (value >>> 16), 2246822507);
  return mixed ^ Math.imul(other ^ (other >>> 13), 3266489909);
}

function hex32(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
