import { CONTRAST, DECISION, QUESTION, REASON, RULE } from '../../material/statements';

/** What a sentence does, as far as its words tell. Words only add to what position, role and novelty say. */
export interface Cues {
  /** Tells how things are to be done, or not. */
  readonly isRule: boolean;
  readonly isDecision: boolean;
  readonly isReason: boolean;
  readonly isError: boolean;
  readonly isFix: boolean;
  /** Something is different from before. */
  readonly isChange: boolean;
  /** Something is left to do. */
  readonly isOpen: boolean;
  readonly isQuestion: boolean;
  /** Says what will be done next, and nothing that lasts. */
  readonly isAnnouncement: boolean;
  /** Thanks, greets, praises. */
  readonly isCourtesy: boolean;
  /** Forbids, or takes back. */
  readonly isNegative: boolean;
}

export const cueNames = [
  'isRule',
  'isDecision',
  'isReason',
  'isError',
  'isFix',
  'isChange',
  'isOpen',
  'isQuestion',
  'isAnnouncement',
  'isCourtesy',
  'isNegative',
] as const satisfies readonly (keyof Cues)[];

/** Words of languages that separate words by spaces; matched from the beginning of a word to its end, `*` at the end matches any ending. */
function spaced(words: string): string {
  const alternatives = words
    .trim()
    .split(/(?<!\s)\s*\|\s*/)
    .map((word) => word.replace(/\s+/g, '\\s+').replace(/\*/g, '\\p{L}*'));
  return `(?<![\\p{L}\\p{N}_])(?:${alternatives.join('|')})(?![\\p{L}\\p{N}_])`;
}

function pattern(words: string, unspaced: string): RegExp {
  return new RegExp(`${spaced(words)}|${unspaced}`, 'iu');
}

/** Somebody wants something to be done in a certain way, in politer words than those of {@link RULE}. */
const REQUEST = pattern(
  `i want(?! to)|i'd like(?! to)|i’d like(?! to)|i expect|need you to|want you to|would like you to|want to (?:use|have|add|keep|make|build|start|move|switch|store|support|avoid)|be sure to|please (?:use|start|end|add|include|write|keep|ensure|follow|adopt|stop|apply|name|begin)|
  refrain|stick to|start using|stop using|begin using|switch to|mandatory|required|require*|requirement|convention|policy|guideline*|our standard|rule|we use|we're using|we are using|
  пожалуйста|используй*|предпочита*|bitte|verwende*|benutze*|por favor|usa|utiliza|veuillez|utilise*|use|استخدم|رجاء|من فضلك|해 ?주세요`,
  '请|請|ください|お願い|해\\s?주세요',
);
const ERROR = pattern(
  `error*|fail|fails|failed|failing|failure*|exception*|traceback|bug*|broken|breaks|crash*|not working|doesn't work|doesn’t work|does not work|did not work|didn't work|issue*|problem*|wrong|
  incorrect*|invalid|missing|timeout*|timed out|cannot|can't|can’t|unable|denied|refused|conflict*|leak*|deadlock|regression|stuck|
  ошибк*|ошибок|падает|падение|упал*|сломал*|не работает|проблем*|неверн*|баг*|исключени*|
  fehler|fehlgeschlagen|kaputt|abgestürzt|problem|falsch|funktioniert nicht|
  fallo|falla|falló|roto|problema*|incorrecto|no funciona|
  erreur*|échoue|échoué|échec|cassé|problème*|ne marche pas|ne fonctionne pas|
  erro*|falha*|falhou|quebrado|não funciona|
  خطأ|الخطأ|أخطاء|فشل|مشكلة|معطل|لا يعمل`,
  '错误|錯誤|失败|失敗|异常|超时|崩溃|问题|報錯|报错|エラー|例外|不具合|おかしい|バグ|落ちる|問題|오류|에러|실패|문제|버그',
);
const FIX = pattern(
  `fix|fixed|fixes|fixing|resolve|resolved|resolves|solved|solution|corrected|works now|now works|working now|passing|passes|passed|succeeded|workaround|the fix|
  исправ*|починил*|почини|решен*|работает|проходят|
  behoben|gelöst|lösung|korrigiert|repariert|
  arreglado|corregido|solución|resuelto|funciona|
  corrigé|résolu|solution|réparé|
  corrigido|resolvido|solução|
  أصلحت|أصلح|إصلاح|الحل|تم حل`,
  '修复|修復|修正|解决|解決|直し|直って|通过|成功|수정|해결|고쳤',
);
const CHANGE = pattern(
  `actually|instead|no longer|not anymore|anymore|changed|change from|changed from|updated|update on|updating|switch*|replace*|rename*|moved to|migrat*|from now on|now|new|revert*|rather|correction|
  на самом деле|больше не|теперь|вместо|заменил*|изменил*|переименовал*|
  jetzt|stattdessen|nicht mehr|geändert|ersetzt|
  ahora|en realidad|ya no|cambiado|reemplaza*|
  maintenant|en fait|ne plus|changé|remplacé|
  agora|na verdade|mudou|
  الآن|بدلا|لم يعد|تغيير|استبدال`,
  '改为|改成|改用|不再|现在|替换|更新|変更|もう|代わり|置き換え|今は|변경|이제|대신',
);
const OPEN = pattern(
  `todo|to do|next step*|remaining|pending|not yet|still need*|still to|follow-up|follow up|left to do|outstanding|later|would you like|shall i|should i|do you want|unresolved|open question*|deferred|
  осталось|ещё не|потом|далее|следующ*|позже|нужно ещё|
  noch nicht|offen|später|nächste*|
  pendiente|todavía no|falta|después|siguiente*|
  reste|pas encore|ensuite|plus tard|prochain*|
  pendente|ainda não|próxim*|
  لاحقا|المتبقي|بعد ذلك|لم يتم`,
  '待办|待辦|下一步|还没|尚未|稍后|剩下|残り|まだ|次に|後で|未対応|아직|다음|남은|나중',
);
const ANNOUNCEMENT =
  /^(?:(?:ok|okay|great|perfect|excellent|good|now|next|first|then|finally|also|alright|sure)[,.! ]+)*(?:(?:let me|let's|let’s|i'll|i’ll|i will|i'm going to|i’m going to|i am going to|i need to|now i|i can see|i see|i should|we'll now|looking at|going to|time to)(?!\p{L})|(?:now|next|first|finally)[, ]+(?:let|i|we|the next)(?!\p{L}))|^(?:сейчас|теперь|давайте|посмотрю|проверю|сначала)(?!\p{L})|^(?:让我|我来|现在|首先|接下来)|^(?:まず|次に|では)|ます[。:：]?$(?<=(?:確認|調べ|見て|実行)\p{L}{0,4}[。:：]?)/iu;
