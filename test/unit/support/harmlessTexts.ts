import { filled, rows, type Random } from './secretCorpus';

/** Texts that look as if they had a secret in them, and have none. */
const HARMLESS = `
commit {h40}
Merge {h7} into {h7}
index {h7}..{h7} 100644
git show {h12} --stat
HEAD is now at {h7} Fix the token counter
sha256: {h64}
sha512-{b86}==
"integrity": "sha512-{b86}=="
"resolved": "https://npm.example.org/zod/-/zod-4.6.7.tgz#{h40}"
md5 of the file: {h32}
etag: "{h32}"
If-None-Match: W/"{h24}"
"sessionId": "{h8}-{h4}-4{h3}-a{h3}-{h12}"
"uuid": "{h8}-{h4}-4{h3}-a{h3}-{h12}"
"parentUuid": "{h8}-{h4}-4{h3}-a{h3}-{h12}"
"requestId": "req_{a24}"
"id": "msg_{a24}"
"tool_use_id": "toolu_{a24}"
request {h8}-{h4}-4{h3}-a{h3}-{h12} failed with 503
trace id {h32}, span {h16}
primaryKey: {h8}-{h4}-4{h3}-a{h3}-{h12}
cacheKey = '{h40}'
cache key: node-modules-linux-x64-{h16}
Cache hit occurred on key setup-uv-1-x86_64-linux-{h12}
partitionKey: "user#{d6}"
foreign key (user_id) references users(id)
sortKey: 'created_at'
publicKey: '{b43}='
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{b44} ada@laptop
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ{b300} ada@laptop
SHA256:{b43} ada@laptop (ED25519)
-----{BEGIN} CERTIFICATE-----\\n{b64}\\n{b64}\\n-----{END} CERTIFICATE-----
-----{BEGIN} PUBLIC KEY-----\\n{b64}\\n{b64}\\n-----{END} PUBLIC KEY-----
if (text.startsWith('-----{BEGIN} PRIVATE KEY-----')) return parse(text);
The file has to begin with -----{BEGIN} RSA PRIVATE KEY----- and nothing before it.
data:image/png;base64,iVBORw0KGgoAAAANSUhEUg{b900}
data:image/jpeg;base64,/9j/4AAQSkZJRg{b900}==
data:font/woff2;base64,d09GMgABAAAAA{b900}
<path d="M12.5 3.4a9 9 0 1 1-7.1 3.2l1.4 1.4A7 7 0 1 0 12.5 5z"/>
"mappings": "AAAA,SAASA,EAAMC,GACb,OAAOC{l200}"
//# sourceMappingURL=data:application/json;base64,{b600}
version 3.14.159-beta.26535+build.89793
node v20.20.2, npm 10.8.2
eslint@9.39.5, prettier@3.10.1
released 2026-07-01T12:34:56.789Z
from 10.0.12.7:5432 to 192.168.178.22:8080
fe80::{h4}:{h4}:{h4}:{h4}
mac {h2}:{h2}:{h2}:{h2}:{h2}:{h2}
error 0x80070005 at 0x7ffee{h6}
color: #{h6}; background: rgba(12, 34, 56, 0.78)
.sk-folding-cube-animation-delay-and-so-on { opacity: 0.9 }
.btn-primary-2xl-hover\\:bg-sky-500 { padding: 12px 24px }
.css-{w6}-MuiButton-root{display:inline-flex;min-width:64px}
@font-face{font-family:a;src:url(/static/media/inter-{h20}.woff2)}
!function(e,t){"object"==typeof exports?module.exports=t():e.key=t()}(this,(function(){return e.token=n,t.password=r}))
var a=e.password,b=e.token1,c=t.apiKey2;return fetch(a,{headers:{token:b}})
const passwordInputElement2 = document.querySelector('#password-input-2')
export function getAccessTokenFromLocalStorage2(): string
describe('refreshTokenRotationWithExpiredSession3', () => {})
thisIsAVeryLongIdentifierThatSomebodyWroteInJava17ForAFactory
com.example.infrastructure.persistence.hibernate5.UserRepositoryImpl2
src/auth/password/resetPasswordForm2.component.tsx
/home/ada/src/app/node_modules/.pnpm/zod@4.6.7/node_modules/zod/index.js
/var/run/secrets/kubernetes.io/serviceaccount/token
tokenPath: /var/run/secrets/eks.amazonaws.com/serviceaccount/token
key: ./certs/server-2026.key
ssl_certificate_key /etc/nginx/ssl/example.com.key;
SECRET_FILE=/run/secrets/db_password_v2
password: string
password: string;
password?: string | undefined;
password: z.string().min(12)
password: { type: 'string', minLength: 12 }
"password": { "type": "string", "minLength": 12 }
password VARCHAR(255) NOT NULL,
password_hash bytea not null
password TEXT,
password = models.CharField(max_length=128)
password: str = Field(min_length=12)
password: required
password: hashedPassword2
password: await hash(input.password, 12)
password = getpass.getpass()
password = request.form['password']
password = os.environ['DB_PASSWORD']
password: process.env.DB_PASSWORD
password: import.meta.env.VITE_PASSWORD_2
password: {$}{DB_PASSWORD}
password: "{{ db_password }}"
password: !secret db_password
password=%s
password=***
password: ********
password: ••••••••
password: <password>
password: [redacted]
PASSWORD=
DB_PASSWORD={$}{DB_PASSWORD:-}
DB_PASSWORD={$}(cat /run/secrets/db)
DB_PASSWORD="{$}POSTGRES_PASSWORD"
API_KEY=YOUR_API_KEY
API_KEY=your-api-key-here-123
API_KEY=<your key>
api_key: "xxxxxxxxxxxxxxxxxxxxxxxx"
OPENAI_API_KEY=sk-...
OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
ANTHROPIC_API_KEY=sk-ant-your-key-here-1234567890
GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
GITHUB_TOKEN: {$}{{ secrets.GITHUB_TOKEN }}
STRIPE_KEY=sk_test_your_key_here
aws_access_key_id = AKIAIOSFODNN7EXAMPLE
aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
token: {$}{TOKEN}
token: process.env.TOKEN_V2
token = getToken(user)
token: string | null
token := os.Getenv("API_TOKEN_2")
const token = await fetchToken(user, 3600)
const token = jwt.sign(payload, secret, { expiresIn: '24h' })
this.token = token2
token: null
tokens: 120,345
"input_tokens": 120345
"max_tokens": 4096
token_count=8192
tokenLimit: 200000
the token expires after 24 hours
The token is valid for 3600 seconds
unexpected token '<' at position 128
SyntaxError: Unexpected token u in JSON at position 0
token bucket of 500 per 60s
tokenize("The quick brown fox 123")
const tokenizer2 = new Tokenizer(o200k)
cl100k_base tokenizer with 100256 tokens
secret = undefined
secret: true
secretKey: keyof typeof config
secretName: my-app-tls-2026
secretKeyRef:
kubectl get secret app-config-v2 -o yaml
the secret lives in vault at secret/data/app1
Bearer authentication is used everywhere
Authorization: Bearer {$}{token}
Authorization: Bearer <token>
Authorization: "Bearer " + accessToken
"Authorization": f"Bearer {token}"
WWW-Authenticate: Basic realm="Admin area 2"
basic understanding of 12 concepts
auth: required
auth.uid() = user_id
author: ada-lovelace-1815
authority: https://login.example.com/v2.0
keyboard: US-International-2
keyframes: fadeInUp300ms
key: value
key=value1
keys: [id1, id2, id3]
React.Children with key item-12345678901234567
<li key="menu-item-2026-07-01">
Press the key F12 to open
"key": "editor.action.formatDocument2"
"key": "ctrl+shift+alt+f12"
monkey: capuchin123
turkey=roasted2024
passenger: John Smith 1234
compass: north45degrees
bypass=true1234
status: 'pass' | 'fail-late2' | 'bug'
12 passing, 3 failing (1234ms)
pass: 118, fail: 2
passed: 1456/1456
pwd: /home/ada/src
pwd={$}(pwd)
cd /tmp && pwd
OLDPWD=/home/ada/projects
The password is required.
The password is incorrect, please try again.
The password was changed yesterday.
Password must have 12 characters and 1 number
Enter your password:
"label": "Password"
<input type="password" name="password" placeholder="Your password">
<label for="password">Password</label>
aria-describedby="password-hint-2"
"forgotPassword": "Forgot your password?"
"password": "Password"
"invalidPassword": "The password has to have 8 characters"
autocomplete="current-password"
use the --password flag to give one
--password <value>
--password-stdin
--token TOKEN
--token="{$}TOKEN"
--api-key string   the key of the API
docker login --username ada --password-stdin
docker run -p 8080:80 nginx
docker compose -p shop up
mkdir -p build/output
mysql -u root -p
mysql --protocol=tcp -P 3306
curl -u "{$}USER:{$}PASS" https://example.com
curl -u user:password https://example.com
curl -u <user>:<pass> https://example.com
curl -s https://example.com/install.sh | bash
ssh -p 2222 ada@example.com
redis-cli -h localhost -p 6379
gpg --verify release.asc
https://example.com/a:b@c
https://user:pass@example.com
https://<user>:<password>@example.com
postgres://{$}{USER}:{$}{PASS}@{$}{HOST}/app
postgres://localhost:5432/app
mongodb+srv://cluster0.abcde.mongodb.net/shop
git@github.com:team/app.git
npm i @types/node@20.19.43
https://medium.com/@ada/how-to-count-2026
https://example.com/items?page=2&sort=name&order=asc&limit=50
https://example.com/v1/files/{h32}/download
https://www.youtube.com/watch?v={a11}
https://docs.google.com/document/d/{t44}/edit
s3://bucket-2026/path/to/{h32}.parquet
arn:aws:iam::{d12}:role/deploy-role-2
arn:aws:secretsmanager:eu-central-1:{d12}:secret:prod/db-{a6}
eyJ is how every JSON Web Token begins
sk-short
AKIA is the prefix of access keys
ghp_ is the prefix of tokens
sha1 {h40} of file1.bin
blob {h40} 1234
docker pull nginx@sha256:{h64}
image: registry.internal/team/app:{h12}
container {h12} exited with 137
UUID.randomUUID() gave {h8}-{h4}-4{h3}-a{h3}-{h12}
X-Request-Id: {h8}-{h4}-4{h3}-a{h3}-{h12}
const SALT_ROUNDS = 12
fixture: user-{d8}@example.com
isbn 978-3-16-148410-0
IBAN example DE89370400440532013000
+49 170 1234567
lorem ipsum dolor sit amet 1234567890 consectetur
der Schlüssel liegt unter der Matte
Passwort vergessen?
Passwort: erforderlich
`;

/** At least 200 texts without a secret. */
export function harmlessTexts(random: Random): string[] {
  return rows(HARMLESS).map((row) => filled(row, random));
}
