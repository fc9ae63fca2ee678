import { isSameAffix, replacesAffix } from './affixes';
import { areAlternatives } from './alternatives';
import type { Claim, Clause, Place } from './claims';

/** As much of both has to be the same, for one to be the other's opposite, or to name another value. */
const SAME_SUBJECT = 0.55;
/** As much of the larger one, where nothing else tells that both are about the same. */
const SAME_FRAME = 0.6;

/** Whether both say how the same names begin, or end. */
export function concernsSameNames({ affixes }: Claim, other: Claim): boolean {
  return affixes.some((one) => other.affixes.some(({ slot, noun }) => slot === one.slot && noun === one.noun));
}

/** Whether the later one only says again what the earlier one has of names: no reason to put it in its place. */
export function repeats(later: Claim, earlier: Claim): boolean {
  return (
    later.affixes.length > 0 && later.affixes.every((one) => earlier.affixes.some((other) => isSameAffix(other, one)))
  );
}

/** Whether what was said later leaves nothing of what was said earlier. */
export function outdates(later: Claim, earlier: Claim): boolean {
  if (earlier.affixes.length > 0)
    return earlier.affixes.every((affix) => later.affixes.some((newer) => replacesAffix(newer, affix)));
  if (later.affixes.length > 0) return false;
  return earlier.clauses.some((old) => later.clauses.some((clause) => replaces(clause, old, later)));
}

function replaces(later: Clause, earlier: Clause, { isChange, isAddition }: Claim): boolean {
  if (areOfTwoKinds(later, earlier)) return false;
  if (later.isNegative !== earlier.isNegative) return isTakenBack(later, earlier, isChange);
  if (later.isNegative) return false;
  if (earlier.style !== '' && later.style !== '') return isOtherStyle(later, earlier);
  if (!isAddition && (isOtherChoice(later, earlier, isChange) || (isChange && isOtherSort(later, earlier))))
    return true;
  if (isOtherLength(later, earlier) || isOtherAmount(later, earlier) || isOtherCondition(later, earlier)) return true;
  return isOtherCircumstance(later, earlier, isChange);
}

/** Another place, time or means for the same. */
function isOtherCircumstance(later: Clause, earlier: Clause, isChange: boolean): boolean {
  return (
    (isChange && isOtherRole(later, earlier)) ||
    isOtherPlace(later.place, earlier.place, isChange) ||
    (isChange && isOtherPlace(later.means, earlier.means, false))
  );
}

/** What was forbidden is allowed, or the other way round. */
function isTakenBack(later: Clause, earlier: Clause, isChange: boolean): boolean {
  if (!isChange && isElsewhere(later, earlier)) return false;
  if (isSameObject(later, earlier, isChange)) return true;
  if (later.isRejected && isSameAmount(later, earlier)) return true;
  // To be for the same is not to be the same.
  const own = [...later.subject.keys()].filter((word) => earlier.subject.has(word) && !later.purpose.has(word));
  const areApart = later.object.size > 0 && earlier.object.size > 0 && isDisjoint(later.object, earlier.object);
  // To edit a file is not to format it.
  const areDone = later.begins !== '' && earlier.begins !== '';
  if (areDone && !earlier.subject.has(later.begins) && !later.subject.has(earlier.begins)) return false;
  return own.length > 0 && !areApart && likeness(later.subject, earlier.subject, isChange ? 1 : 2) >= SAME_SUBJECT;
}

/** Said of another place alone, it makes an exception, and takes nothing back. */
function isElsewhere({ roles }: Clause, earlier: Clause): boolean {
  const where = [...(roles.get('where') ?? [])];
  return where.length > 0 && where.every((word) => !earlier.subject.has(word));
}

/** The same thing, unless each rule is about another use of it. */
function isSameObject(later: Clause, earlier: Clause, isChange: boolean): boolean {
  const [few, many] = [later.object, earlier.object].sort((a, b) => a.size - b.size);
  if (few === undefined || many === undefined || few.size === 0) return false;
  if (![...few].every((word) => many.has(word)) || many.size > few.size + 1) return false;
  const areApart = later.purpose.size > 0 && earlier.purpose.size > 0 && isDisjoint(later.purpose, earlier.purpose);
  return isChange || !areApart;
}

function isDisjoint(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return [...one].every((word) => !other.has(word));
}

