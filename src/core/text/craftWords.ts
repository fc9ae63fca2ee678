/**
 * Words of the craft: what sessions about software are about. They name the subject of a rule, and set work apart from small talk.
 * Programmers of all languages use most of them as they are.
 */
const WORDS =
  'algorithm alias annotation api app application architecture argument array assertion assert async attribute auth authentication authorization ' +
  'backend backup benchmark binary boolean branch browser buffer bug build bundle button byte cache callback certificate class cli client clone closure cloud cluster ' +
  'code codebase column command comment commit compile compiler component config configuration connection console constant constraint constructor container ' +
  'controller cookie coverage crash credential cron css cursor dashboard data database dataset debug debugger decorator default dependency deploy deployment deprecate ' +
  'diff directory docker docstring docs documentation domain driver editor element email encoding encryption endpoint engine enum environment error event exception export ' +
  'extension fallback feature field file filter fixture flag folder font form format formatter framework frontend function generator git gpu handler hash header heap hook host ' +
  'html http icon ide image import index indentation inheritance input instance integration interface interpreter iterator javascript job json jwt kernel key keyword kubernetes ' +
  'label lambda latency layout library license lint linter list loader lock log logger logging login logout loop macro main map merge message metadata method metric middleware ' +
  'migration mock model module monitor mutex namespace network node notification null object offline optimize option orm output package page pagination parameter parser password ' +
  'patch path payload performance permission pipeline pixel platform plugin pointer pool port prefix print procedure process profiler project promise prompt property protocol proxy ' +
  'pull push python query queue race rate react readme recursion redirect refactor reference regex registry release render renderer repo repository request response rest retry ' +
  'rollback route router row rust schema scope script search secret security seed selector serializer server service session shell signature snapshot socket software sql ssl stack ' +
  'staging state static storage store stream string struct style submodule subprocess suffix symbol syntax system table tag task template terminal test theme thread ticket timeout ' +
  'timestamp timezone token tool transaction trigger tuple type typescript ui unicode unit upload url user utility validation validator value variable variant vector version view ' +
  'virtual webhook webpack websocket widget window worker workflow workspace wrapper xml yaml ' +
  'функция переменная класс метод тест ошибка файл база данные индекс сервер запрос код версия модуль ' +
  'funktion variable klasse methode datei fehler datenbank función clase método archivo fonction classe méthode fichier';

/** As many letters as terms of texts are cut to; the caller says how many. */
export function craftStems(stemOf: (word: string) => string): ReadonlySet<string> {
  return new Set(WORDS.split(' ').flatMap((word) => [stemOf(word), stemOf(`${word}s`)]));
}
