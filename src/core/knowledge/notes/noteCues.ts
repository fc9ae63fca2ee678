import { QUESTION, REASON, isCourtesy, phrases } from '../../material/statements';

/** What a sentence of a session does for its notes, as far as its words tell. */
export interface NoteCues {
  readonly isReason: boolean;
  readonly isFix: boolean;
  /** Something is left to do. */
  readonly isOpen: boolean;
  readonly isQuestion: boolean;
  /** Says what will be done next, and nothing that lasts. */
  readonly isAnnouncement: boolean;
  /** Thanks, greets, praises, and hardly anything else. */
  readonly isCourtesy: boolean;
}

const FIX = phrases(
  `fix|fixed|fixes|fixing|resolve|resolved|resolves|solved|solution|corrected|works now|now works|working now|passing|passes|passed|succeeded|workaround|the fix|
  исправ*|починил*|почини|решен*|работает|проходят|
  behoben|gelöst|lösung|korrigiert|repariert|
  arreglado|corregido|solución|resuelto|funciona|
  corrigé|résolu|solution|réparé|
  corrigido|resolvido|solução|
  أصلحت|أصلح|إصلاح|الحل|تم حل`,
  '修复|修復|修正|解决|解決|直し|直って|通过|成功|수정|해결|고쳤',
);
const OPEN = phrases(
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
/** More of a long sentence is not looked at. */
const LOOKED_AT = 400;

/** Reads the cues of one sentence. */
export function readNoteCues(sentence: string): NoteCues {
  const text = sentence.length > LOOKED_AT ? sentence.slice(0, LOOKED_AT) : sentence;
  return {
    isReason: REASON.test(text),
    isFix: FIX.test(text),
    isOpen: OPEN.test(text),
    isQuestion: QUESTION.test(sentence),
    isAnnouncement: ANNOUNCEMENT.test(text),
    isCourtesy: isCourtesy(text),
  };
}