/** Another thing of the same row, for the same purpose. */
function isOtherChoice(later: Clause, earlier: Clause, isChange: boolean): boolean {
  const names = new Set(later.choices.map(({ name }) => name));
  const isOther =
    earlier.choices.length > 0 &&
    earlier.choices.every(
      (old) => !names.has(old.name) && later.choices.some((choice) => areAlternatives(choice, old)),
    );
  if (!isOther) return false;
  if (later.isMain && earlier.isMain) return true;
  // What is of several rows may be meant for another use.
  const isPlain = later.choices.every(({ rows }) => rows.size === 1);
  if (earlier.purpose.size === 0) return later.purpose.size === 0 || (isChange && isPlain);
  if (later.purpose.size === 0 || !isDisjoint(later.purpose, earlier.purpose))
    return isChange || later.purpose.size > 0;
  // `Notion for the notes`, and then: keep the notes in Confluence.
  return isChange && [...earlier.purpose].every((word) => later.subject.has(word));
}

/** Another sort of the same thing, for the same purpose: `the company phone`, and then `your own phone`. */
function isOtherSort(later: Clause, earlier: Clause): boolean {
  if (!later.isUse || !earlier.isUse || earlier.purpose.size === 0) return false;
  const [one, other] = [[...later.object], [...earlier.object]];
  if (one.length < 2 || other.length < 2 || one.at(-1) !== other.at(-1)) return false;
  const areTwo = isDisjoint(new Set(one.slice(0, -1)), new Set(other.slice(0, -1)));
  return areTwo && !isDisjoint(later.purpose, earlier.purpose);
}

function isSameAmount(later: Clause, earlier: Clause): boolean {
  return later.amounts.some(({ value, unit }) =>
    earlier.amounts.some((old) => old.value === value && !isDisjoint(unit, old.unit)),
  );
}

function isOtherStyle(later: Clause, earlier: Clause): boolean {
  if (later.style === earlier.style) return false;
  const areSameNames = later.nouns.some((noun) => earlier.nouns.includes(noun));
  return areSameNames || likeness(later.subject, earlier.subject) >= SAME_SUBJECT;
}

function isOtherAmount(later: Clause, earlier: Clause): boolean {
  const isOther = earlier.amounts.some((old) =>
    later.amounts.some(({ value, unit }) => value !== old.value && [...unit].some((word) => old.unit.has(word))),
  );
  return isOther && likeness(later.subject, earlier.subject, 1) >= SAME_SUBJECT;
}

function isOtherPlace(later: Place | undefined, earlier: Place | undefined, isChange: boolean): boolean {
  if (later === undefined || earlier === undefined || later.verb !== earlier.verb) return false;
  if (!isDisjoint(later.where, earlier.where)) return false;
  const isPlain = earlier.object.size === 0 && later.object.size === 0;
  return (isPlain && isChange) || !isDisjoint(later.object, earlier.object);
}

/** The same in all but one thing: where, when, or by what means. */
function isOtherRole(later: Clause, earlier: Clause): boolean {
  const areOther = [...later.roles].filter(([role, words]) => {
    const known = earlier.roles.get(role);
    return (
      known !== undefined && known.size > 0 && words.size > 0 && !isWithin(words, known) && !isWithin(known, words)
    );
  });
  if (areOther.length !== 1) return false;
  return areAlike(later.frame, earlier.frame);
}

/** Most of the larger one: the smaller one is not merely a part of it. */
function areAlike(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean {
  const larger = Math.max(weightOf(one), weightOf(other));
  return sharedWeight(one, other) >= Math.max(2, SAME_FRAME * larger);
}

function isOtherLength(later: Clause, earlier: Clause): boolean {
  const isOther = later.length !== '' && earlier.length !== '' && later.length !== earlier.length;
  return isOther && areAlike(later.subject, earlier.subject);
}

function isWithin(few: ReadonlySet<string>, many: ReadonlySet<string>): boolean {
  return [...few].every((word) => many.has(word));
}

function isOtherCondition(later: Clause, earlier: Clause): boolean {
  if (later.condition === '' || earlier.condition === '' || later.condition === earlier.condition) return false;
  return likeness(later.subject, earlier.subject, 1) >= SAME_SUBJECT;
}

/** Two kinds of names, two rules, however much alike they are put. */
function areOfTwoKinds({ nouns }: Clause, other: Clause): boolean {
  return nouns.length > 0 && other.nouns.length > 0 && !nouns.some((noun) => other.nouns.includes(noun));
}

/** How much of the smaller subject both have; 0 when they share less than `least`, which is more than a single plain word. */
function likeness(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>, least = 2): number {
  const shared = sharedWeight(one, other);
  const smaller = Math.min(weightOf(one), weightOf(other));
  return smaller === 0 || shared < least ? 0 : shared / smaller;
}

function weightOf(words: ReadonlyMap<string, number>): number {
  return [...words.values()].reduce((all, weight) => all + weight, 0);
}

function sharedWeight(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  return [...one].reduce((sum, [word, weight]) => sum + (other.has(word) ? weight : 0), 0);
}
