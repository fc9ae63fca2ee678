/** How sure it is that what a name stands for is a secret: a password may be any word, a key among others has to look like one. */
export type NameStrength = 'password' | 'secret' | 'key';

const PASSWORDS =
  /^(?:pass|pw|psw|pwd|mdp|passe|senha|parola|clave|(?:db|database|user|root|admin|my|sql|mysql|pg|redis|mongo|smtp|imap|mail|ftp|ssh|ldap|http|proxy|login|store|key|require|vnc|sudo|su|wifi|wlan)(?:pass|pw|psw|pwd))$|(?:passw(?:or)?d|passphrase|passcode|passwort|kennwort|wachtwoord|contrase(?:ñ|n)a|motdepasse|has(?:ł|l)o|lösenord|salasana|jelszo|heslo)s?$/;
const FOREIGN_PASSWORDS = /(?:пароль|密码|密碼|口令|パスワード|비밀번호|암호|lösenord|hasło|contraseña)$/i;
const SECRETS =
  /(?:secret|token|apikey|accesskey|secretkey|privatekey|authkey|masterkey|accountkey|signingkey|encryptionkey|licensekey|servicekey)$|^(?:secrets|credentials?|creds?|auth|authorization|jwt|sig|pat|apitoken|requirepass|masterauth|webhooksecret)$/;
const KEY_OF =
  /^(?:api|access|secret|private|priv|account|auth|encryption|encrypt|encryptor|crypt|cipher|signing|sign|signature|master|storage|shared|service|app|application|admin|root|license|licence|deploy|client|consumer|customer|subscription|hmac|aes|jwt|webhook|ssh|gpg|ingest|function|host|recovery|session|cookie|instrumentation|integration|server|write|sas|bot|rest|developer|dev)$/;
const NO_KEY_OF =
  /^(?:public|pub|primary|foreign|cache|sort|hash|partition|row|object|map|dict|json|hot|shortcut|index|idx|group|react|translation|i18n|locale|message|routing|natural|composite|candidate|registry|prop|property|query|field|column|col|item|dedup|idempotency|lookup|search|config|settings?|env|menu|bucket|s3|state|storage_?)$/;
/** What is about a secret, and none. */
const ABOUT =
  /^(?:fields?|inputs?|labels?|placeholder|hint|policy|policies|length|len|min|max|count|counts|counter|type|types|id|ids|identifier|name|names|file|files|filename|path|paths|dir|url|urls|uri|endpoint|reset|confirm|confirmation|confirmed|expiry|expires|expired|expiration|exp|ttl|age|regex|regexp|pattern|error|errors|message|messages|msg|schema|strength|score|manager|provider|style|styles|class|index|idx|version|limit|limits|usage|budget|estimate|estimator|estimates|size|status|state|required|enabled|disabled|visible|visibility|toggle|change|changed|update|updated|created|prompt|title|text|service|handler|helper|helpers|util|utils|factory|builder|generator|validator|rule|rules|ref|refs|kind|format|prefix|suffix|header|param|params|arn|alias|column|store|storage|cache|list|map|set|code|board|press|down|up|frame|frames|word|words|stone|bindings?|boards?|s|ed|ing|er|less|ly|age|port|word|through|ive|over|enger|ionate|ize|izer|ization|hook|hooks|event|events|rotation|provider|scope|scopes|issuer|audience|scanner|detection|redaction|scanning)$/;

/** Words of a name, whatever way they were put together. */
function wordsOf(name: string): string[] {
  const spaced = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  return spaced
    .toLowerCase()
    .split(/[-_ ]+/)
    .filter((word) => word !== '');
}

/** What a name is for; nothing for those that name no secret. `before` is what stands before it: "api" may be a word of its own. */
export function strengthOf(name: string, before: string): NameStrength | undefined {
  if (FOREIGN_PASSWORDS.test(name)) return 'password';
  const words = wordsOf(name);
  const at = words.findLastIndex((word) => PASSWORDS.test(word) || SECRETS.test(word) || /^\w*keys?$/.test(word));
  const word = words[at];
  if (word === undefined || words.slice(at + 1).some((rest) => ABOUT.test(rest))) return undefined;
  if (PASSWORDS.test(word)) return 'password';
  if (SECRETS.test(word)) return 'secret';
  return keyStrength(words[at - 1] ?? /([A-Za-z]{1,60})[ ]$/.exec(before)?.[1]?.toLowerCase() ?? '', word);
}

function keyStrength(of: string, word: string): NameStrength | undefined {
  if (word !== 'key' && word !== 'keys') return undefined;
  if (KEY_OF.test(of)) return 'secret';
  return NO_KEY_OF.test(of) ? undefined : 'key';
}
