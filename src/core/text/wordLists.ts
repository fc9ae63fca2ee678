import * as ar from './languages/ar.json';
import * as de from './languages/de.json';
import * as en from './languages/en.json';
import * as es from './languages/es.json';
import * as fr from './languages/fr.json';
import * as it from './languages/it.json';
import * as ja from './languages/ja.json';
import * as ko from './languages/ko.json';
import * as pt from './languages/pt.json';
import * as ru from './languages/ru.json';
import * as zh from './languages/zh.json';

/*
 * Lists of words that the languages have. Each is named by itself, so that a program that needs one of them does not carry the others:
 * hooks are started hundreds of times a day.
 */

function words(...lists: readonly string[]): string[] {
  return lists.flatMap((list) => (list === '' ? [] : list.split(' ')));
}

/** Words that deny or rule out. */
export const negations = (): string[] =>
  words(
    ar.negations,
    de.negations,
    en.negations,
    es.negations,
    fr.negations,
    it.negations,
    ja.negations,
    ko.negations,
    pt.negations,
    ru.negations,
    zh.negations,
  );

/** Words without content of their own. */
export const stopWords = (): string[] =>
  words(
    ar.stopWords,
    de.stopWords,
    en.stopWords,
    es.stopWords,
    fr.stopWords,
    it.stopWords,
    ja.stopWords,
    ko.stopWords,
    pt.stopWords,
    ru.stopWords,
    zh.stopWords,
  );

/** Words that say nothing about what a sentence is about. */
export const emptyWords = (): string[] =>
  words(
    ar.emptyWords,
    de.emptyWords,
    en.emptyWords,
    es.emptyWords,
    fr.emptyWords,
    it.emptyWords,
    ja.emptyWords,
    ko.emptyWords,
    pt.emptyWords,
    ru.emptyWords,
    zh.emptyWords,
  );

/** Numbers and times that are written as words. */
export const figures = (): string[] =>
  words(
    ar.figures,
    de.figures,
    en.figures,
    es.figures,
    fr.figures,
    it.figures,
    ja.figures,
    ko.figures,
    pt.figures,
    ru.figures,
    zh.figures,
  );

/** Words of the craft: what sessions about software are about. */
export const craft = (): string[] =>
  words(ar.craft, de.craft, en.craft, es.craft, fr.craft, it.craft, ja.craft, ko.craft, pt.craft, ru.craft, zh.craft);

/** Words by which requests are put, and not what they are about. */
export const requestWords = (): string[] =>
  words(
    ar.requestWords,
    de.requestWords,
    en.requestWords,
    es.requestWords,
    fr.requestWords,
    it.requestWords,
    ja.requestWords,
    ko.requestWords,
    pt.requestWords,
    ru.requestWords,
    zh.requestWords,
  );

/** Words that are no part of a name: what is done or how it is, and not what it is done to. */
export const namelessWords = (): string[] =>
  words(
    ar.namelessWords,
    de.namelessWords,
    en.namelessWords,
    es.namelessWords,
    fr.namelessWords,
    it.namelessWords,
    ja.namelessWords,
    ko.namelessWords,
    pt.namelessWords,
    ru.namelessWords,
    zh.namelessWords,
  );

/** What the lines at the head of a mail begin with. */
export const mailFields = (): string[] =>
  words(
    ar.mailFields,
    de.mailFields,
    en.mailFields,
    es.mailFields,
    fr.mailFields,
    it.mailFields,
    ja.mailFields,
    ko.mailFields,
    pt.mailFields,
    ru.mailFields,
    zh.mailFields,
  );

/** What a full stop belongs to that ends no sentence. */
export const abbreviations = (): string[] =>
  words(
    ar.abbreviations,
    de.abbreviations,
    en.abbreviations,
    es.abbreviations,
    fr.abbreviations,
    it.abbreviations,
    ja.abbreviations,
    ko.abbreviations,
    pt.abbreviations,
    ru.abbreviations,
    zh.abbreviations,
  );
