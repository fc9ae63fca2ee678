import { ownValue } from '../text/ownValue';

/** Letters that people write with or without their marks: é and e, ё and е, أ and ا. Others, such as й, are letters of their own. */
const MARKED =
  /[\u00c0-\u017f\u01cd-\u01f5\u0218-\u021b\u1e00-\u1ef9\u0386-\u03ce\u0401\u0451\u0622-\u0627\u0629\u0649]/g;
const NOT_ASCII = /[^\0-\u007f]/;

/** Those that do not come apart. */
const others: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ħ: 'h', ı: 'i', ة: 'ه', ى: 'ي' };

const known = new Map<string, string>();

/**
 * A text in lower case and without marks on its letters, so that who types `deploiement` finds `déploiement`. As long as the text in lower
 * case: offsets stay what they are.
 */
export function foldedText(text: string): string {
  const lower = text.toLowerCase();
  return NOT_ASCII.test(lower) ? lower.replace(MARKED, foldedLetter) : lower;
}

function foldedLetter(letter: string): string {
  let folded = known.get(letter);
  if (folded === undefined) {
    folded = ownValue(others, letter) ?? letter.normalize('NFD').charAt(0);
    known.set(letter, folded);
  }
  return folded;
}
