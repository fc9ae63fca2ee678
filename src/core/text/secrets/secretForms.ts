import { entropyOf, isPlaceholder, isRandom, isUsualWord } from './secretLooks';
import rules from './secretRules.json';

/** A form that secrets of one kind have. */
export interface SecretForm {
  readonly kind: string;
  /** What has to be there, in any letter case, for the pattern to be worth a try. */
  readonly keywords: readonly string[];
  /** The group `secret` is taken out, and nothing around it; nothing may follow it in the match. Made when it is first needed, as few are. */
  readonly pattern: () => RegExp;
  /** Whether what was matched is one. */
  readonly isSecret: (value: string) => boolean;
}

/** A form of ours; `bits` is how random it has to be at least. */
type OwnForm = readonly [kind: string, keywords: string, form: string, bits?: number];

/**
 * What the set of rules lacks, or what it knows in one length alone: keys get longer from year to year. Each is written as its keywords,
 * separated by spaces, and its form; `~` stands for a character of a token.
 */
const OWN_FORMS: readonly OwnForm[] = [
  ['Anthropic key', 'sk-ant-', 'sk-ant-~{20,300}'],
  ['OpenAI key', 'sk-', '(?:sk|sess)-(?:proj-|svcacct-|admin-|None-|or-v1-)?(?!ant-)~{20,300}', 3],
  ['GitHub token', 'ghp_ gho_ ghu_ ghs_ ghr_', 'gh[pousr]_[A-Za-z0-9]{30,255}'],
  ['GitHub token', 'github_pat_', 'github_pat_[A-Za-z0-9_]{30,255}'],
  [
    'GitLab token',
    'glpat- glrt- gldt- glft- glcbt- glptt- gloas- glimt- glsoat- glffct- glagent-',
    'gl[a-z]{2,5}-[A-Za-z0-9_.-]{18,300}',
  ],
  ['GitLab runner token', 'gr1348941', 'GR1348941~{16,40}'],
  ['AWS access key', 'akia asia abia acca', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}'],
  ['AWS key', 'bedrock-api-key-', 'bedrock-api-key-[A-Za-z0-9+/=]{30,4000}'],
  ['Slack token', 'xox', 'xox[abeoprs](?:\\.xox[bp])?-~{10,400}'],
  ['Slack token', 'xapp- xwfp-', 'x(?:app|wfp)-~{20,250}'],
  [
    'Slack webhook',
    'hooks.slack',
    'hooks\\.slack(?:-gov)?\\.com/(?:services|workflows|triggers)/(?<secret>[A-Za-z0-9_/-]{20,200})',
  ],
  ['Google key', 'aiza', 'AIza~{35}'],
  ['Google client secret', 'gocspx-', 'GOCSPX-~{20,60}'],
  ['Google token', 'ya29.', 'ya29\\.[A-Za-z0-9._-]{20,2000}'],
  ['Google token', '1//0', '1//0~{20,300}', 3.5],
  ['Stripe key', 'sk_live sk_test sk_prod rk_live rk_test rk_prod', '[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,250}'],
  ['Stripe webhook secret', 'whsec_', 'whsec_[A-Za-z0-9+/=_-]{20,120}'],
  ['npm token', 'npm_', 'npm_[A-Za-z0-9]{30,60}', 3],
  ['PyPI token', 'pypi-', 'pypi-~{50,1000}'],
  ['Hugging Face token', 'hf_ api_org_', '(?:hf|api_org)_[A-Za-z0-9]{30,100}', 3],
  ['SendGrid key', 'sg.', 'SG\\.~{16,40}\\.~{16,80}'],
  ['DigitalOcean token', 'dop_v1_ doo_v1_ dor_v1_', 'do[opr]_v1_[a-f0-9]{40,100}'],
  ['JSON Web Token', 'eyj', 'eyJ~{8,4000}\\.eyJ~{8,8000}(?:\\.~{8,4000})?'],
  ['Groq key', 'gsk_', 'gsk_[A-Za-z0-9]{30,120}'],
  ['xAI key', 'xai-', 'xai-[A-Za-z0-9]{40,120}', 3],
  ['Perplexity key', 'pplx-', 'pplx-[A-Za-z0-9]{30,120}', 3],
  ['Replicate token', 'r8_', 'r8_[A-Za-z0-9]{30,60}', 3],
  ['NVIDIA key', 'nvapi-', 'nvapi-~{40,100}', 3],
  ['Tavily key', 'tvly-', 'tvly-~{20,60}', 3],
  ['LangSmith key', 'lsv2_', 'lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}'],
  ['Pinecone key', 'pcsk_', 'pcsk_[A-Za-z0-9_]{40,120}', 3],
  ['Docker token', 'dckr_', 'dckr_[po]at_~{20,80}'],
  ['Vault token', 'hvs. hvb. hvr.', 'hv[sbr]\\.~{20,300}'],
  ['Vault token', 's.', 's\\.(?=[A-Za-z]{0,23}\\d)[A-Za-z0-9]{24}', 3.5],
  ['Shopify token', 'shpat_ shpca_ shppa_ shpss_ shptka_ shpua_', 'shp(?:at|ca|pa|ss|tka|ua)_[a-fA-F0-9]{32,64}'],
  ['Databricks token', 'dapi dkea dose', '(?:dapi|dkea|dose)[a-f0-9]{32}(?:-\\d)?'],
  ['age key', 'age-secret-key-', 'AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{50,4000}'],
  ['Discord webhook', 'discord', 'discord(?:app)?\\.com/api/(?:v\\d{1,2}/)?webhooks/\\d{15,22}/(?<secret>~{50,100})'],
  ['Discord token', 'discord bot', '[MNO][A-Za-z0-9_-]{23,27}\\.~{6}\\.~{27,40}', 4],
  ['Telegram token', ':aa', '(?<!\\w)(?:bot)?(?<secret>\\d{8,11}:AA~{32,34})(?![A-Za-z0-9_])'],
  [
    'Twilio token',
    'twilio',
    'AC[0-9a-f]{32}\\\\{0,8}["\']?[\\s,:;|]{1,6}\\\\{0,8}["\']?(?<secret>[0-9a-f]{32})(?![0-9a-f])',
  ],
  [
    'webhook',
    'hook/ hooks/',
    'https?://[^\\s"\'<>\\\\]{1,200}?hooks?/(?:[\\w@-]{1,80}/){0,5}(?<secret>[A-Za-z0-9_-]{24,200})(?![\\w.-])',
    -1,
  ],
  [
    'password hash',
    '$1$ $2a$ $2b$ $2x$ $2y$ $5$ $6$ $7$ $y$ $gy$ $apr1$ $argon2 $scrypt $pbkdf2',
    '\\$(?:[1567y]|2[abxy]|gy|apr1|argon2\\w{1,3}|scrypt|pbkdf2[\\w-]{0,10})\\$[A-Za-z0-9./,=$+-]{20,300}',
    3,
  ],
  [
    'password hash',
    '{ssha} {sha} {smd5} {ssha256} {ssha512}',
    '\\{S?(?:SHA|MD5)\\d{0,3}\\}(?<secret>[A-Za-z0-9+/]{16,200}={0,2})',
    3,
  ],
  ['Teams webhook', 'webhook.office.com', 'webhook\\.office\\.com/webhookb2/(?<secret>[A-Za-z0-9@/_-]{60,300})'],
  ['Atlassian token', 'atatt3 atctt3 atbb', 'AT(?:ATT3|CTT3|BB)[A-Za-z0-9_=-]{28,300}', 3],
  ['Trello token', 'atta', 'ATTA[a-f0-9]{60,80}'],
  ['Notion token', 'ntn_ secret_', '(?:ntn_[0-9]{8,14}|secret_)[A-Za-z0-9]{32,50}', 3.5],
  ['Linear token', 'lin_', 'lin_(?:api|oauth|wh)_[A-Za-z0-9]{30,80}'],
  ['Figma token', 'figd_ figo_', 'fig[do]_~{30,100}'],
  ['Airtable token', 'pat', 'pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}'],
  ['HubSpot token', 'pat-', 'pat-[a-z]{2}\\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'],
  ['New Relic key', 'nrak- nrii- nrjs- nraa- nriq- nrra-', 'NR(?:AK|II|JS|AA|IQ|RA)-[A-Za-z0-9-]{19,42}'],
  ['Mailgun key', 'key-', 'key-[0-9a-f]{32}'],
  ['Brevo key', 'xkeysib- xsmtpsib-', 'x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}'],
  ['MailerSend token', 'mlsn.', 'mlsn\\.[a-f0-9]{64}'],
  ['Resend key', 're_', 're_[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,40}', 3.5],
  ['PostHog key', 'phx_ phs_', 'ph[xs]_[A-Za-z0-9]{40,60}'],
  ['Supabase key', 'sbp_ sb_secret_', '(?:sbp_(?:v0_)?[a-f0-9]{40}|sb_secret_~{30,50})'],
  ['Vercel token', 'vercel_ vcp_ vci_ vca_ vck_', '(?:vercel_blob_rw_|vc[piack]_)[A-Za-z0-9_]{24,80}'],
  ['Doppler token', 'dp.', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,44}'],
  ['Tailscale key', 'tskey-', 'tskey-[a-z]{2,10}-~{16,100}'],
  ['Pulumi token', 'pul-', 'pul-[a-f0-9]{40,64}'],
  ['Buildkite token', 'bkua_ bkct_', 'bk(?:ua|ct)_[a-f0-9]{40}'],
  ['CircleCI token', 'ccipat_ cciprj_', 'CCI(?:PAT|PRJ)_[A-Za-z0-9]{10,30}_[a-f0-9]{40}'],
  ['Sourcegraph token', 'sgp_ sgd_', 'sg[pd]_(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40,64}'],
  ['NuGet key', 'oy2', 'oy2[a-z0-9]{43}'],
  ['WakaTime key', 'waka_', 'waka_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'],
  ['Dropbox token', 'sl.', 'sl\\.(?:u\\.)?~{100,2000}'],
  ['Facebook token', 'eaa', 'EAA[A-Za-z0-9]{80,400}', 3.5],
  ['Square token', 'sq0 eaaa', '(?:sq0[a-z]{3}-~{22,60}|EAAA[EIl]~{55,70})'],
  ['Braintree token', 'access_token$', 'access_token\\$(?:production|sandbox)\\$[0-9a-z]{16}\\$[0-9a-f]{32}'],
  ['Postman key', 'pmak- pmat-', '(?:PMAK-[A-Fa-f0-9]{24}-[A-Fa-f0-9]{34}|PMAT-[A-Z0-9]{26})'],
  ['Azure secret', 'q~', '[A-Za-z0-9_~.]{3}\\dQ~[A-Za-z0-9_~.-]{31,36}', 3.5],
  ['Azure signature', 'sig=', 'sig=(?<secret>[A-Za-z0-9%+/]{40,80}={0,2})'],
  ['AWS signature', 'x-amz-signature', 'X-Amz-Signature=(?<secret>[0-9a-f]{64})'],
  ['Alibaba key', 'ltai', 'LTAI[A-Za-z0-9]{16,26}', 3],
  ['Tencent key', 'akid', 'AKID[A-Za-z0-9]{32}', 3.5],
  ['Yandex key', 'aqvn y0_', '(?:AQVN~{35,40}|y0_~{50,70})', 3.5],
  ['Contentful token', 'cfpat-', 'CFPAT-~{40,60}'],
  ['RunPod key', 'rpa_', 'rpa_[A-Za-z0-9]{36,60}', 3],
  ['Scaleway key', 'scw', 'SCW[A-Z0-9]{17}', 3],
  ['SonarQube token', 'sqp_ squ_ sqa_', 'sq[pua]_[a-f0-9]{40}'],
  ['Render key', 'rnd_', 'rnd_[A-Za-z0-9]{28,60}', 3],
  ['Fireworks key', 'fw_', 'fw_[A-Za-z0-9]{20,60}', 3.5],
  ['crates.io token', 'cio', 'cio[A-Za-z0-9]{32}', 3.8],
  ['Neon key', 'napi_', 'napi_[a-z0-9]{40,80}', 3],
  ['Typeform token', 'tfp_', 'tfp_[A-Za-z0-9_.=-]{40,80}', 3],
  ['Flutterwave key', 'flwseck', 'FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,64}(?:-X)?'],
  ['Adafruit key', 'aio_', 'aio_[A-Za-z0-9]{28}', 3],
  ['Mapbox token', 'sk.eyj', 'sk\\.eyJ~{20,300}\\.~{20,60}'],
  ['ElevenLabs key', 'sk_', 'sk_[a-f0-9]{48}'],
  ['Anyscale key', 'esecret_', 'esecret_[a-z0-9]{20,40}', 3],
  ['Stytch secret', 'secret-live- secret-test-', 'secret-(?:live|test)-~{30,60}=?', 3],
  ['E2B key', 'e2b_', 'e2b_[a-f0-9]{40}'],
  ['Firecrawl key', 'fc-', 'fc-[a-f0-9]{32}'],
  ['Browserbase key', 'bb_live_', 'bb_live_~{20,60}', 3],
  ['Cerebras key', 'csk-', 'csk-[a-z0-9]{40,60}', 3.5],
  ['Voyage key', 'pa-', 'pa-~{43}', 4.3],
  ['Jina key', 'jina_', 'jina_~{50,80}', 3],
  ['Cursor key', 'key_', 'key_[a-f0-9]{64}'],
  ['Netlify token', 'nfp_', 'nfp_[A-Za-z0-9]{30,60}', 3],
  ['Plaid token', 'access-', 'access-(?:production|development|sandbox)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'],
  ['Mailchimp key', '-us', '[0-9a-f]{32}-us\\d{1,2}'],
  ['Modal token', 'ak- as-', 'a[ks]-[A-Za-z0-9]{22}', 3.8],
  [
    'Convex key',
    'prod: dev: preview:',
    '(?:prod|dev|preview):[a-z]{2,20}-[a-z]{2,20}-\\d{1,4}\\|(?<secret>[A-Za-z0-9+/=]{40,400})',
    3,
  ],
  [
    'Bitwarden token',
    '0.',
    '0\\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\\.[A-Za-z0-9]{30}:(?<secret>[A-Za-z0-9+/]{22}==)',
    3,
  ],
  ['Zuplo key', 'zpka_', 'zpka_[a-f0-9]{32}_[a-f0-9]{8}'],
  [
    'AWS secret key',
    'akia asia',
    '(?:AKIA|ASIA)[A-Z0-9]{16}\\\\{0,8}["\']?(?:[\\s,:;|/]|\\\\[nt]){1,6}["\']?(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])',
    4,
  ],
  [
    'private key',
    'private-lines',
    'Private-Lines:\\s{0,3}\\d{1,3}(?:\\s|\\\\[nr]){1,6}(?<secret>[A-Za-z0-9+/=]{16,76}(?:(?:\\s|\\\\[nr]){1,4}[A-Za-z0-9+/]{4,76}={0,2}){0,60})',
    3,
  ],
  [
    'recovery phrase',
    'seed mnemonic recovery',
    '(?:seed phrase|seed words|mnemonic|recovery phrase|recovery words)[^A-Za-z0-9\\n]{1,10}(?:(?:is|are)[^A-Za-z0-9]{1,4})?(?<secret>(?:[a-z]{3,8}[ ,]{1,3}){11,23}[a-z]{3,8})',
    -2,
  ],
  [
    'recovery codes',
    'recovery backup',
    '(?:recovery|backup) codes?[^A-Za-z0-9]{1,10}(?<secret>(?=[a-z-]{0,12}\\d)[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){1,3}(?:[\\s,]{1,8}[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){1,3}){0,20})',
    -2,
  ],
  ['Wi-Fi password', 'wifi:', 'WIFI:[^\\s"\']{0,100}?;?P:(?<secret>[^;\\s"\']{4,100})(?=;)', -2],
  ['Confluent secret', 'cflt', 'cflt[A-Za-z0-9+/]{56,64}'],
  ['authorization header', 'bearer basic', '(?:bearer|basic)\\s{1,3}(?<secret>[A-Za-z0-9._~+/-]{12,4000}={0,2})', -1],
  [
    'authorization header',
    'authorization',
    'authorization\\\\{0,8}["\']?\\s{0,3}[:=,]\\s{0,3}\\\\{0,8}["\'`]?(?:[A-Za-z-]{2,12}\\s{1,3})?(?<secret>[A-Za-z0-9._~+/:-]{8,4000}={0,2})',
    -1,
  ],
  [
    'cookie',
    'cookie',
    'cookie\\\\{0,8}["\']?\\s{0,2}[:=]\\s{0,3}\\\\{0,8}["\']?[^\\s"\';=]{1,40}=(?<secret>[A-Za-z0-9%._~+/|-]{16,4000}={0,2})',
    -1,
  ],
  [
    'password in a command',
    'identified',
    'identified\\s{1,3}(?:with\\s{1,3}\\S{1,40}\\s{1,3})?by\\s{1,3}(?:password\\s{1,3})?\\\\{0,8}["\'](?<secret>[^"\'\\s\\\\]{1,200})',
    -2,
  ],
  [
    'password in a command',
    'login',
    'login\\s{1,4}\\S{1,60}\\s{1,4}password\\s{1,4}(?<secret>[^\\s"\'\\\\]{3,200})',
    -2,
  ],
  [
    'password in a command',
    '-stdin sudo with-token',
    '(?:echo|printf)\\s{1,4}(?:-n\\s{1,4})?\\$?\\\\{0,8}["\']?(?<secret>[^\\s"\'|\\\\]{3,200})(?=\\\\{0,8}["\']?\\s{0,4}\\|\\s{0,4}(?:docker|podman|helm|skopeo|oc|gh|sudo|passwd)\\s)',
    -2,
  ],
  [
    'password in a command',
    'chpasswd',
    '(?:echo|printf)\\s{1,4}(?:-\\w\\s{1,4})?\\\\{0,8}["\']?[\\w.-]{1,60}:(?<secret>[^\\s"\'|\\\\]{3,200})(?=(?:\\\\n)?\\\\{0,8}["\']?\\s{0,4}\\|\\s{0,4}(?:sudo\\s{1,4})?chpasswd)',
    -2,
  ],
  [
    'password in a command',
    'net use',
    'net\\s{1,4}use\\s[^\\r\\n]{0,200}?/user:\\S{1,80}\\s{1,4}(?<secret>[^\\s"\'/\\\\]{3,200})',
    -2,
  ],
  [
    'password in a command',
    'convertto-securestring',
    'ConvertTo-SecureString\\s{1,4}(?:-(?:String|AsPlainText|Force)\\s{1,4}){0,3}\\\\{0,8}["\'](?<secret>[^"\'\\r\\n\\\\]{3,200})',
    -2,
  ],
  [
    'password in a command',
    'secret set secrets set',
    'secrets?\\s{1,4}set\\s{1,4}[\\w.-]{1,80}\\s{1,4}(?:--\\S{1,40}\\s{1,4}\\S{1,80}\\s{1,4}){0,3}(?:--body|-b|--value)[ =]{1,2}\\\\{0,8}["\']?(?<secret>[^\\s"\'\\\\]{3,400})',
    -2,
  ],
  [
    'password in a command',
    'username=',
    'username=[^,\\s"\']{1,60},password=(?<secret>[^,\\s"\'\\\\()]{3,200})(?=[,\\s"\'\\\\]|$)',
    -2,
  ],
  [
    'secret beside its name',
    'login creds credential zugangsdaten anmeldedaten identifiants credenciales',
    '(?:login|credentials?|creds|zugangsdaten|anmeldedaten|identifiants|credenciales)(?:\\s{1,3}(?:are|is))?\\s{0,3}[:=]?\\s{1,3}[\\w.@+-]{2,60}\\s{0,3}[/|:]\\s{0,3}(?<secret>[^\\s"\'`|/\\\\]{6,100})',
    -1,
  ],
  [
    'signing key',
    'jwt.sign jwt.verify createhmac',
    '(?:jwt\\.(?:sign|verify)|createHmac)\\([^()"\'`\\r\\n]{0,80}(?:["\'][\\w-]{2,12}["\'])?,\\s{0,4}["\'`](?<secret>[^"\'`\\s\\\\]{6,300})',
    -2,
  ],
  ['password in a URL', '@tcp( @unix(', '[\\w.-]{1,60}:(?<secret>[^\\s:"\'`@/\\\\]{2,200})(?=@(?:tcp|unix)\\()', -2],
  ['password in a URL', 'oracle:', 'oracle:\\w{2,6}:[\\w.$-]{1,60}/(?<secret>[^\\s"\'`@/\\\\]{2,200})(?=@)', -2],
  [
    'password in a file',
    ']:25 ]:465 ]:587',
    '\\]:(?:25|465|587)[ \\t]{1,8}[^\\s:"\']{1,80}:(?<secret>[^\\s:"\'\\\\]{3,200})',
    -2,
  ],
  [
    'Google app password',
    'pass',
    'pass\\w{0,10}\\\\{0,8}["\']?\\s{0,3}[:=]\\s{0,3}\\\\{0,8}["\']?(?<secret>[a-z]{4}(?: [a-z]{4}){3})(?![a-z ])',
    -2,
  ],
  [
    'password in a file',
    ':5432: :5433: :*:',
    '[\\w.*-]{1,80}:(?:543[23]|\\*):[\\w*-]{1,60}:[\\w*-]{1,60}:(?<secret>[^\\s:"\'\\\\]{3,200})',
    -2,
  ],
];

