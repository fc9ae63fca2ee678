import { wordsOf } from '../../text/words';

/**
 * Things of which a project mostly has one: who names another one of the same row has changed their mind. Names by which people call
 * them, in one word or in several.
 */
const ROWS: readonly string[] = [
  'npm|yarn|pnpm|bun|deno',
  'pip|poetry|pipenv|uv|conda|mamba|rye|pdm|hatch',
  'maven|gradle|bazel|sbt|ant|buck',
  'cmake|meson|make|ninja|scons',
  'jest|vitest|mocha|jasmine|ava|karma|node:test|tape',
  'pytest|unittest|nose|nose2|doctest',
  'junit|testng|spock',
  'cypress|playwright|puppeteer|selenium|webdriverio|testcafe|nightwatch',
  'prettier|biome|dprint|rome|standard',
  'black|yapf|autopep8|ruff format',
  'eslint|tslint|oxlint|jshint|xo',
  'pylint|flake8|ruff|pyflakes|pycodestyle',
  'mypy|pyright|pyre|pytype|basedpyright',
  'webpack|vite|rollup|parcel|esbuild|turbopack|rspack|snowpack|browserify',
  'react|vue|svelte|angular|solid|preact|lit|ember|qwik|alpine',
  'next.js|nextjs|nuxt|remix|gatsby|astro|sveltekit|vitepress|docusaurus|hugo|jekyll',
  'redux|zustand|mobx|recoil|jotai|pinia|vuex|xstate',
  'tailwind|bootstrap|bulma|material ui|mui|chakra|ant design|shadcn|foundation|semantic ui',
  'sass|scss|less|stylus|css modules|styled-components|emotion|vanilla-extract',
  'express|fastify|koa|hapi|nest|nestjs|hono|restify',
  'django|flask|fastapi|tornado|pyramid|starlette|sanic|bottle',
  'axios|fetch|got|ky|superagent|node-fetch|undici',
  'requests|httpx|aiohttp|urllib3|urllib',
  'rest|graphql|grpc|trpc|soap',
  'postgres|postgresql|mysql|mariadb|sqlite|oracle|sql server|mssql|mongodb|mongo|dynamodb|cassandra|cockroachdb|couchdb|firestore|duckdb|supabase|neo4j',
  'redis|memcached|valkey|hazelcast',
  'prisma|drizzle|typeorm|sequelize|knex|mikroorm|objection|mongoose',
  'sqlalchemy|peewee|tortoise|django orm|sqlmodel|ponyorm',
  'kafka|rabbitmq|sqs|nats|pulsar|zeromq|activemq|kinesis',
  'celery|rq|dramatiq|huey|sidekiq|bullmq|bull|resque|temporal|airflow',
  'docker|podman|containerd|buildah|vagrant',
  'kubernetes|nomad|docker swarm|ecs|openshift',
  'terraform|pulumi|cloudformation|opentofu|ansible|chef|puppet|saltstack|bicep|cdk',
  'aws|azure|gcp|google cloud|digitalocean|heroku|vercel|netlify|cloudflare|fly.io|render|railway|hetzner|linode',
  'jenkins|github actions|gitlab ci|circleci|travis|travis ci|buildkite|teamcity|azure pipelines|drone|bamboo',
  'git|mercurial|svn|subversion|perforce|github|gitlab|bitbucket|gitea|codeberg|sourcehut|azure devops',
  'slack|discord|microsoft teams|ms teams|teams|mattermost|rocket.chat|zulip|telegram|whatsapp|signal|google chat|matrix|element|irc',
  'zoom|google meet|meet|microsoft teams|ms teams|teams|skype|webex|jitsi|gotomeeting|whereby|facetime|bluejeans|around',
  'jira|trello|asana|linear|monday|monday.com|notion|clickup|basecamp|youtrack|redmine|shortcut|github projects|github issues|todoist|wrike|azure boards|pivotal tracker',
  'confluence|notion|wiki|google docs|coda|obsidian|gitbook|sharepoint|onenote|evernote',
  'vim|neovim|nvim|emacs|vscode|vs code|visual studio code|visual studio|pycharm|intellij|intellij idea|webstorm|sublime|sublime text|atom|eclipse|netbeans|nano|helix|zed|cursor|rider|goland|clion|xcode|android studio|spyder|notepad++|windsurf|fleet|thonny|jetbrains',
  'copilot|github copilot|tabnine|codewhisperer|amazon codewhisperer|amazon q|codestral|codeium|claude code|claude|cursor|chatgpt|gemini|cody|supermaven|aider|continue|replit|devin|llama|mistral|gpt',
  'windows|linux|macos|mac|macbook|ubuntu|debian|fedora|arch|chromebook|chrome os|imac|surface|thinkpad|redhat|centos|freebsd|osx',
  'bash|zsh|fish|powershell|cmd|nushell|ksh|tcsh',
  'chrome|firefox|safari|edge|brave|opera|vivaldi|chromium',
  'gpu|tpu|cpu|npu|fpga',
  'pytorch|tensorflow|jax|keras|mxnet|theano|flax|caffe',
  'pandas|polars|dask|modin|vaex',
  'matplotlib|plotly|seaborn|bokeh|altair|d3|chart.js|echarts|highcharts|recharts|vega',
  'moment|moment.js|dayjs|day.js|date-fns|luxon|temporal',
  'joi|yup|zod|ajv|valibot|superstruct|io-ts|typebox|arktype',
  'winston|pino|bunyan|log4js|loguru|structlog|log4j|logback|slf4j|serilog|nlog|zap|zerolog|logrus|console.log',
  'sentry|datadog|new relic|rollbar|bugsnag|grafana|prometheus|honeycomb|splunk|kibana|elk',
  'json|yaml|toml|xml|ini|csv|protobuf|msgpack|parquet|avro',
  'typescript|javascript|python|rust|go|golang|java|kotlin|scala|ruby|php|elixir|swift|c#|c\\+\\+|haskell|clojure|dart|perl|coffeescript|f#|zig|lua|julia',
  'flutter|react native|ionic|xamarin|cordova|capacitor|maui|electron|tauri|qt|gtk|wpf|winforms',
  'jwt|sessions|session cookies|oauth|oauth2|saml|basic auth|api keys|passkeys',
  'bcrypt|argon2|argon2id|scrypt|pbkdf2|md5|sha1|sha256|sha-256|sha512|blake2|blake3',
  'uuid|uuids|ulid|nanoid|snowflake|auto-increment|serial ids|cuid',
  'mit|apache|apache 2.0|apache-2.0|gpl|gplv3|bsd|mpl|agpl|lgpl|isc',
  'english|german|french|spanish|italian|portuguese|russian|chinese|japanese|korean|arabic|dutch|polish|turkish|hindi',
  'английском|русском|немецком|французском|испанском|китайском|японском|арабском',
  'deutsch|englisch|französisch|spanisch|russisch|italienisch',
  'anglais|français|allemand|espagnol|russe|italien',
  'inglés|español|alemán|francés|ruso|italiano',
  'tabs|spaces',
  'табы|табуляция|пробелы|табами|пробелами',
  'tabulatoren|leerzeichen',
  'tabulations|espaces',
  'tabuladores|espacios',
  'single quotes|double quotes|backticks',
  'comillas simples|comillas dobles',
  'guillemets simples|guillemets doubles',
  'einfache anführungszeichen|doppelte anführungszeichen',
  'одинарные кавычки|двойные кавычки',
  'monorepo|monorepos|polyrepo|multirepo|microservices|monolith',
  'rebase|merge commits|squash|squash merges|fast-forward|merging|rebasing|squashing',
  'trunk|trunk-based|git flow|gitflow|github flow|feature branches',
  'scrum|kanban|waterfall|xp',
  'async/await|promises|callbacks|then chains|coroutines|threads|asyncio',
  'lastpass|1password|bitwarden|keepass|dashlane|nordpass|keepassxc',
  'google drive|dropbox|onedrive|box|icloud|nextcloud|s3|gcs',
  'outlook|gmail|thunderbird|protonmail|apple mail',
  'figma|sketch|adobe xd|framer|zeplin|balsamiq|penpot|invision',
];