const COURTESY =
  /^(?:(?:hi|hey|hello|good (?:morning|afternoon|evening|day|job|work|question|to hear|point|idea)|thank(?:s| you)|thanks|you're (?:very )?welcome|you’re (?:very )?welcome|no problem|great(?: question| job| work| idea| to| catch| point)?|you're (?:absolutely |totally |completely )?right|you’re (?:absolutely |totally )?right|perfect|excellent|wonderful|fantastic|awesome|nice|sounds (?:good|great)|absolutely|exactly|of course|certainly|sure|understood|got it|noted|okay|ok|alright|yes|indeed|keep up|don't hesitate|don’t hesitate|feel free|i'm glad|i’m glad|glad|i appreciate|i'm here|i’m here|have a (?:great|good|nice)|see you|how are you|i'm doing|i’m doing|i'm (?:great|good|fine)|that's (?:great|what|perfect|good|wonderful)|that’s (?:great|what|perfect|good|wonderful)|it's great|it’s great|let me know if)(?!\p{L})|(?:привет|спасибо|здравствуйте|пожалуйста|отлично|хорошо|понял|поняла|ок|да)(?!\p{L})|(?:hallo|danke|gut|gerne|hola|gracias|de acuerdo|bonjour|merci|d'accord|olá|obrigad[oa]|شكرا|مرحبا|حسنا)(?!\p{L})|好的|谢谢|你好|明白|收到|已记录|ありがとう|了解(?:です|しました)?|承知|かしこまりました|記録しました|はい|감사|네[,. ])/iu;
const NEGATIVE = pattern(
  `not|never|no|don't|don’t|doesn't|doesn’t|avoid|stop|without|no longer|forbid*|refrain|not use|remove|drop|disable*|
  не|никогда|нельзя|без|
  nicht|nie|niemals|kein|keine|keinen|ohne|
  nunca|sin|ne|pas|jamais|sans|não|sem|
  لا|ليس|بدون|تجنب`,
  '不|没|禁止|避免|ない|禁|않|말고|마세요',
);

const LONGEST_AFTER_COURTESY = 30;
/** More of a long sentence is not looked at. */
const LOOKED_AT = 400;

/** Reads the cues of one sentence. */
export function readCues(sentence: string): Cues {
  const text = sentence.length > LOOKED_AT ? sentence.slice(0, LOOKED_AT) : sentence;
  return {
    isRule: RULE.test(text) || REQUEST.test(text),
    isDecision: DECISION.test(text) || CONTRAST.test(text),
    isReason: REASON.test(text),
    isError: ERROR.test(text),
    isFix: FIX.test(text),
    isChange: CHANGE.test(text),
    isOpen: OPEN.test(text),
    isQuestion: QUESTION.test(sentence),
    isAnnouncement: ANNOUNCEMENT.test(text),
    isCourtesy: isCourtesy(text),
    isNegative: NEGATIVE.test(text),
  };
}

/** A courtesy, and hardly anything else. */
function isCourtesy(text: string): boolean {
  const courtesy = COURTESY.exec(text);
  return courtesy !== null && text.length - courtesy[0].length < LONGEST_AFTER_COURTESY;
}
