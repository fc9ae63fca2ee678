import { lightPattern } from './lightPattern';
import { ownValue } from '../../text/ownValue';

/** What has names in code, as people call it in the languages in which they work; each kind has forms of its own. */
const WORDS: readonly (readonly [kind: string, words: string])[] = [
  [
    'argument',
    'arguments?|args?|parameters?|params?|аргумент\\p{L}*|параметр\\p{L}*|argumenten?|argumente|parametern?|paramètres?|argumentos?|parámetros?|参数|參數|引数|パラメータ|معاملات',
  ],
  [
    'attribute',
    'attributes?|attrs?|propert(?:y|ies)|fields?|instance variables?|атрибут\\p{L}*|свойств\\p{L}*|attributen?|eigenschaft\\p{L}*|attributs?|propriétés?|atributos?|propiedad(?:es)?|属性|屬性|プロパティ|خصائص',
  ],
  [
    'function',
    'functions?|funcs?|функци\\p{L}*|funktion(?:en|s\\p{L}*)?|fonctions?|funci(?:ón|ones)|函数|函數|関数|(?:ال|لل)?(?:دالة|دوال)',
  ],
  ['method', 'methods?|метод\\p{L}*|methode\\p{L}*|méthodes?|métodos?|方法|メソッド'],
  ['variable', 'variables?|vars?|переменн\\p{L}*|variablen\\p{L}*|变量|變量|変数|(?:ال|لل)?متغيرات'],
  ['class', 'class(?:es)?|класс\\p{L}*|klassen?\\p{L}*|clases?|类(?!型)|クラス|(?:ال|لل)?(?:أصناف|فئات)'],
  ['constant', 'constants?|consts?|констант\\p{L}*|konstanten?\\p{L}*|constantes?|常量|定数|(?:ال|لل)?ثوابت'],
];
const KIND = lightPattern(
  new RegExp(
    WORDS.map(([kind, words]) => `(?<${kind}>(?<![\\p{L}\\p{N}_])(?:${words})(?![\\p{L}\\p{N}_]))`).join('|'),
    'gu',
  ),
);
/** `Arguments of functions` are arguments, and so are `function arguments`. */
const PART_OF =
  /\b((?:argument|parameter|attribute|variable|method|propert(?:y|ie)|field)s?)(?: names?)?\s+(?:of|in|for|to|within)\s+(?:(?:your|our|the|all|any|each|every|a|an)\s+){0,2}(?:function|method|class)(?:e?s)?\b/gi;
const OWNED =
  /\b(?:function|method|class|instance)(?:['’]s|s['’])?\s+(?=(?:argument|parameter|param|arg|attribute|method|variable|propert|field)\w*)/gi;
/** What may stand between two kinds for which the same is said. */
const TOGETHER =
  /^(?:['’]?s?\s{0,20}(?:names?|名)?\s{0,20}(?:,|&|\/|and|or|as well as|и|und|et|y|o|和|と|و){1,40}\s{0,20}(?:(?:and|the|all|our|your|also)\s{1,20}){0,40})$/i;

/** The kinds of names that a text speaks of, in order. */
export function kindsIn(text: string): string[] {
  return groupsIn(text).flat();
}

/** The same, with kinds that are named together in one list. */
export function groupsIn(text: string): string[][] {
  const plain = text.toLowerCase().replace(PART_OF, '$1').replace(OWNED, '');
  const groups: string[][] = [];
  let end = -1;
  for (const match of plain.matchAll(KIND)) {
    const kind = WORDS.find(([name]) => ownValue(match.groups, name) !== undefined)?.[0] ?? '';
    const last = groups.at(-1);
    if (last !== undefined && TOGETHER.test(plain.slice(end, match.index))) last.push(kind);
    else groups.push([kind]);
    end = match.index + match[0].length;
  }
  return groups;
}
