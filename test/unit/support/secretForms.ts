import { rows, type CorpusTables } from './secretCorpus';

const FORMS = `
sk-ant-api03-{t93}AA
sk-ant-admin01-{t93}AA
sk-ant-oat01-{t86}
sk-{a48}
sk-{a20}T3BlbkFJ{a20}
sk-proj-{t74}T3BlbkFJ{t74}
sk-svcacct-{t60}
sk-or-v1-{h64}
ghp_{a36}
gho_{a36}
ghu_{a36}
ghs_{a36}
ghr_{a76}
github_pat_{a22}_{a59}
glpat-{a20}
glpat-{a27}.01.{w9}
glrt-{a20}
glrt-t1_{a27}.01.{w7}
gldt-{a20}
glft-{a20}
glcbt-64_{a20}
glptt-{h40}
gloas-{h64}
glimt-{w25}
glsoat-{a20}
glffct-{a20}
glagent-{a50}
GR1348941{a20}
AKIA{u16}
ASIA{u16}
ABIA{u16}
ABSK{b120}=
bedrock-api-key-{b120}
xoxb-{d12}-{d13}-{a24}
xoxp-{d12}-{d12}-{d13}-{h32}
xoxa-2-{a40}
xoxs-{d10}-{d10}-{d10}-{h10}
xoxe.xoxb-1-{u163}
xoxe-1-{u146}
xapp-1-A{u10}-{d13}-{h64}
https://hooks.slack.com/services/T{u8}/B{u10}/{a24}
https://hooks.slack.com/workflows/T{u8}/A{u10}/{d18}/{a24}
AIza{t35}
GOCSPX-{t28}
ya29.{t140}
1//0{t60}
sk_live_{a24}
sk_test_{a99}
rk_live_{a24}
rk_test_{a24}
sk_prod_{a30}
whsec_{a32}
npm_{a36}
pypi-AgEIcHlwaS5vcmc{t120}
hf_{l34}
hf_{a37}
api_org_{l34}
SG.{t22}.{t43}
dop_v1_{h64}
doo_v1_{h64}
dor_v1_{h64}
eyJ{a33}.eyJ{t90}.{t43}
eyJ{a40}.eyJ{t300}.{t342}
gsk_{a52}
xai-{a80}
pplx-{a48}
r8_{a37}
nvapi-{t64}
tvly-{a32}
lsv2_pt_{h32}_{h10}
pcsk_{a6}_{a63}
dckr_pat_{t27}
dckr_oat_{t32}
hvs.{t95}
hvb.{t150}
s.{a24}
shpat_{h32}
shpca_{h32}
shppa_{h32}
shpss_{h32}
dapi{h32}
dapi{h32}-2
AGE-SECRET-KEY-1{u58}
https://discord.com/api/webhooks/{d18}/{t68}
https://discordapp.com/api/webhooks/{d19}/{t68}
{d10}:AA{t33}
https://acme.webhook.office.com/webhookb2/{h8}-{h4}-{h4}-{h4}-{h12}@{h8}-{h4}-{h4}-{h4}-{h12}/IncomingWebhook/{h32}/{h8}-{h4}-{h4}-{h4}-{h12}
ATATT3{t186}
ATCTT3{t182}
ATBB{a32}
ATTA{h64}
ntn_{d11}{a35}
secret_{a43}
lin_api_{a40}
lin_oauth_{h64}
figd_{t40}
pat{a14}.{h64}
pat-na1-{h8}-{h4}-{h4}-{h4}-{h12}
NRAK-{u27}
NRII-{a32}
NRJS-{h19}
key-{h32}
xkeysib-{h64}-{a16}
xsmtpsib-{h64}-{a16}
mlsn.{h64}
re_{a8}_{a24}
phx_{a43}
sbp_{h40}
sb_secret_{t31}
vercel_blob_rw_{a16}_{a30}
dp.pt.{a43}
dp.st.dev.{a43}
tskey-auth-{a12}-{a32}
pul-{h40}
bkua_{h40}
CCIPAT_{a22}_{h40}
sgp_{h16}_{h40}
sgp_{h40}
oy2{w43}
waka_{h8}-{h4}-{h4}-{h4}-{h12}
sl.{t135}
EAAC{a150}
EAAM{a120}
sq0atp-{t22}
sq0csp-{t43}
access_token{$}production{$}{w16}{$}{h32}
PMAK-{h24}-{h34}
{a3}8Q~{a34}
LTAI{a20}
AKID{a32}
A3-{u6}-{u11}-{u5}-{u5}-{u5}
ops_eyJ{b260}
p8e-{w32}
AKCp{a69}
cmVmd{a59}
4b1d{a38}
CLOJARS_{w60}
v1.0-{h24}-{h146}
duffel_live_{t43}
dt0c01.{u24}.{u64}
EZAK{a54}
EZTK{a54}
FLWSECK_TEST-{h32}-X
fo1_{t43}
fm2_{b120}
fio-u-{t64}
glc_{b60}
glsa_{a32}_{h8}
pat.{t22}.{a24}.{a20}
{a14}.atlasv1.{t64}
HRKU-AA{t58}
ico-{a32}
s-s4t2ud-{h64}
{a6}_{a29}_mmk
API-{u26}
sha256~{t43}
pscale_tkn_{t43}
pscale_oauth_{t43}
pscale_pw_{t43}
pnu_{a36}
rdme_{w70}
rubygems_{h48}
tk-us-{t48}
sntryu_{h64}
sm_pat_{a16}
sm_aat_{a16}
shippo_live_{h40}
SK{h32}
sc_{w10}.{w5}.acc_{w16}.{b60}
sqp_{h40}
rnd_{a32}
fw_{a24}
cio{a32}
napi_{w64}
tfp_{a44}_{a14}
FLWSECK_TEST-{h32}-X
aio_{a28}
sk_{h48}
esecret_{w26}
secret-live-{t36}
e2b_{h40}
fc-{h32}
bb_live_{a27}
csk-{w48}
jina_{h32}{t28}
key_{h64}
nfp_{a36}
access-production-{h8}-{h4}-{h4}-{h4}-{h12}
{h32}-us21
as-{a22}
zpka_{h32}_{h8}
-----{BEGIN} RSA PRIVATE KEY-----\\n{b64}\\n{b64}\\n{b30}=\\n-----{END} RSA PRIVATE KEY-----
-----{BEGIN} OPENSSH PRIVATE KEY-----\\n{b70}\\n{b70}\\n{b20}==\\n-----{END} OPENSSH PRIVATE KEY-----
-----{BEGIN} PRIVATE KEY-----\\n{b64}\\n{b64}\\n-----{END} PRIVATE KEY-----
-----{BEGIN} PGP PRIVATE KEY BLOCK-----\\n\\n{b64}\\n{b64}\\n={b4}\\n-----{END} PGP PRIVATE KEY BLOCK-----
`;