const AFTER = '(?![A-Za-z0-9_])';
/** What stands between the name of a service and its key: as in code, in files, in JSON within JSON, in an address, in a sentence. */
const BETWEEN = String.raw`[ \t\w.-]{0,30}(?:\\{0,8}["'\x60])?[\])]?(?:\s{0,3}(?:=>|:{0,3}=|\?=|\|\||[>:,]|%3[AD])|(?<=key|token|secret|password|pass|credential|auth|sid)s?\s{1,3}(?:is\b|was\b)?)(?:[\x60'"\s=]|\\(?![nrt])){0,8}`;

/** A form begins where a word does: else every beginning of one in a long run would be tried. */
const START = /^(?:[a-z(]|\[[^\]]*[a-z]-|\\d)/i;
const BEGINS = String.raw`(?:(?<!\w)|(?<=\\[nrtbf])|(?<=%[\dA-Fa-f]{2}))`;

function begun(form: string): string {
  return START.test(form) ? BEGINS + form : form;
}

/** All forms, our own first: they name their kinds in few words. */
export function secretForms(): SecretForm[] {
  return [...OWN_FORMS.map(ownForm), ...rules.map(ruleForm)];
}

function ownForm([kind, keywords, form, bits = 2.3]: OwnForm): SecretForm {
  const written = form.replaceAll('~{', '[A-Za-z0-9_-]{');
  const isWhole = !written.includes('(?<secret>');
  return {
    kind,
    keywords: keywords.split(' '),
    pattern: madeOnce(
      () => new RegExp(isWhole ? `(?<secret>${begun(written)})${AFTER}` : written, bits < 0 ? 'gi' : 'g'),
    ),
    isSecret: bits < 0 ? isGuess(bits === -1) : (value) => isMade(value, bits),
  };
}

function madeOnce<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** Places where nothing but a secret stands (`-2`), or where one stands if it looks like one (`-1`). */
function isGuess(isToLookRandom: boolean): (value: string) => boolean {
  return (value) => !isPlaceholder(value) && !isUsualWord(value) && (!isToLookRandom || isRandom(value));
}

/** Made by chance, and not an example of one, which has words or one character for all. */
function isMade(value: string, bits: number): boolean {
  return (
    entropyOf(value) >= bits &&
    !/example|x{6}|\*{4}|(.)\1{11}|your[-_]|[-_](?:here|key)$|placeholder/i.test(value) &&
    /[\dA-Z]/.test(value.slice(4))
  );
}

/** A rule of the set as it was converted. */
interface ConvertedRule {
  readonly kind: string;
  readonly keywords: readonly string[];
  readonly form: string;
  readonly beside?: string;
  readonly entropy?: number;
  readonly allow?: string;
  readonly isAnyCase?: boolean;
}

function ruleForm({ kind, keywords, form, beside, entropy = 0, allow, isAnyCase }: ConvertedRule): SecretForm {
  const before = beside === undefined ? '' : `(?:${beside})${BETWEEN}`;
  const after = beside === undefined ? AFTER : '(?!-?[A-Za-z0-9_])';
  const allowed = allow === undefined ? undefined : new RegExp(`^(?:${allow})$`);
  return {
    kind,
    keywords,
    pattern: madeOnce(() => {
      const written = `${before}(?<secret>${beside === undefined ? begun(form) : form})${after}`;
      return new RegExp(written, beside !== undefined || isAnyCase ? 'gi' : 'g');
    }),
    isSecret: (value) =>
      entropyOf(value) >= Math.max(entropy, 2) && allowed?.test(value) !== true && /\d/.test(value) && isMade(value, 0),
  };
}