const rowsOf = new Map<string, Set<number>>();
for (const [row, names] of ROWS.entries()) {
  for (const name of names.replaceAll('\\', '').split('|')) {
    const rows = rowsOf.get(name) ?? new Set();
    rows.add(row);
    rowsOf.set(name, rows);
  }
}
/** Also plain words: they are names only where they are written as names are. */
const PLAIN = new Set(
  (
    'make ninja ant buck standard rome ava tape nose rest got go fetch requests next remix express nest solid ember alpine lit less emotion foundation bottle flask ' +
    'pyramid tornado bull drone bamboo travis render railway matrix element signal teams meet around box linear monday shortcut notion wiki atom eclipse fleet helix ' +
    'rider cursor continue surface arch fish brave opera edge swift dart ruby rust julia perl black sketch temporal sessions threads promises apache trunk chef puppet ' +
    'salt sentry zap squash hatch rye edge mac git'
  ).split(' '),
);
const LONGEST_NAME = 3;
const WORD = /[\p{L}\p{N}@][\p{L}\p{N}+#@./:-]*/gu;

/** One thing that was named, and the rows in which it stands. */
export interface Alternative {
  readonly name: string;
  readonly rows: ReadonlySet<number>;
}

/** The things in a text for which there are others; the longest names count: `Google Meet`, and not `Meet`. */
export function alternativesIn(text: string): Alternative[] {
  const written = [...text.matchAll(WORD)].map(([word]) => word.replace(/(?<![.:/-])[.:/-]+$/, ''));
  const found: Alternative[] = [];
  for (let at = 0; at < written.length; at++) {
    for (let length = LONGEST_NAME; length > 0; length--) {
      const words = written.slice(at, at + length);
      const name = singular(words.join(' ').toLowerCase());
      const rows = words.length === length ? rowsOf.get(name) : undefined;
      if (rows === undefined || (PLAIN.has(name) && (at === 0 || !/^\p{Lu}/u.test(words[0] ?? '')))) continue;
      found.push({ name, rows });
      at += length - 1;
      break;
    }
  }
  return found;
}

function singular(name: string): string {
  return rowsOf.has(name) ? name : name.replace(/s$/, '');
}

/** Whether one may stand in the other's place. */
export function areAlternatives(one: Alternative, other: Alternative): boolean {
  return one.name !== other.name && [...one.rows].some((row) => other.rows.has(row));
}

/** Words that mean the same where they say what something is used for. */
const SAME: readonly string[] = [
  'computer machine laptop desktop pc workstation',
  'call meeting conference conferencing videoconference',
  'chat messaging communication communicate messenger correspondence conversation discussion interaction',
  'ide editor',
  'vcs versioning',
  'test testing tests',
  'indent indentation indenting',
  'doc docs documentation document documenting',
  'database db storage persistence',
  'coworker colleague teammate',
  'holiday vacation',
  'style formatting format',
  'package dependency library',
  'task ticket issue',
  'remote remotely',
];
const stemOf = (word: string): string => wordsOf(word)[0]?.stem ?? word;
const meanings = new Map(
  SAME.flatMap((words) => {
    const [first = '', ...others] = words.split(' ').map(stemOf);
    return others.map((other): [string, string] => [other, first]);
  }),
);

/** One stem for all words of one meaning. */
export function meaningOf(stem: string): string {
  return meanings.get(stem) ?? stem;
}