const NAMED = `
ADAFRUIT_IO_KEY {w32}
AIRTABLE_API_KEY {w17}
ALGOLIA_ADMIN_KEY {h32}
ALIBABA_SECRET_KEY {w30}
ASANA_CLIENT_SECRET {h32}
JIRA_API_TOKEN {w20}{h4}
BEAMER_API_KEY b_{w44}
BITBUCKET_CLIENT_SECRET {t64}
BITTREX_SECRET_KEY {h32}
MERAKI_API_KEY {h40}
CLOUDFLARE_API_TOKEN {t40}
CLOUDFLARE_GLOBAL_API_KEY {h37}
CODECOV_TOKEN {h8}-{h4}-{h4}-{h4}-{h12}
COHERE_API_KEY {a40}
COINBASE_SECRET {w64}
CONFLUENT_API_SECRET {a64}
CONTENTFUL_ACCESS_TOKEN {t43}
DATADOG_APP_KEY {h40}
DD_API_KEY {h32}
DISCORD_CLIENT_SECRET {t32}
DRONECI_TOKEN {a32}
DROPBOX_APP_SECRET {w15}
ETSY_API_KEY {w24}
FACEBOOK_APP_SECRET {h32}
FASTLY_API_TOKEN {t32}
FINNHUB_API_KEY {w20}
FLICKR_SECRET {h32}
FRESHBOOKS_SECRET {h64}
HEROKU_API_KEY {h8}-{h4}-{h4}-{h4}-{h12}
HUBSPOT_API_KEY {h8}-{h4}-{h4}-{h4}-{h12}
INTERCOM_ACCESS_TOKEN {t60}
ARTIFACTORY_API_KEY {a73}
KRAKEN_SECRET {b84}
KUCOIN_API_SECRET {h8}-{h4}-{h4}-{h4}-{h12}
LAUNCHDARKLY_SDK_KEY {t40}
LINEAR_CLIENT_SECRET {h32}
LINKEDIN_CLIENT_SECRET {a16}
LOOKER_CLIENT_SECRET {w24}
MAILCHIMP_API_KEY {h32}-us12
MATTERMOST_TOKEN {w26}
NETLIFY_AUTH_TOKEN {t43}
NYTIMES_API_KEY {a32}
OKTA_API_TOKEN 00{a40}
PLAID_SECRET {h30}
RAPIDAPI_KEY {w50}
SENDBIRD_API_TOKEN {h40}
SENTRY_AUTH_TOKEN {h64}
SNYK_TOKEN {h8}-{h4}-{h4}-{h4}-{h12}
SONAR_TOKEN {h40}
TRAVIS_TOKEN {a22}
TWITCH_CLIENT_SECRET {w30}
TWITTER_API_SECRET {a50}
TYPEFORM_TOKEN tfp_{w59}
YANDEX_API_KEY AQVN{t36}
ZENDESK_API_TOKEN {a40}
AWS_SECRET_ACCESS_KEY {b40}
AZURE_STORAGE_ACCOUNT_KEY {b86}==
AZURE_CLIENT_SECRET {a34}
TWILIO_AUTH_TOKEN {h32}
GITHUB_WEBHOOK_SECRET {h40}
JWT_SECRET {a48}
SESSION_SECRET {h64}
APP_KEY base64:{b43}=
ENCRYPTION_KEY {h64}
RAILS_MASTER_KEY {h32}
INTERNAL_API_TOKEN {a18}
ACCESS_TOKEN {w24}
REFRESH_TOKEN {t80}
CLIENT_SECRET {a20}
PRIVATE_TOKEN {t22}
DB_PASSWORD {a12}
DB_PASS {w10}
DATABASE_PASSWORD {s12}
POSTGRES_PASSWORD {s9}
PGPASSWORD {a16}
MYSQL_PWD {a14}
MYSQL_ROOT_PASSWORD {s8}{d2}
REDIS_PASSWORD {a20}
SMTP_PASS {s7}{d2}
ADMIN_PASSWORD {s5}-{s6}-{d3}
ROOT_PASSWORD {a5}!{a5}#
KEYSTORE_PASSPHRASE {a18}
SSH_PASSPHRASE {s14}
`;

const LINES = `
curl -u ada:@@ https://ci.example.com/job/build := {a12}
curl --user ada:@@ -X POST https://ci.example.com/job := {s10}
curl -sS -H 'X-Api-Key: @@' https://api.example.com/v1 := {a24}
curl -H 'Authorization: Bearer @@' https://api.example.com/v1 := {a32}
curl -H 'Authorization: Basic @@' https://api.example.com/v1 := {a24}==
curl -H 'PRIVATE-TOKEN: @@' https://git.example.com/api/v4 := {a20}
mysql -h db.internal -u root -p@@ shop := {a11}
mysqldump -uroot -p@@ --all-databases := {s9}
sshpass -p @@ ssh ada@build.internal := {a10}
sshpass -p '@@' scp a.txt ada@build.internal: := {s11}
docker login -u ada -p @@ registry.internal := {a14}
redis-cli -h cache.internal -a @@ ping := {a16}
ldapsearch -x -D cn=admin -w @@ -b dc=example := {s9}
sqlcmd -S db.internal -U sa -P @@ -Q 'select 1' := {a9}!
wget --user=ada --password=@@ https://files.example.com/a.zip := {s10}
./import --password @@ --dry-run := {s8}
./import --password=@@ --dry-run := {a10}
gpg --batch --passphrase @@ -d a.gpg := {s14}
az login --service-principal -u app -p @@ --tenant t := {a30}
postgres://ada:@@@db.internal:5432/shop := {s9}
mongodb+srv://ada:@@@cluster0.abcde.mongodb.net/shop := {l12}
redis://:@@@cache.internal:6379/0 := {s11}
amqp://guest:@@@mq.internal:5672 := {a9}
https://ada:@@@git.example.com/team/app.git := {s12}
Server=db.internal;User Id=sa;Password=@@;Encrypt=true := {a8}!{d2}
DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=@@;EndpointSuffix=core.windows.net := {b86}==
//npm.example.org/:_authToken=@@ := {h36}
ALTER USER ada WITH PASSWORD '@@' := {s10}
CREATE USER 'ada'@'%' IDENTIFIED BY '@@' := {a10}
machine api.example.com login ada password @@ := {s12}
password: @@ := {s10}
spring.datasource.password=@@ := {s11}
<password>@@</password> := {a12}
client.setPassword("@@") := {s9}
const password = '@@' := {s10}
os.environ["DB_PASS"] = "@@" := {s10}
unzip -P @@ backup.zip := {s11}
sqlplus ada/@@@orcl := {s10}
net use Z: //files/ada /user:ada @@ := {a10}!
echo 'ada:@@' | sudo chpasswd := {s10}
ConvertTo-SecureString "@@" -AsPlainText -Force := {a12}!
gh secret set DB_PASSWORD --body "@@" := {s12}
set -x DB_PASSWORD @@ := {s11}
ENV DB_PASSWORD @@ := {s11}
mount -t cifs -o username=ada,password=@@ //files/ada /mnt := {s10}
WIFI:T:WPA;S:home;P:@@;; := {s12}
psk="@@" := {s12}
//npm.example.org/:_password=@@ := {a9}!
| password | @@ | := {a12}
**Password:** @@ := {a12}
password for the staging db is @@ := {a14}
credentials: ada / @@ := {a14}
login: ada / @@ := {a14}
jwt.sign(payload, '@@') := {s14}
createHmac('sha256', '@@') := {s14}
`;

/** At least 200 forms. */
export const KNOWN_FORMS: CorpusTables = { forms: rows(FORMS), named: rows(NAMED), lines: rows(LINES) };
